//! One chunk: its bytes are read, its lines found, and the lines that match.

use std::{io, ops::Range};

use heist_matcher::{Finder, Scan};
use memchr::memchr;

use super::{
    Layout,
    read_at::{ReadAt, read_full},
};
use crate::{
    Config,
    aligned::{AlignedBytes, LINE},
    line_search::{Matches, next_matching_lines},
    lines,
};

/// Bytes in front of what is read of a chunk, so that lines of the chunk before can be put there.
pub(super) const FRONT: usize = 4 << 10;

/// Bytes read before a chunk. The last one tells whether a line begins at the chunk's very first, and so many leave the
/// rest aligned as it is in the file.
const LEAD: u64 = LINE as u64;

/// Bytes read behind a chunk for the rest of its last line, at first.
const BEHIND: usize = 4 << 10;

/// A line of a chunk that matches, or inverted, some in a row.
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
    /// Where these begin in the text; without meaning if there are none.
    pub(super) offset: u64,
    /// Those that match, in order.
    pub(super) hits: Vec<Hit>,
    /// How many lines are selected, if they are only counted.
    pub(super) selected: u64,
    /// Only lines that begin before this, seen from the first, have been searched.
    pub(super) searched: usize,
    /// How many terminators there are, if lines are numbered.
    pub(super) terminators: u64,
    /// The text ends here.
    pub(super) is_last: bool,
    /// Why a stream ends here.
    pub(super) error: Option<io::Error>,
    /// The file has to be searched in another way.
    pub(super) is_unfit: bool,
}

impl Chunk {
    /// One that nothing can be said of.
    pub(super) fn unfit() -> Chunk {
        Chunk { is_unfit: true, ..Chunk::default() }
    }

    /// Read and search the chunk `index` of a file.
    pub(super) fn find(
        &mut self,
        source: &dyn ReadAt,
        (config, layout): (&Config, &Layout),
        index: u64,
        finder: &mut Finder,
    ) {
        // Block by block, an error comes after the lines before it.
        let is_fit = self.read(source, config.line_terminator, layout, index).unwrap_or(false);
        self.is_unfit = !is_fit;
        self.examine((config, layout), finder);
    }

    /// Search the lines if they are fit for it.
    pub(super) fn examine(&mut self, (config, layout): (&Config, &Layout), finder: &mut Finder) {
        self.is_unfit = self.is_unfit || !self.is_harmless(config, layout);
        if !self.is_unfit {
            match layout.is_counted {
                true => self.count(config, finder),
                false => self.search(config, layout.most_hits, finder),
            }
            // The engine gives up at the same line once more, when its turn has come.
            self.is_unfit = finder.take_failure().is_some();
        }
    }

    /// Read the lines. False: the last one is too long.
    fn read(
        &mut self,
        source: &dyn ReadAt,
        terminator: u8,
        layout: &Layout,
        index: u64,
    ) -> io::Result<bool> {
        let size = layout.size;
        let first = index * size as u64;
        let lead = LEAD.min(first);
        let from = first - lead;
        let (lead, own) = (lead as usize, lead as usize + size);
        let mut wanted = own + BEHIND;
        let mut got = self.read_up_to(source, from, 0, wanted)?;
        self.is_last = got <= own;
        let begin = if index == 0 {
            got.min(layout.start)
        } else {
            // What begins behind the chunk's last byte is the next one's.
            let before =
                self.bytes[FRONT..][..got.min(own - 1)].get(lead - 1..).unwrap_or_default();
            memchr(terminator, before).map_or(got, |i| lead + i)
        };
        let end = loop {
            if begin == got || got <= own {
                // Where no line begins there is none to be ended.
                break got;
            }
            if let Some(i) = memchr(terminator, &self.bytes[FRONT..][own - 1..got]) {
                break own + i;
            }
            if got < wanted {
                break got;
            }
            if wanted > own + size {
                return Ok(false);
            }
            wanted += wanted - own;
            got = self.read_up_to(source, from, got, wanted)?;
        };
        self.offset = (from + begin as u64).saturating_sub(layout.start as u64);
        self.lines = FRONT + begin..FRONT + end;
        Ok(true)
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
    fn is_harmless(&self, config: &Config, layout: &Layout) -> bool {
        let lines = self.lines();
        let has_end = |stride: &[u8]| memchr(config.line_terminator, stride).is_some();
        let has_nul = || layout.heeds_nul && memchr(0, lines).is_some();
        layout.stride > 0 && lines.chunks_exact(layout.stride).all(has_end) && !has_nul()
    }

    /// Count the lines that are selected.
    fn count(&mut self, config: &Config, finder: &mut Finder) {
        self.hits.clear();
        self.selected = Scan::new(self.lines()).count(finder, 0, config);
    }

    /// Find the lines that match, `most` at most.
    fn search(&mut self, config: &Config, most: usize, finder: &mut Finder) {
        let lines = &self.bytes[self.lines.clone()];
        let mut scan = Scan::new(lines);
        let (mut counted, mut terminators) = (0, 0);
        let mut count_to = |to| {
            if config.line_numbers {
                terminators += lines::count(&lines[counted..to], config.line_terminator);
                counted = to;
            }
            terminators
        };
        self.hits.clear();
        self.searched = 0;
        while self.hits.len() < most {
            let Some(line) = next_matching_lines(finder, &mut scan, self.searched, config) else {
                self.searched = lines.len();
                break;
            };
            let lines_before = count_to(line.start) as u32;
            self.searched = line.end;
            self.hits.push(Hit { start: line.start as u32, end: line.end as u32, lines_before });
        }
        self.terminators = count_to(lines.len());
    }
}
