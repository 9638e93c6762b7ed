//! Classes of ASCII bytes, and which bytes in a text are members.

use super::bitmap::{BITS, Block};

/// Bit `h` in byte `h`, for the upper halves `h` of ASCII bytes; no bit for others.
#[cfg_attr(
    not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little"))),
    allow(dead_code, reason = "vectors alone need it")
)]
pub(super) const BIT_OF_HIGH: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0];

/// The first eight bytes and the others, the first of each lowest, for a vector.
#[cfg_attr(
    not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little"))),
    allow(dead_code, reason = "vectors alone need it")
)]
#[inline]
pub(super) fn halves(bytes: &[u8; 16]) -> [u64; 2] {
    let (halves, _) = bytes.as_chunks();
    [halves[0], halves[1]].map(u64::from_le_bytes)
}

/// A class of ASCII bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Class {
    /// Bit `h` of element `l` is set where the byte `16 h + l` is a member.
    pub(super) columns: [u8; 16],
}

impl Class {
    /// The class of the ASCII bytes for which `is_member` is true.
    pub(crate) fn new(is_member: impl Fn(u8) -> bool) -> Class {
        let mut columns = [0; 16];
        for byte in (0..128).filter(|byte| is_member(*byte)) {
            columns[usize::from(byte & 15)] |= 1 << (byte >> 4);
        }
        Class { columns }
    }

    /// A bit for each byte of `block`: whether it is a member.
    #[cfg_attr(target_arch = "aarch64", allow(dead_code, reason = "NEON is always there"))]
    pub(super) fn members(&self, block: &Block) -> u64 {
        block.iter().enumerate().fold(0, |word, (n, &byte)| {
            let column = self.columns[usize::from(byte & 15)];
            let is_member = byte.is_ascii() && column >> (byte >> 4) & 1 != 0;
            word | u64::from(is_member) << n
        })
    }

    /// Sets in `out` a bit for each member among the first bytes of `text`. Behind the end of
    /// `text`, `fill` is taken to follow. `members` does what [`Class::members`] does.
    #[inline(always)]
    pub(super) fn mark(
        &self,
        text: &[u8],
        fill: u8,
        members: impl Fn(&Class, &Block) -> u64,
        out: &mut [u64],
    ) {
        let (whole, rest) = text.as_chunks::<BITS>();
        let (head, tail) = out.split_at_mut(whole.len().min(out.len()));
        for (out, block) in head.iter_mut().zip(whole) {
            *out = members(self, block);
        }
        if let [last, ..] = tail {
            let mut block = [fill; BITS];
            block[..rest.len()].copy_from_slice(rest);
            *last = members(self, &block);
        }
    }
}
