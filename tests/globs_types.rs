//! Selection of files by name: `-g`, `--iglob`, `-t`, `-T` and the type table.

use crate::harness::{Hs, TempTree};

/// Checks rows of files, flags and the files found, each in a tree of its own.
#[track_caller]
fn check(rows: &[(&str, &str, &str)]) {
    for (files, flags, found) in rows {
        let tree = TempTree::new("globs");
        tree.files(files.split(' '), "gem");
        let found: String = found.split(' ').map(|file| format!("{file}\n")).collect();
        Hs::new(&tree).args(flags.split(' ')).args(["-l", "gem"]).prints_in_any_order(found);
    }
}

#[test]
fn globs_select_files() {
    check(&[
        // Globs include and exclude.
        ("a.rs b.txt sub/c.rs", "-g *.rs", "a.rs sub/c.rs"),
        ("a.rs b.txt sub/c.rs", "--glob=*.rs --glob=*.txt", "a.rs b.txt sub/c.rs"),
        ("a.rs b.txt sub/c.rs", "-g !*.rs", "b.txt"),
        ("a.rs b.txt sub/c.rs", "-g !sub", "a.rs b.txt"),
        ("a.rs b.txt sub/c.rs", "-g *.rs -g !sub/**", "a.rs"),
        // The last matching glob decides.
        ("a.rs b.rs", "-g !a.rs -g *.rs", "a.rs b.rs"),
        ("a.rs b.rs", "-g *.rs -g !a.rs", "b.rs"),
        // Globs beat the hidden filter.
        (".dot.c a.c .sub/b.c", "-g *.c", ".dot.c a.c"),
        // A glob for a directory does not select its files.
        ("foo/a bar/foo", "-g foo", "bar/foo"),
        ("foo/a bar/foo", "-g foo/**", "foo/a"),
        // Globs have braces, classes and double stars.
        ("a.rs b.toml c.txt x/y/z.rs x1 x2", "-g *.{rs,toml}", "a.rs b.toml x/y/z.rs"),
        ("a.rs b.toml c.txt x/y/z.rs x1 x2", "-g x/**/*.rs", "x/y/z.rs"),
        ("a.rs b.toml c.txt x/y/z.rs x1 x2", "-g x[!1]", "x2"),
        // Case of globs.
        ("a.RS b.rs", "-g *.rs", "b.rs"),
        ("a.RS b.rs", "--iglob *.rs", "a.RS b.rs"),
        ("a.RS b.rs", "--glob-case-insensitive -g *.rs", "a.RS b.rs"),
        ("a.RS b.rs", "--glob-case-insensitive --no-glob-case-insensitive -g *.rs", "b.rs"),
        // Insensitive globs come last.
        ("a.rs b.txt", "--iglob !*.RS -g *.rs -g *.txt", "b.txt"),
    ]);
}

#[test]
fn types_select_files() {
    check(&[
        // A type selects.
        ("a.rs b.py c.txt Makefile", "-t rust", "a.rs"),
        ("a.rs b.py c.txt Makefile", "-trust -tpy", "a.rs b.py"),
        ("a.rs b.py c.txt Makefile", "--type=make", "Makefile"),
        ("a.rs b.py c.txt Makefile", "-t python", "b.py"),
        // A type rejects.
        ("a.rs b.py c", "-T rust", "b.py c"),
        ("a.rs b.py c", "--type-not rust -Tpy", "c"),
        // The last matching type decides.
        ("a.h a.c", "-tc -Th", "a.c"),
        ("a.h a.c", "-Th -tc", "a.c a.h"),
        // All types.
        ("a.rs unknown.zzz", "-tall", "a.rs"),
        ("a.rs unknown.zzz", "-Tall", "unknown.zzz"),
        // A type beats the hidden filter for files.
        (".x.json y.json .sub/z.json", "-tjson", ".x.json y.json"),
        // Types can be added.
        ("a.zzz b.yyy c.rs", "--type-add zed:*.zzz -tzed", "a.zzz"),
        ("a.zzz b.yyy c.rs", "-tzed --type-add zed:*.zzz", "a.zzz"),
        ("a.zzz b.yyy c.rs", "--type-add=zed:*.{zzz,yyy} -tzed", "a.zzz b.yyy"),
        (
            "a.zzz b.yyy c.rs",
            "--type-add=zed:*.zzz --type-add=both:include:zed,rust -tboth",
            "a.zzz c.rs",
        ),
        ("a.zzz b.yyy c.rs", "--type-add rust:*.zzz -trust", "a.zzz c.rs"),
        // Types can be cleared.
        ("a.rs b.zzz", "--type-clear=rust --type-add=rust:*.zzz -trust", "b.zzz"),
        ("a.rs b.zzz", "--type-clear=unheardof -trust", "a.rs"),
        // Globs and types together.
        ("a.rs b.rs c.txt", "-trust -g !a*", "b.rs"),
        ("a.rs b.rs c.txt", "-trust -g *.txt", "c.txt"),
    ]);
}

hs_test!(globs_beat_ignore_files, |tree, hs| {
    tree.file(".ignore", "*.log\n").files(["a.log", "b.txt"], "gem");
    hs.args(["-l", "-g", "*.log", "gem"]).prints("a.log\n");
});

hs_test!(globs_do_not_open_ignored_directories, |tree, hs| {
    tree.file(".ignore", "build/\n").files(["build/a", "b"], "gem");
    hs.args(["-l", "-g", "build/**", "gem", "."]).finds_nothing();
});

hs_test!(globs_are_relative_to_the_current_directory, |tree, hs| {
    tree.files(["sub/a.rs", "sub/deep/a.rs"], "gem");
    hs.args(["-l", "-g", "/sub/*.rs", "gem", "sub"]).prints("sub/a.rs\n");
    hs.args(["-l", "-g", "sub/*.rs", "gem", "./sub"]).prints("./sub/a.rs\n");
    hs.args(["-l", "-g", "/a.rs", "gem"]).cwd("sub").prints("a.rs\n");
});

hs_test!(globs_do_not_apply_to_named_files, |tree, hs| {
    tree.file("a.log", "gem\n");
    hs.args(["-g", "!*.log", "gem", "a.log"]).prints("gem\n");
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

hs_test!(a_type_does_not_rescue_ignored_files, |tree, hs| {
    tree.file(".ignore", "a.rs\n!b.txt\n").files(["a.rs", "b.txt", "c.rs"], "gem");
    hs.args(["-l", "-trust", "gem"]).prints("c.rs\n");
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
