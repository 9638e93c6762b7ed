//! The configuration file, whose arguments precede those of the command line.

hs_test!(its_lines_are_arguments, |tree, hs| {
    tree.file("rc", "-n\n--heading\n").file("hoard", "a gem\n");
    hs.args(["-H", "gem", "hoard"]).config("rc").prints("hoard\n1:a gem\n");
    hs.args(["gem", "hoard"]).prints("a gem\n");
});

hs_test!(comments_blanks_and_indentation, |tree, hs| {
    tree.file("rc", "# a comment\n\n   -n   \n\t# another\n").file("hoard", "a gem\n");
    hs.args(["gem", "hoard"]).config("rc").prints("1:a gem\n");
});

hs_test!(a_value_follows_the_flag_or_has_its_own_line, |tree, hs| {
    tree.file("rc", "--after-context\n1\n--context-separator=a b\n");
    tree.file("hoard", "gem\n2\n3\ngem\n5\n");
    hs.args(["gem", "hoard"]).config("rc").prints("gem\n2\na b\ngem\n5\n");
});

hs_test!(one_line_is_one_argument, |tree, hs| {
    tree.file("rc", "-A 1\n").file("hoard", "gem\n2\n");
    hs.args(["gem", "hoard"]).config("rc").refuses("error parsing flag -A");
});

hs_test!(the_command_line_wins, |tree, hs| {
    tree.file("rc", "--ignore-case\n-A1\n").file("hoard", "GEM\ngem\nrock\n");
    hs.args(["-s", "-A0", "gem", "hoard"]).config("rc").prints("gem\n");
});

hs_test!(flags_accumulate, |tree, hs| {
    tree.file("rc", "-g\n!*.log\n").files(["a.log", "b.tmp", "c"], "gem");
    hs.args(["-l", "-g", "!*.tmp", "gem"]).config("rc").prints("c\n");
});

hs_test!(types_can_be_defined, |tree, hs| {
    tree.file("rc", "--type-add\nzed:*.zzz\n").files(["a.zzz", "b"], "gem");
    hs.args(["-l", "-tzed", "gem"]).config("rc").prints("a.zzz\n");
});

hs_test!(positional_arguments_are_allowed, |tree, hs| {
    tree.file("rc", "gem\n").file("hoard", "a gem\n");
    hs.args(["hoard"]).config("rc").prints("a gem\n");
});

hs_test!(no_config_skips_the_file, |tree, hs| {
    tree.file("rc", "-n\n--bogus\n").file("hoard", "a gem\n");
    hs.args(["--no-config", "gem", "hoard"]).config("rc").prints("a gem\n");
});

hs_test!(a_file_that_cannot_be_read_is_reported, |tree, hs| {
    tree.file("hoard", "a gem\n");
    hs.args(["gem", "hoard"])
        .config("missing")
        .prints("a gem\n")
        .stderr_contains("failed to read the file specified in")
        .exits(0);
    hs.args(["gem", "hoard"])
        .config("missing")
        .prints("a gem\n")
        .stderr_contains("No such file or directory (os error 2)");
    hs.args(["gem", "hoard"])
        .config("missing")
        .differs_from_ripgrep("ripgrep names another variable")
        .prints("a gem\n")
        .stderr_contains("failed to read the file specified in HEIST_CONFIG_PATH: ");
    hs.args(["gem", "hoard"])
        .env("HEIST_CONFIG_PATH", "")
        .env("RIPGREP_CONFIG_PATH", "")
        .prints("a gem\n");
});

hs_test!(an_impossible_default_path_is_no_error, |tree, hs| {
    tree.file("hoard", "a gem\n");
    for home in ["/dev/null", "hoard", "none"] {
        hs.args(["gem", "hoard"]).env("XDG_CONFIG_HOME", tree.join(home)).prints("a gem\n");
        hs.args(["gem", "hoard"]).env("HOME", tree.join(home)).prints("a gem\n");
    }
    tree.file("home/heist/config", "-n\n").chmod("home/heist/config", 0);
    let run = || {
        hs.args(["--no-ignore-global", "gem", "hoard"])
            .env("XDG_CONFIG_HOME", tree.join("home"))
            .differs_from_ripgrep("ripgrep has no default path")
            .by_unprivileged_user()
            .prints("a gem\n")
    };
    run().stderr_contains("failed to read the configuration file").exits(0);
    tree.chmod("home", 0);
    run();
    tree.chmod("home", 0o755);
});

hs_test!(a_pipe_at_the_default_path_does_not_block, |tree, hs| {
    tree.file("f", "GEM\n").dir("../home/.config/heist").fifo("pipe");
    let place = "../home/.config/heist/config";
    tree.symlink(tree.join("pipe"), place);
    hs.args(["gem", "f"])
        .differs_from_ripgrep("ripgrep has no default path")
        .stderr_contains("a pipe is not waited for unless HEIST_CONFIG_PATH names it")
        .exits(1);
    hs.args(["gem", "f"]).config("pipe").through_sh("echo -i > pipe & exec \"$@\"").prints("GEM\n");
    std::fs::remove_file(tree.join(place)).expect("the link");
    tree.symlink("/dev/null", place);
    hs.args(["gem", "f"]).finds_nothing();
});

hs_test!(an_unknown_flag_in_the_file_is_an_error, |tree, hs| {
    tree.file("rc", "--bogus\n").file("hoard", "a gem\n");
    hs.args(["gem", "hoard"]).config("rc").refuses("unrecognized flag --bogus");
});

hs_test!(colours_can_be_chosen, |tree, hs| {
    tree.file("rc", "--colors=match:fg:blue\n--colors=match:style:nobold\n");
    tree.file("hoard", "gem\n");
    hs.args(["--color=always", "gem", "hoard"]).config("rc").prints("\x1b[0m\x1b[34mgem\x1b[0m\n");
});

hs_test!(help_and_version_do_not_read_it, |tree, hs| {
    tree.file("rc", "--bogus\n");
    hs.args(["--version"]).config("rc").stdout_satisfies("it is a version", |s| !s.is_empty());
    hs.args(["--help"]).config("rc").stdout_satisfies("it is a manual", |s| s.len() > 1000);
});

hs_test!(its_errors_name_the_line, |tree, hs| {
    tree.file("hoard", "a gem\n");
    let runs = [
        ("# ours\n\n--bogus\n", "rc:3: unrecognized flag --bogus"),
        ("-n\n-A\ndoor\n", "rc:3: error parsing flag -A: value is not a valid number"),
        ("-A 1\n", "rc:1: error parsing flag -A: value is not a valid number"),
        ("-A 1\n", "A line is one argument: write --flag=value"),
    ];
    for (config, message) in runs {
        tree.file("rc", config);
        hs.args(["gem", "hoard"])
            .config("rc")
            .differs_from_ripgrep("ripgrep names no line")
            .refuses(message);
    }
    tree.file("rc", "-n\n");
    hs.args(["-A", "door", "gem", "hoard"])
        .config("rc")
        .differs_from_ripgrep("ripgrep does not name the value")
        .refuses("error parsing flag -A: value is not a valid number: invalid digit found in string (accepted: a whole number such as 3; given: 'door')");
});

hs_test!(a_value_that_begins_with_a_blank_is_warned_of, |tree, hs| {
    tree.file("rc", "-g *.rs\n").files(["a.rs", "b"], "gem\n");
    hs.args(["--files"])
        .config("rc")
        .differs_from_ripgrep("ripgrep does not warn")
        .stderr_contains(
            "rc:1: \"-g *.rs\" is one argument, so the value of -g begins with a blank",
        )
        .exits(1);
    tree.file("rc", "-e\n-g x\n").file("c", "-g x\n");
    hs.args(["c"]).config("rc").prints("-g x\n");
});

hs_test!(a_byte_order_mark_is_no_argument, |tree, hs| {
    tree.file("rc", "\u{feff}-n\n").file("hoard", "a gem\n");
    hs.args(["gem", "hoard"])
        .config("rc")
        .differs_from_ripgrep("ripgrep takes it for a pattern")
        .prints("1:a gem\n");
});
