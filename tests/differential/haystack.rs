//! Random files to search in: lines made of [`WORDS`], and what makes a file unusual.

use std::{borrow::Cow, fmt, io::Write};

use crate::{answer::cut, grow::Random, words::WORDS};

/// A file to search in.
#[derive(Clone, Debug)]
pub(crate) struct Haystack {
    /// Where it lies in the tree.
    pub(crate) name: &'static str,
    /// Its lines, each with its end.
    pub(crate) lines: Vec<Vec<u8>>,
    /// They stand in a file of megabytes.
    is_large: bool,
    packing: Packing,
}

/// How the lines are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    Plain,
    /// UTF-16 with a byte order mark, the lower byte first or last.
    Utf16 {
        low_first: bool,
    },
    Gzip,
    Bzip2,
}

/// Where the files of a tree lie; those at the front are the commonest.
const NAMES: [&str; 14] = [
    "a.txt",
    "b.rs",
    "sub/c.txt",
    "d",
    "sub/deep/e.rs",
    "noise.log",
    ".hidden.txt",
    ".dir/f.txt",
    "sub/noise.LOG",
    "packed.gz",
    "g.gz",
    "h.bz2",
    "Sub.TXT",
    "sub/.i",
];

impl Haystack {
    /// A tree of `count` files, the names all different.
    pub(crate) fn tree(random: &mut Random, count: usize) -> Vec<Haystack> {
        let mut tree: Vec<Haystack> = Vec::new();
        while tree.len() < count {
            let limit = if random.chance(50) { 4 } else { NAMES.len() };
            let name = NAMES[random.below(limit)];
            if tree.iter().all(|file| file.name != name) {
                tree.push(Haystack::grow(random, name));
            }
        }
        tree
    }

    /// A file with random lines: small mostly, larger than a read block now and then.
    fn grow(random: &mut Random, name: &'static str) -> Haystack {
        let mut lines: Vec<Vec<u8>> = (0..random.below(12)).map(|_| line(random)).collect();
        if random.chance(12) {
            // Past the first 64 KiB, where the next block begins, or past what is read at once.
            let filler: &[u8] =
                [&b"filler without any\n"[..], b"gem here and there\n"][random.below(2)];
            let at = random.below(lines.len() + 1);
            let block =
                filler.repeat([3400, 3400, 6850, 10_300][random.below(4)] + random.below(100));
            lines.splice(at..at, block.split_inclusive(|&b| b == b'\n').map(<[u8]>::to_vec));
        }
        if random.chance(4) {
            let long = [&b"x".repeat(70_000 + random.below(100_000))[..], b"gem\n"].concat();
            lines.insert(random.below(lines.len() + 1), long);
        }
        if random.chance(10) {
            let nul = [&b"\0\n"[..], b"gem\0gem\n", b"\0"][random.below(3)];
            lines.insert(random.below(lines.len() + 1), nul.to_vec());
        }
        if random.chance(5) {
            lines.insert(0, b"\xef\xbb\xbf".to_vec());
        }
        if random.chance(12) {
            lines = lines.iter().map(|line| with_carriage_return(line)).collect();
        }
        if random.chance(30)
            && let Some(last) = lines.last_mut()
            && last.last() == Some(&b'\n')
        {
            last.pop();
        }
        Haystack { name, lines, is_large: false, packing: packing(random, name) }
    }

    /// Make it so large that several workers search it.
    pub(crate) fn enlarge(&mut self) {
        self.is_large = true;
    }

    /// Its text: its lines, or a megabyte of others and its lines, over and over.
    fn text(&self) -> Vec<u8> {
        let lines = self.lines.concat();
        if !self.is_large {
            return lines;
        }
        let filler = [&b"x".repeat(1000)[..], b"\n"].concat().repeat(1000);
        [filler, lines].concat().repeat(9)
    }

    /// What is in the file on disk.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let text = self.text();
        match self.packing {
            Packing::Plain => text,
            Packing::Utf16 { low_first } => {
                let to_bytes = if low_first { u16::to_le_bytes } else { u16::to_be_bytes };
                let decoded: Cow<'_, str> = String::from_utf8_lossy(&text);
                let marked = std::iter::once(0xfeff).chain(decoded.encode_utf16());
                marked.flat_map(to_bytes).collect()
            }
            Packing::Gzip => {
                let mut out =
                    flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                out.write_all(&text).expect("a vector takes everything");
                out.finish().expect("a vector takes everything")
            }
            Packing::Bzip2 => {
                let mut out = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
                out.write_all(&text).expect("a vector takes everything");
                out.finish().expect("a vector takes everything")
            }
        }
    }

    /// Whether a NUL is found in it when it is read as it is.
    pub(crate) fn has_nul(&self) -> bool {
        self.bytes().contains(&0)
    }

    /// Whether it is longer than small reads and small pipes.
    pub(crate) fn is_long(&self) -> bool {
        self.is_large || self.lines.iter().map(Vec::len).sum::<usize>() > 8000
    }

    /// Whether a line of its text is longer than the 64 KiB that ripgrep reads at a time.
    pub(crate) fn has_long_line(&self) -> bool {
        self.text().split(|&byte| byte == b'\n').any(|line| line.len() > 64 << 10)
    }
}

/// How a file of this name is stored: as its name says mostly.
fn packing(random: &mut Random, name: &str) -> Packing {
    let odd = random.chance(10);
    match name.rsplit('.').next() {
        Some("gz") if !odd => Packing::Gzip,
        Some("bz2") if !odd => Packing::Bzip2,
        _ if random.chance(4) => Packing::Utf16 { low_first: random.chance(50) },
        _ => Packing::Plain,
    }
}

fn line(random: &mut Random) -> Vec<u8> {
    let mut line: Vec<u8> =
        (0..random.below(6)).flat_map(|_| random.pick(&WORDS).to_vec()).collect();
    if random.chance(10) {
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
        let large = if self.is_large { ", between megabytes, nine times" } else { "" };
        writeln!(f, "{}, {:?}{large}:", self.name, self.packing)?;
        for same in self.lines.chunk_by(|a, b| a == b) {
            writeln!(f, "    {} times {} bytes: {}", same.len(), same[0].len(), cut(&same[0]))?;
        }
        Ok(())
    }
}
