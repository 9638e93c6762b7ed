//! Modes that print less than lines: `-c`, `--count-matches`, `-l`, `--files-without-match`, `-q`.

const HOARD: &str = "gem gem\nrock\ngem\n";

hs_test!(count_lines, |tree, hs| {
    tree.file("hoard", HOARD).file("sub/other", "gem\n").file("none", "rock\n");
    hs.args(["-c", "gem", "hoard"]).prints("2\n");
    hs.args(["--count", "gem"]).prints_in_any_order("hoard:2\nsub/other:1\n");
    hs.args(["-c", "-H", "gem", "hoard"]).prints("hoard:2\n");
    hs.args(["-c", "-I", "gem", "hoard", "sub/other"]).prints_in_any_order("2\n1\n");
    hs.args(["-c", "gem", "none"]).finds_nothing();
});

hs_test!(count_matches_and_lines, |tree, hs| {
    tree.file("hoard", HOARD);
    hs.args(["--count-matches", "gem", "hoard"]).prints("3\n");
    hs.args(["-c", "-o", "gem", "hoard"]).prints("3\n");
    hs.args(["--count-matches", "-v", "gem", "hoard"]).prints("1\n");
    hs.args(["--count-matches", "-m1", "gem", "hoard"]).prints("2\n");
    hs.args(["--count-matches", "", "hoard"]).prints("17\n");
    hs.args(["-c", "-m1", "gem", "hoard"]).prints("1\n");
    hs.args(["-c", "-v", "gem", "hoard"]).prints("1\n");
    hs.args(["-c", "", "hoard"]).prints("3\n");
    hs.args(["-c", "-H", "--field-match-separator", "|", "gem", "hoard"]).prints("hoard:2\n");
    hs.args(["-c", "gem", "hoard", "hoard"]).prints("hoard:2\nhoard:2\n");
});

hs_test!(count_zeros, |tree, hs| {
    tree.file("hoard", HOARD).file("none", "rock\n");
    hs.args(["-c", "--include-zero", "gem"]).prints_in_any_order("hoard:2\nnone:0\n");
    hs.args(["--count-matches", "--include-zero", "gem"]).prints_in_any_order("hoard:3\nnone:0\n");
    hs.args(["-c", "--include-zero", "--no-include-zero", "gem"]).prints("hoard:2\n");
    hs.args(["-c", "--include-zero", "nowhere"]).prints_in_any_order("hoard:0\nnone:0\n").exits(1);
    hs.args(["-c", "--include-zero", "gem", "none"]).prints("0\n").exits(1);
});

hs_test!(files_with_matches, |tree, hs| {
    tree.files(["a", "sub/b"], HOARD).file("none", "rock\n");
    hs.args(["-l", "gem"]).prints_in_any_order("a\nsub/b\n");
    hs.args(["--files-with-matches", "gem", "a"]).prints("a\n");
    hs.args(["-l", "-I", "gem", "a"]).prints("a\n");
    hs.args(["-l", "-v", "rock", "a", "none"]).prints("a\n");
    hs.args(["-l", "gem", "none"]).finds_nothing();
    hs.args(["-l", "-m0", "gem", "a"]).finds_nothing();
});

hs_test!(files_without_match, |tree, hs| {
    tree.files(["a", "sub/b"], HOARD).file("none", "rock\n").file("empty", "");
    hs.args(["--files-without-match", "gem"]).prints_in_any_order("empty\nnone\n");
    hs.args(["--files-without-match", "gem", "a"]).finds_nothing();
    hs.args(["--files-without-match", "rock", "none"]).finds_nothing();
    hs.args(["--files-without-match", "gem", "none"]).prints("none\n");
    hs.args(["--files-without-match", "-0", "gem", "none"]).prints("none\0");
});

hs_test!(summaries_ignore_flags_about_lines, |tree, hs| {
    tree.file("hoard", HOARD);
    hs.args(["-c", "-n", "--column", "-A3", "--heading", "-M1", "--trim", "gem", "hoard"])
        .prints("2\n");
    hs.args(["-l", "-n", "--column", "-A3", "--heading", "-o", "gem", "hoard"]).prints("hoard\n");
    hs.args(["-c", "--vimgrep", "gem", "hoard"]).prints("hoard:2\n");
});

hs_test!(quiet, |tree, hs| {
    tree.file("hoard", HOARD);
    hs.args(["-q", "gem"]).prints("").exits(0);
    hs.args(["--quiet", "nowhere"]).finds_nothing();
    hs.args(["-q", "-c", "gem", "hoard"]).prints("").exits(0);
    hs.args(["-q", "--files-without-match", "nowhere"]).prints("").exits(0);
    hs.args(["-q", "--files-without-match", "gem"]).finds_nothing();
    hs.args(["-q", "-j1", "gem", "missing", "hoard"])
        .stderr_contains("missing: No such file or directory (os error 2)")
        .exits(0);
    hs.args(["-q", "nowhere", "missing", "hoard"])
        .stderr_contains("missing: No such file or directory (os error 2)")
        .exits(2);
});

hs_test!(a_file_and_its_directory_are_both_searched, |tree, hs| {
    tree.file("sub/hoard", HOARD);
    hs.args(["-c", "gem", "sub", "sub/hoard"]).prints("sub/hoard:2\nsub/hoard:2\n");
});

hs_test!(counts_over_many_read_blocks, |tree, hs| {
    let text = "some gem here\nand a rock there\n".repeat(20_000);
    tree.file("hoard", &text);
    hs.args(["-c", "gem", "hoard"]).prints("20000\n");
    hs.args(["-c", "-v", "gem", "hoard"]).prints("20000\n");
    hs.args(["--count-matches", "e", "hoard"]).prints("120000\n");
    hs.args(["-c", r"^\w+ \w+ \w+$", "hoard"]).prints("20000\n");
});

hs_test!(counts_of_lines_longer_than_a_read_block, |tree, hs| {
    let line = "x".repeat(300_000);
    tree.file("hoard", format!("{line}gem\n{line}\ngem{line}\n"));
    hs.args(["-c", "gem", "hoard"]).prints("2\n");
    hs.args(["-o", "-b", "gem", "hoard"]).prints("300000:gem\n600005:gem\n");
});
