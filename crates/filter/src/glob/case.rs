//! Whether the case of letters counts.

/// Whether the case of ASCII letters counts. Where it does not, the text is in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Case {
    /// It does.
    Exact,
    /// It does not.
    Folded,
    /// It does not, as with git's `core.ignoreCase`: an upper-case letter behind a backslash, and
    /// one that is a single member of brackets, match nothing. Git folds the text, and of a glob
    /// only what it compares literally, ranges and `[:upper:]`.
    FoldedByGit,
}

impl Case {
    /// [`Folded`](Case::Folded) if the case of letters does not count.
    pub(crate) fn folded_if(is_folded: bool) -> Case {
        if is_folded { Case::Folded } else { Case::Exact }
    }

    /// Whether the text is in lower case.
    pub(crate) fn is_folded(self) -> bool {
        self != Case::Exact
    }
}
