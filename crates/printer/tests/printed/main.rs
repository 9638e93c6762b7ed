//! The output of printers, byte for byte: command lines on small files beside the expected output.
//!
//! - `cases/*.txt`: the command lines and outputs, by subject; see [`Case`].
//! - `driver`: turns a command line into a printer's configuration and a slow, obvious search that
//!   feeds it.
//! - `binary`, `events`: sequences of events that no command line of the driver produces.
//! - `judge`: runs every case, and random command lines, with ripgrep if `HS_TEST_JUDGE` names one.
//!
//! All expectations are verified against ripgrep 15.2, unless they state otherwise.

mod binary;
mod driver;
mod events;
mod judge;

/// A command line as for `hs`, which ends in the names of [`driver::FILES`], and its output.
///
/// In the files, a command line follows `$ `, each line of its output follows `|`, and comments
/// follow `# `. `\t`, `\r`, `\x01` and `\\` stand for single bytes, and a line that ends in `\` has
/// no line feed. Words in braces stand for escape sequences and NUL bytes; see [`driver::fold`].
struct Case {
    command: String,
    output: String,
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

fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in TABLES.iter().flat_map(|table| table.lines()) {
        if let Some(command) = line.strip_prefix("$ ") {
            cases.push(Case { command: command.to_owned(), output: String::new() });
        } else if let Some(output) = line.strip_prefix('|') {
            cases.last_mut().expect("a command line").output += &unescape(output);
        } else {
            assert!(line.is_empty() || line.starts_with("# "), "not a line of a case: {line}");
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
    let cases = cases();
    assert_eq!(cases.len(), 461);
    for Case { command, output } in &cases {
        assert_eq!(driver::fold(&driver::run(command)), *output, "hs {command}");
    }
}
