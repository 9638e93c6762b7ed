//! Files with contents: prose, code, tables, logs, and binary data.

use std::{io, mem, path::Path};

use fastrand::Rng;
use serde::Deserialize;

use crate::corpora::order::Order;
use crate::corpora::sample::lexicon::Lexicon;
use crate::corpora::tree::write;

/// Pieces of code. `$` is a name, `@` a name in capitals, `%` a number, `~` some words in prose.
const CODE: &str = include_str!("code.txt");
/// What is between them.
const RULE: &str = "----\n";

/// Words outside ASCII, which a few texts contain.
const FOREIGN: &str = "λόγος φύση θάλασσα мир слово книга 東京 言葉 café naïve Straße año";

/// Rare needles, each with its period: with the period 20, it is planted in one text file in 20.
/// Frequent ones need no help: `static`, `error` and `size` are in every source.
const NEEDLES: [(&str, u64); 9] = [
    ("PM_RESUME", 400),
    ("pm_resume", 700),
    ("SYSTEM_RESUME", 900),
    ("ERR_SYS", 600),
    ("PME_TURN_OFF", 1500),
    ("LINK_REQ_RST", 2500),
    ("CFG_BME_EVT", 5000),
    ("dimifoce", 3000),
    ("6021023x", 4000),
];

/// The kind of text that a file holds.
#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum TextKind {
    /// Paragraphs, in lines of about 72 bytes.
    Prose,
    /// Lines that look like the sources of a program.
    Code,
    /// A program without line ends, as sent to browsers.
    Minified,
    /// Numbers and words with commas between them.
    Table,
    /// Times and messages.
    Log,
    /// Random bytes after the magic number of an executable, which every tool takes for binary.
    Binary,
}

/// Writes files.
pub(super) struct Author<'a> {
    pub(super) order: &'a Order<'a>,
    lexicon: Lexicon,
    code: Vec<&'static str>,
    foreign: Vec<&'static str>,
    pub(super) random: Rng,
    /// The file that is being written; kept for its allocation.
    bytes: Vec<u8>,
    /// Text files so far.
    texts: u64,
}

impl Author<'_> {
    pub(super) fn new<'a>(order: &'a Order<'a>) -> Author<'a> {
        Author {
            order,
            lexicon: Lexicon::new(),
            code: CODE.split(RULE).collect(),
            foreign: FOREIGN.split(' ').collect(),
            random: Rng::with_seed(order.seed()),
            bytes: Vec::new(),
            texts: 0,
        }
    }

    /// A word for the name of a file.
    pub(super) fn name(&mut self) -> &str {
        self.lexicon.name(&mut self.random)
    }

    /// A file of this kind with about `size` bytes: it ends where its last line does.
    pub(super) fn file(&mut self, path: &Path, kind: TextKind, size: usize) -> io::Result<()> {
        self.bytes.clear();
        match kind {
            TextKind::Prose => self.prose(size),
            TextKind::Code => {
                while self.bytes.len() < size {
                    let piece = self.code[self.random.usize(..self.code.len())];
                    self.fill(piece);
                }
            }
            TextKind::Minified => {
                while self.bytes.len() < size {
                    self.fill("function $($,$){return $.$($,%)};");
                }
                self.bytes.push(b'\n');
            }
            TextKind::Table => {
                self.fill("id,name,kind,amount,total\n");
                while self.bytes.len() < size {
                    self.fill("%,$,$,%,%.%\n");
                }
            }
            TextKind::Log => self.log(size),
            TextKind::Binary => {
                self.bytes.extend_from_slice(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0");
                while self.bytes.len() < size {
                    self.bytes.extend_from_slice(&self.random.u64(..).to_le_bytes());
                }
            }
        }
        if kind != TextKind::Binary {
            self.plant_needles();
        }
        write(path, &self.bytes)
    }

    /// A file of this kind, from 256 bytes to 16 KiB and `times` as much: small ones are more
    /// frequent, the mean is 3.4 kB.
    pub(super) fn any_size(&mut self, path: &Path, kind: TextKind, times: usize) -> io::Result<()> {
        let base = 256_u64 << (self.random.u64(..4) + self.random.u64(..3));
        let size = (base + self.random.u64(..base)) as usize;
        self.file(path, kind, times * size)
    }

    fn prose(&mut self, size: usize) {
        let is_foreign = self.random.u64(..50) == 0;
        let mut column = 0;
        let mut left = 0;
        while self.bytes.len() < size {
            let begins = left == 0;
            if begins {
                left = 4 + self.random.u64(..16);
            }
            let start = self.bytes.len();
            if is_foreign && self.random.u64(..20) == 0 {
                let word = self.foreign[self.random.usize(..self.foreign.len())];
                self.bytes.extend_from_slice(word.as_bytes());
            } else {
                self.word();
            }
            if begins {
                self.bytes[start].make_ascii_uppercase();
            }
            left -= 1;
            column += self.bytes.len() - start + 1;
            let ends = left == 0;
            if ends {
                self.bytes.push(b'.');
            } else if self.random.u64(..12) == 0 {
                self.bytes.push(b',');
            }
            let end: &[u8] = if ends && self.random.u64(..6) == 0 {
                b"\n\n"
            } else if column > 70 {
                b"\n"
            } else {
                b" "
            };
            if end != b" " {
                column = 0;
            }
            self.bytes.extend_from_slice(end);
        }
        self.bytes.push(b'\n');
    }

    fn log(&mut self, size: usize) {
        let mut seconds = self.random.u64(..86_400);
        while self.bytes.len() < size {
            seconds = (seconds + self.random.u64(..3)) % 86_400;
            let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
            self.fill(&format!("{hour:02}:{minute:02}:{second:02} "));
            let line = match self.random.u64(..40) {
                0 => "error $_$: ~ (code %)\n",
                1..4 => "warning $: ~\n",
                _ => "info $_$[%]: ~ took % ms\n",
            };
            self.fill(line);
        }
    }

    /// Inserts this file's needles between its lines. Each needle comes first after half a period,
    /// so that a small tree has some too.
    fn plant_needles(&mut self) {
        let number = self.texts;
        self.texts += 1;
        for (needle, period) in NEEDLES.iter().filter(|(_, period)| number % period == period / 2) {
            let from = self.random.usize(..=self.bytes.len());
            let end = self.bytes[from..].iter().position(|byte| *byte == b'\n');
            let place = end.map_or(self.bytes.len(), |end| from + end + 1);
            let text = mem::take(&mut self.bytes);
            // Every fourth is no whole word.
            let prefix = if number / period % 4 == 3 { "old_" } else { "" };
            self.fill(&format!("// $ $ {prefix}{needle} $ $.\n"));
            let line = mem::replace(&mut self.bytes, text);
            self.bytes.splice(place..place, line);
        }
    }

    /// Appends a piece of code or a line, with random words in place of its signs.
    fn fill(&mut self, piece: &str) {
        for byte in piece.bytes() {
            match byte {
                b'$' => self.word(),
                b'@' => {
                    let start = self.bytes.len();
                    self.word();
                    self.bytes[start..].make_ascii_uppercase();
                }
                b'%' => {
                    // Up to five digits, small numbers being more frequent.
                    let bound = 10_u64.pow(1 + self.random.u64(..5) as u32);
                    let number = self.random.u64(..bound).to_string();
                    self.bytes.extend_from_slice(number.as_bytes());
                }
                b'~' => {
                    for index in 0..2 + self.random.u64(..8) {
                        if index > 0 {
                            self.bytes.push(b' ');
                        }
                        self.word();
                    }
                }
                _ => self.bytes.push(byte),
            }
        }
    }

    fn word(&mut self) {
        self.bytes.extend_from_slice(self.lexicon.word(&mut self.random).as_bytes());
    }
}
