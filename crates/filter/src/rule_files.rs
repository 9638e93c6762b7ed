//! The kinds of rule files, and which ones a directory contains.

use std::ffi::CStr;

/// Where rules come from, the strongest first. **This order is the precedence**, see this crate's
/// page: the kind is compared before the depth, so that a `.ignore` at the top of a tree outranks a
/// `.gitignore` beside the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum RuleFileKind {
    RgIgnore,
    Ignore,
    GitIgnore,
    Exclude,
    Global,
    IgnoreFile,
}

impl RuleFileKind {
    /// Whether git reads files of this kind too, so that a repository's bounds apply.
    pub(crate) fn is_git(self) -> bool {
        matches!(self, RuleFileKind::GitIgnore | RuleFileKind::Exclude | RuleFileKind::Global)
    }

    /// The file's path, relative to the directory that its rules are for. Empty for files that are
    /// found elsewhere.
    pub(crate) fn file(self) -> &'static str {
        match self {
            RuleFileKind::RgIgnore => ".rgignore",
            RuleFileKind::Ignore => ".ignore",
            RuleFileKind::GitIgnore => ".gitignore",
            RuleFileKind::Exclude => ".git/info/exclude",
            RuleFileKind::Global | RuleFileKind::IgnoreFile => "",
        }
    }
}

/// Which names in a directory's listing change the rules in force there. Empty for nearly every
/// directory.
///
/// ```
/// use heist_filter::RuleFilesPresent;
///
/// let mut found = RuleFilesPresent::default();
/// found.note(b"src");
/// assert!(found.is_empty());
/// found.note(b".gitignore");
/// assert!(!found.is_empty());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleFilesPresent(u8);

impl RuleFilesPresent {
    /// All names that matter, for a caller that has no listing and looks for each.
    pub const NAMES: [&CStr; 5] = [c".rgignore", c".ignore", c".gitignore", c".git", c".jj"];

    pub(crate) const RGIGNORE: RuleFilesPresent = RuleFilesPresent(1);
    pub(crate) const IGNORE: RuleFilesPresent = RuleFilesPresent(2);
    pub(crate) const GITIGNORE: RuleFilesPresent = RuleFilesPresent(4);
    pub(crate) const GIT: RuleFilesPresent = RuleFilesPresent(8);
    pub(crate) const JJ: RuleFilesPresent = RuleFilesPresent(16);

    /// Adds `name` if it is one of [`NAMES`](Self::NAMES). Meant to be called for every entry: an
    /// ordinary name costs one comparison.
    #[inline]
    pub fn note(&mut self, name: &[u8]) {
        if name.first() == Some(&b'.') {
            self.note_dotted(name);
        }
    }

    fn note_dotted(&mut self, name: &[u8]) {
        let mut lower = [0; ".gitignore".len()];
        let name = match lower.get_mut(..name.len()) {
            // A `.GITIGNORE` is found under the usual name too.
            Some(lower) if cfg!(windows) => {
                lower.copy_from_slice(name);
                lower.make_ascii_lowercase();
                lower
            }
            _ => name,
        };
        self.0 |= match name {
            b".rgignore" => Self::RGIGNORE.0,
            b".ignore" => Self::IGNORE.0,
            b".gitignore" => Self::GITIGNORE.0,
            b".git" => Self::GIT.0,
            b".jj" => Self::JJ.0,
            _ => 0,
        };
    }

    /// Returns whether no name has been added.
    #[must_use]
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether a name makes the directory a repository's top.
    #[must_use]
    pub fn is_repository(self) -> bool {
        self.has(Self::GIT.or(Self::JJ))
    }

    pub(crate) fn has(self, any: RuleFilesPresent) -> bool {
        self.0 & any.0 != 0
    }

    pub(crate) fn and(self, other: RuleFilesPresent) -> RuleFilesPresent {
        RuleFilesPresent(self.0 & other.0)
    }

    pub(crate) fn without(self, other: RuleFilesPresent) -> RuleFilesPresent {
        RuleFilesPresent(self.0 & !other.0)
    }

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
        for name in ["", ".", "..", "git", ".gitignore~", ".gitmodules", "ignore"] {
            none.note(name.as_bytes());
        }
        assert!(none.is_empty());
        none.note(b".Git");
        assert_eq!(none.is_empty(), !cfg!(windows), "names have no case on Windows");
    }
}
