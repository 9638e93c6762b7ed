//! One run of `hs` that goes over the same tree many times, looked at while it runs.

use std::{
    io::Read,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use heist_queue::{IdleKind, QueueKind};

use crate::{
    assert_found,
    mutate::{Random, is_expected_error},
    pick,
    temp_tree::TempTree,
    usage::{self, Usage},
};

/// Modes, and what stands behind the path of a file that is found.
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

/// What else may be asked for, without another answer.
const FLAGS: [&str; 8] = [
    "--mmap",
    "--follow",
    "--sort=path",
    "--reader=portable",
    "--max-filesize=40M",
    "--line-buffered",
    "--hidden",
    "--no-ignore-vcs",
];

/// The most memory that a run may take, in KiB: the large file whole, twice, for each of eight workers.
const MOST_MEMORY: u64 = 400 << 10;
/// What a walk makes room for.
const MOST_DESCRIPTORS: usize = 4096;
/// After so long a run hangs. The slowest take half a minute of a core, which others may want too.
const TIMEOUT: Duration = Duration::from_secs(600);

/// Search the tree in some way, and check what is found. Gives the most that was used.
pub(crate) fn search(tree: &TempTree, random: &mut Random) -> Usage {
    let (mode, behind) = pick(random, &MODES);
    let workers = 1 + random.below(8);
    let most_times = if random.below(10) == 0 { 200 } else { 5 };
    let times = 1 + random.below(most_times);
    let mut command = Command::new(env!("CARGO_BIN_EXE_hs"));
    command.current_dir(tree.path()).env_clear().env("HOME", tree.home());
    command.arg("--no-config").args(mode).arg(format!("-j{workers}"));
    command.arg(format!("--queue={}", pick(random, QueueKind::NAMES)));
    command.arg(format!("--idle={}", pick(random, IdleKind::NAMES)));
    command.args(FLAGS.iter().filter(|_| random.below(6) == 0));
    command.args(vec!["."; times]);
    let (outcome, most) = watch(&mut command);
    let about = || format!("{:?}", command.get_args().collect::<Vec<_>>());
    let messages = String::from_utf8_lossy(&outcome.stderr);
    let stray = messages.lines().find(|line| !is_expected_error(line));
    assert!(stray.is_none(), "{stray:?}: {}", about());
    assert!(matches!(outcome.status.code(), Some(0 | 2)), "{}: {}", outcome.status, about());
    assert_found(&outcome.stdout, "./", behind, times, &about);
    assert!(most.memory <= MOST_MEMORY, "{most}: {}", about());
    assert!(most.descriptors <= MOST_DESCRIPTORS, "{most}: {}", about());
    // The thread that waits for signals is one more.
    assert!(most.threads <= workers + 1, "{most}: {}", about());
    most
}

/// Run to the end, and see what is used meanwhile.
fn watch(command: &mut Command) -> (std::process::Output, Usage) {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("hs starts");
    let id = child.id().to_string();
    let pipes = (child.stdout.take().expect("a pipe"), child.stderr.take().expect("a pipe"));
    let (stdout, stderr) = (drain(pipes.0), drain(pipes.1));
    let (begin, mut most) = (Instant::now(), Usage::default());
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child of ours") {
            break status;
        }
        if begin.elapsed() > TIMEOUT {
            let _ = child.kill();
            panic!("{command:?} hung: {most}");
        }
        most = most.max(usage::of(&id).unwrap_or_default());
        thread::sleep(Duration::from_millis(2));
    };
    let read = |reader: thread::JoinHandle<Vec<u8>>| reader.join().expect("a pipe can be read");
    (std::process::Output { status, stdout: read(stdout), stderr: read(stderr) }, most)
}

fn drain(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("a pipe can be read");
        bytes
    })
}
