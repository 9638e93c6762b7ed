//! The printer of messages for programs (`--json`): one JSON object per line. `begin` opens a file
//! of which something is printed, `match` and `context` contain lines, and `end` closes the file
//! with its statistics. Fields and their order are ripgrep's, because clients parse them.

use std::ops::Range;

use heist_matcher::Finder;
use heist_searcher::{Finish, Flow, Line};

use crate::{
    Output, PrinterConfig, Stats, Terminator, decimal,
    escape::escape_json,
    haystack::Haystack,
    json_text::{append_data, append_text_data},
    matches::Matches,
};

/// Prints messages.
#[derive(Debug)]
pub(crate) struct Json {
    terminator: Terminator,
    line_numbers: bool,
    matches: Matches,
    /// Escape what a terminal would interpret.
    visible: bool,
    /// The `path` of the current file with its key, as it appears in every message.
    path: Vec<u8>,
}

impl Json {
    pub(crate) fn new(config: &PrinterConfig) -> Json {
        Json {
            terminator: config.terminator,
            line_numbers: config.line_numbers,
            matches: Matches::new(config, usize::MAX),
            visible: config.visible,
            path: Vec::new(),
        }
    }

    pub(crate) fn matched<O: Output>(
        &mut self,
        file: &mut Haystack<'_, O>,
        finder: &mut Finder,
        line: &Line<'_>,
    ) -> Flow {
        file.found = 1;
        self.matches.find(finder, line);
        file.counted.add_line(line, self.terminator, self.matches.spans().len() as u64);
        self.print(file, line)
    }

    pub(crate) fn context<O: Output>(
        &mut self,
        file: &mut Haystack<'_, O>,
        finder: &mut Finder,
        line: &Line<'_>,
    ) -> Flow {
        self.matches.find(finder, line);
        self.print(file, line)
    }

    /// Prints the `begin` message, unless it has been printed.
    fn begin<O: Output>(&mut self, file: &mut Haystack<'_, O>) {
        if file.has_begun {
            return;
        }
        file.has_begun = true;
        self.path.clear();
        self.path.extend_from_slice(br#","data":{"path":"#);
        match file.path {
            Some(path) => append_data(&mut self.path, path),
            None => self.path.extend_from_slice(b"null"),
        }
        if self.visible {
            escape_json(&mut self.path, 0);
        }
        file.output.begin_file(b"");
        let out = file.output.buffer();
        let start = out.len();
        out.extend_from_slice(br#"{"type":"begin""#);
        out.extend_from_slice(&self.path);
        out.extend_from_slice(b"}}\n");
        file.counted.add_printed((out.len() - start) as u64);
    }

    /// Prints the message for `line`, whose matches have been found.
    fn print<O: Output>(&mut self, file: &mut Haystack<'_, O>, line: &Line<'_>) -> Flow {
        self.begin(file);
        let out = file.output.buffer();
        let start = out.len();
        let is_match = line.kind.is_match();
        let kind: &[u8] = if is_match { br#"{"type":"match""# } else { br#"{"type":"context""# };
        out.extend_from_slice(kind);
        out.extend_from_slice(&self.path);
        append_line(out, line, line.number.filter(|_| self.line_numbers), &self.matches);
        if self.visible {
            escape_json(out, start);
        }
        file.counted.add_printed((out.len() - start) as u64);
        file.output.commit()
    }

    /// Prints the `end` message with the statistics of the file, if it has begun.
    pub(crate) fn finish<O: Output>(
        &self,
        file: &mut Haystack<'_, O>,
        finish: &Finish,
        stats: Option<Stats>,
    ) {
        let Some(stats) = stats.filter(|_| file.has_begun) else { return };
        let out = file.output.buffer();
        out.extend_from_slice(br#"{"type":"end""#);
        out.extend_from_slice(&self.path);
        out.extend_from_slice(br#","binary_offset":"#);
        append_number(out, finish.binary_offset);
        out.extend_from_slice(br#","stats":"#);
        stats.append_json(out);
        out.extend_from_slice(b"}}\n");
    }
}

/// Appends `number`, or `null` if there is none.
fn append_number(out: &mut Vec<u8>, number: Option<u64>) {
    match number {
        Some(number) => decimal::append(out, number),
        None => out.extend_from_slice(b"null"),
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
    append_number(out, number);
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
