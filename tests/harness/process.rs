//! Runs child processes, and kills those that hang.

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

/// The time after which a child counts as hanging, unless the machine is overloaded.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// How many times [`TIMEOUT`] a child may take on an overloaded machine.
const MAX_TIMEOUTS: u32 = 20;

/// The result of a child process.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    /// Stderr; if the child hung, also the states of its threads.
    pub(crate) stderr: Vec<u8>,
    /// Whether the child was killed because it did nothing for longer than [`TIMEOUT`].
    pub(crate) hung: bool,
}

/// Runs `command` as [`run`] does, and fails if it hangs.
#[track_caller]
pub(crate) fn run_in_time(command: &mut Command, stdin: Option<Vec<u8>>) -> Outcome {
    let outcome = run(command, stdin);
    let messages = String::from_utf8_lossy(&outcome.stderr);
    assert!(!outcome.hung, "{command:?} hung: {messages}");
    outcome
}

/// Runs `command` to its end. Standard input is a pipe with the bytes `stdin`, or `/dev/null` if it
/// is `None`.
pub(crate) fn run(command: &mut Command, stdin: Option<Vec<u8>>) -> Outcome {
    let input = if stdin.is_some() { Stdio::piped() } else { Stdio::null() };
    // A process group, so that the children of a shell are killed with the shell.
    command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let group = Pid::from_child(&child);
    let mut threads = String::new();
    if let (Some(bytes), Some(mut pipe)) = (stdin, child.stdin.take()) {
        // An error is ignored: a child need not read its input to the end.
        thread::spawn(move || pipe.write_all(&bytes));
    }
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    let mut waited = 0;
    let (output, hung) = loop {
        waited += 1;
        match receiver.recv_timeout(TIMEOUT) {
            Ok(output) => break (output, false),
            // The child makes no progress because the machine is overloaded.
            Err(RecvTimeoutError::Timeout) if waited < MAX_TIMEOUTS && is_starved(group) => {}
            Err(RecvTimeoutError::Timeout) => {
                threads = describe_threads(group);
                kill_process_group(group, Signal::KILL).expect("a hanging child can be killed");
                break (receiver.recv().expect("a killed child ends"), true);
            }
            Err(RecvTimeoutError::Disconnected) => {
                panic!("the thread that waits for {command:?} has ended")
            }
        }
    };
    let output = output.unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let stderr = [output.stderr, threads.into_bytes()].concat();
    Outcome { status: output.status, stdout: output.stdout, stderr, hung }
}

/// Whether the processes of `group` lack processor time: in the course of a second a thread of
/// theirs is ready to run, stopped, or waits for the disk, or they use processor time, or all have
/// ended and only this process lags behind. False if they have used more processor time than
/// [`TIMEOUT`], as an endless loop does.
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
fn only_processes_that_could_run_are_starved() {
    let start = |script| {
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).process_group(0).spawn().expect("there is a shell")
    };
    let mut asleep = start("sleep 100");
    let mut awake = start("while :; do :; done");
    let (sleeper, runner) = (Pid::from_child(&asleep), Pid::from_child(&awake));
    // The shells need a moment to start.
    thread::sleep(Duration::from_millis(200));
    let is_asleep = (0..20).any(|_| !is_starved(sleeper));
    let is_awake = is_starved(runner);
    kill_process_group(sleeper, Signal::STOP).expect("a running process");
    let is_stopped = is_starved(sleeper);
    for (child, group) in [(&mut asleep, sleeper), (&mut awake, runner)] {
        kill_process_group(group, Signal::KILL).expect("a running process");
        child.wait().expect("an ended process");
    }
    let is_gone = is_starved(sleeper);
    assert!(is_asleep, "a process that sleeps is not starved");
    let has_proc = Path::new("/proc/self/stat").exists();
    assert_eq!((is_awake, is_stopped, is_gone), (has_proc, has_proc, has_proc));
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

/// The ripgrep that `HS_TEST_JUDGE` names.
pub(crate) fn oracle() -> Option<PathBuf> {
    env::var_os("HS_TEST_JUDGE").filter(|path| !path.is_empty()).map(PathBuf::from)
}
