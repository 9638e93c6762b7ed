//! One chunk: reads its bytes, finds its lines, and searches them.

use std::{io, ops::Range, sync::Arc};

use heist_matcher::{BlockScan, Finder, NeedleSearch, Reach};
use memchr::memchr;

use super::{
    layout::{Hit, Layout},
    read_at::{ReadAt, read_full},
    spans::Spans,
    summary::Summary,
};
use crate::{
    SearchConfig,
    aligned::{AlignedBytes, CACHE_LINE_BYTES},
    lines,
    matching::{Matches, next_matching_lines},
    multiline::{self, Part},
    survey::Survey,
};

/// A file that is searched in chunks.
pub(crate) struct ChunkedFile {
    pub(crate) source: Arc<dyn ReadAt>,
    /// Finds the lines that need not be read.
    pub(crate) survey: Option<Arc<Survey>>,
    /// The needles of which each line that matches has one, if lines may be of any length.
    pub(crate) needles: Option<NeedleSearch>,
}

/// The search of one chunk.
pub(super) struct ChunkTask<'a> {
    pub(super) file: &'a ChunkedFile,
    pub(super) config: &'a SearchConfig,
    pub(super) layout: &'a Layout,
    /// The number of the chunk in the file.
    pub(super) index: u64,
    pub(super) finder: &'a mut Finder,
}

/// How many bytes are kept free in front of a chunk, for lines from the previous one.
pub(super) const CHUNK_FRONT_BYTES: usize = 4 << 10;

/// The number of bytes read before a chunk. The last one shows whether a line begins at the chunk's
/// first byte; the others keep the buffer aligned as the file is.
pub(super) const CHUNK_LEAD_BYTES: u64 = CACHE_LINE_BYTES as u64;

/// How many bytes are first read after a chunk, for the rest of its last line.
pub(super) const CHUNK_BEHIND_BYTES: usize = 4 << 10;

/// A chunk and what was found in it.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    pub(super) bytes: AlignedBytes,
    /// The lines that begin in this chunk, in `bytes`.
    pub(super) lines: Range<usize>,
    /// The end of the bytes read after the lines: as far as a match that begins in them may
    /// [reach](Reach).
    pub(super) behind: usize,
    /// No match begins in the lines, so nothing was read after them.
    pub(super) is_alone: bool,
    /// The lines have not been read where none is a hit or may be context of one.
    pub(super) is_sparse: bool,
    /// The position of the lines in the text; meaningless if there are none.
    pub(super) offset: u64,
    /// The matching lines or matches, in order.
    pub(super) hits: Vec<Hit>,
    /// The [requested](Layout::matches) matches. The first ones may have been found in the chunk
    /// before, too.
    pub(super) spans: Spans,
    /// The number of selected lines, if they are only counted.
    pub(super) selected: u64,
    /// Up to where the lines have been searched, relative to their start.
    pub(super) searched: usize,
    /// The number of terminators in the lines, if lines are numbered.
    pub(super) terminators: u64,
    /// What was found if lines may be of any length; the lines and hits are meaningless then.
    pub(super) summary: Summary,
    /// The text ends with this chunk.
    pub(super) is_last: bool,
    /// The error at which a stream ends.
    pub(super) error: Option<io::Error>,
    /// The haystack has to be searched block by block instead.
    pub(super) needs_fallback: bool,
}

impl Chunk {
    /// A chunk that was not searched.
    pub(super) fn fallback() -> Chunk {
        Chunk { needs_fallback: true, ..Chunk::default() }
    }

    /// Reads and searches a chunk of a file.
    pub(super) fn find(&mut self, task: &mut ChunkTask<'_>) {
        if let Some(needles) = &task.file.needles {
            return self.summarize(needles, task);
        }
        if self.find_by_survey(task).is_some() {
            return;
        }
        // The search block by block emits the lines before an error.
        let Ok(Some(reading)) = self.read(task) else {
            self.needs_fallback = true;
            return;
        };
        if task.finder.matcher().reach().is_some() {
            self.needs_fallback = !self.search_spans(reading, task).unwrap_or(false);
        } else {
            self.examine(task.config, task.layout, task.finder);
        }
    }

    /// Searches the lines, unless they need the fallback.
    pub(super) fn examine(&mut self, config: &SearchConfig, layout: &Layout, finder: &mut Finder) {
        self.needs_fallback = self.needs_fallback || !self.is_harmless(config, layout);
        if !self.needs_fallback {
            match layout.is_counted {
                true => self.count(config, finder),
                false => self.search(config, layout.most_hits, finder),
            }
            // The search block by block fails at the same line, in its turn.
            self.needs_fallback = finder.take_failure().is_some();
        }
    }

    /// Reads the lines. `None` if the last one is too long.
    fn read(&mut self, task: &ChunkTask<'_>) -> io::Result<Option<Reading>> {
        let ChunkTask { file, config, layout, index, .. } = *task;
        let (source, terminator, size) = (&*file.source, config.line_terminator, layout.size);
        let first = index * size as u64;
        let lead = CHUNK_LEAD_BYTES.min(first);
        let from = first - lead;
        let (lead, own) = (lead as usize, lead as usize + size);
        let wanted = own + CHUNK_BEHIND_BYTES;
        let got = self.read_up_to(source, from, 0, wanted)?;
        self.is_last = got <= own;
        let begin = if index == 0 {
            got.min(layout.start)
        } else {
            // A line that begins after the chunk's last byte belongs to the next chunk.
            let before = self.bytes[CHUNK_FRONT_BYTES..][..got.min(own - 1)]
                .get(lead - 1..)
                .unwrap_or_default();
            memchr(terminator, before).map_or(got, |i| lead + i)
        };
        let mut reading = Reading { from, own, most: own + size, wanted, got };
        let end = loop {
            let got = reading.got;
            if begin == got || got <= own {
                // No line begins in this chunk.
                break got;
            }
            if let Some(i) = memchr(terminator, &self.bytes[CHUNK_FRONT_BYTES..][own - 1..got]) {
                break own + i;
            }
            match self.read_on(source, &mut reading)? {
                More::Some => {}
                More::None => break got,
                More::TooMuch => return Ok(None),
            }
        };
        self.offset = (from + begin as u64).saturating_sub(layout.start as u64);
        self.lines = CHUNK_FRONT_BYTES + begin..CHUNK_FRONT_BYTES + end;
        self.behind = CHUNK_FRONT_BYTES + end;
        Ok(Some(reading))
    }

    /// Reads as many bytes after the lines as matches may `reach`. False if those are too many.
    fn read_behind(
        &mut self,
        source: &dyn ReadAt,
        reach: &Reach,
        mut reading: Reading,
    ) -> io::Result<bool> {
        if !reach.has_end() {
            return Ok(false);
        }
        loop {
            let got = CHUNK_FRONT_BYTES + reading.got;
            if let Some(len) = reach.end(&self.bytes[self.lines.end..got]) {
                self.behind = self.lines.end + len;
                return Ok(true);
            }
            match self.read_on(source, &mut reading)? {
                More::Some => {}
                More::None => {
                    self.behind = got;
                    return Ok(true);
                }
                More::TooMuch => return Ok(false),
            }
        }
    }

    /// Reads on, twice as far after the chunk as before.
    fn read_on(&mut self, source: &dyn ReadAt, reading: &mut Reading) -> io::Result<More> {
        let Reading { from, own, most, wanted, got } = reading;
        if *got < *wanted {
            return Ok(More::None);
        }
        if *wanted > *most {
            return Ok(More::TooMuch);
        }
        *wanted += *wanted - *own;
        *got = self.read_up_to(source, *from, *got, *wanted)?;
        Ok(More::Some)
    }

    /// Reads on from `got` to `wanted` bytes, counted from `from`. Returns how many there are then.
    fn read_up_to(
        &mut self,
        source: &dyn ReadAt,
        from: u64,
        got: usize,
        wanted: usize,
    ) -> io::Result<usize> {
        self.bytes.grow(CHUNK_FRONT_BYTES + wanted);
        let more = &mut self.bytes[CHUNK_FRONT_BYTES + got..CHUNK_FRONT_BYTES + wanted];
        Ok(got + read_full(source, more, from + got as u64)?)
    }

    pub(super) fn lines(&self) -> &[u8] {
        &self.bytes[self.lines.clone()]
    }

    /// Whether no line is too long, and none contains a NUL byte that matters.
    fn is_harmless(&self, config: &SearchConfig, layout: &Layout) -> bool {
        let lines = self.lines();
        let has_nul = || layout.detects_nul && memchr(0, lines).is_some();
        layout.has_short_lines(config, lines) && !has_nul()
    }

    /// Counts the selected lines.
    fn count(&mut self, config: &SearchConfig, finder: &mut Finder) {
        self.hits.clear();
        self.selected = BlockScan::new(self.lines()).count(finder, 0, config);
    }

    /// Finds the matching lines, up to `most`.
    fn search(&mut self, config: &SearchConfig, most: usize, finder: &mut Finder) {
        let lines = &self.bytes[self.lines.clone()];
        let mut scan = BlockScan::new(lines);
        let mut counter = Counter::new(config, lines);
        self.hits.clear();
        self.searched = 0;
        while self.hits.len() < most {
            let Some(line) = next_matching_lines(finder, &mut scan, self.searched, config) else {
                self.searched = lines.len();
                break;
            };
            self.searched = line.end;
            match self.hits.last_mut() {
                // The bounds of each line are not needed: it is not selected.
                Some(last) if config.invert && last.end as usize == line.start => {
                    last.end = line.end as u32;
                }
                _ => self.hits.push(counter.hit(line)),
            }
        }
        self.terminators = counter.count_to(lines.len());
    }

    /// Finds the matches that begin in the lines, up to a limit. False if they may reach too far.
    fn search_spans(&mut self, reading: Reading, task: &mut ChunkTask<'_>) -> io::Result<bool> {
        let ChunkTask { file, config, layout, ref mut finder, .. } = *task;
        self.hits.clear();
        self.searched = self.lines.len();
        let matcher = finder.matcher().clone();
        let reach = matcher.reach().filter(|reach| reach.may_begin_in(self.lines()));
        self.is_alone = reach.is_none();
        if let Some(reach) = reach.filter(|_| !self.lines.is_empty()) {
            let lines = self.lines();
            let may_go_on = reach.may_begin_in(&lines[reach.begin(lines)..]);
            if may_go_on && !self.read_behind(&*file.source, reach, reading)? {
                return Ok(false);
            }
            self.searched = 0;
        }
        // The terminator of the previous line must be visible; see `Part::bytes`.
        let lead = usize::from(self.offset > 0);
        let bytes = &self.bytes[self.lines.start - lead..self.behind];
        let part = Part { bytes, lead, end: self.lines.len(), is_last: false };
        let end = part.end;
        let mut counter = Counter::new(config, part.text());
        while self.hits.len() < layout.most_hits && self.searched < end {
            let found = part.find_at(finder, self.searched).filter(|found| found.start < end);
            let Some(found) = found else {
                self.searched = end;
                break;
            };
            self.searched = multiline::behind(&found);
            self.hits.push(counter.hit(found));
        }
        self.terminators = counter.count_to(end);
        Ok(true)
    }
}

/// How many bytes of a chunk have been read, counted from a little before its start.
struct Reading {
    /// The position in the file of the first byte read.
    from: u64,
    /// The end of the chunk.
    own: usize,
    /// The limit of `wanted` for further reads.
    most: usize,
    wanted: usize,
    got: usize,
}

/// The outcome of reading on.
enum More {
    Some,
    /// The file ends here.
    None,
    /// The line is too long.
    TooMuch,
}

/// Counts the terminators of a chunk as far as it has been searched, if lines are numbered.
struct Counter<'a> {
    config: &'a SearchConfig,
    bytes: &'a [u8],
    to: usize,
    count: u64,
}

impl<'a> Counter<'a> {
    fn new(config: &'a SearchConfig, bytes: &'a [u8]) -> Counter<'a> {
        Counter { config, bytes, to: 0, count: 0 }
    }

    /// The number of terminators before `to`, which must not decrease.
    fn count_to(&mut self, to: usize) -> u64 {
        if self.config.line_numbers {
            self.count += lines::count(&self.bytes[self.to..to], self.config.line_terminator);
            self.to = to;
        }
        self.count
    }

    fn hit(&mut self, found: Range<usize>) -> Hit {
        let lines_before = self.count_to(found.start) as u32;
        Hit { start: found.start as u32, end: found.end as u32, lines_before }
    }
}
