//! Conversion between paths and the bytes by which rules and output know them.
//!
//! On Unix a path is bytes. On Windows it is UTF-16 code units, which need not be Unicode: its
//! bytes are WTF-8, which is UTF-8 for all Unicode and encodes a lone surrogate as if it were a
//! code point. So every path has bytes of its own, and comes back from them. See
//! `docs/decisions/0023-paths-of-windows.md`.

use std::{borrow::Cow, path::Path};

/// The separator between a directory and a name in this system's paths.
pub const SEPARATOR: u8 = if cfg!(windows) { b'\\' } else { b'/' };

/// Whether `byte` separates components in a path: on Windows a slash or a backslash.
#[must_use]
pub fn is_separator(byte: u8) -> bool {
    byte == b'/' || byte == SEPARATOR
}

/// Returns a path's bytes.
#[cfg(unix)]
pub fn bytes_of(path: &Path) -> Cow<'_, [u8]> {
    use std::os::unix::ffi::OsStrExt;
    path.as_os_str().as_bytes().into()
}

/// Returns a path's bytes, in WTF-8.
#[cfg(windows)]
pub fn bytes_of(path: &Path) -> Cow<'_, [u8]> {
    use std::os::windows::ffi::OsStrExt;
    match path.to_str() {
        Some(text) => text.as_bytes().into(),
        None => wtf8::encode(path.as_os_str().encode_wide()).into(),
    }
}

/// Returns the path that these bytes make.
#[cfg(unix)]
pub fn path_of(bytes: &[u8]) -> Cow<'_, Path> {
    use std::os::unix::ffi::OsStrExt;
    Path::new(std::ffi::OsStr::from_bytes(bytes)).into()
}

/// Returns the path that these bytes make. Bytes that are not WTF-8 become U+FFFD.
#[cfg(windows)]
pub fn path_of(bytes: &[u8]) -> Cow<'_, Path> {
    use std::os::windows::ffi::OsStringExt;
    match std::str::from_utf8(bytes) {
        Ok(text) => Path::new(text).into(),
        Err(_) => {
            let units: Vec<u16> = wtf8::decode(bytes).collect();
            std::path::PathBuf::from(std::ffi::OsString::from_wide(&units)).into()
        }
    }
}

/// Returns a path's bytes with slashes, without one at the end, so that `/` becomes empty.
pub(crate) fn with_slashes(path: &Path) -> Vec<u8> {
    let mut bytes = bytes_of(path).into_owned();
    if cfg!(windows) {
        slashes(&mut bytes);
    }
    if bytes.ends_with(b"/") {
        bytes.pop();
    }
    bytes
}

/// Replaces backslashes by slashes.
fn slashes(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
}

/// Returns `path` with slashes between its components, as rules know it.
#[must_use]
pub fn rule_path(path: &[u8]) -> Cow<'_, [u8]> {
    if cfg!(windows) && path.contains(&b'\\') {
        let mut path = path.to_vec();
        slashes(&mut path);
        return path.into();
    }
    path.into()
}

/// Appends a component to a path; the empty path and `/` need no slash in between.
pub(crate) fn push(path: &mut Vec<u8>, component: &[u8]) {
    if !path.is_empty() && !path.ends_with(b"/") {
        path.push(b'/');
    }
    path.extend_from_slice(component);
}

/// WTF-8, <https://simonsapin.github.io/wtf-8/>.
#[cfg(any(windows, test))]
mod wtf8 {
    use std::char::{REPLACEMENT_CHARACTER, decode_utf16};

    /// Encodes UTF-16 in which surrogates may stand alone.
    pub(super) fn encode(units: impl Iterator<Item = u16>) -> Vec<u8> {
        let mut bytes = Vec::new();
        for unit in decode_utf16(units) {
            match unit {
                Ok(char) => bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
                Err(error) => {
                    let [high, low] = error.unpaired_surrogate().to_be_bytes();
                    let middle = (high & 0xF) << 2 | low >> 6;
                    bytes.extend([0xED, 0x80 | middle, 0x80 | low & 0x3F]);
                }
            }
        }
        bytes
    }

    /// Decodes WTF-8. Each byte that is none becomes U+FFFD.
    pub(super) fn decode(bytes: &[u8]) -> impl Iterator<Item = u16> {
        let mut rest = bytes;
        std::iter::from_fn(move || {
            if let [0xED, middle @ 0xA0..=0xBF, low @ 0x80..=0xBF, after @ ..] = rest {
                rest = after;
                let unit = 0xD000 | u16::from(middle & 0x3F) << 6 | u16::from(low & 0x3F);
                return Some(vec![unit]);
            }
            let chunk = rest.utf8_chunks().next()?;
            let text = chunk.valid();
            if text.is_empty() {
                rest = &rest[1..];
                return Some(vec![REPLACEMENT_CHARACTER as u16]);
            }
            rest = &rest[text.len()..];
            Some(text.encode_utf16().collect())
        })
        .flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_come_back_from_their_bytes() {
        for units in [&[0x61, 0xD83D, 0xDE00][..], &[0xD800], &[0x62, 0xDFFF, 0xD800, 0x63], &[]] {
            let bytes = wtf8::encode(units.iter().copied());
            assert_eq!(wtf8::decode(&bytes).collect::<Vec<_>>(), units, "{bytes:x?}");
        }
        assert_eq!(wtf8::encode([0xD83D, 0xDE00].into_iter()), "\u{1f600}".as_bytes());
        assert_eq!(wtf8::encode([0xD800].into_iter()), [0xED, 0xA0, 0x80]);
    }

    #[test]
    fn bytes_that_are_no_path_become_replacement_characters() {
        let decode = |bytes: &[u8]| wtf8::decode(bytes).collect::<Vec<_>>();
        assert_eq!(decode(b"a\xffb\xed\xa0"), [0x61, 0xFFFD, 0x62, 0xFFFD, 0xFFFD]);
    }

    #[test]
    fn a_slash_at_the_end_is_left_out() {
        assert_eq!(with_slashes(Path::new("/")), b"");
        assert_eq!(with_slashes(Path::new("/a/b/")), b"/a/b");
    }
}
