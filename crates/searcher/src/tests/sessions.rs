//! Command lines beside what a search prints, in `sessions/*.txt`: rules of the specification, and
//! situations that random haystacks seldom contain.
//!
//! A command line follows `$ `: flags as those of `hs`, then the pattern, in quotes if it is empty.
//! The haystack follows `< `; in it, `\n`, `\r`, `\0`, `\\` and `\xFF` stand for bytes, and a row
//! that begins with `<6000 ` is repeated. The rows after that are what is printed: `number:text`
//! for matches and `number-text` for context. `--events` adds the positions of lines, and how the
//! search ends; `--matches` the matches of each block. Comments follow `# `.

use super::random::{small, spanning_trial, trial};
use crate::{
    BinaryPolicy, Encoding, End, LineKind, SearchConfig,
    trial::{Event, Help, Outcome, Trial, Way},
};

const TABLES: &[&str] = &[include_str!("sessions/lines.txt"), include_str!("sessions/spans.txt")];

/// What a session shows besides lines.
#[derive(Default)]
struct Shown {
    events: bool,
    matches: bool,
}

/// The search of a command line.
fn parse(command: &str, haystack: &[u8]) -> (Trial, Shown) {
    let (mut config, mut shown) = (SearchConfig::default(), Shown::default());
    let (mut multiline, mut wants_unmatched) = (false, false);
    let (flags, pattern) = command.rsplit_once(' ').unwrap_or(("", command));
    let mut words = flags.split_whitespace();
    while let Some(flag) = words.next() {
        let mut number = || words.next().and_then(|word| word.parse().ok()).expect("a number");
        match flag {
            "-A" => config.after_context = number(),
            "-B" => config.before_context = number(),
            "-E" => config.encoding = encoding(words.next().expect("a label")),
            "-U" => multiline = true,
            "-a" => config.binary = BinaryPolicy::Text,
            "-m" => config.max_matches = Some(number() as u64),
            "-v" => config.invert = true,
            "--binary" => config.binary = BinaryPolicy::Convert,
            "--events" => shown.events = true,
            "--matches" => shown.matches = true,
            "--passthru" => config.passthru = true,
            "--stop-on-nonmatch" => config.stop_on_nonmatch = true,
            "--unmatched" => wants_unmatched = true,
            _ => panic!("unknown flag: {command}"),
        }
    }
    let pattern = pattern.trim_matches('\'');
    let trial = match multiline {
        true => spanning_trial(config, pattern, haystack),
        false => trial(config, pattern, haystack),
    };
    (Trial { wants_unmatched, ..trial }, shown)
}

fn encoding(label: &str) -> Encoding {
    match label {
        "none" => Encoding::None,
        _ => Encoding::Always(encoding_rs::Encoding::for_label(label.as_bytes()).expect("a label")),
    }
}

/// The bytes of a row of a haystack.
fn unescape(row: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = row.as_bytes();
    while let Some((byte, behind)) = rest.split_first() {
        let (byte, len) = match (byte, behind) {
            (b'\\', [b'n', ..]) => (b'\n', 1),
            (b'\\', [b'r', ..]) => (b'\r', 1),
            (b'\\', [b'0', ..]) => (0, 1),
            (b'\\', [b'\\', ..]) => (b'\\', 1),
            (b'\\', [b'x', ..]) => {
                let digits = str::from_utf8(&behind[1..3]).expect("two digits");
                (u8::from_str_radix(digits, 16).expect("two digits"), 3)
            }
            _ => (*byte, 0),
        };
        bytes.push(byte);
        rest = &behind[len..];
    }
    bytes
}

/// What is printed of a search.
fn print(outcome: &Outcome, shown: &Shown) -> String {
    let (mut text, mut blocks) = (String::new(), outcome.blocks.iter());
    for event in &outcome.events {
        match event {
            Event::Begin | Event::Count(_) | Event::Abandon => {}
            Event::Gap => text.push_str("--\n"),
            Event::Binary(offset) => text.push_str(&format!("binary {offset}\n")),
            Event::Line { kind, text: line, number, offset } => {
                let mark = if *kind == LineKind::Match { ':' } else { '-' };
                let place = if shown.events { format!("{offset}{mark}") } else { String::new() };
                let (number, line) = (number.unwrap_or(0), line.trim_ascii_end().escape_ascii());
                text.push_str(&format!("{number}{mark}{place}{line}\n"));
                if let Some(matches) = blocks.next().filter(|_| shown.matches) {
                    text.push_str(&format!("matches {matches:?}\n"));
                }
            }
            Event::Finish(finish) if shown.events => {
                text.push_str(&format!("end {}\n", finish.bytes_searched));
            }
            Event::Finish(_) => {}
        }
    }
    text
}

/// Searches in every way of reading that may not differ.
fn check(command: &str, haystack: &[u8], expected: &str) {
    let (trial, shown) = parse(command, haystack);
    let whole = [End::ShortRead, End::EmptyRead].map(|end| Way::Reads(usize::MAX, end));
    let mut worker = trial.worker();
    let found = trial.run(&mut worker, &Way::Slice);
    assert_eq!(print(&found, &shown), expected, "{command}");
    for way in &whole {
        trial.check(&mut worker, way, &found.events);
    }
    if trial.depends_on_blocks() && !trial.matcher.spans_lines() {
        return;
    }
    let small = small(trial);
    let help = Help::InTurn(1, 0b0101_0101);
    for way in [Way::Reads(3, End::Stream), Way::Chunks { size: 16, most: usize::MAX, help }] {
        let small = small.check(&mut small.worker(), &way, &found.events);
        assert_eq!(small.blocks, found.blocks, "{command}");
    }
}

#[test]
fn every_session_prints_its_rows() {
    let mut count = 0;
    for session in TABLES.iter().flat_map(|table| table.split("\n$ ").skip(1)) {
        let (mut haystack, mut expected) = (Vec::new(), String::new());
        let (command, rows) = session.split_once('\n').expect("a command line");
        for row in rows.lines().filter(|row| !row.is_empty() && !row.starts_with('#')) {
            match row.strip_prefix('<').and_then(|row| row.split_once(' ')) {
                Some((times, row)) => {
                    haystack.extend(unescape(row).repeat(times.parse().unwrap_or(1)));
                }
                None => expected += &format!("{row}\n"),
            }
        }
        check(command, &haystack, &expected);
        count += 1;
    }
    assert_eq!(count, 52);
}
