//! A chunk whose lines are only [summarized](Summary): mapped if there is a survey of the file, and
//! read if not.

use std::{io, ops::Range};

use heist_matcher::NeedleSearch;
use memchr::memchr;

use super::{
    chunk::{Chunk, ChunkedFile},
    layout::Layout,
    read_at::{ReadAt, read_full},
    summary::Summary,
};
use crate::{
    aligned::AlignedBytes,
    survey::{PART, PIECE, Piece, View},
};

/// A chunk that is mapped, and a buffer for the parts of it that are copied.
struct Mapped<'b> {
    view: View,
    /// The position of the chunk in the file.
    first: u64,
    buffer: &'b mut AlignedBytes,
}

impl Mapped<'_> {
    /// Summarizes the chunk, where `pieces` are what is known of it. `None` if it was truncated.
    fn summarize(
        &mut self,
        pieces: &[Piece],
        terminator: u8,
        needles: &NeedleSearch,
    ) -> Option<Summary> {
        let mut summary = Summary { len: pieces.len() * PIECE, ..Summary::default() };
        let overlap = needles.longest();
        for (start, piece) in (0..).step_by(PIECE).zip(pieces) {
            match (piece.candidates, piece.terminators) {
                (0, 0) => summary.open_len += PIECE,
                (0, _) => {
                    summary.open_len += PIECE;
                    summary.end_line();
                    summary.open_len = PIECE;
                }
                // All candidates are in one line.
                (mut candidates, 0) => {
                    let open_len = summary.open_len + PIECE;
                    while candidates != 0 && !summary.is_open_matched {
                        let part = start + candidates.trailing_zeros() as usize * PART;
                        candidates &= candidates - 1;
                        let (bytes, own) = self.copy(part..part + PART, overlap)?;
                        summary.add(bytes, own, terminator, needles);
                    }
                    summary.open_len = open_len;
                }
                _ => {
                    let (bytes, own) = self.copy(start..start + PIECE, overlap)?;
                    summary.add(bytes, own, terminator, needles);
                }
            }
        }
        Some(summary)
    }

    /// Copies the bytes `own` of the chunk and up to `overlap` around them. Returns the copy, and
    /// where in it they are. `None` if they no longer exist.
    fn copy(&mut self, own: Range<usize>, overlap: usize) -> Option<(&[u8], Range<usize>)> {
        let at = self.first + own.start as u64;
        let lead = at.min(overlap as u64) as usize;
        let bytes = &mut self.buffer[..lead + own.len() + overlap];
        let exists = self.view.copy(at - lead as u64, bytes);
        exists.then_some((bytes, lead..lead + own.len()))
    }
}

impl Chunk {
    /// Summarizes the chunk `index` of `file`, whose matching lines have one of the `needles`.
    pub(super) fn summarize(
        &mut self,
        file: &ChunkedFile,
        needles: &NeedleSearch,
        terminator: u8,
        layout: &Layout,
        index: u64,
    ) {
        let first = index * layout.size as u64;
        let survey = file.survey.as_ref().zip(file.source.file());
        // A needle must not begin in a byte order mark, and its copy must lie in the window.
        let is_simple = (index > 0 || layout.start == 0) && needles.longest() <= PIECE / 2;
        let look = survey
            .filter(|_| is_simple)
            .and_then(|(survey, source)| survey.look(source, first, layout.size));
        let summary = match look {
            Some((_, pieces)) if layout.detects_nul && pieces.iter().any(|piece| piece.has_nul) => {
                None
            }
            Some((view, pieces)) => {
                self.bytes.grow(2 * PIECE);
                let mut mapped = Mapped { view, first, buffer: &mut self.bytes };
                mapped.summarize(&pieces, terminator, needles)
            }
            None => {
                let read = self.read_summary(&*file.source, needles, terminator, layout, first);
                read.ok().flatten()
            }
        };
        self.needs_fallback = summary.is_none();
        self.summary = summary.unwrap_or_default();
    }

    /// Summarizes a chunk that has to be read. `None` if it has a NUL byte that matters.
    fn read_summary(
        &mut self,
        source: &dyn ReadAt,
        needles: &NeedleSearch,
        terminator: u8,
        layout: &Layout,
        first: u64,
    ) -> io::Result<Option<Summary>> {
        let text = layout.start as u64;
        let from = first.max(text);
        let overlap = needles.longest();
        let lead = (overlap as u64).min(from - text) as usize;
        let most = lead + layout.size - (from - first) as usize;
        self.bytes.grow(most + overlap);
        let bytes = &mut self.bytes[..most + overlap];
        let got = read_full(source, bytes, from - lead as u64)?;
        self.is_last = got <= most;
        let own = lead.min(got)..most.min(got);
        if layout.detects_nul && memchr(0, &bytes[own.clone()]).is_some() {
            return Ok(None);
        }
        let mut summary = Summary { len: own.len(), ..Summary::default() };
        summary.add(&bytes[..got], own, terminator, needles);
        Ok(Some(summary))
    }
}
