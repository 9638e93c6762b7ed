//! Symbolic links: skipped unless named or followed, and never walked in a loop.

hs_test!(links_are_skipped_unless_named_or_followed, |tree, hs| {
    tree.file("real/hoard", "gem\n").symlink("real", "dir").symlink("real/hoard", "file");
    hs.args(["-l", "gem"]).prints("real/hoard\n");
    hs.args(["--files"]).prints("real/hoard\n");
    hs.args(["-lL", "gem"]).prints_in_any_order("real/hoard\ndir/hoard\nfile\n");
    hs.args(["--files", "--follow"]).prints_in_any_order("real/hoard\ndir/hoard\nfile\n");
    hs.args(["-l", "-L", "--no-follow", "gem"]).prints("real/hoard\n");
    hs.args(["gem", "file"]).prints("gem\n");
    hs.args(["-l", "gem", "dir"]).prints("dir/hoard\n");
    hs.args(["-l", "gem", "dir/"]).prints("dir/hoard\n");
});

hs_test!(a_broken_link_is_an_error_if_named_or_followed, |tree, hs| {
    tree.symlink("nowhere", "broken").file("a", "gem\n");
    hs.args(["-j1", "gem", "broken", "a"])
        .prints("a:gem\n")
        .stderr_contains("broken: No such file or directory (os error 2)")
        .exits(2);
    hs.args(["-l", "gem"]).prints("a\n");
    hs.args(["-lL", "gem"])
        .prints("a\n")
        .stderr_contains("broken: No such file or directory (os error 2)")
        .exits(2);
    hs.args(["-lL", "--no-messages", "gem"]).prints("a\n").exits(2);
});

hs_test!(a_loop_is_reported, |tree, hs| {
    tree.file("one/two/hoard", "gem\n").symlink("..", "one/two/up").file("a", "gem\n");
    hs.args(["-l", "gem"]).prints_in_any_order("one/two/hoard\na\n");
    hs.args(["-lL", "gem"])
        .prints_in_any_order("one/two/hoard\na\n")
        .stderr_contains("File system loop found: ")
        .exits(2);
    hs.args(["-lL", "gem", "."])
        .prints_in_any_order("./one/two/hoard\n./a\n")
        .stderr_contains("./one/two/up points to an ancestor ./one")
        .exits(2);
});

hs_test!(a_link_to_itself_is_an_error_when_followed, |tree, hs| {
    tree.symlink("me", "me").file("a", "gem\n");
    hs.args(["-l", "gem"]).prints("a\n");
    hs.args(["-lL", "gem"]).prints("a\n").stderr_contains("me: ").exits(2);
});

hs_test!(links_between_directories_are_no_loops, |tree, hs| {
    tree.file("one/a", "gem\n").file("two/b", "gem\n");
    tree.symlink("../two", "one/two").symlink("one", "three");
    hs.args(["-lL", "gem"]).prints_in_any_order("one/a\none/two/b\nthree/a\nthree/two/b\ntwo/b\n");
});

hs_test!(rules_apply_to_the_name_of_a_followed_link, |tree, hs| {
    tree.file(".ignore", "dir\n*.log\n").file("real/hoard", "gem\n");
    tree.symlink("real", "dir").symlink("real/hoard", "x.log").symlink("real/hoard", "x.txt");
    hs.args(["-lL", "gem"]).prints_in_any_order("real/hoard\nx.txt\n");
});

hs_test!(a_directory_only_rule_applies_to_followed_links, |tree, hs| {
    tree.file(".ignore", "dir/\n").file("real/hoard", "gem\n").symlink("real", "dir");
    hs.args(["-lL", "gem"]).prints("real/hoard\n");
});

hs_test!(a_followed_link_can_point_outside, |tree, hs| {
    tree.file("../outside/hoard", "gem\n").symlink("../outside", "out");
    hs.args(["gem", "."]).finds_nothing();
    hs.args(["-L", "gem"]).prints("out/hoard:gem\n");
});
