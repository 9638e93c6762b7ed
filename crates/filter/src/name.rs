//! What is computed once about an entry's name, for all the tables it is looked up in.

/// An entry's base name, prepared for lookups.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'a> {
    pub(crate) bytes: &'a [u8],
    /// Its hash.
    pub(crate) hash: u64,
    /// What follows its last dot, packed by [`pack`]; 0 if that is nothing, or over 8 bytes.
    pub(crate) extension: u64,
    /// Whether it has two dots or more.
    pub(crate) has_two_dots: bool,
}

impl<'a> Name<'a> {
    #[inline]
    pub(crate) fn new(bytes: &'a [u8]) -> Name<'a> {
        let (extension, has_two_dots) = dots(bytes);
        Name {
            bytes,
            hash: hash(bytes),
            extension,
            has_two_dots,
        }
    }
}

/// The packed extension, and whether there is a dot before the last one.
#[inline]
fn dots(name: &[u8]) -> (u64, bool) {
    let mut packed = 0;
    for (taken, &byte) in name.iter().rev().take(9).enumerate() {
        if byte == b'.' {
            let before = &name[..name.len() - taken - 1];
            return (packed, before.contains(&b'.'));
        }
        // The ninth byte would push the first one out; then there is no short extension.
        packed = packed << 8 | u64::from(byte);
    }
    (0, memchr::memchr_iter(b'.', name).nth(1).is_some())
}

/// Up to 8 bytes as one number. No two extensions without a NUL give the same, none gives 0.
pub(crate) fn pack(extension: &[u8]) -> u64 {
    extension
        .iter()
        .rev()
        .fold(0, |packed, &byte| packed << 8 | u64::from(byte))
}

/// A hash of a name: eight bytes at a time, multiplied and folded. It is meant to be cheap; who
/// picks names that collide makes lookups slower, not wrong.
#[inline]
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = (bytes.len() as u64).wrapping_mul(FACTOR);
    let mut mix = |word: u64| {
        let product = (hash ^ word).wrapping_mul(FACTOR);
        hash = product ^ product >> 29;
    };
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        mix(u64::from_le_bytes(*word));
    }
    if !rest.is_empty() {
        // With a whole word before it, the last word may overlap that one: no loop is needed.
        match bytes.last_chunk::<8>() {
            Some(word) => mix(u64::from_le_bytes(*word)),
            None => mix(pack(rest)),
        }
    }
    hash.wrapping_mul(FACTOR)
}

/// Where a packed extension goes in a table, as a hash.
#[inline]
pub(crate) fn scatter(extension: u64) -> u64 {
    let product = extension.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_follow_the_last_dot() {
        let cases: [(&[u8], &[u8], bool); 11] = [
            (b"main.rs", b"rs", false),
            (b"a.tar.gz", b"gz", true),
            (b".rs", b"rs", false),
            (b"..rs", b"rs", true),
            (b"Makefile", b"", false),
            (b"longer-than-nine", b"", false),
            (b"a.b.longer-than-nine", b"", true),
            (b"x.", b"", false),
            (b"x.12345678", b"12345678", false),
            (b"x.123456789", b"", false),
            (b"", b"", false),
        ];
        for (name, extension, has_two_dots) in cases {
            let name = Name::new(name);
            assert_eq!(name.extension, pack(extension), "{:?}", name);
            assert_eq!(name.has_two_dots, has_two_dots, "{:?}", name);
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
