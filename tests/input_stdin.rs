//! The choice of input: paths, standard input, or the current directory.

hs_test!(a_pipe_is_searched_if_no_path_is_given, |tree, hs| {
    tree.file("hoard", "gem in a file\n");
    hs.args(["gem"]).stdin("a gem\nrock\n").prints("a gem\n");
    hs.args(["-n", "gem"]).stdin("rock\na gem\n").prints("2:a gem\n");
    hs.args(["gem", "hoard"]).stdin("a gem\n").prints("gem in a file\n");
    hs.args(["gem", "."]).stdin("a gem\n").prints("./hoard:gem in a file\n");
});

hs_test!(a_redirected_file_is_searched, |tree, hs| {
    tree.file("hoard", "gem in a file\n").file("other", "gem elsewhere\n");
    hs.args(["gem"]).through_sh("\"$@\" < hoard").prints("gem in a file\n");
});

hs_test!(input_that_is_no_pipe_or_file_is_not_searched, |tree, hs| {
    tree.file("hoard", "a gem\n");
    hs.args(["gem"]).through_sh("\"$@\" < /dev/null").prints("hoard:a gem\n");
    hs.args(["gem"]).through_sh("\"$@\" <&-").prints("hoard:a gem\n");
    hs.args(["gem"]).through_sh("\"$@\" < .").prints("hoard:a gem\n");
    hs.args(["--files"]).stdin("a gem\n").prints("hoard\n");
});

hs_test!(a_dash_is_stdin, |tree, hs| {
    tree.file("hoard", "gem in a file\n").file("-", "gem in a dash\n");
    hs.args(["gem", "-"]).stdin("a gem\n").prints("a gem\n");
    hs.args(["-j1", "gem", "-", "hoard"])
        .stdin("a gem\n")
        .prints("<stdin>:a gem\nhoard:gem in a file\n");
    hs.args(["gem", "./-"]).stdin("a gem\n").prints("gem in a dash\n");
});

hs_test!(standard_input_is_read_once, |tree, hs| {
    tree.file("hoard", "a gem\nno luck\n".repeat(700_000));
    for threads in ["-j1", "-j2"] {
        let twice = || hs.args([threads, "-c", "gem", "-", "-"]);
        twice().through_sh("\"$@\" < hoard").prints("<stdin>:700000\n");
        twice().through_sh("cat hoard | \"$@\"").prints("<stdin>:700000\n");
        let once = || hs.args([threads, "-c", "gem", "-"]);
        once().through_sh("{ \"$@\"; wc -l; } < hoard").prints("700000\n0\n");
    }
});

hs_test!(stdin_has_a_name_but_no_type, |_, hs| {
    hs.args(["-H", "gem"]).stdin("a gem\n").prints("<stdin>:a gem\n");
    hs.args(["-l", "gem"]).stdin("a gem\n").prints("<stdin>\n");
    hs.args(["-c", "gem"]).stdin("a gem\n").prints("1\n");
    hs.args(["-c", "-H", "gem"]).stdin("a gem\n").prints("<stdin>:1\n");
    hs.args(["-trust", "-g", "*.rs", "gem"]).stdin("a gem\n").prints("a gem\n");
});

hs_test!(patterns_from_stdin_leave_the_directory_to_search, |tree, hs| {
    tree.file("hoard", "a gem\n");
    hs.args(["-f-"]).stdin("gem\n").prints("hoard:a gem\n");
    hs.args(["-f-", "-"]).stdin("gem\n").refuses("stdin");
    hs.args(["gem"]).stdin("").finds_nothing();
    hs.args([""]).stdin("").finds_nothing();
});

hs_test!(slow_and_large_pipes_are_read_to_their_ends, |_, hs| {
    hs.args(["-c", "gem"])
        .through_sh(
            "(printf 'a g'; sleep 0.1; printf 'em\\nrock\\n'; sleep 0.1; printf gem) | \"$@\"",
        )
        .prints("2\n");
    hs.args(["-c", "gem"]).stdin("a gem\nrock\n".repeat(50_000)).prints("50000\n");
});

hs_test!(a_named_fifo_is_searched, |tree, hs| {
    tree.fifo("pipe");
    hs.args(["gem", "pipe"]).through_sh("printf 'a gem\\n' > pipe & \"$@\"").prints("a gem\n");
});

hs_test!(a_file_without_size_is_read, |_, hs| {
    hs.args(["-c", "^Name:", "/proc/self/status"]).prints("1\n");
});

/// The hint if standard input stays silent.
const HINT: &[u8] = b"no path was given, so standard input is searched";

fn holds(text: &[u8], what: &[u8]) -> bool {
    text.windows(what.len()).any(|window| window == what)
}

/// Runs a command whose standard input is held open by the process that starts it, and is silent
/// for a while: as long as programs on a terminal are given, or without one.
const HELD_PIPE: [&str; 2] = [
    r#"mkfifo ~/pipe; exec script --quiet --return --command \
        "exec 3<>~/pipe; (sleep 1.5; echo a gem >&3) & $* -m1 <~/pipe" /dev/null"#,
    r#"mkfifo ~/pipe; exec 3<>~/pipe; (sleep 3.5; echo a gem >&3) & "$@" -m1 <~/pipe"#,
];

hs_test!(a_pipe_that_a_program_leaves_open_is_worth_a_hint, |_, hs| {
    hs.args(["gem"])
        .on_terminal()
        .through_sh(HELD_PIPE[0])
        .differs_from_ripgrep("it waits without a word")
        .stdout_satisfies("it hints once and finds", |text| {
            let hints = text.windows(HINT.len()).filter(|window| *window == HINT).count();
            hints == 1 && holds(text, b"a \x1b[")
        });
    hs.args([""; 0]).through_sh("rm -f ~/pipe").prints("");
    hs.args(["gem"])
        .through_sh(HELD_PIPE[1])
        .differs_from_ripgrep("it waits without a word")
        .stderr_contains("To search files, give a path such as .")
        .prints("a gem\n");
});

hs_test!(explicit_standard_input_and_quiet_runs_get_no_hint, |_, hs| {
    for (args, printed) in
        [(["gem", "-"], "a gem\n"), (["-q", "gem"], ""), (["--no-messages", "gem"], "a gem\n")]
    {
        hs.args(args).through_sh(HELD_PIPE[1]).prints(printed);
        hs.args([""; 0]).through_sh("rm -f ~/pipe").prints("");
    }
});

hs_test!(a_slow_pipeline_gets_no_hint, |_, hs| {
    hs.args(["gem"])
        .on_terminal()
        .through_sh(
            r#"exec script --quiet --return --command "(sleep 1.5; echo a gem) | $*" /dev/null"#,
        )
        .stdout_satisfies("it only finds", |text| !holds(text, HINT) && holds(text, b"a \x1b["));
    hs.args(["gem"]).through_sh(r#"(sleep 3.5; echo a gem) | "$@""#).prints("a gem\n");
    hs.args(["--debug", "gem"])
        .through_sh(r#"(sleep 1.5; echo a gem) | "$@""#)
        .differs_from_ripgrep("it waits without a word")
        .stderr_contains("no path was given, so standard input is searched")
        .prints("a gem\n");
});
