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
}

impl<'h> Scan<'h> {
    /// A pass over `haystack`, whole lines of which only the last may lack its terminator.
    #[must_use]
    pub fn new(haystack: &'h [u8]) -> Scan<'h> {
        Scan { haystack, hits: Vec::new(), next: 0, known_to: 0 }
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

    /// The first place at or after `at` of which nothing is known.
    pub(crate) fn unknown(&self, at: usize) -> usize {
        at.max(self.known_to)
    }

    /// All hits in lines that begin before `to` are those that `find` appends, and those known before.
    pub(crate) fn learn(&mut self, to: usize, find: impl FnOnce(&mut Vec<usize>)) {
        self.hits.clear();
        self.next = 0;
        find(&mut self.hits);
        self.known_to = to;
    }
}
