//! What patterns mean, case by case: the table of expectations a user of ripgrep brings along.

use heist_matcher::{Boundary, Case, Config, Finder, LineHit, Matcher};

fn finder(patterns: &[&str], config: &Config) -> Finder {
    Matcher::new(patterns, config).unwrap().finder()
}

/// The matching lines of `block`, joined by `|`; `(none)` if there are none.
fn lines(finder: &mut Finder, block: &str) -> String {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(hit) = finder.find_candidate_line(block.as_bytes(), at) {
        let (LineHit::Confirmed(offset) | LineHit::Candidate(offset)) = hit;
        let start = block[..offset].rfind('\n').map_or(0, |n| n + 1);
        let end = block[offset..].find('\n').map_or(block.len(), |n| offset + n);
        let line = &block[start..end];
        if matches!(hit, LineHit::Confirmed(_)) || finder.is_match(line.as_bytes()) {
            found.push(line);
        }
        at = end + 1;
    }
    if found.is_empty() { "(none)".into() } else { found.join("|") }
}

fn spans(finder: &mut Finder, line: &str) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    let mut at = 0;
    while let Some(span) = finder.find_at(line.as_bytes(), at) {
        at = span.end + usize::from(span.is_empty());
        spans.push((span.start, span.end));
    }
    spans
}

#[test]
fn patterns_mean_what_they_say() {
    for (pattern, block, expected) in [
        ("", "a\n\nb", "a||b"),
        ("^", "a\n\n", "a|"),
        ("$", "a\n\n", "a|"),
        ("^$", "a\n\nb\n", ""),
        ("^$", "a\n", "(none)"),
        ("x*", "\n", ""),
        (".", "\na\n", "a"),
        (r"\s", "a\n\tb\n", "\tb"),
        ("a[^a]", "a\nab\n", "ab"),
        (r"a\s*b", "a\nb\na b\n", "a b"),
        (r"\Ab", "ab\nba\nb", "ba|b"),
        (r"b\z", "ab\nba\nb", "ab|b"),
        ("(?-m)^b$", "ab\nb\nba", "b"),
        (r"a|\n", "b\na\n", "a"),
        (r"\bfoo\b", "xfoo\nfoo\nfoo-\n", "foo|foo-"),
        (r"\bé", "aé\né\n", "é"),
        (r"o\b", "foo\nfooé\n", "foo"),
        (r"(?i)straße", "STRAßE\nstrasse\n", "STRAßE"),
        (r"\x{e9}", "é\n", "é"),
        (r"\xe9", "é\n", "é"),
        ("[a&&b]", "a\n\n", "(none)"),
        ("[a&&b]|a", "a\nb\n", "a"),
        ("[a&&b]?b", "a\nb\n", "b"),
        ("[a&&b]|", "a\n\n", "a|"),
    ] {
        let mut finder = finder(&[pattern], &Config::default());
        assert_eq!(lines(&mut finder, block), expected, "{pattern} in {block:?}");
    }
}

#[test]
fn empty_haystacks_have_no_line() {
    for pattern in ["", "^", "x*", r"\z"] {
        let mut finder = finder(&[pattern], &Config::default());
        assert_eq!(finder.find_candidate_line(b"", 0), None);
        assert!(!finder.can_match(b""));
        assert!(finder.can_match(b"\n"));
        assert_eq!(finder.find_candidate_line(b"a\n", 2), None);
        assert!(finder.is_match(b""), "a line without text is a line");
    }
}

#[test]
fn no_pattern_matches_nothing() {
    let mut finder = finder(&[], &Config::default());
    assert!(!finder.can_match(b"a\n\n"));
    assert!(!finder.is_match(b""));
    assert_eq!(finder.find_at(b"a", 0), None);
}

#[test]
fn several_patterns_are_alternatives() {
    let mut finder = finder(&["b", "a", "b", "^c"], &Config::default());
    assert_eq!(lines(&mut finder, "xb\nxc\nxa\nc\n"), "xb|xa|c");
    assert_eq!(spans(&mut finder, "cab"), [(0, 1), (1, 2), (2, 3)]);
}

#[test]
fn fixed_strings_are_text() {
    let config = Config { fixed_strings: true, ..Config::default() };
    assert_eq!(lines(&mut finder(&["a.b", "(x"], &config), "acb\na.b\n(x\n"), "a.b|(x");
    assert_eq!(lines(&mut finder(&[""], &config), "a\n\n"), "a|");
    let config = Config { case: Case::Insensitive, ..config };
    assert_eq!(lines(&mut finder(&["k.Ä"], &config), "K.ä\n\u{212A}.Ä\nkxä\n"), "K.ä|\u{212A}.Ä");
    let config = Config { unicode: false, ..config };
    assert_eq!(lines(&mut finder(&["k.Ä"], &config), "K.ä\nK.Ä\n\u{212A}.Ä\n"), "K.Ä");
}

#[test]
fn words_have_no_word_characters_around() {
    let config = Config { boundary: Boundary::Word, ..Config::default() };
    for (pattern, block, expected) in [
        ("-2", "foo -2 bar\nfoo-2\n-23\n-2", "foo -2 bar|-2"),
        ("foo|foobar", "foobar\nfoo\nfoob\n", "foobar|foo"),
        ("foo", "xfoo foo\nfoo_\n_foo\nfoo\u{e9}\n.foo.\n", "xfoo foo|.foo."),
        ("fo+", "foo foox\nxfoo\n", "foo foox"),
        ("", "a\n\n-\n", "|-"),
        ("foo|-2", "a-2\nfoo\na -2\n", "foo|a -2"),
    ] {
        assert_eq!(lines(&mut finder(&[pattern], &config), block), expected, "{pattern}");
    }
    assert_eq!(spans(&mut finder(&["foo|foobar"], &config), "foobar foo"), [(0, 6), (7, 10)]);
    let ascii = Config { unicode: false, ..config };
    assert_eq!(lines(&mut finder(&["foo"], &ascii), "foo\u{e9}\nfoox\n"), "foo\u{e9}");
}

#[test]
fn stray_bytes_at_the_start_of_a_line_count_as_on_the_line_alone() {
    let config = Config { boundary: Boundary::Word, ..Config::default() };
    for pattern in ["foo", "fo[o]", "foo|bar", "f.o"] {
        let mut finder = finder(&[pattern], &config);
        assert!(!finder.is_match(b"\x80foo"));
        if let Some(hit) = finder.find_candidate_line(b"x\n\x80foo\n", 0) {
            assert!(matches!(hit, LineHit::Candidate(_)), "{pattern}");
        }
    }
}

#[test]
fn whole_lines_are_anchored_as_one() {
    let config = Config { boundary: Boundary::Line, ..Config::default() };
    assert_eq!(lines(&mut finder(&["a|ab", "c"], &config), "ab\na\nabc\nc\n"), "ab|a|c");
    assert_eq!(lines(&mut finder(&["foo"], &config), "foo\nxfoo\nfoox\nfoo"), "foo|foo");
    assert_eq!(lines(&mut finder(&[""], &config), "a\n\n"), "");
}

#[test]
fn case_counts_as_asked() {
    let smart = Config { case: Case::Smart, ..Config::default() };
    for (patterns, sensitive) in [
        (&["foo"][..], false),
        (&["fOo"], true),
        (&["foo", "Bar"], true),
        (&[r"foo\S"], false),
        (&[r"foo[A-Z]?"], true),
        (&[r"foo\pL?"], false),
    ] {
        let mut finder = finder(patterns, &smart);
        let text = if patterns[0] == "fOo" { "fOo!" } else { "foo!" };
        assert!(finder.is_match(text.as_bytes()));
        assert_eq!(!finder.is_match(b"FOO!"), sensitive, "{patterns:?}");
    }
    let mut inline = finder(&["(?-i:foo)"], &Config { case: Case::Insensitive, ..smart });
    assert!(inline.is_match(b"foo") && !inline.is_match(b"Foo"));
}

#[test]
fn other_terminators_end_lines_too() {
    let config = Config { line_terminator: 0, ban_nul: false, ..Config::default() };
    let block = b"a\nfoo\0foo\0x\ny\0";
    for (pattern, expected) in [
        (r"^foo", &[0, 6][..]),
        (r"\Afoo", &[6]),
        (r"a$", &[0]),
        (r"y\z", &[10]),
        (r"x\ny", &[10]),
        (r"o\W", &[]),
    ] {
        let mut finder = finder(&[pattern], &config);
        let starts = [0, 6, 10];
        let ends = [5, 9, 13];
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(hit) = finder.find_candidate_line(block, at) {
            let (LineHit::Confirmed(offset) | LineHit::Candidate(offset)) = hit;
            let line = ends.iter().position(|&end| offset <= end).unwrap();
            if matches!(hit, LineHit::Confirmed(_))
                || finder.is_match(&block[starts[line]..ends[line]])
            {
                found.push(starts[line]);
            }
            at = ends[line] + 1;
        }
        assert_eq!(found, expected, "{pattern}");
    }
}

#[test]
fn many_texts_are_found_like_few() {
    let config = Config { fixed_strings: true, ..Config::default() };
    let words: Vec<String> = (0..5000).map(|i| format!("word{:05}", i * 7 % 9973)).collect();
    for folded in [Case::Sensitive, Case::Insensitive] {
        for boundary in [Boundary::None, Boundary::Word] {
            let config = Config { case: folded, boundary, ..config.clone() };
            let mut finder = Matcher::new(&words, &config).unwrap().finder();
            let block = "none\nxx word00007 yy\nword99999\n--word00014--\nword00021x\n";
            let glued = if boundary == Boundary::None { "|word00021x" } else { "" };
            let expected = format!("xx word00007 yy|--word00014--{glued}");
            assert_eq!(lines(&mut finder, block), expected);
        }
    }
}

#[test]
fn lines_are_spanned_where_a_terminator_can_be_matched() {
    let multiline = Config { multiline: true, ..Config::default() };
    let dotall = Config { dot_matches_new_line: true, ..multiline };
    let whole_line = Config { boundary: Boundary::Line, ..multiline };
    let spans_lines =
        |pattern: &str, config: &Config| finder(&[pattern], config).matcher().spans_lines();
    for pattern in
        [r"a\nb", r"\s", "[^a]", "^a", "a$", r"\A", r"\z", "(?s:.)", "a|b\nc", "(?R)$", r"(?-u:\W)"]
    {
        assert!(spans_lines(pattern, &multiline), "{pattern}");
        let lines = Matcher::new([pattern], &Config::default());
        assert!(lines.is_err() || !lines.is_ok_and(|m| m.spans_lines()), "{pattern}");
    }
    for pattern in ["foo", "a.b", r"\w+\b", "[^\\n]", "", r"\bx"] {
        assert!(!spans_lines(pattern, &multiline), "{pattern}");
        assert!(!spans_lines(pattern, &Config { dot_matches_new_line: true, ..Config::default() }));
    }
    assert!(spans_lines("a.b", &dotall) && spans_lines("foo", &whole_line));
    let records = Config { line_terminator: 0, ban_nul: false, ..multiline };
    assert!(spans_lines(r"a\x00b", &records) && !spans_lines("^a\\nb$", &records));
}

#[test]
fn matches_across_lines_see_what_is_before_them() {
    let config = Config { multiline: true, ..Config::default() };
    let haystack = b"a\nfoo\nfoo\n";
    for (pattern, expected) in [
        (r"^foo\n", &[(2, 6), (6, 10)][..]),
        (r"\Aa\s", &[(0, 2)]),
        (r"\Afoo", &[]),
        (r"foo\n\z", &[(6, 10)]),
        (r"o\b|\n\n", &[(4, 5), (8, 9)]),
        (r"o\n+f", &[(4, 7)]),
        (r"o[^x]*", &[(3, 10)]),
    ] {
        let mut finder = finder(&[pattern], &config);
        let text = std::str::from_utf8(haystack).unwrap();
        assert_eq!(spans(&mut finder, text), expected, "{pattern}");
        assert_eq!(finder.can_match(haystack), !expected.is_empty(), "{pattern}");
        let first = expected.first().map(|span| LineHit::Confirmed(span.0));
        assert_eq!(finder.find_candidate_line(haystack, 0), first, "{pattern}");
    }
    assert!(!finder(&[r"\w+\s+barrier"], &config).can_match(b"foo\nbar\n"));
}

#[test]
fn lines_may_end_in_two_bytes() {
    let config = Config { crlf: true, ..Config::default() };
    for (pattern, block, expected) in [
        ("^foo$", "foo\r\nfoo\nfoo", "foo\r|foo|foo"),
        ("^$", "\r\n\n", "\r|"),
        (".", "\r\n", "(none)"),
        (r"\s", "a\r\na b\r\n", "a b\r"),
        ("a[^x]", "a\r\na\rb\nab\n", "ab"),
        (r"o\b", "foo\r\n", "foo\r"),
        ("^b", "a\rb\r\n", "a\rb\r"),
        (r"\Ab", "a\rb\r\nb\r\n", "b\r"),
    ] {
        assert_eq!(
            lines(&mut finder(&[pattern], &config), block),
            expected,
            "{pattern} in {block:?}"
        );
    }
    // Between both bytes is no place of the line, so an empty match there is none.
    for pattern in [r"\B", r"(?-u:\B)"] {
        let mut finder = finder(&[pattern], &config);
        assert!(!finder.is_match(b"a"));
        assert!(!matches!(finder.find_candidate_line(b"a\r\n", 0), Some(LineHit::Confirmed(_))));
    }
    assert_eq!(lines(&mut finder(&["foo$"], &Config::default()), "foo\r\n"), "(none)");
    let multiline = Config { multiline: true, ..config };
    assert_eq!(lines(&mut finder(&[r"o\r"], &multiline), "fo\nfoo\r\n"), "foo\r");
    assert_eq!(spans(&mut finder(&[r"o\r\n"], &multiline), "foo\r\no\n"), [(2, 5)]);
    assert_eq!(spans(&mut finder(&["o$"], &multiline), "foo\r\no\n"), [(2, 3), (5, 6)]);
}
