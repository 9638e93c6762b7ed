//! How one reported line becomes lines of output: its fields, its text, once or once per match.

use std::{ops::Range, slice};

use heist_matcher::Finder;
use heist_searcher::{Flow, Line};

use crate::{
    Config, Terminator,
    matches::Matches,
    prelude::{Origin, Place, Prelude, Role},
    printed::Pieces,
    text::{Hits, Text},
};

/// How a reported line is spread over lines of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spread {
    /// Printed once.
    Once,
    /// Printed once per match.
    PerMatch,
    /// Each match is printed instead.
    OnlyMatches,
}

/// All that is settled about lines before the first one is printed, and what is known of the current one.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) terminator: Terminator,
    pub(crate) prelude: Prelude,
    pub(crate) text: Text,
    pub(crate) spread: Spread,
    line_numbers: bool,
    matches: Matches,
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
            line_numbers: config.line_numbers,
            matches: Matches::new(config, wanted),
        }
    }

    /// Find the matches in `line`, as far as they have to be known, and say how many there are.
    pub(crate) fn find(&mut self, finder: &mut Finder, line: &Line<'_>, role: Role) -> u64 {
        self.matches.find(finder, line, role);
        self.matches.spans().len() as u64
    }

    /// Whether nothing at all may be printed of a block of lines: where its lines are printed as they are, there is
    /// always something.
    pub(crate) fn may_leave_out(&self) -> bool {
        self.spread != Spread::Once || self.matches.replaces()
    }

    /// Print `line`, whose matches were just [found](Layout::find).
    pub(crate) fn print(
        &self,
        pieces: &mut impl Pieces,
        origin: &Origin,
        line: &Line<'_>,
        role: Role,
    ) -> Flow {
        let number = line.number.filter(|_| self.line_numbers);
        let place = Place { role, number, column: None, offset: line.offset };
        let (bytes, spans) = self.matches.shown(line.bytes);
        if self.matches.may_span() && role == Role::Match {
            return self.print_block(pieces, origin, bytes, spans, place);
        }
        let Some(first) = spans.first() else {
            return pieces.piece(|out| {
                self.prelude.append(out, origin, &place);
                self.text.append(out, bytes, Hits::NONE, role);
            });
        };
        let all = Hits { shown: spans, in_line: spans };
        if self.spread == Spread::Once {
            let column = Some(first.start as u64 + 1);
            return pieces.piece(|out| {
                self.prelude.append(out, origin, &Place { column, ..place });
                self.text.append(out, bytes, all, role);
            });
        }
        spans.iter().try_for_each(|span| {
            let whole = 0..span.len();
            let (text, shown) = if self.spread == Spread::OnlyMatches {
                (&bytes[span.clone()], &whole)
            } else {
                (bytes, span)
            };
            let hits = Hits { shown: slice::from_ref(shown), ..all };
            pieces.piece(|out| {
                self.prelude.append(out, origin, &place.of_match(span));
                self.text.append(out, text, hits, role);
            })
        })
    }
}

impl Place {
    /// The place of a match within the line at this place.
    pub(crate) fn of_match(self, span: &Range<usize>) -> Place {
        let start = span.start as u64;
        Place { column: Some(start + 1), offset: self.offset + start, ..self }
    }
}
