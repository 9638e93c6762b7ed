//! Trigrams: three bytes of text as a 24-bit number; and starts of characters beyond ASCII, which
//! are shorter.

use std::{fmt, ops::RangeInclusive};

/// The byte that ends a block of text. No gram holds it, so a line at a block's start or end has
/// the same grams as one in its middle. In a shorter gram's number it stands for a missing byte.
pub(crate) const LINE_END: u8 = b'\n';

/// The codes for bytes that lead UTF-8 characters beyond ASCII.
pub(crate) const LEADS: RangeInclusive<u8> = CODES[0xc2]..=CODES[0xf4];
/// The codes for bytes that continue such characters.
pub(crate) const CONTINUATIONS: RangeInclusive<u8> = CODES[0x80]..=CODES[0xbf];

/// How many grams have the same high bits.
pub(crate) const GRAMS_PER_REGION: u32 = 1 << 18;
/// Grams with lower numbers hold only the 64 bytes that are most frequent in text. The second half
/// has its letters in capitals.
pub(crate) const FREQUENT_GRAMS: u32 = 2 * GRAMS_PER_REGION;
/// How many grams there could be.
pub(crate) const GRAMS: usize = 65 * GRAMS_PER_REGION as usize;

/// The bytes with a code below 64, sorted by their codes.
const FREQUENT_BYTES: &[u8; 64] =
    b"\n abcdefghijklmnopqrstuvwxyz0123456789_\t()[]{}<>,.;:-+*/=&|!\"'#\\";

/// Each byte's code; upper-case letters have the same codes as lower-case ones.
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

/// Three bytes of text, or the first one or two bytes of a character beyond ASCII.
///
/// Three frequent bytes with upper-case letters and no lower-case ones are *in capitals*: `RES`,
/// `_A(`. In others upper-case letters are made lower-case. So `PM_RESUME` and `pm_resume` have
/// different grams, and three letters of either case have two, not eight.
///
/// A gram's number is made from its bytes' codes: the 6 low bits of each, and above them one of 65
/// regions: the first for frequent bytes, the second for capitals, and one for each way in which
/// the codes' 2 high bits can be. So almost all grams in text are in the first two regions, and
/// tables for these fit the caches.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Gram(u32);

impl Gram {
    /// A gram that no text holds: its list names the blocks with grams that are not listed.
    pub(crate) const UNLISTED: Gram = Gram::from_bytes([LINE_END; 3]);

    /// The gram of these bytes.
    pub(crate) const fn from_bytes([a, b, c]: [u8; 3]) -> Gram {
        let has_capital =
            a.is_ascii_uppercase() || b.is_ascii_uppercase() || c.is_ascii_uppercase();
        let has_small = a.is_ascii_lowercase() || b.is_ascii_lowercase() || c.is_ascii_lowercase();
        let folded = Gram::from_codes([CODES[a as usize], CODES[b as usize], CODES[c as usize]]);
        match has_capital && !has_small && folded.0 < GRAMS_PER_REGION {
            true => Gram(GRAMS_PER_REGION | folded.0),
            false => folded,
        }
    }

    /// The gram of the bytes with these codes.
    const fn from_codes([a, b, c]: [u8; 3]) -> Gram {
        let [a, b, c] = [a as u32, b as u32, c as u32];
        let high = (a >> 6) << 4 | (b >> 6) << 2 | c >> 6;
        Gram::from_bits(high, (a & 63) << 12 | (b & 63) << 6 | c & 63)
    }

    /// The gram of three bytes that have these high and low bits in their codes.
    pub(crate) const fn from_bits(high: u32, low: u32) -> Gram {
        let region = if high == 0 { 0 } else { high + 1 };
        Gram((region * GRAMS_PER_REGION) | low)
    }

    /// The gram with this number, which is below [`GRAMS`].
    pub(crate) const fn from_number(number: u32) -> Gram {
        Gram(number)
    }

    pub(crate) const fn number(self) -> u32 {
        self.0
    }

    /// The gram for the first two bytes of a character beyond ASCII, given their codes; `None` if
    /// no character begins with them.
    pub(crate) fn pair(first: u8, second: u8) -> Option<Gram> {
        let begins = LEADS.contains(&first) && CONTINUATIONS.contains(&second);
        begins.then_some(Gram::from_codes([first, second, CODES[LINE_END as usize]]))
    }

    /// The gram for the first byte of a character beyond ASCII, given its code; `None` if no
    /// character begins with it.
    pub(crate) fn lead(code: u8) -> Option<Gram> {
        let missing = CODES[LINE_END as usize];
        LEADS.contains(&code).then_some(Gram::from_codes([code, missing, missing]))
    }

    /// All grams of `text`; no trigram holds a line end.
    #[cfg(test)]
    pub(crate) fn all_in(text: &[u8]) -> impl Iterator<Item = Gram> {
        let code = |byte: u8| CODES[usize::from(byte)];
        let trigrams = text.windows(3).filter(|bytes| !bytes.contains(&LINE_END));
        let trigrams = trigrams.map(|bytes| Gram::from_bytes([bytes[0], bytes[1], bytes[2]]));
        let pairs =
            text.windows(2).filter_map(move |pair| Gram::pair(code(pair[0]), code(pair[1])));
        let leads = text.iter().filter_map(move |&byte| Gram::lead(code(byte)));
        trigrams.chain(pairs).chain(leads)
    }

    fn bytes(self) -> [u8; 3] {
        let (region, low) = (self.0 / GRAMS_PER_REGION, self.0 % GRAMS_PER_REGION);
        let bytes = [(4, 12), (2, 6), (0, 0)].map(|(above, at)| {
            let code = (region.saturating_sub(1) >> above & 3) << 6 | low >> at & 63;
            let has_code = |byte: &u8| {
                u32::from(CODES[usize::from(*byte)]) == code && !byte.is_ascii_uppercase()
            };
            (0..=255).find(has_code).unwrap_or_default()
        });
        if region == 1 { bytes.map(|byte| byte.to_ascii_uppercase()) } else { bytes }
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
    fn grams_are_in_capitals_or_folded() {
        let mut rng = fastrand::Rng::with_seed(1);
        let mut any = || if rng.bool() { rng.u8(..) } else { rng.u8(b'A'..=b'z') };
        for _ in 0..10_000 {
            let bytes = [any(), any(), any()];
            let gram = Gram::from_bytes(bytes);
            let is_frequent =
                bytes.iter().all(|byte| FREQUENT_BYTES.contains(byte) || byte.is_ascii_uppercase());
            let is_folded = !is_frequent || bytes.iter().any(u8::is_ascii_lowercase);
            let expected = match is_folded {
                true => bytes.map(|byte| byte.to_ascii_lowercase()),
                false => bytes,
            };
            assert_eq!(gram.bytes(), expected);
            assert!((gram.number() as usize) < GRAMS);
            assert_eq!(gram.number() < FREQUENT_GRAMS, is_frequent);
        }
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
        for byte in 0..=u8::MAX {
            let code = CODES[usize::from(byte)];
            let starts = [Gram::lead(code), Gram::pair(code, CODES[0x80])];
            assert_eq!(starts.map(|gram| gram.is_some()), [(0xc2..=0xf4).contains(&byte); 2]);
            assert!(starts.iter().flatten().all(|gram| gram.number() >= FREQUENT_GRAMS));
            let pair = Gram::pair(CODES[0xc2], code);
            assert_eq!(pair.is_some(), (0x80..=0xbf).contains(&byte));
        }
    }
}
