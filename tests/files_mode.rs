//! `--files` and `--type-list`.

hs_test!(every_wanted_file_is_listed, |tree, hs| {
    tree.file(".ignore", "*.log\n").file("bin", b"\0");
    tree.files(["a", "sub/b", "sub/deep/c", "d.log", ".hidden"], "");
    hs.args(["--files"]).prints_in_any_order("a\nbin\nsub/b\nsub/deep/c\n");
    hs.args(["--files", "-uu"])
        .prints_in_any_order(".hidden\n.ignore\na\nbin\nd.log\nsub/b\nsub/deep/c\n");
});

hs_test!(files_below_named_roots_in_order, |tree, hs| {
    tree.files(["one/a", "two/b", "c"], "");
    hs.args(["--files", "-j1", "two", "c", "one"]).prints("two/b\nc\none/a\n");
    hs.args(["--files", "./one"]).prints("./one/a\n");
    hs.args(["--files", "one", "one"]).prints("one/a\none/a\n");
});

hs_test!(no_file_at_all, |tree, hs| {
    tree.dir("empty");
    hs.args(["--files"]).finds_nothing();
    hs.args(["--files", "empty"]).finds_nothing();
});

hs_test!(files_with_nul, |tree, hs| {
    tree.files(["a"], "");
    hs.args(["--files", "-0"]).prints("a\0");
    hs.args(["--files", "--null"]).prints("a\0");
});

hs_test!(files_respect_globs_types_and_depth, |tree, hs| {
    tree.files(["a.rs", "b.txt", "sub/c.rs"], "");
    hs.args(["--files", "-g", "*.rs"]).prints_in_any_order("a.rs\nsub/c.rs\n");
    hs.args(["--files", "-tTxT"]).refuses("unrecognized file type: TxT");
    hs.args(["--files", "-ttxt"]).prints("b.txt\n");
    hs.args(["--files", "-d1"]).prints_in_any_order("a.rs\nb.txt\n");
});

hs_test!(quiet_only_sets_the_status, |tree, hs| {
    tree.file("a", "").dir("empty");
    hs.args(["--files", "-q"]).prints("").exits(0);
    hs.args(["--files", "-q", "empty"]).finds_nothing();
});

hs_test!(patterns_do_not_matter_but_every_positional_is_a_path, |tree, hs| {
    tree.file("a", "");
    hs.args(["--files", "-e", "("]).prints("a\n");
    hs.args(["--files", "-f", "missing"]).prints("a\n");
    hs.args(["--files", "missing", "a"])
        .prints("a\n")
        .stderr_contains("missing: No such file or directory (os error 2)")
        .exits(2);
    hs.args(["--files", "-j1", "a", "-"]).stdin("gem\n").prints("a\n<stdin>\n");
});

hs_test!(every_positional_is_a_path, |tree, hs| {
    tree.files(["one/a", "two/b"], "");
    hs.args(["--files", "one"]).prints("one/a\n");
    hs.args(["one", "--files", "two"]).prints_in_any_order("one/a\ntwo/b\n");
});

hs_test!(names_with_blanks_and_newlines, |tree, hs| {
    tree.file("a b\nc", "");
    hs.args(["--files"]).prints("a b\nc\n");
    hs.args(["--files", "-0"]).prints("a b\nc\0");
});

hs_test!(files_mode_wins_over_search_modes, |tree, hs| {
    tree.file("a", "gem\n");
    hs.args(["--files", "-l"])
        .differs_from_ripgrep("ripgrep lets a search mode override --files")
        .prints("a\n");
    hs.args(["--files", "-c", "."])
        .differs_from_ripgrep("ripgrep lets a search mode override --files")
        .prints("./a\n");
});

hs_test!(the_list_of_types_follows_additions_and_clearings, |_, hs| {
    hs.args(["--type-list"]).stdout_satisfies("it lists 224 sorted types", |stdout| {
        let text = String::from_utf8_lossy(stdout);
        let names: Vec<_> = text.lines().filter_map(|l| Some(l.split_once(": ")?.0)).collect();
        names.len() == 224
            && names.is_sorted()
            && text.contains("\nrust: *.rs\n")
            && text.contains("\npy: *.py, *.pyi\n")
            && text.ends_with("zstd: *.zst, *.zstd\n")
    });
    hs.args(["--type-list", "--type-add", "zzz:*.b", "--type-add", "zzz:*.a"])
        .stdout_satisfies("zzz is last but one, its globs sorted", |stdout| {
            String::from_utf8_lossy(stdout).contains("\nzzz: *.a, *.b\n")
        });
    hs.args(["--type-list", "--type-clear", "rust"]).stdout_satisfies("rust is gone", |stdout| {
        !String::from_utf8_lossy(stdout).contains("\nrust:")
    });
});

hs_test!(many_directories_are_all_listed, |tree, hs| {
    tree.wide(100, 3);
    for threads in ["-j1", "-j2", "-j7"] {
        hs.args(["--files", threads]).stdout_satisfies("there are 300 paths", |stdout| {
            stdout.split(|&b| b == b'\n').count() == 301
        });
    }
});

hs_test!(a_path_below_a_file_is_an_error, |tree, hs| {
    tree.files(["a", "cave/b"], "").symlink("a/none", "link");
    hs.args(["--files", "-j1", "a/none", "a/", "link", "cave/b"])
        .prints("cave/b\n")
        .stderr_contains("a/none: ")
        .stderr_contains("a/: ")
        .stderr_contains("link: ")
        .stderr_contains("Not a directory (os error 20)")
        .exits(2);
});
