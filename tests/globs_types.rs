//! What the command line selects by name: `-g`, `--iglob`, `-t`, `-T` and the type table.

hs_test!(a_glob_includes, |vault, hs| {
    vault.files(["a.rs", "b.txt", "sub/c.rs"], "gem");
    hs.args(["-l", "-g", "*.rs", "gem"]).prints_sorted("a.rs\nsub/c.rs\n");
    hs.args(["-l", "--glob=*.rs", "--glob=*.txt", "gem"]).prints_sorted("a.rs\nb.txt\nsub/c.rs\n");
});

hs_test!(a_glob_with_a_bang_excludes, |vault, hs| {
    vault.files(["a.rs", "b.txt", "sub/c.rs"], "gem");
    hs.args(["-l", "-g", "!*.rs", "gem"]).prints("b.txt\n");
    hs.args(["-l", "-g", "!sub", "gem"]).prints_sorted("a.rs\nb.txt\n");
    hs.args(["-l", "-g", "*.rs", "-g", "!sub/**", "gem"]).prints("a.rs\n");
});

hs_test!(the_last_matching_glob_decides, |vault, hs| {
    vault.files(["a.rs", "b.rs"], "gem");
    hs.args(["-l", "-g", "!a.rs", "-g", "*.rs", "gem"]).prints_sorted("a.rs\nb.rs\n");
    hs.args(["-l", "-g", "*.rs", "-g", "!a.rs", "gem"]).prints("b.rs\n");
});

hs_test!(globs_beat_ignore_files, |vault, hs| {
    vault.file(".ignore", "*.log\n").files(["a.log", "b.txt"], "gem");
    hs.args(["-l", "-g", "*.log", "gem"]).prints("a.log\n");
});

hs_test!(globs_beat_the_hidden_filter, |vault, hs| {
    vault.files([".dot.c", "a.c", ".sub/b.c"], "gem");
    hs.args(["-l", "-g", "*.c", "gem"]).prints_sorted(".dot.c\na.c\n");
});

hs_test!(globs_do_not_open_ignored_directories, |vault, hs| {
    vault.file(".ignore", "build/\n").files(["build/a", "b"], "gem");
    hs.args(["-l", "-g", "build/**", "gem", "."]).finds_nothing();
});

hs_test!(a_name_selects_no_contents, |vault, hs| {
    vault.files(["foo/a", "bar/foo"], "gem");
    hs.args(["-l", "-g", "foo", "gem"]).prints("bar/foo\n");
    hs.args(["-l", "-g", "foo/**", "gem"]).prints("foo/a\n");
});

hs_test!(globs_are_relative_to_where_one_stands, |vault, hs| {
    vault.files(["sub/a.rs", "sub/deep/a.rs"], "gem");
    hs.args(["-l", "-g", "/sub/*.rs", "gem", "sub"]).prints("sub/a.rs\n");
    hs.args(["-l", "-g", "sub/*.rs", "gem", "./sub"]).prints("./sub/a.rs\n");
    hs.args(["-l", "-g", "/a.rs", "gem"]).cwd("sub").prints("a.rs\n");
});

hs_test!(globs_have_braces_classes_and_double_stars, |vault, hs| {
    vault.files(["a.rs", "b.toml", "c.txt", "x/y/z.rs", "x1", "x2"], "gem");
    hs.args(["-l", "-g", "*.{rs,toml}", "gem"]).prints_sorted("a.rs\nb.toml\nx/y/z.rs\n");
    hs.args(["-l", "-g", "x/**/*.rs", "gem"]).prints("x/y/z.rs\n");
    hs.args(["-l", "-g", "x[!1]", "gem"]).prints("x2\n");
});

hs_test!(named_files_are_not_subject_to_globs, |vault, hs| {
    vault.file("a.log", "gem\n");
    hs.args(["-g", "!*.log", "gem", "a.log"]).prints("gem\n");
});

hs_test!(case_of_globs, |vault, hs| {
    vault.files(["a.RS", "b.rs"], "gem");
    hs.args(["-l", "-g", "*.rs", "gem"]).prints("b.rs\n");
    hs.args(["-l", "--iglob", "*.rs", "gem"]).prints_sorted("a.RS\nb.rs\n");
    hs.args(["-l", "--glob-case-insensitive", "-g", "*.rs", "gem"]).prints_sorted("a.RS\nb.rs\n");
    hs.args(["-l", "--glob-case-insensitive", "--no-glob-case-insensitive", "-g", "*.rs", "gem"])
        .prints("b.rs\n");
});

hs_test!(insensitive_globs_come_last, |vault, hs| {
    vault.files(["a.rs", "b.txt"], "gem");
    hs.args(["-l", "--iglob", "!*.RS", "-g", "*.rs", "-g", "*.txt", "gem"]).prints("b.txt\n");
});

hs_test!(a_bad_glob_is_an_error, |vault, hs| {
    vault.file("a", "gem");
    hs.args(["-g", "[", "gem"]).refuses("error parsing glob '['");
    hs.args(["-g", "{a", "gem"]).refuses("error parsing glob '{a'");
});

hs_test!(a_type_selects, |vault, hs| {
    vault.files(["a.rs", "b.py", "c.txt", "Makefile"], "gem");
    hs.args(["-l", "-t", "rust", "gem"]).prints("a.rs\n");
    hs.args(["-l", "-trust", "-tpy", "gem"]).prints_sorted("a.rs\nb.py\n");
    hs.args(["-l", "--type=make", "gem"]).prints("Makefile\n");
    hs.args(["-l", "-t", "python", "gem"]).prints("b.py\n");
});

hs_test!(a_type_rejects, |vault, hs| {
    vault.files(["a.rs", "b.py", "c"], "gem");
    hs.args(["-l", "-T", "rust", "gem"]).prints_sorted("b.py\nc\n");
    hs.args(["-l", "--type-not", "rust", "-Tpy", "gem"]).prints("c\n");
});

hs_test!(the_last_matching_type_decides, |vault, hs| {
    vault.files(["a.h", "a.c"], "gem");
    hs.args(["-l", "-tc", "-Th", "gem"]).prints("a.c\n");
    hs.args(["-l", "-Th", "-tc", "gem"]).prints_sorted("a.c\na.h\n");
});

hs_test!(all_types, |vault, hs| {
    vault.files(["a.rs", "unknown.zzz"], "gem");
    hs.args(["-l", "-tall", "gem"]).prints("a.rs\n");
    hs.args(["-l", "-Tall", "gem"]).prints("unknown.zzz\n");
});

hs_test!(a_type_beats_the_hidden_filter_for_files, |vault, hs| {
    vault.files([".x.json", "y.json", ".sub/z.json"], "gem");
    hs.args(["-l", "-tjson", "gem"]).prints_sorted(".x.json\ny.json\n");
});

hs_test!(a_type_does_not_rescue_ignored_files, |vault, hs| {
    vault.file(".ignore", "a.rs\n!b.txt\n").files(["a.rs", "b.txt", "c.rs"], "gem");
    hs.args(["-l", "-trust", "gem"]).prints("c.rs\n");
});

hs_test!(types_can_be_added, |vault, hs| {
    vault.files(["a.zzz", "b.yyy", "c.rs"], "gem");
    hs.args(["-l", "--type-add", "zed:*.zzz", "-tzed", "gem"]).prints("a.zzz\n");
    hs.args(["-l", "-tzed", "--type-add", "zed:*.zzz", "gem"]).prints("a.zzz\n");
    hs.args(["-l", "--type-add=zed:*.{zzz,yyy}", "-tzed", "gem"]).prints_sorted("a.zzz\nb.yyy\n");
    hs.args(["-l", "--type-add=zed:*.zzz", "--type-add=both:include:zed,rust", "-tboth", "gem"])
        .prints_sorted("a.zzz\nc.rs\n");
    hs.args(["-l", "--type-add", "rust:*.zzz", "-trust", "gem"]).prints_sorted("a.zzz\nc.rs\n");
});

hs_test!(types_can_be_cleared, |vault, hs| {
    vault.files(["a.rs", "b.zzz"], "gem");
    hs.args(["-l", "--type-clear=rust", "--type-add=rust:*.zzz", "-trust", "gem"])
        .prints("b.zzz\n");
    hs.args(["-l", "--type-clear=unheardof", "-trust", "gem"]).prints("a.rs\n");
});

hs_test!(unknown_types_and_bad_definitions, |vault, hs| {
    vault.file("a", "gem");
    hs.args(["-tunheardof", "gem"]).refuses("unrecognized file type: unheardof");
    hs.args(["-Tunheardof", "gem"]).refuses("unrecognized file type: unheardof");
    hs.args(["--type-add", "nocolon", "gem"]).refuses("invalid definition");
    hs.args(["--type-add", "x:include:unheardof", "gem"]).refuses("invalid definition");
    hs.args(["--type-clear=rust", "-trust", "gem"]).refuses("unrecognized file type: rust");
});

hs_test!(globs_and_types_together, |vault, hs| {
    vault.files(["a.rs", "b.rs", "c.txt"], "gem");
    hs.args(["-l", "-trust", "-g", "!a*", "gem"]).prints("b.rs\n");
    hs.args(["-l", "-trust", "-g", "*.txt", "gem"]).prints("c.txt\n");
});
