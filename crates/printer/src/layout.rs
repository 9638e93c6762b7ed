//! How one reported line becomes lines of output: its fields, its text, once or once per match.

use std::{ops::Range, slice};

use heist_matcher::Finder;
use heist_searcher::Line;

use crate::{
    Config, Terminator, matches,
    prelude::{Place, Prelude, Role},
    text::{Hits, Text},
};

/// How a reported line is spread over lines of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spread {
    /// Printed once.
    Once,
    /// Printed once per match.
    PerMatch,
    /// Each match is printed instead.
    OnlyMatches,
}

/// All that is settled about lines before the first one is printed.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    terminator: Terminator,
    prelude: Prelude,
    text: Text,
    spread: Spread,
    /// How many matches of a line have to be known.
    wanted: usize,
    /// The lines that may hold matches: those reported as context if the search is inverted.
    searched: Role,
}

impl Layout {
    pub(crate) fn new(config: &Config) -> Layout {
        let text = Text::new(config);
        let spread = match config {
            Config { only_matching: true, .. } => Spread::OnlyMatches,
            Config { per_match: true, .. } => Spread::PerMatch,
            _ => Spread::Once,
        };
        let wanted = if text.shows_matches() || spread != Spread::Once {
            usize::MAX
        } else if config.column {
            // A line that is too long is replaced by the number of its matches.
            if config.max_columns.is_some() { usize::MAX } else { 1 }
        } else {
            0
        };
        Layout {
            terminator: config.terminator,
            prelude: Prelude::new(config),
            text,
            spread,
            wanted,
            searched: if config.invert { Role::Context } else { Role::Match },
        }
    }

    /// Append `line` to `out`. `path` comes styled; empty: there is none. `spans` is scratch space.
    pub(crate) fn append(
        &self,
        out: &mut Vec<u8>,
        path: &[u8],
        finder: &mut Finder,
        line: &Line<'_>,
        role: Role,
        spans: &mut Vec<Range<usize>>,
    ) {
        let bytes = line.bytes;
        let place = Place { role, number: line.number, column: None, offset: line.offset };
        spans.clear();
        if self.wanted > 0 && role == self.searched {
            matches::locate(finder, bytes, self.terminator.strip(bytes), self.wanted, spans);
        }
        let Some(first) = spans.first() else {
            self.prelude.append(out, path, &place);
            return self.text.append(out, bytes, Hits::NONE, role);
        };
        let all = Hits { shown: spans, in_line: spans };
        match self.spread {
            Spread::Once => {
                let column = Some(first.start as u64 + 1);
                self.prelude.append(out, path, &Place { column, ..place });
                self.text.append(out, bytes, all, role);
            }
            Spread::PerMatch => {
                for span in spans.iter() {
                    let shown = slice::from_ref(span);
                    self.prelude.append(out, path, &place.of_match(span));
                    self.text.append(out, bytes, Hits { shown, ..all }, role);
                }
            }
            Spread::OnlyMatches => {
                for span in spans.iter() {
                    let (text, whole) = (&bytes[span.clone()], 0..span.len());
                    let shown = slice::from_ref(&whole);
                    self.prelude.append(out, path, &place.of_match(span));
                    self.text.append(out, text, Hits { shown, ..all }, role);
                }
            }
        }
    }
}

impl Place {
    /// The place of a match within the line at this place.
    fn of_match(self, span: &Range<usize>) -> Place {
        let start = span.start as u64;
        Place { column: Some(start + 1), offset: self.offset + start, ..self }
    }
}
