//! Rules that every flag follows, and the syntax of arguments.

use std::{collections::HashMap, ffi::OsString};

use super::{CATEGORIES, Flag, ValueKind, all};
use crate::{cases, typed::TypedArgs};

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
        _ if flag.long == "if-patch" => "0".repeat(64),
        _ if flag.long == "shard" => "1/1".to_owned(),
        _ if flag.long == "shard-by" => "file".to_owned(),
        _ if flag.value.name() == Some("WHEN") => "1d".to_owned(),
        _ if flag.value.name() == Some("RULE") => "c:x".to_owned(),
        _ => "1".to_owned(),
    }
}

#[test]
fn every_case_means_what_is_expected() {
    cases::check(include_str!("cases.txt"), |_, args| {
        let parsed = super::parse(os_strings(args.iter().copied()));
        parsed.map(|typed| format!("{typed:?}")).map_err(|error| error.message)
    });
}

#[test]
fn the_parser_agrees_about_what_awaits_a_value() {
    let spellings = all().flat_map(|flag| {
        let long = flag.long_names().map(|name| format!("--{name}"));
        let letters = flag.short.into_iter().flat_map(|c| [format!("-{c}"), format!("-n{c}")]);
        long.chain(letters).collect::<Vec<_>>()
    });
    let more = ["", "-", "--", "x", "-x=", "--glob=", "-gx", "-L=f", "--nonsense", "-:", "-né"];
    for arg in spellings.chain(more.map(str::to_owned)) {
        let is_missing = super::parse(vec![arg.clone().into()])
            .is_err_and(|error| error.message.starts_with("missing value"));
        assert_eq!(super::awaits_value(arg.as_ref()), is_missing, "{arg}");
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
    let reserved = ["x-crud", "x-force", "x-path"];
    for flag in all().filter(|flag| !reserved.contains(&flag.long)) {
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
fn categories_are_all_shown() {
    for category in &CATEGORIES {
        assert!(category.shown().count() > 0, "{}", category.title);
    }
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
        "unrecognized flag -Z\n\nTo search for -iZ, use -e -iZ or -- -iZ.\n\
         -0 (--null) ends each path with a NUL byte."
    );
    for number in ["-2", "-10", "-n3"] {
        let error = error_with_hint(number);
        assert!(error.contains("\n-C (--context) shows lines around each match"), "{error}");
    }
    let error = error_with_hint("--group-separator=--");
    assert!(error.ends_with("\n--context-separator -- separates groups of lines."), "{error}");
    assert_eq!(error_with_hint("-i\nhs: "), "unrecognized flag -\n");
}

/// Arguments that a case cannot contain.
#[test]
fn blanks_and_nul_bytes() {
    let message = error(["--max-filesize= 1"]);
    let expected = "error parsing flag --max-filesize: invalid size: ' 1' (accepted: ";
    assert!(message.starts_with(expected), "{message}");
    // A configuration file may contain a NUL byte.
    assert_eq!(
        error(["--hidden=\0"]),
        "invalid CLI arguments: unexpected argument for option '--hidden': \"\\0\""
    );
}

#[cfg(unix)]
#[test]
fn bytes_that_are_not_utf8() {
    use std::os::unix::ffi::OsStringExt;
    let os = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    assert_eq!(parse([os(b"foo\xff")]).positional, [os(b"foo\xff")]);
    assert_eq!(parse([os(b"-i"), os(b"\xff")]).positional, [os(b"\xff")]);
    assert_eq!(error([os(b"-e\xff")]), "error parsing flag -e: value is not valid UTF-8");
    assert_eq!(error([os(b"-g\xff")]), "error parsing flag -g: value is not valid UTF-8");
    assert_eq!(parse([os(b"--ignore-file"), os(b"\xff")]).filter.ignore_files, [os(b"\xff")]);
    assert_eq!(error([os(b"--\xff")]), "unrecognized flag --\u{fffd}");
    assert_eq!(error([os(b"-i\xff")]), "unrecognized flag -\u{fffd}");
    assert_eq!(
        parse([os(b"-f\xff")]).patterns,
        [crate::typed::PatternSource::File(os(b"\xff").into())]
    );
}
