//! Files that several workers search together: the output is that of one worker.

use std::fmt::Write;

/// The number of lines of a file of 9 MB, which workers share.
const LINES: usize = 250_000;

/// The lines of that file. Every thousandth contains `gem`, and so do some of their neighbours.
fn lines() -> String {
    let mut text = String::new();
    for number in 0..LINES {
        let word = if number % 1000 == 7 || number % 7000 == 8 { "gem" } else { "sand" };
        writeln!(text, "line {number} with {word} in it, and {}", number % 97)
            .expect("writing to memory");
    }
    text
}

/// Command lines whose output does not depend on the number of workers. (`differential` compares
/// one worker with ripgrep.)
const ARGUMENTS: &[&[&str]] = &[
    &["gem"],
    &["-n", "gem"],
    &["-c", "gem"],
    &["-c", "-v", "gem"],
    &["--count-matches", "[ge]"],
    &["-l", "gem"],
    &["--files-without-match", "gem"],
    &["-q", "gem"],
    &["-n", "-b", "-o", "--column", r"\d+ with gem"],
    &["-n", "-C2", "gem"],
    &["-n", "-B3", "-A1", "gem"],
    &["-n", "-v", "-m5", "-A2", "sand"],
    &["-n", "-m9", "-C1", "gem"],
    &["-n", "-r", "<$1>", "(g.m)"],
    &["--json", "gem in it, and 9"],
    &["--vimgrep", "in.*it"],
    &["-n", "--passthru", "gem"],
    &["-n", "--stop-on-nonmatch", "line [0-6] "],
    &["-n", "-P", "gem(?= in)"],
    &["-n", "-U", r"gem in it, and \d+\n.*gem"],
    &["-n", "-U", "-C1", r"gem in it, and \d+\s+line \d"],
    &["-c", "-U", "-v", r"sand in [^g]*gem"],
    &["--count-matches", "-U", r"it,\s|7\n"],
    &["-b", "-U", "-o", "-m3", r"gem .*\n.*\n"],
    &["-n", "-U", "-r", "<$1>", r"(gem) in it, and \d+\n"],
    &["--json", "-U", r"gem in it, and \d+\n.*gem"],
    &["--files-without-match", "-U", "(?s)with gem.*nowhere"],
    &["-n", "-i", "GEM"],
    &["-n", r"\w{4}\s\d{6}\s\w{4}\sgem"],
    &["--null-data", "-c", "gem"],
    &["-n", "nowhere"],
];

hs_test!(several_workers_print_what_one_prints, |tree, hs| {
    tree.file("large", lines()).file("small", "a gem\n");
    for args in ARGUMENTS {
        let run = |workers| {
            let run = hs.args(["-j", workers, "--sort", "path"]).args(*args);
            stable(run.exits_with_one_of(&[0, 1]).stdout())
        };
        let expected = run("1");
        assert!(run("4") == expected, "-j4 and -j1 differ: {args:?}");
    }
});

/// The output without times.
fn stable(text: Vec<u8>) -> String {
    let text = String::from_utf8(text).expect("text");
    let is_stable =
        |line: &&str| !line.starts_with(r#"{"type":"end""#) && !line.contains("elapsed");
    text.split_inclusive('\n').filter(is_stable).collect()
}

hs_test!(a_pipe_yields_what_a_file_yields, |tree, hs| {
    // A quarter more than the part that one worker searches before others help.
    let text = lines();
    tree.file("large", text.clone() + &text[..text.len() / 4]);
    for args in ARGUMENTS {
        let run = |workers, script| {
            let run = hs.args(["-j", workers]).args(*args).through_sh(script);
            stable(run.exits_with_one_of(&[0, 1]).stdout())
        };
        let expected = run("1", "\"$@\" < large");
        assert!(run("4", "cat large | \"$@\"") == expected, "a pipe and a file differ: {args:?}");
    }
    let by_one = hs.args(["-j1", "-n", "-C2", "gem"]).through_sh("cat large | \"$@\"").stdout();
    hs.args(["-n", "-C2", "gem", "large"]).prints(by_one);
});

hs_test!(lines_of_a_large_pipe_are_printed_before_its_end, |tree, hs| {
    tree.file("large", lines()).fifo("seen");
    // The pipe ends after the line has been printed.
    let until_seen = "{ cat large; echo 'the last gem'; cat seen; } | \"$@\" | \
        { grep --line-buffered -m1 'the last'; echo > seen; cat > rest; }";
    hs.args(["-j4", "--line-buffered", "gem"]).through_sh(until_seen).prints("the last gem\n");
});

hs_test!(a_large_pipe_is_not_read_after_the_last_needed_line, |tree, hs| {
    tree.file("large", lines()).fifo("left");
    let until_left = "{ cat large large; cat left; } | \
        { exec 3<&0; \"$@\"; cat <&3 > rest & echo > left; wait; }";
    hs.args(["-j4", "-c", "-m500", "gem"]).through_sh(until_left).prints("500\n");
    hs.args(["-j4", "-q", "line 249999 "]).through_sh(until_left).prints("");
});

hs_test!(a_nul_byte_late_in_a_pipe_does_not_lose_a_line, |tree, hs| {
    let mut bytes = lines().into_bytes();
    let middle = bytes.len() - 1_000;
    bytes[middle] = 0;
    tree.file("large", bytes).file("lines", lines());
    let pipe = "cat lines large lines | \"$@\"";
    hs.args(["-j4", "-c", "gem"]).through_sh(pipe).prints("858\n");
    hs.args(["-j4", "-c", "-a", "gem"]).through_sh(pipe).prints("858\n");
});

hs_test!(a_large_file_as_standard_input_is_searched_in_parallel, |tree, hs| {
    tree.file("large", lines());
    hs.args(["-c", "-j4", "gem"]).through_sh("exec \"$@\" < large").prints("286\n");
    let from_the_middle = "{ head -c 6000000 > /dev/null; exec \"$@\"; } < large";
    hs.args(["-c", "-j4", "gem"]).through_sh(from_the_middle).prints("90\n");
});

hs_test!(a_late_nul_byte_ends_the_output, |tree, hs| {
    let mut bytes = lines().into_bytes();
    let middle = bytes.len() / 2;
    bytes[middle] = 0;
    tree.file("dir/large", bytes);
    for args in
        [&["-n", "gem"][..], &["-n", "gem", "dir/large"], &["-c", "gem"], &["-n", "-a", "gem"]]
    {
        let alone = hs.args(["-j1"]).args(args).exits_with_one_of(&[0, 1]).stdout();
        hs.args(["-j4"]).args(args).exits_with_one_of(&[0, 1]).prints(alone);
    }
});

hs_test!(a_line_longer_than_a_chunk_is_one_line, |tree, hs| {
    let mut text = lines();
    text.insert_str(5_000_000, &"sand ".repeat(1_000_000));
    text.insert_str(4_999_999, "gem");
    tree.file("large", text);
    let alone = hs.args(["-j1", "-n", "-o", "gem|and 9.$"]).stdout();
    hs.args(["-j4", "-n", "-o", "gem|and 9.$"]).prints(alone);
});

hs_test!(a_missing_file_does_not_stop_the_search_of_large_ones, |tree, hs| {
    tree.file("large", lines()).file("small", "a gem\n");
    hs.args(["-j4", "-c", "--sort", "path", "gem", "large", "missing", "small"])
        .prints("large:286\nsmall:1\n")
        .stderr_contains("missing")
        .exits(2);
});

hs_test!(a_long_line_can_have_many_multiline_matches, |tree, hs| {
    tree.file("long", format!("\n{}gem\n", "x".repeat(500_000)));
    hs.args(["-U", "-c", "(?s).", "long"])
        .differs_from_ripgrep("ripgrep takes quadratic time")
        .prints("500005\n");
});
