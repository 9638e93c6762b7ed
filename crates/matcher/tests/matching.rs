//! Properties of matchers and finders that no session of `sessions.rs` shows.

use heist_matcher::{Boundary, Case, ErrorKind, Finder, LineHit, Matcher, MatcherConfig};

fn finder(patterns: &[&str], config: &MatcherConfig) -> Finder {
    Matcher::new(patterns, config).unwrap().finder()
}

#[test]
fn empty_haystacks_have_no_line() {
    for pattern in ["", "^", "x*", r"\z"] {
        let mut finder = finder(&[pattern], &MatcherConfig::default());
        assert_eq!(finder.find_candidate_line(b"", 0), None);
        assert!(!finder.can_match(b""));
        assert!(finder.can_match(b"\n"));
        assert_eq!(finder.find_candidate_line(b"a\n", 2), None);
        assert!(finder.is_match(b""), "a line without text is a line");
    }
}

#[test]
fn no_pattern_matches_nothing() {
    let mut finder = finder(&[], &MatcherConfig::default());
    assert!(!finder.can_match(b"a\n\n"));
    assert!(!finder.is_match(b""));
    assert_eq!(finder.find_at(b"a", 0), None);
}

#[test]
fn stray_bytes_at_the_start_of_a_line_count_as_on_the_line_alone() {
    let config = MatcherConfig { boundary: Boundary::Word, ..MatcherConfig::default() };
    for pattern in ["foo", "fo[o]", "foo|bar", "f.o"] {
        let mut finder = finder(&[pattern], &config);
        assert!(!finder.is_match(b"\x80foo"));
        if let Some(hit) = finder.find_candidate_line(b"x\n\x80foo\n", 0) {
            assert!(matches!(hit, LineHit::Candidate(_)), "{pattern}");
        }
    }
}

#[test]
fn matches_may_contain_carriage_returns() {
    let config = MatcherConfig { crlf: true, multiline: true, ..MatcherConfig::default() };
    let mut returns = finder(&[r"o\r"], &config);
    let hit = returns.find_candidate_line(b"fo\nfoo\r\n", 0).expect("the second line");
    assert!((3..=7).contains(&hit.offset()), "{hit:?}");
    assert_eq!(returns.find_at(b"fo\nfoo\r\n", 0), Some(5..7));
}

#[test]
fn text_is_refused_where_it_contains_a_terminator_or_nul() {
    let refusal = |patterns: &[&str], config: &MatcherConfig| {
        Matcher::new(patterns, config).expect_err("it is refused").to_string()
    };
    let message = r#"the literal "\n" is not allowed in a regex"#;
    assert_eq!(refusal(&["a\nb"], &MatcherConfig::default()), message);
    let fixed = MatcherConfig { fixed_strings: true, ..MatcherConfig::default() };
    assert_eq!(refusal(&["b", "a\n"], &fixed), message);
    let folded = MatcherConfig { case: Case::Insensitive, ..fixed };
    assert_eq!(refusal(&["a\n"], &folded), message);
    // Text that is folded becomes a regex, in which NUL bytes are refused.
    let message = r#"pattern contains "\0" but it is impossible to match"#;
    assert_eq!(refusal(&["a\0b"], &folded), message);
    assert!(Matcher::new(["a\0b"], &fixed).is_ok());
    let text = MatcherConfig { ban_nul: false, ..MatcherConfig::default() };
    assert!(finder(&[r"a\x00b"], &text).is_match(b"xa\0b"));
    // Classes may contain them, and unfolded text is searched for as it is.
    for pattern in [r"\x00|\n", r"[^a]", "a\0b"] {
        assert!(Matcher::new([pattern], &MatcherConfig::default()).is_ok(), "{pattern:?}");
    }
    let multiline = MatcherConfig { crlf: true, multiline: true, ..MatcherConfig::default() };
    assert!(Matcher::new([r"\r\n"], &multiline).is_ok());
}

/// Literals are looked for in the whole haystack, wherever the search begins.
#[test]
fn the_first_search_may_begin_anywhere() {
    let config =
        MatcherConfig { multiline: true, case: Case::Insensitive, ..MatcherConfig::default() };
    let mut finder = finder(&[r"[^a]arent_s\s"], &config);
    assert_eq!(finder.find_first(b"\nx\nARENT_S\n", 1), Some(2..11));
    assert_eq!(finder.find_first("\nx\nARENT_ſ\n".as_bytes(), 4), None);
    let words =
        MatcherConfig { boundary: Boundary::Word, multiline: true, ..MatcherConfig::default() };
    let mut finder = self::finder(&[r"a\sb"], &words);
    let text = "\u{e9}a\nb a\nb\u{e9} a\nb \u{e9} xa\nb a\nb";
    for at in 0..=text.len() {
        let expected = [12..15, 24..27].into_iter().find(|span| span.start >= at);
        assert_eq!(finder.find_at(text.as_bytes(), at), expected, "{at}");
    }
}

#[test]
fn a_lazy_dfa_without_room_is_done_without() {
    let config = MatcherConfig { dfa_size_limit: 10, ..MatcherConfig::default() };
    let mut finder = finder(&[r"\w{10}"], &config);
    assert!(finder.is_match(b"-0123456789-") && !finder.is_match(b"-012345678-"));
}

#[test]
fn parentheses_are_nested_up_to_a_limit() {
    let deep = |n| {
        Matcher::new([format!("{}a{}", "(".repeat(n), ")".repeat(n))], &MatcherConfig::default())
    };
    assert!(deep(250).is_ok());
    let message = deep(251).unwrap_err().to_string();
    let reason = "error: exceed the maximum number of nested parentheses/brackets (250)";
    assert!(message.ends_with(reason), "{message}");
}

#[test]
fn errors_are_of_a_kind() {
    let refusal =
        |pattern: &str, config: &MatcherConfig| Matcher::new(["a", pattern], config).unwrap_err();
    let error = refusal("(b", &MatcherConfig::default());
    let ErrorKind::Syntax(syntax) = error.kind() else { panic!("{error:?}") };
    assert_eq!((syntax.pattern(), syntax.span(), syntax.reason()), ("(b", 0..1, "unclosed group"));
    let error = refusal("b", &MatcherConfig { line_terminator: 0xFF, ..MatcherConfig::default() });
    assert_eq!(error.kind(), &ErrorKind::NonAsciiTerminator(0xFF));
    assert_eq!(error.to_string(), "line terminator must be ASCII, but is the byte 0xFF");
    let error = refusal(r"a\nb", &MatcherConfig::default());
    let advice =
        |kind: &ErrorKind| matches!(kind, ErrorKind::LineTerminator(b'\n')).then_some("-U");
    assert_eq!(error.with_advice(advice), format!("{error}\n\n-U"));
}
