//! Selection of files by name: `-g`, `--iglob`, `-t`, `-T` and the type table.

hs_test!(globs_include_and_exclude, |tree, hs| {
    tree.files(["a.rs", "b.txt", "sub/c.rs"], "gem");
    hs.args(["-l", "-g", "*.rs", "gem"]).prints_in_any_order("a.rs\nsub/c.rs\n");
    hs.args(["-l", "--glob=*.rs", "--glob=*.txt", "gem"])
        .prints_in_any_order("a.rs\nb.txt\nsub/c.rs\n");
    hs.args(["-l", "-g", "!*.rs", "gem"]).prints("b.txt\n");
    hs.args(["-l", "-g", "!sub", "gem"]).prints_in_any_order("a.rs\nb.txt\n");
    hs.args(["-l", "-g", "*.rs", "-g", "!sub/**", "gem"]).prints("a.rs\n");
});

hs_test!(the_last_matching_glob_decides, |tree, hs| {
    tree.files(["a.rs", "b.rs"], "gem");
    hs.args(["-l", "-g", "!a.rs", "-g", "*.rs", "gem"]).prints_in_any_order("a.rs\nb.rs\n");
    hs.args(["-l", "-g", "*.rs", "-g", "!a.rs", "gem"]).prints("b.rs\n");
});

hs_test!(globs_beat_ignore_files, |tree, hs| {
    tree.file(".ignore", "*.log\n").files(["a.log", "b.txt"], "gem");
    hs.args(["-l", "-g", "*.log", "gem"]).prints("a.log\n");
});

hs_test!(globs_beat_the_hidden_filter, |tree, hs| {
    tree.files([".dot.c", "a.c", ".sub/b.c"], "gem");
    hs.args(["-l", "-g", "*.c", "gem"]).prints_in_any_order(".dot.c\na.c\n");
});

hs_test!(globs_do_not_open_ignored_directories, |tree, hs| {
    tree.file(".ignore", "build/\n").files(["build/a", "b"], "gem");
    hs.args(["-l", "-g", "build/**", "gem", "."]).finds_nothing();
});

hs_test!(a_glob_for_a_directory_does_not_select_its_files, |tree, hs| {
    tree.files(["foo/a", "bar/foo"], "gem");
    hs.args(["-l", "-g", "foo", "gem"]).prints("bar/foo\n");
    hs.args(["-l", "-g", "foo/**", "gem"]).prints("foo/a\n");
});

hs_test!(globs_are_relative_to_the_current_directory, |tree, hs| {
    tree.files(["sub/a.rs", "sub/deep/a.rs"], "gem");
    hs.args(["-l", "-g", "/sub/*.rs", "gem", "sub"]).prints("sub/a.rs\n");
    hs.args(["-l", "-g", "sub/*.rs", "gem", "./sub"]).prints("./sub/a.rs\n");
    hs.args(["-l", "-g", "/a.rs", "gem"]).cwd("sub").prints("a.rs\n");
});

hs_test!(globs_have_braces_classes_and_double_stars, |tree, hs| {
    tree.files(["a.rs", "b.toml", "c.txt", "x/y/z.rs", "x1", "x2"], "gem");
    hs.args(["-l", "-g", "*.{rs,toml}", "gem"]).prints_in_any_order("a.rs\nb.toml\nx/y/z.rs\n");
    hs.args(["-l", "-g", "x/**/*.rs", "gem"]).prints("x/y/z.rs\n");
    hs.args(["-l", "-g", "x[!1]", "gem"]).prints("x2\n");
});

hs_test!(globs_do_not_apply_to_named_files, |tree, hs| {
    tree.file("a.log", "gem\n");
    hs.args(["-g", "!*.log", "gem", "a.log"]).prints("gem\n");
});

hs_test!(case_of_globs, |tree, hs| {
    tree.files(["a.RS", "b.rs"], "gem");
    hs.args(["-l", "-g", "*.rs", "gem"]).prints("b.rs\n");
    hs.args(["-l", "--iglob", "*.rs", "gem"]).prints_in_any_order("a.RS\nb.rs\n");
    hs.args(["-l", "--glob-case-insensitive", "-g", "*.rs", "gem"])
        .prints_in_any_order("a.RS\nb.rs\n");
    hs.args(["-l", "--glob-case-insensitive", "--no-glob-case-insensitive", "-g", "*.rs", "gem"])
        .prints("b.rs\n");
});

hs_test!(insensitive_globs_come_last, |tree, hs| {
    tree.files(["a.rs", "b.txt"], "gem");
    hs.args(["-l", "--iglob", "!*.RS", "-g", "*.rs", "-g", "*.txt", "gem"]).prints("b.txt\n");
});

hs_test!(bad_globs_types_and_definitions_are_errors, |tree, hs| {
    tree.file("a", "gem");
    hs.args(["-g", "[", "gem"]).refuses("error parsing glob '['");
    hs.args(["-g", "{a", "gem"]).refuses("error parsing glob '{a'");
    hs.args(["-tunheardof", "gem"]).refuses("unrecognized file type: unheardof");
    hs.args(["-Tunheardof", "gem"]).refuses("unrecognized file type: unheardof");
    hs.args(["--type-add", "nocolon", "gem"]).refuses("invalid definition");
    hs.args(["--type-add", "x:include:unheardof", "gem"]).refuses("invalid definition");
    hs.args(["--type-clear=rust", "-trust", "gem"]).refuses("unrecognized file type: rust");
});

hs_test!(a_type_selects, |tree, hs| {
    tree.files(["a.rs", "b.py", "c.txt", "Makefile"], "gem");
    hs.args(["-l", "-t", "rust", "gem"]).prints("a.rs\n");
    hs.args(["-l", "-trust", "-tpy", "gem"]).prints_in_any_order("a.rs\nb.py\n");
    hs.args(["-l", "--type=make", "gem"]).prints("Makefile\n");
    hs.args(["-l", "-t", "python", "gem"]).prints("b.py\n");
});

hs_test!(a_type_rejects, |tree, hs| {
    tree.files(["a.rs", "b.py", "c"], "gem");
    hs.args(["-l", "-T", "rust", "gem"]).prints_in_any_order("b.py\nc\n");
    hs.args(["-l", "--type-not", "rust", "-Tpy", "gem"]).prints("c\n");
});

hs_test!(the_last_matching_type_decides, |tree, hs| {
    tree.files(["a.h", "a.c"], "gem");
    hs.args(["-l", "-tc", "-Th", "gem"]).prints("a.c\n");
    hs.args(["-l", "-Th", "-tc", "gem"]).prints_in_any_order("a.c\na.h\n");
});

hs_test!(all_types, |tree, hs| {
    tree.files(["a.rs", "unknown.zzz"], "gem");
    hs.args(["-l", "-tall", "gem"]).prints("a.rs\n");
    hs.args(["-l", "-Tall", "gem"]).prints("unknown.zzz\n");
});

hs_test!(a_type_beats_the_hidden_filter_for_files, |tree, hs| {
    tree.files([".x.json", "y.json", ".sub/z.json"], "gem");
    hs.args(["-l", "-tjson", "gem"]).prints_in_any_order(".x.json\ny.json\n");
});

hs_test!(a_type_does_not_rescue_ignored_files, |tree, hs| {
    tree.file(".ignore", "a.rs\n!b.txt\n").files(["a.rs", "b.txt", "c.rs"], "gem");
    hs.args(["-l", "-trust", "gem"]).prints("c.rs\n");
});

hs_test!(types_can_be_added, |tree, hs| {
    tree.files(["a.zzz", "b.yyy", "c.rs"], "gem");
    hs.args(["-l", "--type-add", "zed:*.zzz", "-tzed", "gem"]).prints("a.zzz\n");
    hs.args(["-l", "-tzed", "--type-add", "zed:*.zzz", "gem"]).prints("a.zzz\n");
    hs.args(["-l", "--type-add=zed:*.{zzz,yyy}", "-tzed", "gem"])
        .prints_in_any_order("a.zzz\nb.yyy\n");
    hs.args(["-l", "--type-add=zed:*.zzz", "--type-add=both:include:zed,rust", "-tboth", "gem"])
        .prints_in_any_order("a.zzz\nc.rs\n");
    hs.args(["-l", "--type-add", "rust:*.zzz", "-trust", "gem"])
        .prints_in_any_order("a.zzz\nc.rs\n");
});

hs_test!(types_can_be_cleared, |tree, hs| {
    tree.files(["a.rs", "b.zzz"], "gem");
    hs.args(["-l", "--type-clear=rust", "--type-add=rust:*.zzz", "-trust", "gem"])
        .prints("b.zzz\n");
    hs.args(["-l", "--type-clear=unheardof", "-trust", "gem"]).prints("a.rs\n");
});

hs_test!(globs_and_types_together, |tree, hs| {
    tree.files(["a.rs", "b.rs", "c.txt"], "gem");
    hs.args(["-l", "-trust", "-g", "!a*", "gem"]).prints("b.rs\n");
    hs.args(["-l", "-trust", "-g", "*.txt", "gem"]).prints("c.txt\n");
});

hs_test!(types_by_other_names, |tree, hs| {
    tree.files(["a.rs", "b.yml", "c.js", "d.sh"], "gem");
    let unlike = "ripgrep knows no other names";
    for (name, file) in
        [("rs", "a.rs"), ("yml", "b.yml"), ("javascript", "c.js"), ("shell", "d.sh")]
    {
        hs.args(["-l", "-t", name, "gem"]).differs_from_ripgrep(unlike).prints(format!("{file}\n"));
    }
    hs.args(["-l", "-Trs", "-Tyml", "-Tshell", "gem"])
        .differs_from_ripgrep(unlike)
        .prints("c.js\n");
    hs.args(["-l", "--type-add=rs:*.sh", "-t", "rs", "gem"]).prints("d.sh\n");
    hs.args(["-t", "pyhton", "gem"]).differs_from_ripgrep(unlike).refuses(
        "unrecognized file type: pyhton (accepted: the types that --type-list prints; similar: python)",
    );
    hs.args(["-t", "qqq", "gem"])
        .differs_from_ripgrep(unlike)
        .refuses("unrecognized file type: qqq (accepted: the types that --type-list prints)");
});

hs_test!(a_terminal_is_warned_of_globs_that_match_nothing, |tree, hs| {
    tree.file("src/a.rs", "gem\n");
    let cwd = std::fs::canonicalize(tree.path()).expect("the tree").display().to_string();
    let outside = "globs are limited to the current directory\r\n";
    for (glob, advice) in [
        ("./src/*.rs", "paths have no ./ in front; use '/src/*.rs'\r\n"),
        ("../src/*.rs", outside),
        (&format!("{cwd}/src/*.rs"), "stands for the current directory; use '/src/*.rs'\r\n"),
    ] {
        hs.args(["-c", "-g", &format!("'{glob}'"), "gem", "."])
            .on_terminal()
            .differs_from_ripgrep("it gives no warning")
            .stdout_satisfies("it names the glob", |stdout| {
                let text = String::from_utf8_lossy(stdout);
                let warning = format!("hs: the glob '{glob}' matches nothing: ");
                text.starts_with(&warning) && text.ends_with(advice)
            })
            .exits(1);
        hs.args(["-c", "-g", glob, "gem", "."]).finds_nothing();
    }
    hs.args(["-c", "-g", "'/src/*.rs'", "--color=never", "gem"])
        .on_terminal()
        .prints("src/a.rs:1\r\n");
});
