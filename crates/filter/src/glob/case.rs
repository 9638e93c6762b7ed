//! Whether the case of letters counts.

/// Whether the case of ASCII letters counts. Where it does not, the text is in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum LetterCase {
    /// The case of letters counts.
    Exact,
    /// The case of letters does not count.
    Folded,
    /// The case of letters does not count, as with git's `core.ignoreCase`: an upper-case letter
    /// behind a backslash, and one that is a single member of brackets, match nothing, so `[A]`
    /// matches neither `A` nor `a`. Git folds the text, but in a glob it folds only ranges,
    /// `[:upper:]`, and what it compares literally.
    FoldedByGit,
}

impl LetterCase {
    /// [`Folded`](LetterCase::Folded) if the letters' case does not count.
    pub(crate) fn folded_if(is_folded: bool) -> LetterCase {
        if is_folded { LetterCase::Folded } else { LetterCase::Exact }
    }

    /// Whether the text is in lower case.
    pub(crate) fn is_folded(self) -> bool {
        self != LetterCase::Exact
    }
}
