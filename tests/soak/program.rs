//! One run of `hs` over the same tree many times, measured while it runs.

use std::{
    io::Read,
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use heist_queue::{IdleKind, QueueKind, Sharing};
use wait_timeout::ChildExt;

use crate::{
    Expected, assert_found,
    mutate::is_expected_error,
    random::{Choose, Rng},
    temp_tree::TempTree,
    usage::{self, Usage},
};

/// Modes, and the text that follows the path of a found file in the output.
const MODES: [(&[&str], &str); 12] = [
    (&["-l", "gem"], ""),
    (&["-c", "gem"], ":1"),
    (&["-n", "-m3", "gem"], ":1:a gem"),
    (&["-n", "-m3", "-C1", "--no-context-separator", "gem"], ":1:a gem"),
    (&["--vimgrep", "-m3", r"\bgem"], ":1:3:a gem"),
    (&["-o", "-b", "-m3", "-i", "GEM"], ":2:gem"),
    (&["-r", "<$0>", "-m3", r"g\w+"], ":a <gem>"),
    (&["-c", "-v", "lump"], ":1"),
    (&["-l", "-U", r"gem\n"], ""),
    (&["-l", "-P", "ge(?=m)"], ""),
    (&["--count-matches", "[gm]"], ":2"),
    (&["--files"], ""),
];

/// Flags that do not change the output.
const FLAGS: &str = "--mmap --follow --sort=path --reader=portable --max-filesize=40M
    --line-buffered --hidden --no-ignore-vcs";

/// The most memory that a run may use, in KiB: the large file twice for each of eight workers.
const MAX_MEMORY: u64 = 400 << 10;
/// The limit of descriptors that a walk sets.
const MAX_DESCRIPTORS: usize = 4096;
/// The time after which a run counts as hanging. The slowest take half a minute of an idle core.
const TIMEOUT: Duration = Duration::from_secs(600);

/// Searches the tree with random settings, checks the result and returns the maximal usage.
pub(crate) fn search(tree: &TempTree, rng: &mut Rng) -> Usage {
    let (mode, after) = rng.pick(&MODES);
    let workers = 1 + rng.usize(..8);
    let times = 1 + if rng.chance(10) { rng.usize(..200) } else { rng.usize(..5) };
    let mut command = Command::new(env!("CARGO_BIN_EXE_hs"));
    command.current_dir(tree.path()).env_clear().env("HOME", tree.home());
    command.arg("--no-config").args(mode).arg(format!("-j{workers}"));
    command.arg(format!("--queue={}", rng.pick(QueueKind::NAMES)));
    command.arg(format!("--idle={}", rng.pick(IdleKind::NAMES)));
    command.arg(format!("--sharing={}", rng.pick(Sharing::NAMES)));
    command.args(FLAGS.split_whitespace().filter(|_| rng.usize(..6) == 0));
    command.args(vec!["."; times]);
    let (outcome, most) = watch(&mut command);
    let about = || format!("{:?}", command.get_args().collect::<Vec<_>>());
    let messages = String::from_utf8_lossy(&outcome.stderr);
    let stray = messages.lines().find(|line| !is_expected_error(line));
    assert!(stray.is_none(), "{stray:?}: {}", about());
    assert!(matches!(outcome.status.code(), Some(0 | 2)), "{}: {}", outcome.status, about());
    assert_found(&outcome.stdout, &Expected { before: "./", after, times }, &about);
    assert!(most.memory <= MAX_MEMORY, "{most}: {}", about());
    assert!(most.descriptors <= MAX_DESCRIPTORS, "{most}: {}", about());
    // One more thread waits for signals.
    assert!(most.threads <= workers + 1, "{most}: {}", about());
    most
}

/// Runs `command` to its end and measures its usage meanwhile.
fn watch(command: &mut Command) -> (Output, Usage) {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("hs starts");
    let id = child.id().to_string();
    let pipes = (child.stdout.take().expect("a pipe"), child.stderr.take().expect("a pipe"));
    let (stdout, stderr) = (drain(pipes.0), drain(pipes.1));
    let (start, mut most) = (Instant::now(), Usage::default());
    let status = loop {
        if let Some(status) = child.wait_timeout(Duration::from_millis(2)).expect("a child") {
            break status;
        }
        if start.elapsed() > TIMEOUT {
            let _ = child.kill();
            panic!("{command:?} hung: {most}");
        }
        most = most.max(usage::of(&id).unwrap_or_default());
    };
    let read = |reader: thread::JoinHandle<Vec<u8>>| reader.join().expect("a pipe can be read");
    (Output { status, stdout: read(stdout), stderr: read(stderr) }, most)
}

/// Reads `pipe` to its end on a thread.
fn drain(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("a pipe can be read");
        bytes
    })
}
