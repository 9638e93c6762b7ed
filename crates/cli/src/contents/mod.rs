//! The contents of a file: its own bytes, decompressed (`-z`), or the output of a command for it
//! (`--pre`).

mod command_output;
mod decompress;

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use bstr::ByteSlice;
use heist_filter::{PathGlobs, path_bytes::path_of};

use crate::{
    messages::Repeated,
    programs::{self, in_path},
};

pub(crate) use self::command_output::CommandOutput;
use self::decompress::{Decoder, Decoders, Format};

/// Programs that decompress `*.Z` from standard input; the first one that can be run is used.
const UNCOMPRESS: [(&str, &str); 2] = [("uncompress", "-c"), ("gzip", "-dc")];

/// The source of the contents of files.
#[derive(Clone, Debug, Default)]
pub(crate) enum Contents {
    /// Files are searched as they are.
    #[default]
    Plain,
    /// Compressed files are decompressed.
    Decompressed {
        /// Whether no other program may be run.
        alone: bool,
    },
    /// The output of a command is searched.
    Preprocessed(Preprocessor),
}

/// The command of `--pre`, and the files that it is run for.
#[derive(Clone, Debug)]
pub(crate) struct Preprocessor {
    /// Run with the path as its argument and the file as its standard input. The result of
    /// [`programs::command`](crate::programs::command).
    command: PathBuf,
    /// The files it is run for (`--pre-glob`).
    globs: PathGlobs,
    /// Whether a worker has reported that the command does not exist.
    is_missing: Arc<AtomicBool>,
}

/// One worker's access to the contents of files.
pub(crate) struct Opener<'a> {
    contents: &'a Contents,
    decoders: Decoders,
}

/// The contents of one file.
pub(crate) enum Opened {
    /// The file as it is.
    Plain(File),
    /// To be returned by [`Opener::close`].
    Decoded(Decoder),
    /// The output of a program.
    Output(CommandOutput),
}

impl Contents {
    /// The number of descriptors that are open at a time for the contents of one file.
    pub(crate) fn fds_per_file(&self) -> usize {
        match self {
            Contents::Plain | Contents::Decompressed { alone: true } => 1,
            // The file is duplicated.
            Contents::Decompressed { alone: false } => 2 + CommandOutput::PIPES,
            Contents::Preprocessed(_) => 1 + CommandOutput::PIPES,
        }
    }
}

impl<'a> Opener<'a> {
    /// Returns an opener without decoders.
    pub(crate) fn new(contents: &'a Contents) -> Opener<'a> {
        Opener { contents, decoders: Decoders::default() }
    }

    /// Opens the contents of `file`, whose path is `path`.
    ///
    /// # Errors
    /// The program that reads it cannot be run.
    pub(crate) fn open(&mut self, path: &[u8], file: File) -> io::Result<Opened> {
        match self.contents {
            Contents::Plain => Ok(Opened::Plain(file)),
            Contents::Preprocessed(preprocessor) => preprocessor.open(path, file),
            Contents::Decompressed { alone } => self.decompress(path, file, *alone),
        }
    }

    /// Whether the command of `--pre` is run for `path`. It may have side effects, unlike programs
    /// that decompress.
    pub(crate) fn runs_command_for(&self, path: &[u8]) -> bool {
        match self.contents {
            Contents::Plain | Contents::Decompressed { .. } => false,
            Contents::Preprocessed(preprocessor) => preprocessor.globs.includes(&path_of(path)),
        }
    }

    /// Keeps `decoder` for further files.
    pub(crate) fn close(&mut self, decoder: Decoder) {
        self.decoders.keep(decoder);
    }

    fn decompress(&mut self, path: &[u8], file: File, alone: bool) -> io::Result<Opened> {
        let Some(format) = Format::of(path) else {
            log::debug!("{}: not decompressed: no known extension", path.as_bstr());
            return Ok(Opened::Plain(file));
        };
        match self.decoders.open(format, file) {
            Ok(decoder) => {
                log::debug!("{}: decompressed as {format}", path.as_bstr());
                Ok(Opened::Decoded(decoder))
            }
            Err(_) if alone => Err(io::Error::other(format!(
                "{format}: not searched, it takes another program and none may be run"
            ))),
            Err(file) => uncompress(path, file),
        }
    }
}

/// Opens the output of a program that decompresses a `*.Z`. Without such a program the file is
/// searched as it is, like in ripgrep.
fn uncompress(path: &[u8], file: File) -> io::Result<Opened> {
    for (program, flags) in UNCOMPRESS {
        let Some(program) = in_path(Path::new(program)) else { continue };
        let mut command = Command::new(&program);
        match CommandOutput::spawn(command.arg(flags), file.try_clone()?, String::new()) {
            Ok(output) => {
                log::debug!("{}: decompressed by {}", path.as_bstr(), program.display());
                return Ok(Opened::Output(output));
            }
            Err(error) => {
                log::debug!("{}: cannot run {}: {error}", path.as_bstr(), program.display());
            }
        }
    }
    log::debug!("{}: not decompressed: no program found", path.as_bstr());
    Ok(Opened::Plain(file))
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
