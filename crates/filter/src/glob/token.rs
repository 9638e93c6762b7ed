//! The elements that make globs in both dialects, and whether the case of their letters counts.

use super::byte_set::ByteSet;

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

/// One element in a glob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// This byte.
    Byte(u8),
    /// Any byte but a slash.
    Any,
    /// One of these bytes, never a slash.
    Set(Box<ByteSet>),
    /// Any run of bytes without a slash.
    Star,
    /// Nothing, or any run of bytes that ends in a slash.
    Dirs,
    /// Any run of bytes.
    All,
}

impl Token {
    pub(super) fn literal(byte: u8, case_insensitive: bool) -> Token {
        Token::Byte(if case_insensitive { byte.to_ascii_lowercase() } else { byte })
    }

    /// Whether the token matches a run of bytes instead of one.
    pub(super) fn is_run(&self) -> bool {
        matches!(self, Token::Star | Token::Dirs | Token::All)
    }

    #[inline]
    pub(super) fn is_match(&self, byte: u8) -> bool {
        match self {
            Token::Byte(wanted) => *wanted == byte,
            Token::Any => byte != b'/',
            Token::Set(set) => set.has(byte),
            Token::Star | Token::Dirs | Token::All => false,
        }
    }

    /// Appends a run of stars that ends before `end`, and returns where the glob continues: `**/`
    /// is one token. Repeated tokens are stored once.
    pub(super) fn push_run(self, tokens: &mut Vec<Token>, end: usize) -> usize {
        let taken = usize::from(self == Token::Dirs);
        if tokens.last() != Some(&self) {
            tokens.push(self);
        }
        end + taken
    }
}
