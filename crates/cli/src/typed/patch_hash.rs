//! The hash of a patch, by which a caller names the change that it has seen.

use std::{fmt, str::FromStr};

use sha2::{Digest as _, Sha256};

/// The SHA-256 of a patch, as `sha256sum` prints it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct PatchHash([u8; 32]);

impl PatchHash {
    /// The hash of the patch with these parts.
    pub(crate) fn of(parts: impl Iterator<Item = Vec<u8>>) -> PatchHash {
        let mut hasher = Sha256::new();
        parts.for_each(|part| hasher.update(part));
        PatchHash(hasher.finalize().into())
    }
}

/// Reads 64 hexadecimal digits.
impl FromStr for PatchHash {
    type Err = String;

    fn from_str(text: &str) -> Result<PatchHash, String> {
        let digits: Option<Vec<u8>> =
            text.chars().map(|char| u8::try_from(char.to_digit(16)?).ok()).collect();
        let digits: Option<[u8; 64]> = digits.and_then(|digits| digits.try_into().ok());
        let hash = digits.map(|digits| {
            PatchHash(std::array::from_fn(|at| digits[2 * at] << 4 | digits[2 * at + 1]))
        });
        let error = || format!("'{text}' is no hash (accepted: the 64 digits of a SHA-256)");
        hash.ok_or_else(error)
    }
}

impl fmt::Debug for PatchHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_what_sha256sum_prints() {
        let printed = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let hash = PatchHash::of([b"a".to_vec(), b"bc".to_vec()].into_iter());
        assert_eq!(format!("{hash:?}"), printed);
        assert_eq!(printed.to_ascii_uppercase().parse(), Ok(hash));
        for wrong in ["", "ba7816bf", &printed[1..], &format!("{printed}0"), &"g".repeat(64)] {
            assert!(wrong.parse::<PatchHash>().is_err(), "{wrong}");
        }
    }
}
