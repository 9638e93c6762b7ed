//! The contents of compressed files (`-z`), decoded in this process as they are read.
//!
//! The name of a file determines its format, as in ripgrep 15.2. Contents in another format are an
//! error, like every error of a decoder. The bytes that were decoded before an error are searched.
//! This includes the limit that a small file decompresses to far too much ([`MAX_RATIO`]).
//!
//! A worker reuses its decoders and their windows ([`Decoders`]), because creating one takes longer
//! than decoding a small file.
//!
//! | module | format | what comes after the end |
//! |---|---|---|
//! | `gzip` | `*.gz`, `*.tgz` | more members; zeros are ignored, anything else is an error |
//! | `bzip2` | `*.bz2`, `*.tbz2` | more streams; anything else is ignored |
//! | `xz` | `*.xz`, `*.txz`; `*.lzma` | more streams, zeros; nothing after lzma |
//! | `lz4` | `*.lz4` | more frames |
//! | `brotli` | `*.br` | nothing |
//! | `zstd` | `*.zst`, `*.zstd` | more frames |
//!
//! These are the rules of the programs that ripgrep runs. `streams` has the common part of all
//! decoders. `*.Z` has none here: another program decodes it.

mod brotli;
mod bzip2;
mod gzip;
mod input;
mod lz4;
mod streams;
#[cfg(test)]
mod tests;
mod xz;
mod zstd;

use std::{
    fmt,
    fs::File,
    io::{self, Read},
    panic::{AssertUnwindSafe, catch_unwind},
};

use self::streams::{Engine, StreamDecoder, Streams};

/// The largest read from a decoder, in bytes. A decoder that fails may lose the bytes of the
/// current read, so reads are small.
const PIECE: usize = 8 << 10;

/// The size that every file may decompress to, in bytes.
const ALLOWANCE: u64 = 256 << 20;

/// The size that a file may decompress to beyond that, in multiples of its own size. Neither text
/// nor logs compress so well; files that do are made to exhaust memory.
const MAX_RATIO: u64 = 256;

/// A compression format.
#[derive(Debug)]
pub(crate) struct Format {
    name: &'static str,
    /// The ends of file names, case-sensitive as in ripgrep.
    ends: &'static [&'static str],
    /// Makes a decoder. `None` if other programs decode it.
    decoder: Option<fn() -> Box<dyn Engine>>,
}

/// All formats.
static FORMATS: [Format; 8] = [
    Format { name: "gzip", ends: &[".gz", ".tgz"], decoder: Some(decoder::<gzip::Gzip>) },
    Format { name: "bzip2", ends: &[".bz2", ".tbz2"], decoder: Some(decoder::<bzip2::Bzip2>) },
    Format { name: "xz", ends: &[".xz", ".txz"], decoder: Some(decoder::<xz::Xz>) },
    Format { name: "lz4", ends: &[".lz4"], decoder: Some(decoder::<lz4::Lz4>) },
    Format { name: "lzma", ends: &[".lzma"], decoder: Some(decoder::<xz::Lzma>) },
    Format { name: "brotli", ends: &[".br"], decoder: Some(decoder::<brotli::Brotli>) },
    Format { name: "zstd", ends: &[".zst", ".zstd"], decoder: Some(decoder::<zstd::Zstd>) },
    // The format of the Unix program compress is hardly written any more.
    Format { name: "compress", ends: &[".Z"], decoder: None },
];

fn decoder<S: Streams + 'static>() -> Box<dyn Engine> {
    Box::new(StreamDecoder::<S>::new())
}

impl Format {
    /// Returns the format for the name of `path`, if there is one.
    pub(crate) fn of(path: &[u8]) -> Option<&'static Format> {
        let has_end = |end: &&str| path.ends_with(end.as_bytes());
        FORMATS.iter().find(|format| format.ends.iter().any(has_end))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// One worker's idle decoders, at most one per format.
#[derive(Default)]
pub(crate) struct Decoders {
    kept: Vec<Decoder>,
}

impl Decoders {
    /// Returns a decoder of `file`.
    ///
    /// # Errors
    /// Returns the file if no decoder for `format` exists.
    pub(crate) fn open(&mut self, format: &'static Format, file: File) -> Result<Decoder, File> {
        let kept = self.kept.iter().position(|decoder| decoder.format.name == format.name);
        let mut engine = match (kept, format.decoder) {
            (Some(index), _) => self.kept.swap_remove(index).engine,
            (None, Some(new)) => new(),
            (None, None) => return Err(file),
        };
        let left = most(&file);
        engine.open(file);
        Ok(Decoder { format, engine, left, end: None })
    }

    /// Closes the file of `decoder`, and stores the decoder for another file.
    pub(crate) fn keep(&mut self, mut decoder: Decoder) {
        let is_sound = !matches!(decoder.end, Some(Err(_)));
        if is_sound && decoder.engine.close() {
            self.kept.push(decoder);
        }
    }
}

/// The number of bytes that `file` may decompress to. A named pipe has no size and no limit.
fn most(file: &File) -> u64 {
    match file.metadata() {
        Ok(metadata) if metadata.is_file() => {
            metadata.len().saturating_mul(MAX_RATIO).saturating_add(ALLOWANCE)
        }
        _ => u64::MAX,
    }
}

/// The error of a file that cannot be decoded further: what was decoded before is searched, also an
/// incomplete last line.
fn damaged(fault: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, fault)
}

/// Reads the contents of a compressed file.
pub(crate) struct Decoder {
    format: &'static Format,
    engine: Box<dyn Engine>,
    /// The number of bytes that it may still return.
    left: u64,
    /// The result at the end of the file, which further reads repeat.
    end: Option<Result<(), String>>,
}

impl Read for Decoder {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match &self.end {
            _ if into.is_empty() => return Ok(0),
            Some(Ok(())) => return Ok(0),
            Some(Err(fault)) => return Err(damaged(fault.clone())),
            None => {}
        }
        let engine = &mut self.engine;
        let wanted = into.len().min(PIECE);
        let into = &mut into[..wanted];
        // Decoders read untrusted files. None is known to panic; a panic is an error of the file,
        // after which the engine is not used again.
        let read = catch_unwind(AssertUnwindSafe(|| engine.read(into)));
        let fault = match read {
            Ok(Ok(0)) => {
                self.end = Some(Ok(()));
                return Ok(0);
            }
            Ok(Ok(got)) if got as u64 <= self.left => {
                self.left -= got as u64;
                return Ok(got);
            }
            Ok(Ok(_)) => format!(
                "decompresses to more than {MAX_RATIO} times its size and {} MiB",
                ALLOWANCE >> 20
            ),
            Ok(Err(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
                "unexpected end of file".to_owned()
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => "the decoder failed".to_owned(),
        };
        let format = format!("{}: ", self.format);
        // Some decoders name the format themselves.
        let fault = if fault.starts_with(&format) { fault } else { format + &fault };
        self.end = Some(Err(fault.clone()));
        Err(damaged(fault))
    }
}
