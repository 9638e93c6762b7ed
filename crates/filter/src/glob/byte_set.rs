//! Sets of bytes, which bracket expressions are compiled to.

/// A set of bytes, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ByteSet([u64; 4]);

impl ByteSet {
    pub(crate) fn add(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    pub(crate) fn remove(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] &= !(1 << (byte & 63));
    }

    /// Adds every byte from `first` to `last`, none if `first` is greater.
    pub(crate) fn add_range(&mut self, first: u8, last: u8) {
        for byte in first..=last {
            self.add(byte);
        }
    }

    /// Adds all bytes for which `is_member` returns `true`.
    pub(crate) fn add_all(&mut self, is_member: impl Fn(u8) -> bool) {
        for byte in 0..=u8::MAX {
            if is_member(byte) {
                self.add(byte);
            }
        }
    }

    #[inline]
    pub(crate) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    /// Adds every ASCII letter in the set in the other case.
    pub(crate) fn add_other_case(&mut self) {
        for lower in b'a'..=b'z' {
            let upper = lower.to_ascii_uppercase();
            if self.has(lower) || self.has(upper) {
                self.add(lower);
                self.add(upper);
            }
        }
    }

    /// Adds the bytes in another set.
    pub(crate) fn unite(&mut self, other: &ByteSet) {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word |= other;
        }
    }

    pub(crate) fn invert(&mut self) {
        for word in &mut self.0 {
            *word = !*word;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ByteSet;

    fn members(set: &ByteSet) -> Vec<u8> {
        (0..=u8::MAX).filter(|&byte| set.has(byte)).collect()
    }

    #[test]
    fn holds_what_was_added_and_nothing_else() {
        let mut set = ByteSet::default();
        set.add_range(b'a', b'c');
        set.add(0xff);
        set.add_range(b'z', b'x');
        assert_eq!(members(&set), b"abc\xff");
        set.remove(b'b');
        assert_eq!(members(&set), b"ac\xff");
        let mut other = ByteSet::default();
        other.add_range(b'a', b'b');
        other.unite(&set);
        assert_eq!(members(&other), b"abc\xff");
    }

    #[test]
    fn folds_letters_only_and_inverts() {
        let mut set = ByteSet::default();
        set.add(b'Q');
        set.add(b'[');
        set.add_other_case();
        assert_eq!(members(&set), b"Q[q");
        set.invert();
        assert_eq!(members(&set).len(), 253);
        assert!(!set.has(b'q'));
    }
}
