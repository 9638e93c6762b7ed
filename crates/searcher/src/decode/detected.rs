//! The encoding of a haystack that no byte order mark and no setting states: its first bytes show
//! it.

use super::utf16::Endian;

/// An encoding that can be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextEncoding {
    /// One of the Encoding Standard.
    Standard(&'static encoding_rs::Encoding),
    /// UTF-32, which the Encoding Standard does not have.
    Utf32(Endian),
}

impl TextEncoding {
    /// Returns its name, such as `UTF-16LE` or `windows-1252`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            TextEncoding::Standard(encoding) => encoding.name(),
            TextEncoding::Utf32(Endian::Little) => "UTF-32LE",
            TextEncoding::Utf32(Endian::Big) => "UTF-32BE",
        }
    }
}

/// What the first bytes of a haystack show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Detected {
    pub(crate) encoding: TextEncoding,
    /// The encoding is the most probable one. If false, it is certain.
    pub(crate) is_guess: bool,
}
