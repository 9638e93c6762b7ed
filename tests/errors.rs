//! Error messages and exit statuses.

hs_test!(found_is_0_nothing_is_1_and_an_error_is_2, |tree, hs| {
    tree.file("hoard", "gem\n");
    hs.args(["gem"]).prints("hoard:gem\n").exits(0);
    hs.args(["rock"]).finds_nothing();
    hs.args(["gem", "missing", "hoard"])
        .prints("hoard:gem\n")
        .stderr_contains("missing: No such file or directory (os error 2)")
        .exits(2);
    hs.args(["-j1", "gem", "hoard/", "hoard"])
        .prints("hoard:gem\n")
        .stderr_contains("hoard/: Not a directory (os error 20)")
        .exits(2);
});

hs_test!(a_missing_path_has_a_short_message, |_, hs| {
    hs.args(["gem", "missing"])
        .differs_from_ripgrep("ripgrep adds `IO error for operation on`")
        .stderr_lines_are("the path", |line| {
            line == "missing: No such file or directory (os error 2)"
        })
        .exits(2);
});

hs_test!(messages_can_be_hidden_but_not_the_status, |tree, hs| {
    tree.file("hoard", "gem\n");
    hs.args(["--no-messages", "gem", "missing", "hoard"]).prints("hoard:gem\n").exits(2);
    hs.args(["--no-messages", "--messages", "gem", "missing", "hoard"])
        .prints("hoard:gem\n")
        .stderr_contains("missing: ")
        .exits(2);
    hs.args(["--no-messages", "(", "hoard"]).refuses("regex parse error");
});

hs_test!(an_unreadable_file_is_reported, |tree, hs| {
    tree.files(["open", "shut"], "gem\n").chmod("shut", 0);
    hs.args(["-l", "gem"])
        .by_unprivileged_user()
        .prints("open\n")
        .stderr_contains("shut: Permission denied (os error 13)")
        .exits(2);
});

hs_test!(an_unreadable_directory_is_reported, |tree, hs| {
    tree.files(["open/a", "shut/b"], "gem\n").chmod("shut", 0);
    hs.args(["-l", "gem"])
        .by_unprivileged_user()
        .prints("open/a\n")
        .stderr_contains("shut: Permission denied (os error 13)")
        .exits(2);
    hs.args(["--files"])
        .by_unprivileged_user()
        .prints("open/a\n")
        .stderr_contains("shut: Permission denied (os error 13)")
        .exits(2);
    hs.args(["-q", "gem", "open", "shut"])
        .by_unprivileged_user()
        .stderr_lines_are("the directory", |line| line.starts_with("shut: Permission denied"))
        .exits(0);
    tree.chmod("shut", 0o755);
});

hs_test!(a_terminal_gets_some_of_many_messages, |tree, hs| {
    for number in 0..1025 {
        let name = format!("shut{number}");
        tree.file(&name, "gem\n").chmod(&name, 0);
    }
    let run = || hs.args(["-j1", "gem"]).by_unprivileged_user();
    let lines = |text: &[u8]| text.iter().filter(|byte| **byte == b'\n').count();
    run()
        .on_terminal()
        .differs_from_ripgrep("ripgrep prints all")
        .stdout_satisfies("20 paths, and the number of others", |text| {
            lines(text) == 21 && text.ends_with(b"hs: Permission denied: and 1,005 more\r\n")
        })
        .exits(2);
    run().satisfies("all paths", |outcome| lines(&outcome.stderr) == 1025).exits(2);
});

hs_test!(a_directory_that_lists_but_does_not_open, |tree, hs| {
    tree.files(["dim/a", "b"], "gem\n").chmod("dim", 0o444);
    hs.args(["-l", "gem"])
        .by_unprivileged_user()
        .prints("b\n")
        .stderr_contains("dim/a: Permission denied (os error 13)")
        .exits(2);
    tree.chmod("dim", 0o755);
});

hs_test!(an_unreadable_ignore_file_is_no_failure, |tree, hs| {
    tree.file(".ignore", "b\n").files(["a", "b"], "gem\n").chmod(".ignore", 0);
    hs.args(["-l", "gem"])
        .by_unprivileged_user()
        .prints_in_any_order("a\nb\n")
        .stderr_lines_are("messages about the ignore file", |line| line.contains(".ignore"))
        .exits(0);
});

hs_test!(an_unreadable_repository_is_reported, |tree, hs| {
    tree.symlink(".git", ".git").file(".gitignore", "b\n").files(["sub/a", "sub/b"], "gem\n");
    hs.args(["-l", "gem"])
        .cwd("sub")
        .differs_from_ripgrep("ripgrep does not report it")
        .prints_in_any_order("a\nb\n")
        .stderr_contains("/.git: Too many levels of symbolic links (os error 40)")
        .exits(0);
});

hs_test!(a_pattern_with_dashes_is_explained, |_, hs| {
    let unlike = "ripgrep gives no advice";
    hs.args(["--door", "hoard"])
        .differs_from_ripgrep(unlike)
        .refuses("To search for --door, use -e --door or -- --door.");
    hs.args(["-Zap", "hoard"])
        .differs_from_ripgrep(unlike)
        .refuses("To search for -Zap, use -e -Zap or -- -Zap.");
    hs.args([""; 0]).differs_from_ripgrep(unlike).refuses("Usage: hs [FLAGS] PATTERN [PATH...]");
});

hs_test!(mistaken_flags_are_rejected, |_, hs| {
    hs.args(["--bogus", "gem"]).refuses("unrecognized flag --bogus");
    hs.args(["-Z", "gem"]).refuses("unrecognized flag -Z");
    hs.args(["--line", "gem"]).refuses("unrecognized flag --line");
    hs.args(["--help", "--bogus"]).refuses("unrecognized flag --bogus");
    hs.args(["--ignore-cas", "gem"]).refuses("--ignore-case");
    hs.args(["--smartcase", "gem"]).refuses("--smart-case");
    hs.args(["gem", "-A"]).refuses("missing value for flag -A");
    hs.args(["gem", "--max-count"]).refuses("missing value for flag --max-count");
    hs.args(["--hidden=1", "gem"]).refuses("unexpected argument for option '--hidden': \"1\"");
    hs.args(["-m", "x", "gem"]).refuses("error parsing flag -m: value is not a valid number");
    hs.args(["-m", "-1", "gem"]).refuses("error parsing flag -m");
    hs.args(["--max-filesize", "1k", "gem"]).refuses("error parsing flag --max-filesize");
    hs.args(["--max-filesize", "99999999999G", "gem"]).refuses("--max-filesize");
    hs.args(["--color", "sometimes", "gem"])
        .refuses("error parsing flag --color: choice 'sometimes' is unrecognized");
    hs.args(["-m", "99999999999999999999", "gem"]).refuses("error parsing flag -m");
    hs.args::<&str>([]).refuses("requires at least one pattern to execute a search");
    hs.args(["-n"]).refuses("requires at least one pattern to execute a search");
});

hs_test!(a_search_of_no_files_is_reported, |tree, hs| {
    tree.file(".hidden", "gem\n");
    hs.args(["gem"]).stderr_contains("No files were searched").exits(2);
    hs.args(["-q", "gem"]).stderr_contains("No files were searched").exits(2);
    hs.args(["gem", "."]).finds_nothing();
    hs.args(["--no-messages", "gem"]).prints("").exits(2);
});

hs_test!(version_and_help_are_printed, |_, hs| {
    hs.args(["-V"]).stdout_satisfies("it is one line of name and version", |stdout| {
        let text = String::from_utf8_lossy(stdout);
        let mut words = text.split_whitespace().skip(1);
        let version = words.next().unwrap_or_default();
        text.lines().count() == 1 && version.split('.').count() == 3
    });
    hs.args(["--version"]).stdout_satisfies("it begins with name and version", |stdout| {
        String::from_utf8_lossy(stdout).lines().next().is_some_and(|line| line.contains('.'))
    });
    hs.args(["-h"]).stdout_satisfies("it names flags", |stdout| {
        String::from_utf8_lossy(stdout).contains("--ignore-case")
    });
    hs.args(["--help"]).stdout_satisfies("it is a manual", |stdout| {
        stdout.len() > 10_000 && String::from_utf8_lossy(stdout).contains("--ignore-case")
    });
    hs.args(["gem", "-h", "--files"]).stdout_satisfies("a help text", |stdout| stdout.len() > 1000);
});

hs_test!(a_directory_removed_while_it_is_open_is_empty, |tree, hs| {
    tree.dir("gone");
    hs.args(["--files"]).through_sh("cd gone && rmdir ../gone && \"$@\"").exits(1);
});

hs_test!(debug_reports_every_skipped_entry, |tree, hs| {
    tree.file("small", "gem\n").file("large", "gem\n".repeat(300)).symlink("small", "link");
    tree.file("nul", "gem\0\n").file("deep/er/hoard", "gem\n").file(".hidden", "gem\n");
    let named = [
        "large: ignored: 1200 bytes, more than 1024",
        "link: ignored: symbolic link",
        "nul: NUL byte at offset 3: search stopped",
    ];
    let run = hs
        .args(["--debug", "--max-filesize=1K", "-d2", "gem"])
        .differs_from_ripgrep("ripgrep has other debug messages");
    named
        .into_iter()
        .chain(["deep/er: ignored: too deep", ".hidden: ignored: hidden"])
        .fold(run, |run, text| run.stderr_contains(text))
        .prints("small:gem\n");
});

hs_test!(trace_prints_more_than_debug, |tree, hs| {
    tree.file("hoard", "gem\n").file(".hidden", "gem\n");
    for args in [&["--trace"][..], &["--debug", "--trace"]] {
        hs.args(args)
            .args(["gem"])
            .differs_from_ripgrep("the words are our own")
            .stderr_contains("debug: .hidden: ignored: hidden")
            .stderr_contains("trace: hoard: searching the file")
            .prints("hoard:gem\n");
    }
});

hs_test!(debug_names_the_rule_and_no_source_file, |tree, hs| {
    tree.git_init("")
        .file(".gitignore", "\n\n*.o\n")
        .file("build/a.o", "gem\n")
        .file("a.c", "gem\n");
    hs.args(["--debug", "gem"])
        .differs_from_ripgrep("the words are our own")
        .stderr_contains("\ndebug: build/a.o: ignored by .gitignore:3: *.o\n")
        .stderr_contains("debug: no configuration file at ")
        .stderr_lines_are("about the tree", |line| {
            !line.contains("crates/") && !line.contains("::")
        })
        .prints("a.c:gem\n");
    tree.file("utf16", b"g\0e\0m\0\n\0");
    hs.args(["--debug", "gem", "-tall", "-g", "utf16"])
        .differs_from_ripgrep("the words are our own")
        .stderr_contains("NUL byte at offset 1: search stopped; looks like UTF-16, try -E utf-16le")
        .finds_nothing();
});

hs_test!(an_empty_directory_is_reported_as_such, |tree, hs| {
    tree.dir("empty").file("full/hoard", "gem\n");
    hs.args(["gem"])
        .cwd("empty")
        .differs_from_ripgrep("it suspects a filter")
        .refuses("No files were searched: the current directory is empty.");
    let advice = "Running with --debug will show why files are being skipped.";
    hs.args(["-g", "!*", "gem"]).cwd("full").refuses(advice);
    hs.args(["-g", "!*", "gem", "--debug"])
        .cwd("full")
        .differs_from_ripgrep("it gives the advice although it was followed")
        .stderr_lines_are("not the advice", |line| line != advice)
        .exits(2);
});
