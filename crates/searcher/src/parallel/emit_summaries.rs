//! Emits the lines that match in a file with lines of any length, from its chunks' summaries: how
//! many there are, or the lines, which are read again.
//!
//! What a search emits depends on where the first NUL byte is, if there is one (see `line_buffer`):
//! the lines of its block are not emitted. So everything is held back until that block, if it began
//! at the end of the chunk, would be over.

use std::{collections::VecDeque, mem, ops::ControlFlow};

use super::{
    chunk::Chunk,
    chunks::{ChunkHelpers, Chunks},
    emit::Stopped,
    read_at::{ReadAt, read_full},
    spans::{self, Spans},
};
use crate::{Flow, Sink, line_buffer::GROWTH, line_search::LineSearch, unread_line::UnreadLine};

/// Emits the matching lines in `chunks` of `source`, which are summarized, together with the
/// helpers. The text begins at `start` in the file.
pub(crate) fn emit_summaries<S: Sink>(
    search: &mut LineSearch<'_, S>,
    source: &dyn ReadAt,
    start: u64,
    chunks: &Chunks,
    helpers: &mut dyn ChunkHelpers,
) -> ControlFlow<Stopped> {
    let numbers_lines = search.config().line_numbers;
    // Shorter lines are read, to be emitted.
    let unread_from = chunks.size() as u64 / 2;
    let reader = &mut Reader { source, start, unread_from, numbers_lines, buffer: Vec::new() };
    let mut total = Total { open_start: reader.start, ..Total::default() };
    let mut held = VecDeque::new();
    for index in 0.. {
        let chunk = chunks.take(index, search.finder(), helpers);
        let Some(chunk) = chunk.map_break(|()| Stopped::Cancelled)? else { break };
        if chunk.needs_fallback {
            return ControlFlow::Break(Stopped::Fallback);
        }
        held.push_back((
            total.len + chunk.summary.len as u64,
            total.add(&chunk, search.is_counted()),
        ));
        chunks.emitted(chunk);
        // A block is no larger than half a chunk, unless a line fills it: then it grows.
        let block = total.longest.saturating_mul(GROWTH as u64).max(chunks.size() as u64);
        let safe = total.len.saturating_sub(block);
        while let Some((_, found)) = held.pop_front_if(|(end, _)| *end <= safe) {
            if emit(search, reader, found)?.is_break() {
                return ControlFlow::Continue(());
            }
        }
    }
    let last = total.end(reader.start, search.is_counted());
    for found in held.into_iter().map(|(_, found)| found).chain([last]) {
        if emit(search, reader, found)?.is_break() {
            break;
        }
    }
    ControlFlow::Continue(())
}

/// What matches in a chunk.
enum Matched {
    /// How many lines match, and how many bytes the chunk has.
    Count(usize, u64),
    /// The lines that match, and how many bytes follow up to the chunk's end.
    Lines(Vec<Bounds>, u64),
}

/// A line that matches.
#[derive(Debug)]
struct Bounds {
    /// Where the line starts in the file; `end` is where it ends.
    start: u64,
    end: u64,
    /// The number of terminators before it.
    lines_before: u64,
    /// The line's matches that are [requested](crate::Wants::unread), if they are known.
    spans: Spans,
}

/// Emits what matches in a chunk. `Break` in the result if no more is wanted.
fn emit<S: Sink>(
    search: &mut LineSearch<'_, S>,
    reader: &mut Reader<'_>,
    matched: Matched,
) -> ControlFlow<Stopped, Flow> {
    match matched {
        Matched::Count(len, lines) => ControlFlow::Continue(search.count_lines(len, lines)),
        Matched::Lines(lines, end) => {
            for line in lines {
                if reader.emit(search, &line)?.is_break() {
                    return ControlFlow::Continue(Flow::Break(()));
                }
            }
            search.pass_to(end);
            ControlFlow::Continue(Flow::Continue(()))
        }
    }
}

/// Reads the lines that are emitted.
struct Reader<'a> {
    source: &'a dyn ReadAt,
    /// The position of the text in the file.
    start: u64,
    /// The length from which on a line is not read, unless the sink needs its bytes.
    unread_from: u64,
    numbers_lines: bool,
    buffer: Vec<u8>,
}

impl Reader<'_> {
    fn emit<S: Sink>(
        &mut self,
        search: &mut LineSearch<'_, S>,
        line: &Bounds,
    ) -> ControlFlow<Stopped, Flow> {
        let Bounds { start, end, lines_before, ref spans } = *line;
        let len = end.saturating_sub(start);
        let number = self.numbers_lines.then_some(lines_before + 1);
        let offset = start.saturating_sub(self.start);
        if len >= self.unread_from {
            let (matches, texts) = (&*spans.in_line(start, len), spans.texts());
            let source = self.source;
            let unread = UnreadLine { source, start, len, offset, number, matches, texts };
            if let Some(flow) = search.select_unread(&unread) {
                return ControlFlow::Continue(flow);
            }
        }
        let fallback = ControlFlow::Break(Stopped::Fallback);
        let Ok(len) = usize::try_from(len) else { return fallback };
        self.buffer.clear();
        if self.buffer.try_reserve_exact(len).is_err() {
            return fallback;
        }
        self.buffer.resize(len, 0);
        match read_full(self.source, &mut self.buffer, start) {
            Ok(got) if got == len => {
                ControlFlow::Continue(search.select_read(&self.buffer, offset, number))
            }
            // The search block by block fails there in its turn.
            _ => fallback,
        }
    }
}

/// The sum of the summaries so far.
#[derive(Default)]
struct Total {
    /// The number of bytes.
    len: u64,
    /// The last line, which may go on, matches.
    is_open_matched: bool,
    /// The length of that line.
    open_len: u64,
    /// The position of that line in the file.
    open_start: u64,
    /// The requested matches in that line.
    spans: Spans,
    /// The number of terminators so far, and before that line.
    terminators: u64,
    /// The length of the longest line.
    longest: u64,
}

impl Total {
    /// Adds the next chunk. Returns which of the lines that end in it match.
    fn add(&mut self, chunk: &Chunk, are_counted: bool) -> Matched {
        let next = &chunk.summary;
        self.len += next.len as u64;
        let (mut matched, mut lines) = (0, Vec::new());
        let place = |at: usize| chunk.offset + at as u64;
        let mut spans = chunk.spans.iter();
        if next.has_end {
            let is_begun_matched = self.is_open_matched || next.is_begun_matched;
            if is_begun_matched && !are_counted {
                let (start, end) = (self.open_start, place(next.begun_end));
                let spans = self.take_spans(&mut spans, end);
                lines.push(Bounds { start, end, lines_before: self.terminators, spans });
            }
            for hit in &chunk.hits {
                let (start, end) = (place(hit.start as usize), place(hit.end as usize));
                let lines_before = self.terminators + u64::from(hit.lines_before);
                let spans = self.take_spans(&mut spans, end);
                lines.push(Bounds { start, end, lines_before, spans });
            }
            matched = next.whole_matched + u64::from(is_begun_matched);
            self.longest = self.longest.max(self.open_len + next.begun_len as u64);
            self.longest = self.longest.max(next.longest as u64);
            self.is_open_matched = false;
            self.open_len = 0;
            self.open_start = place(next.open_start);
        }
        self.spans.take_before(u64::MAX, &mut spans);
        self.terminators += next.terminators;
        self.is_open_matched |= next.is_open_matched;
        self.open_len += next.open_len as u64;
        self.longest = self.longest.max(self.open_len);
        if are_counted {
            Matched::Count(next.len, matched)
        } else {
            Matched::Lines(lines, self.len)
        }
    }

    /// The matches in the open line, which ends at `end`: the known ones, and the first in `spans`.
    fn take_spans(&mut self, spans: &mut spans::Iter<'_>, end: u64) -> Spans {
        self.spans.take_before(end, spans);
        mem::take(&mut self.spans)
    }

    /// The last line, which has no terminator, if it matches. The text begins at `start` of the
    /// file.
    fn end(self, start: u64, is_counted: bool) -> Matched {
        if is_counted {
            return Matched::Count(0, u64::from(self.is_open_matched));
        }
        let end = start + self.len;
        let Total { is_open_matched, open_start, terminators: lines_before, spans, .. } = self;
        let line = Bounds { start: open_start, end, lines_before, spans };
        Matched::Lines(if is_open_matched { vec![line] } else { Vec::new() }, self.len)
    }
}
