//! Prints messages for programs (`--json`): one JSON object per line. `begin` opens a file with
//! results, `match` and `context` contain lines, and `end` closes the file with its statistics.
//! Fields and their order are ripgrep's, because clients parse them.

use std::ops::Range;

use heist_matcher::Finder;
use heist_searcher::{Finish, Flow, Line, LineKind};

use crate::{
    NameMatch, Output, PrinterConfig, Stats, Terminator,
    haystack::Haystack,
    line::excerpt::{self, Excerpts, Extent},
    matches::{Matches, labels::LabelsOf},
    value::{
        decimal,
        escape::escape_json,
        json_text::{append_data, append_text_data},
    },
};

/// About how many bytes a short match takes in a message.
const SUBMATCH: usize = 64;

/// Prints messages.
#[derive(Debug)]
pub(crate) struct Json {
    terminator: Terminator,
    line_numbers: bool,
    matches: Matches,
    /// The lines that are cut to excerpts.
    excerpts: Excerpts,
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
            matches: Matches::new(config, usize::MAX).labeled(config, LabelsOf::MatchesAndBlocks),
            excerpts: Excerpts::new(config, config.excerpt),
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
        self.matches.find(finder, line)?;
        file.found = 1;
        file.counted.add_line(line, self.terminator, self.matches.spans().len() as u64);
        self.print(file, line)
    }

    pub(crate) fn context<O: Output>(
        &mut self,
        file: &mut Haystack<'_, O>,
        finder: &mut Finder,
        line: &Line<'_>,
    ) -> Flow {
        self.matches.find(finder, line)?;
        self.print(file, line)
    }

    /// Prints the `begin` message of a haystack with a name that matches.
    pub(crate) fn print_name<O: Output>(
        &mut self,
        file: &mut Haystack<'_, O>,
        name: &NameMatch<'_>,
    ) -> Flow {
        self.matches.begin_name(name);
        self.begin(file, Some(name));
        file.output.commit()
    }

    /// Prints the `begin` message, unless it has been printed.
    fn begin<O: Output>(&mut self, file: &mut Haystack<'_, O>, name: Option<&NameMatch<'_>>) {
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
        if let Some(name) = name {
            let name_at = out.len();
            append_submatches(out, name.path, None, name.spans, &self.matches);
            if self.visible {
                escape_json(out, name_at);
            }
        }
        out.extend_from_slice(b"}}\n");
        file.counted.add_printed((out.len() - start) as u64);
    }

    /// Prints the message for `line` and the matches that were found in it.
    fn print<O: Output>(&mut self, file: &mut Haystack<'_, O>, line: &Line<'_>) -> Flow {
        self.begin(file, None);
        let out = file.output.buffer();
        let start = out.len();
        let is_match = line.kind.is_match();
        let kind: &[u8] = if is_match { br#"{"type":"match""# } else { br#"{"type":"context""# };
        out.extend_from_slice(kind);
        out.extend_from_slice(&self.path);
        let number = line.number.filter(|_| self.line_numbers);
        // If the whole line is UTF-8, as it mostly is, so are its matches, except those that begin
        // or end within a character.
        let text = std::str::from_utf8(line.bytes).ok();
        out.extend_from_slice(br#","lines":"#);
        let mut spans = self.matches.spans();
        // Many matches in a short line are long, too.
        let len = line.bytes.len().saturating_add(spans.len().saturating_mul(SUBMATCH));
        match (self.excerpts.of(len), text) {
            (Some(extent), _) => {
                if let Some(end) = self.append_excerpt(out, line, extent.of_kind(line.kind)) {
                    spans = &spans[..spans.partition_point(|span| span.start < end)];
                }
                spans = &spans[..spans.len().min(self.excerpts.longest() / SUBMATCH)];
            }
            (None, Some(text)) => append_text_data(out, text),
            (None, None) => append_data(out, line.bytes),
        }
        append_line(out, line, text, number, spans, &self.matches);
        if self.visible {
            escape_json(out, start);
        }
        file.counted.add_printed((out.len() - start) as u64);
        file.output.commit()
    }

    /// Appends the windows of `line`, joined by marks, and where they are in the line. Each line in
    /// a block has its own, so that parts from different lines are never joined. Returns where the
    /// line is cut if there is too much.
    #[cold]
    fn append_excerpt(&self, out: &mut Vec<u8>, line: &Line<'_>, extent: Extent) -> Option<usize> {
        let (mut text, mut shown) = (Vec::new(), Vec::new());
        let (mut start, mut taken, mut is_whole, mut cut) = (0, 0, true, None);
        let mut spans = self.matches.spans();
        for part in line.bytes.split_inclusive(|byte| *byte == self.terminator.last_byte()) {
            let body = self.terminator.strip(part);
            let (end, len) = (start + part.len(), body.len());
            // Those that end before this line reach no later one either.
            let before = spans.partition_point(|span| span.end <= start && span.start < start);
            spans = &spans[before..];
            let here = spans.iter().take_while(|span| span.start < end || end == line.bytes.len());
            let within = |at: usize| at.clamp(start, start + len) - start;
            let here = here.map(|span| within(span.start)..within(span.end));
            let (mut windows, is_cut) = excerpt::bounded(body, here, extent.after(taken));
            cut = is_cut.map(|at| start + at);
            if cut.is_some() && start > 0 {
                // What is left out between lines is a line of its own.
                windows.clear();
                cut = Some(start);
            }
            let mut at = 0;
            for window in windows {
                if window.start > at {
                    text.extend_from_slice(excerpt::MARK.as_bytes());
                }
                text.extend_from_slice(&body[window.clone()]);
                (at, taken) = (window.end, taken + window.len());
                is_whole &= window == (0..len);
                shown.push(start + window.start..start + window.end);
            }
            is_whole &= at == len;
            if at < len {
                text.extend_from_slice(excerpt::MARK.as_bytes());
            }
            text.extend_from_slice(&part[len..]);
            if cut.is_some() {
                break;
            }
            start = end;
        }
        if is_whole && cut.is_none_or(|at| at >= line.bytes.len()) {
            append_data(out, line.bytes);
            return cut;
        }
        append_data(out, &text);
        out.extend_from_slice(br#","excerpt":["#);
        for (index, window) in shown.iter().enumerate() {
            out.extend_from_slice(if index > 0 { br#",{"start":"# } else { br#"{"start":"# });
            decimal::append(out, window.start as u64);
            out.extend_from_slice(br#","end":"#);
            decimal::append(out, window.end as u64);
            out.push(b'}');
        }
        out.push(b']');
        cut
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
        if let Some(encoding) = finish.encoding {
            out.extend_from_slice(br#","encoding":""#);
            out.extend_from_slice(encoding.as_bytes());
            out.push(b'"');
        }
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

/// Appends the part of a message for `line` after its text; `text` is the line if it is UTF-8.
fn append_line(
    out: &mut Vec<u8>,
    line: &Line<'_>,
    text: Option<&str>,
    number: Option<u64>,
    spans: &[Range<usize>],
    matches: &Matches,
) {
    out.extend_from_slice(br#","line_number":"#);
    append_number(out, number);
    out.extend_from_slice(br#","absolute_offset":"#);
    decimal::append(out, line.offset);
    append_submatches(out, line.bytes, text, spans, matches);
    if let Some(labels) = matches.labels().filter(|_| line.kind.is_match()) {
        labels.append_block_json(out);
    }
    if line.kind == LineKind::Function {
        out.extend_from_slice(br#","function":true"#);
    }
    out.extend_from_slice(b"}}\n");
}

/// Appends the matches `spans` in `bytes`; `text` is the same if it is UTF-8.
fn append_submatches(
    out: &mut Vec<u8>,
    bytes: &[u8],
    text: Option<&str>,
    spans: &[Range<usize>],
    matches: &Matches,
) {
    out.extend_from_slice(br#","submatches":["#);
    for (index, span) in spans.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        out.extend_from_slice(br#"{"match":"#);
        match text.and_then(|text| text.get(span.clone())) {
            Some(text) => append_text_data(out, text),
            None => append_data(out, &bytes[span.clone()]),
        }
        if let Some(replacement) = matches.replacement(index) {
            out.extend_from_slice(br#","replacement":"#);
            append_data(out, replacement);
        }
        append_span(out, span);
        if let Some(labels) = matches.labels() {
            labels.append_match_json(out, index);
        }
        out.push(b'}');
    }
    out.push(b']');
}

/// Appends the fields of `span`.
fn append_span(out: &mut Vec<u8>, span: &Range<usize>) {
    out.extend_from_slice(br#","start":"#);
    decimal::append(out, span.start as u64);
    out.extend_from_slice(br#","end":"#);
    decimal::append(out, span.end as u64);
}
