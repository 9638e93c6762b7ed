//! Threads, queues, limits and races: the results do not depend on the number of workers.

use std::{fmt::Write, fs};

use heist_queue::{IdleKind, QueueKind};

fn expected(width: usize, files: usize) -> String {
    let mut paths = String::new();
    for dir in 0..width {
        for file in 0..files {
            writeln!(paths, "dir{dir:03}/file{file:03}").expect("writing to memory");
        }
    }
    paths
}

hs_test!(every_thread_count_finds_the_same, |tree, hs| {
    tree.wide(60, 5);
    for threads in ["0", "1", "2", "3", "8", "32"] {
        hs.args(["-l", "-j", threads, "gem"]).prints_in_any_order(expected(60, 5));
        hs.args(["--files", "--threads", threads]).prints_in_any_order(expected(60, 5));
    }
});

hs_test!(every_queue_finds_the_same, |tree, hs| {
    tree.wide(60, 5);
    for queue in QueueKind::NAMES {
        for threads in ["1", "2", "5", "32"] {
            hs.args(["-l", "--queue", queue, "-j", threads, "gem"])
                .differs_from_ripgrep("ripgrep has one queue")
                .prints_in_any_order(expected(60, 5));
        }
    }
});

hs_test!(every_idle_policy_with_every_queue_finds_the_same, |tree, hs| {
    tree.wide(20, 3);
    let lines = expected(20, 3).replace('\n', ":1:gem\n");
    for idle in IdleKind::NAMES {
        for queue in QueueKind::NAMES {
            for threads in ["2", "5"] {
                let chosen = ["--idle", idle, "--queue", queue, "-j", threads];
                hs.args(["--files"].into_iter().chain(chosen))
                    .differs_from_ripgrep("ripgrep has one queue")
                    .prints_in_any_order(expected(20, 3));
                hs.args(["-n", "gem"].into_iter().chain(chosen))
                    .differs_from_ripgrep("ripgrep has one queue")
                    .prints_in_any_order(&lines);
            }
        }
    }
});

hs_test!(unknown_queues_idle_policies_and_thread_counts_are_rejected, |tree, hs| {
    tree.file("a", "gem\n");
    hs.args(["--idle", "bogus", "gem"])
        .differs_from_ripgrep("ripgrep has one idle policy")
        .refuses("bogus");
    hs.args(["--queue", "bogus", "gem"])
        .differs_from_ripgrep("ripgrep has one queue")
        .refuses("bogus");
    hs.args(["-j", "many", "gem"]).refuses("error parsing flag -j: value is not a valid number");
});

hs_test!(every_reader_finds_the_same, |tree, hs| {
    tree.wide(20, 5);
    for reader in ["portable", "linux"] {
        for threads in ["1", "4"] {
            hs.args(["-l", "--reader", reader, "-j", threads, "gem"])
                .differs_from_ripgrep("ripgrep has one reader")
                .prints_in_any_order(expected(20, 5));
        }
    }
});

hs_test!(more_threads_than_work, |tree, hs| {
    tree.file("a", "gem\n");
    hs.args(["-j64", "gem"]).prints("a:gem\n");
    hs.args(["-j64", "gem", "a"]).prints("gem\n");
    hs.args(["-j64", "nowhere"]).finds_nothing();
});

hs_test!(a_narrow_and_deep_tree, |tree, hs| {
    let dir = (0..300).map(|_| "d").collect::<Vec<_>>().join("/");
    tree.file(format!("{dir}/hoard"), "gem\n");
    for threads in ["-j1", "-j4"] {
        hs.args([threads, "-l", "gem"]).prints(format!("{dir}/hoard\n"));
    }
});

hs_test!(one_directory_of_many_files, |tree, hs| {
    tree.wide(1, 3000);
    hs.args(["-l", "-j4", "gem"]).prints_in_any_order(expected(1, 3000));
    hs.args(["--files", "-j4"]).prints_in_any_order(expected(1, 3000));
});

hs_test!(paths_longer_than_the_system_takes, |tree, hs| {
    let name = "n".repeat(200);
    tree.deep(&name, 25, "leaf", b"a gem\n");
    let path = format!("{}leaf", format!("{name}/").repeat(25));
    assert!(path.len() > 4096);
    for threads in ["-j1", "-j4"] {
        hs.args(["--files", threads])
            .differs_from_ripgrep("ripgrep stops at the maximal length of a path")
            .prints(format!("{path}\n"));
        hs.args([threads, "gem"])
            .differs_from_ripgrep("ripgrep stops at the maximal length of a path")
            .prints(format!("{path}:a gem\n"));
    }
    // A named directory can be as deep. `--no-ignore` suppresses the message that ignore files
    // above it cannot be read.
    let dir = path.strip_suffix("/leaf").expect("the leaf's directory");
    hs.args(["--no-ignore", "gem", dir])
        .differs_from_ripgrep("ripgrep cannot open a path that is too long")
        .prints(format!("{path}:a gem\n"));
});

hs_test!(few_descriptors_are_enough, |tree, hs| {
    tree.wide(60, 5);
    for threads in ["-j1", "-j4"] {
        hs.args(["-l", threads, "gem"])
            .through_sh("ulimit -n 20; exec \"$@\"")
            .prints_in_any_order(expected(60, 5));
    }
});

hs_test!(few_descriptors_are_enough_in_the_depth, |tree, hs| {
    let dir = (0..100).map(|_| "d").collect::<Vec<_>>().join("/");
    tree.file(format!("{dir}/hoard"), "gem\n");
    for threads in ["-j1", "-j4"] {
        hs.args([threads, "-l", "gem"])
            .through_sh("ulimit -n 20; exec \"$@\"")
            .prints(format!("{dir}/hoard\n"));
    }
});

hs_test!(few_descriptors_are_enough_for_files_that_are_sorted_first, |tree, hs| {
    // So large that several are open at once.
    tree.file("hoard000", "a gem\n".repeat(150_000));
    let mut counts = "hoard000:150000\n".to_owned();
    for link in 1..100 {
        let name = format!("hoard{link:03}");
        fs::hard_link(tree.join("hoard000"), tree.join(&name)).expect("a link");
        writeln!(counts, "{name}:150000").expect("writing to memory");
    }
    hs.args(["--sort=modified", "-c", "-j40", "gem"])
        .through_sh("ulimit -n 5; exec \"$@\"")
        .prints_in_any_order(counts);
});

hs_test!(a_tree_that_vanishes_under_the_walk, |tree, hs| {
    for round in 0..5 {
        let doomed = format!("doomed{round}");
        for dir in 0..40 {
            tree.files([format!("{doomed}/{dir}/a/b/c").as_str()], "gem\n");
        }
        hs.args(["-l", "-j4", "gem"])
            .arg(&doomed)
            .through_sh(
                "for last; do :; done; rm -rf \"$last\" & \"$@\"; code=$?; wait; exit $code",
            )
            .stdout_satisfies("every line is a path", |stdout| {
                String::from_utf8_lossy(stdout).lines().all(|line| line.starts_with("doomed"))
            })
            .stderr_lines_are("vanished paths", |line| {
                line.ends_with("No such file or directory (os error 2)")
            })
            .exits_with_one_of(&[0, 1, 2]);
    }
});

hs_test!(a_reader_that_leaves_early, |tree, hs| {
    tree.wide(50, 20);
    for mode in ["--files", "-l", "-n"] {
        hs.args([mode, "-j4", "-e", "gem"])
            .through_sh("\"$@\" | head -n 1 | wc -l | tr -d ' '")
            .prints("1\n");
    }
});

hs_test!(a_reader_that_leaves_a_single_file_early, |tree, hs| {
    tree.file("hoard", "a gem\n".repeat(200_000));
    hs.args(["gem", "hoard"]).through_sh("\"$@\" | head -n 1").prints("a gem\n");
    hs.args(["-n", "gem"]).through_sh("\"$@\" < hoard | head -n 1").prints("1:a gem\n");
});

hs_test!(a_reader_that_exits_first, |tree, hs| {
    tree.file("hoard", "a gem\n");
    hs.args(["gem", "hoard"])
        .through_sh("{ sleep 0.2; \"$@\"; echo $? >&2; } | true")
        .stderr_lines_are("the exit status", |line| line == "0" || line == "1");
});

hs_test!(a_full_disk_is_an_error, |tree, hs| {
    tree.wide(5, 5);
    tree.file("hoard", "a gem\n");
    let runs: [&[&str]; 5] = [
        &["gem", "hoard"],
        &["-j1", "gem"],
        &["-j4", "gem"],
        &["--files"],
        &["-c", "gem", "hoard"],
    ];
    for args in runs {
        hs.args(args)
            .through_sh("\"$@\" > /dev/full")
            .differs_from_ripgrep("ripgrep loses buffered output and exits with 0")
            .stderr_contains("No space left on device (os error 28)")
            .exits(2);
    }
});

hs_test!(a_closed_stdout_does_not_crash, |tree, hs| {
    tree.file("hoard", "a gem\n");
    hs.args(["nowhere", "hoard"]).through_sh("\"$@\" >&-").exits(1);
    hs.args(["-q", "gem", "hoard"]).through_sh("\"$@\" >&-").exits(0);
});

hs_test!(few_descriptors_are_left_by_the_parent, |tree, hs| {
    tree.wide(60, 5);
    // A POSIX shell only supports descriptors of one digit.
    hs.args(["-l", "-j8", "gem"])
        .through_sh(
            "exec bash -c 'ulimit -n 300; for fd in {10..290}; do eval \"exec $fd</dev/null\"; done; \
             exec \"$@\"' bash \"$@\"",
        )
        .prints_in_any_order(expected(60, 5));
});
