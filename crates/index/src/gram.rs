//! Trigrams: three bytes of text, upper-case ASCII letters made lower-case, as a number of 24 bits;
//! and the starts of characters beyond ASCII, which are shorter.

use std::{fmt, ops::RangeInclusive};

/// The byte that ends a block of text. No gram holds it, so that a line at the start or the end of
/// a block has the same grams as one in its middle. In the number of a shorter gram it stands for
/// a byte that is missing.
pub(crate) const LINE_END: u8 = b'\n';

/// The codes of bytes that lead characters of UTF-8 beyond ASCII.
pub(crate) const LEADS: RangeInclusive<u8> = CODES[0xc2]..=CODES[0xf4];
/// The codes of bytes that continue such characters.
pub(crate) const CONTINUATIONS: RangeInclusive<u8> = CODES[0x80]..=CODES[0xbf];

/// How many grams there could be.
pub(crate) const GRAMS: usize = 1 << 24;
/// Grams with lower numbers consist of the 64 most frequent bytes of text alone.
pub(crate) const FREQUENT: u32 = 1 << 18;

/// The bytes with a code below 64, in the order of their codes.
const FREQUENT_BYTES: &[u8; 64] =
    b"\n abcdefghijklmnopqrstuvwxyz0123456789_\t()[]{}<>,.;:-+*/=&|!\"'#\\";

/// The code of each byte; upper-case letters have those of lower-case ones.
pub(crate) const CODES: [u8; 256] = {
    let (mut codes, mut next) = ([0; 256], FREQUENT_BYTES.len());
    let mut byte = 0;
    while byte < 256 {
        if (byte as u8).is_ascii_uppercase() {
            // Below.
        } else if let Some(code) = frequent_code(byte as u8) {
            codes[byte] = code;
        } else {
            codes[byte] = next as u8;
            next += 1;
        }
        byte += 1;
    }
    let mut letter = b'A';
    while letter <= b'Z' {
        codes[letter as usize] = codes[letter.to_ascii_lowercase() as usize];
        letter += 1;
    }
    codes
};

/// The code of `byte`.
const fn code_of(byte: u8) -> u8 {
    CODES[byte as usize]
}

const fn frequent_code(byte: u8) -> Option<u8> {
    let mut code = 0;
    while code < FREQUENT_BYTES.len() {
        if FREQUENT_BYTES[code] == byte {
            return Some(code as u8);
        }
        code += 1;
    }
    None
}

/// Three bytes of text, folded, or the first byte of a character beyond ASCII, or its first two.
///
/// Its number is made of the codes of its bytes, 2 high bits of each before the 6 low bits of each.
/// So almost all grams of text are among the first 2^18, and tables of them fit the caches.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Gram(u32);

impl Gram {
    /// What no text holds: the list of this gram names the blocks whose grams are not listed.
    pub(crate) const UNLISTED: Gram = Gram::from_bytes([LINE_END; 3]);

    /// The gram of these bytes.
    pub(crate) const fn from_bytes([a, b, c]: [u8; 3]) -> Gram {
        Gram::from_codes([code_of(a), code_of(b), code_of(c)])
    }

    /// The gram of the bytes with these codes.
    pub(crate) const fn from_codes([a, b, c]: [u8; 3]) -> Gram {
        let [a, b, c] = [a as u32, b as u32, c as u32];
        let high = (a >> 6) << 4 | (b >> 6) << 2 | c >> 6;
        Gram(high << 18 | (a & 63) << 12 | (b & 63) << 6 | c & 63)
    }

    /// The gram with this number, which is below [`GRAMS`].
    pub(crate) const fn from_number(number: u32) -> Gram {
        Gram(number)
    }

    pub(crate) const fn number(self) -> u32 {
        self.0
    }

    /// The trigrams of `text`, without those that hold a line end.
    pub(crate) fn trigrams_in(text: &[u8]) -> impl Iterator<Item = Gram> {
        let windows = text.windows(3).filter(|bytes| !bytes.contains(&LINE_END));
        windows.map(|bytes| Gram::from_bytes([bytes[0], bytes[1], bytes[2]]))
    }

    /// The first two bytes of each character beyond ASCII in `text`.
    pub(crate) fn pairs_in(text: &[u8]) -> impl Iterator<Item = Gram> {
        text.windows(2).filter_map(|bytes| Gram::pair([bytes[0], bytes[1]].map(code_of)))
    }

    /// The first byte of each character beyond ASCII in `text`.
    pub(crate) fn leads_in(text: &[u8]) -> impl Iterator<Item = Gram> {
        text.iter().filter_map(|&byte| Gram::lead(code_of(byte)))
    }

    /// All grams of `text`.
    pub(crate) fn all_in(text: &[u8]) -> impl Iterator<Item = Gram> {
        let starts = Gram::pairs_in(text).chain(Gram::leads_in(text));
        Gram::trigrams_in(text).chain(starts)
    }

    /// The gram of the bytes with these codes, if a character beyond ASCII begins with them.
    pub(crate) fn pair([first, second]: [u8; 2]) -> Option<Gram> {
        let begins = LEADS.contains(&first) && CONTINUATIONS.contains(&second);
        begins.then_some(Gram::from_codes([first, second, code_of(LINE_END)]))
    }

    /// The gram of the byte with this code, if a character beyond ASCII begins with it.
    pub(crate) fn lead(code: u8) -> Option<Gram> {
        let missing = code_of(LINE_END);
        LEADS.contains(&code).then_some(Gram::from_codes([code, missing, missing]))
    }

    fn bytes(self) -> [u8; 3] {
        [(22, 12), (20, 6), (18, 0)].map(|(high, low)| {
            let code = (self.0 >> high & 3) << 6 | self.0 >> low & 63;
            let has_code = |byte: &u8| {
                u32::from(CODES[usize::from(*byte)]) == code && !byte.is_ascii_uppercase()
            };
            (0..=255).find(has_code).unwrap_or_default()
        })
    }
}

impl fmt::Debug for Gram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.bytes();
        let bytes = bytes.split(|&byte| byte == LINE_END).next().unwrap_or_default();
        write!(f, "\"{}\"", bytes.escape_ascii())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grams_are_folded_and_otherwise_distinct() {
        let mut rng = fastrand::Rng::with_seed(1);
        for _ in 0..10_000 {
            let bytes = [rng.u8(..), rng.u8(..), rng.u8(..)];
            let gram = Gram::from_bytes(bytes);
            assert_eq!(gram.bytes(), bytes.map(|byte| byte.to_ascii_lowercase()));
            assert!((gram.number() as usize) < GRAMS);
        }
        assert!(Gram::from_bytes(*b"\\#\"").number() < FREQUENT);
        assert_eq!(Gram::UNLISTED.number(), 0);
    }

    #[test]
    fn characters_beyond_ascii_have_grams_of_their_starts() {
        let grams = |text: &str| {
            let grams = Gram::all_in(text.as_bytes()).map(|gram| format!("{gram:?}"));
            grams.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(grams("é\n"), r#""\xc3\xa9" "\xc3""#);
        assert_eq!(grams("€"), r#""\xe2\x82\xac" "\xe2\x82" "\xe2""#);
        assert_eq!(grams("Oh\n"), "");
        for byte in 0..=255 {
            let starts = [Gram::leads_in(&[byte]).next(), Gram::pairs_in(&[byte, 0x80]).next()];
            assert_eq!(starts.map(|gram| gram.is_some()), [(0xc2..=0xf4).contains(&byte); 2]);
            assert!(starts.iter().flatten().all(|gram| gram.number() >= FREQUENT));
            let pair = Gram::pairs_in(&[0xc2, byte]).next();
            assert_eq!(pair.is_some(), (0x80..=0xbf).contains(&byte));
        }
    }
}
