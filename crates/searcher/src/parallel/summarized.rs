//! A chunk with lines that are only [summarized](Summary): mapped if the file has a survey, and
//! read if not.

use std::{io, ops::Range};

use heist_matcher::NeedleSearch;
use memchr::{memchr, memrchr};

use super::{
    chunk::{Chunk, ChunkTask},
    layout::Layout,
    line_test::LineTest,
    read_at::read_full,
    summary::{Summarizer, Summary},
};
use crate::{
    aligned::AlignedBytes,
    survey::{PART, PIECE, Piece, View},
};

/// Within how many bytes around a part of a chunk a needle's surroundings often lie.
const SURROUNDING_BYTES: usize = 64;

/// How many parts of each piece are copied at most, in the mean. To read a chunk with more
/// candidates takes less time.
const MAX_PARTS_PER_PIECE: usize = 16;

/// A chunk that is mapped, and a buffer for the parts of it that are copied.
struct Mapped<'b> {
    view: View,
    /// The position of the chunk in the file.
    first: u64,
    buffer: &'b mut AlignedBytes,
    /// The number of bytes copied before and after a part.
    overlap: usize,
    /// The start of the piece in which the open line begins, if that is not known more exactly.
    open_piece: Option<usize>,
}

impl Mapped<'_> {
    /// Summarizes the chunk, where `pieces` are what is known of it. `None` if it was truncated.
    fn summarize(&mut self, pieces: &[Piece], lines: &mut Summarizer<'_>) -> Option<()> {
        for (start, piece) in (0..).step_by(PIECE).zip(pieces) {
            match (piece.candidates, piece.terminators) {
                (0, 0) => lines.summary.open_len += PIECE,
                (0, terminators) => self.pass_over(start, terminators, lines)?,
                // All candidates are in one line.
                (mut candidates, 0) => {
                    let open_len = lines.summary.open_len + PIECE;
                    let wants_all = lines.test.wants_all();
                    while candidates != 0 && (wants_all || !lines.summary.is_open_matched) {
                        let part = start + candidates.trailing_zeros() as usize * PART;
                        candidates &= candidates - 1;
                        self.add(part..part + PART, lines)?;
                    }
                    lines.summary.open_len = open_len;
                }
                _ => {
                    self.find_open_start(lines)?;
                    self.add(start..start + PIECE, lines)?;
                }
            }
        }
        self.find_open_start(lines)
    }

    /// Passes over the piece at `start`. Its own part of each line does not match.
    fn pass_over(
        &mut self,
        start: usize,
        terminators: u32,
        lines: &mut Summarizer<'_>,
    ) -> Option<()> {
        lines.summary.open_len += PIECE;
        let mut end = start + PIECE;
        if lines.wants_bounds() && (lines.summary.is_open_matched || !lines.summary.has_end) {
            self.find_open_start(lines)?;
            let terminator = lines.test.terminator;
            let (bytes, own, _) = self.copy(start..start + PIECE)?;
            // The bytes may have changed since.
            end = start + memchr(terminator, &bytes[own])? + 1;
        }
        lines.end_line(end);
        lines.summary.terminators += u64::from(terminators) - 1;
        lines.summary.open_len = PIECE;
        self.open_piece = Some(start);
        Some(())
    }

    /// Finds out where the open line begins, if that is wanted.
    fn find_open_start(&mut self, lines: &mut Summarizer<'_>) -> Option<()> {
        if let Some(start) = self.open_piece.take().filter(|_| lines.wants_bounds()) {
            let terminator = lines.test.terminator;
            let (bytes, own, _) = self.copy(start..start + PIECE)?;
            lines.summary.open_start = start + memrchr(terminator, &bytes[own])? + 1;
        }
        Some(())
    }

    fn add(&mut self, own: Range<usize>, lines: &mut Summarizer<'_>) -> Option<()> {
        let at = own.start;
        let (bytes, own, offset) = self.copy(own)?;
        lines.add(bytes, own, at, offset);
        Some(())
    }

    /// Copies the bytes `own` of the chunk and some around them. Returns the copy, where in it they
    /// are, and its position in the file. `None` if they no longer exist.
    fn copy(&mut self, own: Range<usize>) -> Option<(&[u8], Range<usize>, u64)> {
        let at = self.first + own.start as u64;
        let lead = at.min(self.overlap as u64) as usize;
        let bytes = &mut self.buffer[..lead + own.len() + self.overlap];
        let exists = self.view.copy(at - lead as u64, bytes);
        exists.then_some((bytes, lead..lead + own.len(), at - lead as u64))
    }
}

impl Chunk {
    /// Summarizes a chunk. Matching lines have one of the `needles`.
    pub(super) fn summarize(&mut self, needles: &NeedleSearch, task: &mut ChunkTask<'_>) {
        let ChunkTask { file, config, layout, index, ref mut finder } = *task;
        let first = index * layout.size as u64;
        self.offset = first;
        self.hits.clear();
        self.spans.clear();
        let Chunk { bytes, hits, spans, is_last, .. } = self;
        let start = layout.start as u64;
        let source = &*file.source;
        let test = LineTest::new(needles, finder, source, config.line_terminator, start)
            .with_matches(layout.matches, spans);
        let hits = if layout.is_counted { None } else { Some(hits) };
        let mut lines = Summarizer { summary: Summary::default(), test, hits };
        let survey = file.survey.as_ref().zip(source.file());
        let overlap = needles.longest().max(SURROUNDING_BYTES);
        // A needle must not begin in a byte order mark, and its copy must lie in the window.
        let is_simple = (index > 0 || start == 0) && overlap <= PIECE / 2;
        let look = survey
            .filter(|_| is_simple)
            .and_then(|(survey, source)| survey.look(source, first, layout.size))
            .filter(|(_, pieces)| Piece::have_few_candidates(pieces, MAX_PARTS_PER_PIECE));
        let summarized = match look {
            Some((_, pieces)) if layout.detects_nul && pieces.iter().any(|piece| piece.has_nul) => {
                None
            }
            Some((view, pieces)) => {
                bytes.grow(2 * PIECE);
                lines.summary.len = pieces.len() * PIECE;
                let mut mapped = Mapped { view, first, buffer: bytes, overlap, open_piece: None };
                mapped.summarize(&pieces, &mut lines)
            }
            None => match read_and_add(bytes, overlap, layout, first, &mut lines) {
                Ok(Some(is_end)) => {
                    *is_last = is_end;
                    Some(())
                }
                _ => None,
            },
        };
        let is_unknown = lines.test.is_unknown;
        self.summary = lines.summary;
        self.needs_fallback = summarized.is_none()
            || is_unknown
            || self.hits.len().max(self.spans.len()) > layout.most_hits;
    }
}

/// Adds the chunk at `first` of the file to `lines`, which is read into `bytes`. Returns whether it
/// is the last one; `None` if it has a NUL byte that matters.
fn read_and_add(
    bytes: &mut AlignedBytes,
    overlap: usize,
    layout: &Layout,
    first: u64,
    lines: &mut Summarizer<'_>,
) -> io::Result<Option<bool>> {
    let text = layout.start as u64;
    let from = first.max(text);
    let lead = (overlap as u64).min(from - text) as usize;
    let at = (from - first) as usize;
    let most = lead + layout.size - at;
    bytes.grow(most + overlap);
    let bytes = &mut bytes[..most + overlap];
    let offset = from - lead as u64;
    let got = read_full(lines.test.source, bytes, offset)?;
    let own = lead.min(got)..most.min(got);
    if layout.detects_nul && memchr(0, &bytes[own.clone()]).is_some() {
        return Ok(None);
    }
    lines.summary.open_start = at;
    lines.summary.len = own.len();
    lines.add(&bytes[..got], own, at, offset);
    Ok(Some(got <= most))
}
