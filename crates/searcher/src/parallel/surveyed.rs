//! A chunk of which only some lines are read: those where the survey of the file has found that
//! they may match.
//!
//! ```text
//! survey    piece 0: 81 terminators │ piece 1: 79, a candidate │ piece 2: 84 │ …
//! copied                       line ─┼──────────────────────────┼─ line        and both ends
//! ```
//!
//! The bytes of a chunk keep their places in its buffer. Those that are not copied are whatever was
//! there before, and are not looked at: no line there is emitted, and the lines before a hit were
//! counted by the survey.

use std::ops::Range;

use heist_matcher::{BlockScan, Finder};
use memchr::{memchr, memrchr};

use super::{
    chunk::{BEHIND, Chunk, ChunkedFile, FRONT, LEAD},
    hit::Hit,
    layout::Layout,
    read_at::ReadAt,
};
use crate::{
    SearchConfig, lines,
    matching::{Matches, next_matching_line},
    survey::{Confirmation, PART, PIECE, Piece, Survey, View},
};

/// How many pieces of a chunk are copied at most, as one of so many. Where there are more
/// candidates, to read all of it takes as long.
const FEW: usize = 4;

/// A survey of `file`, whose first bytes are `head`, for chunks of `size` bytes, if only lines that
/// match are wanted and it is known which bytes these must have.
pub(crate) fn survey_of(
    file: &dyn ReadAt,
    config: &SearchConfig,
    finder: &Finder,
    head: &[u8],
    size: usize,
) -> Option<Survey> {
    let SearchConfig { invert, before_context, after_context, passthru, stop_on_nonmatch, .. } =
        *config;
    let wants_others =
        invert || before_context > 0 || after_context > 0 || passthru || stop_on_nonmatch;
    if wants_others || !config.memory_maps {
        return None;
    }
    let file = file.file()?;
    let matcher = finder.matcher();
    let fingerprint = matcher.fingerprint(head)?;
    let confirmation = Some(Confirmation::new(matcher.clone()));
    Survey::new(file, size, fingerprint, confirmation, config.line_terminator)
}

impl Chunk {
    /// Searches the chunk `index` of `file` as [`find`](Chunk::find) does. `None` if it has to be
    /// read.
    pub(super) fn find_by_survey(
        &mut self,
        file: &ChunkedFile,
        config: &SearchConfig,
        layout: &Layout,
        index: u64,
        finder: &mut Finder,
    ) -> Option<()> {
        let survey = file.survey.as_ref()?;
        let source = file.source.file()?;
        let size = layout.size;
        let first = index * size as u64;
        if !survey.is_promising(first) {
            return None;
        }
        let (view, mut pieces) = survey.look(source, first, size)?;
        let is_useful = is_harmless(&pieces, layout) && {
            survey.confirm(&view, first, &mut pieces)?;
            are_few(&pieces)
        };
        if !is_useful {
            survey.set_useful(false);
            return None;
        }

        let lead = LEAD.min(first) as usize;
        self.bytes.grow(FRONT + lead + size + BEHIND);
        let bytes = &mut self.bytes[FRONT..FRONT + lead + size + BEHIND];
        let from = first - lead as u64;
        let mut copy = Copied { bytes, view, pieces, lead, from, ends: config.line_terminator };
        let lines = copy.bounds(size, if index == 0 { Some(layout.start) } else { None })?;
        if layout.detects_nul && memchr(0, &copy.bytes[lead + size..lines.end]).is_some() {
            return None;
        }
        self.hits.clear();
        self.selected = 0;
        let mut at = lines.start;
        for piece in 0..size / PIECE {
            let is_last = piece == size / PIECE - 1;
            // The end of the last line is after the chunk, where the survey did not look.
            let last_part = u64::from(is_last) << (u64::BITS - 1);
            let mut candidates = copy.pieces[piece].candidates | last_part;
            while candidates != 0 {
                let part = candidates.trailing_zeros() as usize;
                candidates &= candidates - 1;
                let start = lead + piece * PIECE + part * PART;
                if start + PART <= at {
                    continue;
                }
                let found = copy.lines_around(start..start + PART, at, lines.end)?;
                at = found.end;
                if layout.is_counted {
                    let scan = &mut BlockScan::new(&copy.bytes[found]);
                    self.selected += scan.count(finder, 0, config);
                } else {
                    copy.search(found, &lines, &mut self.hits, finder, config);
                }
                if finder.take_failure().is_some() || self.hits.len() >= layout.most_hits {
                    return None;
                }
            }
        }
        self.terminators = copy.terminators_before(lines.end, lines.start);
        // Bytes that were lost read as zeros.
        let end = from + copy.bytes.len() as u64;
        if source.metadata().ok()?.len() < end {
            return None;
        }
        let len = lines.len();
        self.offset = (from + lines.start as u64).saturating_sub(layout.start as u64);
        self.lines = FRONT + lines.start..FRONT + lines.end;
        self.behind = self.lines.end;
        self.searched = len;
        self.is_last = false;
        survey.set_useful(copy.view.is_cheap);
        Some(())
    }
}

/// Whether few pieces have to be copied.
fn are_few(pieces: &[Piece]) -> bool {
    let candidates = pieces.iter().filter(|piece| piece.candidates != 0).count();
    candidates <= pieces.len() / FEW
}

/// Whether no line is too long and no NUL byte matters.
fn is_harmless(pieces: &[Piece], layout: &Layout) -> bool {
    let has_nul = layout.detects_nul && pieces.iter().any(|piece| piece.has_nul);
    // A line may begin just after a piece and end just before another.
    let most = (layout.stride / PIECE).saturating_sub(2);
    let mut without_end = 0;
    let is_short = |piece: &Piece| {
        without_end = if piece.terminators == 0 { without_end + 1 } else { 0 };
        without_end <= most
    };
    let are_short = layout.stride >= 2 * PIECE && pieces.iter().all(is_short);
    !has_nul && are_short
}

/// The bytes of a chunk, as far as they have been copied. Positions are relative to their start.
struct Copied<'b> {
    bytes: &'b mut [u8],
    view: View,
    pieces: Vec<Piece>,
    /// The start of the chunk.
    lead: usize,
    /// The position of the bytes in the file.
    from: u64,
    /// The byte that ends a line.
    ends: u8,
}

impl Copied<'_> {
    /// The lines that begin in the chunk of `size` bytes. The first one's start is known in the
    /// first chunk of a file. `None` if one of both ends is far away.
    fn bounds(&mut self, size: usize, start: Option<usize>) -> Option<Range<usize>> {
        let (lead, end) = (self.lead, self.lead + size);
        self.copy(0..lead + PIECE)?;
        self.copy(end - PIECE..end + BEHIND)?;
        // A second copy could differ.
        for piece in [0, self.pieces.len() - 1] {
            self.pieces[piece].is_copied = true;
        }
        // A line that begins after the chunk's last byte belongs to the next one.
        let begins_after = |bytes: &[u8]| memchr(self.ends, bytes);
        let start = match start {
            Some(start) => start,
            None => lead + begins_after(&self.bytes[lead - 1..lead + PIECE])?,
        };
        let end = end + begins_after(&self.bytes[end - 1..end + BEHIND])?;
        Some(start..end)
    }

    /// The lines that `part` touches, as far as they are in lines from `at` to `end`, which begins
    /// and ends lines. They are copied, and the piece in which they begin.
    fn lines_around(&mut self, part: Range<usize>, at: usize, end: usize) -> Option<Range<usize>> {
        let first = part.start.max(at);
        let last = (part.end - 1).min(end - 1);
        let mut start = self.copy_piece(first)?;
        let start = loop {
            if let Some(i) = memrchr(self.ends, &self.bytes[start.max(at)..first]) {
                break start.max(at) + i + 1;
            }
            if start <= at {
                break at;
            }
            start = self.copy_piece(start - 1)?;
        };
        let mut stop = last;
        let stop = loop {
            let from = stop;
            stop = end.min(self.copy_piece(from)? + PIECE);
            if let Some(i) = memchr(self.ends, &self.bytes[from..stop]) {
                break from + i + 1;
            }
            if stop == end {
                break end;
            }
        };
        Some(start..stop)
    }

    /// Copies the piece that holds `at`, unless it has been. Returns its start.
    fn copy_piece(&mut self, at: usize) -> Option<usize> {
        let index = at.saturating_sub(self.lead) / PIECE;
        let start = self.lead + index * PIECE;
        if let Some(piece) = self.pieces.get(index)
            && !piece.is_copied
        {
            self.copy(start..start + PIECE)?;
            self.pieces[index].is_copied = true;
        }
        Some(start)
    }

    fn copy(&mut self, range: Range<usize>) -> Option<()> {
        let offset = self.from + range.start as u64;
        self.view.copy(offset, &mut self.bytes[range]).then_some(())
    }

    /// Adds the matching lines among `found` to `hits`, relative to the chunk's `lines`.
    fn search(
        &self,
        found: Range<usize>,
        lines: &Range<usize>,
        hits: &mut Vec<Hit>,
        finder: &mut Finder,
        config: &SearchConfig,
    ) {
        let block = &self.bytes[found.clone()];
        let mut scan = BlockScan::new(block);
        let mut from = 0;
        while let Some(line) = next_matching_line(finder, &mut scan, from, config) {
            from = line.end;
            let (start, end) = (found.start + line.start, found.start + line.end);
            hits.push(Hit {
                start: (start - lines.start) as u32,
                end: (end - lines.start) as u32,
                lines_before: self.terminators_before(start, lines.start) as u32,
            });
        }
    }

    /// The number of terminators before `at`, in the lines from `start` on. The piece that holds
    /// `at` has been copied.
    fn terminators_before(&self, at: usize, start: usize) -> u64 {
        let index = (at - self.lead) / PIECE;
        let (before, _) = self.pieces.split_at(index.min(self.pieces.len()));
        let piece = self.lead + before.len() * PIECE;
        let counted = before.iter().map(|piece| u64::from(piece.terminators)).sum::<u64>();
        let first = lines::count(&self.bytes[self.lead..start.max(self.lead)], self.ends);
        (counted + lines::count(&self.bytes[piece..at], self.ends)).saturating_sub(first)
    }
}
