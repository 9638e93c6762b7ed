//! What compressed files contain (`-z`), decoded in this process as they are read.
//!
//! A file's first bytes determine its format, whatever its name is; a name decides where they
//! cannot ([`CompressionFormat::of`]). A file in no format is searched as it is. The bytes that
//! were decoded before an error are searched. One error is that a small file decompresses to far
//! too much ([`MAX_RATIO`]), another that much of a file contains nothing (in `input`).
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
//! | `compress` | `*.Z` | the format has no end |
//!
//! The programs that ripgrep runs have these rules. `streams` has what all decoders share.

mod brotli;
mod bzip2;
mod compress;
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

use self::streams::{AnyDecoder, StreamDecoder, Streams};

/// The largest read from a decoder, in bytes. A decoder that fails may lose the bytes of the
/// current read, so reads are small.
const MAX_READ_BYTES: usize = 8 << 10;

/// The size that every file may decompress to, in bytes.
const ALLOWANCE: u64 = 256 << 20;

/// The size that a file may decompress to beyond that, in multiples of what was read. Neither text
/// nor logs compress so well; files that do are made to exhaust memory.
const MAX_RATIO: u64 = 256;

/// A compression format.
#[derive(Debug)]
pub(crate) struct CompressionFormat {
    name: &'static str,
    /// How file names end, in either case, except for compress.
    ends: &'static [&'static str],
    /// What a file begins with: one of these. If there is none, the name alone decides.
    magic: &'static [&'static [u8]],
    /// Whether a file that begins like this is in the format, whatever its name is.
    begins: fn(&[u8]) -> bool,
    decoder: fn() -> Box<dyn AnyDecoder>,
}

/// All formats.
static FORMATS: [CompressionFormat; 8] = [
    CompressionFormat {
        name: "gzip",
        ends: &[".gz", ".tgz"],
        magic: &[gzip::GZIP_MAGIC],
        begins: gzip::begins,
        decoder: decoder::<gzip::Gzip>,
    },
    CompressionFormat {
        name: "bzip2",
        ends: &[".bz2", ".tbz2"],
        magic: &[bzip2::BZIP2_MAGIC],
        begins: bzip2::begins,
        decoder: decoder::<bzip2::Bzip2>,
    },
    CompressionFormat {
        name: "xz",
        ends: &[".xz", ".txz"],
        magic: &[xz::XZ_MAGIC],
        begins: |start| start.starts_with(xz::XZ_MAGIC),
        decoder: decoder::<xz::Xz>,
    },
    CompressionFormat {
        name: "lz4",
        ends: &[".lz4"],
        magic: &[lz4::LZ4_MAGIC, lz4::LEGACY_MAGIC],
        begins: |start| start.starts_with(lz4::LZ4_MAGIC) || start.starts_with(lz4::LEGACY_MAGIC),
        decoder: decoder::<lz4::Lz4>,
    },
    CompressionFormat {
        name: "lzma",
        ends: &[".lzma"],
        magic: &[],
        begins: |_| false,
        decoder: decoder::<xz::Lzma>,
    },
    CompressionFormat {
        name: "brotli",
        ends: &[".br"],
        magic: &[],
        begins: |_| false,
        decoder: decoder::<brotli::Brotli>,
    },
    CompressionFormat {
        name: "zstd",
        ends: &[".zst", ".zstd"],
        magic: &[zstd::ZSTD_MAGIC],
        begins: |start| start.starts_with(zstd::ZSTD_MAGIC),
        decoder: decoder::<zstd::Zstd>,
    },
    CompressionFormat {
        name: "compress",
        ends: &[".Z"],
        magic: &[compress::COMPRESS_MAGIC],
        begins: compress::begins,
        decoder: decoder::<compress::Compress>,
    },
];

fn decoder<S: Streams + 'static>() -> Box<dyn AnyDecoder> {
    Box::new(StreamDecoder::<S>::new())
}

/// How many bytes at a file's start determine its format, at most.
const START: usize = 10;

impl CompressionFormat {
    /// Returns the format of the file at `path` that begins with `start`, if it has one.
    ///
    /// A file without contents, and one that is cut off within its first bytes, has the format of
    /// its name: that it ends too early is an error.
    pub(crate) fn of(path: &[u8], start: &[u8]) -> Option<&'static CompressionFormat> {
        let named = FORMATS.iter().find(|format| format.is_named(path));
        if let Some(named) = named.filter(|named| named.may_begin(start)) {
            return Some(named);
        }
        FORMATS.iter().find(|format| (format.begins)(start))
    }

    /// Whether `path` ends like a file name in this format.
    fn is_named(&self, path: &[u8]) -> bool {
        self.ends.iter().any(|end| match path.len().checked_sub(end.len()) {
            // An older format has the name `.z`.
            _ if *end == ".Z" => path.ends_with(end.as_bytes()),
            Some(at) => path[at..].eq_ignore_ascii_case(end.as_bytes()),
            None => false,
        })
    }

    /// Whether a file with a name for this format is in it if it begins like this.
    fn may_begin(&self, start: &[u8]) -> bool {
        let has_frames =
            self.magic.contains(&lz4::LZ4_MAGIC) || self.magic.contains(&zstd::ZSTD_MAGIC);
        self.magic.is_empty()
            || self.magic.iter().any(|magic| magic.starts_with(start) || start.starts_with(magic))
            || has_frames && input::is_skippable(&start[..start.len().min(4)])
    }
}

/// Whether `path` ends like the name of a compressed file.
pub(crate) fn is_compressed_name(path: &[u8]) -> bool {
    FORMATS.iter().any(|format| format.is_named(path))
}

/// A file's first bytes, as many as are needed to know its format.
#[derive(Debug, Default)]
pub(crate) struct Start {
    bytes: [u8; START],
    len: usize,
}

impl Start {
    /// Reads the start of `file`, which is a stream: it waits for no more than needed.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn read(file: &mut File) -> io::Result<Start> {
        let mut start = Start::default();
        while start.len < START && start.is_undecided() {
            match file.read(&mut start.bytes[start.len..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Some of the kernel's files refuse reads of this length.
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => break,
                Ok(0) => break,
                read => start.len += read?,
            }
        }
        Ok(start)
    }

    /// Whether a format may begin like this.
    fn is_undecided(&self) -> bool {
        let start = self.bytes();
        let magic = FORMATS.iter().flat_map(|format| format.magic);
        start.is_empty()
            || magic.into_iter().any(|magic| magic.starts_with(start) || start.starts_with(magic))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl fmt::Display for CompressionFormat {
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
    /// Returns a decoder for `file`. `start` has been read from it.
    pub(crate) fn open(
        &mut self,
        format: &'static CompressionFormat,
        file: File,
        start: &[u8],
    ) -> Decoder {
        let kept = self.kept.iter().position(|decoder| decoder.format.name == format.name);
        let mut engine = match kept {
            Some(index) => self.kept.swap_remove(index).engine,
            None => (format.decoder)(),
        };
        engine.open(file, start);
        Decoder { format, engine, returned: 0, end: None }
    }

    /// Closes the decoder's file, and stores the decoder for another file.
    pub(crate) fn keep(&mut self, mut decoder: Decoder) {
        let is_sound = !matches!(decoder.end, Some(Err(_)));
        if is_sound && decoder.engine.close() {
            self.kept.push(decoder);
        }
    }
}

/// The error for a file that cannot be decoded further: what was decoded before is searched, also
/// an incomplete last line.
fn damaged(fault: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, fault)
}

/// Reads what a compressed file contains.
pub(crate) struct Decoder {
    format: &'static CompressionFormat,
    engine: Box<dyn AnyDecoder>,
    /// How many bytes it has returned.
    returned: u64,
    /// The result at the file's end, which further reads repeat.
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
        let wanted = into.len().min(MAX_READ_BYTES);
        let into = &mut into[..wanted];
        // Decoders read untrusted files. None is known to panic; a panic is an error of the file,
        // after which the engine is not used again.
        let read = catch_unwind(AssertUnwindSafe(|| engine.read(into)));
        let fault = match read {
            Ok(Ok(0)) => {
                self.end = Some(Ok(()));
                return Ok(0);
            }
            Ok(Ok(got)) => {
                self.returned += got as u64;
                let most = engine.bytes_read().saturating_mul(MAX_RATIO).saturating_add(ALLOWANCE);
                if self.returned <= most {
                    return Ok(got);
                }
                let mib = ALLOWANCE >> 20;
                format!("decompresses to more than {MAX_RATIO} times its size and {mib} MiB")
            }
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
