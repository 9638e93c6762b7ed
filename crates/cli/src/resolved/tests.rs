//! Resolution in various environments: without and with a terminal, with one core and with many.

use std::{
    fs,
    time::{Duration, SystemTime},
};

use heist_printer::ColorSpecs;
use heist_walk::FileId;

use super::ResolvedArgs;
use crate::{cases, flags::parse_for_tests as parse, run::here::Here};

/// An environment with four cores, whose standard output is a pipe and whose standard input is
/// neither a file nor a pipe.
fn plain() -> Here {
    Here {
        cwd: "/cwd".into(),
        stdout_is_terminal: false,
        stderr_is_terminal: || false,
        stdout_size: || None,
        terminal_has_escapes: true,
        terminal_has_colors: true,
        forces_colors: false,
        stdin_is_readable: || false,
        stdin_len: || 0,
        cores: || 4,
        now: || SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000),
        stdout_file: || None,
        program: |typed| Ok(typed.to_owned()),
        variable: |_| None,
    }
}

#[track_caller]
fn resolve(args: &[&str]) -> ResolvedArgs {
    let resolved = ResolvedArgs::new(parse(args.iter().copied()), &plain());
    resolved.unwrap_or_else(|err| panic!("{err}"))
}

#[track_caller]
fn error(args: &[&str]) -> String {
    let result = ResolvedArgs::new(parse(args.iter().copied()), &plain());
    result.map_or_else(|err| err.to_string(), |resolved| panic!("resolved to {resolved:?}"))
}

/// The environment that a case names.
fn environment(name: &str) -> Here {
    match name {
        "" | "pipe" => plain(),
        "terminal" => Here { stdout_is_terminal: true, ..plain() },
        "dumb terminal" => Here {
            terminal_has_escapes: false,
            terminal_has_colors: false,
            ..environment("terminal")
        },
        "messages" => Here { stderr_is_terminal: || true, ..plain() },
        "only terminals" => Here { stderr_is_terminal: || true, ..environment("terminal") },
        "pagers" => {
            let pager = |name: &str| Some(format!("{} 'a b' ", name.to_lowercase()).into());
            Here { variable: pager, ..environment("terminal") }
        }
        "other pager" => {
            let pager = |name: &str| (name == "PAGER").then(|| "more \"-x y\"z".into());
            Here { variable: pager, ..environment("terminal") }
        }
        "no pager" => {
            let pager = |name: &str| (name == "HEIST_PAGER").then(|| "".into());
            Here { variable: pager, ..environment("terminal") }
        }
        "file" => Here { stdout_file: || Some(FileId { device: 1, inode: 2 }), ..plain() },
        "home" => {
            let home = |name: &str| Some(if name == "HOME" { "/h" } else { "" }.into());
            Here { variable: home, ..plain() }
        }
        "piped" => Here { stdin_is_readable: || true, ..plain() },
        "large file" => Here { stdin_len: || heist_searcher::LARGE, ..plain() },
        "64 cores" => Here { cores: || 64, ..plain() },
        "1 core" => Here { cores: || 1, ..plain() },
        other => panic!("unknown environment {other}"),
    }
}

#[test]
fn every_case_is_resolved_as_expected() {
    let path_color = if cfg!(windows) { "Some(Cyan)" } else { "Some(Magenta)" };
    let text = include_str!("cases.txt").replace("Some(Magenta)", path_color);
    cases::check(&text, |name, args| {
        let resolved = ResolvedArgs::new(parse(args.iter().copied()), &environment(name));
        resolved.map(|resolved| format!("{resolved:?}")).map_err(|error| error.to_string())
    });
}

/// The number of threads depends on the size of `usize`, so that it is no case.
#[test]
fn the_largest_number_of_threads_is_limited() {
    let args = ["-j", &usize::MAX.to_string(), "foo"];
    let walk = ResolvedArgs::new(parse(args), &environment("64 cores")).unwrap().walk;
    assert_eq!((walk.workers, walk.extra_workers), (heist_queue::MAX_WORKERS, 0));
}

#[test]
fn colors_are_the_defaults_and_those_given() {
    let colors = |name: &str, args: &[&str]| {
        let args = parse(args.iter().copied());
        ResolvedArgs::new(args, &environment(name)).unwrap().printer.colors
    };
    assert_eq!(colors("terminal", &["foo"]), Some(ColorSpecs::default()));
    assert_eq!(colors("pipe", &["foo", "--color=ansi"]), Some(ColorSpecs::default()));
    let mut specs = ColorSpecs::default();
    specs.apply(&"path:none".parse().unwrap());
    assert_eq!(colors("terminal", &["foo", "--colors", "path:none"]), Some(specs));
}

#[test]
fn without_a_pattern_there_is_advice() {
    assert_eq!(
        error(&[]),
        "a search requires at least one pattern\n\n\
         Usage: hs [FLAGS] PATTERN [PATH...]\nRun `hs --help` for details."
    );
}

#[test]
fn the_current_directory_is_implicit_without_a_path() {
    assert!(resolve(&["foo"]).path_is_implicit());
    assert!(!resolve(&["foo", "."]).path_is_implicit());
}

#[test]
fn a_search_that_cannot_match_is_known() {
    assert!(!resolve(&["foo", "-m0"]).can_match());
    assert!(resolve(&["foo", "-m1", "-v"]).can_match());
}

#[cfg(unix)]
#[test]
fn a_path_beyond_the_limit_of_the_system_may_be_a_directory() {
    let resolved = resolve(&["foo", &"d/".repeat(3000)]);
    let threads = resolved.walk.workers - resolved.walk.extra_workers;
    assert_eq!((resolved.printer.with_path, threads), (true, 4));
}

#[test]
fn patterns_from_files_are_lines() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("patterns");
    let args = ["-e", "x", "-f", file.to_str().unwrap(), "path"];
    fs::write(&file, "a \r\n\nb#\na \nx").unwrap();
    assert_eq!(resolve(&args).patterns, ["x", "a ", "", "b#"]);
    fs::write(&file, "\n").unwrap();
    assert_eq!(resolve(&args).patterns, ["x", ""]);
    fs::write(&file, "").unwrap();
    assert_eq!(resolve(&args).patterns, ["x"]);
    assert!(!resolve(&args[2..]).can_match(), "without a pattern, nothing matches");
    fs::write(&file, b"a\nb\xff\n").unwrap();
    let expected = format!(
        "{}:2: found invalid UTF-8 in pattern at byte offset 1: \\xFF",
        file.to_str().unwrap()
    );
    assert!(error(&args).starts_with(&expected), "{}", error(&args));
}

#[test]
fn types_are_listed_with_type_list_only() {
    let types = resolve(&["--type-list", "--type-add", "zzz:*.zzz", "--type-clear", "c"]).types;
    assert!(types.iter().any(|definition| definition.name == "zzz"));
    assert!(types.iter().all(|definition| definition.name != "c"));
}
