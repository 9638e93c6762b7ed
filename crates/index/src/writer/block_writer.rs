//! Cuts files into blocks, collects their grams, and writes these as runs.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use memchr::{memchr, memmem};

use super::{
    decoded::is_decoded,
    run::{Run, RunBuilder, RunLimits},
};
use crate::{
    blocks::{Block, BlockCutter},
    error::{AtPath, Error},
    gram::LINE_END,
    layout::FileRecord,
    manifest::run_name,
    plan::RARE_FOLDS,
};

/// What one writer has collected.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) files: Vec<FileRecord>,
    pub(super) blocks: Vec<Block>,
    pub(super) runs: Vec<Run>,
    /// Contains the runs.
    pub(super) file: Option<Arc<File>>,
    /// Why a run is missing.
    pub(super) error: Option<Error>,
}

impl Collected {
    /// Whether there are files to cover.
    pub(super) fn has_files(&self) -> bool {
        self.files.iter().any(|file| file.flags & FileRecord::NO_FILE == 0)
    }
}

/// Creates files for runs.
pub(super) struct RunFiles {
    dir: PathBuf,
    /// How many have been created.
    count: AtomicU32,
}

impl RunFiles {
    /// Creates files in this directory.
    pub(super) fn new(dir: PathBuf) -> RunFiles {
        RunFiles { dir, count: AtomicU32::new(0) }
    }

    /// Creates a file for runs. It has no name, so that it is gone with this process.
    fn create(&self) -> Result<File, Error> {
        // Ordering: a number that no other thread has; nothing else is shared.
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let path = self.dir.join(run_name(number));
        let file = File::options().read(true).write(true).create_new(true).open(&path).at(&path)?;
        fs::remove_file(&path).at(&path)?;
        Ok(file)
    }
}

/// A NUL byte among this many first bytes makes a file [`FileRecord::EARLY_NUL`].
const EARLY_NUL_BYTES: usize = 64 << 10;

/// Collects blocks from some files. A thread has it while it adds a file.
pub(super) struct BlockWriter {
    cutter: BlockCutter,
    runs: RunWriter,
    collected: Collected,
}

impl BlockWriter {
    pub(super) fn new(limits: RunLimits) -> BlockWriter {
        BlockWriter {
            cutter: BlockCutter::new(),
            runs: RunWriter { run: RunBuilder::new(limits), end: 0, start: 0 },
            collected: Collected::default(),
        }
    }

    /// How many blocks have been collected.
    pub(super) fn blocks(&self) -> u32 {
        self.collected.blocks.len() as u32
    }

    /// Adds the file that the last blocks come from.
    pub(super) fn add_file(&mut self, file: FileRecord) {
        self.collected.files.push(file);
    }

    /// Adds the blocks of `file`. Its first `first` bytes are in `piece` already, which is used for
    /// the rest as well.
    pub(super) fn read(
        &mut self,
        file: &mut File,
        piece: &mut [u8],
        first: usize,
        run_files: &RunFiles,
    ) -> Result<Contents, Error> {
        let mut len = first;
        let mut contents = Contents { is_odd: is_decoded(&piece[..len]), ..Contents::default() };
        contents.add(&piece[..len]);
        let BlockWriter { cutter, runs, collected } = self;
        let mut emit = |block, grams: &[_]| runs.add(block, grams, collected, run_files);
        cutter.begin(contents.has_early_nul);
        loop {
            contents.is_odd = contents.is_odd || !cutter.add(&piece[..len], &mut emit);
            if contents.is_odd || len < piece.len() {
                break;
            }
            len = fill(file, piece)?;
            contents.add(&piece[..len]);
        }
        contents.is_odd = contents.is_odd || !cutter.finish(&mut emit);
        Ok(contents)
    }

    /// Adds the blocks of a whole file with less than 4 GiB.
    pub(super) fn add_text(&mut self, text: &[u8], has_early_nul: bool, run_files: &RunFiles) {
        let BlockWriter { cutter, runs, collected } = self;
        let mut emit = |block, grams: &[_]| runs.add(block, grams, collected, run_files);
        cutter.begin(has_early_nul);
        cutter.add(text, &mut emit);
        cutter.finish(&mut emit);
    }

    /// Writes what has not been written. Returns everything that was collected.
    pub(super) fn finish(mut self, run_files: &RunFiles) -> Collected {
        if !self.runs.run.is_empty() {
            self.runs.write(&mut self.collected, run_files);
        }
        self.collected
    }
}

/// What a file contained.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Contents {
    pub(super) len: u64,
    pub(super) is_odd: bool,
    pub(super) has_rare_folds: bool,
    /// See [`FileRecord::SPECIAL`].
    pub(super) is_special: bool,
    /// See [`FileRecord::EARLY_NUL`].
    pub(super) has_early_nul: bool,
}

impl Contents {
    /// Adds a piece of the file, which follows those that were added.
    pub(super) fn add(&mut self, piece: &[u8]) {
        let nul = memchr(0, piece);
        self.is_special |= nul.is_some();
        if self.len == 0 {
            self.is_special |= piece.starts_with("\u{feff}".as_bytes());
            self.has_early_nul = nul.is_some_and(|nul| nul < EARLY_NUL_BYTES)
                && memchr(LINE_END, &piece[..piece.len().min(3)]).is_none();
        }
        self.len += piece.len() as u64;
        self.has_rare_folds |= may_have_rare_folds(piece);
    }

    /// What a file's record states about them.
    pub(super) fn flags(&self) -> u32 {
        let flags = [
            (FileRecord::RARE_FOLDS, self.has_rare_folds),
            (FileRecord::SPECIAL, self.is_special),
            (FileRecord::EARLY_NUL, self.has_early_nul),
        ];
        flags.iter().filter(|(_, is_set)| *is_set).fold(0, |all, (flag, _)| all | flag)
    }
}

/// Writes runs to a file.
struct RunWriter {
    run: RunBuilder,
    /// How many blocks come before the run.
    start: u32,
    /// Where the written runs end.
    end: u64,
}

impl RunWriter {
    /// Adds a block. Writes the run before if the block does not fit, and after if it is full.
    fn add(
        &mut self,
        block: Block,
        grams: &[u32],
        collected: &mut Collected,
        run_files: &RunFiles,
    ) {
        if !self.run.has_room(grams) {
            self.write(collected, run_files);
        }
        collected.blocks.push(block);
        if self.run.add(grams) {
            self.write(collected, run_files);
        }
    }

    /// Writes the run, and begins the next one.
    fn write(&mut self, collected: &mut Collected, run_files: &RunFiles) {
        match self.try_write(collected, run_files) {
            Ok((run, end)) => {
                collected.runs.push(run);
                self.end = end;
            }
            Err(error) => collected.error = Some(error),
        }
        self.run.clear();
        self.start = collected.blocks.len() as u32;
    }

    fn try_write(
        &self,
        collected: &mut Collected,
        run_files: &RunFiles,
    ) -> Result<(Run, u64), Error> {
        let file = match &collected.file {
            Some(file) => Arc::clone(file),
            None => Arc::clone(collected.file.insert(Arc::new(run_files.create()?))),
        };
        let mut out = io::BufWriter::with_capacity(1 << 18, &*file);
        let written = self.run.write(self.start, self.end, &mut out);
        let flushed = written.and_then(|written| out.flush().map(|()| written));
        flushed.map_err(|error| Error::Io(error).at(&run_files.dir))
    }
}

/// Whether `piece` contains one of the [`RARE_FOLDS`], or may begin or end with a part of one.
fn may_have_rare_folds(piece: &[u8]) -> bool {
    RARE_FOLDS.iter().any(|(rare, _)| {
        let mut bytes = [0; 4];
        let bytes = rare.encode_utf8(&mut bytes).as_bytes();
        let ends_within = (1..bytes.len()).any(|len| piece.ends_with(&bytes[..len]));
        ends_within || (memchr(bytes[0], piece).is_some() && memmem::find(piece, bytes).is_some())
    })
}

/// Reads the next piece of a file. Only the last one is shorter than `piece`.
pub(super) fn fill(file: &mut File, piece: &mut [u8]) -> Result<usize, Error> {
    let mut filled = 0;
    while filled < piece.len() {
        match file.read(&mut piece[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::Io(error)),
        }
    }
    Ok(filled)
}
