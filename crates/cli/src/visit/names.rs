//! `--names`: the patterns are searched for in the names of files, too.

use std::{io, ops::Range};

use heist_filter::path_bytes::is_separator;
use heist_matcher::{Finder, Matcher};
use heist_printer::{LineMatches, NameMatch, PrinterConfig};
use heist_searcher::{Line, LineKind};

use crate::typed::Names;

/// One worker's search of names.
pub(super) struct NameSearch {
    finder: Finder,
    matches: LineMatches,
    names: Names,
    /// Where the part of the current path begins that is searched.
    start: usize,
    /// The matches in the path, if the name matches.
    found: Option<Vec<Range<usize>>>,
}

impl NameSearch {
    /// Searches for the patterns of `matcher`.
    pub(super) fn new(matcher: &Matcher, names: Names, config: &PrinterConfig) -> NameSearch {
        let terminator = config.terminator;
        let config = PrinterConfig { terminator, ..PrinterConfig::default() };
        let matches = LineMatches::new(&config);
        NameSearch { finder: matcher.finder(), matches, names, start: 0, found: None }
    }

    /// Searches the name of the file at `path`, which is `depth` levels below its root.
    pub(super) fn search(&mut self, path: &[u8], depth: usize) -> io::Result<()> {
        let components = match self.names {
            Names::Name => 1,
            Names::Path => depth.max(1),
        };
        self.search_from(path, start_of_last(path, components))
    }

    /// Searches `path` from `start` on.
    pub(super) fn search_from(&mut self, path: &[u8], start: usize) -> io::Result<()> {
        self.start = start;
        let bytes = &path[start..];
        self.found = None;
        if self.finder.find_first(bytes, 0).is_some() {
            let kind = LineKind::Match;
            let line = Line { kind, bytes, block: None, offset: 0, number: None };
            if self.matches.find(&mut self.finder, &line).is_continue() {
                let spans = self.matches.spans().iter();
                let in_path = |span: &Range<usize>| span.start + start..span.end + start;
                self.found = Some(spans.map(in_path).collect());
            }
        }
        self.finder.take_failure().map_or(Ok(()), |error| Err(io::Error::other(error.to_string())))
    }

    /// Disregards the current file, which has no name.
    pub(super) fn clear(&mut self) {
        self.found = None;
    }

    /// Where the part of the path began that was searched last.
    pub(super) fn start(&self) -> usize {
        self.start
    }

    /// The matches in the name of the file at `path`, which was searched last; `None` if it does
    /// not match.
    pub(super) fn found<'p>(&'p self, path: &'p [u8]) -> Option<NameMatch<'p>> {
        let spans = self.found.as_ref()?;
        Some(NameMatch { path, start: self.start, spans })
    }
}

/// Where the last `components` components of `path` begin.
fn start_of_last(path: &[u8], components: usize) -> usize {
    let separators = path.iter().enumerate().rev().filter(|(_, byte)| is_separator(**byte));
    separators.map(|(at, _)| at + 1).nth(components - 1).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_last_components() {
        for (path, components, expected) in [
            ("a", 1, "a"),
            ("a/b/c", 1, "c"),
            ("a/b/c", 2, "b/c"),
            ("a/b/c", 3, "a/b/c"),
            ("/a", 1, "a"),
            ("../a//b/c", 2, "b/c"),
        ] {
            let start = start_of_last(path.as_bytes(), components);
            assert_eq!(&path[start..], expected, "{components} of {path}");
        }
    }
}
