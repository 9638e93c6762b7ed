//! What commands print in a terminal: the files of `tests/transcripts`.
//!
//! ```text
//! # Shell code before the first case, which runs before every command.
//!
//! == a case, which has an empty directory of its own
//! needs git
//! $ benchsuite corpora check wide |
//! > grep --count unchanged
//! |0
//! ! a message
//! exit 1
//! ```
//!
//! `> ` continues a command. Below it are standard output in lines with `|` and standard error in
//! lines with `! `, in which `$TOP` stands for the directory; the exit code is 0 if none is
//! mentioned. `$PACKAGE` is the directory of the package. A case that needs a program which is not
//! installed passes. The commands are written for the tools of Linux.
//!
//! With `BENCHSUITE_REWRITE=1` the test writes the files anew, so that a change can be read as a
//! diff.

use std::env;
use std::fs;
use std::io::{Read, Seek};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use skipped_tests::skip_part;
use wait_timeout::ChildExt;

/// How long a command may take. Only a hang takes longer.
const SCRIPT_TIMEOUT: Duration = Duration::from_secs(120);

#[test]
fn every_command_prints_its_output() {
    let transcripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    thread::scope(|scope| {
        for entry in fs::read_dir(transcripts).expect("the transcripts") {
            // Reports of what is skipped name the test.
            let named = thread::Builder::new().name("every_command_prints_its_output".to_owned());
            named
                .spawn_scoped(scope, || compare(&entry.expect("a file").path()))
                .expect("a thread");
        }
    });
}

/// Plays the cases of a file.
fn compare(path: &Path) {
    let old = fs::read_to_string(path).expect("a text");
    // Printed if a command is killed.
    eprintln!("{}", path.display());
    let file = path.file_name().and_then(|name| name.to_str()).expect("a text");
    let mut cases = old.split("\n== ");
    let setup = cases.next().expect("shell code").to_owned();
    let new = cases.fold(setup.clone(), |all, case| all + "\n== " + &played(file, &setup, case));
    if env::var_os("BENCHSUITE_REWRITE").is_some() {
        return fs::write(path, new).expect("the file can be written");
    }
    let mut title = "";
    for (number, (old, new)) in old.lines().zip(new.lines()).enumerate() {
        title = if old.starts_with("== ") { old } else { title };
        assert_eq!(new, old, "{}:{}: {title}", path.display(), number + 1);
    }
    assert_eq!(new.len(), old.len(), "{} ends early", path.display());
}

/// A case of `file` with the output of today.
fn played(file: &str, setup: &str, case: &str) -> String {
    let temp = tempfile::tempdir().expect("a directory");
    let top = temp.path().canonicalize().expect("a directory");
    let mut out = String::new();
    let is_output = |line: &str| ["|", "! ", "exit "].iter().any(|mark| line.starts_with(mark));
    let mut lines = case.lines().filter(|line| !is_output(line)).peekable();
    while let Some(line) = lines.next() {
        out = out + line + "\n";
        if let Some(program) = line.strip_prefix("needs ") {
            if Command::new(program).arg("--version").output().is_err() {
                let title = case.lines().next().unwrap_or_default();
                skip_part(&format!("{file}: {title}"), format!("{program} is not installed"));
                return case.to_owned();
            }
        } else if let Some(command) = line.strip_prefix("$ ") {
            let mut command = command.to_owned();
            while let Some(more) = lines.next_if(|line| line.starts_with("> ")) {
                out = out + more + "\n";
                command = command + "\n" + &more[2..];
            }
            let (code, streams) = run(&top, &format!("{setup}\n{command}"));
            for (mark, text) in ["|", "! "].iter().zip(streams) {
                let text = text.replace(&*top.to_string_lossy(), "$TOP");
                out = text.lines().fold(out, |out, line| out + mark + line + "\n");
            }
            if code != 0 {
                out += &format!("exit {code}\n");
            }
        }
    }
    out
}

/// Runs a script in a directory, and returns its exit code, standard output and standard error. A
/// script that hangs is killed, and so are the programs of its group.
fn run(top: &Path, script: &str) -> (i32, [String; 2]) {
    let programs = Path::new(env!("CARGO_BIN_EXE_benchsuite")).parent().expect("a directory");
    let path = format!("{}:{}", programs.display(), env::var("PATH").unwrap_or_default());
    let mut sh = Command::new("sh");
    sh.args(["-c", script]).current_dir(top).stdin(Stdio::null());
    sh.env_clear().env("PATH", path).env("HOME", top.join("home")).env("LC_ALL", "C");
    sh.env("PACKAGE", env!("CARGO_MANIFEST_DIR"));
    let files = [(); 2].map(|()| tempfile::tempfile().expect("a file"));
    let [out, err] = files.each_ref().map(|file| file.try_clone().expect("a file"));
    let mut child = sh.stdout(out).stderr(err).process_group(0).spawn().expect("a shell");
    let Some(status) = child.wait_timeout(SCRIPT_TIMEOUT).expect("a child") else {
        let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
        panic!("killed after {SCRIPT_TIMEOUT:?}: {script}");
    };
    let streams = files.map(|mut file| {
        let mut text = Vec::new();
        file.rewind().and_then(|()| file.read_to_end(&mut text)).expect("what it printed");
        String::from_utf8_lossy(&text).into_owned()
    });
    (status.code().expect("it ends by itself"), streams)
}
