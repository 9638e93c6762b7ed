//! Rules out that anything matches in a large file before it is read into memory as a whole, or
//! searched block by block.
//!
//! Where matches may span lines and have any length, the file has to be in memory to be searched,
//! and that memory costs more than the search. Where lines are too long for chunks and have
//! context, or a NUL byte is in the file, one worker searches it and reads it whole. But most
//! patterns have needles such that every match contains one, and most files contain no needle: to
//! find that out takes a survey of the file, and a copy of a few bytes wherever its fingerprint
//! passes.
//!
//! ```text
//! pattern    \s+zqneedl:
//! survey     … 4 KiB │ 4 KiB, part 17: q…d │ 4 KiB …
//! copied                  ^^^^^^^^^^^^^^^     zqueued: no needle
//! ```
//!
//! Perf: see docs/decisions/0143-spanning-matches-are-ruled-out.md and
//! docs/decisions/0160-context-in-surveys.md.

use std::fs::File;

use heist_matcher::{Finder, Fingerprint, NeedleSearch};
use memchr::memchr;

use crate::{
    BinaryPolicy, ReadAt, SearchConfig, Stop,
    aligned::AlignedBytes,
    parallel::read_full,
    route::Ending,
    survey::{Candidates, Needles, PART, PIECE, Piece, Survey, View},
};

/// At most one piece of a chunk in this many is copied.
const PIECES_PER_COPY: usize = 4;

/// How many chunks are read at most, rather than looked at, of a file that need not be in memory as
/// a whole: these, and one in this many. A search takes little longer than to read it.
const MIN_CHUNKS_READ: u64 = 2;
const FEW_READ: u64 = 8;

/// A large file that would have to be in memory as a whole, or searched block by block.
pub(crate) struct RuleOut<'a> {
    pub(crate) config: &'a SearchConfig,
    /// The first bytes of the file.
    pub(crate) head: &'a [u8],
    pub(crate) source: &'a dyn ReadAt,
    /// The number of bytes that are looked at together.
    pub(crate) size: usize,
}

impl RuleOut<'_> {
    /// Looks for needles. The search is over if there is none; it gives up if that is not certain,
    /// as when `stop` ends the search. `bytes` is a buffer.
    pub(crate) fn end(
        &self,
        stop: Option<&Stop>,
        finder: &Finder,
        bytes: &mut AlignedBytes,
    ) -> Ending {
        match self.has_no_needle(stop, finder, bytes) {
            Some(true) => Ending::Over,
            Some(false) | None => Ending::GaveUp,
        }
    }

    /// Whether no needle is in the file; `None` if that cannot be found out.
    fn has_no_needle(
        &self,
        stop: Option<&Stop>,
        finder: &Finder,
        bytes: &mut AlignedBytes,
    ) -> Option<bool> {
        let is_whole = finder.matcher().spans_lines();
        let ends_at_nul = self.config.binary == BinaryPolicy::Quit && !is_whole;
        let file = self.source.file()?;
        let (fingerprint, needles) = self.needles(finder)?;
        let survey = Survey::new(file, self.size, fingerprint, None, self.config.line_terminator)?;
        // What is copied around a part has to lie in the window.
        let needles = Needles::new(needles).filter(|needles| needles.overlap <= PIECE / 2)?;
        let search = ChunkSearch { needles, survey, file, size: self.size, ends_at_nul };
        let (mut offset, mut reads_left) = (0, if is_whole { u64::MAX } else { MIN_CHUNKS_READ });
        for index in 1.. {
            if stop.is_some_and(Stop::is_over) {
                return None;
            }
            let (has_needle, is_last) = match search.has_needle_in_map(offset, bytes) {
                Some(found) => (found?, false),
                None => {
                    reads_left = reads_left.checked_sub(1)?;
                    search.has_needle_in_copy(self.source, offset, bytes)?
                }
            };
            if has_needle || is_last {
                return Some(!has_needle);
            }
            offset += self.size as u64;
            if index % FEW_READ == 0 {
                reads_left = reads_left.saturating_add(1);
            }
        }
        None
    }

    /// What every match has, if that is known.
    fn needles(&self, finder: &Finder) -> Option<(Fingerprint, NeedleSearch)> {
        let matcher = finder.matcher();
        match matcher.spans_lines() {
            true => matcher.needles_of_spans(self.head),
            false => Some((matcher.fingerprint(self.head)?, matcher.needle_search()?)),
        }
    }
}

/// Searches chunks of a file for needles.
struct ChunkSearch<'a> {
    needles: Needles,
    survey: Survey,
    file: &'a File,
    /// The size of a chunk.
    size: usize,
    /// The search reads no further than to a NUL byte.
    ends_at_nul: bool,
}

impl ChunkSearch<'_> {
    /// Whether a needle has a place in the chunk at `offset`; `None` if the search may end there.
    /// `None` on the outside if the chunk has to be read.
    fn has_needle_in_map(&self, offset: u64, bytes: &mut AlignedBytes) -> Option<Option<bool>> {
        if !self.survey.is_promising(offset) {
            return None;
        }
        let (view, pieces) = self.survey.look(self.file, offset, self.size)?;
        if self.ends_at_nul && pieces.iter().any(|piece| piece.has_nul) {
            return Some(None);
        }
        let candidates = pieces.iter().filter(|piece| piece.candidates != 0).count();
        let are_few = candidates <= pieces.len() / PIECES_PER_COPY;
        self.survey.set_useful(view.is_cheap && are_few);
        if are_few { self.has_needle_in(&pieces, &view, offset, bytes).map(Some) } else { None }
    }

    /// Whether a needle is at one of the candidates in `pieces`. `None` if some bytes no longer
    /// exist.
    fn has_needle_in(
        &self,
        pieces: &[Piece],
        view: &View,
        offset: u64,
        bytes: &mut AlignedBytes,
    ) -> Option<bool> {
        bytes.grow(PART + 2 * self.needles.overlap);
        let mut candidates = Candidates::default();
        while let Some(place) = candidates.next(pieces) {
            if self.needles.touch(view, offset + place as u64, bytes)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Whether a needle begins in the chunk at `offset` of `source`, and whether that is the last
    /// one. `None` if the search may end there, or fail.
    fn has_needle_in_copy(
        &self,
        source: &dyn ReadAt,
        offset: u64,
        bytes: &mut AlignedBytes,
    ) -> Option<(bool, bool)> {
        // A needle may begin here and have its place in the chunk before, which was looked at
        // there; or the other way around.
        let overlap = self.needles.overlap;
        let lead = offset.min(overlap as u64);
        let wanted = lead as usize + self.size + overlap;
        bytes.grow(wanted);
        let got = read_full(source, &mut bytes[..wanted], offset - lead).ok()?;
        let bytes = &bytes[..got];
        if self.ends_at_nul && memchr(0, bytes).is_some() {
            return None;
        }
        Some((self.needles.search.is_in(bytes), got < wanted))
    }
}
