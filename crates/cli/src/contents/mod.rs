//! Which bytes are searched of a file: its own, what they decompress to (`-z`), or what a command makes of them
//! (`--pre`).

mod command_output;
mod decompress;

use std::{
    env,
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
use heist_filter::PathGlobs;

use crate::messages::Repeated;

use self::{
    command_output::CommandOutput,
    decompress::{Decoder, Decoders, Format},
};

/// Programs that decompress `*.Z` from their standard input, the first that can be run.
const UNCOMPRESS: [(&str, &str); 2] = [("uncompress", "-c"), ("gzip", "-dc")];

/// How the contents of files are got.
#[derive(Clone, Debug, Default)]
pub(crate) enum Contents {
    /// They are searched as they are.
    #[default]
    Plain,
    /// Compressed ones are decompressed.
    Decompressed {
        /// No other program may be asked to.
        alone: bool,
    },
    /// A command has a look at them first.
    Preprocessed(Preprocessor),
}

/// The command of `--pre`, and the files it is for.
#[derive(Clone, Debug)]
pub(crate) struct Preprocessor {
    /// Run with the path as its argument and the file as its standard input. A name without a slash is looked up in
    /// `PATH`; the standard library does not look into the current directory, on no system.
    command: PathBuf,
    /// The files it is for (`--pre-glob`).
    globs: PathGlobs,
    /// Whether some worker has reported that there is no such command.
    is_missing: Arc<AtomicBool>,
}

/// One worker's way to the contents of files.
pub(crate) struct Opener<'a> {
    contents: &'a Contents,
    decoders: Decoders,
}

/// The contents of one file.
pub(crate) enum Opened {
    /// The file as it is.
    Plain(File),
    /// To be given back by [`Opener::close`].
    Decoded(Decoder),
    /// What a program makes of it.
    Output(CommandOutput),
}

impl Contents {
    /// How many descriptors it takes at a time to get at those of one file.
    pub(crate) fn fds_per_file(&self) -> usize {
        match self {
            Contents::Plain | Contents::Decompressed { alone: true } => 1,
            // The file twice.
            Contents::Decompressed { alone: false } => 2 + CommandOutput::PIPES,
            Contents::Preprocessed(_) => 1 + CommandOutput::PIPES,
        }
    }
}

impl<'a> Opener<'a> {
    /// An opener without decoders yet.
    pub(crate) fn new(contents: &'a Contents) -> Opener<'a> {
        Opener { contents, decoders: Decoders::default() }
    }

    /// The contents of `file`, which is known as `path`.
    ///
    /// # Errors
    /// The program that is to read it cannot be run.
    pub(crate) fn open(&mut self, path: &[u8], file: File) -> io::Result<Opened> {
        match self.contents {
            Contents::Plain => Ok(Opened::Plain(file)),
            Contents::Preprocessed(preprocessor) => preprocessor.open(path, file),
            Contents::Decompressed { alone } => self.decompress(path, file, *alone),
        }
    }

    /// Whether the user's command is run for the file known as `path`. Those that decompress only print.
    pub(crate) fn runs_command_for(&self, path: &[u8]) -> bool {
        match self.contents {
            Contents::Plain | Contents::Decompressed { .. } => false,
            Contents::Preprocessed(preprocessor) => {
                path.to_path().is_ok_and(|name| preprocessor.globs.includes(name))
            }
        }
    }

    /// Keep what can be used for further files.
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

/// What one of the programs for it makes of a `*.Z`. Without any the file is searched as it is, like ripgrep does.
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

/// Where a program of this name lies, by the absolute directories of `PATH`. Others may be in the tree that is searched,
/// where anybody may have put a program.
fn in_path(name: &Path) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let directories = env::split_paths(&path).filter(|directory| directory.is_absolute());
    directories.map(|directory| directory.join(name)).find(|program| program.is_file())
}

impl Preprocessor {
    pub(crate) fn new(command: PathBuf, globs: PathGlobs) -> Preprocessor {
        Preprocessor { command, globs, is_missing: Arc::default() }
    }

    fn open(&self, path: &[u8], file: File) -> io::Result<Opened> {
        // Off Unix a path may be no text, and then it cannot be told to a command.
        let name = path.to_path().map_err(io::Error::other)?;
        if !self.globs.includes(name) {
            log::debug!("{}: not preprocessed: no --pre-glob matches", path.as_bstr());
            return Ok(Opened::Plain(file));
        }
        let mut command = Command::new(&self.command);
        command.arg(name);
        let shown = format!("{command:?}");
        let prelude = format!("preprocessor command failed: '{shown}': ");
        let output = CommandOutput::spawn(&mut command, file, prelude).map_err(|error| {
            let is_missing = error.kind() == io::ErrorKind::NotFound;
            // Ordering: Relaxed; the flag stands for itself, and one worker swaps first.
            if is_missing && self.is_missing.swap(true, Ordering::Relaxed) {
                return io::Error::other(Repeated);
            }
            io::Error::other(format!("preprocessor command could not start: '{shown}': {error}"))
        })?;
        log::debug!("{}: preprocessed by {shown}", path.as_bstr());
        Ok(Opened::Output(output))
    }
}
