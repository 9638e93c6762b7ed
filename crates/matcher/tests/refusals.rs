//! What is refused and in which words: clients of ripgrep look for them in its messages.

use heist_matcher::{Boundary, Case, Config, Engine, ErrorKind, Matcher};

fn refusal(patterns: &[&str], config: &Config) -> String {
    match Matcher::new(patterns, config) {
        Ok(_) => panic!("{patterns:?} was accepted"),
        Err(e) => e.to_string(),
    }
}

#[test]
fn bad_syntax_shows_the_place() {
    let look_around = "look-around, including look-ahead and look-behind, is not supported";
    for (pattern, marks, reason) in [
        ("(foo", "^", "unclosed group"),
        ("foo)", "   ^", "unopened group"),
        ("*a", "^", "repetition operator missing expression"),
        ("a{2", " ^^", "unclosed counted repetition"),
        ("a{3,2}", " ^^^^^", "invalid repetition count range, the start must be <= the end"),
        ("a{99999999999}", "  ^^^^^^^^^^^", "decimal literal invalid"),
        ("[a", "^", "unclosed character class"),
        ("[z-a]", " ^^^", "invalid character class range, the start must be <= the end"),
        (r"\p{Foo}", "^^^^^^^", "Unicode property not found"),
        (r"\q", "^^", "unrecognized escape sequence"),
        (r"\k<x>", "^^", "unrecognized escape sequence"),
        (r"foo\", "   ^", "incomplete escape sequence, reached end of pattern prematurely"),
        (r"\xZZ", "  ^", "invalid hexadecimal digit"),
        (r"\x{110000}", "   ^^^^^^", "hexadecimal literal is not a Unicode scalar value"),
        ("(?z)a", "  ^", "unrecognized flag"),
        ("(?i", "   ^", "expected flag but got end of regex"),
        ("(?P<n>a)(?P<n>b)", "    ^       ^", "duplicate capture group name"),
        ("(?=a)", "^^^", look_around),
        ("(?!a)", "^^^", look_around),
        ("(?<=a)", "^^^^", look_around),
        ("(?<!a)", "^^^^", look_around),
        (r"(a)\1", "   ^^", "backreferences are not supported"),
        (r"\n(?=a)", "  ^^^", look_around),
    ] {
        let expected = format!("regex parse error:\n    {pattern}\n    {marks}\nerror: {reason}");
        assert_eq!(refusal(&[pattern], &Config::default()), expected);
    }
}

#[test]
fn only_the_pattern_with_the_mistake_is_shown() {
    let expected = "regex parse error:\n    (b\n    ^\nerror: unclosed group";
    let error = Matcher::new(["a", "(b", "a"], &Config::default()).unwrap_err();
    assert_eq!(error.to_string(), expected);
    let ErrorKind::Syntax(syntax) = error.kind() else { panic!("{error:?}") };
    assert_eq!((syntax.pattern(), syntax.span(), syntax.reason()), ("(b", 0..1, "unclosed group"));
    // Each of these is a regex alone.
    let expected = "regex parse error:\n    é(?P<n>b)\n         ^\n\
        error: duplicate capture group name";
    assert_eq!(refusal(&["(?P<n>a)", "é(?P<n>b)"], &Config::default()), expected);
}

#[test]
fn unicode_classes_need_unicode() {
    let config = Config { unicode: false, ..Config::default() };
    let expected = "regex parse error:\n    \\pL\n    ^^^\nerror: Unicode not allowed here";
    assert_eq!(refusal(&[r"\pL"], &config), expected);
    let expected = "regex parse error:\n    [☃]\n     ^\nerror: Unicode not allowed here";
    assert_eq!(refusal(&["[☃]"], &config), expected);
}

#[test]
fn a_required_terminator_is_refused() {
    let message = r#"the literal "\n" is not allowed in a regex"#;
    for pattern in [r"a\nb", r"\n", r"[\n]", r"\n*a", r"\n+a?", r"(?-u)\x80\n", "a\nb"] {
        assert_eq!(refusal(&[pattern], &Config::default()), message, "{pattern}");
    }
    let fixed = Config { fixed_strings: true, ..Config::default() };
    assert_eq!(refusal(&["b", "a\n"], &fixed), message);
    let folded = Config { case: Case::Insensitive, ..fixed };
    assert_eq!(refusal(&["a\n"], &folded), message);
    let nul = Config { line_terminator: 0, ban_nul: false, ..Config::default() };
    let message = r#"the literal "\0" is not allowed in a regex"#;
    assert_eq!(refusal(&[r"\x00"], &nul), message);
}

#[test]
fn a_required_nul_is_refused_where_it_cannot_match() {
    let message = r#"pattern contains "\0" but it is impossible to match"#;
    for pattern in [r"\x00", r"a\x00b", r"[\x00]", r"[^\x01-\x{10ffff}]", r"\x00\n", r"\n\x00"] {
        assert_eq!(refusal(&[pattern], &Config::default()), message, "{pattern}");
    }
    let config = Config { ban_nul: false, ..Config::default() };
    let mut finder = Matcher::new([r"a\x00b"], &config).unwrap().finder();
    assert!(finder.is_match(b"xa\0b"));
    // Classes may hold it among others, and text is searched for as it is.
    for pattern in [r"\x00|\n", r"[^a]", "a\0b"] {
        assert!(Matcher::new([pattern], &Config::default()).is_ok(), "{pattern:?}");
    }
}

#[test]
fn limits_are_kept() {
    let config = Config { size_limit: 10, ..Config::default() };
    assert_eq!(refusal(&[r"\w+ing"], &config), "compiled regex exceeds size limit of 10");
    let config = Config { size_limit: 10 << 10, ..Config::default() };
    assert_eq!(refusal(&[r"\w{100}"], &config), "compiled regex exceeds size limit of 10240");
    // A lazy DFA without room is done without, and finds the same.
    let config = Config { dfa_size_limit: 10, ..Config::default() };
    let mut finder = Matcher::new([r"\w{10}"], &config).unwrap().finder();
    assert!(finder.is_match(b"-0123456789-") && !finder.is_match(b"-012345678-"));
    let deep = |n| format!("{}a{}", "(".repeat(n), ")".repeat(n));
    assert!(Matcher::new([deep(249)], &Config::default()).is_ok());
    let message = refusal(&[&deep(250)], &Config::default());
    let reason = "error: exceed the maximum number of nested parentheses/brackets (250)";
    assert!(message.ends_with(reason), "{message}");
}

#[test]
fn a_terminator_is_ascii() {
    let config = Config { line_terminator: 0xFF, ..Config::default() };
    let error = Matcher::new(["a"], &config).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::NonAsciiTerminator(0xFF));
    assert_eq!(error.to_string(), "line terminator must be ASCII, but is the byte 0xFF");
}

#[test]
fn boundaries_do_not_change_what_an_error_shows() {
    for boundary in [Boundary::Word, Boundary::Line] {
        let config = Config { boundary, ..Config::default() };
        let expected = "regex parse error:\n    (foo\n    ^\nerror: unclosed group";
        assert_eq!(refusal(&["(foo"], &config), expected);
    }
}

#[test]
fn line_ends_are_refused_with_crlf() {
    let crlf = Config { crlf: true, ..Config::default() };
    for (pattern, shown) in [(r"a\r", r"\r"), (r"\n\r", r"\r"), (r"\n", r"\n"), (r"[\r\n]", r"\n")]
    {
        let message = format!(r#"the literal "{shown}" is not allowed in a regex"#);
        assert_eq!(refusal(&[pattern], &crlf), message, "{pattern}");
    }
    let multiline = Config { multiline: true, ..crlf };
    assert!(Matcher::new([r"\r\n"], &multiline).is_ok());
}

#[test]
fn folded_text_is_read_as_a_regex() {
    let message = r#"pattern contains "\0" but it is impossible to match"#;
    let folded = Config { case: Case::Insensitive, fixed_strings: true, ..Config::default() };
    assert_eq!(refusal(&["a\0b"], &folded), message);
    assert!(Matcher::new(["a\0b"], &Config { case: Case::Sensitive, ..folded }).is_ok());
}

#[test]
#[cfg(not(feature = "pcre2"))]
fn pcre2_may_be_left_out() {
    let pcre2 = Config { engine: Engine::Pcre2, ..Config::default() };
    assert_eq!(refusal(&["a"], &pcre2), "PCRE2 is not available in this build");
    let auto = Config { engine: Engine::Auto, ..pcre2 };
    assert!(refusal(&["a(?=b)"], &auto).starts_with("regex parse error:"));
}

#[test]
#[cfg(feature = "pcre2")]
fn pcre2_reports_the_offset_in_the_pattern() {
    let pcre2 = Config { engine: Engine::Pcre2, ..Config::default() };
    for (patterns, reason) in [
        (&["("][..], "1: missing closing parenthesis"),
        (&["ok", "(a"], "2: missing closing parenthesis"),
        (&[r"[a"], "2: missing terminating ] for character class"),
        (&[r"\1"], "1: reference to non-existent subpattern"),
        (&["*a"], "0: quantifier does not follow a repeatable item"),
        (&[r"\pQ"], "3: unknown property after \\P or \\p"),
    ] {
        for boundary in [Boundary::None, Boundary::Word] {
            let config = Config { boundary, ..pcre2.clone() };
            let expected = format!("PCRE2: error compiling pattern at offset {reason}");
            assert_eq!(refusal(patterns, &config), expected, "{patterns:?}");
        }
    }
}

#[test]
#[cfg(feature = "pcre2")]
fn auto_reports_both_reasons() {
    let auto = Config { engine: Engine::Auto, ..Config::default() };
    let divider = "~".repeat(79);
    let expected = format!(
        "regex could not be compiled with either the default regex engine or with PCRE2.\n\n\
        default regex engine error:\n{divider}\nregex parse error:\n    (?=(\n    ^^^\n\
        error: look-around, including look-ahead and look-behind, is not supported\n{divider}\n\n\
        PCRE2 regex engine error:\n\
        PCRE2: error compiling pattern at offset 4: missing closing parenthesis"
    );
    assert_eq!(refusal(&["(?=("], &auto), expected);
}

#[test]
fn advice_follows_each_reason() {
    let error = Matcher::new([r"a\nb"], &Config::default()).unwrap_err();
    let advice =
        |kind: &ErrorKind| matches!(kind, ErrorKind::LineTerminator(b'\n')).then_some("-U");
    assert_eq!(error.with_advice(advice), format!("{error}\n\n-U"));
}
