//! Properties of matchers and finders that no session of `sessions.rs` shows.

use heist_matcher::{Boundary, Case, Config, ErrorKind, Finder, LineHit, Matcher};

fn finder(patterns: &[&str], config: &Config) -> Finder {
    Matcher::new(patterns, config).unwrap().finder()
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
fn matches_of_a_line_follow_each_other() {
    let word = Config { boundary: Boundary::Word, ..Config::default() };
    assert_eq!(spans(&mut finder(&["foo|foobar"], &word), "foobar foo"), [(0, 6), (7, 10)]);
    let alternatives = &["b", "a", "b", "^c"];
    let expected = [(0, 1), (1, 2), (2, 3)];
    assert_eq!(spans(&mut finder(alternatives, &Config::default()), "cab"), expected);
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
fn matches_may_contain_carriage_returns() {
    let config = Config { crlf: true, multiline: true, ..Config::default() };
    let mut returns = finder(&[r"o\r"], &config);
    let hit = returns.find_candidate_line(b"fo\nfoo\r\n", 0).expect("the second line");
    assert!((3..=7).contains(&hit.offset()), "{hit:?}");
    assert_eq!(spans(&mut returns, "fo\nfoo\r\n"), [(5, 7)]);
    assert_eq!(spans(&mut finder(&[r"o\r\n"], &config), "foo\r\no\n"), [(2, 5)]);
    assert_eq!(spans(&mut finder(&["o$"], &config), "foo\r\no\n"), [(2, 3), (5, 6)]);
}

#[test]
fn text_is_refused_where_it_contains_a_terminator_or_nul() {
    let refusal = |patterns: &[&str], config: &Config| {
        Matcher::new(patterns, config).expect_err("it is refused").to_string()
    };
    let message = r#"the literal "\n" is not allowed in a regex"#;
    assert_eq!(refusal(&["a\nb"], &Config::default()), message);
    let fixed = Config { fixed_strings: true, ..Config::default() };
    assert_eq!(refusal(&["b", "a\n"], &fixed), message);
    let folded = Config { case: Case::Insensitive, ..fixed };
    assert_eq!(refusal(&["a\n"], &folded), message);
    // Text that is folded becomes a regex, in which NUL bytes are refused.
    let message = r#"pattern contains "\0" but it is impossible to match"#;
    assert_eq!(refusal(&["a\0b"], &folded), message);
    assert!(Matcher::new(["a\0b"], &fixed).is_ok());
    let text = Config { ban_nul: false, ..Config::default() };
    assert!(finder(&[r"a\x00b"], &text).is_match(b"xa\0b"));
    // Classes may contain them, and unfolded text is searched for as it is.
    for pattern in [r"\x00|\n", r"[^a]", "a\0b"] {
        assert!(Matcher::new([pattern], &Config::default()).is_ok(), "{pattern:?}");
    }
    let multiline = Config { crlf: true, multiline: true, ..Config::default() };
    assert!(Matcher::new([r"\r\n"], &multiline).is_ok());
}

#[test]
fn a_lazy_dfa_without_room_is_done_without() {
    let config = Config { dfa_size_limit: 10, ..Config::default() };
    let mut finder = finder(&[r"\w{10}"], &config);
    assert!(finder.is_match(b"-0123456789-") && !finder.is_match(b"-012345678-"));
}

#[test]
fn parentheses_are_nested_up_to_a_limit() {
    let deep =
        |n| Matcher::new([format!("{}a{}", "(".repeat(n), ")".repeat(n))], &Config::default());
    assert!(deep(249).is_ok());
    let message = deep(250).unwrap_err().to_string();
    let reason = "error: exceed the maximum number of nested parentheses/brackets (250)";
    assert!(message.ends_with(reason), "{message}");
}

#[test]
fn errors_are_of_a_kind() {
    let refusal =
        |pattern: &str, config: &Config| Matcher::new(["a", pattern], config).unwrap_err();
    let error = refusal("(b", &Config::default());
    let ErrorKind::Syntax(syntax) = error.kind() else { panic!("{error:?}") };
    assert_eq!((syntax.pattern(), syntax.span(), syntax.reason()), ("(b", 0..1, "unclosed group"));
    let error = refusal("b", &Config { line_terminator: 0xFF, ..Config::default() });
    assert_eq!(error.kind(), &ErrorKind::NonAsciiTerminator(0xFF));
    assert_eq!(error.to_string(), "line terminator must be ASCII, but is the byte 0xFF");
    let error = refusal(r"a\nb", &Config::default());
    let advice =
        |kind: &ErrorKind| matches!(kind, ErrorKind::LineTerminator(b'\n')).then_some("-U");
    assert_eq!(error.with_advice(advice), format!("{error}\n\n-U"));
}
