//! The numbers of lines, counted no further than they are asked for.

use std::ops::Range;

use crate::lines;

/// What is known of line numbers in a block.
#[derive(Default)]
pub(crate) struct LineNumbers {
    /// Line terminators before `counted`, a place that no number is asked for before.
    number: u64,
    counted: usize,
    /// A place further on and how many terminators stand before it, if somebody else has counted.
    ahead: Option<(usize, u64)>,
}

impl LineNumbers {
    /// The number of a line that is not before any asked for earlier.
    pub(crate) fn of(&mut self, block: &[u8], terminator: u8, line: Range<usize>) -> u64 {
        self.advance(block, terminator, line.start);
        // Counting on from the end of this line makes neighbours free.
        self.number += 1;
        self.counted = line.end;
        self.number
    }

    /// How many terminators stand before `at`, a place that no number has been asked for behind.
    pub(crate) fn before(&self, block: &[u8], terminator: u8, at: usize) -> u64 {
        self.number + lines::count(&block[self.counted..at], terminator)
    }

    /// Somebody else has counted: so many terminators stand before `at`.
    pub(crate) fn learn(&mut self, at: usize, terminators: u64) {
        self.ahead = Some((at, terminators));
    }

    /// Count up to `to`, from the nearer of the places whose number is known.
    fn advance(&mut self, block: &[u8], terminator: u8, to: usize) {
        let passed = to.saturating_sub(self.counted);
        match self.ahead {
            Some((at, number)) if to <= at && at - to < passed => {
                self.number = number - lines::count(&block[to..at], terminator);
            }
            _ if passed > 0 => self.number += lines::count(&block[self.counted..to], terminator),
            _ => return,
        }
        self.counted = to;
    }

    /// Forget the first `consumed` bytes of the block.
    pub(crate) fn roll(&mut self, block: &[u8], terminator: u8, consumed: usize) {
        self.advance(block, terminator, consumed);
        self.counted = self.counted.saturating_sub(consumed);
        self.ahead = self.ahead.and_then(|(at, number)| Some((at.checked_sub(consumed)?, number)));
    }
}
