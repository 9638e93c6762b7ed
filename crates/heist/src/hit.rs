//! The lines that a search reports, and how a worker keeps a file's lines.

use std::{borrow::Cow, ops::Range, path::Path, sync::Arc};

use bstr::ByteSlice as _;
use heist_matcher::Finder;
use heist_printer::LineMatches;
use heist_searcher::{Flow, Line, LineKind};

/// A reported line of a file.
///
/// Where matches may span lines, a hit is every line that a match touches.
#[derive(Clone, Copy, Debug)]
pub struct Hit<'a> {
    path: &'a Arc<Path>,
    stored: &'a StoredHit,
    bytes: &'a [u8],
    matches: &'a [Range<usize>],
    replaced: Option<&'a [u8]>,
}

/// Why a line is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HitKind {
    /// The line matches.
    Match,
    /// The line lies near a match; see [`Search::context`](crate::Search::context).
    Context,
}

impl<'a> Hit<'a> {
    /// The file, as it would be printed.
    #[must_use]
    pub fn path(&self) -> &'a Path {
        self.path
    }

    /// The line's number, or the first one's if there are several; a file's first line is 1.
    #[must_use]
    pub fn line_number(&self) -> u64 {
        self.stored.number
    }

    /// Where the line begins, in bytes from the start of the decoded file.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.stored.offset
    }

    /// Whether the line matches or is context.
    #[must_use]
    pub fn kind(&self) -> HitKind {
        self.stored.kind
    }

    /// The line without its terminator.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The line as text. Bytes that are not UTF-8 become U+FFFD.
    #[must_use]
    pub fn text(&self) -> Cow<'a, str> {
        self.bytes.to_str_lossy()
    }

    /// The byte ranges of the matches in [`bytes`](Hit::bytes), in order. None overlap.
    #[must_use]
    pub fn matches(&self) -> &'a [Range<usize>] {
        self.matches
    }

    /// The line with every match replaced, if the search has a
    /// [`replacement`](crate::Search::replacement); else the line.
    #[must_use]
    pub fn replaced_bytes(&self) -> &'a [u8] {
        self.replaced().unwrap_or(self.bytes)
    }

    /// [`replaced_bytes`](Hit::replaced_bytes) as text.
    #[must_use]
    pub fn replaced_text(&self) -> Cow<'a, str> {
        self.replaced_bytes().to_str_lossy()
    }

    /// The line with every match replaced, if the search has a replacement.
    pub(crate) fn replaced(&self) -> Option<&'a [u8]> {
        self.replaced
    }

    /// The path, to be shared.
    pub(crate) fn shared_path(&self) -> &'a Arc<Path> {
        self.path
    }
}

/// A hit without its bytes.
#[derive(Clone, Debug)]
struct StoredHit {
    kind: HitKind,
    number: u64,
    offset: u64,
    /// Where the line lies in [`FileHits::bytes`].
    bytes: Range<usize>,
    /// Where its matches lie in [`FileHits::matches`].
    matches: Range<usize>,
    /// Where the replaced line lies in [`FileHits::bytes`].
    replaced: Option<Range<usize>>,
}

/// The hits of one file in flat buffers, which a worker reuses from file to file.
#[derive(Debug)]
pub(crate) struct FileHits {
    hits: Vec<StoredHit>,
    bytes: Vec<u8>,
    matches: Vec<Range<usize>>,
    finder: LineMatches,
}

impl FileHits {
    pub(crate) fn new(finder: LineMatches) -> FileHits {
        FileHits { hits: Vec::new(), bytes: Vec::new(), matches: Vec::new(), finder }
    }

    /// The bytes that the hits take, with what is known of each: an empty line takes some too.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len() + size_of_val(&*self.hits) + size_of_val(&*self.matches)
    }

    pub(crate) fn clear(&mut self) {
        self.hits.clear();
        self.bytes.clear();
        self.matches.clear();
    }

    /// The hits, as hits in the file at `path`.
    pub(crate) fn iter<'a>(&'a self, path: &'a Arc<Path>) -> impl Iterator<Item = Hit<'a>> {
        self.hits.iter().map(move |stored| Hit {
            path,
            stored,
            bytes: &self.bytes[stored.bytes.clone()],
            matches: &self.matches[stored.matches.clone()],
            replaced: stored.replaced.clone().map(|range| &self.bytes[range]),
        })
    }

    /// Keeps a copy of `line` and its matches, unless `Break` ends the search because not all
    /// matches can be found.
    pub(crate) fn push(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        let kind = match line.kind {
            LineKind::Match => HitKind::Match,
            _ => HitKind::Context,
        };
        self.finder.find(finder, line)?;
        let body = self.finder.strip(line.bytes);
        let bytes = self.append(body);
        let from = self.matches.len();
        let len = body.len();
        let in_body = |span: &Range<usize>| span.start.min(len)..span.end.min(len);
        self.matches.extend(self.finder.spans().iter().map(in_body));
        let replaced = self.finder.replaced().map(<[u8]>::to_vec);
        let replaced = replaced.map(|text| {
            let body = self.finder.strip(&text).len();
            self.append(&text[..body])
        });
        self.hits.push(StoredHit {
            kind,
            number: line.number.unwrap_or_default(),
            offset: line.offset,
            bytes,
            matches: from..self.matches.len(),
            replaced,
        });
        Flow::Continue(())
    }

    fn append(&mut self, bytes: &[u8]) -> Range<usize> {
        let from = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        from..self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use heist_matcher::Matcher;
    use heist_printer::PrinterConfig;

    use super::*;

    #[test]
    fn hits_of_empty_lines_take_memory() {
        let mut hits = FileHits::new(LineMatches::new(&PrinterConfig::default()));
        let matcher = Matcher::new(["^$"], &Default::default()).unwrap();
        let line =
            Line { kind: LineKind::Match, bytes: b"\n", block: None, offset: 0, number: None };
        for _ in 0..1000 {
            assert!(hits.push(&mut matcher.finder(), &line).is_continue());
        }
        assert!(hits.len() >= 1000 * size_of::<StoredHit>());
        hits.clear();
        assert_eq!(hits.len(), 0);
    }
}
