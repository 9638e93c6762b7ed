//! Which long lines need not be in memory.

use heist_matcher::{Finder, InParts, Matcher, NeedleSearch, PartSearch};

use crate::{ReadAt, SearchConfig};

/// The bytes of a part in which a match is looked for that makes the line match.
const MAX_PART_BYTES: usize = 256 << 10;
/// In how many first bytes of a line a match is looked for part by part although nothing rules one
/// out. They are read and searched again where there is none.
const EARLY_MATCH_BYTES: usize = 1 << 20;
/// The first bytes of a line in which a match is looked for before anything else is done for it.
/// Most lines that match at all match there, and what searches parts may take milliseconds to make.
/// See docs/decisions/0147-long-lines-match-early.md.
const FIRST_PART_BYTES: usize = 4 << 10;
/// The first bytes of a text in which needles are counted.
const SAMPLE_BYTES: usize = 64 << 10;
/// Bytes from one needle to the next in which a search of parts takes as long as a stop.
const NEEDLE_SPACING_BYTES: usize = 2 << 10;

/// What it takes to pass over long lines.
pub(crate) struct LongLines<'a> {
    /// Every line that matches has one of these.
    needles: Option<NeedleSearch>,
    /// Finds lines that match part by part, if that is faster.
    parts: Option<PartSearch>,
    /// These are still to be made, for the first line that is not known to match without them.
    wants_parts: bool,
    /// The line is searched for needles, if any are known, and not by `parts`.
    by_needles: bool,
    matcher: Matcher,
    /// Searches parts of lines that may match, once there is one.
    finder: Option<Finder>,
    /// The bytes of the line that have been searched for such a match.
    looked_at: usize,
    pub(crate) file: &'a dyn ReadAt,
    /// The position of the text in the file.
    pub(crate) start: u64,
    /// The lines that do not match are wanted.
    invert: bool,
    wanted: WantedLines,
}

/// What is needed from the lines that are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WantedLines {
    /// Only how many lines there are.
    Counted,
    /// Lines that may be emitted unread.
    Unread,
    /// Lines as they are, with all their bytes.
    Read,
}

/// What is known about the parts of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The parts have no match.
    NoMatch,
    /// The parts have no match that depends only on a single part. The next part may have one.
    Undecided,
    Match,
    /// The line may match, and has to be searched as a whole.
    Candidate,
}

impl<'a> LongLines<'a> {
    /// What it takes in a `file` with text that begins with `head`, at `start`. `None` if more than
    /// the selected lines is wanted, or if these have to be read as a whole and it is not known
    /// early which ones they are.
    pub(crate) fn new(
        config: &SearchConfig,
        finder: &Finder,
        file: &'a dyn ReadAt,
        start: u64,
        head: &[u8],
        wanted: WantedLines,
    ) -> Option<LongLines<'a>> {
        let invert = config.invert;
        if !wants_only_selected(config) || invert && wanted == WantedLines::Read {
            return None;
        }
        let needles = finder.matcher().needle_search();
        let are_rare = needles.as_ref().is_some_and(|needles| !are_common(needles, head));
        let wants_parts = match wanted {
            // What has been searched and is wanted after all would have to be read again.
            WantedLines::Read if needles.is_none() => return None,
            WantedLines::Read => false,
            _ => !are_rare,
        };
        let matcher = finder.matcher().clone();
        Some(LongLines {
            needles,
            parts: None,
            wants_parts,
            by_needles: false,
            matcher,
            finder: None,
            looked_at: 0,
            file,
            start,
            invert,
            wanted,
        })
    }

    /// Tests the first `part` of another line.
    pub(super) fn begin(&mut self, part: &[u8]) -> Verdict {
        self.looked_at = 0;
        if self.wants_parts {
            let LongLines { matcher, finder, .. } = self;
            let finder = finder.get_or_insert_with(|| matcher.finder());
            if finder.matches_within(&part[..part.len().min(FIRST_PART_BYTES)], true) {
                return Verdict::Match;
            }
            self.parts = finder.part_search();
            self.wants_parts = false;
        }
        self.by_needles = self.parts.is_none();
        if let Some(parts) = &mut self.parts {
            parts.begin();
        }
        let mut found = self.test(part, 0);
        if found == Verdict::Candidate && !self.by_needles {
            // It is not a line of ASCII text.
            self.by_needles = true;
            found = self.test(part, 0);
        }
        self.decide(found, part, true)
    }

    /// Tests the next part of the line, which follows the first `known` bytes of `part`. These have
    /// been tested before.
    pub(super) fn add(&mut self, part: &[u8], known: usize) -> Verdict {
        let found = self.test(part, known);
        self.decide(found, part, false)
    }

    /// The verdict on a line after a test has `found` something in this `part`: a match in it may
    /// depend only on the part. `begins` if the line begins with it.
    fn decide(&mut self, found: Verdict, part: &[u8], begins: bool) -> Verdict {
        if found != Verdict::Candidate || self.wanted == WantedLines::Read {
            return found;
        }
        let LongLines { matcher, finder, .. } = self;
        let finder = finder.get_or_insert_with(|| matcher.finder());
        let part = &part[..part.len().min(MAX_PART_BYTES)];
        self.looked_at += part.len();
        match () {
            () if finder.matches_within(part, begins) => Verdict::Match,
            () if self.needles.is_none() && self.looked_at < EARLY_MATCH_BYTES => {
                Verdict::Undecided
            }
            () => found,
        }
    }

    fn test(&mut self, part: &[u8], known: usize) -> Verdict {
        match (&self.needles, &mut self.parts) {
            (_, Some(parts)) if !self.by_needles => Verdict::of(parts.add(&part[known..])),
            (None, _) => Verdict::Candidate,
            (Some(needles), _) if !needles.is_in(part) => Verdict::NoMatch,
            (Some(needles), _) if needles.is_exact() => Verdict::Match,
            (Some(_), _) => Verdict::Candidate,
        }
    }

    /// Ends the line. The verdict on its parts was `so_far`.
    pub(super) fn end(&mut self, so_far: Verdict) -> Verdict {
        match (so_far, &mut self.parts) {
            (Verdict::Undecided, _) => Verdict::Candidate,
            (Verdict::NoMatch, Some(parts)) if !self.by_needles => Verdict::of(parts.end()),
            _ => so_far,
        }
    }

    /// How many bytes before a part are tested again.
    pub(super) fn overlap(&self) -> usize {
        match &self.needles {
            Some(needles) if self.by_needles => needles.longest() - 1,
            _ => 0,
        }
    }

    /// Whether a line is wanted if this is the `verdict` on all of it. A candidate may be.
    pub(super) fn selects(&self, verdict: Verdict) -> bool {
        verdict == Verdict::Candidate || (verdict == Verdict::Match) != self.invert
    }

    /// Whether a line has to be in memory. If the haystack `has_nul`, it may differ from the file.
    pub(super) fn keeps(&self, verdict: Verdict, has_nul: bool) -> bool {
        match self.wanted {
            _ if verdict == Verdict::Candidate => true,
            _ if verdict == Verdict::Undecided => false,
            _ if !self.selects(verdict) => false,
            WantedLines::Counted => false,
            WantedLines::Unread => has_nul,
            WantedLines::Read => true,
        }
    }
}

impl Verdict {
    /// Whether the next part may change it.
    pub(super) fn is_open(self) -> bool {
        matches!(self, Verdict::NoMatch | Verdict::Undecided)
    }

    fn of(found: InParts) -> Verdict {
        match found {
            InParts::NoMatch => Verdict::NoMatch,
            InParts::Match => Verdict::Match,
            InParts::Unknown => Verdict::Candidate,
        }
    }
}

/// Whether `needles` are common in sources, and in the text that begins with `head`, too.
pub(crate) fn are_common(needles: &NeedleSearch, head: &[u8]) -> bool {
    let head = &head[..head.len().min(SAMPLE_BYTES)];
    let (most, mut count, mut from) = (head.len() / NEEDLE_SPACING_BYTES, 0, 0);
    while needles.are_common()
        && count <= most
        && let Some(needle) = needles.find_at(head, from)
    {
        from = needle.end.max(from + 1);
        count += 1;
    }
    count > most
}

/// Whether nothing is wanted of a line that does not match.
pub(crate) fn wants_only_matches(config: &SearchConfig) -> bool {
    wants_only_selected(config) && !config.invert
}

/// Whether nothing is wanted of a line that is not selected.
fn wants_only_selected(config: &SearchConfig) -> bool {
    let has_context = config.before_context > 0 || config.after_context > 0;
    !(has_context || config.passthru || config.stop_on_nonmatch || config.max_matches == Some(0))
}

/// A line that was never in the buffer as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PassedLine {
    /// How many bytes the line has, with its terminator.
    pub(crate) len: u64,
    /// Whether the line is to be counted or emitted.
    pub(crate) is_selected: bool,
}
