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
//! These are the rules of the programs that ripgrep runs. `*.Z` has no decoder here: see
//! [`Format::Compress`].

mod brotli;
mod bzip2;
mod gzip;
mod input;
mod lz4;
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

/// The largest read from a decoder, in bytes. A decoder that fails may lose the bytes of the
/// current read, so reads are small.
const PIECE: usize = 8 << 10;

/// The size that every file may decompress to, in bytes.
const ALLOWANCE: u64 = 256 << 20;

/// The size that a file may decompress to beyond that, in multiples of its own size. Neither text
/// nor logs compress so well; files that do are made to exhaust memory.
const MAX_RATIO: u64 = 256;

/// A zstd decoder whose window has held more bytes than this is dropped.
const KEPT: u64 = 8 << 20;

/// A compression format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Gzip,
    Bzip2,
    Xz,
    Lzma,
    Lz4,
    Brotli,
    Zstd,
    /// The format of the Unix program compress. Other programs decode it, since it is hardly
    /// written any more.
    Compress,
}

/// File name extensions and their formats, case-sensitive as in ripgrep.
const NAMES: &[(&[u8], Format)] = &[
    (b".gz", Format::Gzip),
    (b".tgz", Format::Gzip),
    (b".bz2", Format::Bzip2),
    (b".tbz2", Format::Bzip2),
    (b".xz", Format::Xz),
    (b".txz", Format::Xz),
    (b".lz4", Format::Lz4),
    (b".lzma", Format::Lzma),
    (b".br", Format::Brotli),
    (b".zst", Format::Zstd),
    (b".zstd", Format::Zstd),
    (b".Z", Format::Compress),
];

impl Format {
    /// Returns the format for the name of `path`, if there is one.
    pub(crate) fn of(path: &[u8]) -> Option<Format> {
        NAMES.iter().find(|(end, _)| path.ends_with(end)).map(|&(_, format)| format)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Gzip => "gzip",
            Format::Bzip2 => "bzip2",
            Format::Xz => "xz",
            Format::Lzma => "lzma",
            Format::Lz4 => "lz4",
            Format::Brotli => "brotli",
            Format::Zstd => "zstd",
            Format::Compress => "compress",
        })
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
    pub(crate) fn open(&mut self, format: Format, file: File) -> Result<Decoder, File> {
        if let Some(index) = self.kept.iter().position(|decoder| decoder.format == format) {
            let mut decoder = self.kept.swap_remove(index);
            decoder.left = most(&file);
            decoder.engine.reopen(file);
            decoder.end = None;
            return Ok(decoder);
        }
        let left = most(&file);
        let engine = Engine::new(format, file)?;
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

/// Reads the contents of a compressed file.
pub(crate) struct Decoder {
    format: Format,
    engine: Engine,
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
            Some(Err(fault)) => return Err(io::Error::other(fault.clone())),
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
        Err(io::Error::other(fault))
    }
}

/// The decoder of one format.
enum Engine {
    Gzip(Box<gzip::Gzip>),
    Bzip2(bzip2::Bzip2),
    Xz(Box<xz::Xz>),
    Lzma(xz::Lzma),
    Lz4(Box<lz4::Lz4>),
    Brotli(Box<brotli::Brotli>),
    Zstd(Box<zstd::Zstd>),
}

impl Engine {
    fn new(format: Format, file: File) -> Result<Engine, File> {
        let mut engine = match format {
            Format::Xz => return Ok(Engine::Xz(Box::new(xz::Xz::new(file)))),
            Format::Lzma => return Ok(Engine::Lzma(xz::Lzma::new(file))),
            Format::Brotli => return Ok(Engine::Brotli(Box::new(brotli::Brotli::new(file)))),
            Format::Compress => return Err(file),
            Format::Gzip => Engine::Gzip(Box::new(gzip::Gzip::new())),
            Format::Bzip2 => Engine::Bzip2(bzip2::Bzip2::new()),
            Format::Lz4 => Engine::Lz4(Box::new(lz4::Lz4::new())),
            Format::Zstd => Engine::Zstd(Box::new(zstd::Zstd::new())),
        };
        engine.reopen(file);
        Ok(engine)
    }

    /// Starts to decode `file`.
    fn reopen(&mut self, file: File) {
        match self {
            Engine::Gzip(gzip) => gzip.open(file),
            Engine::Bzip2(bzip2) => bzip2.open(file),
            Engine::Lz4(lz4) => lz4.open(file),
            Engine::Zstd(zstd) => zstd.open(file),
            // These have no state worth reusing.
            Engine::Xz(xz) => **xz = xz::Xz::new(file),
            Engine::Lzma(lzma) => *lzma = xz::Lzma::new(file),
            Engine::Brotli(brotli) => **brotli = brotli::Brotli::new(file),
        }
    }

    /// Closes the file, and returns whether the decoder is worth keeping.
    fn close(&mut self) -> bool {
        match self {
            Engine::Gzip(gzip) => gzip.close(),
            Engine::Bzip2(bzip2) => bzip2.close(),
            Engine::Lz4(lz4) => lz4.close(),
            Engine::Zstd(zstd) => {
                zstd.close();
                return zstd.returned() <= KEPT;
            }
            Engine::Xz(_) | Engine::Lzma(_) | Engine::Brotli(_) => return false,
        }
        true
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Engine::Gzip(gzip) => gzip.read(into),
            Engine::Bzip2(bzip2) => bzip2.read(into),
            Engine::Xz(xz) => xz.read(into),
            Engine::Lzma(lzma) => lzma.read(into),
            Engine::Lz4(lz4) => lz4.read(into),
            Engine::Brotli(brotli) => brotli.read(into),
            Engine::Zstd(zstd) => zstd.read(into),
        }
    }
}
