//! Colours, byte for byte, since editors parse them.

hs_test!(no_colour_without_a_terminal, |tree, hs| {
    tree.file("hoard", "a gem\n");
    hs.args(["gem", "hoard"]).env("TERM", "xterm").prints("a gem\n");
    hs.args(["--color", "auto", "gem", "hoard"]).env("TERM", "xterm").prints("a gem\n");
    hs.args(["--color=never", "gem", "hoard"]).prints("a gem\n");
});

hs_test!(the_match_is_bold_red, |tree, hs| {
    tree.file("hoard", "a gem here\n");
    let expected = "a \x1b[0m\x1b[1m\x1b[31mgem\x1b[0m here\n";
    hs.args(["--color=always", "gem", "hoard"]).prints(expected);
    hs.args(["--color", "ansi", "gem", "hoard"]).prints(expected);
    hs.args(["--color=always", "gem", "hoard"]).env("NO_COLOR", "1").prints(expected);
});

hs_test!(path_and_line_have_their_colours, |tree, hs| {
    tree.file("hoard", "a gem\nrock\n");
    hs.args(["--color=always", "-Hn", "--column", "-A1", "gem", "hoard"]).prints(
        "\x1b[0m\x1b[35mhoard\x1b[0m:\x1b[0m\x1b[32m1\x1b[0m:\x1b[0m3\x1b[0m:\
         a \x1b[0m\x1b[1m\x1b[31mgem\x1b[0m\n\
         \x1b[0m\x1b[35mhoard\x1b[0m-\x1b[0m\x1b[32m2\x1b[0m-rock\n",
    );
});

hs_test!(pretty_output_and_summaries_are_coloured, |tree, hs| {
    tree.file("hoard", "gem\n");
    hs.args(["-p", "gem"]).prints(
        "\x1b[0m\x1b[35mhoard\x1b[0m\n\x1b[0m\x1b[32m1\x1b[0m:\
         \x1b[0m\x1b[1m\x1b[31mgem\x1b[0m\n",
    );
    hs.args(["--color=always", "-l", "gem"]).prints("\x1b[0m\x1b[35mhoard\x1b[0m\n");
    hs.args(["--color=always", "-c", "gem"]).prints("\x1b[0m\x1b[35mhoard\x1b[0m:1\n");
    hs.args(["--color=always", "--files"]).prints("\x1b[0m\x1b[35mhoard\x1b[0m\n");
});

hs_test!(only_matches_are_coloured, |tree, hs| {
    tree.file("hoard", "gem gem\n");
    hs.args(["--color=always", "-o", "gem", "hoard"])
        .prints("\x1b[0m\x1b[1m\x1b[31mgem\x1b[0m\n".repeat(2));
});

hs_test!(specs_change_colours, |tree, hs| {
    tree.file("hoard", "gem\n");
    let with = |spec: &'static str| {
        hs.args(["--color=always", "--colors=match:none", "--colors", spec, "gem", "hoard"])
    };
    with("match:fg:blue").prints("\x1b[0m\x1b[34mgem\x1b[0m\n");
    with("match:bg:green").prints("\x1b[0m\x1b[42mgem\x1b[0m\n");
    with("match:fg:33").prints("\x1b[0m\x1b[38;5;33mgem\x1b[0m\n");
    with("match:fg:0x10,2,0xff").prints("\x1b[0m\x1b[38;2;16;2;255mgem\x1b[0m\n");
    with("match:style:underline").prints("\x1b[0m\x1b[4mgem\x1b[0m\n");
    with("match:style:italic").prints("\x1b[0m\x1b[3mgem\x1b[0m\n");
    with("MATCH:FG:Yellow").prints("\x1b[0m\x1b[33mgem\x1b[0m\n");
    with("path:fg:red").prints("gem\n");
    hs.args(["--color=always", "--colors=match:fg:green", "--colors=match:style:intense"])
        .arg("gem")
        .arg("hoard")
        .prints("\x1b[0m\x1b[1m\x1b[38;5;10mgem\x1b[0m\n");
    hs.args(["--color=always", "--colors=match:style:nobold", "gem", "hoard"])
        .prints("\x1b[0m\x1b[31mgem\x1b[0m\n");
    for spec in ["match", "match:fg", "bogus:fg:red", "match:fg:bogus", "match:style:bogus"] {
        hs.args(["--colors", spec, "gem", "hoard"]).refuses("error parsing flag --colors: ");
    }
    hs.args(["--color", "bogus", "gem", "hoard"])
        .refuses("error parsing flag --color: choice 'bogus' is unrecognized");
});

hs_test!(the_rest_of_a_line_can_be_highlighted, |tree, hs| {
    tree.file("hoard", "a gem b\n");
    hs.args(["--color=always", "--colors=highlight:bg:blue", "gem", "hoard"])
        .prints("\x1b[0m\x1b[44ma \x1b[0m\x1b[1m\x1b[31mgem\x1b[0m\x1b[44m b\x1b[0m\n");
});

hs_test!(empty_matches_have_no_colour, |tree, hs| {
    tree.file("hoard", "ab\n");
    hs.args(["--color=always", "x*", "hoard"]).prints("ab\n");
});

hs_test!(context_lines_are_plain, |tree, hs| {
    tree.file("hoard", "rock\ngem\n");
    hs.args(["--color=always", "-B1", "gem", "hoard"])
        .prints("rock\n\x1b[0m\x1b[1m\x1b[31mgem\x1b[0m\n");
});

hs_test!(long_lines_know_their_matches_when_coloured, |tree, hs| {
    tree.file("hoard", "gem and gem\n");
    hs.args(["--color=always", "-M5", "gem", "hoard"])
        .prints("[Omitted long line with 2 matches]\n");
    hs.args(["--color=always", "-M5", "--max-columns-preview", "gem", "hoard"])
        .prints("\x1b[0m\x1b[1m\x1b[31mgem\x1b[0m a [... 1 more match]\n");
});

hs_test!(a_terminal_gets_headings_numbers_and_colours, |tree, hs| {
    tree.file("hoard", "a gem\n");
    let coloured = "\x1b[0m\x1b[35mhoard\x1b[0m\r\n\x1b[0m\x1b[32m1\x1b[0m:a \
                    \x1b[0m\x1b[1m\x1b[31mgem\x1b[0m\r\n";
    hs.args(["gem"]).on_terminal().prints(coloured);
    let plain = "hoard\r\n1:a gem\r\n";
    hs.args(["gem"]).on_terminal().env("NO_COLOR", "1").prints(plain);
    hs.args(["gem"])
        .on_terminal()
        .env("NO_COLOR", "")
        .differs_from_ripgrep("ripgrep counts an empty NO_COLOR")
        .prints(coloured);
    hs.args(["gem"]).on_terminal().env("TERM", "dumb").prints(plain);
    hs.args(["--color=never", "gem"]).on_terminal().prints(plain);
    hs.args(["--color=never", "--no-heading", "-N", "gem"]).on_terminal().prints("hoard:a gem\r\n");
    hs.args(["--color=never", "gem", "hoard"]).on_terminal().prints("1:a gem\r\n");
    hs.args(["--color=never", "-c", "gem"]).on_terminal().prints("hoard:1\r\n");
    hs.args(["--color=never", "-o", "gem"]).on_terminal().prints("hoard\r\n1:gem\r\n");
});

hs_test!(a_terminal_keeps_blank_lines_between_files, |tree, hs| {
    tree.files(["a", "b"], "gem\n");
    hs.args(["-j1", "--color=never", "gem", "a", "b"])
        .on_terminal()
        .prints("a\r\n1:gem\r\n\r\nb\r\n1:gem\r\n");
});

hs_test!(messages_have_their_own_line_on_a_terminal, |tree, hs| {
    tree.file("hoard", "gem\n");
    hs.args(["-j1", "--color=never", "gem", "hoard", "missing"])
        .on_terminal()
        .exits(2)
        .stdout_satisfies("the message is a line of its own", |stdout| {
            let text = String::from_utf8_lossy(stdout);
            text.contains("hoard\r\n1:gem\r\n")
                && text.lines().any(|l| l.contains(": missing: ") && l.ends_with("(os error 2)"))
        });
});

hs_test!(links_name_the_host_that_a_command_prints, |tree, hs| {
    tree.file("hoard", "gem\n").file("name", "#!/bin/sh\necho cave\n").chmod("name", 0o755);
    let plain = ["--color=always", "--colors=path:none", "--colors=match:none"];
    let format = ["--hyperlink-format=x://{host}{path}", "--hostname-bin=./name"];
    let place = tree.join("hoard").display().to_string();
    hs.args(plain.iter().chain(&format).chain(&["-l", "gem"]))
        .prints(format!("\x1b]8;;x://cave{place}\x1b\\\x1b[0mhoard\x1b[0m\x1b]8;;\x1b\\\n"));
});

hs_test!(links_contain_the_canonical_path, |tree, hs| {
    tree.file("hoard", "gem\n").symlink("hoard", "alias");
    let plain = ["--color=always", "--colors=path:none", "--colors=match:none"];
    let place = tree.join("hoard").display().to_string();
    hs.args(plain.iter().chain(&["--hyperlink-format=x:{path}:{line}", "-H", "gem", "./alias"]))
        .prints(format!("\x1b]8;;x:{place}:1\x1b\\\x1b[0m./alias\x1b[0m\x1b]8;;\x1b\\:gem\n"));
});

hs_test!(listed_files_are_links, |tree, hs| {
    tree.file("a b", "gem\n");
    let place = tree.join("a%20b").display().to_string();
    hs.args(["--color=always", "--hyperlink-format=x:{path}", "--files", "-0"])
        .prints(format!("\x1b]8;;x:{place}\x1b\\\x1b[0m\x1b[35ma b\x1b[0m\x1b]8;;\x1b\\\0"));
    hs.args(["--hyperlink-format=x:{path}", "--files"]).prints("a b\n");
});

hs_test!(standard_input_is_no_link, |_vault, hs| {
    hs.args(["--color=always", "--hyperlink-format=default", "-l", "gem", "-"])
        .stdin("gem\n")
        .prints("\x1b[0m\x1b[35m<stdin>\x1b[0m\n");
});

hs_test!(the_environment_forces_colors, |tree, hs| {
    tree.file("hoard", "a gem\n");
    let colored = "a \x1b[0m\x1b[1m\x1b[31mgem\x1b[0m\n";
    let run = |force: &str| {
        hs.args(["gem", "hoard"])
            .env("CLICOLOR_FORCE", force)
            .differs_from_ripgrep("ripgrep does not know the variable")
    };
    run("1").prints(colored);
    run("0").prints("a gem\n");
    run("").prints("a gem\n");
    run("1").env("NO_COLOR", "1").prints("a gem\n");
    run("1").args(["--color=never"]).prints("a gem\n");
});
