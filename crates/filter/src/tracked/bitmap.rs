//! Git's compressed bitmaps (EWAH), which name entries of a shared index.
//!
//! ```text
//! number of bits | number of words | words of 64 bits | position of the last marker
//! marker: bit 0 is the value of a run; bits 1 to 32 are its length in words; bits 33 to 63 are the
//!         number of plain words that follow
//! ```

use std::iter;

use super::input::{Malformed, UnreadBytes};

/// The most bits of a bitmap: more than any index has entries.
const MAX_BITS: usize = 1 << 28;

/// A bitmap as it is written: a few bytes may stand for any number of bits, so that these are
/// looked at one by one, and never stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bitmap {
    bits: usize,
    /// Markers, each with the plain words that follow.
    words: Box<[u64]>,
}

/// A word that begins a run.
struct Marker {
    value: bool,
    /// The length of the run in bits.
    run: Option<usize>,
    /// How many plain words follow.
    plain: usize,
}

impl Marker {
    fn new(word: u64) -> Marker {
        let run = (word >> 1 & 0xffff_ffff) as usize;
        Marker { value: word & 1 == 1, run: run.checked_mul(64), plain: (word >> 33) as usize }
    }
}

impl Bitmap {
    /// Reads a bitmap.
    pub(super) fn read(input: &mut UnreadBytes<'_>) -> Result<Bitmap, Malformed> {
        let bits = input.u32()? as usize;
        let count = input.u32()?;
        if bits > MAX_BITS {
            return Err("a bitmap is too large");
        }
        let words = (0..count).map(|_| input.u64()).collect::<Result<_, _>>()?;
        input.u32()?;
        let bitmap = Bitmap { bits, words };
        bitmap.check()?;
        Ok(bitmap)
    }

    /// Checks that runs and plain words lie within the bitmap.
    fn check(&self) -> Result<(), Malformed> {
        let limit = self.bits.next_multiple_of(64);
        let mut at = 0usize;
        let mut rest = &*self.words;
        while let Some((&marker, behind)) = rest.split_first() {
            let Marker { run, plain, .. } = Marker::new(marker);
            let end = run.and_then(|run| at.checked_add(run)).filter(|end| *end <= limit);
            at = end.ok_or("a run is too long")?;
            rest = behind.get(plain..).ok_or("a bitmap ends early")?;
            if plain > (limit - at) / 64 {
                return Err("a bitmap has too many words");
            }
            at += 64 * plain;
        }
        Ok(())
    }

    /// The positions of the bits that are set, in order.
    pub(super) fn positions(&self) -> impl Iterator<Item = usize> + '_ {
        let mut at = 0;
        let mut rest = &*self.words;
        let groups = iter::from_fn(move || {
            let (&marker, behind) = rest.split_first()?;
            let Marker { value, run, plain } = Marker::new(marker);
            let (words, behind) = behind.split_at_checked(plain)?;
            rest = behind;
            let start = at;
            let end = start + run?;
            at = end + 64 * plain;
            let run = if value { start..end } else { end..end };
            Some(run.chain((end..).step_by(64).zip(words).flat_map(set_in)))
        });
        groups.flatten().take_while(|position| *position < self.bits)
    }
}

/// The positions of the bits that are set in a word. The word's first bit has the position `at`.
fn set_in((at, &word): (usize, &u64)) -> impl Iterator<Item = usize> + use<> {
    (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at + bit)
}
