//! Symbolic links: passed over unless named or followed, and never walked in circles.

hs_test!(links_are_passed_over_when_walking, |vault, hs| {
    vault.file("real/hoard", "gem\n").symlink("real", "dir").symlink("real/hoard", "file");
    hs.args(["-l", "gem"]).prints("real/hoard\n");
    hs.args(["--files"]).prints("real/hoard\n");
});

hs_test!(links_are_followed_on_request, |vault, hs| {
    vault.file("real/hoard", "gem\n").symlink("real", "dir").symlink("real/hoard", "file");
    hs.args(["-lL", "gem"]).prints_sorted("real/hoard\ndir/hoard\nfile\n");
    hs.args(["--files", "--follow"]).prints_sorted("real/hoard\ndir/hoard\nfile\n");
    hs.args(["-l", "-L", "--no-follow", "gem"]).prints("real/hoard\n");
});

hs_test!(named_links_are_followed, |vault, hs| {
    vault.file("real/hoard", "gem\n").symlink("real", "dir").symlink("real/hoard", "file");
    hs.args(["gem", "file"]).prints("gem\n");
    hs.args(["-l", "gem", "dir"]).prints("dir/hoard\n");
    hs.args(["-l", "gem", "dir/"]).prints("dir/hoard\n");
});

hs_test!(a_named_broken_link_is_an_error, |vault, hs| {
    vault.symlink("nowhere", "broken").file("a", "gem\n");
    hs.args(["-j1", "gem", "broken", "a"])
        .prints("a:gem\n")
        .complains("broken: No such file or directory (os error 2)")
        .exits(2);
});

hs_test!(a_broken_link_is_an_error_only_when_followed, |vault, hs| {
    vault.symlink("nowhere", "broken").file("a", "gem\n");
    hs.args(["-l", "gem"]).prints("a\n");
    hs.args(["-lL", "gem"])
        .prints("a\n")
        .complains("broken: No such file or directory (os error 2)")
        .exits(2);
    hs.args(["-lL", "--no-messages", "gem"]).prints("a\n").exits(2);
});

hs_test!(a_loop_is_cut, |vault, hs| {
    vault.file("one/two/hoard", "gem\n").symlink("..", "one/two/up").file("a", "gem\n");
    hs.args(["-l", "gem"]).prints_sorted("one/two/hoard\na\n");
    hs.args(["-lL", "gem"])
        .prints_sorted("one/two/hoard\na\n")
        .complains("File system loop found: ")
        .exits(2);
    hs.args(["-lL", "gem", "."])
        .prints_sorted("./one/two/hoard\n./a\n")
        .complains("./one/two/up points to an ancestor ./one")
        .exits(2);
});

hs_test!(a_link_to_itself_is_an_error_when_followed, |vault, hs| {
    vault.symlink("me", "me").file("a", "gem\n");
    hs.args(["-l", "gem"]).prints("a\n");
    hs.args(["-lL", "gem"]).prints("a\n").complains("me: ").exits(2);
});

hs_test!(links_across_are_no_loops, |vault, hs| {
    vault.file("one/a", "gem\n").file("two/b", "gem\n");
    vault.symlink("../two", "one/two").symlink("one", "three");
    hs.args(["-lL", "gem"]).prints_sorted("one/a\none/two/b\nthree/a\nthree/two/b\ntwo/b\n");
});

hs_test!(followed_links_respect_rules_by_their_own_name, |vault, hs| {
    vault.file(".ignore", "dir\n*.log\n").file("real/hoard", "gem\n");
    vault.symlink("real", "dir").symlink("real/hoard", "x.log").symlink("real/hoard", "x.txt");
    hs.args(["-lL", "gem"]).prints_sorted("real/hoard\nx.txt\n");
});

hs_test!(a_directory_only_rule_holds_for_links_as_followed, |vault, hs| {
    vault.file(".ignore", "dir/\n").file("real/hoard", "gem\n").symlink("real", "dir");
    hs.args(["-lL", "gem"]).prints("real/hoard\n");
});

hs_test!(a_followed_link_shows_the_contents_it_points_to, |vault, hs| {
    vault.file("../outside/hoard", "gem\n").symlink("../outside", "out");
    hs.args(["gem", "."]).finds_nothing();
    hs.args(["-L", "gem"]).prints("out/hoard:gem\n");
});
