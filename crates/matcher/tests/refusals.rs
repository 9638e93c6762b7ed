//! What is refused and in which words: clients of ripgrep look for them in its messages.

use heist_matcher::{Boundary, Case, Config, Engine, ErrorKind, Matcher};

const MULTILINE: &str = "\n\nConsider enabling multiline mode with the --multiline flag (or -U for \
    short).\nWhen multiline mode is enabled, new line characters can be matched.";
const TEXT: &str = "\n\nConsider enabling text mode with the --text flag (or -a for short). \
    Otherwise,\nbinary detection is enabled and matching a NUL byte is impossible.";
const PCRE2: &str = "\n\nConsider enabling PCRE2 with the --pcre2 flag, which can handle \
    backreferences\nand look-around.";

fn refusal(patterns: &[&str], config: &Config) -> String {
    let patterns: Vec<String> = patterns.iter().map(ToString::to_string).collect();
    match Matcher::new(&patterns, config) {
        Ok(_) => panic!("{patterns:?} was accepted"),
        Err(e) => e.to_string(),
    }
}

#[test]
fn bad_syntax_shows_the_place() {
    let look_around = "look-around, including look-ahead and look-behind, is not supported";
    for (pattern, marks, reason) in [
        ("(foo", "^", "unclosed group"),
        ("foo)", "       ^", "unopened group"),
        ("*a", "   ^", "repetition operator missing expression"),
        ("a{2", "    ^^", "unclosed counted repetition"),
        ("a{3,2}", "    ^^^^^", "invalid repetition count range, the start must be <= the end"),
        ("a{99999999999}", "     ^^^^^^^^^^^", "decimal literal invalid"),
        ("[a", "   ^", "unclosed character class"),
        ("[z-a]", "    ^^^", "invalid character class range, the start must be <= the end"),
        (r"\p{Foo}", "   ^^^^^^^", "Unicode property not found"),
        (r"\q", "   ^^", "unrecognized escape sequence"),
        (r"\k<x>", "   ^^", "unrecognized escape sequence"),
        (r"\", "^", "unclosed group"),
        (r"\xZZ", "     ^", "invalid hexadecimal digit"),
        (r"\x{110000}", "      ^^^^^^", "hexadecimal literal is not a Unicode scalar value"),
        ("(?z)a", "     ^", "unrecognized flag"),
        ("(?i", "^", "unclosed group"),
        ("(?P<n>a)(?P<n>b)", "       ^       ^", "duplicate capture group name"),
        ("(?=a)", "   ^^^", look_around),
        ("(?!a)", "   ^^^", look_around),
        ("(?<=a)", "   ^^^^", look_around),
        ("(?<!a)", "   ^^^^", look_around),
        (r"(a)\1", "      ^^", "backreferences are not supported"),
        (r"\n(?=a)", "     ^^^", look_around),
    ] {
        let hint = if reason.contains("not supported") { PCRE2 } else { "" };
        let expected =
            format!("regex parse error:\n    (?:{pattern})\n    {marks}\nerror: {reason}{hint}");
        assert_eq!(refusal(&[pattern], &Config::default()), expected);
    }
}

#[test]
fn patterns_are_shown_joined() {
    let expected = "regex parse error:\n    (?:a)|(?:(b)\n          ^\nerror: unclosed group";
    assert_eq!(refusal(&["a", "(b", "a"], &Config::default()), expected);
    let message = refusal(&["(?P<n>a)", "(?P<n>b)"], &Config::default());
    assert!(message.ends_with("error: duplicate capture group name"), "{message}");
}

#[test]
fn unicode_classes_need_unicode() {
    let config = Config { unicode: false, ..Config::default() };
    let expected = "regex parse error:\n    (?:\\pL)\n       ^^^\nerror: Unicode not allowed here";
    assert_eq!(refusal(&[r"\pL"], &config), expected);
    let expected = "regex parse error:\n    (?:[☃])\n        ^\nerror: Unicode not allowed here";
    assert_eq!(refusal(&["[☃]"], &config), expected);
}

#[test]
fn a_required_terminator_is_refused() {
    let message = format!(r#"the literal "\n" is not allowed in a regex{MULTILINE}"#);
    for pattern in [r"a\nb", r"\n", r"[\n]", r"\n*a", r"\n+a?", r"(?-u)\x80\n", "a\nb"] {
        assert_eq!(refusal(&[pattern], &Config::default()), message, "{pattern}");
    }
    let fixed = Config { fixed_strings: true, ..Config::default() };
    assert_eq!(refusal(&["b", "a\n"], &fixed), message);
    let folded = Config { case: Case::Insensitive, ..fixed };
    assert_eq!(refusal(&["a\n"], &folded), message);
    let nul = Config { line_terminator: 0, ban_nul: false, ..Config::default() };
    let message = format!(r#"the literal "\0" is not allowed in a regex{MULTILINE}"#);
    assert_eq!(refusal(&[r"\x00"], &nul), message);
}

#[test]
fn a_required_nul_is_refused_where_it_cannot_match() {
    let message = format!(r#"pattern contains "\0" but it is impossible to match{TEXT}"#);
    for pattern in [r"\x00", r"a\x00b", r"[\x00]", r"[^\x01-\x{10ffff}]", r"\x00\n", r"\n\x00"] {
        assert_eq!(refusal(&[pattern], &Config::default()), message, "{pattern}");
    }
    let config = Config { ban_nul: false, ..Config::default() };
    let mut finder = Matcher::new(&[r"a\x00b".into()], &config).unwrap().finder();
    assert!(finder.is_match(b"xa\0b"));
    // Classes may hold it among others, and text is searched for as it is.
    for pattern in [r"\x00|\n", r"[^a]", "a\0b"] {
        assert!(Matcher::new(&[pattern.into()], &Config::default()).is_ok(), "{pattern:?}");
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
    let mut finder = Matcher::new(&[r"\w{10}".into()], &config).unwrap().finder();
    assert!(finder.is_match(b"-0123456789-") && !finder.is_match(b"-012345678-"));
    let deep = |n| format!("{}a{}", "(".repeat(n), ")".repeat(n));
    assert!(Matcher::new(&[deep(249)], &Config::default()).is_ok());
    let message = refusal(&[&deep(250)], &Config::default());
    let reason = "error: exceed the maximum number of nested parentheses/brackets (250)";
    assert!(message.ends_with(reason), "{message}");
}

#[test]
fn a_terminator_is_ascii() {
    let config = Config { line_terminator: 0xFF, ..Config::default() };
    let error = Matcher::new(&["a".into()], &config).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::WideTerminator(0xFF));
    assert_eq!(error.to_string(), "line terminator must be ASCII, but is the byte 0xFF");
}

#[test]
fn boundaries_do_not_change_what_an_error_shows() {
    for boundary in [Boundary::Word, Boundary::Line] {
        let config = Config { boundary, ..Config::default() };
        let expected = "regex parse error:\n    (?:(foo)\n    ^\nerror: unclosed group";
        assert_eq!(refusal(&["(foo"], &config), expected);
    }
}

#[test]
fn line_ends_are_refused_with_crlf() {
    let crlf = Config { crlf: true, ..Config::default() };
    for (pattern, shown) in [(r"a\r", r"\r"), (r"\n\r", r"\r"), (r"\n", r"\n"), (r"[\r\n]", r"\n")]
    {
        let message = format!(r#"the literal "{shown}" is not allowed in a regex{MULTILINE}"#);
        assert_eq!(refusal(&[pattern], &crlf), message, "{pattern}");
    }
    let multiline = Config { multiline: true, ..crlf };
    assert!(Matcher::new(&[r"\r\n".into()], &multiline).is_ok());
}

#[test]
fn folded_text_is_read_as_a_regex() {
    let message = format!(r#"pattern contains "\0" but it is impossible to match{TEXT}"#);
    let folded = Config { case: Case::Insensitive, fixed_strings: true, ..Config::default() };
    assert_eq!(refusal(&["a\0b"], &folded), message);
    assert!(Matcher::new(&["a\0b".into()], &Config { case: Case::Sensitive, ..folded }).is_ok());
}

#[test]
fn pcre2_tells_the_offset() {
    let pcre2 = Config { engine: Engine::Pcre2, ..Config::default() };
    for (pattern, reason) in [
        ("(", "5: missing closing parenthesis"),
        (r"[a", "6: missing terminating ] for character class"),
        (r"\1", "4: reference to non-existent subpattern"),
        ("*a", "3: quantifier does not follow a repeatable item"),
        (r"\pQ", "6: unknown property after \\P or \\p"),
    ] {
        let expected = format!("PCRE2: error compiling pattern at offset {reason}");
        assert_eq!(refusal(&[pattern], &pcre2), expected, "{pattern}");
    }
}

#[test]
fn auto_tells_what_both_engines_say() {
    let auto = Config { engine: Engine::Auto, ..Config::default() };
    let divider = "~".repeat(79);
    let expected = format!(
        "regex could not be compiled with either the default regex engine or with PCRE2.\n\n\
        default regex engine error:\n{divider}\nregex parse error:\n    (?:(?=()\n    ^\n\
        error: unclosed group\n{divider}\n\n\
        PCRE2 regex engine error:\n\
        PCRE2: error compiling pattern at offset 8: missing closing parenthesis"
    );
    let message = refusal(&["(?=("], &auto);
    assert_eq!(message.lines().last(), expected.lines().last(), "{message}");
    assert_eq!(message.lines().next(), expected.lines().next());
    assert_eq!(message.matches(&divider).count(), 2);
    assert!(!message.contains("--pcre2"), "{message}");
}
