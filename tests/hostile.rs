//! Malicious trees, lines and arguments: time and memory stay bounded, and no program in a tree is
//! run.

use std::{fs, os::unix::ffi::OsStrExt, path::Path};

use crate::harness::TempTree;

hs_test!(safe_runs_no_other_program, |tree, hs| {
    tree.file("hoard", "gem\n").file("a.Z", b"\x1f\x9d\x90a@\x9c)\xd3F\x01");
    let unlike = "ripgrep has no such flag";
    let refused: [&[&str]; 4] = [
        &["--safe", "--pre=cat", "gem"],
        &["--pre", "cat", "gem", "hoard", "--safe"],
        &["--safe", "--hostname-bin=echo", "gem"],
        &["--safe", "--hostname-bin", "./x", "--files"],
    ];
    for args in refused {
        hs.args(args).differs_from_ripgrep(unlike).refuses("is refused: with --safe");
    }
    hs.args(["--pre=cat", "gem"])
        .env("HEIST_RESTRICT", "1")
        .differs_from_ripgrep(unlike)
        .refuses("--pre is refused: with --safe or HEIST_RESTRICT no other program is run");
    hs.args(["--safe", "--pre=cat", "--no-pre", "gem", "hoard"])
        .differs_from_ripgrep(unlike)
        .prints("gem\n");
    hs.args(["-z", "gem"])
        .env("HEIST_RESTRICT", "yes")
        .differs_from_ripgrep(unlike)
        .prints("hoard:gem\n")
        .stderr_contains(
            "a.Z: compress: not searched, it takes another program and none may be run",
        )
        .exits(2);
    for off in ["", "0"] {
        hs.args(["--pre=cat", "gem", "hoard"]).env("HEIST_RESTRICT", off).prints("gem\n");
    }
});

hs_test!(safe_reads_no_configuration, |tree, hs| {
    tree.file("hoard", "GEM\n").file("rc", "-i\n--pre=cat\n");
    hs.args(["gem", "hoard"]).config("rc").prints("GEM\n");
    hs.args(["--safe", "gem", "hoard"])
        .config("rc")
        .differs_from_ripgrep("ripgrep has no such flag")
        .finds_nothing();
});

/// Creates a script that leaves a trace when it is run.
fn trap(tree: &TempTree, name: &str) {
    let trace = tree.home().join("trace");
    tree.file(name, format!("#!/bin/sh\n: > '{}'\n", trace.display())).chmod(name, 0o755);
}

hs_test!(nothing_in_a_tree_is_executed, |tree, hs| {
    for name in ["git", "rg", "uncompress", "gzip", "xz", "cat", "less", "hostname", "sh"] {
        trap(tree, name);
    }
    trap(tree, ".git/hooks/post-checkout");
    trap(tree, ".git/hooks/fsmonitor");
    tree.file(
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
            .env("GIT_DIR", tree.join(".git"))
            .differs_from_ripgrep("ripgrep runs programs in a relative PATH")
            .stderr_lines_are("files that need another program", |line| line.starts_with("a.Z: "))
            .stdout_satisfies("a match", |stdout| !stdout.is_empty())
            .exits_with_one_of(&[0, 2]);
        let found = tree.home().join("trace").exists();
        assert!(!found, "a program was run with {args:?}");
    }
});

hs_test!(programs_are_not_taken_from_the_tree, |tree, hs| {
    trap(tree, "uncompress");
    trap(tree, "gzip");
    tree.file("a.Z", b"\x1f\x9d\x90a@\x9c)\xd3F\x01");
    for path in [".", "", ":/nowhere", "./:/nowhere"] {
        hs.args(["-z", "gem"])
            .env("PATH", path)
            .differs_from_ripgrep("ripgrep runs programs in a relative PATH")
            .finds_nothing();
        assert!(!tree.home().join("trace").exists(), "PATH={path}");
    }
});

hs_test!(endless_ignore_files_are_not_read, |tree, hs| {
    tree.file("hoard", "gem\n").dir(".git/info").dir("linked/info");
    let message = "larger than 32 MiB, not read";
    for name in [".ignore", ".rgignore", ".git/info/exclude"] {
        tree.symlink("/dev/zero", name);
        for threads in ["-j1", "-j4"] {
            hs.args([threads, "gem"])
                .differs_from_ripgrep("ripgrep reads without a limit")
                .prints("hoard:gem\n")
                .stderr_contains(message);
        }
        fs::remove_file(tree.join(name)).expect("the link");
    }
    fs::remove_dir_all(tree.join(".git")).expect("the repository");
    let huge = fs::File::create(tree.join(".ignore")).expect("an ignore file");
    huge.set_len(1 << 40).expect("a file with a hole");
    hs.args(["gem"])
        .differs_from_ripgrep("ripgrep reads without a limit")
        .prints("hoard:gem\n")
        .stderr_contains(message);
    tree.file("below/hoard", "gem\n");
    hs.args(["gem"])
        .cwd("below")
        .differs_from_ripgrep("ripgrep reads without a limit")
        .prints("hoard:gem\n")
        .stderr_contains(message);
    fs::remove_file(tree.join(".ignore")).expect("the ignore file");
    fs::remove_dir_all(tree.join("below")).expect("the directory");
    // Other errors in the files of a repository are not reported.
    tree.symlink("/dev/zero", ".git");
    hs.args(["gem"]).differs_from_ripgrep("ripgrep reads without a limit").prints("hoard:gem\n");
    fs::remove_file(tree.join(".git")).expect("the link");
    tree.file(".git", "gitdir: linked\n").symlink("/dev/zero", "linked/commondir");
    hs.args(["gem"]).differs_from_ripgrep("ripgrep reads without a limit").prints("hoard:gem\n");
});

hs_test!(pipes_are_not_read_as_ignore_files, |tree, hs| {
    tree.file("hoard", "gem\n").dir(".git/info");
    for name in [".ignore", ".rgignore", ".gitignore", ".git/info/exclude"] {
        tree.fifo(name);
        hs.args(["gem"]).differs_from_ripgrep("ripgrep waits for a writer").prints("hoard:gem\n");
    }
    tree.file("below/hoard", "gem\n");
    hs.args(["gem"])
        .cwd("below")
        .differs_from_ripgrep("ripgrep waits for a writer")
        .prints("hoard:gem\n");
});

hs_test!(pipes_and_devices_are_not_read_as_files_of_git, |tree, hs| {
    tree.git_init(".").file("hoard", "gem\n").dir("../home/.config/git").fifo("pipe");
    for (name, target) in [
        (".config/git/ignore", "pipe"),
        (".config/git/ignore", "/dev/zero"),
        (".config/git/config", "pipe"),
        (".gitconfig", "pipe"),
    ] {
        let link = Path::new("../home").join(name);
        tree.symlink(tree.join(target), &link);
        hs.args(["gem"]).differs_from_ripgrep("ripgrep waits for a writer").prints("hoard:gem\n");
        fs::remove_file(tree.join(link)).expect("the link");
    }
    for target in ["pipe", "/dev/null", "/dev/zero", "missing"] {
        let target = tree.join(target);
        let config = format!("[core]\nexcludesFile = {}\n", target.display());
        tree.file("../home/.gitconfig", config);
        hs.args(["gem"]).prints("hoard:gem\n");
    }
});

hs_test!(named_ignore_files_can_be_pipes, |tree, hs| {
    tree.git_init(".").files(["hoard", "door"], "gem\n").fifo("pipe").file("excludes", "door\n");
    hs.args(["-l", "gem", "--ignore-file=pipe"])
        .through_sh("echo door > pipe & exec \"$@\"")
        .prints("hoard\n");
    hs.args(["-l", "gem"])
        .env("GIT_CONFIG_GLOBAL", "pipe")
        .through_sh("printf '[core]\\nexcludesFile = excludes\\n' > pipe & exec \"$@\"")
        .prints("hoard\n");
});

hs_test!(a_million_rules_are_read, |tree, hs| {
    let names = (0..900_000).map(|n| format!("name{n}\n"));
    let paths = (0..100_000).map(|n| format!("dir{n}/*.x{}\n", n % 7));
    let rules: String = names.chain(paths).collect();
    tree.file(".ignore", rules).files(["hoard", "name899999", "dir99999/a.x0"], "gem\n");
    hs.args(["-l", "gem"])
        .through_sh("ulimit -v 2000000; exec \"$@\"")
        .differs_from_ripgrep("ripgrep takes gigabytes")
        .prints_in_any_order("hoard\ndir99999/a.x0\n");
});

hs_test!(repeated_rules_are_read_in_linear_time, |tree, hs| {
    // A comparison of each rule with all before it would take minutes.
    let rules = "sand\n*.dust\n".repeat(1_000_000) + "!gold.dust\n";
    tree.file(".ignore", rules).files(["hoard", "sand", "x.dust", "gold.dust"], "gem\n");
    hs.args(["-l", "gem"]).prints_in_any_order("gold.dust\nhoard\n");
});

hs_test!(lines_without_a_rule_take_no_memory, |tree, hs| {
    tree.file(".ignore", "/\n".repeat(16 << 20)).file("hoard", "gem\n");
    hs.args(["-j1", "gem"])
        .through_sh("ulimit -v 500000; exec \"$@\"")
        .differs_from_ripgrep("ripgrep takes gigabytes")
        .prints("hoard:gem\n");
});

hs_test!(directories_above_a_root_may_be_deeper_than_the_stack, |tree, hs| {
    tree.git_init(".").file(".gitignore", "*.dust\n").deep("d", 10_000, "hoard", b"gem\n");
    let message = "cannot look for ignore files here and below, above the root: File name too long";
    let path = "d/".repeat(10_000);
    for threads in ["-j1", "-j4"] {
        hs.args([threads, "-l", "gem"])
            .through_sh(
                "thousand=$(printf 'd/%.0s' $(seq 1000)); for n in $(seq 10); do cd -P $thousand || exit; done
                echo gem > x.dust; ulimit -s 1024; exec \"$@\"",
            )
            .differs_from_ripgrep("ripgrep does not report unread ignore files")
            .prints("hoard\n")
            .stderr_lines_are("one directory that is too deep", |line| line.contains(message));
        hs.args([threads, "-l", "-d1", "gem", &path])
            .through_sh("ulimit -s 1024; exec \"$@\"")
            .differs_from_ripgrep("ripgrep stops at the maximal length of a path")
            .prints(format!("{path}hoard\n"))
            .stderr_lines_are("one directory that is too deep", |line| line.contains(message));
    }
});

hs_test!(malicious_globs_take_bounded_time, |tree, hs| {
    let name = "a".repeat(255);
    tree.file(&name, "gem\n").file("rules/x", "gem\n");
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
    tree.file(".ignore", &rules).file(".gitignore", &rules).file("rules/.rgignore", &rules);
    hs.args(["--no-require-git", "-l", "gem"])
        .differs_from_ripgrep("ripgrep panics")
        .prints_in_any_order(format!("{name}\nrules/x\n"))
        .stderr_contains("braces are nested more than 100 deep")
        .stderr_contains("longer than 64 KiB");
    let nested = format!("{}b{}", "{a,".repeat(15_000), "}".repeat(15_000));
    for flag in ["-g", "--iglob", "--pre-glob"] {
        hs.args([flag, &nested, "gem"])
            .differs_from_ripgrep("ripgrep overflows its stack")
            .refuses("braces are nested more than 100 deep");
    }
});

hs_test!(globs_that_need_a_regex_are_limited, |tree, hs| {
    let rules: String = (0..200_000).map(|n| format!("{{a{n},b}}x\n")).collect();
    tree.file(".ignore", rules).files(["hoard", "bx"], "gem\n");
    hs.args(["-l", "gem"])
        .through_sh("ulimit -v 2000000; exec \"$@\"")
        .differs_from_ripgrep("ripgrep takes gigabytes")
        .prints("hoard\n")
        .stderr_contains("more than 10000 globs")
        .stderr_contains("and 189900 more lines with errors");
    let rules: String = (0..100).map(|n| format!("{{x{n},{}}}\n", "?".repeat(60_000))).collect();
    tree.file(".ignore", rules);
    hs.args(["-l", "-j1", "gem"])
        .through_sh("ulimit -v 1000000; exec \"$@\"")
        .differs_from_ripgrep("ripgrep takes gigabytes")
        .prints_in_any_order("bx\nhoard\n")
        .stderr_contains("more than 1024 KiB of globs")
        .stderr_lines_are("messages about the size of globs", |line| {
            line.contains("more than 1024 KiB")
        });
});

hs_test!(malicious_patterns_take_bounded_time, |tree, hs| {
    tree.file("hoard", "a".repeat(5000) + "!\n");
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
            .differs_from_ripgrep("ripgrep has other limits and messages")
            .stdout_satisfies("a count or nothing", |stdout| stdout.len() < 3)
            .stderr_lines_are("messages about limits", |line| line.contains("limit"))
            .exits(code);
    }
    let nested = format!("{}a{}", "(".repeat(50_000), ")".repeat(50_000));
    hs.args([nested.as_str(), "hoard"]).refuses("nested parentheses");
});

/// 38 KB of zstd that decompress to 600 MiB: a matching line, then blocks that repeat one byte,
/// each with a line feed.
fn bomb() -> Vec<u8> {
    let mut bytes = b"\x28\xb5\x2f\xfd\x00\x38".to_vec();
    bytes.extend_from_slice(b"\x30\x00\x00a gem\n");
    for _ in 0..4800 {
        bytes.extend_from_slice(b"\x02\x00\x10a\x08\x00\x00\n");
    }
    bytes.extend_from_slice(b"\x01\x00\x00");
    bytes
}

hs_test!(a_decompression_bomb_is_stopped, |tree, hs| {
    tree.file("bomb.zst", bomb());
    hs.args(["-z", "-I", "gem"])
        .differs_from_ripgrep("ripgrep has no limit")
        .prints("a gem\n")
        .stderr_contains("bomb.zst: zstd: decompresses to more than 256 times its size and 256 MiB")
        .exits(2);
    hs.args(["-z", "-m1", "gem", "bomb.zst"])
        .differs_from_ripgrep("ripgrep can report the stopped program")
        .prints("a gem\n");
    // The size of a pipe is unknown, so there is no ratio to limit.
    hs.args(["-z", "-m1", "gem", "pipe.zst"])
        .through_sh("mkfifo pipe.zst; cat bomb.zst > pipe.zst & \"$@\"")
        .differs_from_ripgrep("ripgrep can report the stopped program")
        .prints("a gem\n");
});

hs_test!(names_of_every_kind_are_found, |tree, hs| {
    let names: [&[u8]; 8] =
        [b"-e", b"--files", b" ", b"new\nline", b"\xff\xfe", b"\x1b[2J", b"a:1:b", &[b'n'; 255]];
    let mut expected = Vec::new();
    for name in names {
        tree.file(Path::new(std::ffi::OsStr::from_bytes(name)), "gem\n");
        expected.push([name, b"\0"].concat());
    }
    expected.sort();
    for args in [&["-0l", "gem"][..], &["-0", "--files"]] {
        hs.args(args).stdout_satisfies("every name is printed, byte for byte", |stdout| {
            let mut found: Vec<_> =
                stdout.split_inclusive(|b| *b == 0).map(<[u8]>::to_vec).collect();
            found.sort();
            found == expected
        });
    }
});
