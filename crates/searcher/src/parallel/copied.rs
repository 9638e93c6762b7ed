//! The bytes of a chunk that is read only in part.

use std::ops::Range;

use heist_matcher::{BlockScan, Finder};
use memchr::{memchr, memchr_iter, memrchr};

use super::{chunk::CHUNK_BEHIND_BYTES, layout::Hit};
use crate::{
    SearchConfig, lines,
    matching::next_matching_line,
    survey::{PIECE, Piece, View},
};

/// If lines have context, at most one piece of a chunk in this many is copied. See
/// docs/decisions/0160-context-in-surveys.md.
const PIECES_PER_COPY: usize = 2;

/// The bytes of a chunk, as far as they have been copied. Positions are relative to their start.
pub(super) struct Copied<'b> {
    pub(super) bytes: &'b mut [u8],
    pub(super) view: View,
    pub(super) pieces: Vec<Piece>,
    /// How many of these have been copied, except the first and the last one.
    pub(super) copied_alone: usize,
    /// The start of the chunk.
    pub(super) lead: usize,
    /// The position of the bytes in the file.
    pub(super) from: u64,
    /// The byte that ends a line.
    pub(super) ends: u8,
}

impl Copied<'_> {
    /// The lines that begin in the chunk of `size` bytes. Where the first one starts is known in a
    /// file's first chunk. `None` if either end is far away.
    pub(super) fn bounds(&mut self, size: usize, start: Option<usize>) -> Option<Range<usize>> {
        let (lead, end) = (self.lead, self.lead + size);
        self.copy(0..lead + PIECE)?;
        self.copy(end - PIECE..end + CHUNK_BEHIND_BYTES)?;
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
        let end = end + begins_after(&self.bytes[end - 1..end + CHUNK_BEHIND_BYTES])?;
        Some(start..end)
    }

    /// The lines that `part` touches, as far as they are in lines from `at` to `end`, which begins
    /// and ends lines. They are copied, and the piece in which they begin.
    pub(super) fn lines_around(
        &mut self,
        part: Range<usize>,
        at: usize,
        end: usize,
    ) -> Option<Range<usize>> {
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

    /// Copies the context of `hits`, all lines between which have been copied. `None` if that would
    /// be too much.
    pub(super) fn copy_context(
        &mut self,
        hits: &[Hit],
        lines: &Range<usize>,
        config: &SearchConfig,
    ) -> Option<()> {
        if let [first, ..] = hits
            && let [.., last] = hits
        {
            let (start, end) =
                (lines.start + first.start as usize, lines.start + last.end as usize);
            self.copy_before(start, lines, config.before_context)?;
            self.copy_after(end, lines, config.after_context)?;
        }
        Some(())
    }

    /// Copies the first and last `lines`, which may be context for hits in the chunks before and
    /// after. `None` if that would be too much.
    pub(super) fn copy_ends(&mut self, lines: &Range<usize>, config: &SearchConfig) -> Option<()> {
        let SearchConfig { before_context, after_context, .. } = *config;
        if before_context > 0 || after_context > 0 {
            // As many as `LineSearch::roll` keeps.
            self.copy_before(lines.end, lines, before_context.saturating_add(1))?;
            self.copy_after(lines.start, lines, after_context)?;
        }
        Some(())
    }

    /// Copies up to `wanted` lines before the one that begins at `at`, as far as they are `lines`.
    /// They are counted in the copy: the survey may have seen other bytes.
    fn copy_before(&mut self, at: usize, lines: &Range<usize>, wanted: usize) -> Option<()> {
        if wanted == 0 {
            return Some(());
        }
        // The first one begins after the terminator of another.
        let (mut to, mut left) = (at, wanted.saturating_add(1));
        while left > 0 && to > lines.start {
            let from = self.copy_context_piece(to - 1)?.max(lines.start);
            left -= memchr_iter(self.ends, &self.bytes[from..to]).take(left).count();
            to = from;
        }
        Some(())
    }

    /// Copies up to `wanted` lines from the one that begins at `at` on, as far as they are `lines`.
    fn copy_after(&mut self, at: usize, lines: &Range<usize>, wanted: usize) -> Option<()> {
        let (mut from, mut left) = (at, wanted);
        while left > 0 && from < lines.end {
            let to = (self.copy_context_piece(from)? + PIECE).min(lines.end);
            left -= memchr_iter(self.ends, &self.bytes[from..to]).take(left).count();
            from = to;
        }
        Some(())
    }

    /// As [`copy_piece`](Copied::copy_piece). `None` if too many pieces have been copied.
    fn copy_context_piece(&mut self, at: usize) -> Option<usize> {
        let is_possible = self.copied_alone <= self.pieces.len() / PIECES_PER_COPY;
        if is_possible { self.copy_piece(at) } else { None }
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
            self.copied_alone += 1;
        }
        Some(start)
    }

    fn copy(&mut self, range: Range<usize>) -> Option<()> {
        let offset = self.from + range.start as u64;
        self.view.copy(offset, &mut self.bytes[range]).then_some(())
    }

    /// Adds the matching lines among `found` to `hits`, relative to the chunk's `lines`.
    pub(super) fn search(
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
    pub(super) fn terminators_before(&self, at: usize, start: usize) -> u64 {
        let index = (at - self.lead) / PIECE;
        let (before, _) = self.pieces.split_at(index.min(self.pieces.len()));
        let piece = self.lead + before.len() * PIECE;
        let counted = before.iter().map(|piece| u64::from(piece.terminators)).sum::<u64>();
        let first = lines::count(&self.bytes[self.lead..start.max(self.lead)], self.ends);
        (counted + lines::count(&self.bytes[piece..at], self.ends)).saturating_sub(first)
    }
}
