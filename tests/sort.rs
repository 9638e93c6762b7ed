//! `--sort`, `--sortr` and `--sort-files`: the same order with any number of workers.

use std::{
    fmt::Write,
    fs,
    time::{Duration, SystemTime},
};

use heist_queue::QueueKind;

/// From one worker to more workers than files.
const THREADS: [&str; 4] = ["-j1", "-j2", "-j5", "-j32"];

hs_test!(paths_are_compared_by_component, |tree, hs| {
    tree.files(["a/b", "a/z/y", "a+", "a.b/c", "a b", "A/z", "a-/0", "a/\u{1}", "b"], "gem\n");
    let sorted = ["A/z", "a/\u{1}", "a/b", "a/z/y", "a b", "a+", "a-/0", "a.b/c", "b"];
    let forward: String = sorted.iter().map(|path| format!("{path}\n")).collect();
    let backward: String = sorted.iter().rev().map(|path| format!("{path}\n")).collect();
    for threads in THREADS {
        for asked in [&["--files"][..], &["-l", "gem"]] {
            hs.args(["--sort", "path", threads].iter().chain(asked)).prints(&forward);
            hs.args(["--sort-files", threads].iter().chain(asked)).prints(&forward);
            hs.args(["--sortr", "path", threads].iter().chain(asked)).prints(&backward);
        }
    }
});

hs_test!(the_last_sort_flag_wins, |tree, hs| {
    tree.files(["b", "a", "c"], "gem\n");
    hs.args(["--files", "--sort", "path", "--sortr", "path"]).prints("c\nb\na\n");
    hs.args(["--files", "--sortr", "path", "--sort-files"]).prints("a\nb\nc\n");
    hs.args(["--files", "--sortr", "path", "--no-sort-files"]).prints_in_any_order("a\nb\nc\n");
    hs.args(["--files", "--sortr", "path", "--sort", "none"]).prints_in_any_order("a\nb\nc\n");
    hs.args(["--files", "--sort", "size"]).refuses("choice 'size' is unrecognized");
});

hs_test!(only_an_ascending_sort_keeps_the_order_of_roots, |tree, hs| {
    tree.files(["one/b", "one/a", "two/a", "c"], "gem\n");
    for threads in THREADS {
        hs.args(["-l", threads, "--sort=path", "gem", "two", "c", "one", "two/a"])
            .prints("two/a\nc\none/a\none/b\ntwo/a\n");
        hs.args(["-l", threads, "--sortr=path", "gem", "c", "two", "one"])
            .prints("two/a\none/b\none/a\nc\n");
        // One root is inside another.
        hs.args(["-l", threads, "--sortr=path", "gem", "c", "two/a", "two", "one", "c"])
            .prints("two/a\ntwo/a\none/b\none/a\nc\nc\n");
        hs.args(["--files", threads, "--sortr=path", "c", "two/a", "two", "one", "c"])
            .prints("two/a\ntwo/a\none/b\none/a\nc\nc\n");
    }
});

hs_test!(standard_input_is_sorted_like_a_path, |tree, hs| {
    tree.files(["a", "b"], "a gem\n");
    for threads in THREADS {
        hs.args([threads, "--sort=path", "gem", "b", "-", "a"])
            .stdin("piped gem\n")
            .prints("b:a gem\n<stdin>:piped gem\na:a gem\n");
        hs.args([threads, "--sortr=path", "gem", "-", "a", "b"])
            .stdin("piped gem\n")
            .prints("b:a gem\na:a gem\n<stdin>:piped gem\n");
        hs.args([threads, "--sort=modified", "gem", "-", "a"])
            .stdin("piped gem\n")
            .prints("a:a gem\n<stdin>:piped gem\n");
        hs.args([threads, "--sortr=modified", "gem", "a", "-"])
            .stdin("piped gem\n")
            .prints("<stdin>:piped gem\na:a gem\n");
    }
});

hs_test!(lines_of_a_slow_pipe_do_not_wait_for_its_end, |tree, hs| {
    tree.file("hoard", "a gem\n");
    // Prints `late gem` unless the first line is in the output by then.
    let slow = "(echo first gem; for i in $(seq 1000); do \
                grep -qs first out && break; sleep 0.01; done; \
                test $i = 1000 && echo late gem; echo last gem) | \"$@\" > out; cat out";
    for threads in THREADS {
        hs.args([threads, "--sort=path", "--line-buffered", "gem", "-", "hoard"])
            .through_sh(slow)
            .prints("<stdin>:first gem\n<stdin>:last gem\nhoard:a gem\n");
    }
});

hs_test!(quiet_and_sorted_pipes_are_opened_in_turn, |tree, hs| {
    tree.fifo("first").fifo("second");
    for threads in THREADS {
        hs.args([threads, "--sort=path", "-q", "gem", "first", "second"])
            .through_sh("(echo a gem > first) & \"$@\"")
            .prints("");
    }
});

hs_test!(by_time_files_come_in_one_sequence, |tree, hs| {
    tree.files(["new", "sub/old", "sub/middle", "older"], "gem\n").symlink("older", "link");
    let base = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    for (name, age) in [("new", 40), ("sub/middle", 30), ("sub/old", 20), ("older", 10)] {
        let file = fs::File::options().write(true).open(tree.join(name)).expect("a file");
        let modified = base + Duration::from_secs(age);
        let accessed = base + Duration::from_secs(100 - age);
        let times = fs::FileTimes::new().set_modified(modified).set_accessed(accessed);
        file.set_times(times).expect("times");
    }
    for threads in THREADS {
        hs.args(["--sort=accessed", "--files", threads])
            .prints("new\nsub/middle\nsub/old\nolder\n");
    }
    // Searches come later, since they change the times of access.
    for threads in THREADS {
        hs.args(["--sort=modified", threads, "--files"])
            .prints("older\nsub/old\nsub/middle\nnew\n");
        hs.args(["--sortr=modified", threads, "--files"])
            .prints("new\nsub/middle\nsub/old\nolder\n");
        hs.args(["--sort=modified", threads, "gem"])
            .prints("older:gem\nsub/old:gem\nsub/middle:gem\nnew:gem\n");
        // The time of a link is that of its target.
        hs.args(["--sort=modified", threads, "-L", "--files", "new", "link"]).prints("link\nnew\n");
    }
});

hs_test!(files_are_sorted_by_creation_time, |tree, hs| {
    for name in ["first", "a/second", "third"] {
        tree.file(name, "gem\n");
        std::thread::sleep(Duration::from_millis(20));
    }
    for threads in THREADS {
        hs.args(["--sort=created", threads, "-l", "gem"]).prints("first\na/second\nthird\n");
        hs.args(["--sortr=created", threads, "--files"]).prints("third\na/second\nfirst\n");
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

hs_test!(separators_stand_between_files, |tree, hs| {
    tree.file("a", "gem\nx\ngem\n").file("b/c", "gem\n").file("d", "nothing\n");
    tree.file("e", "x\ngem\n");
    for threads in THREADS {
        hs.args([threads, "--sort=path", "-A0", "-B1", "gem"])
            .prints("a:gem\na-x\na:gem\n--\nb/c:gem\n--\ne-x\ne:gem\n");
        hs.args([threads, "--sortr=path", "--heading", "gem"])
            .prints("e\ngem\n\nb/c\ngem\n\na\ngem\ngem\n");
        hs.args([threads, "--sort=path", "-c", "gem"]).prints("a:2\nb/c:1\ne:1\n");
        hs.args([threads, "--sort=path", "--files-without-match", "gem"]).prints("d\n");
    }
});

hs_test!(errors_do_not_stop_a_sorted_run, |tree, hs| {
    tree.files(["a/x", "b/x", "c/x"], "gem\n").chmod("b", 0);
    for threads in THREADS {
        for order in ["--sort=path", "--sort=modified"] {
            hs.args([threads, order, "-l", "gem", "a", "missing", "b", "c"])
                .by_unprivileged_user()
                .prints("a/x\nc/x\n")
                .stderr_contains("missing: No such file or directory (os error 2)")
                .exits(2);
        }
    }
    tree.chmod("b", 0o755);
});

hs_test!(quiet_and_sorted, |tree, hs| {
    tree.wide(20, 5);
    for threads in THREADS {
        hs.args([threads, "--sort=path", "-q", "gem"]).prints("").exits(0);
        hs.args([threads, "--sortr=modified", "-q", "nowhere"]).finds_nothing();
        hs.args([threads, "--sort=path", "--files", "-q"]).prints("").exits(0);
    }
});

hs_test!(a_reader_that_leaves_a_sorted_run_early, |tree, hs| {
    tree.wide(50, 20);
    for order in ["--sort=path", "--sortr=modified"] {
        for asked in ["--files", "-l"] {
            hs.args([asked, order, "-j4", "-e", "gem"])
                .through_sh("\"$@\" | head -n 1 | wc -l | tr -d ' '")
                .prints("1\n");
        }
    }
});

hs_test!(a_full_disk_ends_a_sorted_run, |tree, hs| {
    tree.wide(50, 5);
    for order in ["--sort=path", "--sortr=modified"] {
        for asked in ["--files", "-l"] {
            hs.args([asked, order, "-j4", "-e", "gem"])
                .through_sh("\"$@\" > /dev/full")
                .differs_from_ripgrep("ripgrep loses buffered output and exits with 0")
                .stderr_contains("No space left on device (os error 28)")
                .exits(2);
        }
    }
});

hs_test!(few_descriptors_are_enough_to_sort, |tree, hs| {
    for dir in 0..30 {
        tree.files([format!("{dir:02}/a/x").as_str(), &format!("{dir:02}/b")], "gem\n");
        tree.files([format!("{dir:02}-").as_str()], "gem\n");
    }
    let paths: String =
        (0..30).map(|dir| format!("{dir:02}/a/x\n{dir:02}/b\n{dir:02}-\n")).collect();
    for threads in ["-j1", "-j4"] {
        hs.args(["-l", "--sort=path", threads, "gem"])
            .through_sh("ulimit -n 20; exec \"$@\"")
            .prints(&paths);
    }
});

hs_test!(large_results_are_printed_in_order, |tree, hs| {
    // The results of each file exceed its buffer, and all together exceed the total buffer.
    let names = ["a/1", "a/2", "b/1", "b/2", "c/1", "c/2", "d/1", "d/2"];
    tree.files(names, large());
    tree.files(["a/0", "b/3", "e"], "gem\n");
    hs.args(["-c", "gem", "--sort=path"])
        .stdout_satisfies("eleven counts", |out| out.split(|&b| b == b'\n').count() == 12);
    let sizes = "\"$@\" | cut -d: -f1 | uniq -c | tr -s ' '";
    let expected = " 1 a/0\n 250000 a/1\n 250000 a/2\n 250000 b/1\n 250000 b/2\n 1 b/3\n \
                    250000 c/1\n 250000 c/2\n 250000 d/1\n 250000 d/2\n 1 e\n";
    let of_all = "\"$@\" | tail -n 8 | head -n 2";
    for threads in ["-j1", "-j2", "-j6"] {
        hs.args(["--sort=path", threads, "gem"]).through_sh(sizes).prints(expected);
        hs.args(["--sort=modified", threads, "--stats", "gem"])
            .through_sh(of_all)
            .prints("2000003 matches\n2000003 matched lines\n");
    }
    hs.args(["--sort=path", "-j2", "--stats", "gem"])
        .through_sh(of_all)
        .prints("2000003 matches\n2000003 matched lines\n");
});

/// A script that runs `$feed` and the program, and prints the number of output lines for each file.
macro_rules! counted_lines {
    ($feed:literal) => {
        concat!($feed, r#" "$@" | cut -d: -f1 | uniq -c | tr -s ' '"#)
    };
}

/// More than the buffer for the results of one file that is not next in order.
fn large() -> String {
    "a gem in a line of its own, and what is around it\n".repeat(250_000)
}

hs_test!(a_large_stdin_is_read_once_and_in_order, |tree, hs| {
    tree.fifo("slow").file("a", "gem\n");
    let script = counted_lines!("(sleep 0.5; echo gem) > slow &");
    let expected = " 1 slow\n 250000 <stdin>\n 1 a\n";
    for threads in ["-j1", "-j2", "-j6"] {
        hs.args([threads, "--sort=path", "gem", "slow", "-", "a"])
            .stdin(large())
            .through_sh(script)
            .prints(expected);
        // The second `-` finds standard input at its end.
        hs.args([threads, "--sort=path", "gem", "slow", "-", "-", "a"])
            .stdin(large())
            .through_sh(script)
            .prints(expected);
        // Standard input has no time, and comes last.
        hs.args([threads, "--sort=modified", "gem", "-", "a", "-"])
            .stdin(large())
            .through_sh(counted_lines!(""))
            .prints(" 1 a\n 250000 <stdin>\n");
    }
});

hs_test!(a_large_named_pipe_is_opened_once, |tree, hs| {
    tree.fifo("slow").fifo("z").file("text", large()).file("a", "gem\n");
    let script = counted_lines!("(sleep 0.5; echo gem) > slow & cat text > z &");
    for threads in ["-j1", "-j2", "-j6"] {
        hs.args([threads, "--sort=path", "gem", "slow", "z", "a"])
            .through_sh(script)
            .prints(" 1 slow\n 250000 z\n 1 a\n");
        hs.args([threads, "--sortr=path", "gem", "a", "z", "slow"])
            .through_sh(script)
            .prints(" 250000 z\n 1 slow\n 1 a\n");
    }
});

hs_test!(the_command_of_pre_is_run_once_for_each_file, |tree, hs| {
    tree.file("count", "#!/bin/sh\necho \"$1\" >> runs\nexec cat\n").chmod("count", 0o755);
    tree.fifo("slow").files(["dir/a.txt", "dir/b.txt", "c.txt"], large());
    for threads in ["-j1", "-j2", "-j6"] {
        hs.args([threads, "--sort=path", "--pre=./count", "--pre-glob=*.txt"])
            .args(["gem", "slow", "dir", "c.txt"])
            .through_sh(concat!(
                counted_lines!("rm -f runs; (sleep 0.5; echo gem) > slow &"),
                "; sort runs"
            ))
            .prints(
                " 1 slow\n 250000 dir/a.txt\n 250000 dir/b.txt\n 250000 c.txt\n\
                 c.txt\ndir/a.txt\ndir/b.txt\n",
            );
    }
});
