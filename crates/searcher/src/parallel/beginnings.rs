//! A chunk of a file whose lines are of any length and match near their beginnings, as nearly all
//! lines of 100 kB do that have a match at all.
//!
//! ```text
//! pattern    [a-z]\d
//! chunk      …aaaaaaaaaa⏎bbbbbbb7bbbbbbbbbbbbbb…
//! searched               bbbbbbb7                 the rest decides where the line ends, no more
//! ```
//!
//! Each worker searches the beginnings of the lines that begin in its chunk. What else there is of
//! them is looked at by a survey or read, but not searched. A line without such a match has to be
//! searched as a whole: the chunk needs the fallback.
//!
//! Perf: see docs/decisions/0147-long-lines-match-early.md.

use std::{io, ops::Range};

use heist_matcher::Finder;
use memchr::{memchr, memchr_iter};

use super::{
    chunk::{Chunk, ChunkedFile},
    hit::Hit,
    layout::Layout,
    read_at::{ReadAt, read_full},
    summary::Summary,
};
use crate::{
    SearchConfig,
    aligned::AlignedBytes,
    line_buffer::CAPACITY,
    lines,
    survey::{PIECE, Survey},
};

/// The first bytes of a line in which a match is looked for, and more of them if there is none.
const FIRST: usize = 4 << 10;
const MORE: usize = 64 << 10;

/// Bytes of a chunk for each line that ends in it, at least: the beginnings of short lines are all
/// of the chunk.
const SPACING: usize = 2 * FIRST;

/// Whether the line that `text` begins with matches near its beginning, and is long.
pub(crate) fn matches_early(text: &[u8], finder: &mut Finder, terminator: u8) -> bool {
    let begin = &text[..text.len().min(CAPACITY)];
    memchr(terminator, begin).is_none()
        && finder.matches_within(&begin[..begin.len().min(FIRST)], true)
}

/// What is known of the lines of a chunk.
struct Ends {
    /// The chunk's own bytes, relative to its start: all but a byte order mark.
    own: Range<usize>,
    /// The places behind the terminators in it.
    ends: Vec<usize>,
    /// A line begins with the first byte of the text in it.
    begins: bool,
    /// The text ends with it.
    is_last: bool,
}

impl Chunk {
    /// Summarizes the chunk `index` of `file`, whose lines match near their beginnings.
    pub(super) fn summarize_beginnings(
        &mut self,
        file: &ChunkedFile,
        config: &SearchConfig,
        layout: &Layout,
        index: u64,
        finder: &mut Finder,
    ) {
        self.offset = index * layout.size as u64;
        self.hits.clear();
        self.spans.clear();
        let (bytes, offset) = (&mut self.bytes, self.offset);
        let source = &*file.source;
        let ends = match file.survey.as_ref().zip(source.file()) {
            Some((survey, mapped)) if index > 0 || layout.start == 0 => {
                find_in_map(survey, mapped, config, layout, offset)
            }
            _ => Found::Unknown,
        };
        let ends = match ends {
            Found::Unknown => find_in_copy(source, bytes, config, layout, offset).ok().flatten(),
            Found::Harmful => None,
            Found::Ends(ends) => Some(ends),
        };
        let mut starts = Starts { finder, config, source, bytes };
        let summarized = ends.and_then(|ends| {
            self.is_last = ends.is_last;
            let hits = if layout.is_counted { None } else { Some(&mut self.hits) };
            summarize(&ends, offset, hits, &mut starts)
        });
        let are_too_many = self.hits.len() > layout.most_hits;
        self.needs_fallback = summarized.is_none() || are_too_many;
        self.summary = summarized.unwrap_or_default();
    }
}

/// The summary of a chunk at `offset` of the file. `None` if a line has to be searched as a whole.
fn summarize(
    found: &Ends,
    offset: u64,
    mut hits: Option<&mut Vec<Hit>>,
    starts: &mut Starts<'_>,
) -> Option<Summary> {
    let Ends { ref own, ref ends, begins, is_last } = *found;
    let mut summary = Summary { len: own.len(), open_start: own.start, ..Summary::default() };
    if begins && !own.is_empty() {
        summary.is_open_matched = starts.matches(offset + own.start as u64)?;
    }
    for &end in ends {
        summary.open_len = end - summary.open_start;
        summary.end_line(end, hits.as_deref_mut());
        // A line that begins behind the chunk's last byte belongs to the next chunk.
        if end < own.end {
            summary.is_open_matched = starts.matches(offset + end as u64)?;
        }
    }
    debug_assert!(!is_last || summary.open_start <= own.end, "lines end in the text");
    summary.open_len = own.end - summary.open_start;
    Some(summary)
}

/// What a look at a chunk has found.
enum Found {
    Ends(Ends),
    /// A NUL byte that matters.
    Harmful,
    /// It has to be read.
    Unknown,
}

fn find_in_map(
    survey: &Survey,
    file: &std::fs::File,
    config: &SearchConfig,
    layout: &Layout,
    offset: u64,
) -> Found {
    let Some((view, pieces)) = survey.look(file, offset, layout.size) else {
        return Found::Unknown;
    };
    if layout.detects_nul && pieces.iter().any(|piece| piece.has_nul) {
        return Found::Harmful;
    }
    let terminators = pieces.iter().map(|piece| piece.terminators as usize).sum::<usize>();
    if terminators > layout.size / SPACING {
        return Found::Harmful;
    }
    let mut ends = Vec::with_capacity(terminators);
    let mut copy = [0; PIECE];
    let mut begins = offset == 0;
    if offset > 0 {
        let before = &mut copy[..1];
        if !view.copy(offset - 1, before) {
            return Found::Unknown;
        }
        begins = before[0] == config.line_terminator;
    }
    for (start, _) in (0..).step_by(PIECE).zip(&pieces).filter(|(_, piece)| piece.terminators > 0) {
        if !view.copy(offset + start as u64, &mut copy) {
            return Found::Unknown;
        }
        ends.extend(memchr_iter(config.line_terminator, &copy).map(|i| start + i + 1));
    }
    Found::Ends(Ends { own: 0..layout.size, ends, begins, is_last: false })
}

/// `None` if a NUL byte matters, or if lines are short.
fn find_in_copy(
    source: &dyn ReadAt,
    bytes: &mut AlignedBytes,
    config: &SearchConfig,
    layout: &Layout,
    offset: u64,
) -> io::Result<Option<Ends>> {
    // One byte before the chunk, and one after it.
    let lead = usize::from(offset > 0);
    let wanted = lead + layout.size + 1;
    bytes.grow(wanted);
    let got = read_full(source, &mut bytes[..wanted], offset - lead as u64)?;
    let is_last = got < wanted;
    let chunk = &bytes[lead.min(got)..got.min(lead + layout.size)];
    let first = if offset == 0 { layout.start.min(chunk.len()) } else { 0 };
    if layout.detects_nul && memchr(0, &chunk[first..]).is_some() {
        return Ok(None);
    }
    let begins = offset == 0 || bytes[..got].first() == Some(&config.line_terminator);
    let places = memchr_iter(config.line_terminator, &chunk[first..]);
    let ends: Vec<_> = places.map(|i| first + i + 1).collect();
    let are_short = ends.len() > layout.size / SPACING;
    Ok((!are_short).then_some(Ends { own: first..chunk.len(), ends, begins, is_last }))
}

/// Searches the beginnings of lines.
struct Starts<'a> {
    finder: &'a mut Finder,
    config: &'a SearchConfig,
    source: &'a dyn ReadAt,
    bytes: &'a mut AlignedBytes,
}

impl Starts<'_> {
    /// Whether the line at `at` of the file matches. `None` if more of it would have to be
    /// searched.
    fn matches(&mut self, at: u64) -> Option<bool> {
        for most in [FIRST, MORE] {
            self.bytes.grow(most);
            let got = read_full(self.source, &mut self.bytes[..most], at).ok()?;
            let line = &self.bytes[..got];
            let stop = memchr(self.config.line_terminator, line);
            if stop.is_some() || got < most {
                let line = &line[..stop.map_or(got, |i| i + 1)];
                return Some(self.finder.is_match(lines::content(line, self.config)));
            }
            if self.finder.matches_within(line, true) {
                return Some(true);
            }
        }
        None
    }
}
