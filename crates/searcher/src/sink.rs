//! The events of a search. The searcher decides which lines are emitted and in which order; a sink
//! decides what happens to them.

use std::{
    io,
    ops::{ControlFlow, Range},
};

use heist_matcher::Finder;

use crate::{
    BinaryPolicy,
    unread_line::{UnreadLine, UnreadMatches},
};

/// Whether to go on with this haystack.
pub type Flow = ControlFlow<()>;

/// Why a line is emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// The line matches or, in an inverted search, does not.
    Match,
    /// The line is context before a match.
    Before,
    /// The line is the nearest function line before a match; see
    /// [`Surroundings`](crate::Surroundings).
    Function,
    /// The line is context after a match.
    After,
    /// Every line is emitted (`--passthru`).
    Other,
}

impl LineKind {
    /// Whether this is a matching line. Lines of any other kind are context.
    #[must_use]
    pub fn is_match(self) -> bool {
        self == LineKind::Match
    }
}

/// The matches in an emitted block of lines, in a search with matches that may span lines.
///
/// A sink must use these instead of searching the block again, because the bytes that decide a
/// match may lie outside of the block.
#[derive(Clone, Copy, Debug)]
pub struct MatchBlock<'a> {
    /// The part of the haystack that is in memory, after the bytes that a match may look behind
    /// at. Capture groups must be searched for here.
    pub haystack: &'a [u8],
    /// The position in `haystack` that the positions below are relative to.
    pub origin: usize,
    /// The start of the block's first line.
    pub start: usize,
    /// The position at which the search for the block's first match began. It may lie before the
    /// block.
    pub searched_from: usize,
    /// The matches that begin in the block, in order and without overlaps. Empty in an inverted
    /// search.
    pub matches: &'a [Range<usize>],
}

/// One line of a haystack, or several if a match spans lines.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Why the line is emitted.
    pub kind: LineKind,
    /// The bytes of the line with its terminator, which only the last line of a haystack may lack.
    /// For a match that spans lines these are all lines it touches; matches with overlapping or
    /// adjacent lines are emitted as one block.
    pub bytes: &'a [u8],
    /// The known matches, if matches may span lines and this is a matching block.
    pub block: Option<MatchBlock<'a>>,
    /// The position of the first byte in the decoded haystack.
    pub offset: u64,
    /// The number of the (first) line, starting at 1; `None` unless
    /// [`line_numbers`](crate::SearchConfig::line_numbers) is set.
    pub number: Option<u64>,
}

/// How the search of one haystack ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Finish {
    /// The number of bytes searched, counted after decoding.
    pub bytes_searched: u64,
    /// The position of the first NUL byte, if binary detection was on and saw one.
    pub binary_offset: Option<u64>,
    /// An error, or the end of the whole run, ended the search early: the emitted lines are
    /// correct, but may not be all. If not, they are all there are, or all that were wanted.
    pub is_abandoned: bool,
    /// The encoding of the haystack, such as `UTF-16LE`, if its first bytes have shown it: neither
    /// a byte order mark nor the settings state it.
    pub encoding: Option<&'static str>,
}

impl Finish {
    /// Whether a search under the policy `binary` has left the rest of the haystack unread, because
    /// it saw a NUL byte.
    #[must_use]
    pub fn is_given_up(&self, binary: BinaryPolicy) -> bool {
        self.binary_offset.is_some() && binary == BinaryPolicy::Quit
    }
}

/// What a [`Sink`] needs of a haystack. What it does not need may be left out, which is faster.
///
/// ```
/// use heist_searcher::Wants;
///
/// let wants = Wants { lines: false, ..Wants::default() };
/// assert!(wants.matches && !wants.unmatched);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wants {
    /// Haystacks without an emitted line matter. If they do not, such a haystack may be left
    /// without any event. That saves looking for NUL bytes in it: most files of a tree have no
    /// match.
    pub unmatched: bool,
    /// Matching lines have to be emitted one by one. If not, the searcher may call
    /// [`counted`](Sink::counted) instead of [`matched`](Sink::matched), which is much faster:
    /// finding where a line begins and ends is most of the work that a matching line causes.
    pub lines: bool,
    /// The [matches of a block](Line::block) matter. If not, the searcher may leave some out, and
    /// takes less memory where millions of matches are in one block.
    pub matches: bool,
    /// The first matching line is the last event that matters. If so, and if matches may span
    /// lines, the searcher may emit only the first match's lines, and need not look for where its
    /// block ends.
    pub first_only: bool,
    /// Which matches of a line have to be known so that
    /// [`matched_unread`](Sink::matched_unread) may accept it.
    pub unread: UnreadMatches,
}

impl Default for Wants {
    /// Every line and its matches, but no haystack without any. No line is accepted unread.
    fn default() -> Wants {
        Wants {
            unmatched: false,
            lines: true,
            matches: true,
            first_only: false,
            unread: UnreadMatches::Never,
        }
    }
}

/// Receives the events of one haystack.
///
/// The order is [`begin`](Sink::begin); then lines, gaps and at most one [`binary`](Sink::binary);
/// then [`finish`](Sink::finish). After an event that returns `Break`, only the last one follows.
/// Every method has a default that continues, so that a sink implements only the events it needs.
/// For a closure per line see [`sinks`](crate::sinks).
///
/// # Examples
///
/// A search for `n` with one line of context after each match emits these events:
///
/// ```
/// use heist_matcher::Matcher;
/// use heist_searcher::{Flow, Line, SearchConfig, Searcher, Sink};
///
/// #[derive(Default)]
/// struct Events(String);
///
/// impl Sink for Events {
///     fn matched(&mut self, line: &Line<'_>) -> Flow {
///         self.0 += &format!("match {} at {}\n", line.number.unwrap(), line.offset);
///         Flow::Continue(())
///     }
///
///     fn context(&mut self, line: &Line<'_>) -> Flow {
///         self.0 += &format!("{:?} {}\n", line.kind, line.number.unwrap());
///         Flow::Continue(())
///     }
///
///     fn gap(&mut self) -> Flow {
///         self.0 += "gap\n";
///         Flow::Continue(())
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let matcher = Matcher::new(&["n".to_owned()], &Default::default())?;
/// let config = SearchConfig { after_context: 1, ..SearchConfig::default() };
/// let mut events = Events::default();
/// let haystack = b"one\ntwo\nthree\nten\n";
/// Searcher::new(config).search_slice(&mut matcher.finder(), haystack, &mut events)?;
/// assert_eq!(events.0, "match 1 at 0\nAfter 2\ngap\nmatch 4 at 14\n");
/// # Ok(())
/// # }
/// ```
pub trait Sink {
    /// What the sink needs of a haystack. It does not change during a search.
    fn wants(&self) -> Wants {
        Wants::default()
    }

    /// The search starts. `Break` leaves the haystack unread.
    fn begin(&mut self) -> Flow {
        Flow::Continue(())
    }

    /// A matching line.
    fn matched(&mut self, line: &Line<'_>) -> Flow {
        let _ = line;
        Flow::Continue(())
    }

    /// A matching line, and the engine of the search.
    ///
    /// The searcher calls this method; the default calls [`matched`](Sink::matched). A sink that
    /// needs the matches within the line implements it and searches the line with `finder`. It
    /// returns `Break` if that [has failed](Finder::has_failed), so that the search ends with the
    /// reason.
    fn matched_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        let _ = finder;
        self.matched(line)
    }

    /// A matching line that has not been read, because it is long. `None` if its bytes are needed:
    /// then they are read, and [`matched_with`](Sink::matched_with) is called.
    fn matched_unread(&mut self, line: &UnreadLine<'_>) -> Option<Flow> {
        let _ = line;
        None
    }

    /// `lines` further lines match or, in an inverted search, do not.
    fn counted(&mut self, lines: u64) -> Flow {
        let _ = lines;
        Flow::Continue(())
    }

    /// A context line: any kind but [`LineKind::Match`].
    fn context(&mut self, line: &Line<'_>) -> Flow {
        let _ = line;
        Flow::Continue(())
    }

    /// A context line, and the engine of the search; see [`matched_with`](Sink::matched_with).
    fn context_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        let _ = finder;
        self.context(line)
    }

    /// Lines were left out between the previous line and the next one (the `--` between groups of
    /// context).
    fn gap(&mut self) -> Flow {
        Flow::Continue(())
    }

    /// The first NUL byte was seen, at `offset`. Lines of earlier blocks have been emitted already.
    ///
    /// Under [`BinaryPolicy::Quit`](crate::BinaryPolicy::Quit) the search ends here whatever this
    /// returns; under [`BinaryPolicy::Convert`](crate::BinaryPolicy::Convert) the lines of this
    /// block follow.
    fn binary(&mut self, offset: u64) -> Flow {
        let _ = offset;
        Flow::Continue(())
    }

    /// The search is over. `finish` states how far it came, and whether an error ended it.
    fn finish(&mut self, finish: &Finish) {
        let _ = finish;
    }

    /// Returns the error for which this sink returned `Break`, if any. The searcher calls this
    /// after `finish` and returns the error to its caller.
    fn take_error(&mut self) -> Option<io::Error> {
        None
    }
}
