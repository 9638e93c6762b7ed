//! The result of a command before it is timed: how many lines it prints, and a digest of them that
//! does not depend on their order.

use std::io::Read;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::checksum::splitmix64;
use crate::process::{self, Failure};
use crate::record::Outcome;
use crate::suite::tasks::Compared;

/// A command's result and roughly how long it took.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Checked {
    pub(crate) outcome: Outcome,
    /// The time left is estimated from this.
    pub(crate) took: Duration,
}

/// Runs `command` once and counts its lines. Fails if it cannot be run, hangs, or ends with an
/// error and without output.
pub(crate) fn check(
    command: Command,
    compared: Compared,
    limit: Duration,
) -> Result<Checked, Failure> {
    let begun = Instant::now();
    let ended = process::read(command, b"", limit, move |output| count(output, compared))?;
    let took = begun.elapsed();
    let Some(code) = ended.status.code() else {
        return Err(Failure::of(ended.status));
    };
    let (lines, digest) = ended.output;
    // Exit code 1 without a message means that nothing was found; tools also end with an error code
    // after messages about single files, while the rest of the result is fine.
    if code != 0 && lines == 0 && (code != 1 || !ended.complaint.is_empty()) {
        let last = ended.complaint.lines().last().unwrap_or("no message");
        return Err(Failure::Fault(format!("exit code {code}: {last}")));
    }
    Ok(Checked { outcome: Outcome { lines, digest, code }, took })
}

/// The number of lines with the sum of their hashes, or with a hash of their hashes in order.
fn count(mut output: impl Read, compared: Compared) -> (u64, u64) {
    let mut buffer = vec![0; 1 << 16];
    let mut lines = Lines { compared, number: 0, digest: 0 };
    let mut partial = Vec::new();
    loop {
        match output.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => {
                let mut rest = &buffer[..read];
                // Some lines end with NUL, and what lies between two of them comes in any order.
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

/// Counts and hashes lines.
struct Lines {
    compared: Compared,
    number: u64,
    digest: u64,
}

impl Lines {
    fn add(&mut self, line: &[u8]) {
        // Each tool words "binary file matches" its own way, or prints nothing; some print `./`,
        // and some a count of 0.
        let is_note = line.len() < 4096 && memchr::memmem::find(line, b"inary file").is_some();
        if is_note || line.ends_with(b":0") {
            return;
        }
        self.number += 1;
        let hash = hash(line.strip_prefix(b"./").unwrap_or(line));
        self.digest = match self.compared {
            Compared::Timeless if reports_time(line) => self.digest,
            Compared::Lines | Compared::Timeless => self.digest.wrapping_add(hash),
            Compared::Order => splitmix64(self.digest.wrapping_add(hash)),
        };
    }
}

/// Whether a line reports a duration: a message for programs, in which quotes of a file's text are
/// escaped, or the end of statistics.
fn reports_time(line: &[u8]) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    const AMPLE: Duration = Duration::from_secs(60);

    fn shell(script: &str, compared: Compared) -> Result<Checked, Failure> {
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
        assert!(one.agrees(&outcome("printf 'b:2:y\\na:1:x'")));
        assert!(!one.agrees(&outcome("printf 'b:2:y\\na:1:z\\n'")));
        assert!(!one.agrees(&outcome("printf 'a:1:x\\nb:2:y\\nb:2:y\\n'")), "one line twice");
        let swapped = "printf 'a:1:y\\nb:2:x\\n'";
        assert!(!one.agrees(&outcome(swapped)));
    }

    #[test]
    fn the_order_matters_where_it_is_compared() {
        let outcome = |script| shell(script, Compared::Order).expect("a result").outcome;
        let one = outcome("printf './a\\nb\\n'");
        assert!(one.agrees(&outcome("printf 'a\\nb\\n'")));
        assert!(!one.agrees(&outcome("printf 'b\\na\\n'")));
    }

    #[test]
    fn times_do_not_matter_where_they_are_reported() {
        let outcome = |script: &str| shell(script, Compared::Timeless).expect("a result").outcome;
        let json = |time: u8, text: &str| {
            format!(r#"echo '{{"lines":"{text}"}}'; echo '{{"elapsed":{{"nanos":{time}}}}}'"#)
        };
        let one = outcome(&json(1, "x"));
        assert!(one.agrees(&outcome(&json(2, "x"))));
        assert!(!one.agrees(&outcome(&json(1, "y"))));
        assert!(!one.agrees(&outcome(&format!("{}; echo 0.1 seconds total", json(1, "x")))));
        let said = |time: u8| format!(r#"printf '%s' '{{"lines":"\"elapsed\":{{{time}"}}'"#);
        assert!(!outcome(&said(1)).agrees(&outcome(&said(2))), "that is in a file");
    }

    #[test]
    fn lines_may_end_with_nul() {
        let one = outcome("printf 'a:1\\nx\\0b:1\\n\\0'");
        assert!(one.agrees(&outcome("printf 'b:1\\n\\0a:1\\nx\\0'")));
    }

    #[test]
    fn notes_and_zero_counts_are_no_lines() {
        let noted = outcome("printf 'a:3\\nb:0\\nBinary file c matches\\n'");
        assert!(noted.agrees(&outcome("printf 'a:3\\n'")));
        assert_eq!(noted.lines, 1);
    }

    #[test]
    fn lines_longer_than_the_buffer_are_one() {
        let long = outcome("head -c 300000 /dev/zero | tr '\\0' x; echo; echo y");
        assert_eq!(long.lines, 2);
        assert!(long.agrees(&outcome("echo y; head -c 300000 /dev/zero | tr '\\0' x")));
    }

    #[test]
    fn nothing_found_is_an_answer_and_a_complaint_is_none() {
        assert_eq!(outcome("exit 1"), Outcome { lines: 0, digest: 0, code: 1 });
        let fault = |script| match shell(script, Compared::Lines) {
            Err(Failure::Fault(why)) => why,
            other => panic!("{script}: {other:?}"),
        };
        assert_eq!(fault("echo bad pattern >&2; exit 2"), "exit code 2: bad pattern");
        assert_eq!(fault("echo unknown flag >&2; exit 1"), "exit code 1: unknown flag");
        assert!(fault("kill -9 $$").contains("signal: 9"));
        let partly = outcome("echo a; echo 'x: denied' >&2; exit 2");
        assert_eq!((partly.lines, partly.code), (1, 2));
    }
}
