//! Lines and paths as text, bytes where they are no text, and offsets in UTF-16.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

use bstr::ByteSlice as _;
use napi::bindgen_prelude::{Buffer, Either};
use napi_derive::napi;

/// A path as JavaScript passes it: text, or the bytes of one that is no text.
pub(crate) type GivenPath = Either<String, Buffer>;

/// A path for JavaScript.
#[napi(object, object_from_js = false)]
pub struct PathValue {
    /// The path as text.
    pub text: String,
    /// The path as it is, if it is not UTF-8.
    pub bytes: Option<Buffer>,
}

/// The path that JavaScript has passed.
pub(crate) fn path_of(given: &GivenPath) -> PathBuf {
    match given {
        Either::A(text) => text.into(),
        Either::B(bytes) => bytes.to_path_lossy().into_owned(),
    }
}

/// The form of `path` for JavaScript.
pub(crate) fn path_value(path: &Path) -> PathValue {
    match path.to_str() {
        Some(text) => PathValue { text: text.to_owned(), bytes: None },
        None => PathValue {
            text: path.to_string_lossy().into_owned(),
            bytes: <[u8]>::from_path(path).map(|bytes| bytes.to_vec().into()),
        },
    }
}

/// The text of `line`, and whether its bytes are another.
pub(crate) fn text_of(line: &[u8]) -> (String, bool) {
    match line.to_str_lossy() {
        Cow::Borrowed(text) => (text.to_owned(), false),
        Cow::Owned(text) => (text, true),
    }
}

/// The offset of `at`, a byte of `line`, in the line as a string of JavaScript: in units of UTF-16.
/// Each invalid sequence of bytes counts as the one unit of U+FFFD, which takes its place.
pub(crate) fn unit_offset(line: &[u8], at: usize) -> usize {
    let before = &line[..at.min(line.len())];
    if before.is_ascii() { before.len() } else { before.chars().map(char::len_utf16).sum() }
}
