//! Resolution in various environments: without and with a terminal, with one core and with many.

use std::{fs, path::Path};

use heist_printer::ColorSpecs;
use heist_searcher::BinaryPolicy;
use heist_walk::Root;

use super::ResolvedArgs;
use crate::{
    flags::parse_for_tests as parse,
    haystack,
    here::Here,
    typed::{Mode, SearchMode},
};

/// An environment with four cores, whose standard output is a pipe and whose standard input is
/// neither a file nor a pipe.
fn plain() -> Here {
    Here {
        cwd: "/cwd".into(),
        stdout_is_terminal: false,
        terminal_has_colors: true,
        forces_colors: false,
        stdin_is_readable: || false,
        stdin_len: || 0,
        cores: || 4,
        stdout_file: || None,
        variable: |_| None,
    }
}

fn terminal() -> Here {
    Here { stdout_is_terminal: true, ..plain() }
}

#[track_caller]
fn resolve_in(here: &Here, args: &[&str]) -> ResolvedArgs {
    ResolvedArgs::new(parse(args.iter().copied()), here).unwrap_or_else(|err| panic!("{err}"))
}

#[track_caller]
fn resolve(args: &[&str]) -> ResolvedArgs {
    resolve_in(&plain(), args)
}

#[track_caller]
fn error(args: &[&str]) -> String {
    let result = ResolvedArgs::new(parse(args.iter().copied()), &plain());
    result.map_or_else(|err| err.to_string(), |resolved| panic!("resolved to {resolved:?}"))
}

fn paths(resolved: &ResolvedArgs) -> Vec<&str> {
    fn path(root: &Root) -> &str {
        match root {
            Root::Path(path) => path.to_str().unwrap(),
            Root::Here => "HERE",
            Root::Stdin => "STDIN",
        }
    }
    resolved.walk.roots.iter().map(path).collect()
}

#[test]
fn the_first_positional_is_the_pattern_unless_one_is_given() {
    let resolved = resolve(&["foo", "a", "b"]);
    assert_eq!(
        (resolved.patterns.as_slice(), paths(&resolved)),
        (&["foo".into()][..], vec!["a", "b"])
    );
    let resolved = resolve(&["a", "-e", "foo", "-e", "bar", "-e", "foo"]);
    assert_eq!((resolved.patterns.join(","), paths(&resolved)), ("foo,bar".into(), vec!["a"]));
    assert_eq!(
        error(&[]),
        "hs requires at least one pattern to execute a search\n\n\
         Usage: hs [FLAGS] PATTERN [PATH...]\nRun `hs --help` for details."
    );
}

#[test]
fn modes_that_do_not_search_have_paths_only() {
    let resolved = resolve(&["--files", "a", "-e", "foo", "-f", "no-such-file"]);
    assert_eq!((resolved.patterns.len(), paths(&resolved)), (0, vec!["a"]));
    assert_eq!(paths(&resolve(&["--files"])), ["HERE"]);
    assert_eq!(paths(&resolve(&["--type-list"])), ["HERE"]);
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
fn a_pattern_file_that_cannot_be_read_is_an_error() {
    let message = error(&["-f", "no-such-file"]);
    assert!(message.starts_with("no-such-file: "), "{message}");
}

#[test]
fn without_a_path_standard_input_is_searched_if_there_is_any() {
    let piped = Here { stdin_is_readable: || true, ..plain() };
    assert_eq!(paths(&resolve(&["foo"])), ["HERE"]);
    assert_eq!(paths(&resolve_in(&piped, &["foo"])), ["STDIN"]);
    assert_eq!(paths(&resolve_in(&piped, &["foo", "a"])), ["a"]);
    assert_eq!(paths(&resolve_in(&piped, &["--files"])), ["HERE"]);
    assert_eq!(paths(&resolve(&["foo", "-", "./-"])), ["STDIN", "./-"]);
    assert!(resolve(&["foo"]).path_is_implicit());
    assert!(!resolve(&["foo", "."]).path_is_implicit());
}

#[test]
fn one_file_has_one_thread_and_no_name() {
    let dir = env!("CARGO_MANIFEST_DIR");
    for args in [&["foo", "-"][..], &["foo", "no-such-file"], &["-j8", "foo", "-"]] {
        let resolved = resolve(args);
        assert_eq!((resolved.printer.with_path, resolved.walk.workers), (false, 1), "{args:?}");
    }
    let large = Here { stdin_len: || heist_searcher::LARGE, ..plain() };
    let walk = resolve_in(&large, &["foo", "-"]).walk;
    assert_eq!(walk.workers - walk.extra_workers, 4);
    assert_eq!(resolve_in(&large, &["-j1", "foo", "-"]).walk.workers, 1);
    let long = "d/".repeat(3000);
    for args in
        [&["foo"][..], &["foo", dir], &["foo", "a", "b"], &["foo", "-", "-"], &["foo", &long]]
    {
        let resolved = resolve(args);
        let threads = resolved.walk.workers - resolved.walk.extra_workers;
        assert_eq!((resolved.printer.with_path, threads), (true, 4), "{args:?}");
    }
    assert!(resolve(&["foo", "-", "-H"]).printer.with_path);
    assert!(resolve(&["foo", "-", "--vimgrep"]).printer.with_path);
    assert!(!resolve(&["foo", "--vimgrep", "-I"]).printer.with_path);
}

#[test]
fn threads_are_as_many_as_cores_up_to_a_limit() {
    let large = Here { cores: || 64, ..plain() };
    let threads = |here: &Here, args: &[&str]| {
        let heist_walk::WalkConfig { workers, extra_workers, .. } = resolve_in(here, args).walk;
        (workers - extra_workers, extra_workers)
    };
    assert_eq!(threads(&large, &["foo"]), (12, 44));
    assert_eq!(threads(&large, &["-j0", "foo"]), (12, 44));
    assert_eq!(threads(&large, &["-j40", "foo"]), (40, 0), "no more than -j requests");
    let most = usize::MAX.to_string();
    assert_eq!(threads(&large, &["-j", &most, "foo"]), (heist_queue::MAX_WORKERS, 0));
    assert_eq!(threads(&plain(), &["foo"]), (4, 28));
    assert_eq!(threads(&Here { cores: || 1, ..plain() }, &["foo"]), (1, 7));
}

#[test]
fn files_are_deferred_unless_a_flag_prevents_it() {
    let waiting = |args: &[&str]| resolve(args).walk.max_deferred_files;
    assert_eq!(waiting(&["foo"]), haystack::MAX_DEFERRED);
    for args in [
        &["-j1", "foo"][..],
        &["--sort=path", "foo"],
        &["--mmap", "foo"],
        &["-z", "foo"],
        &["--pre=cat", "foo"],
        &["--files"],
    ] {
        assert_eq!(waiting(args), 0, "{args:?}");
    }
}

#[test]
fn counting_modes_follow_invert_and_only_matching() {
    let mode = |args: &[&str]| resolve(args).mode;
    let count = Mode::Search(SearchMode::Count);
    let matches = Mode::Search(SearchMode::CountMatches);
    assert_eq!(mode(&["-c", "foo"]), count);
    assert_eq!(mode(&["-co", "foo"]), matches);
    assert_eq!(mode(&["--count-matches", "foo"]), matches);
    assert_eq!(mode(&["-v", "--count-matches", "foo"]), count);
    assert_eq!(mode(&["-cov", "foo"]), count);
}

#[test]
fn line_numbers_depend_on_terminal_mode_and_fields() {
    let on = |here: &Here, args: &[&str]| {
        let resolved = resolve_in(here, args);
        assert_eq!(resolved.printer.line_numbers, resolved.searcher.line_numbers);
        resolved.printer.line_numbers
    };
    assert!(!on(&plain(), &["foo"]));
    assert!(on(&terminal(), &["foo"]));
    assert!(!on(&terminal(), &["foo", "-"]));
    assert!(on(&terminal(), &["foo", "-", "a"]));
    assert!(!on(&terminal(), &["foo", "-N"]));
    for flag in ["--column", "--vimgrep", "-n", "-p"] {
        assert!(on(&plain(), &["foo", flag]), "{flag}");
        assert!(!on(&plain(), &["foo", flag, "-N"]), "{flag}");
    }
    assert!(on(&plain(), &["foo", "--vimgrep", "--no-column"]));
    for flag in ["-c", "-l", "-q", "--count-matches", "--files-without-match", "--files"] {
        assert!(!on(&terminal(), &["foo", flag, "-n"]), "{flag}");
    }
}

#[test]
fn headings_and_columns() {
    assert!(resolve_in(&terminal(), &["foo"]).printer.heading);
    assert!(!resolve_in(&terminal(), &["foo", "--no-heading"]).printer.heading);
    assert!(!resolve_in(&terminal(), &["foo", "--heading", "--vimgrep"]).printer.heading);
    assert!(!resolve(&["foo"]).printer.heading);
    assert!(resolve(&["foo", "--heading"]).printer.heading);
    assert!(resolve(&["foo", "--vimgrep"]).printer.column);
    assert!(!resolve(&["foo", "--vimgrep", "--no-column"]).printer.column);
}

#[test]
fn colors_by_terminal_environment_and_flag() {
    let dumb = Here { terminal_has_colors: false, ..terminal() };
    let colors = |here: &Here, args: &[&str]| resolve_in(here, args).printer.colors;
    assert_eq!(colors(&plain(), &["foo"]), None);
    assert_eq!(colors(&dumb, &["foo"]), None);
    assert_eq!(colors(&terminal(), &["foo"]), Some(ColorSpecs::default()));
    assert_eq!(colors(&terminal(), &["foo", "--color=never"]), None);
    assert_eq!(colors(&plain(), &["foo", "--color=ansi"]), Some(ColorSpecs::default()));
    assert!(colors(&dumb, &["foo", "-p"]).is_some());
    let mut specs = ColorSpecs::default();
    specs.apply(&"path:none".parse().unwrap());
    assert_eq!(colors(&terminal(), &["foo", "--colors", "path:none"]), Some(specs));
}

#[test]
fn lines_are_flushed_on_a_terminal() {
    assert!(!resolve(&["foo"]).line_buffered);
    assert!(resolve_in(&terminal(), &["foo"]).line_buffered);
    assert!(resolve(&["foo", "--line-buffered"]).line_buffered);
    assert!(!resolve_in(&terminal(), &["foo", "--block-buffered"]).line_buffered);
}

#[test]
fn context_counts_only_where_lines_are_shown() {
    let resolved = resolve(&["foo", "-C2", "-A1"]);
    assert_eq!((resolved.searcher.before_context, resolved.searcher.after_context), (2, 1));
    assert!(resolved.printer.context && !resolved.searcher.passthru);
    let resolved = resolve(&["foo", "--passthru"]);
    assert!(!resolved.printer.context && resolved.searcher.passthru);
    for flag in ["-c", "-l", "-q"] {
        let resolved = resolve(&["foo", "-C2", flag]);
        assert_eq!((resolved.searcher.before_context, resolved.searcher.after_context), (0, 0));
        assert!(!resolve(&["foo", "--passthru", flag]).searcher.passthru);
    }
}

#[test]
fn separators_have_defaults() {
    let printer = resolve(&["foo"]).printer;
    assert_eq!(printer.context_separator.as_deref(), Some(&b"--"[..]));
    assert_eq!(
        (printer.field_match_separator, printer.field_context_separator),
        (b":".to_vec(), b"-".to_vec())
    );
    let printer = resolve(&["foo", "--no-context-separator", "--field-match-separator="]).printer;
    assert_eq!((printer.context_separator, printer.field_match_separator), (None, Vec::new()));
}

#[test]
fn nul_bytes_by_mode() {
    let rules = |args: &[&str]| {
        let resolved = resolve(args);
        (resolved.binary.walked, resolved.binary.explicit, resolved.matcher.ban_nul)
    };
    assert_eq!(rules(&["foo"]), (BinaryPolicy::Quit, BinaryPolicy::Convert, true));
    assert_eq!(rules(&["foo", "-uuu"]), (BinaryPolicy::Convert, BinaryPolicy::Convert, true));
    assert_eq!(rules(&["foo", "-a"]), (BinaryPolicy::Text, BinaryPolicy::Text, false));
}

#[test]
fn patterns_and_their_limits() {
    let matcher = resolve(&["foo", "-Fiw", "--no-unicode", "--regex-size-limit=1K"]).matcher;
    assert!(matcher.fixed_strings && !matcher.unicode);
    assert_eq!((matcher.size_limit, matcher.dfa_size_limit), (1024, 1000 << 20));
    assert_eq!(resolve(&["foo"]).matcher.size_limit, 100 << 20);
    assert!(!resolve(&["foo", "-m0"]).can_match());
    assert!(resolve(&["foo", "-m1", "-v"]).can_match());
    assert_eq!(resolve(&["foo", "-Enone"]).searcher.encoding, heist_searcher::Encoding::None);
}

#[test]
fn ignore_switches() {
    let filter = resolve(&["foo"]).filter;
    assert!(filter.dot && filter.vcs && filter.exclude && filter.global && filter.parents);
    assert!(filter.require_git && !filter.hidden && !filter.ignore_case);
    assert_eq!(filter.cwd, Path::new("/cwd"));
    let filter = resolve(&["foo", "-uu", "--ignore-parent", "--ignore-file=x"]).filter;
    assert!(!filter.dot && !filter.vcs && !filter.exclude && !filter.global && filter.parents);
    assert!(filter.hidden);
    assert_eq!(filter.ignore_files, [Path::new("x")]);
    let filter =
        resolve(&["foo", "--no-ignore-files", "--ignore-file=x", "--no-ignore-vcs"]).filter;
    assert!(filter.ignore_files.is_empty());
    assert!(filter.dot && !filter.vcs && !filter.exclude && !filter.global);
}

#[test]
fn iglobs_come_after_globs() {
    let globs = |args: &[&str]| -> Vec<(String, bool)> {
        resolve(args).filter.globs.into_iter().map(|glob| (glob.text, glob.ignore_case)).collect()
    };
    let expected = [("a".into(), false), ("b".into(), false), ("I".into(), true)];
    assert_eq!(globs(&["foo", "-ga", "--iglob=I", "-gb"]), expected);
    assert_eq!(globs(&["foo", "-ga", "--glob-case-insensitive"]), [("a".into(), true)]);
}

#[test]
fn types_are_selected_after_all_changes_of_the_table() {
    assert!(resolve(&["foo"]).filter.types.is_empty());
    assert!(!resolve(&["foo", "-t", "zzz", "--type-add", "zzz:*.zzz"]).filter.types.is_empty());
    assert!(resolve(&["foo", "--type-add", "zzz:*.zzz"]).filter.types.is_empty());
    for (args, name) in [(&["foo", "-tzzz"][..], "zzz"), (&["foo", "-tc", "--type-clear=c"], "c")] {
        let expected =
            format!("unrecognized file type: {name} (accepted: the types that --type-list prints");
        assert!(error(args).starts_with(&expected), "{}", error(args));
    }
    assert_eq!(
        error(&["foo", "--type-add", "zzz"]),
        "invalid definition (format is type:glob, e.g., html:*.html)"
    );
}

#[test]
fn types_are_listed_with_type_list_only() {
    let types = resolve(&["--type-list", "--type-add", "zzz:*.zzz", "--type-clear", "c"]).types;
    assert!(types.iter().any(|definition| definition.name == "zzz"));
    assert!(types.iter().all(|definition| definition.name != "c"));
    assert!(resolve(&["foo", "-tc"]).types.is_empty());
}

#[test]
fn variables_locate_the_files_of_git() {
    let here =
        Here { variable: |name| Some(if name == "HOME" { "/h" } else { "" }.into()), ..plain() };
    let environment = resolve_in(&here, &["foo"]).filter.environment;
    assert_eq!(environment.home.as_deref(), Some(Path::new("/h")));
    assert_eq!(environment.xdg_config_home, None);
}

#[test]
fn the_file_of_standard_output_is_not_searched() {
    let file = heist_walk::FileId { device: 1, inode: 2 };
    let here = Here { stdout_file: || Some(heist_walk::FileId { device: 1, inode: 2 }), ..plain() };
    assert_eq!(resolve_in(&here, &["foo"]).walk.skip, Some(file));
    assert_eq!(resolve_in(&here, &["--files"]).walk.skip, None);
}
