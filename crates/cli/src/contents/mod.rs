//! What is searched in a file: its own bytes, decompressed (`-z`), or what a command prints for it
//! (`--pre`).

mod command_output;
mod decompress;

use std::{
    fs::File,
    io::{self, Seek, SeekFrom},
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use bstr::ByteSlice;
use heist_filter::{PathGlobs, path_bytes::path_of};

use crate::{run::programs, texts::messages::Repeated};

pub(crate) use self::command_output::CommandOutput;
use self::decompress::{CompressionFormat, Decoder, Decoders};
pub(crate) use self::decompress::{Start, is_compressed_name};

/// Where files' contents come from.
#[derive(Clone, Debug, Default)]
pub(crate) enum Contents {
    /// Files are searched as they are.
    #[default]
    Plain,
    /// Compressed files are decompressed.
    Decompressed,
    /// A command's output is searched.
    Preprocessed(Preprocessor),
}

/// The `--pre` command, and the files that it is run for.
#[derive(Clone, Debug)]
pub(crate) struct Preprocessor {
    /// Run with the path as its argument and the file as its standard input. What
    /// [`programs::command`](crate::run::programs::command) returned.
    command: PathBuf,
    /// The files it is run for (`--pre-glob`).
    globs: PathGlobs,
    /// Whether a worker has reported that the command does not exist.
    is_missing: Arc<AtomicBool>,
}

/// One worker's access to what files contain.
pub(crate) struct Opener<'a> {
    contents: &'a Contents,
    decoders: Decoders,
}

/// What one file contains.
pub(crate) enum Opened {
    /// The file as it is.
    Plain(File),
    /// A stream as it is. Its start has been read.
    Begun(Start, File),
    /// To be returned by [`Opener::close`].
    Decoded(Decoder),
    /// A program's output.
    Output(CommandOutput),
}

impl Contents {
    /// How many descriptors are open at a time for one file's contents.
    pub(crate) fn fds_per_file(&self) -> usize {
        match self {
            Contents::Plain | Contents::Decompressed => 1,
            Contents::Preprocessed(_) => 1 + CommandOutput::PIPES,
        }
    }
}

impl<'a> Opener<'a> {
    /// Returns an opener without decoders.
    pub(crate) fn new(contents: &'a Contents) -> Opener<'a> {
        Opener { contents, decoders: Decoders::default() }
    }

    /// Opens the contents of `file`, which is at `path`.
    ///
    /// # Errors
    /// The program that reads it cannot be run.
    pub(crate) fn open(&mut self, path: &[u8], file: File) -> io::Result<Opened> {
        match self.contents {
            Contents::Plain => Ok(Opened::Plain(file)),
            Contents::Preprocessed(preprocessor) => preprocessor.open(path, file),
            Contents::Decompressed => self.decompress(path, file),
        }
    }

    /// Whether files are decompressed, standard input too.
    pub(crate) fn decompresses(&self) -> bool {
        matches!(self.contents, Contents::Decompressed)
    }

    /// Whether the `--pre` command is run for `path`. It may have side effects.
    pub(crate) fn runs_command_for(&self, path: &[u8]) -> bool {
        match self.contents {
            Contents::Plain | Contents::Decompressed => false,
            Contents::Preprocessed(preprocessor) => preprocessor.globs.includes(&path_of(path)),
        }
    }

    /// Keeps `decoder` for further files.
    pub(crate) fn close(&mut self, decoder: Decoder) {
        self.decoders.keep(decoder);
    }

    fn decompress(&mut self, path: &[u8], mut file: File) -> io::Result<Opened> {
        let start = Start::read(&mut file)?;
        if let Some(format) = CompressionFormat::of(path, start.bytes()) {
            log::debug!("{}: decompressed as {format}", path.as_bstr());
            return Ok(Opened::Decoded(self.decoders.open(format, file, start.bytes())));
        }
        log::debug!("{}: not decompressed: in no known format", path.as_bstr());
        match start.bytes().len() as i64 {
            0 => {}
            len if file.metadata()?.is_file() => {
                file.seek(SeekFrom::Current(-len))?;
            }
            _ => return Ok(Opened::Begun(start, file)),
        }
        Ok(Opened::Plain(file))
    }
}

/// The name of the format that the file at `path` is compressed in, if it is.
///
/// # Errors
/// It cannot be read.
pub(crate) fn format_of(path: &Path) -> io::Result<Option<String>> {
    let start = Start::read(&mut File::open(path)?)?;
    let format = CompressionFormat::of(path.as_os_str().as_encoded_bytes(), start.bytes());
    Ok(format.map(ToString::to_string))
}

impl Preprocessor {
    pub(crate) fn new(command: PathBuf, globs: PathGlobs) -> Preprocessor {
        Preprocessor { command, globs, is_missing: Arc::default() }
    }

    fn open(&self, path: &[u8], file: File) -> io::Result<Opened> {
        let name = path_of(path);
        if !self.globs.includes(&name) {
            log::debug!("{}: not preprocessed: no --pre-glob matches", path.as_bstr());
            return Ok(Opened::Plain(file));
        }
        let mut command = programs::to_run(&self.command);
        command.arg(&*name);
        // Without its environment, which it may have.
        let shown = format!("{:?}", Command::new(&self.command).arg(&*name));
        let prelude = format!("preprocessor command failed: '{shown}': ");
        let output = CommandOutput::spawn(&mut command, file, prelude).map_err(|error| {
            let is_missing = error.kind() == io::ErrorKind::NotFound;
            // Ordering: Relaxed; the flag guards no data, and one worker is the first to swap.
            if is_missing && self.is_missing.swap(true, Ordering::Relaxed) {
                return io::Error::other(Repeated);
            }
            io::Error::other(format!("preprocessor command could not start: '{shown}': {error}"))
        })?;
        log::debug!("{}: preprocessed by {shown}", path.as_bstr());
        Ok(Opened::Output(output))
    }
}
