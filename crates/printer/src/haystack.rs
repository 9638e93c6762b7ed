//! What is known of the haystack that is being printed, whatever the format: its name, if that
//! matches (`--names`), and its statistics (`--stats`, `--json`).

use std::{ops::Range, time::Instant};

use bstr::ByteSlice as _;
use heist_searcher::{BinaryPolicy, Finish, Line};

use crate::{Output, Stats, Terminator};

/// The haystack that is being printed.
#[derive(Debug)]
pub(crate) struct Haystack<'p, O> {
    /// `None` also if it is not printed.
    pub(crate) path: Option<&'p [u8]>,
    /// The haystack's name, if that matches.
    pub(crate) name: Option<NameMatch<'p>>,
    pub(crate) binary: BinaryPolicy,
    pub(crate) output: &'p mut O,
    pub(crate) counted: Counted,
    /// Whether there is output.
    pub(crate) has_begun: bool,
    /// How many lines were found, printed or not; in a summary that counts matches or blocks of
    /// lines, how many matches.
    pub(crate) found: u64,
    /// The position of the first NUL byte, if one was seen.
    pub(crate) nul_at: Option<u64>,
    /// Whether the haystack was searched as far as necessary, and not given up as binary.
    pub(crate) is_known: bool,
}

impl<O: Output> Haystack<'_, O> {
    /// Ends the output of this haystack, if it has any.
    pub(crate) fn end(&mut self) {
        if self.has_begun {
            // The haystack is over; the output remembers if it is closed.
            let _ = self.output.end_file();
        }
    }
}

/// The name of a file, which matches, as part of the file's path.
#[derive(Clone, Copy, Debug)]
pub struct NameMatch<'p> {
    /// The path, whether lines are printed with it or not.
    pub path: &'p [u8],
    /// Where the part starts that was searched.
    pub start: usize,
    /// The matches in the path. There may be none, if only an empty match at its end was found.
    pub spans: &'p [Range<usize>],
}

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
