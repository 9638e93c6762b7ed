//! Names in a listing that change the rules of a directory.

use std::ffi::CStr;

/// Names in a directory's listing that change the rules in it. A set; empty for nearly every
/// directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleFilesPresent(u8);

impl RuleFilesPresent {
    /// The names, for whoever has no listing to look for them in.
    pub const NAMES: [&CStr; 5] = [c".rgignore", c".ignore", c".gitignore", c".git", c".jj"];

    pub(crate) const RGIGNORE: RuleFilesPresent = RuleFilesPresent(1);
    pub(crate) const IGNORE: RuleFilesPresent = RuleFilesPresent(2);
    pub(crate) const GITIGNORE: RuleFilesPresent = RuleFilesPresent(4);
    pub(crate) const GIT: RuleFilesPresent = RuleFilesPresent(8);
    pub(crate) const JJ: RuleFilesPresent = RuleFilesPresent(16);

    /// Note `name` if it is one. Meant to be called for every entry: an ordinary name costs one
    /// comparison.
    #[inline]
    pub fn note(&mut self, name: &[u8]) {
        if name.first() == Some(&b'.') {
            self.note_dotted(name);
        }
    }

    fn note_dotted(&mut self, name: &[u8]) {
        self.0 |= match name {
            b".rgignore" => Self::RGIGNORE.0,
            b".ignore" => Self::IGNORE.0,
            b".gitignore" => Self::GITIGNORE.0,
            b".git" => Self::GIT.0,
            b".jj" => Self::JJ.0,
            _ => 0,
        };
    }

    /// Whether none was noted.
    #[must_use]
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn has(self, one: RuleFilesPresent) -> bool {
        self.0 & one.0 != 0
    }

    /// Those that are in both.
    pub(crate) fn and(self, other: RuleFilesPresent) -> RuleFilesPresent {
        RuleFilesPresent(self.0 & other.0)
    }

    /// Those that are not in the other.
    pub(crate) fn without(self, other: RuleFilesPresent) -> RuleFilesPresent {
        RuleFilesPresent(self.0 & !other.0)
    }

    /// Those that are in either.
    pub(crate) fn or(self, other: RuleFilesPresent) -> RuleFilesPresent {
        RuleFilesPresent(self.0 | other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::RuleFilesPresent;

    #[test]
    fn notes_five_names_and_no_others() {
        let mut all = RuleFilesPresent::default();
        for name in RuleFilesPresent::NAMES {
            let mut one = RuleFilesPresent::default();
            one.note(name.to_bytes());
            assert!(!one.is_empty() && !all.has(one), "{name:?}");
            all.note(name.to_bytes());
            assert!(all.has(one), "{name:?}");
        }
        let mut none = RuleFilesPresent::default();
        for name in ["", ".", "..", "git", ".gitignore~", ".gitmodules", ".Git", "ignore"] {
            none.note(name.as_bytes());
        }
        assert!(none.is_empty());
    }
}
