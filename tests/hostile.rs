//! What others wrote, named or sent: trees, lines and arguments that are made to harm whoever searches them. Time and
//! memory stay bounded, a terminal shows what it would obey, and nothing that is found is run.

use std::{fs, os::unix::ffi::OsStrExt, path::Path};

use crate::harness::Vault;

/// A line with an escape sequence, a control character of two bytes, one that turns text around, and a carriage return.
const EVIL: &[u8] = b"gem\x1b[2J \xc2\x9b2J \xe2\x80\xae \x9b2J\rx\x07\n";
/// The same as a terminal is shown it, which adds a carriage return to the line's end.
const SHOWN: &str = "gem\\x1b[2J \\u{9b}2J \\u{202e} \\x9b2J\\rx\\x07\r\n";

hs_test!(a_terminal_shows_lines_it_would_obey, |vault, hs| {
    vault.file("hoard", EVIL);
    let args = ["--color=never", "--no-heading", "-N", "gem", "hoard"];
    let unlike = "ripgrep has a terminal obey";
    hs.args(args).on_a_terminal().not_like_the_judge(unlike).prints(SHOWN);
    hs.args(["--raw", "--no-raw"])
        .args(args)
        .on_a_terminal()
        .not_like_the_judge(unlike)
        .prints(SHOWN);
    let raw = [&EVIL[..EVIL.len() - 1], b"\r\n"].concat();
    hs.args(["--raw"]).args(args).on_a_terminal().not_like_the_judge(unlike).prints(raw);
    hs.args(args).prints(EVIL);
    hs.args(["-o", "--color=never", "--no-heading", "-N", "'(?-u)gem.*x'", "hoard"])
        .on_a_terminal()
        .not_like_the_judge(unlike)
        .prints(SHOWN.replace("\\x07", ""));
});

hs_test!(a_terminal_shows_carriage_returns_that_end_no_line, |vault, hs| {
    let line = "gem \u{e9}\u{e9}";
    vault.file("hoard", format!("{line}\r\n")).file("record", "gem\r").file("next", "gem OVER");
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
            .on_a_terminal()
            .not_like_the_judge("ripgrep has a terminal obey")
            .prints(expected);
    }
});

hs_test!(colour_tells_what_is_shown_from_what_is_written, |vault, hs| {
    vault.file("hoard", b"\x1bgem\n\\x1bgem\n");
    let red = "\x1b[0m\x1b[1m\x1b[31mgem\x1b[0m\r\n";
    hs.args(["--no-heading", "-N", "gem", "hoard"])
        .on_a_terminal()
        .not_like_the_judge("ripgrep has a terminal obey")
        .prints(format!("\x1b[7m\\x1b\x1b[27m{red}\\x1b{red}"));
});

hs_test!(a_terminal_shows_names_it_would_obey, |vault, hs| {
    vault.file("ge\nm\x1b[2J\tx", "gem\n");
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
            .on_a_terminal()
            .not_like_the_judge("ripgrep has a terminal obey")
            .prints(expected);
    }
    hs.args(["-l", "gem"]).prints("ge\nm\x1b[2J\tx\n");
    hs.args(["--color=always", "--hyperlink-format=file://{path}", "-l", "gem"])
        .on_a_terminal()
        .not_like_the_judge("ripgrep has a terminal obey")
        .prints_such_that("links hold no control character", |stdout| {
            String::from_utf8_lossy(stdout).contains("/ge%0Am%1B%5B2J%09x\x1b\\")
        });
});

hs_test!(a_terminal_shows_messages_it_would_obey, |_, hs| {
    hs.args(["gem", "miss\x1bing"])
        .on_a_terminal()
        .not_like_the_judge("ripgrep has a terminal obey")
        .prints("hs: miss\\x1bing: No such file or directory (os error 2)\r\n")
        .exits(2);
});

hs_test!(no_name_forges_a_message, |vault, hs| {
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
    vault.dir("links").symlink("nowhere", format!("links/{forged}"));
    vault.dir("loop").symlink("../loop", format!("loop/{forged}"));
    vault.file(format!("packed/{forged}.bz2"), "gem, not packed\n");
    vault.file(format!("rules/{forged}/.ignore"), "a\\\n");
    vault.file(format!("ignored/{forged}"), "gem\n").file("ignored/.ignore", "a*\n");
    for (args, expected) in runs {
        hs.args(args)
            .on_a_terminal()
            .not_like_the_judge("ripgrep has a terminal obey")
            .prints(expected)
            .exits_with_one_of(&[1, 2]);
    }
    hs.args(["--no-config", "-f", &format!("'{forged}'")])
        .on_a_terminal()
        .not_like_the_judge("ripgrep has a terminal obey")
        .prints(format!("hs: {shown}: {os_error}\r\n"))
        .exits(2);
    hs.args(["--debug", "-j1", "gem", "ignored"])
        .on_a_terminal()
        .not_like_the_judge("debug lines differ")
        .prints_such_that("every line is a debug line", |stdout| {
            let text = String::from_utf8_lossy(stdout);
            text.contains(&format!("ignored/{shown}"))
                && text.lines().all(|line| line.starts_with("hs: DEBUG|"))
        })
        .exits(1);
    hs.args(["-L", "gem", "links"])
        .satisfies("a pipe gets the name byte for byte", |outcome| {
            String::from_utf8_lossy(&outcome.stderr).contains(&format!(": links/{forged}: "))
        })
        .exits(2);
});

hs_test!(messages_keep_lines_of_their_own, |vault, hs| {
    vault.file("hoard", "gem\n").file("sh", "#!/bin/sh\necho one >&2\necho two >&2\nexit 1\n");
    vault.chmod("sh", 0o755);
    let runs: [(&[&str], &str); 3] = [
        (&["'ge(m'", "hoard"], "\r\n    (?:ge(m)\r\n    ^\r\n"),
        (&["-g", "'!*'", "gem"], "expect.\r\nRunning with --debug"),
        (&["--pre", "./sh", "gem", "hoard"], "-\r\none\r\ntwo\r\n-"),
    ];
    for (args, expected) in runs {
        hs.args(args)
            .on_a_terminal()
            .prints_such_that("it has its lines", |stdout| {
                String::from_utf8_lossy(stdout).contains(expected)
            })
            .exits(2);
    }
});

hs_test!(json_on_a_terminal_says_the_same, |vault, hs| {
    vault.file("hoard", "gem\u{9b}2J\u{202e}\u{7f}\n");
    let lines = |stdout: &[u8]| -> Vec<serde_json::Value> {
        let text = std::str::from_utf8(stdout).expect("JSON is text");
        let parsed = |line: &str| serde_json::from_str(line).expect("each line is JSON");
        text.lines().take(2).map(parsed).collect()
    };
    let plain = hs.args(["--json", "gem"]).stdout();
    assert!(plain.windows(2).any(|pair| pair == "\u{9b}".as_bytes()));
    hs.args(["--json", "gem"])
        .on_a_terminal()
        .not_like_the_judge("ripgrep has a terminal obey")
        .prints_such_that("it is the same JSON, in ASCII", |stdout| {
            stdout.is_ascii() && !stdout.contains(&0x7f) && lines(stdout) == lines(&plain)
        });
});

hs_test!(nothing_dangerous_gets_through_whatever_is_asked, |vault, hs| {
    let carriage_returns = b"gem\r\n\r\ngem\xc2\xa9\r\r\n\xc2\xa9gem\r";
    vault
        .file("hoard", EVIL.repeat(3))
        .file("na\x1bme", EVIL)
        .file("returns", carriage_returns)
        .file("returning", carriage_returns);
    let flags = [
        "-o",
        "--column",
        "-A1",
        "--vimgrep",
        "--passthru",
        "-M5",
        "--trim",
        "-v",
        "--heading",
        "--max-columns-preview -M5",
        "-rx$0",
        "-U",
        "-U -o",
        "--stats",
        "-b",
        "-0",
        "-p",
        "--crlf",
        "--null-data",
        "--null-data -o",
        "--null-data -r$0",
        "--colors=highlight:bg:blue",
        "-c",
        "--count-matches",
        "--sort=path",
        "-P",
        "--debug",
        "-o -r$0$0",
    ];
    for flag in flags {
        for pattern in ["gem", r"(?-u)\xc2", r"(?-u)\x9b", "[^g]"] {
            hs.args(flag.split(' '))
                .args(["-e"])
                .arg(format!("'{pattern}'"))
                .on_a_terminal()
                .not_like_the_judge("ripgrep has a terminal obey")
                .prints_such_that("only the colours of hs are escape sequences", is_harmless)
                .exits_with_one_of(&[0, 1, 2]);
        }
    }
});

/// Whether `stdout` holds nothing that a terminal obeys, but for colours and ends of lines.
fn is_harmless(stdout: &[u8]) -> bool {
    let mut text = String::from_utf8_lossy(stdout).into_owned();
    for code in ["0", "1", "7", "27", "31", "32", "35", "44"] {
        text = text.replace(&format!("\x1b[{code}m"), "");
    }
    // A carriage return at the end of what is shown does nothing: another one follows.
    let text = text.replace("\r\n", "\n").replace("\r\n", "\n");
    !text.chars().any(|c| (c.is_control() && !"\n\t\0".contains(c)) || c == '\u{202e}')
}

hs_test!(safe_runs_no_other_program, |vault, hs| {
    vault.file("hoard", "gem\n").file("a.Z", b"\x1f\x9d\x90a@\x9c)\xd3F\x01");
    let unlike = "ripgrep has no such flag";
    let refused: [&[&str]; 4] = [
        &["--safe", "--pre=cat", "gem"],
        &["--pre", "cat", "gem", "hoard", "--safe"],
        &["--safe", "--hostname-bin=echo", "gem"],
        &["--safe", "--hostname-bin", "./x", "--files"],
    ];
    for args in refused {
        hs.args(args).not_like_the_judge(unlike).refuses("is refused: with --safe");
    }
    hs.args(["--pre=cat", "gem"])
        .env("HEIST_RESTRICT", "1")
        .not_like_the_judge(unlike)
        .refuses("--pre is refused: with --safe or HEIST_RESTRICT no other program is run");
    hs.args(["--safe", "--pre=cat", "--no-pre", "gem", "hoard"])
        .not_like_the_judge(unlike)
        .prints("gem\n");
    hs.args(["-z", "gem"])
        .env("HEIST_RESTRICT", "yes")
        .not_like_the_judge(unlike)
        .prints("hoard:gem\n")
        .complains("a.Z: compress: not searched, it takes another program and none may be run")
        .exits(2);
    for off in ["", "0"] {
        hs.args(["--pre=cat", "gem", "hoard"]).env("HEIST_RESTRICT", off).prints("gem\n");
    }
});

hs_test!(safe_reads_no_configuration, |vault, hs| {
    vault.file("hoard", "GEM\n").file("rc", "-i\n--pre=cat\n");
    hs.args(["gem", "hoard"]).config("rc").prints("GEM\n");
    hs.args(["--safe", "gem", "hoard"])
        .config("rc")
        .not_like_the_judge("ripgrep has no such flag")
        .finds_nothing();
});

/// A script that leaves a trace if anybody runs it.
fn trap(vault: &Vault, name: &str) {
    let trace = vault.home().join("trace");
    vault.file(name, format!("#!/bin/sh\n: > '{}'\n", trace.display())).chmod(name, 0o755);
}

hs_test!(nothing_in_a_tree_is_run_or_trusted, |vault, hs| {
    for name in ["git", "rg", "uncompress", "gzip", "xz", "cat", "less", "hostname", "sh"] {
        trap(vault, name);
    }
    trap(vault, ".git/hooks/post-checkout");
    trap(vault, ".git/hooks/fsmonitor");
    vault
        .file(
            ".git/config",
            "[core]\nfsmonitor = ./git\npager = ./less\nexcludesFile = /etc/passwd\n",
        )
        .file(".config/heist/config", "--pre=./cat\n")
        .file("heist/config", "--pre=./cat\n")
        .file(".hsrc", "--pre=./cat\n")
        .file(".ripgreprc", "--pre=./cat\n")
        .file("a.Z", b"\x1f\x9d\x90a@\x9c)\xd3F\x01")
        .file("hoard", "gem\n");
    for args in
        [&["gem"][..], &["-z", "gem"], &["-uuu", "gem"], &["--files"], &["--safe", "-z", "gem"]]
    {
        hs.args(args)
            .env("GIT_DIR", vault.join(".git"))
            .not_like_the_judge("ripgrep runs what PATH names")
            .complains_only_of("what takes another program", |line| line.starts_with("a.Z: "))
            .prints_such_that("it finds", |stdout| !stdout.is_empty())
            .exits_with_one_of(&[0, 2]);
        let found = vault.home().join("trace").exists();
        assert!(!found, "something was run with {args:?}");
    }
});

hs_test!(programs_are_not_looked_for_in_the_tree, |vault, hs| {
    trap(vault, "uncompress");
    trap(vault, "gzip");
    vault.file("a.Z", b"\x1f\x9d\x90a@\x9c)\xd3F\x01");
    for path in [".", "", ":/nowhere", "./:/nowhere"] {
        hs.args(["-z", "gem"])
            .env("PATH", path)
            .not_like_the_judge("ripgrep runs what PATH names")
            .finds_nothing();
        assert!(!vault.home().join("trace").exists(), "PATH={path}");
    }
});

hs_test!(rules_that_do_not_end_are_not_read, |vault, hs| {
    vault.file("hoard", "gem\n").dir(".git/info").dir("linked/info");
    let message = "larger than 32 MiB, not read";
    for name in [".ignore", ".rgignore", ".git/info/exclude"] {
        vault.symlink("/dev/zero", name);
        for threads in ["-j1", "-j4"] {
            hs.args([threads, "gem"])
                .not_like_the_judge("ripgrep reads on and on")
                .prints("hoard:gem\n")
                .complains(message);
        }
        fs::remove_file(vault.join(name)).expect("the link");
    }
    fs::remove_dir_all(vault.join(".git")).expect("the repository");
    let huge = fs::File::create(vault.join(".ignore")).expect("an ignore file");
    huge.set_len(1 << 40).expect("a file with a hole");
    hs.args(["gem"])
        .not_like_the_judge("ripgrep reads on and on")
        .prints("hoard:gem\n")
        .complains(message);
    vault.file("below/hoard", "gem\n");
    hs.args(["gem"])
        .cwd("below")
        .not_like_the_judge("ripgrep reads on and on")
        .prints("hoard:gem\n")
        .complains(message);
    fs::remove_file(vault.join(".ignore")).expect("the ignore file");
    fs::remove_dir_all(vault.join("below")).expect("the directory");
    // Whatever else is wrong with the files of a repository is for git to say.
    vault.symlink("/dev/zero", ".git");
    hs.args(["gem"]).not_like_the_judge("ripgrep reads on and on").prints("hoard:gem\n");
    fs::remove_file(vault.join(".git")).expect("the link");
    vault.file(".git", "gitdir: linked\n").symlink("/dev/zero", "linked/commondir");
    hs.args(["gem"]).not_like_the_judge("ripgrep reads on and on").prints("hoard:gem\n");
});

hs_test!(rules_that_are_no_files_are_no_rules, |vault, hs| {
    vault.file("hoard", "gem\n").dir(".git/info");
    for name in [".ignore", ".rgignore", ".gitignore", ".git/info/exclude"] {
        vault.fifo(name);
        hs.args(["gem"])
            .not_like_the_judge("ripgrep waits for somebody to write")
            .prints("hoard:gem\n");
    }
    vault.file("below/hoard", "gem\n");
    hs.args(["gem"])
        .cwd("below")
        .not_like_the_judge("ripgrep waits for somebody to write")
        .prints("hoard:gem\n");
});

hs_test!(gits_own_files_that_are_no_files_are_not_read, |vault, hs| {
    vault.git_init(".").file("hoard", "gem\n").dir("../home/.config/git").fifo("pipe");
    for (name, target) in [
        (".config/git/ignore", "pipe"),
        (".config/git/ignore", "/dev/zero"),
        (".config/git/config", "pipe"),
        (".gitconfig", "pipe"),
    ] {
        let link = Path::new("../home").join(name);
        vault.symlink(vault.join(target), &link);
        hs.args(["gem"])
            .not_like_the_judge("ripgrep waits for somebody to write")
            .prints("hoard:gem\n");
        fs::remove_file(vault.join(link)).expect("the link");
    }
    for target in ["pipe", "/dev/null", "/dev/zero", "missing"] {
        let target = vault.join(target);
        let config = format!("[core]\nexcludesFile = {}\n", target.display());
        vault.file("../home/.gitconfig", config);
        hs.args(["gem"]).prints("hoard:gem\n");
    }
});

hs_test!(rules_and_configuration_that_are_named_may_come_from_pipes, |vault, hs| {
    vault.git_init(".").files(["hoard", "door"], "gem\n").fifo("pipe").file("excludes", "door\n");
    hs.args(["-l", "gem", "--ignore-file=pipe"])
        .through_sh("echo door > pipe & exec \"$@\"")
        .prints("hoard\n");
    hs.args(["-l", "gem"])
        .env("GIT_CONFIG_GLOBAL", "pipe")
        .through_sh("printf '[core]\\nexcludesFile = excludes\\n' > pipe & exec \"$@\"")
        .prints("hoard\n");
});

hs_test!(a_million_rules_are_read, |vault, hs| {
    let names = (0..900_000).map(|n| format!("name{n}\n"));
    let paths = (0..100_000).map(|n| format!("dir{n}/*.x{}\n", n % 7));
    let rules: String = names.chain(paths).collect();
    vault.file(".ignore", rules).files(["hoard", "name899999", "dir99999/a.x0"], "gem\n");
    hs.args(["-l", "gem"])
        .through_sh("ulimit -v 2000000; exec \"$@\"")
        .not_like_the_judge("ripgrep takes gigabytes")
        .prints_sorted("hoard\ndir99999/a.x0\n");
});

hs_test!(globs_that_are_built_to_explode_do_not, |vault, hs| {
    let name = "a".repeat(255);
    vault.file(&name, "gem\n").file("rules/x", "gem\n");
    let mut rules = String::new();
    for piece in ["*a", "a*", "*a*", "**/", "**/*a", "?*", "*[ab]", "{a,*}", "{a,b}", "[[:alpha:]]"]
    {
        for times in [30, 1000, 50_000] {
            rules += &format!("{0}b\n/{0}/b\n", piece.repeat(times));
        }
    }
    for depth in [99, 300, 100_000] {
        rules += &format!("{}b{}\n", "{a,".repeat(depth), "}".repeat(depth));
    }
    vault.file(".ignore", &rules).file(".gitignore", &rules).file("rules/.rgignore", &rules);
    hs.args(["--no-require-git", "-l", "gem"])
        .not_like_the_judge("ripgrep panics")
        .prints_sorted(format!("{name}\nrules/x\n"))
        .complains("braces are nested more than 100 deep")
        .complains("longer than 64 KiB");
    let nested = format!("{}b{}", "{a,".repeat(15_000), "}".repeat(15_000));
    for flag in ["-g", "--iglob", "--pre-glob"] {
        hs.args([flag, &nested, "gem"])
            .not_like_the_judge("ripgrep overflows its stack")
            .refuses("braces are nested more than 100 deep");
    }
});

hs_test!(globs_that_take_a_regex_are_counted, |vault, hs| {
    let rules: String = (0..200_000).map(|n| format!("{{a{n},b}}x\n")).collect();
    vault.file(".ignore", rules).files(["hoard", "bx"], "gem\n");
    hs.args(["-l", "gem"])
        .through_sh("ulimit -v 2000000; exec \"$@\"")
        .not_like_the_judge("ripgrep takes gigabytes")
        .prints("hoard\n")
        .complains("more than 10000 globs")
        .complains("and 189900 more lines with errors");
});

hs_test!(patterns_that_are_built_to_explode_do_not, |vault, hs| {
    vault.file("hoard", "a".repeat(5000) + "!\n");
    let runs: [(&[&str], i32); 12] = [
        (&["(a{1000}){1000}{1000}"], 2),
        (&[r"(\w{1,1000}\s){1,100}z"], 2),
        (&["(x+x+)+y"], 1),
        (&["(a|a)*b"], 1),
        (&["(a*)*$"], 0),
        (&["(a|aa)+$"], 1),
        (&["[^x]{5000}x"], 1),
        (&["(.{0,100}){0,100}q"], 1),
        (&["-P", "(a+)+$"], 2),
        (&["-P", "(a|aa)+$"], 2),
        (&["-P", "(?R)?a"], 2),
        (&["-P", "^(([a-z])+.)+[A-Z]([a-z])+$"], 2),
    ];
    for (args, code) in runs {
        hs.args(["-c"])
            .args(args)
            .arg("hoard")
            .through_sh("ulimit -v 4000000; exec \"$@\"")
            .not_like_the_judge("limits and their messages differ")
            .prints_such_that("it is a count, if anything", |stdout| stdout.len() < 3)
            .complains_only_of("a limit", |line| line.contains("limit"))
            .exits(code);
    }
    let nested = format!("{}a{}", "(".repeat(50_000), ")".repeat(50_000));
    hs.args([nested.as_str(), "hoard"]).refuses("nested parentheses");
});

/// 600 MiB of zstd in 38 KB: a line to be found, then blocks that repeat one byte, each with an end of line behind it.
fn bomb() -> Vec<u8> {
    let mut bytes = b"\x28\xb5\x2f\xfd\x00\x38".to_vec();
    bytes.extend_from_slice(b"\x30\x00\x00a gem\n");
    for _ in 0..4800 {
        bytes.extend_from_slice(b"\x02\x00\x10a\x08\x00\x00\n");
    }
    bytes.extend_from_slice(b"\x01\x00\x00");
    bytes
}

hs_test!(a_file_that_decompresses_to_far_too_much, |vault, hs| {
    vault.file("bomb.zst", bomb());
    hs.args(["-z", "-I", "gem"])
        .not_like_the_judge("ripgrep goes on")
        .prints("a gem\n")
        .complains("bomb.zst: zstd: decompresses to more than 256 times its size and 256 MiB")
        .exits(2);
    hs.args(["-z", "-m1", "gem", "bomb.zst"])
        .not_like_the_judge("ripgrep's program may be told of")
        .prints("a gem\n");
    // What a pipe gives, its size unknown, was asked for by name.
    hs.args(["-z", "-m1", "gem", "pipe.zst"])
        .through_sh("mkfifo pipe.zst; cat bomb.zst > pipe.zst & \"$@\"")
        .not_like_the_judge("ripgrep's program may be told of")
        .prints("a gem\n");
});

hs_test!(names_of_every_kind_are_found, |vault, hs| {
    let names: [&[u8]; 8] =
        [b"-e", b"--files", b" ", b"new\nline", b"\xff\xfe", b"\x1b[2J", b"a:1:b", &[b'n'; 255]];
    let mut expected = Vec::new();
    for name in names {
        vault.file(Path::new(std::ffi::OsStr::from_bytes(name)), "gem\n");
        expected.push([name, b"\0"].concat());
    }
    expected.sort();
    for args in [&["-0l", "gem"][..], &["-0", "--files"]] {
        hs.args(args).prints_such_that("every name is there, byte for byte", |stdout| {
            let mut found: Vec<_> =
                stdout.split_inclusive(|b| *b == 0).map(<[u8]>::to_vec).collect();
            found.sort();
            found == expected
        });
    }
});
