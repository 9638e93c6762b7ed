//! One chunk: its bytes are read, its lines found, and the lines that match.

use std::{io, ops::Range};

use heist_matcher::{BlockScan, Finder, Reach};
use memchr::memchr;

use super::{
    layout::Layout,
    read_at::{ReadAt, read_full},
};
use crate::{
    SearchConfig,
    aligned::{AlignedBytes, LINE},
    lines,
    matching::{Matches, next_matching_lines},
    multiline::{self, Part},
};

/// Bytes in front of what is read of a chunk, so that lines of the chunk before can be put there.
pub(super) const FRONT: usize = 4 << 10;

/// Bytes read before a chunk. The last one emits whether a line begins at the chunk's very first, and so many leave the
/// rest aligned as it is in the file.
const LEAD: u64 = LINE as u64;

/// Bytes read behind a chunk for the rest of its last line, at first.
const BEHIND: usize = 4 << 10;

/// A line of a chunk that matches, or inverted, some in a row; where matches may span lines, a match that begins in one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    /// Where it begins and ends in the chunk's lines.
    pub(super) start: u32,
    pub(super) end: u32,
    /// How many terminators of the chunk stand before it, if lines are numbered.
    pub(super) lines_before: u32,
}

/// A chunk that was searched.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    /// The buffer.
    pub(super) bytes: AlignedBytes,
    /// Where in it the lines are that begin in this chunk.
    pub(super) lines: Range<usize>,
    /// Where what has been read behind them ends, as far as matches may [reach](Reach) that begin in them.
    pub(super) behind: usize,
    /// None begins in them, and so nothing was read behind.
    pub(super) is_alone: bool,
    /// Where these begin in the text; without meaning if there are none.
    pub(super) offset: u64,
    /// Those that match, in order.
    pub(super) hits: Vec<Hit>,
    /// How many lines are selected, if they are only counted.
    pub(super) selected: u64,
    /// Only what begins before this, seen from the first, has been searched for.
    pub(super) searched: usize,
    /// How many terminators there are, if lines are numbered.
    pub(super) terminators: u64,
    /// The text ends here.
    pub(super) is_last: bool,
    /// Why a stream ends here.
    pub(super) error: Option<io::Error>,
    /// The file has to be searched in another way.
    pub(super) needs_fallback: bool,
}

impl Chunk {
    /// One that nothing can be said of.
    pub(super) fn fallback() -> Chunk {
        Chunk { needs_fallback: true, ..Chunk::default() }
    }

    /// Read and search the chunk `index` of a file.
    pub(super) fn find(
        &mut self,
        source: &dyn ReadAt,
        (config, layout): (&SearchConfig, &Layout),
        index: u64,
        finder: &mut Finder,
    ) {
        // MatchBlock by block, an error comes after the lines before it.
        let Ok(Some(reading)) = self.read(source, config.line_terminator, layout, index) else {
            self.needs_fallback = true;
            return;
        };
        if finder.matcher().reach().is_some() {
            let most = layout.most_hits;
            let found = self.search_spans(source, reading, (config, most), finder);
            self.needs_fallback = !found.unwrap_or(false);
        } else {
            self.examine((config, layout), finder);
        }
    }

    /// Search the lines if they are fit for it.
    pub(super) fn examine(
        &mut self,
        (config, layout): (&SearchConfig, &Layout),
        finder: &mut Finder,
    ) {
        self.needs_fallback = self.needs_fallback || !self.is_harmless(config, layout);
        if !self.needs_fallback {
            match layout.is_counted {
                true => self.count(config, finder),
                false => self.search(config, layout.most_hits, finder),
            }
            // The engine gives up at the same line once more, when its turn has come.
            self.needs_fallback = finder.take_failure().is_some();
        }
    }

    /// Read the lines. None: the last one is too long.
    fn read(
        &mut self,
        source: &dyn ReadAt,
        terminator: u8,
        layout: &Layout,
        index: u64,
    ) -> io::Result<Option<Reading>> {
        let size = layout.size;
        let first = index * size as u64;
        let lead = LEAD.min(first);
        let from = first - lead;
        let (lead, own) = (lead as usize, lead as usize + size);
        let wanted = own + BEHIND;
        let got = self.read_up_to(source, from, 0, wanted)?;
        self.is_last = got <= own;
        let begin = if index == 0 {
            got.min(layout.start)
        } else {
            // What begins behind the chunk's last byte is the next one's.
            let before =
                self.bytes[FRONT..][..got.min(own - 1)].get(lead - 1..).unwrap_or_default();
            memchr(terminator, before).map_or(got, |i| lead + i)
        };
        let mut reading = Reading { from, own, most: own + size, wanted, got };
        let end = loop {
            let got = reading.got;
            if begin == got || got <= own {
                // Where no line begins there is none to be ended.
                break got;
            }
            if let Some(i) = memchr(terminator, &self.bytes[FRONT..][own - 1..got]) {
                break own + i;
            }
            match self.read_on(source, &mut reading)? {
                More::Some => {}
                More::None => break got,
                More::TooMuch => return Ok(None),
            }
        };
        self.offset = (from + begin as u64).saturating_sub(layout.start as u64);
        self.lines = FRONT + begin..FRONT + end;
        self.behind = FRONT + end;
        Ok(Some(reading))
    }

    /// Read as much behind the lines as matches may `reach`. False: too much of it.
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
            let got = FRONT + reading.got;
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

    /// Read on, twice as far behind the chunk as before.
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

    /// Read on, from `got` bytes to `wanted`, of what stands at `from`. Gives how many there are then.
    fn read_up_to(
        &mut self,
        source: &dyn ReadAt,
        from: u64,
        got: usize,
        wanted: usize,
    ) -> io::Result<usize> {
        self.bytes.grow(FRONT + wanted);
        let more = &mut self.bytes[FRONT + got..FRONT + wanted];
        Ok(got + read_full(source, more, from + got as u64)?)
    }

    /// The lines.
    pub(super) fn lines(&self) -> &[u8] {
        &self.bytes[self.lines.clone()]
    }

    /// Whether no line is too long, and none holds a NUL byte that matters.
    fn is_harmless(&self, config: &SearchConfig, layout: &Layout) -> bool {
        let lines = self.lines();
        let has_end = |stride: &[u8]| memchr(config.line_terminator, stride).is_some();
        let has_nul = || layout.detects_nul && memchr(0, lines).is_some();
        layout.stride > 0 && lines.chunks_exact(layout.stride).all(has_end) && !has_nul()
    }

    /// Count the lines that are selected.
    fn count(&mut self, config: &SearchConfig, finder: &mut Finder) {
        self.hits.clear();
        self.selected = BlockScan::new(self.lines()).count(finder, 0, config);
    }

    /// Find the lines that match, `most` at most.
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
            self.hits.push(counter.hit(line));
        }
        self.terminators = counter.count_to(lines.len());
    }

    /// Find the matches that begin in the lines, `most` at most. False: they may reach too far.
    fn search_spans(
        &mut self,
        source: &dyn ReadAt,
        reading: Reading,
        (config, most): (&SearchConfig, usize),
        finder: &mut Finder,
    ) -> io::Result<bool> {
        self.hits.clear();
        self.searched = self.lines.len();
        let matcher = finder.matcher().clone();
        let reach = matcher.reach().filter(|reach| reach.may_begin_in(self.lines()));
        self.is_alone = reach.is_none();
        if let Some(reach) = reach.filter(|_| !self.lines.is_empty()) {
            if !self.read_behind(source, reach, reading)? {
                return Ok(false);
            }
            self.searched = 0;
        }
        // The terminator of the line before is to be seen, see `Part::bytes`.
        let lead = usize::from(self.offset > 0);
        let bytes = &self.bytes[self.lines.start - lead..self.behind];
        let part = Part { bytes, lead, end: self.lines.len(), is_last: false };
        let end = part.end;
        let mut counter = Counter::new(config, part.text());
        while self.hits.len() < most && self.searched < end {
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

/// How much of a chunk has been read, in bytes from its beginning or a little before it.
struct Reading {
    /// Where that is in the file.
    from: u64,
    /// The end of the chunk.
    own: usize,
    /// As much may be wanted before a read.
    most: usize,
    wanted: usize,
    got: usize,
}

/// What reading on has given.
enum More {
    Some,
    /// The file ends here.
    None,
    /// That would be more than is worth it.
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

    /// The terminators before `to`, which is not before that of an earlier call.
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
