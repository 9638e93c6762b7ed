//! A chunk in which only some lines are read: those where the file's survey has found that they may
//! match.
//!
//! ```text
//! survey    piece 0: 81 terminators │ piece 1: 79, a candidate │ piece 2: 84 │ …
//! copied                       line ─┼──────────────────────────┼─ line        and both ends
//! ```
//!
//! If lines have context, pieces are copied until it is in the copy: around each hit, and at both
//! ends, for hits of the chunks before and after.
//!
//! A chunk's bytes keep their places in its buffer. Bytes that are not copied are whatever was
//! there before, and are not looked at: no line there is emitted, and the survey counted the lines
//! before a hit. What is kept as context from a chunk is less than the next chunk, since [no line
//! is long](Layout::stride), so that nothing else in that one has to be counted.

use std::{fs::File, ops::Range};

use heist_matcher::{BlockScan, Finder};
use memchr::memchr;

use super::{
    chunk::{CHUNK_BEHIND_BYTES, CHUNK_FRONT_BYTES, CHUNK_LEAD_BYTES, Chunk, ChunkTask},
    copied::Copied,
    layout::{Hit, Layout},
    read_at::ReadAt,
};
use crate::{
    SearchConfig,
    aligned::AlignedBytes,
    matching::Matches,
    survey::{Candidates, Confirmation, PART, PIECE, Piece, Survey},
};

/// At most one piece of a chunk in this many is copied. Where there are more candidates, to read
/// the whole chunk takes as long.
const PIECES_PER_COPY: usize = 4;

/// A survey of `file`, which begins with `head`, for chunks of `size` bytes, if only lines that
/// match and their context are wanted and it is known which bytes the former must have.
pub(crate) fn survey_of(
    file: &dyn ReadAt,
    config: &SearchConfig,
    finder: &Finder,
    head: &[u8],
    size: usize,
) -> Option<Survey> {
    let SearchConfig { invert, passthru, stop_on_nonmatch, .. } = *config;
    let wants_others = invert || passthru || stop_on_nonmatch;
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
    /// Searches a chunk as [`find`](Chunk::find) does. `None` if it has to be read.
    pub(super) fn find_by_survey(&mut self, task: &mut ChunkTask<'_>) -> Option<()> {
        let (survey, file) = (task.file.survey.as_deref()?, task.file.source.file()?);
        self.hits.clear();
        self.selected = 0;
        let mut chunk = SurveyedChunk::open(survey, file, &mut self.bytes, task)?;
        chunk.search(&mut self.hits, &mut self.selected, task)?;
        let SurveyedChunk { copy, lines } = chunk;
        self.terminators = copy.terminators_before(lines.end, lines.start);
        // Bytes that were lost read as zeros.
        if file.metadata().ok()?.len() < copy.from + copy.bytes.len() as u64 {
            return None;
        }
        survey.set_useful(copy.view.is_cheap);
        self.offset = (copy.from + lines.start as u64).saturating_sub(task.layout.start as u64);
        self.lines = CHUNK_FRONT_BYTES + lines.start..CHUNK_FRONT_BYTES + lines.end;
        self.behind = self.lines.end;
        self.searched = lines.len();
        self.is_last = false;
        self.is_sparse = true;
        Some(())
    }
}

/// A chunk of which the survey knows where lines may match.
struct SurveyedChunk<'b> {
    copy: Copied<'b>,
    /// The lines that begin in the chunk.
    lines: Range<usize>,
}

impl<'b> SurveyedChunk<'b> {
    /// Looks at a chunk of `file`, and copies both ends of it. `None` if it has to be read.
    fn open(
        survey: &Survey,
        file: &File,
        bytes: &'b mut AlignedBytes,
        task: &ChunkTask<'_>,
    ) -> Option<SurveyedChunk<'b>> {
        let ChunkTask { config, layout, index, .. } = *task;
        let size = layout.size;
        let first = index * size as u64;
        if !survey.is_promising(first) {
            return None;
        }
        let (view, mut pieces) = survey.look(file, first, size)?;
        let is_useful = is_harmless(&pieces, layout) && {
            survey.confirm(&view, first, &mut pieces)?;
            are_few(&pieces)
        };
        if !is_useful {
            return give_up(survey);
        }
        // The end of the last line is after the chunk, where the survey did not look.
        pieces.last_mut()?.candidates |= 1 << (u64::BITS - 1);
        let lead = CHUNK_LEAD_BYTES.min(first) as usize;
        let len = lead + size + CHUNK_BEHIND_BYTES;
        bytes.grow(CHUNK_FRONT_BYTES + len);
        let bytes = &mut bytes[CHUNK_FRONT_BYTES..][..len];
        let (from, ends) = (first - lead as u64, config.line_terminator);
        let mut copy = Copied { bytes, view, pieces, copied_alone: 0, lead, from, ends };
        let lines = copy.bounds(size, if index == 0 { Some(layout.start) } else { None })?;
        if layout.detects_nul && memchr(0, &copy.bytes[lead + size..lines.end]).is_some() {
            return None;
        }
        copy.copy_ends(&lines, config).or_else(|| give_up(survey))?;
        Some(SurveyedChunk { copy, lines })
    }

    /// Searches the lines that may match: adds those that do to `hits`, or counts them, with their
    /// context copied. `None` if the chunk has to be read.
    fn search(
        &mut self,
        hits: &mut Vec<Hit>,
        selected: &mut u64,
        task: &mut ChunkTask<'_>,
    ) -> Option<()> {
        let SurveyedChunk { copy, lines } = self;
        let ChunkTask { file, config, layout, ref mut finder, .. } = *task;
        let (mut candidates, mut at) = (Candidates::default(), lines.start);
        while let Some(place) = candidates.next(&copy.pieces) {
            let part = copy.lead + place..copy.lead + place + PART;
            if part.end <= at {
                continue;
            }
            let found = copy.lines_around(part, at, lines.end)?;
            at = found.end;
            if layout.is_counted {
                *selected += BlockScan::new(&copy.bytes[found]).count(finder, 0, config);
            } else {
                let first = hits.len();
                copy.search(found, lines, hits, finder, config);
                let copied = copy.copy_context(&hits[first..], lines, config);
                copied.or_else(|| give_up(file.survey.as_deref()?))?;
            }
            if finder.take_failure().is_some() || hits.len() >= layout.most_hits {
                return None;
            }
        }
        Some(())
    }
}

/// Notes that `survey` is of no use here.
fn give_up<T>(survey: &Survey) -> Option<T> {
    survey.set_useful(false);
    None
}

/// Whether few pieces have to be copied.
fn are_few(pieces: &[Piece]) -> bool {
    let candidates = pieces.iter().filter(|piece| piece.candidates != 0).count();
    candidates <= pieces.len() / PIECES_PER_COPY
}

/// Whether no line is too long and no NUL byte matters.
fn is_harmless(pieces: &[Piece], layout: &Layout) -> bool {
    let has_nul = layout.detects_nul && pieces.iter().any(|piece| piece.has_nul);
    // A line of at most two strides may begin with the second byte of a piece and end with the last
    // one of another.
    let Some(most) = (2 * layout.stride / PIECE).checked_sub(2) else { return false };
    let mut without_end = 0;
    let is_short = |piece: &Piece| {
        without_end = if piece.terminators == 0 { without_end + 1 } else { 0 };
        without_end <= most
    };
    !has_nul && pieces.iter().all(is_short)
}

#[cfg(all(test, target_os = "linux", target_arch = "x86_64"))]
mod tests {
    use std::{io::Write, sync::Arc};

    use heist_matcher::Matcher;

    use super::*;
    use crate::parallel::ChunkedFile;

    const SIZE: usize = 256 << 10;

    /// Finds the chunk `index` of `text`, in a buffer that was full of terminators before.
    fn find(text: &[u8], config: &SearchConfig, index: u64) -> Chunk {
        let mut file = tempfile::tempfile().expect("a temporary file");
        file.write_all(text).expect("there is room");
        let finder = &mut Matcher::new(["needle"], &Default::default()).unwrap().finder();
        let survey = survey_of(&file, config, finder, b"", SIZE).map(Arc::new);
        let file = ChunkedFile { source: Arc::new(file), survey, needles: None };
        let layout = Layout::of_file(config, 2, SIZE, 64 << 10);
        let mut chunk = Chunk::default();
        chunk.bytes.grow(2 * SIZE);
        chunk.bytes.fill(b'\n');
        chunk.find(&mut ChunkTask { file: &file, config, layout: &layout, index, finder });
        assert!(!chunk.needs_fallback);
        chunk
    }

    /// Lines with `width` bytes. Those with these numbers match.
    fn text(width: usize, hits: &[usize]) -> Vec<u8> {
        let word = |n| if hits.contains(&n) { "needle" } else { "other" };
        let line = |n| format!("{n:08} {:<to$}\n", word(n), to = width - 10);
        (0..4 * SIZE / width).map(line).collect::<String>().into_bytes()
    }

    #[test]
    fn context_is_copied_and_little_else() {
        let lengths = [(0, 1), (1, 0), (2, 3), (5, 300), (6, 0)];
        let short = lengths.iter().map(|lengths| (16, *lengths));
        let long = lengths[..3].iter().map(|lengths| (2048, *lengths));
        for (width, (before_context, after_context)) in short.chain(long) {
            let per_chunk = SIZE / width;
            let first = 2 * per_chunk;
            let config = SearchConfig { before_context, after_context, ..Default::default() };
            for near in [0, 1, 2, per_chunk / 2 - 1, per_chunk / 2, per_chunk / 3, per_chunk - 1] {
                let hits = [near, (near + 3).min(per_chunk - 1)];
                let text = text(width, &hits.map(|hit| first + hit));
                let chunk = find(&text, &config, 2);
                let case = format!("{hits:?} with {before_context} and {after_context}");
                assert!(chunk.is_sparse, "{case}");
                let found: Vec<_> =
                    chunk.hits.iter().map(|hit| hit.start as usize / width).collect();
                let mut expected = hits.to_vec();
                expected.dedup();
                assert_eq!(found, expected, "{case}");
                let own = &text[chunk.offset as usize..][..chunk.lines.len()];
                let same = |range: Range<usize>| {
                    let range = range.start * width..range.end.min(per_chunk) * width;
                    assert!(chunk.lines()[range.clone()] == own[range.clone()], "{case} {range:?}");
                };
                for hit in hits {
                    same(hit.saturating_sub(before_context)..hit + 1 + after_context);
                }
                same(0..after_context);
                same(per_chunk - 1 - before_context..per_chunk);
                let pieces = chunk.lines().chunks(PIECE).zip(own.chunks(PIECE));
                let copied = pieces.filter(|(piece, own)| piece == own).count();
                assert!(copied <= 14, "{case}: {copied} pieces");
            }
        }
    }

    #[test]
    fn chunks_are_read_where_context_is_much_of_them() {
        let text = text(16, &[2 * SIZE / 16 + 9000]);
        for (before_context, after_context) in [(0, 9000), (7, 0)] {
            let config = SearchConfig { before_context, after_context, ..Default::default() };
            let chunk = find(&text, &config, 2);
            assert!(!chunk.is_sparse, "{before_context} {after_context}");
            assert_eq!(chunk.hits.len(), 1);
        }
    }
}
