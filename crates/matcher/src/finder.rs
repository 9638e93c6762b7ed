//! One worker's means of searching.

use std::{mem, ops::Range};

use crate::block_scan::BlockScan;
use crate::captures::Captures;
use crate::compiled::Mode;
use crate::error::Error;
use crate::exact::ExactSearch;
use crate::lines::LineHit;
use crate::matcher::Matcher;

/// One worker's means of searching: a shared [`Matcher`] and private scratch space.
#[derive(Debug)]
pub struct Finder {
    matcher: Matcher,
    pub(crate) exact: ExactSearch,
    pub(crate) mode: Mode,
    /// The memory for hits of the next [`scan`](Finder::scan).
    spare_hits: Vec<LineHit>,
}

/// Memory for more hits than this is not kept. In source text a scan finds tens at a time.
const KEPT_HITS: usize = 1 << 10;

impl Matcher {
    /// A finder for one worker. It shares the compiled patterns and has scratch space of its own.
    #[must_use]
    pub fn finder(&self) -> Finder {
        let (exact, mode) = (self.compiled.exact.search(), self.compiled.mode.clone());
        Finder { matcher: self.clone(), exact, mode, spare_hits: Vec::new() }
    }
}

impl Clone for Finder {
    /// A finder for the same matcher, with scratch space of its own.
    fn clone(&self) -> Finder {
        self.matcher.finder()
    }
}

impl Finder {
    /// The byte that ends a line.
    #[must_use]
    pub fn line_terminator(&self) -> u8 {
        self.exact.ends.terminator
    }

    /// The compiled patterns that this searches for.
    #[must_use]
    pub fn matcher(&self) -> &Matcher {
        &self.matcher
    }

    /// A pass over `haystack`, as [`BlockScan::new`] returns it, with the memory of the last pass
    /// that was [ended](Finder::end_scan). A worker that searches many small haystacks need not
    /// allocate for each: growing a list locks the allocator.
    #[must_use]
    pub fn scan<'h>(&mut self, haystack: &'h [u8]) -> BlockScan<'h> {
        BlockScan::with_memory(haystack, mem::take(&mut self.spare_hits))
    }

    /// Ends a pass, and keeps its memory for the next one.
    pub fn end_scan(&mut self, scan: BlockScan<'_>) {
        let hits = scan.into_memory();
        if hits.capacity() <= KEPT_HITS {
            self.spare_hits = hits;
        }
    }

    /// Whether anything matches in `line`, one line without its terminator.
    pub fn is_match(&mut self, line: &[u8]) -> bool {
        match &mut self.mode {
            Mode::Query(query) => query.are_met(line),
            Mode::Lines(_) | Mode::Whole(_) => self.exact.is_match(line),
        }
    }

    /// Whether a match in `part` of a line makes the line match, whatever stands before and after
    /// the part. `begins` if it is the beginning of the line. `false` if that does not suffice to
    /// know.
    ///
    /// ```
    /// # use heist_matcher::{MatcherConfig, Matcher};
    /// let mut finder = Matcher::new([r"fo+\b"], &MatcherConfig::default())?.finder();
    /// assert!(finder.matches_within(b"foo and more", true));
    /// assert!(!finder.matches_within(b"and foo", true), "it may be followed by another letter");
    /// assert!(!finder.matches_within(b"foo and more", false));
    /// # Ok::<(), heist_matcher::Error>(())
    /// ```
    pub fn matches_within(&mut self, part: &[u8], begins: bool) -> bool {
        match self.mode {
            Mode::Lines(_) => self.exact.matches_within(part, begins),
            Mode::Whole(_) | Mode::Query(_) => false,
        }
    }

    /// The leftmost match in `line` that begins at or after `at`. Look-around sees what stands
    /// before `at`. `line` is one line without its terminator, or the whole haystack if
    /// [matches span lines](Matcher::spans_lines).
    ///
    /// ```
    /// # use heist_matcher::{MatcherConfig, Matcher};
    /// let mut finder = Matcher::new([r"\bfoo"], &MatcherConfig::default())?.finder();
    /// assert_eq!(finder.find_at(b"a foo, xfoo", 0), Some(2..5));
    /// assert_eq!(finder.find_at(b"a foo, xfoo", 3), None);
    /// # Ok::<(), heist_matcher::Error>(())
    /// ```
    pub fn find_at(&mut self, line: &[u8], at: usize) -> Option<Range<usize>> {
        match &mut self.mode {
            Mode::Whole(whole) if at == 0 => whole.find_first(&mut self.exact, line, at),
            Mode::Whole(whole) => whole.find(&mut self.exact, line, at),
            Mode::Lines(_) | Mode::Query(_) => self.exact.find(line, at),
        }
    }

    /// Finds a match as [`find_at`](Finder::find_at) does, in the first search in a haystack,
    /// wherever it begins. If [matches span lines](Matcher::spans_lines), it looks in the whole
    /// haystack for literals that every match contains, which is worth it once.
    pub fn find_first(&mut self, haystack: &[u8], at: usize) -> Option<Range<usize>> {
        self.exact.begin();
        match &mut self.mode {
            Mode::Whole(whole) => whole.find_first(&mut self.exact, haystack, at),
            Mode::Lines(_) | Mode::Query(_) => self.exact.find(haystack, at),
        }
    }

    /// Appends all matches in `line` to `spans`, from left to right, if that takes less time than
    /// to find each by [`find_at`](Finder::find_at). Returns whether it does; if so, no match is
    /// empty. `line` is what it is there.
    ///
    /// ```
    /// # use heist_matcher::{MatcherConfig, Matcher};
    /// let finder = Matcher::new([r"\w+"], &MatcherConfig::default())?.finder();
    /// let mut spans = Vec::new();
    /// if finder.find_all(b"let x = 12;", &mut spans) {
    ///     assert_eq!(spans, [0..3, 4..5, 8..10]);
    /// }
    /// # Ok::<(), heist_matcher::Error>(())
    /// ```
    #[must_use]
    pub fn find_all(&self, line: &[u8], spans: &mut Vec<Range<usize>>) -> bool {
        self.exact.find_all(line, spans)
    }

    /// The number of matches that [`find_all`](Finder::find_all) finds; `None` if they have to be
    /// found one by one.
    #[must_use]
    pub fn count_all(&self, line: &[u8]) -> Option<u64> {
        self.exact.count(line)
    }

    /// Puts the groups of the match that [`find_at`](Finder::find_at) finds into `captures`.
    /// Returns whether there is one.
    ///
    /// ```
    /// # use heist_matcher::{MatcherConfig, Matcher};
    /// let matcher = Matcher::new([r"(?<key>\w+)=(\w+)"], &MatcherConfig::default())?;
    /// let mut captures = matcher.captures();
    /// assert!(matcher.finder().captures_at(b"let a=1", 0, &mut captures));
    /// assert_eq!((captures.get(1), captures.get(2)), (Some(4..5), Some(6..7)));
    /// # Ok::<(), heist_matcher::Error>(())
    /// ```
    pub fn captures_at(&mut self, line: &[u8], at: usize, captures: &mut Captures) -> bool {
        self.exact.captures(line, at, captures)
    }

    /// Whether the engine has given up, and the reason has not been [taken](Finder::take_failure):
    /// what was found last may not be all.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        match &self.mode {
            Mode::Query(query) => query.has_failed() || self.exact.has_failed(),
            Mode::Lines(_) | Mode::Whole(_) => self.exact.has_failed(),
        }
    }

    /// Takes the reason why the engine gave up, if it did. The haystack has not been searched to
    /// its end then, and nothing more is found until the reason is taken. Only PCRE2 ever gives up,
    /// at a limit on backtracking.
    pub fn take_failure(&mut self) -> Option<Error> {
        let failed = match &mut self.mode {
            Mode::Query(query) => query.take_failure(),
            Mode::Lines(_) | Mode::Whole(_) => None,
        };
        failed.or_else(|| self.exact.take_failure())
    }

    /// The first line from `at` on that matches or may match, in the block of `scan`. `at` must be
    /// the start of a line, and not before that of an earlier call with this scan. `None` if no
    /// line from `at` on can match. If [matches span lines](Matcher::spans_lines), the hit is where
    /// the next match begins.
    ///
    /// ```
    /// use heist_matcher::{BlockScan, MatcherConfig, LineHit, Matcher};
    ///
    /// let block = b"int x;\n\nstatic int y;\n";
    /// let mut finder = Matcher::new([r"static\s+\w+"], &MatcherConfig::default())?.finder();
    /// let mut scan = BlockScan::new(block);
    /// let hit = finder.next_line(&mut scan, 0).expect("the third line");
    /// assert!((8..21).contains(&hit.offset()));
    /// assert_eq!(finder.next_line(&mut scan, 22), None);
    /// # Ok::<(), heist_matcher::Error>(())
    /// ```
    pub fn next_line(&mut self, scan: &mut BlockScan<'_>, at: usize) -> Option<LineHit> {
        let haystack = scan.haystack();
        // No line follows a terminator at the very end, though an empty match would fit.
        if at >= haystack.len() || self.has_failed() {
            return None;
        }
        match &mut self.mode {
            Mode::Lines(levels) => {
                let end = self.exact.ends.content_end(haystack);
                levels.next_line(&mut self.exact, scan, at, end)
            }
            Mode::Query(query) => query.next_line(scan, at),
            Mode::Whole(_) => self.find_at(haystack, at).map(|m| LineHit::Confirmed(m.start)),
        }
    }

    /// Finds the first line from `at` on that matches or may match, as
    /// [`next_line`](Finder::next_line) does, for a caller that wants one line of `haystack`.
    pub fn find_candidate_line(&mut self, haystack: &[u8], at: usize) -> Option<LineHit> {
        self.next_line(&mut BlockScan::new(haystack), at)
    }

    /// Whether any line of `haystack`, a block of whole lines, may match. `false` is certain. An
    /// empty haystack has no line.
    ///
    /// ```
    /// # use heist_matcher::{MatcherConfig, Matcher};
    /// let mut finder = Matcher::new(["foo"], &MatcherConfig::default())?.finder();
    /// assert!(finder.can_match(b"a\nfoo\n"));
    /// assert!(!finder.can_match(b"a\nb\n"));
    /// # Ok::<(), heist_matcher::Error>(())
    /// ```
    pub fn can_match(&mut self, haystack: &[u8]) -> bool {
        // Where the engine has given up, nothing is certain.
        self.find_candidate_line(haystack, 0).is_some() || self.has_failed()
    }

    /// Counts the lines that match in the block of `scan` from `at` on: as many as
    /// [`next_line`](Finder::next_line) and [`is_match`](Finder::is_match) find, which place the
    /// same conditions on `at`. Where the engine [gives up](Finder::take_failure), the lines before
    /// that are counted.
    ///
    /// ```
    /// # use heist_matcher::{BlockScan, MatcherConfig, Matcher};
    /// let mut finder = Matcher::new([r"\d"], &MatcherConfig::default())?.finder();
    /// assert_eq!(finder.count_lines(&mut BlockScan::new(b"a1\nb\n22\n3"), 0), 3);
    /// # Ok::<(), heist_matcher::Error>(())
    /// ```
    pub fn count_lines(&mut self, scan: &mut BlockScan<'_>, at: usize) -> u64 {
        let end = self.exact.ends.content_end(scan.haystack());
        match &mut self.mode {
            Mode::Lines(levels) => levels.count(&mut self.exact, scan, at, end),
            Mode::Query(query) => query.count(scan, at, end),
            Mode::Whole(_) => self.count_where_matches_begin(scan, at, end),
        }
    }

    /// Where the lines from `at` on end that are known to match without a further search; `at` if
    /// none is. The call follows a call of [`next_line`](Finder::next_line), and `at` is where the
    /// line behind the one that it found starts.
    pub fn matching_to(&self, scan: &mut BlockScan<'_>, at: usize) -> usize {
        match &self.mode {
            Mode::Lines(levels) => levels.matching_to(scan, self.line_terminator(), at),
            Mode::Whole(_) | Mode::Query(_) => at,
        }
    }

    fn count_where_matches_begin(
        &mut self,
        scan: &mut BlockScan<'_>,
        mut at: usize,
        end: usize,
    ) -> u64 {
        let mut count = 0;
        while let Some(hit) = self.next_line(scan, at) {
            count += 1;
            let terminator = self.line_terminator();
            at = crate::lines::line_end(scan.haystack(), terminator, hit.offset(), end) + 1;
        }
        count
    }
}
