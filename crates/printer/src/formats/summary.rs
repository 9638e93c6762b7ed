//! Prints one line per haystack: how many lines or matches it has, or its path.

use std::ops::ControlFlow;

use heist_matcher::Finder;
use heist_searcher::{BinaryPolicy, Finish, Flow, Line, UnreadLine, UnreadMatches, Wants};

use crate::{
    Output, PrinterConfig, Terminator, haystack::Haystack, matches, path::paths::PathLook,
    value::decimal,
};

/// What is printed about each haystack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// How many lines match (`-c`).
    Count,
    /// How many matches there are (`--count-matches`).
    CountMatches,
    /// The path, if there is a match (`-l`).
    FilesWithMatches,
    /// The path, if there is no match (`--files-without-match`).
    FilesWithoutMatch,
    /// Nothing; the search ends at the first match (`-q`).
    Quiet,
    /// Nothing; haystacks without a match satisfy the search (`-q --files-without-match`).
    QuietWithoutMatch,
}

/// A sink that prints one line per haystack.
#[derive(Debug)]
pub(crate) struct SummarySink {
    mode: Mode,
    look: PathLook,
    with_path: bool,
    include_zero: bool,
    /// The sum of all counts, if it is printed in their place.
    pub(crate) total: Option<u64>,
    terminator: Terminator,
    /// The byte between path and count: a colon, whatever separates fields in lines, or NUL.
    after_path: u8,
    /// The bytes after a path that is printed alone.
    end_of_path: &'static [u8],
}

impl SummarySink {
    pub(crate) fn new(mode: Mode, config: &PrinterConfig) -> SummarySink {
        SummarySink {
            mode,
            look: PathLook::new(config),
            with_path: config.with_path,
            include_zero: config.include_zero,
            total: config.total.then_some(0),
            terminator: config.terminator,
            after_path: if config.null { b'\0' } else { b':' },
            end_of_path: if config.null { b"\0" } else { config.terminator.as_bytes() },
        }
    }

    /// Whether numbers are printed, so that the search does not end at the first match.
    pub(crate) fn counts(&self) -> bool {
        matches!(self.mode, Mode::Count | Mode::CountMatches)
    }

    /// Whether a haystack satisfies the mode. None does that was given up as binary or has not been
    /// searched; without a match, none does that has not been searched to its end.
    pub(crate) fn is_satisfied<O>(&self, file: &Haystack<'_, O>) -> bool {
        match self.mode {
            Mode::FilesWithoutMatch | Mode::QuietWithoutMatch => {
                file.is_known && file.found == 0 && file.name.is_none()
            }
            _ => file.found > 0 || file.name.is_some(),
        }
    }

    /// What has to be known about a haystack, but for statistics.
    #[inline]
    pub(crate) fn wants(&self) -> Wants {
        Wants {
            // A haystack without a match is a result only if it is known not to be binary.
            unmatched: match self.mode {
                Mode::Count | Mode::CountMatches => self.include_zero,
                Mode::FilesWithoutMatch | Mode::QuietWithoutMatch => true,
                Mode::FilesWithMatches | Mode::Quiet => false,
            },
            lines: self.mode != Mode::Count,
            matches: self.counts(),
            first_only: self.shows_first_only(),
            unread: match self.mode {
                Mode::CountMatches => UnreadMatches::All,
                _ => UnreadMatches::None,
            },
        }
    }

    /// Whether it is only shown whether there is a match.
    pub(crate) fn shows_first_only(&self) -> bool {
        !self.counts()
    }

    pub(crate) fn matched<O>(
        &self,
        file: &mut Haystack<'_, O>,
        finder: &mut Finder,
        line: &Line<'_>,
    ) -> Flow {
        if !self.counts() && !file.counted.is_wanted() {
            file.found = 1;
            return ControlFlow::Break(());
        }
        // In a block of lines, only matches are counted.
        let counts_lines = self.mode != Mode::CountMatches && line.block.is_none();
        if counts_lines && !file.counted.is_wanted() {
            file.found += 1;
            return ControlFlow::Continue(());
        }
        let matches = self.matches_in(file.binary, finder, line);
        if finder.has_failed() {
            return ControlFlow::Break(());
        }
        file.found += if counts_lines { 1 } else { matches };
        file.counted.add_line(line, self.terminator, matches);
        ControlFlow::Continue(())
    }

    /// As [`matched`](SummarySink::matched), for a line that has not been read. `None` if it must
    /// be.
    pub(crate) fn matched_unread<O>(
        &self,
        file: &mut Haystack<'_, O>,
        line: &UnreadLine<'_>,
    ) -> Option<Flow> {
        let counts_matches = self.mode == Mode::CountMatches;
        if file.counted.is_wanted() || counts_matches && line.matches.is_empty() {
            return None;
        }
        file.found += if counts_matches { line.matches.len() as u64 } else { 1 };
        Some(if self.counts() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    }

    /// How many matches a matching line or block of lines has; 1 if there are none, because the
    /// search is inverted.
    fn matches_in(&self, binary: BinaryPolicy, finder: &mut Finder, line: &Line<'_>) -> u64 {
        let body = match line.bytes.split_last() {
            // If NUL bytes end lines, a searcher may leave them as they are.
            Some((0, body)) if binary == BinaryPolicy::Convert => body,
            _ => self.terminator.strip(line.bytes),
        };
        matches::count(finder, line, body).max(1)
    }

    /// Whether a line is printed about a haystack, now that its search is over. Adds the count to
    /// the sum if that is printed instead.
    pub(crate) fn sum_up<O>(&mut self, file: &mut Haystack<'_, O>, finish: &Finish) -> bool {
        // What was found before the first NUL byte may not be all, so nothing is printed.
        if finish.is_given_up(file.binary) {
            return self.prints_name(file);
        }
        if let Some(total) = &mut self.total {
            *total += file.found;
            return false;
        }
        self.prints(file)
    }

    /// Whether a line is printed about a haystack that is known only by its name. A name adds
    /// nothing to a sum.
    pub(crate) fn prints_name<O>(&self, file: &mut Haystack<'_, O>) -> bool {
        file.found = 0;
        file.name.is_some() && self.total.is_none() && self.prints(file)
    }

    fn prints<O>(&self, file: &Haystack<'_, O>) -> bool {
        let is_found = file.found > 0 || file.name.is_some();
        match self.mode {
            Mode::Count | Mode::CountMatches => is_found || self.include_zero,
            Mode::FilesWithMatches => is_found,
            // What an error left unread may match.
            Mode::FilesWithoutMatch => !is_found && file.is_known,
            Mode::Quiet | Mode::QuietWithoutMatch => false,
        }
    }

    /// Prints the line about a haystack.
    pub(crate) fn print<O: Output>(&self, file: &mut Haystack<'_, O>) {
        file.has_begun = true;
        file.output.begin_file(b"");
        let out = file.output.buffer();
        if self.counts() {
            if let Some(path) = file.path.filter(|_| self.with_path) {
                self.look.append(out, path);
                out.push(self.after_path);
            }
            decimal::append(out, file.found);
            out.extend_from_slice(self.terminator.as_bytes());
        } else if let Some(path) = file.path {
            self.look.append(out, path);
            out.extend_from_slice(self.end_of_path);
        }
    }
}
