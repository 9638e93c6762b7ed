//! The output of printers, byte for byte: command lines on small files beside the expected output.
//!
//! - `cases/*.txt`: the command lines and outputs, by subject; see [`Case`].
//! - `driver`: turns a command line into a printer's configuration and a slow, obvious search that
//!   feeds it.
//! - `cases/binary.txt`: the same for sequences of events that no file of the driver causes.
//! - `events`: the calls that an output receives.
//! - `large`: lines with very many matches.
//! - `judge`: runs every case, and random command lines, with ripgrep if `HS_TEST_JUDGE` names one.
//!
//! All expectations are verified against ripgrep 15.2, unless they state otherwise.

mod driver;
mod events;
mod judge;
mod large;

use heist_printer::{ColorRule, HyperlinkFormat};

/// A command line as for `hs`, which ends in the names of [`driver::FILES`], and its output.
///
/// In the files, a command line follows `$ `, each line of its output follows `|`, and comments
/// follow `# `. `\t`, `\r`, `\x01` and `\\` stand for single bytes, and a line that ends in `\` has
/// no line feed. Words in braces stand for escape sequences and NUL bytes; see [`driver::fold`].
/// After `~ `, it is stated what ripgrep does instead.
#[derive(Default)]
struct Case {
    command: String,
    /// The policy and the events of every haystack, if those of the files do not count.
    events: Option<String>,
    output: String,
    /// Whether the output of ripgrep is another one.
    differs: bool,
    /// Whether the last haystack satisfies the search, if that is expected.
    has_match: Option<bool>,
    /// Whether a haystack without a match matters, if that is expected.
    wants_unmatched: Option<bool>,
}

/// All tables of cases.
const TABLES: &[&str] = &[
    include_str!("cases/standard.txt"),
    include_str!("cases/context.txt"),
    include_str!("cases/long_lines.txt"),
    include_str!("cases/colors.txt"),
    include_str!("cases/summary.txt"),
    include_str!("cases/replaced.txt"),
    include_str!("cases/blocks.txt"),
    include_str!("cases/json.txt"),
    include_str!("cases/stats.txt"),
    include_str!("cases/links.txt"),
];

/// The cases of events.
const BINARY: &[&str] = &[include_str!("cases/binary.txt")];

fn cases(tables: &[&str]) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in tables.iter().flat_map(|table| table.lines()) {
        if let Some(command) = line.strip_prefix("$ ") {
            cases.push(Case { command: command.to_owned(), ..Case::default() });
            continue;
        }
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let case = cases.last_mut().expect("a command line");
        match line.split_at(1) {
            ("|", output) => case.output += &unescape(output),
            ("<", events) => case.events = Some(events.trim().to_owned()),
            ("~", _) => case.differs = true,
            ("=", has_match) => case.has_match = Some(has_match == " true"),
            ("?", wants) => case.wants_unmatched = Some(wants == " true"),
            _ => panic!("not a line of a case: {line}"),
        }
    }
    cases
}

/// Returns a line of output as it is printed.
fn unescape(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        text.push(match (c, c == '\\') {
            (c, false) => c,
            _ => match rest.next() {
                None => return text,
                Some('t') => '\t',
                Some('r') => '\r',
                Some('x') => {
                    let digits: String = rest.by_ref().take(2).collect();
                    char::from(u8::from_str_radix(&digits, 16).expect("two digits"))
                }
                Some(escaped) => escaped,
            },
        });
    }
    text + "\n"
}

#[test]
fn every_case_prints_its_output() {
    let cases = cases(TABLES);
    assert_eq!(cases.len(), 473);
    for Case { command, output, .. } in &cases {
        assert_eq!(driver::fold(&driver::run(command)), *output, "hs {command}");
    }
}

#[test]
fn refusals_have_the_words_of_ripgrep() {
    for Case { command, output, .. } in cases(&[include_str!("cases/refused.txt")]) {
        let words = driver::words(&command);
        let message = match words[0].as_str() {
            "--colors" => words[1].parse::<ColorRule>().unwrap_err().to_string(),
            _ => words[1].parse::<HyperlinkFormat>().unwrap_err().to_string(),
        };
        assert_eq!(message + "\n", output, "{command}");
    }
    assert!("path:none:whatever".parse::<ColorRule>().is_ok());
}

#[test]
fn every_sequence_of_events_prints_its_output() {
    let cases = cases(BINARY);
    assert_eq!(cases.len(), 44);
    for Case { command, events, output, has_match, wants_unmatched, .. } in &cases {
        let events = events.as_ref().expect("events");
        let run = driver::run_events(command, events);
        assert_eq!(driver::fold(&run.output), *output, "hs {command} < {events}");
        assert_eq!(Some(run.has_match), *has_match, "hs {command} < {events}");
        assert!(wants_unmatched.is_none_or(|wants| wants == run.wants_unmatched), "hs {command}");
    }
}
