//! The statistics for one haystack, counted while it is printed (`--stats`, `--json`).

use std::time::Instant;

use bstr::ByteSlice as _;
use heist_searcher::{Finish, Line};

use crate::{Stats, Terminator};

/// Counts what is found in one haystack, if statistics are wanted, and adds it to the printer's.
#[derive(Debug)]
pub(crate) struct Counted {
    /// When the search began, and the statistics since.
    counts: Option<(Instant, Stats)>,
}

impl Counted {
    /// Starts the clock, unless statistics are not wanted.
    pub(crate) fn new(is_wanted: bool) -> Counted {
        Counted { counts: is_wanted.then(|| (Instant::now(), Stats::default())) }
    }

    /// Whether statistics are wanted.
    pub(crate) fn is_wanted(&self) -> bool {
        self.counts.is_some()
    }

    /// Counts a matching line, or block of lines, in which there are `matches` matches.
    #[inline]
    pub(crate) fn add_line(&mut self, line: &Line<'_>, terminator: Terminator, matches: u64) {
        if let Some((_, stats)) = &mut self.counts {
            stats.matches += matches;
            stats.matched_lines += line_count(line, terminator);
        }
    }

    /// Counts printed bytes.
    #[inline]
    pub(crate) fn add_printed(&mut self, bytes: u64) {
        if let Some((_, stats)) = &mut self.counts {
            stats.bytes_printed += bytes;
        }
    }

    /// The bytes that were printed, if they are counted.
    pub(crate) fn printed(&self) -> u64 {
        self.counts.as_ref().map_or(0, |(_, stats)| stats.bytes_printed)
    }

    /// Counts only the first `bytes` printed bytes, because the others have been taken back.
    pub(crate) fn set_printed(&mut self, bytes: u64) {
        if let Some((_, stats)) = &mut self.counts {
            stats.bytes_printed = bytes;
        }
    }

    /// Ends the haystack, and adds its statistics to `sum`. Returns them if they are wanted.
    pub(crate) fn finish(
        &mut self,
        finish: &Finish,
        has_match: bool,
        sum: Option<&mut Stats>,
    ) -> Option<Stats> {
        let (start, stats) = self.counts.as_mut()?;
        stats.elapsed = start.elapsed();
        stats.searches = 1;
        stats.searches_with_match = u64::from(has_match);
        stats.bytes_searched = finish.bytes_searched;
        sum?.add(stats);
        Some(*stats)
    }
}

/// How many lines `line` has, which may be a block.
fn line_count(line: &Line<'_>, terminator: Terminator) -> u64 {
    if line.block.is_none() {
        return 1;
    }
    let ends = line.bytes.find_iter(&[terminator.last_byte()]).count();
    (ends + usize::from(!terminator.ends(line.bytes))) as u64
}
