//! The printer of messages for programs (`--json`): one JSON object per line. `begin` opens a file
//! of which something is printed, `match` and `context` contain lines, and `end` closes the file
//! with its statistics. Fields and their order are ripgrep's, because clients parse them.

use std::ops::Range;

use heist_matcher::Finder;
use heist_searcher::{BinaryPolicy, Finish, Flow, Line, Sink};

use crate::{
    Output, PrinterConfig, Stats, Terminator,
    counted::Counted,
    decimal,
    escape::escape_json,
    json_text::{append_data, append_text_data},
    matches::Matches,
};

/// A worker's printer of JSON messages. Each haystack gets a sink of its own.
///
/// The message that ends a run is [`Stats::append_json_summary`] of the sum of all printers'
/// [`stats`](Json::stats).
///
/// # Examples
///
/// ```
/// use heist_matcher::Matcher;
/// use heist_printer::{Json, PrinterConfig};
/// use heist_searcher::{BinaryPolicy, Searcher};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let matcher = Matcher::new(&["two".to_owned()], &Default::default())?;
/// let config = PrinterConfig { line_numbers: true, ..PrinterConfig::default() };
/// let mut printer = Json::new(&config, Vec::new());
/// let mut sink = printer.sink(Some(b"a.txt"), BinaryPolicy::Quit);
/// Searcher::default().search_slice(&mut matcher.finder(), b"one\ntwo\n", &mut sink)?;
///
/// let output = String::from_utf8(printer.into_output())?;
/// let messages: Vec<&str> = output.lines().collect();
/// assert_eq!(messages[0], r#"{"type":"begin","data":{"path":{"text":"a.txt"}}}"#);
/// assert!(messages[1].starts_with(r#"{"type":"match","#));
/// assert!(messages[1].contains(r#""lines":{"text":"two\n"},"line_number":2"#));
/// assert!(messages[2].starts_with(r#"{"type":"end","#));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Json<O> {
    output: O,
    terminator: Terminator,
    line_numbers: bool,
    matches: Matches,
    /// Escape what a terminal would interpret.
    visible: bool,
    /// The `path` of the current file with its key, as it appears in every message.
    path: Vec<u8>,
    stats: Stats,
}

impl<O: Output> Json<O> {
    /// Returns a printer that appends to `output`. Of `config`, it uses only `terminator`,
    /// `line_numbers`, `invert`, `replacement` and `visible`.
    pub fn new(config: &PrinterConfig, output: O) -> Json<O> {
        Json {
            output,
            terminator: config.terminator,
            line_numbers: config.line_numbers,
            matches: Matches::new(config, usize::MAX),
            visible: config.visible,
            path: Vec::new(),
            stats: Stats::default(),
        }
    }

    /// Returns a sink for the haystack at `path`. NUL bytes are reported at the end and suppress no
    /// message, whatever the policy.
    pub fn sink<'p>(&'p mut self, path: Option<&'p [u8]>, _: BinaryPolicy) -> JsonSink<'p, O> {
        JsonSink {
            printer: self,
            path,
            counted: Counted::new(true),
            has_begun: false,
            has_match: false,
        }
    }

    /// The statistics so far.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Restores the statistics from before a haystack, because its results have been dropped.
    pub(crate) fn set_stats(&mut self, stats: Stats) {
        self.stats = stats;
    }

    /// The output that this printer appends to.
    pub fn output(&mut self) -> &mut O {
        &mut self.output
    }

    /// Returns the output.
    pub fn into_output(self) -> O {
        self.output
    }
}

/// Prints the messages of one haystack.
#[derive(Debug)]
pub struct JsonSink<'p, O> {
    printer: &'p mut Json<O>,
    path: Option<&'p [u8]>,
    counted: Counted,
    has_begun: bool,
    has_match: bool,
}

impl<O: Output> JsonSink<'_, O> {
    /// Whether a line matched.
    #[must_use]
    pub fn has_match(&self) -> bool {
        self.has_match
    }

    /// Prints the `begin` message, unless it has been printed.
    fn begin_output(&mut self) {
        if self.has_begun {
            return;
        }
        self.has_begun = true;
        let printer = &mut *self.printer;
        printer.path.clear();
        printer.path.extend_from_slice(br#","data":{"path":"#);
        match self.path {
            Some(path) => append_data(&mut printer.path, path),
            None => printer.path.extend_from_slice(b"null"),
        }
        if printer.visible {
            escape_json(&mut printer.path, 0);
        }
        printer.output.begin_file(b"");
        let out = printer.output.buffer();
        let start = out.len();
        out.extend_from_slice(br#"{"type":"begin""#);
        out.extend_from_slice(&printer.path);
        out.extend_from_slice(b"}}\n");
        self.counted.add_printed((out.len() - start) as u64);
    }

    /// Prints the message for `line`, whose matches have been found.
    fn print(&mut self, line: &Line<'_>) -> Flow {
        self.begin_output();
        let printer = &mut *self.printer;
        let out = printer.output.buffer();
        let start = out.len();
        let is_match = line.kind.is_match();
        out.extend_from_slice(if is_match {
            br#"{"type":"match""#
        } else {
            br#"{"type":"context""#
        });
        out.extend_from_slice(&printer.path);
        let number = line.number.filter(|_| printer.line_numbers);
        append_line(out, line, number, &printer.matches);
        if printer.visible {
            escape_json(out, start);
        }
        self.counted.add_printed((out.len() - start) as u64);
        printer.output.commit()
    }
}

/// Appends the part after the path of a message for `line`.
fn append_line(out: &mut Vec<u8>, line: &Line<'_>, number: Option<u64>, matches: &Matches) {
    out.extend_from_slice(br#","lines":"#);
    // If the whole line is UTF-8, as it mostly is, so are its matches, except those that begin or
    // end within a character.
    let text = std::str::from_utf8(line.bytes).ok();
    match text {
        Some(text) => append_text_data(out, text),
        None => append_data(out, line.bytes),
    }
    out.extend_from_slice(br#","line_number":"#);
    match number {
        Some(number) => decimal::append(out, number),
        None => out.extend_from_slice(b"null"),
    }
    out.extend_from_slice(br#","absolute_offset":"#);
    decimal::append(out, line.offset);
    out.extend_from_slice(br#","submatches":["#);
    for (index, span) in matches.spans().iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        out.extend_from_slice(br#"{"match":"#);
        match text.and_then(|text| text.get(span.clone())) {
            Some(text) => append_text_data(out, text),
            None => append_data(out, &line.bytes[span.clone()]),
        }
        if let Some(replacement) = matches.replacement(index) {
            out.extend_from_slice(br#","replacement":"#);
            append_data(out, replacement);
        }
        append_span(out, span);
    }
    out.extend_from_slice(b"]}}\n");
}

fn append_span(out: &mut Vec<u8>, span: &Range<usize>) {
    out.extend_from_slice(br#","start":"#);
    decimal::append(out, span.start as u64);
    out.extend_from_slice(br#","end":"#);
    decimal::append(out, span.end as u64);
    out.push(b'}');
}

impl<O: Output> Sink for JsonSink<'_, O> {
    /// What was searched counts, even without a match.
    fn wants_unmatched(&self) -> bool {
        true
    }

    fn matched_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.has_match = true;
        let printer = &mut *self.printer;
        printer.matches.find(finder, line);
        let matches = printer.matches.spans().len() as u64;
        self.counted.add_line(line, printer.terminator, matches);
        self.print(line)
    }

    fn context_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.printer.matches.find(finder, line);
        self.print(line)
    }

    fn finish(&mut self, finish: &Finish) {
        let printer = &mut *self.printer;
        let stats = self.counted.finish(finish, self.has_match, Some(&mut printer.stats));
        let Some(stats) = stats.filter(|_| self.has_begun) else { return };
        let out = printer.output.buffer();
        out.extend_from_slice(br#"{"type":"end""#);
        out.extend_from_slice(&printer.path);
        out.extend_from_slice(br#","binary_offset":"#);
        match finish.binary_offset {
            Some(offset) => decimal::append(out, offset),
            None => out.extend_from_slice(b"null"),
        }
        out.extend_from_slice(br#","stats":"#);
        stats.append_json(out);
        out.extend_from_slice(b"}}\n");
        // The haystack is over; the output remembers if it is closed.
        let _ = printer.output.end_file();
    }

    /// As in ripgrep 15.2, there is no `end` message.
    fn abandon(&mut self) {
        if self.has_begun {
            let _ = self.printer.output.end_file();
        }
    }
}
