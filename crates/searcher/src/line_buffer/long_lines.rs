//! Which long lines need not be in memory.

use heist_matcher::{Finder, InParts, NeedleSearch, PartSearch};

use crate::{ReadAt, SearchConfig};

/// What it takes to pass over long lines.
pub(crate) struct LongLines<'a> {
    test: Test,
    pub(crate) file: &'a dyn ReadAt,
    /// The position of the text in the file.
    pub(crate) start: u64,
    matching: MatchingLines,
}

/// What is wanted of lines that match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MatchingLines {
    /// Their number.
    Counted,
    /// They may be emitted unread.
    Unread,
    /// All of them.
    Read,
}

/// How a line is tested part by part.
enum Test {
    /// Every line that matches has one of these.
    Needles(NeedleSearch),
    Parts(PartSearch),
}

/// What is known of the parts of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// They have no match.
    NoMatch,
    Match,
    /// The line may match, and has to be searched as a whole.
    Candidate,
}

impl<'a> LongLines<'a> {
    /// `None` if lines that do not match are wanted, or if they cannot be separated from others.
    pub(crate) fn new(
        config: &SearchConfig,
        finder: &Finder,
        file: &'a dyn ReadAt,
        start: u64,
        matching: MatchingLines,
    ) -> Option<LongLines<'a>> {
        if !wants_only_matches(config) {
            return None;
        }
        let is_read = matching == MatchingLines::Read;
        let test = match finder.matcher().needle_search() {
            Some(needles) if is_read || !needles.are_common() => Test::Needles(needles),
            // What has been searched and is wanted after all would have to be read again.
            _ if is_read => return None,
            _ => Test::Parts(finder.part_search()?),
        };
        Some(LongLines { test, file, start, matching })
    }

    /// What a line must have one of to be wanted. `None` if others may be wanted, too.
    pub(crate) fn needles(config: &SearchConfig, finder: &Finder) -> Option<NeedleSearch> {
        if wants_only_matches(config) { finder.matcher().needle_search() } else { None }
    }

    /// Tests the first `part` of another line.
    pub(super) fn begin(&mut self, part: &[u8]) -> Verdict {
        if let Test::Parts(search) = &mut self.test {
            search.begin();
        }
        self.add(part, 0)
    }

    /// Tests the next part of the line, which follows the first `known` bytes of `part`. These have
    /// been tested before.
    pub(super) fn add(&mut self, part: &[u8], known: usize) -> Verdict {
        match &mut self.test {
            Test::Needles(needles) if !needles.is_in(part) => Verdict::NoMatch,
            Test::Needles(needles) if needles.is_exact() => Verdict::Match,
            Test::Needles(_) => Verdict::Candidate,
            Test::Parts(search) => Verdict::of(search.add(&part[known..])),
        }
    }

    /// Ends the line, in whose parts there was no match.
    pub(super) fn end(&mut self) -> Verdict {
        match &mut self.test {
            Test::Needles(_) => Verdict::NoMatch,
            Test::Parts(search) => Verdict::of(search.end()),
        }
    }

    /// How many bytes before a part are tested again.
    pub(super) fn overlap(&self) -> usize {
        match &self.test {
            Test::Needles(needles) => needles.longest() - 1,
            Test::Parts(_) => 0,
        }
    }

    /// Whether a line has to be in memory. If the haystack `has_nul`, it may differ from the file.
    pub(super) fn keeps(&self, verdict: Verdict, has_nul: bool) -> bool {
        match verdict {
            Verdict::NoMatch => false,
            Verdict::Match => match self.matching {
                MatchingLines::Counted => false,
                MatchingLines::Unread => has_nul,
                MatchingLines::Read => true,
            },
            Verdict::Candidate => true,
        }
    }
}

impl Verdict {
    fn of(found: InParts) -> Verdict {
        match found {
            InParts::NoMatch => Verdict::NoMatch,
            InParts::Match => Verdict::Match,
            InParts::Unknown => Verdict::Candidate,
        }
    }
}

/// Whether nothing is wanted of a line that does not match.
fn wants_only_matches(config: &SearchConfig) -> bool {
    let has_context = config.before_context > 0 || config.after_context > 0;
    let wants_others = has_context || config.passthru || config.invert;
    !(wants_others || config.stop_on_nonmatch || config.max_matches == Some(0))
}

/// A line that was never in the buffer as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PassedLine {
    /// Its length in bytes, with its terminator.
    pub(crate) len: u64,
    /// It matches, and is to be counted or emitted.
    pub(crate) matches: bool,
}
