//! `--pager` and `--progress` on terminals.

use std::{
    fs::{self, File},
    io::{Read, Write, pipe},
    os::unix::process::ExitStatusExt,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use wait_timeout::ChildExt;

use crate::harness::{
    TempTree, process,
    terminal::{resize, terminal_of, watch},
};

/// `hs` in `tree`, with nothing else in its environment.
fn command(tree: &TempTree, args: &[&str]) -> Command {
    let mut command = Command::new(process::program());
    command.args(args).current_dir(tree.path()).env_clear().env("TERM", "xterm");
    command.env("PATH", "/usr/local/bin:/usr/bin:/bin").stdin(Stdio::null());
    command
}

/// Starts `hs --pager` on a terminal of ten rows, with this pager.
fn start(tree: &TempTree, pager: &str, args: &[&str]) -> (Child, File) {
    start_with(tree, pager, args, Stdio::null())
}

fn start_with(tree: &TempTree, pager: &str, args: &[&str], stdin: Stdio) -> (Child, File) {
    let (ours, theirs) = terminal_of(10, 40);
    let mut command = command(tree, &[&["--pager"], args].concat());
    command.env("HEIST_PAGER", pager).stdin(stdin);
    command.stderr(theirs.try_clone().expect("a descriptor")).stdout(theirs);
    (command.spawn().expect("hs runs"), ours)
}

fn wait(mut child: Child) -> ExitStatus {
    child.wait_timeout(process::TIMEOUT).expect("a child").unwrap_or_else(|| {
        let _ = child.kill();
        panic!("hs does not end");
    })
}

/// A pager that writes what it gets to a file of this name, and nothing to the terminal.
const KEEPS: &str = "sh -c 'cat > got'";

/// What the pager got.
fn got(tree: &TempTree) -> Option<String> {
    fs::read_to_string(tree.join("got")).ok()
}

/// Waits until `holds` returns something.
fn eventually<T>(what: &str, holds: impl Fn() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        match holds() {
            Some(found) => return found,
            None if begun.elapsed() > process::TIMEOUT => panic!("{what}: this does not happen"),
            None => thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// Lines with a match, as `-I -N --no-heading` prints them.
fn lines(count: usize) -> String {
    (0..count).map(|number| format!("gem {number}\n")).collect()
}

const PLAIN: [&str; 4] = ["-I", "-N", "--no-heading", "--color=never"];

hs_test!(what_fits_on_the_screen_needs_no_pager, |tree, _| {
    if process::oracle().is_some() {
        return;
    }
    for (count, is_paged) in [(1, false), (9, false), (10, true), (5000, true)] {
        let _ = fs::remove_file(tree.join("got"));
        tree.file("hoard", lines(count));
        let (child, ours) = start(tree, KEEPS, &[&PLAIN[..], &["gem", "hoard"]].concat());
        let shown = watch(ours);
        assert_eq!(wait(child).code(), Some(0));
        let shown = shown.join().expect("reading does not panic").replace("\r\n", "\n");
        let printed = if is_paged { got(tree).expect("the pager ran") } else { shown.clone() };
        assert_eq!(printed, lines(count));
        assert_eq!(is_paged, got(tree).is_some(), "{count} lines");
        assert_eq!(is_paged, shown.is_empty(), "{count} lines: {shown}");
    }
});

hs_test!(a_long_line_takes_several_rows, |tree, _| {
    if process::oracle().is_some() {
        return;
    }
    for (len, is_paged) in [(40 * 9, false), (40 * 9 + 1, true)] {
        let _ = fs::remove_file(tree.join("got"));
        tree.file("hoard", format!("{:x<1$}\n", "gem", len));
        let (child, ours) = start(tree, KEEPS, &[&PLAIN[..], &["gem", "hoard"]].concat());
        let shown = watch(ours);
        assert_eq!(wait(child).code(), Some(0));
        shown.join().expect("reading does not panic");
        assert_eq!(is_paged, got(tree).is_some(), "{len} characters");
    }
});

hs_test!(the_pager_gets_what_a_terminal_gets, |tree, _| {
    if process::oracle().is_some() {
        return;
    }
    tree.file("hoard", lines(100));
    let format = "--hyperlink-format=file://{path}";
    let (child, ours) =
        start(tree, KEEPS, &[format, "--sort=path", "--stats", "gem", "missing", "."]);
    let shown = watch(ours);
    assert_eq!(wait(child).code(), Some(2));
    let got = got(tree).expect("the pager ran");
    let first = got.lines().next().expect("a line");
    assert!(first.starts_with("\x1b]8;;file:///") && first.contains("\x1b[35m"), "{first:?}");
    assert!(got.contains("\x1b[1m\x1b[31mgem\x1b[0m 99\n"), "{got:?}");
    assert!(got.ends_with("seconds total\n"), "{got:?}");
    let message = "hs: missing: No such file or directory (os error 2)\n";
    let shown = shown.join().expect("reading does not panic").replace("\r\n", "\n");
    // It comes before there is a pager, or goes to it.
    assert!(got.contains(message) != shown.contains(message), "{shown:?}");
});

hs_test!(what_comes_slowly_is_shown_and_then_paged, |tree, _| {
    if process::oracle().is_some() {
        return;
    }
    let (theirs, mut input) = pipe().expect("a pipe");
    let (child, mut ours) =
        start_with(tree, KEEPS, &[&PLAIN[..], &["gem", "-"]].concat(), theirs.into());
    let text = lines(60);
    let (first, rest) = text.split_at(lines(3).len());
    input.write_all(first.as_bytes()).expect("hs reads");
    let mut shown = vec![0; first.len() + 3];
    ours.read_exact(&mut shown).expect("hs shows what it has");
    assert_eq!(String::from_utf8_lossy(&shown).replace("\r\n", "\n"), first);
    assert_eq!(got(tree), None);
    input.write_all(rest.as_bytes()).expect("hs reads");
    drop(input);
    let shown = watch(ours);
    assert_eq!(wait(child).code(), Some(0));
    assert_eq!(got(tree).as_deref(), Some(&*text));
    // What was shown is erased, however many lines the screen got before the pager was started.
    let shown = shown.join().expect("reading does not panic");
    let (more, erased) = shown.split_once("\x1b[").expect("it is erased");
    let rows = 3 + more.lines().count();
    assert_eq!(erased, format!("{rows}A\r\x1b[J"));
});

hs_test!(a_terminal_of_another_size_keeps_what_it_shows, |tree, _| {
    if process::oracle().is_some() {
        return;
    }
    let (theirs, mut input) = pipe().expect("a pipe");
    let args = [&PLAIN[..], &["gem", "-"]].concat();
    let (child, mut ours) = start_with(tree, KEEPS, &args, theirs.into());
    let text = lines(60);
    let (first, rest) = text.split_at(lines(3).len());
    input.write_all(first.as_bytes()).expect("hs reads");
    let mut shown = vec![0; first.len() + 3];
    ours.read_exact(&mut shown).expect("hs shows what it has");
    resize(&ours, 10, 20);
    input.write_all(rest.as_bytes()).expect("hs reads");
    drop(input);
    let shown = watch(ours);
    assert_eq!(wait(child).code(), Some(0));
    assert_eq!(got(tree).as_deref(), Some(&*text));
    // Its rows may have been wrapped anew.
    let shown = shown.join().expect("reading does not panic");
    assert!(!shown.contains('\x1b'), "{shown:?}");
});

hs_test!(the_pager_gets_slow_results_soon, |tree, _| {
    if process::oracle().is_some() {
        return;
    }
    for threads in ["-j1", "-j4"] {
        let _ = fs::remove_file(tree.join("got"));
        let (theirs, mut input) = pipe().expect("a pipe");
        let args = [&PLAIN[..], &[threads, "gem", "-"]].concat();
        let (child, ours) = start_with(tree, KEEPS, &args, theirs.into());
        let shown = watch(ours);
        let mut expected = String::new();
        for text in [lines(60), "gem later\n".into(), "gem last\n".into()] {
            input.write_all(text.as_bytes()).expect("hs reads");
            expected += &text;
            eventually("the pager gets it", || got(tree).filter(|got| *got == expected));
        }
        drop(input);
        assert_eq!(wait(child).code(), Some(0));
        drop(shown);
    }
});

hs_test!(leaving_the_pager_ends_the_search, |tree, _| {
    if process::oracle().is_some() {
        return;
    }
    for dir in 0..20 {
        tree.file(format!("dir{dir}/hoard"), lines(10_000));
    }
    for args in [&["gem"][..], &["--sort=path", "gem"], &["-j1", "gem"], &["--files", "-uuu"]] {
        let (child, ours) = start(tree, "true", args);
        let shown = watch(ours);
        assert_eq!(wait(child).code(), Some(0), "{args:?}");
        assert!(shown.join().expect("reading does not panic").len() < 4000, "{args:?}");
    }
});

hs_test!(a_pager_that_does_not_exist_is_reported, |tree, _| {
    if process::oracle().is_some() {
        return;
    }
    tree.file("hoard", lines(30));
    let (child, ours) = start(tree, "./no-pager -x", &[&PLAIN[..], &["gem", "hoard"]].concat());
    let shown = watch(ours);
    assert_eq!(wait(child).code(), Some(0));
    let shown = shown.join().expect("reading does not panic").replace("\r\n", "\n");
    let (message, results) = shown.split_once('\n').expect("a line");
    assert!(message.starts_with("hs: cannot start the pager './no-pager'"), "{message}");
    assert_eq!(results, lines(30));
});

hs_test!(a_signal_leaves_the_pager_alone, |tree, _| {
    if process::oracle().is_some() {
        return;
    }
    tree.file("hoard", lines(20_000));
    let pager =
        "sh -c 'trap \"\" INT; head -n 1 > begun; while ! [ -e done ]; do sleep 0.01; done'";
    // A pager that outlives hs would share the terminal with the shell.
    for (threads, signal) in [("-j1", Signal::INT), ("-j4", Signal::INT), ("-j4", Signal::TERM)] {
        for name in ["begun", "done"] {
            let _ = fs::remove_file(tree.join(name));
        }
        let (mut child, ours) = start(tree, pager, &[threads, "gem", "."]);
        let shown = watch(ours);
        eventually("the pager runs", || fs::metadata(tree.join("begun")).ok());
        kill_process(Pid::from_child(&child), signal).expect("hs is alive");
        let early = child.wait_timeout(Duration::from_millis(300)).expect("a child");
        assert!(early.is_none(), "hs waits for the pager: {early:?}");
        tree.file("done", "");
        let status = wait(child);
        // A parent that ignores the signal, as some do for their children, has hs ignore it.
        let is_ignored = status.code() == Some(0);
        assert!(is_ignored || status.signal() == Some(signal.as_raw()), "{status}");
        drop(shown);
    }
});

/// Runs `hs` on a pipe that ends after a while, with standard error on a terminal and standard
/// output in a file. Returns what the terminal shows.
fn progress(tree: &TempTree, args: &[&str], duration: Duration) -> String {
    let (ours, theirs) = terminal_of(10, 40);
    let (stdin, mut input) = pipe().expect("a pipe");
    let mut command = command(tree, args);
    let results = File::create(tree.join("../results")).expect("a file");
    let child = command.stdin(stdin).stdout(results).stderr(theirs).spawn().expect("hs runs");
    drop(command);
    let shown = watch(ours);
    input.write_all(b"gem\nrock\n").expect("hs reads");
    thread::sleep(duration);
    drop(input);
    wait(child);
    let results = fs::read_to_string(tree.join("../results")).expect("a file");
    assert_eq!(results.matches("gem").count(), 1, "{results}");
    shown.join().expect("reading does not panic")
}

/// What a terminal shows in the end.
fn left(shown: &str) -> String {
    let mut rows: Vec<Vec<char>> = vec![Vec::new()];
    let mut column = 0;
    for c in shown.chars() {
        let row = rows.last_mut().expect("a row");
        match c {
            '\r' => column = 0,
            '\n' => rows.push(Vec::new()),
            c => {
                row.resize(row.len().max(column + 1), ' ');
                row[column] = c;
                column += 1;
            }
        }
    }
    let text = |row: Vec<char>| row.into_iter().collect::<String>().trim_end().to_owned();
    rows.into_iter().map(text).collect::<Vec<_>>().join("\n")
}

hs_test!(progress_is_shown_after_a_second, |tree, _| {
    if process::oracle().is_some() {
        return;
    }
    tree.file("hoard", "rock\n");
    let slow = Duration::from_millis(1500);
    let shown = progress(tree, &["--progress", "--sort=path", "gem", "hoard", "-"], slow);
    // The terminal has 40 columns.
    assert!(shown.contains("\r1 files, 14 bytes, "), "{shown:?}");
    assert_eq!(left(&shown), "");
    let shown =
        progress(tree, &["--progress", "--sort=path", "gem", "hoard", "-", "missing"], slow);
    assert!(shown.contains("\r1 files, 14 bytes, "), "{shown:?}");
    assert_eq!(left(&shown), "hs: missing: No such file or directory (os error 2)\n");
    for args in [&["--progress"][..], &["--progress", "--no-progress"], &[]] {
        let duration = if args.len() == 1 { Duration::from_millis(300) } else { slow };
        let shown = progress(tree, &[args, &["gem", "-"]].concat(), duration);
        assert_eq!(shown, "", "{args:?}");
    }
});

hs_test!(ctrl_c_erases_progress, |tree, _| {
    if process::oracle().is_some() {
        return;
    }
    let (ours, theirs) = terminal_of(10, 40);
    let (stdin, mut input) = pipe().expect("a pipe");
    let mut command = command(tree, &["--progress", "gem", "-"]);
    let child = command.stdin(stdin).stdout(Stdio::null()).stderr(theirs).spawn();
    drop(command);
    let child = child.expect("hs runs");
    let shown = watch(ours);
    input.write_all(b"rock\n").expect("hs reads");
    thread::sleep(Duration::from_millis(1500));
    kill_process(Pid::from_child(&child), Signal::INT).expect("hs is alive");
    drop(input);
    wait(child);
    let shown = shown.join().expect("reading does not panic");
    assert!(shown.contains("\r0 files, 5 bytes, "), "{shown:?}");
    assert_eq!(left(&shown), "");
});
