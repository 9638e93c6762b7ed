//! Random files to search: lines of random words, and the properties that make a file unusual
//! (NUL bytes, long lines, UTF-16, compression).

use std::{borrow::Cow, fmt, io::Write};

use crate::{
    answer::excerpt,
    random::{Choose, Rng},
    words,
};

/// A file to search.
#[derive(Clone, Debug)]
pub(crate) struct Haystack {
    /// The file's path in the tree.
    pub(crate) name: &'static str,
    /// The file's lines with their terminators.
    pub(crate) lines: Vec<Vec<u8>>,
    /// The file is padded to megabytes.
    is_large: bool,
    storage: Storage,
}

/// How the lines are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Storage {
    Plain,
    /// UTF-16 with a byte order mark, little-endian or big-endian.
    Utf16 {
        little_endian: bool,
    },
    Gzip,
    Bzip2,
}

/// The paths of files; the first are the most common.
const NAMES: &str = "a.txt b.rs sub/c.txt d sub/deep/e.rs noise.log .hidden.txt .dir/f.txt
    sub/noise.LOG packed.gz g.gz h.bz2 Sub.TXT sub/.i";

impl Haystack {
    /// Returns `count` files with different names.
    pub(crate) fn files(rng: &mut Rng, count: usize) -> Vec<Haystack> {
        let names: Vec<&str> = NAMES.split_whitespace().collect();
        let mut files: Vec<Haystack> = Vec::new();
        while files.len() < count {
            let limit = if rng.chance(50) { 4 } else { names.len() };
            let name = names[rng.usize(..limit)];
            if files.iter().all(|file| file.name != name) {
                files.push(Haystack::generate(rng, name));
            }
        }
        files
    }

    /// Returns a file with random lines, which is sometimes larger than a read block.
    fn generate(rng: &mut Rng, name: &'static str) -> Haystack {
        let mut lines: Vec<Vec<u8>> = (0..rng.usize(..12)).map(|_| line(rng)).collect();
        if rng.chance(12) {
            // Beyond the first 64 KiB, where the next block begins, or beyond one read.
            let filler: &[u8] = rng.pick(&[&b"filler without any\n"[..], b"gem here and there\n"]);
            let at = rng.usize(..lines.len() + 1);
            let block = filler.repeat(rng.pick(&[3400, 3400, 6850, 10_300]) + rng.usize(..100));
            lines.splice(at..at, block.split_inclusive(|&b| b == b'\n').map(<[u8]>::to_vec));
        }
        if rng.chance(4) {
            let long = [&b"x".repeat(70_000 + rng.usize(..100_000))[..], b"gem\n"].concat();
            lines.insert(rng.usize(..lines.len() + 1), long);
        }
        if rng.chance(10) {
            let nul = rng.pick(&[&b"\0\n"[..], b"gem\0gem\n", b"\0"]);
            lines.insert(rng.usize(..lines.len() + 1), nul.to_vec());
        }
        if rng.chance(5) {
            lines.insert(0, b"\xef\xbb\xbf".to_vec());
        }
        if rng.chance(12) {
            lines = lines.iter().map(|line| with_carriage_return(line)).collect();
        }
        if rng.chance(30)
            && let Some(last) = lines.last_mut()
            && last.last() == Some(&b'\n')
        {
            last.pop();
        }
        Haystack { name, lines, is_large: false, storage: storage(rng, name) }
    }

    /// Makes the file so large that several workers search it.
    pub(crate) fn enlarge(&mut self) {
        self.is_large = true;
    }

    /// The text of the file: its lines or, if it is large, nine times a megabyte of other lines and
    /// its lines.
    fn text(&self) -> Vec<u8> {
        let lines = self.lines.concat();
        if !self.is_large {
            return lines;
        }
        let filler = [&b"x".repeat(1000)[..], b"\n"].concat().repeat(1000);
        [filler, lines].concat().repeat(9)
    }

    /// The bytes of the file on disk.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let text = self.text();
        match self.storage {
            Storage::Plain => text,
            Storage::Utf16 { little_endian } => {
                let to_bytes = if little_endian { u16::to_le_bytes } else { u16::to_be_bytes };
                let decoded: Cow<'_, str> = String::from_utf8_lossy(&text);
                let marked = std::iter::once(0xfeff).chain(decoded.encode_utf16());
                marked.flat_map(to_bytes).collect()
            }
            Storage::Gzip => {
                let mut out =
                    flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                out.write_all(&text).expect("writing to memory");
                out.finish().expect("writing to memory")
            }
            Storage::Bzip2 => {
                let mut out = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
                out.write_all(&text).expect("writing to memory");
                out.finish().expect("writing to memory")
            }
        }
    }

    /// Whether the bytes on disk contain a NUL.
    pub(crate) fn has_nul(&self) -> bool {
        self.bytes().contains(&0)
    }

    pub(crate) fn is_compressed(&self) -> bool {
        matches!(self.storage, Storage::Gzip | Storage::Bzip2)
    }

    /// Whether the name of the file promises that it is compressed, but it is not.
    pub(crate) fn is_misnamed(&self) -> bool {
        !self.is_compressed() && (self.name.ends_with(".gz") || self.name.ends_with(".bz2"))
    }

    /// Whether the file is longer than small reads and small pipes.
    pub(crate) fn is_long(&self) -> bool {
        self.is_large || self.lines.iter().map(Vec::len).sum::<usize>() > 8000
    }

    /// Whether a line is longer than the 64 KiB that ripgrep reads at a time.
    pub(crate) fn has_long_line(&self) -> bool {
        self.text().split(|&byte| byte == b'\n').any(|line| line.len() > 64 << 10)
    }
}

/// How a file of this name is stored: mostly as its extension promises.
fn storage(rng: &mut Rng, name: &str) -> Storage {
    let is_mismatch = rng.chance(10);
    match name.rsplit('.').next() {
        Some("gz") if !is_mismatch => Storage::Gzip,
        Some("bz2") if !is_mismatch => Storage::Bzip2,
        _ if rng.chance(4) => Storage::Utf16 { little_endian: rng.chance(50) },
        _ => Storage::Plain,
    }
}

fn line(rng: &mut Rng) -> Vec<u8> {
    let mut line: Vec<u8> =
        (0..rng.usize(..6)).flat_map(|_| rng.pick(&words::words()).to_vec()).collect();
    if rng.chance(10) {
        line.push(b'\r');
    }
    line.push(b'\n');
    line
}

fn with_carriage_return(line: &[u8]) -> Vec<u8> {
    match line.strip_suffix(b"\n") {
        Some(text) if !text.ends_with(b"\r") => [text, b"\r\n"].concat(),
        _ => line.to_vec(),
    }
}

impl fmt::Display for Haystack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let large = if self.is_large { ", padded with megabytes, nine times" } else { "" };
        writeln!(f, "{}, {:?}{large}:", self.name, self.storage)?;
        for same in self.lines.chunk_by(|a, b| a == b) {
            writeln!(f, "    {} times {} bytes: {}", same.len(), same[0].len(), excerpt(&same[0]))?;
        }
        Ok(())
    }
}
