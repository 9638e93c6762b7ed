//! Rules that every flag follows, and the syntax of arguments.

use std::{collections::HashMap, ffi::OsString};

use super::{Category, Flag, ValueKind, all, in_category};
use crate::typed::{EarlyMode, TypedArgs};

fn os_strings<A: Into<OsString>>(args: impl IntoIterator<Item = A>) -> Vec<OsString> {
    args.into_iter().map(Into::into).collect()
}

/// Parses valid arguments.
#[track_caller]
pub(crate) fn parse<A: Into<OsString>>(args: impl IntoIterator<Item = A>) -> TypedArgs {
    super::parse(os_strings(args)).unwrap_or_else(|err| panic!("{err}"))
}

/// Returns the message about invalid arguments.
#[track_caller]
pub(super) fn error<A: Into<OsString>>(args: impl IntoIterator<Item = A>) -> String {
    match super::parse(os_strings(args)) {
        Ok(typed) => panic!("accepted as {typed:?}"),
        Err(err) => err.message,
    }
}

/// Returns a value that the flag accepts.
fn some_value(flag: &Flag) -> String {
    match flag.value {
        ValueKind::OneOf(_, choices) => choices[0].to_owned(),
        ValueKind::Suggested(_, names) => names()[0].clone(),
        _ if flag.long == "path-separator" => "/".to_owned(),
        _ if flag.long == "colors" => "path:none".to_owned(),
        _ => "1".to_owned(),
    }
}

#[test]
fn names_are_unique_and_well_formed() {
    let mut seen = HashMap::new();
    for flag in all() {
        let letter = flag.short.map(String::from);
        for name in flag.long_names().map(String::from).chain(letter) {
            if let Some(other) = seen.insert(name.clone(), flag.long) {
                panic!("--{} and --{other} are both called {name}", flag.long);
            }
        }
        for name in flag.long_names() {
            assert!(name.len() > 1, "{name} could be confused with a letter");
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(name.chars().all(plain), "{name}");
            assert!(!name.starts_with('-') && !name.ends_with('-'), "{name}");
        }
        assert!(flag.short.is_none_or(|c| c.is_ascii_graphic() && c != '-' && c != '='));
    }
}

#[test]
fn every_flag_is_documented() {
    for flag in all() {
        let name = flag.long;
        assert!(flag.summary.ends_with('.') && flag.summary.len() <= 46, "{name}");
        assert!(flag.summary.starts_with(char::is_uppercase), "{name}");
        assert!(!flag.summary.contains('\n'), "{name}");
        assert!(flag.manual.starts_with(char::is_uppercase), "{name}");
        for paragraph in flag.manual.split("\n\n") {
            let text = paragraph.trim_end();
            assert_eq!(text, paragraph, "{name}");
            assert!(!text.is_empty(), "{name}");
            let example = text.lines().all(|line| line.starts_with("    "));
            assert!(
                example || text.ends_with('.') || text.ends_with(':') || text.ends_with("one of"),
                "{name}: {text}"
            );
            assert!(example || !text.contains("  "), "two blanks in --{name}: {text}");
        }
        assert!(!flag.manual.ends_with(':'), "{name}");
    }
}

#[test]
fn values_have_names_and_choices_are_words() {
    for flag in all() {
        let Some(name) = flag.value.name() else {
            continue;
        };
        assert!(!name.is_empty(), "--{}", flag.long);
        assert!(name.chars().all(|c| c.is_ascii_uppercase() || c == '_'), "--{}", flag.long);
        let ValueKind::OneOf(_, choices) = flag.value else {
            continue;
        };
        assert!(choices.len() > 1, "--{}", flag.long);
        for choice in choices {
            let word =
                choice.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
            assert!(word && !choice.is_empty(), "--{} {choice}", flag.long);
        }
    }
}

#[test]
fn every_choice_is_accepted_and_no_other() {
    for flag in all() {
        let ValueKind::OneOf(_, choices) = flag.value else {
            continue;
        };
        for choice in choices {
            parse([format!("--{}={choice}", flag.long)]);
        }
        let message = error([format!("--{}=no-such-choice", flag.long)]);
        assert!(
            message.contains("choice 'no-such-choice' is unrecognized (accepted: "),
            "{message}"
        );
    }
}

/// The parser accepts every name of every flag that is not reserved.
#[test]
fn every_spelling_is_known() {
    for flag in all().filter(|flag| flag.summary != "Reserved.") {
        let letter = flag.short.map(|c| format!("-{c}"));
        let longs = flag.long_names().map(|name| format!("--{name}"));
        for spelling in longs.chain(letter) {
            let mut args = vec![spelling.clone()];
            let negated = flag.negation.is_some_and(|name| spelling == format!("--{name}"));
            if !flag.value.is_switch() && !negated {
                args.push(some_value(flag));
            }
            parse(args);
        }
    }
}

#[test]
fn categories_are_all_used_and_shown() {
    for category in Category::ALL {
        assert!(in_category(category).any(|flag| !flag.hidden), "{category:?}");
    }
    assert_eq!(Category::ALL.into_iter().flat_map(in_category).count(), all().count());
}

#[test]
fn values_may_stand_apart_attached_or_after_an_equals_sign() {
    for args in [
        &["-A5"][..],
        &["-A", "5"],
        &["-A=5"],
        &["--after-context=5"],
        &["--after-context", "5"],
        &["-nHA5"],
        &["-nHA", "5"],
        &["-nHA=5"],
    ] {
        assert_eq!(parse(args.iter().copied()).context.limits(), (0, 5), "{args:?}");
    }
    let message = error(["-A==5"]);
    assert!(message.starts_with("error parsing flag -A: value is not a valid number"), "{message}");
}

#[test]
fn values_may_begin_with_a_dash() {
    let typed = parse(["-g", "-x", "-g--", "--glob", "--files", "-g", "--", "-g=-i", "foo"]);
    assert_eq!(typed.globs, ["-x", "--", "--files", "--", "-i"]);
    assert_eq!(typed.positional, ["foo"]);
}

#[test]
fn flags_and_positionals_alternate_until_two_dashes() {
    let typed = parse(["foo", "-i", "bar", "-A", "1", "-", "--", "-v", "--", "--files"]);
    assert_eq!(typed.positional, ["foo", "bar", "-", "-v", "--", "--files"]);
    assert!(!typed.invert_match);
    assert_eq!(parse(["--"]).positional, [""; 0]);
    assert_eq!(parse(["", "--", ""]).positional, ["", ""]);
    assert_eq!(parse(["foo", "bar"]).positional, ["foo", "bar"]);
}

#[test]
fn an_empty_value_is_a_value() {
    assert_eq!(parse(["--glob="]).globs, [""]);
    assert_eq!(parse(["--glob", ""]).globs, [""]);
    assert_eq!(parse(["-g="]).globs, [""]);
    assert_eq!(
        error(["--max-count="]),
        "error parsing flag --max-count: value is not a valid number: cannot parse integer from \
         empty string (accepted: a whole number such as 3; given: '')"
    );
}

#[test]
fn unknown_flags_are_named_with_those_like_them() {
    let error_with_hint = |flag: &str| super::parse(vec![flag.into()]).unwrap_err().to_string();
    assert_eq!(
        error_with_hint("--hiden"),
        "unrecognized flag --hiden\n\nsimilar flags that are available: --hidden\n\
         To search for --hiden, use -e --hiden or -- --hiden."
    );
    assert_eq!(
        error_with_hint("-iZ"),
        "unrecognized flag -Z\n\nTo search for -iZ, use -e -iZ or -- -iZ."
    );
    assert_eq!(error_with_hint("-i\nhs: "), "unrecognized flag -\n");
    assert_eq!(
        error(["--line", "foo"]),
        "unrecognized flag --line",
        "abbreviations are not accepted"
    );
    assert_eq!(error(["--foo=bar"]), "unrecognized flag --foo");
    assert_eq!(error(["-iZ"]), "unrecognized flag -Z");
    assert_eq!(error(["-é"]), "unrecognized flag -é");
    assert_eq!(error(["-5"]), "unrecognized flag -5");
    assert_eq!(error(["--help", "--nosuch"]), "unrecognized flag --nosuch");
    assert_eq!(error(["---"]), "unrecognized flag ---");
}

#[test]
fn missing_values_are_named_as_typed() {
    for (flag, args) in [
        ("-A", &["-A"][..]),
        ("--after-context", &["--after-context"]),
        ("--maxdepth", &["--maxdepth"]),
        ("-e", &["-e"]),
        ("-A", &["foo", "-nA"]),
    ] {
        let expected =
            format!("missing value for flag {flag}: missing argument for option '{flag}'");
        assert_eq!(error(args.iter().copied()), expected);
    }
}

#[test]
fn switches_take_no_value() {
    for (arg, rest) in [
        ("--hidden=1", r#"'--hidden': "1""#),
        ("-in=3", r#"'-n': "3""#),
        ("--no-encoding=", r#"'--no-encoding': """#),
        // A configuration file may contain a NUL byte.
        ("--hidden=\0", r#"'--hidden': "\0""#),
    ] {
        let expected = format!("invalid CLI arguments: unexpected argument for option {rest}");
        assert_eq!(error([arg]), expected);
    }
}

#[cfg(unix)]
#[test]
fn bytes_that_are_not_utf8() {
    use std::os::unix::ffi::OsStringExt;
    let os = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    assert_eq!(parse([os(b"foo\xff")]).positional, [os(b"foo\xff")]);
    assert_eq!(parse([os(b"-i"), os(b"\xff")]).positional, [os(b"\xff")]);
    assert_eq!(error([os(b"-e\xff")]), "error parsing flag -e: value is not valid UTF-8");
    assert_eq!(error([os(b"--\xff")]), "unrecognized flag --\u{fffd}");
    assert_eq!(error([os(b"-i\xff")]), "unrecognized flag -\u{fffd}");
    assert_eq!(
        parse([os(b"-f\xff")]).patterns,
        [crate::typed::PatternSource::File(os(b"\xff").into())]
    );
}

#[test]
fn early_modes_win_wherever_they_stand() {
    assert_eq!(parse(["--files", "-V", "-l"]).early, Some(EarlyMode::ShortVersion));
    assert_eq!(parse(["--", "-V"]).early, None);
}
