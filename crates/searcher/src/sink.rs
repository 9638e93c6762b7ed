//! What a search reports, and to whom. The searcher decides which lines are emitted and in which order; a sink decides
//! what becomes of them.

use std::ops::{ControlFlow, Range};

use heist_matcher::Finder;

/// Continue with this haystack, or stop it here.
pub type Flow = ControlFlow<()>;

/// Why a line is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// It matches (or, inverted, does not).
    Match,
    /// It stands before a match.
    Before,
    /// It stands after a match.
    After,
    /// It is shown because every line is (`--passthru`).
    Other,
}

impl LineKind {
    /// Whether it is a matching line; any other kind is context.
    #[must_use]
    pub fn is_match(self) -> bool {
        self == LineKind::Match
    }
}

/// Where the matches of a reported block of lines are, where the searcher knows that already: in a search whose matches
/// may span lines. They are not to be searched for again, since what decides them may lie outside the block.
#[derive(Clone, Copy, Debug)]
pub struct MatchBlock<'a> {
    /// The whole haystack as far as it is in memory, behind what a match may ask of that before it. A match's groups are
    /// found here.
    pub haystack: &'a [u8],
    /// The place in it from which all others are counted.
    pub origin: usize,
    /// Where the block's first line begins.
    pub start: usize,
    /// Where the search for the first of its matches began, which may be before the block.
    pub searched_from: usize,
    /// The matches that begin in the block, in order. None overlap; an inverted search has none.
    pub matches: &'a [Range<usize>],
}

/// One line of a haystack, or several if matches span lines.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Why it is reported.
    pub kind: LineKind,
    /// Its bytes with the terminator, which only a last line may lack. A match that spans lines brings all lines it
    /// touches; matches whose lines overlap or touch are one event.
    pub bytes: &'a [u8],
    /// Known matches, in a search whose matches may span lines.
    pub block: Option<MatchBlock<'a>>,
    /// Where it begins, in bytes from the start of the decoded haystack.
    pub offset: u64,
    /// The number of its first line, the first of all being 1; None unless line numbers were asked for.
    pub number: Option<u64>,
}

/// How the search of one haystack ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Finish {
    /// Bytes searched, counted after decoding.
    pub bytes_searched: u64,
    /// Where the first NUL byte was seen, if binary detection was on and one was.
    pub binary_offset: Option<u64>,
}

/// Receives the events of one haystack: [`begin`](Sink::begin), then lines, gaps and at most one
/// [`binary`](Sink::binary), then [`finish`](Sink::finish), or [`abandon`](Sink::abandon) after an error. An event that
/// answers `Break` is followed by one of these two only.
///
/// A sink cannot fail: one that writes keeps its error and answers `Break`.
pub trait Sink {
    /// Whether haystacks of which no line is emitted matter too. When they do not, a haystack without one may be left
    /// without any event, which spares looking for NUL bytes in it: most files of a tree have no match.
    fn wants_unmatched(&self) -> bool {
        false
    }

    /// Whether matching lines have to be emitted one by one. Where they need not, [`counted`](Sink::counted) may be emitted
    /// instead of [`matched`](Sink::matched): most of what there is to do for a line is to say where it is.
    fn wants_lines(&self) -> bool {
        true
    }

    /// The search starts. `Break` leaves the haystack unread.
    fn begin(&mut self) -> Flow {
        Flow::Continue(())
    }

    /// A matching line. `finder` is free for finding the matches within it.
    fn matched(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow;

    /// So many further lines match, or inverted, do not.
    fn counted(&mut self, lines: u64) -> Flow {
        let _ = lines;
        Flow::Continue(())
    }

    /// A context line: any kind but [`LineKind::Match`].
    fn context(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        let _ = (finder, line);
        Flow::Continue(())
    }

    /// Lines were left out between the line before and the next (the `--` between groups of context).
    fn gap(&mut self) -> Flow {
        Flow::Continue(())
    }

    /// The first NUL byte was seen, `offset` bytes from the start; lines of earlier blocks have been emitted already.
    /// Under [`BinaryPolicy::Quit`](crate::BinaryPolicy::Quit) the search ends here whatever is answered, under
    /// [`BinaryPolicy::Convert`](crate::BinaryPolicy::Convert) it goes on with lines of this block.
    fn binary(&mut self, offset: u64) -> Flow {
        let _ = offset;
        Flow::Continue(())
    }

    /// The search is over: what was emitted is all there is to emit, or all that was wanted.
    fn finish(&mut self, finish: &Finish) {
        let _ = finish;
    }

    /// The search is over too early, because of an error. What was emitted is true, but not known to be all.
    fn abandon(&mut self) {}
}
