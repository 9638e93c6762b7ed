//! What UTF-16 allows beyond other encodings: runs of ASCII are decoded many units at a time.
//!
//! The loops are compiled a second time for processors with AVX2
//! (docs/decisions/0162-utf-16-with-avx2.md).
#![allow(unsafe_code)]

/// The order of the two bytes of a unit of UTF-16.
///
/// ```
/// use heist_searcher::Endian;
///
/// assert_eq!(Endian::Little.unit([0xAC, 0x20]), 0x20AC);
/// assert_eq!(Endian::Big.bytes(0x20AC), [0x20, 0xAC]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endian {
    /// The lower byte comes first, as in UTF-16LE.
    Little,
    /// The higher byte comes first, as in UTF-16BE.
    Big,
}

/// The number of units that [`narrow`] decodes at once.
const RUN: usize = 32;

impl Endian {
    /// The order of the bytes in `encoding`; `None` if that is not UTF-16.
    pub(super) fn of(encoding: &'static encoding_rs::Encoding) -> Option<Endian> {
        match encoding {
            _ if encoding == encoding_rs::UTF_16LE => Some(Endian::Little),
            _ if encoding == encoding_rs::UTF_16BE => Some(Endian::Big),
            _ => None,
        }
    }

    /// Returns the unit with these bytes.
    #[must_use]
    pub fn unit(self, bytes: [u8; 2]) -> u16 {
        match self {
            Endian::Little => u16::from_le_bytes(bytes),
            Endian::Big => u16::from_be_bytes(bytes),
        }
    }

    /// Returns the bytes of `unit`.
    #[must_use]
    pub fn bytes(self, unit: u16) -> [u8; 2] {
        match self {
            Endian::Little => unit.to_le_bytes(),
            Endian::Big => unit.to_be_bytes(),
        }
    }

    /// Whether a unit with these bytes is the first half of a character.
    #[must_use]
    pub fn is_high_surrogate(self, bytes: [u8; 2]) -> bool {
        self.unit(bytes) & 0xFC00 == 0xD800
    }
}

/// Decodes units from the start of `from` into `to` until one among the next 32 is not ASCII, or
/// fewer are left. Returns how many units it has decoded.
pub(super) fn narrow(endian: Endian, from: &[u8], to: &mut [u8]) -> usize {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { narrow_with_avx2(endian, from, to) };
    }
    narrow_on_any(endian, from, to)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn narrow_with_avx2(endian: Endian, from: &[u8], to: &mut [u8]) -> usize {
    narrow_on_any(endian, from, to)
}

#[inline(always)]
fn narrow_on_any(endian: Endian, from: &[u8], to: &mut [u8]) -> usize {
    match endian {
        Endian::Little => narrow_with(from, to, u16::from_le_bytes),
        Endian::Big => narrow_with(from, to, u16::from_be_bytes),
    }
}

// Perf: over arrays, so that the inner loop becomes vector instructions.
#[inline(always)]
fn narrow_with(from: &[u8], to: &mut [u8], unit: impl Fn([u8; 2]) -> u16) -> usize {
    let mut count = 0;
    let (runs, _) = from.as_chunks::<{ 2 * RUN }>();
    for (from, to) in runs.iter().zip(to.as_chunks_mut::<RUN>().0) {
        let mut seen = 0;
        for i in 0..RUN {
            let unit = unit([from[2 * i], from[2 * i + 1]]);
            seen |= unit;
            to[i] = unit as u8;
        }
        if seen > 0x7F {
            break;
        }
        count += RUN;
    }
    count
}

/// Whether a unit in `bytes` is U+0000. A last byte without its other half is not examined.
pub(super) fn has_nul(bytes: &[u8]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { has_nul_with_avx2(bytes) };
    }
    has_nul_on_any(bytes)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn has_nul_with_avx2(bytes: &[u8]) -> bool {
    has_nul_on_any(bytes)
}

#[inline(always)]
fn has_nul_on_any(bytes: &[u8]) -> bool {
    let (units, _) = bytes.as_chunks::<2>();
    let (runs, rest) = units.as_chunks::<RUN>();
    let is_in = |units: &[[u8; 2]]| units.iter().fold(false, |seen, unit| seen | (*unit == [0, 0]));
    runs.iter().any(|run| is_in(run)) || is_in(rest)
}

#[cfg(test)]
mod tests {
    use super::{Endian, RUN, has_nul, has_nul_on_any, narrow, narrow_on_any};

    #[test]
    fn runs_end_before_what_is_not_ascii() {
        for endian in [Endian::Little, Endian::Big] {
            let bytes = |unit: u16| match endian {
                Endian::Little => unit.to_le_bytes(),
                Endian::Big => unit.to_be_bytes(),
            };
            for (len, other) in (0..4 * RUN + 3).flat_map(|len| {
                [0, 0x61, 0x80, 0x100, 0x6100, 0xD83D, 0xFEFF].map(|other| (len, other))
            }) {
                for place in 0..len {
                    let unit = |n| if n == place { other } else { 0x61 + n as u16 % 26 };
                    let mut text: Vec<u8> = (0..len).flat_map(|n| bytes(unit(n))).collect();
                    // Half a unit, which does not count.
                    text.push(0);
                    let (mut one, mut two) = (vec![0; len], vec![0; len]);
                    let count = narrow(endian, &text, &mut one);
                    let most = if other > 0x7F { place } else { len };
                    assert_eq!(count, most / RUN * RUN, "{endian:?} {len} {place} {other:x}");
                    assert_eq!(count, narrow_on_any(endian, &text, &mut two));
                    let expected: Vec<u8> = (0..count).map(|n| unit(n) as u8).collect();
                    assert_eq!(one[..count], expected);
                    assert_eq!(two[..count], expected);
                    let nul = other == 0;
                    assert_eq!((has_nul(&text), has_nul_on_any(&text)), (nul, nul));
                }
            }
        }
    }
}
