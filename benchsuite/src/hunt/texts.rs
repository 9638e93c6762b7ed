//! Texts made of a source tree's words, of kinds that such a tree rarely has.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use fastrand::Rng;

use super::draw::{Ground, Vocabulary};

/// The kinds: the file's name, and the flags that each search in it has.
const KINDS: [(&str, &[&str]); 6] = [
    ("times.log", &[]),
    ("lines-of-500-kB.js", &[]),
    ("one-line.txt", &[]),
    ("records.bin", &["--null-data"]),
    ("cyrillic.txt", &[]),
    ("utf-16.txt", &[]),
];

/// The length of a long line in bytes.
const LONG_LINE_BYTES: usize = 500_000;

/// Writes a text of each kind with about `size` bytes to `directory`, made of a tree's words.
pub(super) fn write(
    directory: &Path,
    of_tree: &Vocabulary,
    size: usize,
    seed: u64,
) -> io::Result<Vec<Ground>> {
    let of_kind = |(number, &(name, flags)): (usize, &(&'static str, &'static [&str]))| {
        let mut random = Rng::with_seed(seed ^ number as u64);
        let mut file = BufWriter::new(File::create(directory.join(name))?);
        let vocabulary = of_tree.spelled(|word| match name {
            "cyrillic.txt" => cyrillic(word),
            _ => word.to_owned(),
        });
        let mut written = 0;
        if name == "utf-16.txt" {
            file.write_all(b"\xFF\xFE")?;
        }
        while written < size {
            let line = line(name, &vocabulary, &mut random);
            written += line.len();
            match name {
                "utf-16.txt" => {
                    let units: Vec<u8> = line.encode_utf16().flat_map(u16::to_le_bytes).collect();
                    file.write_all(&units)?;
                }
                _ => file.write_all(line.as_bytes())?,
            }
        }
        file.flush()?;
        let (directory, places) = (directory.to_owned(), vec![name.to_owned()]);
        Ok(Ground { name: PathBuf::new(), directory, places, flags, vocabulary })
    };
    KINDS.iter().enumerate().map(of_kind).collect()
}

/// A line for this kind of text, with its end; a part of the line if there is only one.
fn line(name: &str, vocabulary: &Vocabulary, random: &mut Rng) -> String {
    let mut words = |number: usize, between: &[&str]| {
        let mut line = String::new();
        for _ in 0..number {
            line += &vocabulary.word(random);
            line += between[random.usize(..between.len())];
        }
        line
    };
    match name {
        "times.log" => {
            let text = words(6, &[" ", "=", ": "]);
            let (second, number) = (random.u32(..86_400), random.u32(..100_000));
            let level = ["INFO", "INFO", "INFO", "WARN", "ERROR"][random.usize(..5)];
            let (hour, minute) = (second / 3600, second / 60 % 60);
            format!(
                "2026-11-24T{hour:02}:{minute:02}:{:02}Z {level} [{number}] {text}\n",
                second % 60
            )
        }
        "lines-of-500-kB.js" => {
            words(LONG_LINE_BYTES / 8, &["(", ");", ",", ".", "=", "{", "}", " "]) + "\n"
        }
        "one-line.txt" => words(1000, &[" ", ", ", ". "]),
        "records.bin" => words(8, &[" ", "\n", "\t"]) + "\0",
        _ => words(9, &[" ", " ", ", ", ". "]) + "\n",
    }
}

/// A word with a Cyrillic letter in the place of each Latin one.
fn cyrillic(word: &str) -> String {
    let spell = |c: char| match c {
        'a'..='z' => char::from_u32('а' as u32 + (c as u32 - 'a' as u32)).unwrap_or(c),
        'A'..='Z' => char::from_u32('А' as u32 + (c as u32 - 'A' as u32)).unwrap_or(c),
        _ => c,
    };
    word.chars().map(spell).collect()
}
