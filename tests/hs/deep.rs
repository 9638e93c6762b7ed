//! Trees that are deeper than system calls accept, which only system calls can create.

hs_test!(paths_longer_than_the_system_takes, |tree, hs| {
    let name = "n".repeat(200);
    tree.deep(&name, 25, "leaf", b"a gem\n");
    let path = format!("{}leaf", format!("{name}/").repeat(25));
    assert!(path.len() > 4096);
    let wine = "Wine's paths are those of Unix system calls";
    for threads in ["-j1", "-j4"] {
        hs.args(["--files", threads])
            .unix_only(wine)
            .differs_from_ripgrep("ripgrep stops at the maximal length of a path")
            .prints(format!("{path}\n"));
        hs.args([threads, "gem"])
            .unix_only(wine)
            .differs_from_ripgrep("ripgrep stops at the maximal length of a path")
            .prints(format!("{path}:a gem\n"));
    }
    // A named directory can be as deep. `--no-ignore` suppresses the message that ignore files
    // above it cannot be read.
    let dir = path.strip_suffix("/leaf").expect("the leaf's directory");
    hs.args(["--no-ignore", "gem", dir])
        .unix_only(wine)
        .differs_from_ripgrep("ripgrep cannot open a path that is too long")
        .prints(format!("{path}:a gem\n"));
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
