//! What a command prints before it is timed: how many lines, and a digest that does not depend on
//! their order.

use std::io::{BufRead, BufReader, Read};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::checksum::splitmix64;
use crate::process::{self, Failure};
use crate::record::{Figures, Outcome};
use crate::suite::tasks::Compared;
use crate::turns::Run;

/// Runs `command` once and counts its lines. Fails if it cannot be run, hangs, or ends with an
/// error and without output. The figure of the run is roughly how long it took.
pub(crate) fn check(
    command: &mut Command,
    compared: Compared,
    limit: Duration,
) -> Result<Run, Failure> {
    let begun = Instant::now();
    let ended = process::read(command, b"", limit, move |output| count(output, compared))?;
    let figures = Figures::of([("wall", begun.elapsed().as_secs_f64())]);
    let Some(code) = ended.status.code() else {
        return Err(Failure::of(ended.status));
    };
    let (lines, digest) = ended.output;
    // Exit code 1 without a message means that nothing was found; tools also end with an error code
    // after messages about single files, while the rest of the result is fine.
    if code != 0 && lines == 0 && (code != 1 || !ended.complaint.is_empty()) {
        return Err(Failure::Fault(format!("exit code {code}: {}", ended.last_words())));
    }
    Ok(Run { figures, result: Some(Outcome { lines, digest, code }), ..Run::default() })
}

/// How many lines there are, with the sum of their hashes, or with a hash of their hashes in order.
fn count(output: impl Read, compared: Compared) -> (u64, u64) {
    let mut output = BufReader::with_capacity(1 << 16, output);
    let (mut number, mut digest) = (0, 0_u64);
    let mut line = Vec::new();
    // What was read before an error is all there is.
    while output.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        // Some lines end with NUL, and what lies between two of them comes in any order.
        line.pop_if(|last| [b'\n', 0].contains(last));
        for line in line.split(|byte| *byte == 0).filter(|line| is_result(line)) {
            number += 1;
            let hash = hash(line.strip_prefix(b"./").unwrap_or(line));
            digest = match compared {
                Compared::Timeless if reports_time(line) => digest,
                Compared::Lines | Compared::Timeless => digest.wrapping_add(hash),
                Compared::Order => splitmix64(digest.wrapping_add(hash)),
            };
        }
        line.clear();
    }
    (number, digest)
}

/// Whether a line counts: each tool words "binary file matches" its own way, or prints nothing; and
/// some print a count of 0.
fn is_result(line: &[u8]) -> bool {
    let is_note = line.len() < 4096 && memchr::memmem::find(line, b"inary file").is_some();
    !is_note && !line.ends_with(b":0")
}

/// Whether a line reports a duration: a message for programs, in which quotes from a file are
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

    #[test]
    fn results_are_compared_line_by_line() {
        use Compared::{Lines, Order, Timeless};
        let two = "./a:1:x\nb:2:y\n";
        let json = "{\"lines\":\"x\"}\n{\"elapsed\":{\"nanos\":1}}\n";
        let quoted = r#"{"lines":"\"elapsed\":{1"}"#;
        let long = "x".repeat(300_000);
        for (compared, one, other, agrees) in [
            // The order and the prefix do not matter, and the bytes do.
            (Lines, two, "b:2:y\na:1:x", true),
            (Lines, two, "b:2:y\na:1:z\n", false),
            (Lines, two, "a:1:x\nb:2:y\nb:2:y\n", false),
            (Lines, two, "a:1:y\nb:2:x\n", false),
            // Unless the order is compared.
            (Order, "./a\nb\n", "a\nb\n", true),
            (Order, "./a\nb\n", "b\na\n", false),
            // Times do not matter where they are reported, which is not in a quoted file.
            (Timeless, json, &json.replace('1', "2"), true),
            (Timeless, json, &json.replace('x', "y"), false),
            (Timeless, json, &format!("{json}0.1 seconds total\n"), false),
            (Timeless, quoted, &quoted.replace('1', "2"), false),
            // Lines may end with NUL, and may be longer than the buffer.
            (Lines, "a:1\nx\0b:1\n\0", "b:1\n\0a:1\nx\0", true),
            (Lines, &format!("{long}\ny\n"), &format!("y\n{long}"), true),
            // Notes and counts of 0 are no lines.
            (Lines, "a:3\nb:0\nBinary file c matches\n", "a:3\n", true),
        ] {
            let [first, second] = [one, other].map(|text| count(text.as_bytes(), compared));
            assert_eq!(first == second, agrees, "{one}\n{other}");
        }
        assert_eq!(count(format!("{long}\ny\n").as_bytes(), Lines).0, 2);
    }

    #[test]
    fn nothing_found_is_an_answer_and_a_complaint_is_none() {
        let run = |script| {
            let limit = Duration::from_secs(60);
            check(Command::new("sh").args(["-c", script]), Compared::Lines, limit)
        };
        let outcome = |script| run(script).expect("a run").result.expect("a result");
        assert_eq!(outcome("exit 1"), Outcome { lines: 0, digest: 0, code: 1 });
        let partly = outcome("echo a; echo 'x: denied' >&2; exit 2");
        assert_eq!((partly.lines, partly.code), (1, 2));
        let fault = |script| run(script).expect_err(script).to_string();
        assert_eq!(fault("echo bad pattern >&2; exit 2"), "exit code 2: bad pattern");
        assert_eq!(fault("echo unknown flag >&2; exit 1"), "exit code 1: unknown flag");
        assert!(fault("kill -9 $$").contains("signal: 9"));
    }
}
