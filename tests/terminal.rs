//! Control characters in lines, names and messages: a terminal gets visible escapes, a pipe gets
//! every byte.

/// A line with an escape sequence, a C1 control character, a bidirectional control, bytes that are
/// not UTF-8 and a carriage return.
const EVIL: &[u8] = b"gem\x1b[2J \xc2\x9b2J \xe2\x80\xae \x9b2J\xff\rx\x07\n";
/// The same line on a terminal, which adds a carriage return at the end.
const SHOWN: &str = "gem\\x1b[2J \\u{9b}2J \\u{202e} \\x9b2J\\xff\\rx\\x07\r\n";

hs_test!(control_characters_in_lines_are_escaped_on_a_terminal, |tree, hs| {
    tree.file("hoard", EVIL);
    let args = ["--color=never", "--no-heading", "-N", "gem", "hoard"];
    let unlike = "ripgrep does not escape control characters";
    hs.args(args).on_terminal().differs_from_ripgrep(unlike).prints(SHOWN);
    hs.args(["--raw", "--no-raw"])
        .args(args)
        .on_terminal()
        .differs_from_ripgrep(unlike)
        .prints(SHOWN);
    let raw = [&EVIL[..EVIL.len() - 1], b"\r\n"].concat();
    hs.args(["--raw"]).args(args).on_terminal().differs_from_ripgrep(unlike).prints(raw);
    hs.args(args).prints(EVIL);
    hs.args(["-o", "--color=never", "--no-heading", "-N", "'(?-u)gem.*x'", "hoard"])
        .on_terminal()
        .differs_from_ripgrep(unlike)
        .prints(SHOWN.replace("\\x07", ""));
});

hs_test!(carriage_returns_within_lines_are_escaped_on_a_terminal, |tree, hs| {
    let line = "gem \u{e9}\u{e9}";
    tree.file("hoard", format!("{line}\r\n")).file("record", "gem\r").file("next", "gem OVER");
    let preview = format!("{line}\\r [... omitted end of long line]\r\n");
    let runs: [(&[&str], String); 4] = [
        (&["-M8", "--max-columns-preview", "gem", "hoard"], preview),
        (&["--null-data", "gem", "record", "next"], "gem\\r\0gem OVER\0".to_owned()),
        (&["--null-data", "-o", "'gem.*\r'", "hoard"], format!("{line}\\r\0")),
        (&["gem", "record", "hoard"], format!("gem\r\r\n{line}\r\r\n")),
    ];
    for (args, expected) in runs {
        hs.args(["--color=never", "--no-heading", "-I", "-N", "-j1"])
            .args(args)
            .on_terminal()
            .differs_from_ripgrep("ripgrep does not escape control characters")
            .prints(expected);
    }
});

hs_test!(colour_distinguishes_escapes_from_text, |tree, hs| {
    tree.file("hoard", b"\x1bgem\n\\x1bgem\n");
    let red = "\x1b[0m\x1b[1m\x1b[31mgem\x1b[0m\r\n";
    hs.args(["--no-heading", "-N", "gem", "hoard"])
        .on_terminal()
        .differs_from_ripgrep("ripgrep does not escape control characters")
        .prints(format!("\x1b[7m\\x1b\x1b[27m{red}\\x1b{red}"));
});

hs_test!(control_characters_in_names_are_escaped_on_a_terminal, |tree, hs| {
    tree.file("ge\nm\x1b[2J\tx", "gem\n");
    let name = r"ge\nm\x1b[2J\tx";
    let runs: [(&[&str], String); 5] = [
        (&["--files"], format!("{name}\r\n")),
        (&["-l", "gem"], format!("{name}\r\n")),
        (&["-c", "gem"], format!("{name}:1\r\n")),
        (&["-N", "--heading", "gem"], format!("{name}\r\ngem\r\n")),
        (&["-N", "--no-heading", "gem"], format!("{name}:gem\r\n")),
    ];
    for (args, expected) in runs {
        hs.args(["--color=never"])
            .args(args)
            .on_terminal()
            .differs_from_ripgrep("ripgrep does not escape control characters")
            .prints(expected);
    }
    hs.args(["-l", "gem"]).prints("ge\nm\x1b[2J\tx\n");
    hs.args(["--color=always", "--hyperlink-format=file://{path}", "-l", "gem"])
        .on_terminal()
        .differs_from_ripgrep("ripgrep does not escape control characters")
        .stdout_satisfies("links without control characters", |stdout| {
            String::from_utf8_lossy(stdout).contains("/ge%0Am%1B%5B2J%09x\x1b\\")
        });
});

hs_test!(control_characters_in_messages_are_escaped_on_a_terminal, |_, hs| {
    hs.args(["gem", "miss\x1bing"])
        .on_terminal()
        .differs_from_ripgrep("ripgrep does not escape control characters")
        .prints("hs: miss\\x1bing: No such file or directory (os error 2)\r\n")
        .exits(2);
});

hs_test!(no_name_forges_a_message, |tree, hs| {
    let forged = "a\nhs: b\tc\rd";
    let shown = r"a\nhs: b\tc\rd";
    let glob_error = r"error parsing glob 'a\': dangling '\'";
    let os_error = "No such file or directory (os error 2)";
    let runs: [(&[&str], String); 5] = [
        (&["-L", "gem", "links"], format!("hs: links/{shown}: {os_error}\r\n")),
        (&["-L", "--files", "links"], format!("hs: links/{shown}: {os_error}\r\n")),
        (
            &["-L", "gem", "loop"],
            format!("hs: File system loop found: loop/{shown} points to an ancestor loop\r\n"),
        ),
        (
            &["-z", "gem", "packed"],
            format!("hs: packed/{shown}.bz2: bzip2: bz2 header missing\r\n"),
        ),
        (&["gem", "rules"], format!("hs: rules/{shown}/.ignore: line 1: {glob_error}\r\n")),
    ];
    tree.dir("links").symlink("nowhere", format!("links/{forged}"));
    tree.dir("loop").symlink("../loop", format!("loop/{forged}"));
    tree.file(format!("packed/{forged}.bz2"), "gem, not packed\n");
    tree.file(format!("rules/{forged}/.ignore"), "a\\\n");
    tree.file(format!("ignored/{forged}"), "gem\n").file("ignored/.ignore", "a*\n");
    for (args, expected) in runs {
        hs.args(args)
            .on_terminal()
            .differs_from_ripgrep("ripgrep does not escape control characters")
            .prints(expected)
            .exits_with_one_of(&[1, 2]);
    }
    hs.args(["--no-config", "-f", &format!("'{forged}'")])
        .on_terminal()
        .differs_from_ripgrep("ripgrep does not escape control characters")
        .prints(format!("hs: {shown}: {os_error}\r\n"))
        .exits(2);
    hs.args(["--debug", "-j1", "gem", "ignored"])
        .on_terminal()
        .differs_from_ripgrep("ripgrep has other debug messages")
        .stdout_satisfies("every line is a debug line", |stdout| {
            let text = String::from_utf8_lossy(stdout);
            text.contains(&format!("ignored/{shown}"))
                && text.lines().all(|line| line.starts_with("debug: "))
        })
        .exits(1);
    hs.args(["-L", "gem", "links"])
        .satisfies("a pipe gets the name byte for byte", |outcome| {
            String::from_utf8_lossy(&outcome.stderr).contains(&format!(": links/{forged}: "))
        })
        .exits(2);
});

hs_test!(messages_keep_lines_of_their_own, |tree, hs| {
    tree.file("hoard", "gem\n").file("sh", "#!/bin/sh\necho one >&2\necho two >&2\nexit 1\n");
    tree.chmod("sh", 0o755);
    hs.args(["'ge(m'", "hoard"])
        .on_terminal()
        .differs_from_ripgrep("ripgrep shows the pattern in a group of its own")
        .stdout_satisfies("it has its lines", |stdout| {
            String::from_utf8_lossy(stdout).contains("\r\n    ge(m\r\n      ^\r\n")
        })
        .exits(2);
    let runs: [(&[&str], &str); 2] = [
        (&["-g", "'!*'", "gem"], "expect.\r\nRunning with --debug"),
        (&["--pre", "./sh", "gem", "hoard"], "-\r\none\r\ntwo\r\n-"),
    ];
    for (args, expected) in runs {
        hs.args(args)
            .on_terminal()
            .stdout_satisfies("the message has its lines", |stdout| {
                String::from_utf8_lossy(stdout).contains(expected)
            })
            .exits(2);
    }
});

hs_test!(json_on_a_terminal_is_ascii, |tree, hs| {
    tree.file("hoard", "gem\u{9b}2J\u{202e}\u{7f}\n");
    let lines = |stdout: &[u8]| -> Vec<serde_json::Value> {
        let text = std::str::from_utf8(stdout).expect("JSON is text");
        let parsed = |line: &str| serde_json::from_str(line).expect("each line is JSON");
        text.lines().take(2).map(parsed).collect()
    };
    let plain = hs.args(["--json", "gem"]).stdout();
    assert!(plain.windows(2).any(|pair| pair == "\u{9b}".as_bytes()));
    hs.args(["--json", "gem"])
        .on_terminal()
        .differs_from_ripgrep("ripgrep does not escape control characters")
        .stdout_satisfies("it is the same JSON, in ASCII", |stdout| {
            stdout.is_ascii() && !stdout.contains(&0x7f) && lines(stdout) == lines(&plain)
        });
});

hs_test!(no_flag_lets_control_characters_through, |tree, hs| {
    let carriage_returns = b"gem\r\n\r\ngem\xc2\xa9\r\r\n\xc2\xa9gem\r";
    tree.file("hoard", EVIL.repeat(3))
        .file("na\x1bme", EVIL)
        .file("returns", carriage_returns)
        .file("returning", carriage_returns);
    let flags = "-o, --column, -A1, --vimgrep, --passthru, -M5, --trim, -v, --heading,
        --max-columns-preview -M5, -rx$0, -U, -U -o, --stats, -b, -0, -p, --crlf, --null-data,
        --null-data -o, --null-data -r$0, --colors=highlight:bg:blue, -c, --count-matches,
        --sort=path, -P, --debug, -o -r$0$0";
    for flag in flags.split(',').map(str::trim) {
        for pattern in ["gem", r"(?-u)\xc2", r"(?-u)\x9b", "[^g]"] {
            hs.args(flag.split(' '))
                .args(["-e"])
                .arg(format!("'{pattern}'"))
                .on_terminal()
                .differs_from_ripgrep("ripgrep does not escape control characters")
                .stdout_satisfies("only the colours of hs are escape sequences", is_harmless)
                .exits_with_one_of(&[0, 1, 2]);
        }
    }
});

/// Whether `stdout` contains no control characters except colours and line terminators.
fn is_harmless(stdout: &[u8]) -> bool {
    let mut text = String::from_utf8_lossy(stdout).into_owned();
    for code in ["0", "1", "7", "27", "31", "32", "35", "44"] {
        text = text.replace(&format!("\x1b[{code}m"), "");
    }
    // A carriage return at the end of a line has no effect: another one follows.
    let text = text.replace("\r\n", "\n").replace("\r\n", "\n");
    !text.chars().any(|c| (c.is_control() && !"\n\t\0".contains(c)) || c == '\u{202e}')
}
