//! Forms of results that ripgrep does not have, in random files, against the messages of `--json`,
//! which it has.

use std::{fmt::Write, ops::Range};

use serde_json::Value;

use crate::harness::{
    Hs, TempTree,
    random::{Choose, Rng, env_number},
};

const PIECES: [&str; 10] =
    ["gem", "gem gem", "rock", " ", "\t", "é", "💡", "e\u{301}", "gemgem", "a longer part"];
const PATTERNS: [&str; 8] = ["gem", "g?em", "[a-z]+", "é|💡", "^", "m$", r"gem\b", "rock|gem"];

/// Patterns whose matches span lines.
const LINES: [&str; 4] = [r"gem\n", r"(?s)gem.*rock", r"\n\n", r"gem[^k]*k"];

fn random_tree(tree: &TempTree, rng: &mut Rng) {
    for index in 0..rng.usize(1..5) {
        let dir = rng.pick(&["", "cave/"]);
        let mut text = String::new();
        for _ in 0..rng.usize(..8) {
            let pieces: Vec<&str> = (0..rng.usize(..6)).map(|_| rng.pick(&PIECES)).collect();
            writeln!(text, "{}", pieces.concat()).expect("writing to memory");
        }
        if rng.chance(20) {
            text.pop();
        }
        tree.file(format!("{dir}f{index}"), text);
    }
}

/// A line that matches, or the lines of matches that span lines.
struct Message {
    path: String,
    text: String,
    line: u64,
    offset: u64,
    matches: Vec<Range<usize>>,
}

/// The last byte of a match, or where it is if it is empty.
fn last_byte(span: &Range<usize>) -> usize {
    if span.is_empty() { span.start } else { span.end - 1 }
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

impl Message {
    fn parse(line: &str) -> Option<Message> {
        let message: Value = serde_json::from_str(line).expect("JSON");
        let (data, text) =
            (&message["data"], |value: &Value| value["text"].as_str().map(str::to_owned));
        let submatch = |one: &Value| number(&one["start"]) as usize..number(&one["end"]) as usize;
        (message["type"] == "match").then(|| Message {
            path: text(&data["path"]).expect("a path"),
            text: text(&data["lines"]).expect("lines"),
            line: number(&data["line_number"]),
            offset: number(&data["absolute_offset"]),
            matches: data["submatches"].as_array().expect("a list").iter().map(submatch).collect(),
        })
    }

    /// The text without the terminator of its last line.
    fn shown(&self) -> &str {
        self.text.strip_suffix('\n').unwrap_or(&self.text)
    }

    /// The line that `from` lies in, and the column of `at` from its start.
    fn place(&self, unit: &str, at: usize, from: usize) -> (u64, usize) {
        let ends = self.text.bytes().take(from).enumerate().filter(|(_, byte)| *byte == b'\n');
        let (lines, start) = ends.fold((0, 0), |(lines, _), (index, _)| (lines + 1, index + 1));
        let before = &self.text[start..at];
        let column = match unit {
            "bytes" => before.len(),
            "chars" => before.chars().count(),
            _ => before.encode_utf16().count(),
        };
        (self.line + lines, column + 1)
    }

    /// The lines that a match spans, without the terminator of the last one.
    fn lines_of(&self, span: &Range<usize>) -> &str {
        let is_end = |index: &usize| self.text.as_bytes()[*index] == b'\n';
        let start = (0..span.start).rev().find(is_end).map_or(0, |end| end + 1);
        let end = (last_byte(span)..self.text.len()).find(is_end).unwrap_or(self.text.len());
        &self.text[start..end]
    }

    fn start(&self, unit: &str, span: &Range<usize>) -> (u64, usize) {
        self.place(unit, span.start, span.start)
    }

    fn end(&self, unit: &str, span: &Range<usize>) -> (u64, usize) {
        self.place(unit, span.end, last_byte(span))
    }
}

/// A run with flags of all forms, and what it has to print.
struct Forms<'h> {
    hs: &'h Hs<'h>,
    base: Vec<&'h str>,
    messages: Vec<Message>,
    unit: &'h str,
}

impl Forms<'_> {
    fn check(&self, flags: &[&str], expected: &str) {
        let run = self.hs.args(self.base.iter().chain(flags)).differs_from_ripgrep("it has none");
        run.prints(expected).exits(i32::from(self.messages.is_empty()));
    }

    /// One line for each match.
    fn template(&self) -> String {
        let mut lines = String::new();
        for message in &self.messages {
            for span in &message.matches {
                let (line, column) = message.start(self.unit, span);
                let (end_line, end_column) = message.end(self.unit, span);
                writeln!(
                    lines,
                    "{}|{line}:{column}-{end_line}:{end_column}|{}-{}|{}|{}|{}",
                    message.path,
                    message.offset + span.start as u64,
                    message.offset + span.end as u64,
                    message.matches.len(),
                    &message.text[span.clone()],
                    message.lines_of(span),
                )
                .expect("writing to memory");
            }
        }
        lines
    }

    /// Each path once, and its lines.
    fn compact(&self) -> String {
        let (mut lines, mut last) = (String::new(), None);
        for message in &self.messages {
            if last.replace(&message.path) != Some(&message.path) {
                writeln!(lines, "{}", message.path).expect("writing to memory");
            }
            for (number, line) in (message.line..).zip(message.shown().split('\n')) {
                writeln!(lines, "{number}:{line}").expect("writing to memory");
            }
        }
        lines
    }

    /// Lines with both columns of their first match.
    fn columns(&self) -> String {
        let mut lines = String::new();
        for message in &self.messages {
            let (line, column) = message.start(self.unit, &message.matches[0]);
            let (_, end) = message.end(self.unit, &message.matches[0]);
            let (path, text) = (&message.path, message.shown());
            writeln!(lines, "{path}:{line}:{column}:{end}:{text}").expect("writing to memory");
        }
        lines
    }

    fn check_all(&self, spans_lines: bool) {
        let template = "--format={path}|{line}:{column}-{end-line}:{end-column}|{offset}-\
                        {end-offset}|{count}|{match}|{text}";
        let unit = format!("--column-unit={}", self.unit);
        self.check(&[template, &unit], &self.template());
        self.check(&["--compact", "--excerpt=200", "--no-tell-skipped"], &self.compact());
        let matches: usize = self.messages.iter().map(|message| message.matches.len()).sum();
        self.check(&["--count-total", "--count-matches"], &format!("{matches}\n"));
        if !spans_lines {
            self.check(&["--end-column", &unit], &self.columns());
            self.check(&["--count-total"], &format!("{}\n", self.messages.len()));
        }
    }
}

hs_test!(forms_of_results_agree_with_json, |_, _| {
    let (mut counts, seed) = ([0, 0], env_number("HS_TEST_SEED", 1));
    for seed in seed..seed + env_number("HS_TEST_TREES", 40) {
        let tree = TempTree::new("forms");
        let (mut rng, hs) = (Rng::with_seed(seed), Hs::new(&tree));
        random_tree(&tree, &mut rng);
        let spans_lines = rng.chance(30);
        let pattern = if spans_lines { rng.pick(&LINES) } else { rng.pick(&PATTERNS) };
        let mut base = vec!["--sort=path", "-e", pattern];
        base.extend(spans_lines.then_some("-U"));
        base.extend(rng.chance(20).then_some("-w"));
        let found = hs.args(base.iter().chain(&["--json"])).exits_with_one_of(&[0, 1]).outcome();
        let text = String::from_utf8(found.expect("an outcome").stdout).expect("JSON is UTF-8");
        let messages: Vec<Message> = text.lines().filter_map(Message::parse).collect();
        counts[usize::from(spans_lines)] += messages.len();
        let unit = rng.pick(&["bytes", "chars", "utf16"]);
        Forms { hs: &hs, base, messages, unit }.check_all(spans_lines);
    }
    assert!(counts[0] > 50 && counts[1] > 5, "{counts:?}");
});
