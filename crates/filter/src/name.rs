//! What is computed once per entry, for all tables in which its name is looked up.

/// An entry's name, prepared for look-ups.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) hash: u64,
    /// What follows the last dot, packed by [`pack`]; 0 if that is empty or longer than 7 bytes.
    pub(crate) extension: u64,
    /// For each of the last eight bytes, the top bit if it is a dot; the last byte is the highest.
    dots: u64,
}

impl<'a> Name<'a> {
    #[inline]
    pub(crate) fn new(bytes: &'a [u8]) -> Name<'a> {
        let last = match bytes.last_chunk::<8>() {
            Some(word) => u64::from_le_bytes(*word),
            // Shifted up, so that the last byte is the highest here too.
            None => pack(bytes).checked_shl(64 - 8 * bytes.len() as u32).unwrap_or(0),
        };
        let dots = dots(last);
        // A dot at the end shifts all 64 bits out.
        let shift = 64 - dots.leading_zeros();
        let extension = if dots == 0 { 0 } else { last.checked_shr(shift).unwrap_or(0) };
        Name { bytes, hash: hash(bytes), extension, dots }
    }

    /// Returns whether the name has two dots or more.
    #[inline]
    pub(crate) fn has_two_dots(&self) -> bool {
        match self.dots.count_ones() {
            // None among the last eight bytes: rare, and slow.
            0 => memchr::memchr_iter(b'.', self.bytes).nth(1).is_some(),
            1 => has_dot(&self.bytes[..self.bytes.len().saturating_sub(8)]),
            _ => true,
        }
    }
}

#[inline]
fn has_dot(bytes: &[u8]) -> bool {
    match bytes.last_chunk::<8>() {
        Some(last) => {
            let words = bytes.as_chunks::<8>().0;
            words.iter().chain([last]).any(|word| dots(u64::from_le_bytes(*word)) != 0)
        }
        None => dots(pack(bytes)) != 0,
    }
}

/// Returns the top bit of every byte in a word that is a dot. The usual test for a zero byte errs
/// on a byte that differs in its lowest bit and is above a hit. That is a slash, which no name has.
#[inline]
fn dots(word: u64) -> u64 {
    const LOW_BITS: u64 = u64::from_le_bytes([1; 8]);
    let zero_if_dot = word ^ u64::from_le_bytes([b'.'; 8]);
    zero_if_dot.wrapping_sub(LOW_BITS) & !zero_if_dot & LOW_BITS << 7
}

/// Packs up to 8 bytes into a number, little-endian. Different extensions without a NUL give
/// different numbers, and none gives 0.
#[inline]
pub(crate) fn pack(bytes: &[u8]) -> u64 {
    let wide = |at: usize| u64::from(bytes[at]) << (8 * at);
    match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        // The two halves may overlap, where they agree.
        (Some(first), Some(last)) => {
            let last = u64::from(u32::from_le_bytes(*last));
            u64::from(u32::from_le_bytes(*first)) | last << (8 * (bytes.len() - 4))
        }
        _ if bytes.is_empty() => 0,
        // One to three bytes: the first, the middle and the last are all there are.
        _ => wide(0) | wide(bytes.len() / 2) | wide(bytes.len() - 1),
    }
}

/// Hashes a name, eight bytes at a time. Meant to be cheap: names that collide are easy to find,
/// and the tables stay fast with them.
#[inline]
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    const HASH_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = (bytes.len() as u64).wrapping_mul(HASH_FACTOR);
    let mut mix = |word: u64| {
        let product = (hash ^ word).wrapping_mul(HASH_FACTOR);
        hash = product ^ product >> 29;
    };
    match bytes.last_chunk::<8>() {
        Some(last) => {
            // The last word may overlap the previous one, so that there is no rest.
            for word in bytes[..bytes.len() - 1].as_chunks::<8>().0 {
                mix(u64::from_le_bytes(*word));
            }
            mix(u64::from_le_bytes(*last));
        }
        None => mix(pack(bytes)),
    }
    hash.wrapping_mul(HASH_FACTOR)
}

/// Hashes a packed extension.
#[inline]
pub(crate) fn scatter(extension: u64) -> u64 {
    let product = extension.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_is_little_endian() {
        let bytes = *b"\x01\x02\x03\x04\xfc\xfd\xfe\xff";
        for length in 0..=8 {
            let mut padded = [0; 8];
            padded[..length].copy_from_slice(&bytes[..length]);
            assert_eq!(pack(&bytes[..length]), u64::from_le_bytes(padded), "{length}");
        }
    }

    #[test]
    fn hashes_tell_names_apart() {
        let mut seen = std::collections::HashSet::new();
        for length in 0..40 {
            for byte in b'a'..=b'z' {
                let mut name = vec![b'x'; length];
                name.push(byte);
                assert!(seen.insert(hash(&name)), "{name:?}");
            }
        }
    }
}
