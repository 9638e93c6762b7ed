//! How seldom a literal is expected in text: the price list by which literals are chosen.
//!
//! Numbers are quarter bits: a literal of 28 is expected at one in 2^7 places. They only have to be
//! good enough to tell a good literal from a bad one; a finder that meets a text in which its
//! literal is common notices that by itself.

/// Quarter bits by which an ASCII byte is rare: -4 log2 of its share in a sample of 80 MB, three
/// quarters kernel sources and one quarter the many kinds of files of a browser's tree.
#[rustfmt::skip]
const ASCII: [u8; 128] = [
    60, 60, 60, 60, 60, 60, 60, 60, 60, 23, 21, 60, 60, 60, 60, 60,
    60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60,
     9, 44, 33, 32, 55, 44, 38, 40, 28, 28, 29, 42, 27, 30, 31, 30,
    23, 29, 31, 33, 34, 38, 37, 39, 36, 41, 33, 28, 40, 31, 32, 53,
    47, 26, 32, 25, 27, 24, 28, 31, 33, 26, 50, 35, 27, 28, 27, 29,
    27, 41, 26, 25, 25, 31, 33, 37, 34, 37, 45, 40, 44, 40, 60, 17,
    51, 21, 29, 23, 22, 17, 25, 28, 28, 20, 42, 32, 24, 26, 21, 22,
    25, 38, 21, 21, 19, 25, 29, 33, 28, 32, 40, 35, 43, 35, 55, 60,
];

/// Bytes outside ASCII: seldom in source code, but in text of their own script only as seldom as
/// letters are.
const OTHER: u8 = 24;

/// Quarter bits that a further byte of length is worth when everything else is equal.
const LENGTH: f64 = 0.25;

/// How rare `needle` is. Its rarest byte counts in full and each more common one for less, as
/// the letters of a word come together more often than by chance.
pub(crate) fn of_needle(needle: &[u8]) -> f64 {
    let mut bits: Vec<u8> = needle
        .iter()
        .map(|&b| ASCII.get(usize::from(b)).copied().unwrap_or(OTHER))
        .collect();
    bits.sort_unstable_by(|a, b| b.cmp(a));
    let mut weight = 1.0;
    let mut sum = LENGTH * needle.len() as f64;
    for bits in bits.into_iter().take(12) {
        sum += weight * f64::from(bits);
        weight *= 0.6;
    }
    sum
}

/// How rare a place is that begins any of `needles`, less what looking for several at once costs.
/// A set that holds the empty needle is worth nothing.
pub(crate) fn of_set(needles: &[Vec<u8>]) -> f64 {
    let share: f64 = needles.iter().map(|n| (-of_needle(n) / 4.0).exp2()).sum();
    let cost = match needles.len() {
        0 | 1 => 0.0,
        2..=8 => 4.0,
        9..=16 => 6.0,
        17..=32 => 10.0,
        _ => 16.0,
    };
    if needles.iter().any(Vec::is_empty) {
        0.0
    } else {
        -4.0 * share.log2() - cost
    }
}

#[cfg(test)]
mod tests {
    use super::{of_needle, of_set};

    #[test]
    fn rare_beats_common() {
        assert!(of_needle(b"Q") > of_needle(b"e"));
        assert!(of_needle(b"int") < of_needle(b"static"));
        assert!(of_needle(b"static") < of_needle(b"PM_RESUME"));
        assert!(of_needle(b"    ") < of_needle(b"x_z"));
    }

    #[test]
    fn more_needles_are_worth_less() {
        let set = |needles: &[&str]| -> f64 {
            of_set(
                &needles
                    .iter()
                    .map(|n| n.as_bytes().to_vec())
                    .collect::<Vec<_>>(),
            )
        };
        assert!(set(&["alpha", "bravo"]) < set(&["bravo"]));
        assert_eq!(set(&["alpha", ""]), 0.0);
    }
}
