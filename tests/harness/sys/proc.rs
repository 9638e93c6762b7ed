//! The threads of a process group, as `/proc` describes them.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use rustix::process::Pid;

/// Whether the processes of `group` lack processor time: in the course of a second a thread of
/// theirs is ready to run, stopped, or waits for the disk, or they use processor time, or all have
/// ended and only this process lags behind. False if they have used more processor time than
/// `timeout`, as an endless loop does.
pub(super) fn is_starved(group: Pid, timeout: Duration) -> bool {
    let used = |threads: &[Thread]| threads.iter().map(|thread| thread.ticks).sum::<u64>();
    let before = used(&threads(group));
    if !Path::new("/proc/self/stat").exists() || before > TICKS_PER_SECOND * timeout.as_secs() {
        return false;
    }
    (0..20).any(|_| {
        thread::sleep(Duration::from_millis(50));
        let now = threads(group);
        let have_ended = now.iter().all(|thread| thread.state == 'Z');
        have_ended || used(&now) != before || now.iter().any(|one| "RDTt".contains(one.state))
    })
}

/// The unit of times in `/proc` (`sysconf(_SC_CLK_TCK)`), which is the same on all supported
/// systems.
const TICKS_PER_SECOND: u64 = 100;

/// A thread, as described by `/proc`.
struct Thread {
    path: PathBuf,
    /// The letter of its state: `R` running, `S` sleeping, `T` stopped, `Z` ended and so on.
    state: char,
    /// Processor time used, in ticks.
    ticks: u64,
}

/// The threads of all processes of `group`; empty without `/proc`.
fn threads(group: Pid) -> Vec<Thread> {
    let entries = |path: PathBuf| fs::read_dir(path).into_iter().flatten().flatten();
    let processes = entries("/proc".into()).filter(|process| {
        let group_of = stat(&process.path()).and_then(|fields| fields.get(2)?.parse().ok());
        group_of == Some(group.as_raw_nonzero().get())
    });
    let tasks = processes.flat_map(|process| entries(process.path().join("task")));
    let thread = |path: PathBuf| {
        let fields = stat(&path)?;
        let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
        let (state, ticks) = (fields.first()?.chars().next()?, number(11)? + number(12)?);
        Some(Thread { path, state, ticks })
    };
    tasks.filter_map(|task| thread(task.path())).collect()
}

/// The fields of a `stat` file (proc(5)) after the name of the command, which can contain blanks
/// and parentheses.
fn stat(directory: &Path) -> Option<Vec<String>> {
    let text = fs::read_to_string(directory.join("stat")).ok()?;
    let (_, fields) = text.rsplit_once(") ")?;
    Some(fields.split(' ').map(str::to_string).collect())
}

/// A line for each thread of `group`: its state, and the system call in which it waits.
pub(super) fn describe_threads(group: Pid) -> String {
    let describe = |thread: Thread| {
        let read = |name| fs::read_to_string(thread.path.join(name)).unwrap_or_default();
        format!(
            "thread: {} in {}, {}\n",
            read("stat").trim(),
            read("wchan"),
            read("syscall").trim()
        )
    };
    threads(group).into_iter().map(describe).collect()
}

#[test]
fn only_processes_that_could_run_are_starved() {
    use rustix::process::{Signal, kill_process_group};
    use std::{os::unix::process::CommandExt, process::Command};
    const TIMEOUT: Duration = Duration::from_secs(60);
    let start = |script| {
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).process_group(0).spawn().expect("there is a shell")
    };
    let mut asleep = start("sleep 100");
    let mut awake = start("while :; do :; done");
    let (sleeper, runner) = (Pid::from_child(&asleep), Pid::from_child(&awake));
    // The shells need a moment to start.
    thread::sleep(Duration::from_millis(200));
    let is_asleep = (0..20).any(|_| !is_starved(sleeper, TIMEOUT));
    let is_awake = is_starved(runner, TIMEOUT);
    kill_process_group(sleeper, Signal::STOP).expect("a running process");
    let is_stopped = is_starved(sleeper, TIMEOUT);
    for (child, group) in [(&mut asleep, sleeper), (&mut awake, runner)] {
        kill_process_group(group, Signal::KILL).expect("a running process");
        child.wait().expect("an ended process");
    }
    let is_gone = is_starved(sleeper, TIMEOUT);
    assert!(is_asleep, "a process that sleeps is not starved");
    let has_proc = Path::new("/proc/self/stat").exists();
    assert_eq!((is_awake, is_stopped, is_gone), (has_proc, has_proc, has_proc));
}
