//! Line numbers, counted only as far as they are needed.
//!
//! Where NUL bytes become line terminators, the text between two of them is searched as a line, but
//! it is no line: `\0\0⏎x⏎` has two lines. So the numbers count the terminators that were there
//! before.

use std::{collections::VecDeque, ops::Range};

use crate::lines;

/// The line numbers known in a block.
#[derive(Default)]
pub(crate) struct LineNumbers {
    /// The number of terminators before `counted`. Numbers before that position are not needed
    /// again.
    number: u64,
    counted: usize,
    /// A later position and the number of terminators before it, if another worker has counted
    /// them.
    ahead: Option<(usize, u64)>,
    /// See [`set_sparse`](LineNumbers::set_sparse).
    is_sparse: bool,
}

impl LineNumbers {
    /// The number of `line`, which must not be before a line already numbered.
    pub(crate) fn of(&mut self, block: &[u8], terminator: u8, line: Range<usize>) -> u64 {
        self.advance(block, terminator, line.start);
        // Counting on from the end of this line makes the next one free.
        self.number += 1;
        self.counted = line.end;
        self.number
    }

    /// The number of terminators before `at`, which must not be before a line already numbered.
    pub(crate) fn before(&self, block: &[u8], terminator: u8, at: usize) -> u64 {
        self.number + lines::count(&block[self.counted..at], terminator)
    }

    /// Sets the number of terminators before `at`.
    pub(crate) fn set_ahead(&mut self, at: usize, terminators: u64) {
        self.ahead = Some((at, terminators));
    }

    /// Sets whether bytes may be missing from the block. None is missing between a line that is to
    /// be numbered and the position ahead, or else the line numbered before it.
    pub(crate) fn set_sparse(&mut self, is_sparse: bool) {
        self.is_sparse = is_sparse;
    }

    /// Counts up to `to`, from the nearer position with a known number.
    fn advance(&mut self, block: &[u8], terminator: u8, to: usize) {
        let passed = to.saturating_sub(self.counted);
        if passed == 0 {
            return;
        }
        match self.ahead {
            Some((at, number)) if to <= at && (self.is_sparse || at - to < passed) => {
                // There may be more of them, in a file that is written to meanwhile.
                self.number = number.saturating_sub(lines::count(&block[to..at], terminator));
            }
            _ => self.number += lines::count(&block[self.counted..to], terminator),
        }
        self.counted = to;
    }

    /// Counts a line before the block, in which no line has been counted. Returns its number.
    pub(crate) fn pass_over_line(&mut self) -> u64 {
        self.number += 1;
        self.ahead = None;
        self.number
    }

    /// Drops the first `consumed` bytes of the block.
    pub(crate) fn roll(&mut self, block: &[u8], terminator: u8, consumed: usize) {
        self.advance(block, terminator, consumed);
        self.counted = self.counted.saturating_sub(consumed);
        self.ahead = self.ahead.and_then(|(at, number)| Some((at.checked_sub(consumed)?, number)));
    }
}

/// NUL bytes that have become line terminators, behind the last line that was numbered.
#[derive(Default)]
pub(crate) struct ConvertedNuls {
    /// Where they are in the haystack, in ascending order.
    runs: VecDeque<Range<u64>>,
    /// How many there were before.
    passed: u64,
}

impl ConvertedNuls {
    /// Adds those that the last read has found.
    pub(crate) fn add(&mut self, runs: &mut Vec<Range<u64>>) {
        self.runs.extend(runs.drain(..));
    }

    /// How many there are before `at`, which must not be before a position passed already.
    pub(crate) fn before(&mut self, at: u64) -> u64 {
        while let Some(run) = self.runs.front() {
            if run.end > at {
                return self.passed + at.saturating_sub(run.start);
            }
            self.passed += run.end - run.start;
            self.runs.pop_front();
        }
        self.passed
    }
}
