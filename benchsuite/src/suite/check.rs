//! What a command prints, before anything is timed: how many lines, and whether they are those that another
//! command prints, in whatever order.

use std::io::Read;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::process::{self, Failure};
use crate::random::splitmix64;
use crate::suite::record::Outcome;
use crate::suite::tasks::Compared;

/// A command's result and how long it took.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Checked {
    /// What it printed.
    pub(crate) outcome: Outcome,
    /// How long that took, about: it is what the time left is guessed from.
    pub(crate) took: Duration,
}

/// Runs `command` once and counts.
///
/// # Errors
///
/// It could not be run, hung, or ended in a way that is no answer.
pub(crate) fn check(
    command: Command,
    compared: Compared,
    limit: Duration,
) -> Result<Checked, Refusal> {
    let begun = Instant::now();
    let ended = process::read(command, b"", limit, move |output| count(output, compared))?;
    let took = begun.elapsed();
    let Some(code) = ended.status.code() else {
        return Err(Refusal::Fault(ended.status.to_string()));
    };
    let (lines, digest) = ended.output;
    // Whoever finds nothing says so with a 1; tools also end with something else after complaints about single files,
    // which others may have about the same ones.
    if code != 0 && lines == 0 && (code != 1 || !ended.complaint.is_empty()) {
        let last = ended.complaint.lines().last().unwrap_or("no message");
        return Err(Refusal::Fault(format!("exit code {code}: {last}")));
    }
    Ok(Checked { outcome: Outcome { lines, digest, code }, took })
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// For this reason, which belongs into the row.
    Fault(String),
    /// The user wants to stop.
    Interrupted,
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Refusal {
        match failure {
            Failure::Interrupted => Refusal::Interrupted,
            failure => Refusal::Fault(failure.to_string()),
        }
    }
}

/// The number of lines, and the sum of their hashes, or a hash of their hashes in order.
fn count(mut output: impl Read, compared: Compared) -> (u64, u64) {
    let mut buffer = vec![0; 1 << 16];
    let mut lines = Lines { compared, number: 0, digest: 0 };
    let mut partial = Vec::new();
    loop {
        match output.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => {
                let mut rest = &buffer[..read];
                // Some end with NUL, and what lies between two of them comes in any order.
                while let Some(end) = memchr::memchr2(b'\n', 0, rest) {
                    if partial.is_empty() {
                        lines.add(&rest[..end]);
                    } else {
                        partial.extend_from_slice(&rest[..end]);
                        lines.add(&partial);
                        partial.clear();
                    }
                    rest = &rest[end + 1..];
                }
                partial.extend_from_slice(rest);
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    if !partial.is_empty() {
        lines.add(&partial);
    }
    (lines.number, lines.digest)
}

/// What is known of the lines that were printed so far.
struct Lines {
    compared: Compared,
    number: u64,
    digest: u64,
}

impl Lines {
    fn add(&mut self, line: &[u8]) {
        // Tools tell of a match in a binary file in words of their own, or not at all; some say `./` and some count
        // what is not there.
        let is_note = line.len() < 4096 && memchr::memmem::find(line, b"inary file").is_some();
        if is_note || line.ends_with(b":0") {
            return;
        }
        self.number += 1;
        let hash = hash(line.strip_prefix(b"./").unwrap_or(line));
        self.digest = match self.compared {
            Compared::Timeless if tells_time(line) => self.digest,
            Compared::Lines | Compared::Timeless => self.digest.wrapping_add(hash),
            Compared::Order => splitmix64(self.digest.wrapping_add(hash)),
        };
    }
}

/// Whether a line tells how long something took: as a message for programs, in which quotes of a file's text are
/// escaped, or as the end of statistics.
fn tells_time(line: &[u8]) -> bool {
    let keys: [&[u8]; 2] = [br#""elapsed":{"#, br#""elapsed_total":{"#];
    keys.iter().any(|key| memchr::memmem::find(line, key).is_some())
        || line.ends_with(b" seconds spent searching")
        || line.ends_with(b" seconds total")
}

/// FNV-1a of Fowler, Noll and Vo, scrambled, so that sums over lines are as random as the lines.
fn hash(bytes: &[u8]) -> u64 {
    let fold = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    splitmix64(bytes.iter().fold(0xcbf2_9ce4_8422_2325, fold))
}

/// Whether two commands printed the same.
pub(crate) fn agree(one: &Outcome, other: &Outcome) -> bool {
    (one.lines, one.digest) == (other.lines, other.digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AMPLE: Duration = Duration::from_secs(60);

    fn shell(script: &str, compared: Compared) -> Result<Checked, Refusal> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        check(command, compared, AMPLE)
    }

    fn outcome(script: &str) -> Outcome {
        shell(script, Compared::Lines).expect("a result").outcome
    }

    #[test]
    fn the_order_and_the_prefix_do_not_matter_and_the_bytes_do() {
        let one = outcome("printf './a:1:x\\nb:2:y\\n'");
        assert!(agree(&one, &outcome("printf 'b:2:y\\na:1:x'")));
        assert!(!agree(&one, &outcome("printf 'b:2:y\\na:1:z\\n'")));
        assert!(!agree(&one, &outcome("printf 'a:1:x\\nb:2:y\\nb:2:y\\n'")), "one line twice");
        let swapped = "printf 'a:1:y\\nb:2:x\\n'";
        assert!(!agree(&one, &outcome(swapped)));
    }

    #[test]
    fn the_order_matters_where_it_was_asked_for() {
        let outcome = |script| shell(script, Compared::Order).expect("a result").outcome;
        let one = outcome("printf './a\\nb\\n'");
        assert!(agree(&one, &outcome("printf 'a\\nb\\n'")));
        assert!(!agree(&one, &outcome("printf 'b\\na\\n'")));
    }

    #[test]
    fn times_do_not_matter_where_they_are_told() {
        let outcome = |script: &str| shell(script, Compared::Timeless).expect("a result").outcome;
        let json = |time: u8, text: &str| {
            format!(r#"echo '{{"lines":"{text}"}}'; echo '{{"elapsed":{{"nanos":{time}}}}}'"#)
        };
        let one = outcome(&json(1, "x"));
        assert!(agree(&one, &outcome(&json(2, "x"))));
        assert!(!agree(&one, &outcome(&json(1, "y"))));
        assert!(!agree(&one, &outcome(&format!("{}; echo 0.1 seconds total", json(1, "x")))));
        let said = |time: u8| format!(r#"printf '%s' '{{"lines":"\"elapsed\":{{{time}"}}'"#);
        assert!(!agree(&outcome(&said(1)), &outcome(&said(2))), "that is in a file");
    }

    #[test]
    fn lines_may_end_with_nul() {
        let one = outcome("printf 'a:1\\nx\\0b:1\\n\\0'");
        assert!(agree(&one, &outcome("printf 'b:1\\n\\0a:1\\nx\\0'")));
    }

    #[test]
    fn notes_and_zero_counts_are_no_lines() {
        let noted = outcome("printf 'a:3\\nb:0\\nBinary file c matches\\n'");
        assert!(agree(&noted, &outcome("printf 'a:3\\n'")));
        assert_eq!(noted.lines, 1);
    }

    #[test]
    fn lines_longer_than_the_buffer_are_one() {
        let long = outcome("head -c 300000 /dev/zero | tr '\\0' x; echo; echo y");
        assert_eq!(long.lines, 2);
        assert!(agree(&long, &outcome("echo y; head -c 300000 /dev/zero | tr '\\0' x")));
    }

    #[test]
    fn nothing_found_is_an_answer_and_a_complaint_is_none() {
        assert_eq!(outcome("exit 1"), Outcome { lines: 0, digest: 0, code: 1 });
        let fault = |script| match shell(script, Compared::Lines) {
            Err(Refusal::Fault(why)) => why,
            other => panic!("{script}: {other:?}"),
        };
        assert_eq!(fault("echo bad pattern >&2; exit 2"), "exit code 2: bad pattern");
        assert_eq!(fault("echo unknown flag >&2; exit 1"), "exit code 1: unknown flag");
        assert!(fault("kill -9 $$").contains("signal: 9"));
        let partly = outcome("echo a; echo 'x: denied' >&2; exit 2");
        assert_eq!((partly.lines, partly.code), (1, 2));
    }
}
