//! Files that contain NUL bytes: skipped, reported, or searched as text.

/// Text longer than the first block, in which a NUL makes a file binary.
fn long_text() -> String {
    "some line of text that holds nothing\n".repeat(4000)
}

hs_test!(a_walk_skips_binary_files, |tree, hs| {
    tree.file("bin", b"gem\0\n").file("text", "gem\n");
    hs.args(["gem"]).prints("text:gem\n");
    hs.args(["-c", "gem"]).prints("text:1\n");
    hs.args(["-l", "gem"]).prints("text\n");
    hs.args(["--files-without-match", "gem"])
        .differs_from_ripgrep("ripgrep exits with 0, although it prints nothing")
        .finds_nothing();
});

hs_test!(a_named_binary_file_or_stdin_is_reported, |tree, hs| {
    tree.file("bin", b"gem\0\n");
    hs.args(["gem", "bin"]).prints("binary file matches (found \"\\0\" byte around offset 3)\n");
    hs.args(["-H", "gem", "bin"])
        .prints("bin: binary file matches (found \"\\0\" byte around offset 3)\n");
    hs.args(["rock", "bin"]).finds_nothing();
    hs.args(["-o", "gem", "bin"])
        .prints("binary file matches (found \"\\0\" byte around offset 3)\n");
    hs.args(["-v", "rock", "bin"])
        .prints("binary file matches (found \"\\0\" byte around offset 3)\n");
    hs.args(["gem"])
        .stdin(b"gem\0\n")
        .prints("binary file matches (found \"\\0\" byte around offset 3)\n");
});

hs_test!(binary_flag_searches_walked_files, |tree, hs| {
    tree.file("bin", b"gem\0\n");
    hs.args(["--binary", "gem"])
        .prints("bin: binary file matches (found \"\\0\" byte around offset 3)\n");
    hs.args(["-uuu", "-l", "gem"]).prints("bin\n");
    hs.args(["--binary", "--no-binary", "gem", "."]).finds_nothing();
});

hs_test!(text_flag_prints_nuls, |tree, hs| {
    tree.file("bin", b"gem\0\nrock\n");
    hs.args(["-a", "gem"]).prints("bin:gem\0\n");
    hs.args(["--text", "gem", "bin"]).prints("gem\0\n");
    hs.args(["-a", "--no-text", "gem", "bin"])
        .prints("binary file matches (found \"\\0\" byte around offset 3)\n");
    hs.args(["-a", r"m\x00", "bin"]).prints("gem\0\n");
    hs.args(["--binary", "-a", "gem"]).prints("bin:gem\0\n");
    hs.args(["-a", "--binary", "gem"])
        .prints("bin: binary file matches (found \"\\0\" byte around offset 3)\n");
});

hs_test!(a_nul_ends_a_line_in_counts, |tree, hs| {
    tree.file("bin", b"gem\0gem\ngem\n");
    hs.args(["--no-mmap", "-c", "gem", "bin"]).prints("3\n");
    hs.args(["--no-mmap", "--count-matches", "gem", "bin"]).prints("3\n");
    hs.args(["--mmap", "-c", "gem", "bin"])
        .differs_from_ripgrep("a NUL does not end a line of a mapped file")
        .prints("3\n");
    hs.args(["-c", "-a", "gem", "bin"]).prints("2\n");
    hs.args(["-l", "gem", "bin"]).prints("bin\n");
    hs.args(["-q", "gem", "bin"]).prints("").exits(0);
});

hs_test!(lines_before_a_late_nul_are_printed_with_its_exact_offset, |tree, hs| {
    tree.file("bin", ["gem\n", &long_text(), "gem\n\0\n"].concat());
    let offset = 4 + long_text().len() + 4;
    hs.args(["gem"]).prints(format!(
        "bin:gem\nbin: WARNING: stopped searching binary file after match \
         (found \"\\0\" byte around offset {offset})\n"
    ));
});

hs_test!(a_late_nul_removes_a_file_from_counts_but_not_from_lists, |tree, hs| {
    tree.file("bin", ["gem\n", &long_text(), "\0\n"].concat());
    hs.args(["-c", "gem", "."]).finds_nothing();
    hs.args(["-l", "gem"]).prints("bin\n");
    hs.args(["-q", "gem"]).prints("").exits(0);
});

hs_test!(a_late_nul_in_a_walked_file_without_match_is_silent, |tree, hs| {
    tree.file("bin", [&long_text(), "\0\ngem\n"].concat());
    hs.args(["gem", "."]).finds_nothing();
});

hs_test!(a_late_nul_in_a_named_file_and_on_stdin, |tree, hs| {
    let text = ["gem\n", &long_text(), "\0\ngem\n"].concat();
    let offset = 4 + long_text().len();
    let expected =
        format!("gem\nbinary file matches (found \"\\0\" byte around offset {offset})\n");
    tree.file("bin", &text);
    hs.args(["--no-mmap", "gem", "bin"]).prints(&expected);
    hs.args(["gem"]).stdin(text).prints(&expected);
});

hs_test!(utf16_with_a_mark_is_text, |tree, hs| {
    let little: Vec<u8> =
        "\u{feff}a gem\nrock\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = "\u{feff}a gem\nrock\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    tree.file("little", little).file("big", big);
    hs.args(["gem"]).prints_in_any_order("little:a gem\nbig:a gem\n");
    hs.args(["-b", "rock", "little"]).prints("6:rock\n");
});

hs_test!(a_utf8_mark_is_not_part_of_the_first_line, |tree, hs| {
    tree.file("hoard", "\u{feff}gem\n");
    hs.args(["^gem", "hoard"]).prints("gem\n");
    hs.args(["-b", "--column", "gem", "hoard"]).prints("1:1:0:gem\n");
    hs.args(["^gem"]).prints("hoard:gem\n");
});
