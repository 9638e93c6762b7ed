//! Fingerprints of rules: a caller that remembers verdicts learns whether they would be the same.

use std::hash::{DefaultHasher, Hash, Hasher};

/// Stands for all rules that judge the entries of a directory, wherever they come from. Directories
/// with equal fingerprints and equal absolute paths have the same verdict for an entry with the
/// same name.
///
/// Another standard library version may compute other numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint([u64; 2]);

impl Fingerprint {
    /// A value's fingerprint.
    pub(crate) fn of(value: &impl Hash) -> Fingerprint {
        // A tree's rules are not to be trusted: two contents with the same 64 bits are found within
        // minutes.
        Fingerprint([1_u64, 2].map(|prefix| {
            let mut hasher = DefaultHasher::new();
            (prefix, value).hash(&mut hasher);
            hasher.finish()
        }))
    }

    /// This fingerprint combined with a value's.
    pub(crate) fn with(self, value: &impl Hash) -> Fingerprint {
        Fingerprint::of(&(self, value))
    }

    /// Returns the fingerprint that [`to_bytes`](Self::to_bytes) has written.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 16]) -> Fingerprint {
        let number = u128::from_le_bytes(bytes);
        Fingerprint([(number >> 64) as u64, number as u64])
    }

    /// Returns it as bytes.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 16] {
        (u128::from(self.0[0]) << 64 | u128::from(self.0[1])).to_le_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::Fingerprint;

    #[test]
    fn both_halves_depend_on_everything() {
        let (one, other) = (Fingerprint::of(&"a"), Fingerprint::of(&"b"));
        assert_eq!(one, Fingerprint::of(&"a"));
        assert!(one.0[0] != other.0[0] && one.0[1] != other.0[1] && one.0[0] != one.0[1]);
        assert_ne!(one.with(&"b"), other.with(&"a"));
        assert_ne!(one.to_bytes(), other.to_bytes());
        assert_eq!(Fingerprint::from_bytes(one.to_bytes()), one);
    }
}
