//! Runs a child process to its end, or to the end of the harness's patience.

use std::{
    env, fs,
    io::Write,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group};

/// How long a child may take before it counts as hanging, unless the machine keeps it waiting.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// How many times that, if the machine does.
const ROUNDS: u32 = 20;

/// What a child left behind.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// How it ended.
    pub(crate) status: ExitStatus,
    /// All that it wrote to stdout.
    pub(crate) stdout: Vec<u8>,
    /// All that it wrote to stderr; if it hung, what its threads were doing, too.
    pub(crate) stderr: Vec<u8>,
    /// It was killed because nothing happened for longer than [`TIMEOUT`].
    pub(crate) hung: bool,
}

/// Run `command` with `stdin` as its input (none: `/dev/null`) and collect what it writes.
pub(crate) fn run(command: &mut Command, stdin: Option<Vec<u8>>) -> Outcome {
    let input = if stdin.is_some() { Stdio::piped() } else { Stdio::null() };
    // A group of its own, so that what a shell started is killed along with the shell.
    command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let group = Pid::from_child(&child);
    let mut threads = String::new();
    if let (Some(bytes), Some(mut pipe)) = (stdin, child.stdin.take()) {
        // A child that does not read to the end is no fault; its output tells what it made of it.
        thread::spawn(move || pipe.write_all(&bytes));
    }
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    let mut waited = 0;
    let (output, hung) = loop {
        waited += 1;
        match receiver.recv_timeout(TIMEOUT) {
            Ok(output) => break (output, false),
            // It would be unjust to blame it for a machine that has no time for it.
            Err(RecvTimeoutError::Timeout) if waited < ROUNDS && is_starved(group) => {}
            Err(RecvTimeoutError::Timeout) => {
                threads = describe_threads(group);
                kill_process_group(group, Signal::KILL).expect("a hanging child can be killed");
                break (receiver.recv().expect("a killed child ends"), true);
            }
            Err(RecvTimeoutError::Disconnected) => panic!("nobody waits for {command:?}"),
        }
    };
    let output = output.unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let stderr = [output.stderr, threads.into_bytes()].concat();
    Outcome { status: output.status, stdout: output.stdout, stderr, hung }
}

/// Whether the processes of `group` would go on if they were given a core: for a second, some thread of theirs is ready
/// to run, stopped, or waits for the disk, or they have used a little more of the processor. Or they have ended, and it is
/// us who get none. Never so once they have used more than the [`TIMEOUT`]: that is a loop without end.
fn is_starved(group: Pid) -> bool {
    let used = |threads: &[Thread]| threads.iter().map(|thread| thread.ticks).sum::<u64>();
    let before = used(&threads(group));
    if !Path::new("/proc/self/stat").exists() || before > TICKS_PER_SECOND * TIMEOUT.as_secs() {
        return false;
    }
    (0..20).any(|_| {
        thread::sleep(Duration::from_millis(50));
        let now = threads(group);
        let have_ended = now.iter().all(|thread| thread.state == 'Z');
        have_ended || used(&now) != before || now.iter().any(|one| "RDTt".contains(one.state))
    })
}

#[test]
fn who_gets_no_core_is_kept_waiting() {
    let start = |script| {
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).process_group(0).spawn().expect("there is a shell")
    };
    let mut asleep = start("sleep 100");
    let mut awake = start("while :; do :; done");
    let (sleeper, runner) = (Pid::from_child(&asleep), Pid::from_child(&awake));
    // The shell may still be starting.
    thread::sleep(Duration::from_millis(200));
    let is_asleep = (0..20).any(|_| !is_starved(sleeper));
    let is_awake = is_starved(runner);
    kill_process_group(sleeper, Signal::STOP).expect("it is there");
    let is_stopped = is_starved(sleeper);
    for (child, group) in [(&mut asleep, sleeper), (&mut awake, runner)] {
        kill_process_group(group, Signal::KILL).expect("it is there");
        child.wait().expect("it has ended");
    }
    let is_gone = is_starved(sleeper);
    assert!(is_asleep, "sleeping is waiting for something that may never come");
    let has_proc = Path::new("/proc/self/stat").exists();
    assert_eq!((is_awake, is_stopped, is_gone), (has_proc, has_proc, has_proc));
}

/// What clock ticks are counted in by proc(5), on every machine that tests are run on.
const TICKS_PER_SECOND: u64 = 100;

/// A thread of a process, as far as the system tells.
struct Thread {
    path: PathBuf,
    /// Ready to run, asleep, stopped and so on: a letter.
    state: char,
    /// How long it has used a core.
    ticks: u64,
}

/// The threads of all processes of `group`; none where there is no `/proc`.
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

/// The fields of a `stat` file (proc(5)) behind the name of the command, which may hold anything.
fn stat(directory: &Path) -> Option<Vec<String>> {
    let text = fs::read_to_string(directory.join("stat")).ok()?;
    let (_, fields) = text.rsplit_once(") ")?;
    Some(fields.split(' ').map(str::to_string).collect())
}

/// What the threads of a group are doing, as far as the system tells: whether they run or sleep, and in which call.
fn describe_threads(group: Pid) -> String {
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

/// The program that stands in for `hs` and has the last word on what the tests expect, if any.
pub(crate) fn judge() -> Option<PathBuf> {
    env::var_os("HS_TEST_JUDGE").filter(|path| !path.is_empty()).map(PathBuf::from)
}
