//! What becomes of an agent's file.

/// What becomes of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// The file stays as it is.
    None,
    /// The file has these contents then.
    Write(Vec<u8>),
    /// The file is removed, as nothing else is in it.
    Remove,
}
