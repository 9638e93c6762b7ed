//! Reads files and collects their blocks and grams, one thread's part of them.

use std::{
    fs::File,
    io::{self, Read, Write},
    sync::{Arc, PoisonError},
    time::{Duration, SystemTime},
};

use memchr::{memchr, memmem};

use super::{
    run::{Run, RunBuilder},
    workspace::{Collected, Workspace},
};
use crate::{
    bit_set::BitSet, blocks::BlockCutter, error::Error, gram::LINE_END, layout::FileRecord,
    plan::RARE_FOLDS, stamp::Stamp,
};

/// Bytes that are read at once.
const PIECE: usize = 256 << 10;
/// Bytes of [`FileRecord::EARLY_NUL`].
const EARLY: usize = 64 << 10;
/// The age of a file that is [`FileRecord::YOUNG`].
const YOUNG: Duration = Duration::from_secs(60);

/// Whether a file is covered by the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// It is.
    Covered,
    /// It is not: it was changed too short a time ago, or while it was read.
    Unsettled,
    /// It is not, because of what it is: no regular file, UTF-16, or with a line of 4 GiB.
    Odd,
}

/// Reads files for an index, one thread's part of them.
pub struct Collector<'b> {
    workspace: &'b Workspace,
    cutter: BlockCutter,
    runs: RunWriter<'b>,
    collected: Collected,
    piece: Vec<u8>,
}

impl<'b> Collector<'b> {
    pub(super) fn new(workspace: &'b Workspace) -> Collector<'b> {
        workspace.add_collector();
        let seen = workspace.old.iter().map(|old| BitSet::none(old.live().limit())).collect();
        Collector {
            workspace,
            cutter: BlockCutter::new(),
            runs: RunWriter {
                workspace,
                run: RunBuilder::new(workspace.run_blocks),
                end: 0,
                start: 0,
            },
            collected: Collected { seen, ..Collected::default() },
            piece: Vec::new(),
        }
    }

    /// Returns whether the index that is brought up to date covers a file with this stamp, which
    /// then need not be added, and remains covered.
    pub fn keep(&mut self, stamp: &Stamp) -> bool {
        let segments = self.workspace.old.iter().zip(&mut self.collected.seen).rev();
        for (old, seen) in segments {
            let file = old.files.find(stamp).map(|(file, _)| file as u32);
            if let Some(file) = file.filter(|&file| old.live().contains(file)) {
                seen.insert(file);
                return true;
            }
        }
        false
    }

    /// Adds a file, which is read from its beginning.
    ///
    /// # Errors
    /// The file cannot be read; it is not covered then.
    pub fn add(&mut self, file: &mut File) -> Result<Added, Error> {
        let opened = SystemTime::now();
        let metadata = file.metadata().map_err(Error::Io)?;
        let Some(stamp) = Stamp::of(&metadata).filter(|_| metadata.is_file()) else {
            return Ok(Added::Odd);
        };
        if !stamp.is_settled(opened) {
            return Ok(Added::Unsettled);
        }
        let first_block = self.collected.blocks.len() as u32;
        let read = self.read(file);
        self.cutter.reset();
        let is_unchanged = |len| {
            let after = file.metadata().ok();
            len == stamp.size && after.and_then(|metadata| Stamp::of(&metadata)) == Some(stamp)
        };
        let added = match &read {
            Ok(Contents { is_odd: false, len, .. }) if is_unchanged(*len) => Added::Covered,
            Ok(Contents { is_odd: false, .. }) => Added::Unsettled,
            Ok(_) | Err(_) => Added::Odd,
        };
        let mut flags = 0;
        if let Ok(contents) = &read {
            let young = !stamp.is_older(YOUNG, opened);
            for (flag, is_set) in [
                (FileRecord::RARE_FOLDS, contents.has_rare_folds),
                (FileRecord::SPECIAL, contents.is_special),
                (FileRecord::YOUNG, young),
                (FileRecord::EARLY_NUL, contents.has_early_nul),
            ] {
                flags |= if is_set { flag } else { 0 };
            }
        }
        if added != Added::Covered {
            flags |= FileRecord::DEAD;
        }
        let has_blocks = self.collected.blocks.len() as u32 > first_block;
        if added == Added::Covered || has_blocks {
            self.collected.files.push(FileRecord { stamp, first_block, flags });
        }
        read?;
        Ok(added)
    }

    fn read(&mut self, file: &mut File) -> Result<Contents, Error> {
        self.piece.resize(PIECE, 0);
        let mut contents = Contents::default();
        let max_bytes = self.workspace.bytes_of_collector();
        let Collector { cutter, runs, collected, piece, .. } = self;
        let mut emit = |block, grams: &[_]| {
            collected.blocks.push(block);
            if runs.run.add(grams, max_bytes) {
                runs.write(collected);
            }
        };
        loop {
            let read = match file.read(piece) {
                Ok(0) => break,
                Ok(read) => &piece[..read],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Error::Io(error)),
            };
            if contents.len == 0 {
                contents.is_odd |= is_utf16(read);
                contents.is_special |= read.starts_with("\u{feff}".as_bytes());
            }
            let nul = memchr(0, read);
            contents.is_special |= nul.is_some();
            if contents.len == 0 {
                contents.has_early_nul = nul.is_some_and(|nul| nul < EARLY)
                    && memchr(LINE_END, &read[..read.len().min(3)]).is_none();
                cutter.begin(contents.has_early_nul);
            }
            contents.len += read.len() as u64;
            contents.has_rare_folds |= may_have_rare_folds(read);
            contents.is_odd |= !contents.is_odd && !cutter.add(read, &mut emit);
            if contents.is_odd {
                break;
            }
        }
        contents.is_odd |= !contents.is_odd && !cutter.finish(&mut emit);
        Ok(contents)
    }
}

impl Drop for Collector<'_> {
    fn drop(&mut self) {
        if !self.runs.run.is_empty() {
            self.runs.write(&mut self.collected);
        }
        self.workspace.remove_collector();
        let mut all = self.workspace.collected.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(std::mem::take(&mut self.collected));
    }
}

/// What a file contained.
#[derive(Clone, Copy, Debug, Default)]
struct Contents {
    len: u64,
    is_odd: bool,
    has_rare_folds: bool,
    /// See [`FileRecord::SPECIAL`].
    is_special: bool,
    /// See [`FileRecord::EARLY_NUL`].
    has_early_nul: bool,
}

/// Writes runs to a file.
struct RunWriter<'b> {
    workspace: &'b Workspace,
    run: RunBuilder,
    /// The blocks before those of the run.
    start: u32,
    /// The end of the runs that are written.
    end: u64,
}

impl RunWriter<'_> {
    /// Writes the run, and begins the next one.
    fn write(&mut self, collected: &mut Collected) {
        match self.try_write(collected) {
            Ok((run, end)) => {
                collected.runs.push(run);
                self.end = end;
            }
            Err(error) => collected.error = Some(error),
        }
        self.run.clear(self.workspace.bytes_of_collector());
        self.start = collected.blocks.len() as u32;
    }

    fn try_write(&self, collected: &mut Collected) -> Result<(Run, u64), Error> {
        let file = match &collected.file {
            Some(file) => Arc::clone(file),
            None => Arc::clone(collected.file.insert(Arc::new(self.workspace.run_file()?))),
        };
        let mut out = io::BufWriter::with_capacity(1 << 18, &*file);
        let written = self.run.write(self.start, self.end, &mut out);
        let flushed = written.and_then(|written| out.flush().map(|()| written));
        flushed.map_err(|error| Error::Io(error).at(&self.workspace.dir))
    }
}

/// Whether a search decodes a file that begins so.
pub(super) fn is_utf16(start: &[u8]) -> bool {
    start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff")
}

/// Whether `piece` contains a character of [`RARE_FOLDS`], or may begin or end with a part of one.
fn may_have_rare_folds(piece: &[u8]) -> bool {
    RARE_FOLDS.iter().any(|(rare, _)| {
        let mut bytes = [0; 4];
        let bytes = rare.encode_utf8(&mut bytes).as_bytes();
        let ends_within = (1..bytes.len()).any(|len| piece.ends_with(&bytes[..len]));
        ends_within || (memchr(bytes[0], piece).is_some() && memmem::find(piece, bytes).is_some())
    })
}
