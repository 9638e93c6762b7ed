//! Git's compressed bitmaps (EWAH), which name entries of a shared index.
//!
//! ```text
//! number of bits | number of words | words of 64 bits | position of the last marker
//! marker: bit 0 is the value of a run; bits 1 to 32 are its length in words; bits 33 to 63 are the
//!         number of plain words that follow
//! ```

use super::input::{Input, Malformed};

/// The most bits of a bitmap: more than any index has entries.
const MAX_BITS: usize = 1 << 28;

/// Returns the positions of the bits that are set, in order.
pub(super) fn positions(input: &mut Input<'_>) -> Result<Vec<usize>, Malformed> {
    let bits = input.u32()? as usize;
    let mut words = input.u32()?;
    if bits > MAX_BITS {
        return Err("a bitmap is too large");
    }
    let mut positions = Vec::new();
    let mut at = 0usize;
    while words > 0 {
        let marker = input.u64()?;
        let run = (marker >> 1 & 0xffff_ffff) as usize;
        let plain = (marker >> 33) as u32;
        words = (words - 1).checked_sub(plain).ok_or("a bitmap ends early")?;
        let end = run.checked_mul(64).and_then(|len| at.checked_add(len));
        let end = end.filter(|end| *end <= bits.next_multiple_of(64)).ok_or("a run is too long")?;
        if marker & 1 == 1 {
            positions.extend(at..end.min(bits));
        }
        at = end;
        for _ in 0..plain {
            let word = input.u64()?;
            let set = (0..64).filter(|bit| word >> bit & 1 == 1).map(|bit| at + bit);
            positions.extend(set.filter(|position| *position < bits));
            at += 64;
            if at > bits.next_multiple_of(64) {
                return Err("a bitmap has too many words");
            }
        }
    }
    input.u32()?;
    Ok(positions)
}
