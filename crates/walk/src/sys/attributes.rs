//! What a listing reports about an entry beside its name and type.

/// An entry's attributes, in its listing. Only Windows has one that matters.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Attributes {
    /// `FILE_ATTRIBUTE_HIDDEN`.
    #[cfg(windows)]
    pub(super) hidden: bool,
}

impl Attributes {
    /// Whether the file system marks the entry as hidden, whatever its name is. Known to be false
    /// when the program is compiled for a system without such a mark.
    #[inline]
    pub(crate) fn is_hidden(self) -> bool {
        #[cfg(windows)]
        return self.hidden;
        #[cfg(not(windows))]
        false
    }
}
