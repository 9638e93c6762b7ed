//! One pass over a block of lines: what was found ahead of the line that is asked for.

/// A pass over one block of lines, for [`Finder::next_line`](crate::Finder::next_line). It borrows the block, so that what it
/// knows of it stays true.
#[derive(Debug)]
pub struct Scan<'h> {
    haystack: &'h [u8],
    /// Places in lines that match or may match, in order, found before they were asked for.
    hits: Vec<usize>,
    /// Those before this index have been asked for.
    next: usize,
    /// No line that begins before this has a hit but those in `hits`.
    known_to: usize,
    /// Whether the hits are only places in lines that may match.
    is_doubtful: bool,
}

impl<'h> Scan<'h> {
    /// A pass over `haystack`, whole lines of which only the last may lack its terminator.
    #[must_use]
    pub fn new(haystack: &'h [u8]) -> Scan<'h> {
        Scan { haystack, hits: Vec::new(), next: 0, known_to: 0, is_doubtful: false }
    }

    /// The block.
    #[must_use]
    pub fn haystack(&self) -> &'h [u8] {
        self.haystack
    }

    /// The first hit at or after `at` that is known already.
    pub(crate) fn known(&mut self, at: usize) -> Option<usize> {
        let passed = self.hits[self.next..].iter().take_while(|&&hit| hit < at).count();
        self.next += passed;
        self.hits.get(self.next).copied()
    }

    /// Whether the lines of the hits known have to be checked.
    pub(crate) fn is_doubtful(&self) -> bool {
        self.is_doubtful
    }

    /// The first place at or after `at` of which nothing is known.
    pub(crate) fn unknown(&self, at: usize) -> usize {
        at.max(self.known_to)
    }

    /// All hits in lines that begin before the place that `find` gives are those that it appends, and those known before.
    pub(crate) fn learn(&mut self, find: impl FnOnce(&mut Vec<usize>) -> Known) {
        self.hits.clear();
        self.next = 0;
        let Known { to, is_doubtful } = find(&mut self.hits);
        (self.known_to, self.is_doubtful) = (to, is_doubtful);
    }

    /// Lines that begin before `to` have no further hits.
    pub(crate) fn pass(&mut self, to: usize) {
        self.learn(|_| Known { to, is_doubtful: false });
    }
}

/// What a search ahead has found out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    /// All hits in lines that begin before this are found.
    pub(crate) to: usize,
    /// The lines of the hits have to be checked.
    pub(crate) is_doubtful: bool,
}
