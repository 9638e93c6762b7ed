//! Recognizes UTF-16 and UTF-32 without a byte order mark by their NUL bytes.
//!
//! Such a text would be taken for binary data. Each encoding and byte order is tried: the first
//! bytes of a haystack are text if every character among them occurs in texts, and if nearly all of
//! them belong to one script and to what is common to all scripts.
//!
//! ```text
//! 68 00 69 00 0A 00        "hi\n" in UTF-16LE, "栀椀਀" in UTF-16BE
//! 7F 45 4C 46 02 01 01 00  an ELF file: U+0102, U+0001, which is a control character
//! 68 69 00 68 6F 00        "hi\0ho\0": U+6968, U+6800, U+006F, valid UTF-8 and thus no Chinese
//! ```
//!
//! What is no text must not be taken for it: its bytes could no longer be found. So tables of
//! numbers are rejected that have control characters, change little from one number to the next, or
//! mix scripts (docs/decisions/0186-content-decides-how-bytes-are-decoded.md has the counts).

use memchr::memchr;

use super::{detected::TextEncoding, utf16::Endian};

/// How many bytes of a haystack are examined, at most.
pub(crate) const WINDOW_BYTES: usize = 4 << 10;

/// How many bytes of ASCII at the front prove that a haystack is no UTF-16 and no UTF-32. Texts in
/// Hiragana may begin with some: U+3042 is `0B`.
const PLAIN_BYTES: usize = 32;

/// The number of characters without which nothing is recognized.
const MIN_CHARS: usize = 4;

/// A text with fewer characters is recognized only if it ends in a line terminator.
const FEW_CHARS: usize = 8;

/// A text with fewer characters is not recognized if an ideograph is among them.
const FEW_BROAD_CHARS: usize = 20;

/// The mean distance of two consecutive characters that texts exceed. Samples of a signal do not.
const MIN_MEAN_STEP: usize = 3;

const WIDE_ENCODINGS: [TextEncoding; 4] = [
    TextEncoding::Utf32(Endian::Little),
    TextEncoding::Utf32(Endian::Big),
    TextEncoding::Standard(encoding_rs::UTF_16LE),
    TextEncoding::Standard(encoding_rs::UTF_16BE),
];

/// Whether a haystack that begins with `head` is plain text at first sight, as most are.
///
/// Perf: this is all that a file of ASCII costs, some 10 instructions.
#[inline]
pub(super) fn is_plain(head: &[u8]) -> bool {
    let all = |bytes: &[u8]| bytes.iter().fold(true, |all, byte| all & is_plain_byte(*byte));
    match head.first_chunk::<PLAIN_BYTES>() {
        Some(first) => all(first),
        None => all(head),
    }
}

fn is_plain_byte(byte: u8) -> bool {
    (b' '..0x7F).contains(&byte) | (b'\t'..=b'\r').contains(&byte)
}

/// Returns the encoding of a haystack that begins with `head`, if it is UTF-16 or UTF-32. UTF-32
/// may have a byte order mark.
pub(crate) fn recognize(head: &[u8]) -> Option<TextEncoding> {
    let window = &head[..head.len().min(WINDOW_BYTES)];
    memchr(0, window)?;
    WIDE_ENCODINGS.into_iter().find(|encoding| {
        let tally = Tally::of(*encoding, window);
        tally.is_some_and(|tally| tally.is_text(*encoding, window))
    })
}

/// Whether more than the first bytes of a stream, `bytes`, must be known to recognize its encoding.
pub(super) fn is_undecided(bytes: &[u8]) -> bool {
    let is_possible = |encoding: &TextEncoding| Tally::of(*encoding, bytes).is_some();
    // Other text with a few NUL bytes is not held up.
    let has_many_nuls = 4 * bytes.iter().filter(|byte| **byte == 0).count() >= bytes.len();
    bytes.len() < WINDOW_BYTES && has_many_nuls && WIDE_ENCODINGS.iter().any(is_possible)
}

/// Letters with and without accents.
const LATIN_SCRIPT: u8 = 0;
/// Punctuation and symbols in texts of any script.
const COMMON_SYMBOLS: u8 = 1;
/// Ideographs and Kana, which texts mix.
const EAST_ASIAN: u8 = 2;
const GREEK_SCRIPT: u8 = 3;
const ARABIC_SCRIPT: u8 = 4;
const HANGUL_SCRIPT: u8 = 31;
/// Ideographs that are as good as never used.
const RARE_IDEOGRAPHS: u8 = 32;
/// Forms of other characters in texts with ideographs, such as `Ａ` for `A`.
const WIDTH_FORMS: u8 = 33;

/// The first and the last characters of blocks beyond ASCII, and their scripts.
const SCRIPT_BLOCKS: [(u32, u32, u8); 63] = [
    (0x00A0, 0x036F, LATIN_SCRIPT),
    (0x0370, 0x03FF, GREEK_SCRIPT),
    (0x0400, 0x052F, 5),
    (0x0531, 0x058F, 6),
    (0x0591, 0x05F4, 7),
    (0x0600, 0x06FF, ARABIC_SCRIPT),
    (0x0700, 0x074F, 8),
    (0x0750, 0x077F, ARABIC_SCRIPT),
    (0x0780, 0x07B1, 9),
    (0x07C0, 0x07FF, 10),
    (0x0900, 0x097F, 11),
    (0x0980, 0x09FE, 12),
    (0x0A01, 0x0A76, 13),
    (0x0A81, 0x0AFF, 14),
    (0x0B01, 0x0B77, 15),
    (0x0B82, 0x0BFA, 16),
    (0x0C00, 0x0C7F, 17),
    (0x0C80, 0x0CF3, 18),
    (0x0D00, 0x0D7F, 19),
    (0x0D81, 0x0DF4, 20),
    (0x0E01, 0x0E5B, 21),
    (0x0E81, 0x0EDF, 22),
    (0x0F00, 0x0FDA, 23),
    (0x1000, 0x109F, 24),
    (0x10A0, 0x10FF, 25),
    (0x1100, 0x11FF, HANGUL_SCRIPT),
    (0x1200, 0x139F, 26),
    (0x13A0, 0x13FF, 27),
    (0x1400, 0x167F, 28),
    (0x1780, 0x17F9, 29),
    (0x1800, 0x18AF, 30),
    (0x1C80, 0x1C8A, 5),
    (0x1C90, 0x1CBF, 25),
    (0x1CD0, 0x1CFA, COMMON_SYMBOLS),
    (0x1D00, 0x1EFF, LATIN_SCRIPT),
    (0x1F00, 0x1FFE, GREEK_SCRIPT),
    (0x2000, 0x206F, COMMON_SYMBOLS),
    (0x2070, 0x218B, COMMON_SYMBOLS),
    (0x2190, 0x27FF, COMMON_SYMBOLS),
    (0x2900, 0x2BFF, COMMON_SYMBOLS),
    (0x2C60, 0x2C7F, COMMON_SYMBOLS),
    (0x2D00, 0x2D2D, COMMON_SYMBOLS),
    (0x2D80, 0x2DDE, COMMON_SYMBOLS),
    (0x2DE0, 0x2DFF, COMMON_SYMBOLS),
    (0x2E00, 0x2E5D, COMMON_SYMBOLS),
    (0x2E80, 0x2FDF, EAST_ASIAN),
    (0x3000, 0x33FF, EAST_ASIAN),
    (0x3400, 0x4DBF, RARE_IDEOGRAPHS),
    (0x4E00, 0x9FFF, EAST_ASIAN),
    (0xA720, 0xA7FF, COMMON_SYMBOLS),
    (0xA8E0, 0xA8FF, COMMON_SYMBOLS),
    (0xAB00, 0xAB2F, COMMON_SYMBOLS),
    (0xAB70, 0xABBF, COMMON_SYMBOLS),
    (0xAC00, 0xD7A3, HANGUL_SCRIPT),
    (0xF900, 0xFAFF, WIDTH_FORMS),
    (0xFB00, 0xFB4F, COMMON_SYMBOLS),
    (0xFB50, 0xFDFF, COMMON_SYMBOLS),
    (0xFE30, 0xFE6F, WIDTH_FORMS),
    (0xFE70, 0xFEFC, COMMON_SYMBOLS),
    (0xFF01, 0xFFEE, WIDTH_FORMS),
    (0x1D400, 0x1D7FF, COMMON_SYMBOLS),
    (0x1F000, 0x1FAFF, COMMON_SYMBOLS),
    (0x20000, 0x323AF, RARE_IDEOGRAPHS),
];

/// How many scripts [`SCRIPT_BLOCKS`] have.
const SCRIPT_COUNT: usize = 34;

/// What the characters at the front of a haystack are.
#[derive(Debug)]
struct Tally {
    chars: usize,
    ascii: usize,
    /// Letters and digits of ASCII, and all characters of scripts.
    letters: usize,
    /// The characters beyond ASCII, by script.
    scripts: [usize; SCRIPT_COUNT],
    /// Ideographs and Hangul syllables.
    broad: usize,
    /// The ideographs and Hangul syllables with a low byte that is a control character of ASCII or
    /// Latin-1: a quarter, but none if they are pairs of letters in another encoding.
    broad_low: usize,
    /// How many of them have the same high byte, modulo 32.
    rows: [usize; 32],
    last: Option<char>,
    /// The sum of the distances between consecutive characters.
    steps: usize,
    /// The sum of these distances if the two lowest bytes of each character are swapped.
    swapped_steps: usize,
}

impl Tally {
    fn new() -> Tally {
        Tally {
            chars: 0,
            ascii: 0,
            letters: 0,
            scripts: [0; SCRIPT_COUNT],
            broad: 0,
            broad_low: 0,
            rows: [0; 32],
            last: None,
            steps: 0,
            swapped_steps: 0,
        }
    }

    /// Counts the characters of `window` in `encoding`; `None` if one of them occurs in no text. An
    /// incomplete character at the end is disregarded.
    fn of(encoding: TextEncoding, window: &[u8]) -> Option<Tally> {
        let mut tally = Tally::new();
        match encoding {
            TextEncoding::Utf32(endian) => {
                for unit in window.as_chunks::<4>().0 {
                    let unit = match endian {
                        Endian::Little => u32::from_le_bytes(*unit),
                        Endian::Big => u32::from_be_bytes(*unit),
                    };
                    let char = char::from_u32(unit)?;
                    // A byte order mark.
                    let is_mark = char == '\u{FEFF}' && tally.chars == 0;
                    (is_mark || tally.add(char)).then_some(())?;
                }
            }
            TextEncoding::Standard(encoding) => {
                let endian = Endian::of(encoding)?;
                let mut units = window.as_chunks::<2>().0;
                if let Some((last, others)) = units.split_last()
                    && endian.is_high_surrogate(*last)
                {
                    units = others;
                }
                for char in char::decode_utf16(units.iter().map(|unit| endian.unit(*unit))) {
                    tally.add(char.ok()?).then_some(())?;
                }
            }
        }
        Some(tally)
    }

    /// Counts `char`. Returns false if it occurs in no text.
    fn add(&mut self, char: char) -> bool {
        let code = char as u32;
        if char.is_ascii() {
            if !is_plain_byte(code as u8) {
                return false;
            }
            self.ascii += 1;
            self.letters += usize::from(char.is_ascii_alphanumeric());
        } else {
            let block = SCRIPT_BLOCKS.partition_point(|(_, last, _)| *last < code);
            let Some((_, _, script)) =
                SCRIPT_BLOCKS.get(block).filter(|(first, ..)| *first <= code)
            else {
                return false;
            };
            self.scripts[usize::from(*script)] += 1;
            self.letters += usize::from(*script != COMMON_SYMBOLS);
            if matches!(code, 0x3400..=0x9FFF | 0xAC00..=0xD7A3) {
                self.broad += 1;
                self.broad_low += usize::from(code & 0x60 == 0);
                self.rows[(code >> 8) as usize % 32] += 1;
            }
        }
        self.chars += 1;
        let last = self.last.replace(char);
        let last = last.map_or(code, u32::from);
        let swap = |code: u32| (code as u16).swap_bytes();
        self.steps += code.abs_diff(last) as usize;
        self.swapped_steps += usize::from(swap(code).abs_diff(swap(last)));
        true
    }

    /// Whether the characters of `window`, which have been counted, are those of a text.
    fn is_text(&self, encoding: TextEncoding, window: &[u8]) -> bool {
        let Tally { chars, ascii, letters, broad, broad_low, last, .. } = *self;
        let steps = self.steps.min(self.swapped_steps);
        let own = &self.scripts[usize::from(EAST_ASIAN)..=usize::from(RARE_IDEOGRAPHS)];
        let (all, most) = (own.iter().sum::<usize>(), own.iter().copied().max().unwrap_or(0));
        let has_one_script = 8 * (all - most) <= chars || 2 * ascii >= chars;
        let is_written =
            2 * self.scripts[usize::from(COMMON_SYMBOLS)] <= chars && 8 * letters >= chars;
        // Latin letters with accents stand among others.
        let east_asian =
            self.scripts[usize::from(EAST_ASIAN)] + self.scripts[usize::from(HANGUL_SCRIPT)];
        let is_balanced = self.scripts[usize::from(LATIN_SCRIPT)] <= ascii
            && self.scripts[usize::from(WIDTH_FORMS)] <= east_asian;
        // Words end, and characters that follow each other are no neighbours.
        let is_rough = chars < 2 * FEW_CHARS || letters < chars && steps >= MIN_MEAN_STEP * chars;
        let is_long = chars >= FEW_CHARS || matches!(last, Some('\n' | '\r'));
        // Two letters of ASCII make an ideograph, and two of other encodings a Hangul syllable.
        let is_utf16 = matches!(encoding, TextEncoding::Standard(_));
        let row = self.rows.iter().copied().max().unwrap_or(0);
        let is_likely = 12 * broad_low >= broad && 3 * broad_low <= 2 * broad && 2 * row <= broad;
        let is_misread = is_utf16
            && (broad > 0 && (chars < FEW_BROAD_CHARS || 8 * broad > chars && !is_likely)
                || 8 * east_asian > chars && is_utf8(window));
        chars >= MIN_CHARS
            && ascii > 0
            && is_written
            && is_long
            && has_one_script
            && is_balanced
            && is_rough
            && !is_misread
    }
}

/// Whether `bytes` are UTF-8, of which the last character may be incomplete.
pub(super) fn is_utf8(bytes: &[u8]) -> bool {
    str::from_utf8(bytes).err().is_none_or(|error| error.error_len().is_none())
}
