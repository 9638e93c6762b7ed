//! Context lines: their number, their marks, and the separators between groups.

/// Matches in lines 3, 5 and 10.
const LINES: &str = "1\n2\ngem 3\n4\ngem 5\n6\n7\n8\n9\ngem 10\n11\n";

hs_test!(lines_after_before_and_around, |tree, hs| {
    tree.file("hoard", LINES);
    hs.args(["-A1", "gem", "hoard"]).prints("gem 3\n4\ngem 5\n6\n--\ngem 10\n11\n");
    hs.args(["--after-context=2", "gem 10", "hoard"]).prints("gem 10\n11\n");
    hs.args(["-B1", "gem", "hoard"]).prints("2\ngem 3\n4\ngem 5\n--\n9\ngem 10\n");
    hs.args(["--before-context", "5", "gem 3", "hoard"]).prints("1\n2\ngem 3\n");
    hs.args(["-C1", "gem", "hoard"]).prints("2\ngem 3\n4\ngem 5\n6\n--\n9\ngem 10\n11\n");
    hs.args(["--context=2", "gem 10", "hoard"]).prints("8\n9\ngem 10\n11\n");
    hs.args(["-C2", "gem", "hoard"]).prints(LINES);
    hs.args(["-A2", "-C1", "gem 10", "hoard"]).prints("9\ngem 10\n11\n");
    hs.args(["-C1", "-B2", "gem 10", "hoard"]).prints("8\n9\ngem 10\n11\n");
    hs.args(["-C2", "-A0", "gem 10", "hoard"]).prints("8\n9\ngem 10\n");
    hs.args(["-A1", "-A0", "gem 10", "hoard"]).prints("gem 10\n");
    hs.args(["-C1000000", "gem 10", "hoard"]).prints(LINES);
    hs.args(["-A18446744073709551615", "gem 10", "hoard"]).prints("gem 10\n11\n");
    hs.args(["-m1", "-A2", "-n", "gem", "hoard"]).prints("3:gem 3\n4-4\n5:gem 5\n");
    hs.args(["-m1", "-A1", "-n", "gem", "hoard"]).prints("3:gem 3\n4-4\n");
    hs.args(["-m2", "-C1", "-n", "gem", "hoard"]).prints("2-2\n3:gem 3\n4-4\n5:gem 5\n6-6\n");
    hs.args(["-A", "x", "gem", "hoard"])
        .refuses("error parsing flag -A: value is not a valid number");
    hs.args(["-A", "-1", "gem", "hoard"]).refuses("error parsing flag -A");
});

hs_test!(context_lines_are_marked, |tree, hs| {
    tree.file("hoard", LINES);
    hs.args(["-n", "-C1", "gem 10", "hoard"]).prints("9-9\n10:gem 10\n11-11\n");
    hs.args(["-Hn", "-A1", "gem 10", "hoard"]).prints("hoard:10:gem 10\nhoard-11-11\n");
    hs.args(["-Hb", "-A1", "gem 10", "hoard"]).prints("hoard:26:gem 10\nhoard-33-11\n");
    hs.args(["--column", "-A1", "10", "hoard"]).prints("10:5:gem 10\n11-11\n");
    hs.args(["-0Hn", "-A1", "gem 10", "hoard"]).prints("hoard\x0010:gem 10\nhoard\x0011-11\n");
});

hs_test!(the_separator_can_be_chosen, |tree, hs| {
    tree.file("hoard", LINES);
    hs.args(["-A1", "--context-separator", "~~", "gem [^3]", "hoard"])
        .prints("gem 5\n6\n~~\ngem 10\n11\n");
    hs.args(["-A1", "--context-separator", "", "gem [^3]", "hoard"])
        .prints("gem 5\n6\n\ngem 10\n11\n");
    hs.args(["-A1", "--context-separator", r"\t\x21", "gem [^3]", "hoard"])
        .prints("gem 5\n6\n\t!\ngem 10\n11\n");
    hs.args(["-A1", "--no-context-separator", "gem [^3]", "hoard"])
        .prints("gem 5\n6\ngem 10\n11\n");
    hs.args(["-A1", "--no-context-separator", "--context-separator=x", "gem [^3]", "hoard"])
        .prints("gem 5\n6\nx\ngem 10\n11\n");
});

hs_test!(files_are_separated_like_groups, |tree, hs| {
    tree.files(["a", "b"], "gem\n");
    hs.args(["-j1", "-A1", "gem", "a", "b"]).prints("a:gem\n--\nb:gem\n");
    hs.args(["-j1", "-A1", "--no-context-separator", "gem", "a", "b"]).prints("a:gem\nb:gem\n");
    hs.args(["-j1", "-A1", "--heading", "gem", "a", "b"]).prints("a\ngem\n\nb\ngem\n");
    hs.args(["-j1", "--passthru", "gem", "a", "b"]).prints("a:gem\nb:gem\n");
    hs.args(["-j1", "-A0", "gem", "a", "b"]).prints("a:gem\nb:gem\n");
});

hs_test!(only_files_that_print_are_separated, |tree, hs| {
    tree.files(["a", "c"], "gem\n").file("b", "rock\n");
    hs.args(["-j1", "-A1", "gem", "a", "b", "c"]).prints("a:gem\n--\nc:gem\n");
});

hs_test!(separators_between_files_of_many_threads, |tree, hs| {
    tree.files(["a", "b", "c", "d"], "gem\n");
    hs.args(["-j4", "-A1", "gem"]).prints_in_any_order("--\n--\n--\na:gem\nb:gem\nc:gem\nd:gem\n");
});

hs_test!(everything_passes_through, |tree, hs| {
    tree.file("hoard", "1\ngem\n3\n");
    hs.args(["--passthru", "gem", "hoard"]).prints("1\ngem\n3\n");
    hs.args(["--passthrough", "-n", "gem", "hoard"]).prints("1-1\n2:gem\n3-3\n");
    hs.args(["--passthru", "none", "hoard"]).prints("1\ngem\n3\n").exits(1);
    hs.args(["--passthru", "-A0", "gem", "hoard"]).prints("gem\n");
    hs.args(["-A1", "--passthru", "-n", "gem", "hoard"]).prints("1-1\n2:gem\n3-3\n");
});

hs_test!(after_the_limit_passthru_marks_all_as_context, |tree, hs| {
    tree.file("hoard", "1\ngem\ngem\n");
    hs.args(["-m1", "--passthru", "-n", "gem", "hoard"]).prints("1-1\n2:gem\n3-gem\n");
});

hs_test!(inverted_context, |tree, hs| {
    tree.file("hoard", "gem 1\nrock\ngem 3\ngem 4\n");
    hs.args(["-v", "-n", "-C1", "gem", "hoard"]).prints("1-gem 1\n2:rock\n3-gem 3\n");
});

hs_test!(context_of_only_matches_is_whole_lines, |tree, hs| {
    tree.file("hoard", "before\na gem\nafter\n");
    hs.args(["-o", "-C1", "gem", "hoard"]).prints("before\ngem\nafter\n");
});

hs_test!(context_reaches_over_the_edges_of_read_blocks, |tree, hs| {
    let filler = "x".repeat(99) + "\n";
    let mut text = filler.repeat(655);
    text += "before\ngem\nafter\n";
    text += &filler.repeat(700);
    tree.file("hoard", text);
    let long = "x".repeat(99);
    let before = format!("655-{long}\n656-before\n657:gem\n658-after\n659-{long}\n");
    hs.args(["-n", "-C2", "gem", "hoard"]).prints(before);
});

hs_test!(r7_a_line_feed_is_not_part_of_its_line_with_crlf, |tree, hs| {
    tree.file("hoard", "\ngem\n\n");
    let unlike = "ripgrep finds an empty word after the second line's \\n";
    hs.args(["--crlf", "-nw", ""]).arg("hoard").prints("1:\n3:\n");
    hs.args(["--crlf", "-nw", "--passthru", "", "hoard"])
        .differs_from_ripgrep(unlike)
        .prints("1:\n2-gem\n3:\n");
    hs.args(["--crlf", "-nw", "--stop-on-nonmatch", "", "hoard"])
        .differs_from_ripgrep(unlike)
        .prints("1:\n");
    hs.args(["--crlf", "-nw", "-m1", "-A2", "", "hoard"])
        .differs_from_ripgrep(unlike)
        .prints("1:\n2-gem\n3:\n");
});

hs_test!(r7_after_the_limit_records_go_on_as_lines_do, |tree, hs| {
    tree.file("hoard", "gem\0foo\0gem\0");
    hs.args(["--null-data", "-nm1", "-A2", "gem", "hoard"])
        .differs_from_ripgrep("ripgrep shows the last match as context")
        .prints("1:gem\x002-foo\x003:gem\0");
});

hs_test!(r7_a_matching_line_end_is_shown_the_same_after_the_limit, |tree, hs| {
    tree.file("hoard", "foo\nbar\nx");
    let limit = ["-Um1", "-A1", "[^a]", "hoard"];
    hs.args(["-no"]).args(limit).prints("1:f\n1:o\n1:o\n2:b\n2:r\n");
    hs.args(["-nr", "<$0>"]).args(limit).prints("1:<f><o><o><\n2:>\n2:<b>a<r><\n3:>\n");
    let parts = "1:<f>\n1:<o>\n1:<o>\n1:<\n2:>\n2:<b>\n2:<r>\n2:<\n3:>\n";
    hs.args(["-no", "-r", "<$0>"]).args(limit).prints(parts);
});

hs_test!(a_match_behind_the_last_line_has_no_context, |tree, hs| {
    tree.file("hoard", "gem\nrock\n");
    for pattern in ["^$", r"\z|\nq"] {
        hs.args(["-U", "-C1", pattern, "hoard"])
            .differs_from_ripgrep("ripgrep prints the last line, and exits with 1")
            .finds_nothing();
    }
});
