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
//! exit 1
//! ```
//!
//! `> ` continues a command. The lines with `|` are its standard output and standard error, in
//! which `$TOP` stands for the directory; the exit code is 0 if none is mentioned. `$PACKAGE` is
//! the directory of the package. A case that needs a program which is not installed passes.
//!
//! With `BENCHSUITE_REWRITE=1` the test writes the files anew, so that a change can be read as a
//! diff.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn every_command_prints_its_output() {
    let transcripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    for entry in fs::read_dir(transcripts).expect("the transcripts") {
        let path = entry.expect("a file").path();
        let old = fs::read_to_string(&path).expect("a text");
        let mut cases = old.split("\n== ");
        let setup = cases.next().expect("shell code").to_owned();
        let new = cases.fold(setup.clone(), |all, case| all + "\n== " + &played(&setup, case));
        if env::var_os("BENCHSUITE_REWRITE").is_some() {
            fs::write(&path, new).expect("the file can be written");
            continue;
        }
        for (number, (old, new)) in old.lines().zip(new.lines()).enumerate() {
            assert_eq!(new, old, "{}:{}", path.display(), number + 1);
        }
        assert_eq!(new.len(), old.len(), "{} ends early", path.display());
    }
}

/// A case with the output of today.
fn played(setup: &str, case: &str) -> String {
    let temp = tempfile::tempdir().expect("a directory");
    let top = temp.path().canonicalize().expect("a directory");
    let mut out = String::new();
    let is_output = |line: &str| line.starts_with('|') || line.starts_with("exit ");
    let mut lines = case.lines().filter(|line| !is_output(line)).peekable();
    while let Some(line) = lines.next() {
        out = out + line + "\n";
        if let Some(program) = line.strip_prefix("needs ") {
            if Command::new(program).arg("--version").output().is_err() {
                eprintln!("skipped: {program} is not installed: {case}");
                return case.to_owned();
            }
        } else if let Some(command) = line.strip_prefix("$ ") {
            let mut command = command.to_owned();
            while let Some(more) = lines.next_if(|line| line.starts_with("> ")) {
                out = out + more + "\n";
                command = command + "\n" + &more[2..];
            }
            let (code, text) = run(&top, &format!("{setup}\nexec 2>&1\n{command}"));
            let text = text.replace(&*top.to_string_lossy(), "$TOP");
            out = text.lines().fold(out, |out, line| out + "|" + line + "\n");
            if code != 0 {
                out += &format!("exit {code}\n");
            }
        }
    }
    out
}

/// Runs a script in a directory, and returns its exit code and its output.
fn run(top: &Path, script: &str) -> (i32, String) {
    let programs = Path::new(env!("CARGO_BIN_EXE_benchsuite")).parent().expect("a directory");
    let path = format!("{}:{}", programs.display(), env::var("PATH").unwrap_or_default());
    let mut sh = Command::new("sh");
    sh.args(["-c", script]).current_dir(top).stdin(Stdio::null());
    sh.env_clear().env("PATH", path).env("HOME", top.join("home")).env("LC_ALL", "C");
    sh.env("PACKAGE", env!("CARGO_MANIFEST_DIR"));
    let output = sh.output().expect("a shell");
    let code = output.status.code().expect("it ends by itself");
    (code, String::from_utf8_lossy(&output.stdout).into_owned())
}
