//! Every queue finds the same, with every idle policy, and prints it in the same order.

use std::fmt::Write;

use heist_queue::{IdleKind, QueueKind, Sharing};

fn expected(width: usize, files: usize) -> String {
    let mut paths = String::new();
    for dir in 0..width {
        for file in 0..files {
            writeln!(paths, "dir{dir:03}/file{file:03}").expect("writing to memory");
        }
    }
    paths
}

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

hs_test!(every_way_of_sharing_with_every_queue_finds_the_same, |tree, hs| {
    tree.wide(40, 3);
    let lines = expected(40, 3).replace('\n', ":1:gem\n");
    for sharing in Sharing::NAMES {
        for queue in QueueKind::NAMES {
            for threads in ["2", "5"] {
                let chosen = ["-n", "--sharing", sharing, "--queue", queue, "-j", threads, "gem"];
                hs.args(chosen)
                    .differs_from_ripgrep("ripgrep has one queue")
                    .prints_in_any_order(&lines);
                hs.args(["--sort=path"].into_iter().chain(chosen))
                    .differs_from_ripgrep("ripgrep has one queue")
                    .prints(&lines);
            }
        }
    }
});

hs_test!(every_queue_prints_the_same_bytes, |tree, hs| {
    tree.wide(40, 5);
    let mut lines = String::new();
    for (dir, file) in (0..40).flat_map(|dir| (0..5).map(move |file| (dir, file))) {
        writeln!(lines, "dir{dir:03}/file{file:03}:1:gem").expect("writing to memory");
    }
    for queue in QueueKind::NAMES {
        for threads in ["1", "2", "5", "32"] {
            hs.args(["-n", "--sort=path", "--queue", queue, "-j", threads, "gem"])
                .differs_from_ripgrep("ripgrep has one queue")
                .prints(&lines);
        }
    }
});
