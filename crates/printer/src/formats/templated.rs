//! The printer of a template for each match, or for each line if the template is not about matches
//! (`--format`). As in JSON, lines are printed whatever the binary policy is.

use std::{num::NonZeroU64, ops::Range};

use bstr::ByteSlice as _;
use heist_matcher::Finder;
use heist_searcher::{Flow, Line};

use crate::{
    NameMatch, Output, PrinterConfig, Template, Terminator,
    formats::template::{TemplatePart, Variable},
    haystack::Haystack,
    line::{
        columns::Columns,
        out_buffer::{Committed, OutBuffer, Pieces as _},
        places::{Place, Places, last_byte},
    },
    matches::{Matches, labels::LabelsOf},
    path::paths::PathLook,
    value::{decimal, escape::ControlEscaper},
};

/// Prints a template.
#[derive(Debug)]
pub(crate) struct Templated {
    template: Template,
    terminator: Terminator,
    columns: Columns,
    matches: Matches,
    look: PathLook,
    /// `None` if lines are printed as they are.
    visible: Option<ControlEscaper>,
    /// The path of the current file, as it is printed.
    path: Vec<u8>,
}

/// What one template is printed for: a match in a line or block of lines, or the whole line or
/// block.
struct Subject<'a> {
    bytes: &'a [u8],
    /// The match, and where it is if the template needs that.
    found: Option<(&'a Range<usize>, Place)>,
    /// The label of its pattern.
    label: Option<&'a [u8]>,
    number: Option<u64>,
    /// `None` in the name of the file.
    offset: Option<u64>,
    count: usize,
}

impl Templated {
    pub(crate) fn new(template: &Template, config: &PrinterConfig) -> Templated {
        // Neither has a style.
        let config = PrinterConfig { colors: None, hyperlink: None, ..config.clone() };
        let wanted = if template.needs_matches() { usize::MAX } else { 0 };
        Templated {
            template: template.clone(),
            terminator: config.terminator,
            columns: Columns::new(config.column_unit, true),
            matches: Matches::new(&config, wanted).labeled(&config, LabelsOf::Matches),
            look: PathLook::new(&config),
            visible: ControlEscaper::new(&config),
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
        self.begin(file);
        let (bytes, spans) = self.matches.shown(line.bytes);
        let count = spans.len();
        let of = |found, label| {
            let (number, offset) = (line.number, Some(line.offset));
            Subject { bytes, found, label, number, offset, count }
        };
        let label_of = |index| self.matches.labels().and_then(|labels| labels.of_match(index));
        let pieces = &mut Committed::new(&mut *file.output);
        let flow = match self.template.is_per_match() && count > 0 {
            true => {
                let needs_places = self.template.needs_places();
                let mut places = Places::new(bytes, self.terminator.last_byte(), self.columns);
                spans.iter().enumerate().try_for_each(|(index, span)| {
                    let place = if needs_places { places.of(span) } else { Place::default() };
                    let subject = of(Some((span, place)), label_of(index));
                    pieces.piece(|out| self.append(out, &subject))
                })
            }
            false => pieces.piece(|out| self.append(out, &of(None, None))),
        };
        file.counted.add_printed(pieces.count);
        flow
    }

    /// Begins the output of a haystack.
    fn begin<O: Output>(&mut self, file: &mut Haystack<'_, O>) {
        if !file.has_begun {
            file.has_begun = true;
            file.output.begin_file(b"");
            self.path.clear();
            self.look.append(&mut self.path, file.path.unwrap_or_default());
        }
    }

    /// Prints the template for each match in a haystack's name, or once for the whole name.
    pub(crate) fn print_name<O: Output>(
        &mut self,
        file: &mut Haystack<'_, O>,
        name: &NameMatch<'_>,
    ) -> Flow {
        self.begin(file);
        self.matches.begin_name(name);
        let (bytes, count) = (name.path, name.spans.len());
        let subject =
            |found, label| Subject { bytes, found, label, number: None, offset: None, count };
        let label_of = |index| self.matches.labels().and_then(|labels| labels.of_match(index));
        let pieces = &mut Committed::new(&mut *file.output);
        let flow = match self.template.is_per_match() && count > 0 {
            true => name.spans.iter().enumerate().try_for_each(|(index, span)| {
                let subject = subject(Some((span, Place::default())), label_of(index));
                pieces.piece(|out| self.append(out, &subject))
            }),
            false => pieces.piece(|out| self.append(out, &subject(None, None))),
        };
        file.counted.add_printed(pieces.count);
        flow
    }

    fn append(&self, out: &mut OutBuffer<'_>, subject: &Subject<'_>) {
        for part in self.template.parts() {
            match part {
                TemplatePart::Text(text) => out.extend_from_slice(text),
                TemplatePart::Variable(variable) => self.append_variable(out, *variable, subject),
            }
        }
        out.extend_from_slice(self.terminator.as_bytes());
    }

    /// Appends what `variable` stands for: nothing if it is about a match, and there is none.
    fn append_variable(&self, out: &mut OutBuffer<'_>, variable: Variable, subject: &Subject<'_>) {
        let Subject { bytes, found, label, number, offset, count } = *subject;
        let (span, place) = found.unzip();
        let place = place.unwrap_or_default();
        let number = match variable {
            Variable::Path => return out.extend_from_slice(&self.path),
            Variable::Text => return self.append_text(out, bytes, self.lines(bytes, found)),
            Variable::Match => {
                let span = span.cloned().unwrap_or(0..0);
                return self.append_text(out, bytes, span);
            }
            Variable::Pattern => return out.extend_from_slice(label.unwrap_or_default()),
            Variable::Count => Some(count as u64),
            Variable::Offset => {
                offset.map(|offset| offset + span.map_or(0, |span| span.start as u64))
            }
            Variable::EndOffset => {
                offset.and_then(|offset| span.map(|span| offset + span.end as u64))
            }
            Variable::Line => number.map(|number| number + place.lines),
            Variable::EndLine => number.map(|number| number + place.end_lines),
            Variable::Column => place.columns.start.map(NonZeroU64::get),
            Variable::EndColumn => place.columns.end.map(NonZeroU64::get),
        };
        if let Some(number) = number {
            decimal::append(out, number);
        }
    }

    /// The lines that the match `found` touches, without the last terminator; all if there is none.
    fn lines(&self, bytes: &[u8], found: Option<(&Range<usize>, Place)>) -> Range<usize> {
        let range = found.map_or(0..bytes.len(), |(span, place)| {
            let last = last_byte(span);
            let end = bytes[last..].find_byte(self.terminator.last_byte());
            place.line_start..end.map_or(bytes.len(), |end| last + end + 1)
        });
        let start = range.start;
        start..start + self.terminator.strip(&bytes[range]).len()
    }

    fn append_text(&self, out: &mut OutBuffer<'_>, bytes: &[u8], range: Range<usize>) {
        match &self.visible {
            None => out.extend_from_slice(&bytes[range]),
            Some(visible) => {
                let escapes = visible.append_text(out, &bytes[..range.end], range, b"");
                out.count_as_escape(escapes);
            }
        }
    }
}
