//! How rare literals are expected to be, by the frequency of bytes in source code.
//!
//! This only has to be good enough to separate good literals from bad ones. A finder that meets a
//! text in which its literal is common notices that by itself.

use std::mem;

use memchr::arch::all::packedpair::HeuristicFrequencyRank;

/// How rare an ASCII byte is, in quarter bits: -4 log2 of its share in a sample of 80 MB, three
/// quarters kernel sources and one quarter the many kinds of files in a browser's tree.
#[rustfmt::skip]
const ASCII_RARITY: [u8; 128] = [
    60, 60, 60, 60, 60, 60, 60, 60, 60, 23, 21, 60, 60, 60, 60, 60,
    60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60,
     9, 44, 33, 32, 55, 44, 38, 40, 28, 28, 29, 42, 27, 30, 31, 30,
    23, 29, 31, 33, 34, 38, 37, 39, 36, 41, 33, 28, 40, 31, 32, 53,
    47, 26, 32, 25, 27, 24, 28, 31, 33, 26, 50, 35, 27, 28, 27, 29,
    27, 41, 26, 25, 25, 31, 33, 37, 34, 37, 45, 40, 44, 40, 60, 17,
    51, 21, 29, 23, 22, 17, 25, 28, 28, 20, 42, 32, 24, 26, 21, 22,
    25, 38, 21, 21, 19, 25, 29, 33, 28, 32, 40, 35, 43, 35, 55, 60,
];

/// How rare a byte beyond ASCII is, in quarter bits. These are rare in source code, but in text in
/// their own script they are as common as letters.
const OTHER_RARITY: u8 = 24;
/// How rare the first byte of a character beyond ASCII is, in quarter bits. In most scripts all
/// letters begin with one of a few bytes: in text in that script, each is as common as the space
/// between words.
const LEAD_RARITY: u8 = 8;

/// Quarter bits per byte of length.
const LENGTH: f64 = 0.25;

/// How rare `byte` is where single bytes of a needle are looked for, in quarter bits.
fn of_byte(byte: u8) -> u8 {
    match byte {
        0..0x80 => ASCII_RARITY[usize::from(byte)],
        0x80..0xC0 => OTHER_RARITY,
        0xC0.. => LEAD_RARITY,
    }
}

/// Bytes of a needle that make it rare; more are too common beside them to count.
const RAREST: usize = 12;

/// How rare `needle` is, in quarter bits. Its rarest byte counts in full and each more common one
/// less, as the letters of a word come together more often than by chance.
fn of_needle(needle: &[u8]) -> f64 {
    // The rarest first.
    let mut rarest = [0; RAREST];
    for &byte in needle {
        let mut bits = ASCII_RARITY.get(usize::from(byte)).copied().unwrap_or(OTHER_RARITY);
        for place in &mut rarest {
            if bits > *place {
                mem::swap(&mut bits, place);
            }
            if bits == 0 {
                break;
            }
        }
    }
    let mut weight = 1.0;
    let mut sum = LENGTH * needle.len() as f64;
    for bits in rarest {
        sum += weight * f64::from(bits);
        weight *= 0.6;
    }
    sum
}

/// Ranks bytes for the search of one needle.
pub(crate) struct ByRarity;

impl HeuristicFrequencyRank for ByRarity {
    fn rank(&self, byte: u8) -> u8 {
        u8::MAX - 4 * of_byte(byte)
    }
}

/// How rare the bytes of `gram` are, in quarter bits, as if they came together by chance. That is
/// good enough to compare grams with the same length.
pub(crate) fn of_gram(gram: &[u8]) -> u32 {
    gram.iter().map(|&byte| u32::from(of_byte(byte))).sum()
}

/// The fourth root of 2.
const QUARTER_BIT: f64 = 1.189_207_115_002_721;

/// Which share of a text's bytes are `byte`, about.
pub(crate) fn share_of_byte(byte: u8) -> f64 {
    QUARTER_BIT.powi(-(of_gram(&[byte]) as i32))
}

/// At which share of a text's places one of `needles` begins, about.
pub(crate) fn share<N: AsRef<[u8]>>(needles: &[N]) -> f64 {
    // `exp2` would load a library at every start.
    needles.iter().map(|n| QUARTER_BIT.powi(-(of_needle(n.as_ref()) + 0.5) as i32)).sum()
}

#[cfg(test)]
mod tests {
    use memchr::arch::all::packedpair::HeuristicFrequencyRank;

    use super::{ByRarity, of_needle};

    #[test]
    fn rare_beats_common() {
        assert!(of_needle(b"Q") > of_needle(b"e"));
        assert!(of_needle(b"int") < of_needle(b"static"));
        assert!(of_needle(b"static") < of_needle(b"PM_RESUME"));
        assert!(of_needle(b"    ") < of_needle(b"x_z"));
    }
    #[test]
    fn letters_of_a_script_begin_alike() {
        for letter in ["я", "é", "世"] {
            let bytes = letter.as_bytes();
            assert!(ByRarity.rank(bytes[0]) > ByRarity.rank(bytes[1]), "{letter}");
        }
    }
}
