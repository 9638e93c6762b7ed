//! Conversion between paths and bytes.
//!
//! On Unix a path consists of bytes. Elsewhere it is converted to UTF-8 with slashes, which loses
//! anything else: such a name matches fewer rules.

use std::{borrow::Cow, path::Path};

#[cfg(unix)]
pub(crate) fn as_path(bytes: &[u8]) -> Cow<'_, Path> {
    use std::os::unix::ffi::OsStrExt;
    Path::new(std::ffi::OsStr::from_bytes(bytes)).into()
}

#[cfg(not(unix))]
pub(crate) fn as_path(bytes: &[u8]) -> Cow<'_, Path> {
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => Path::new(text).into(),
        Cow::Owned(text) => std::path::PathBuf::from(text).into(),
    }
}

/// Returns the bytes of a path without a slash at the end, so that `/` becomes empty.
#[cfg(unix)]
pub(crate) fn as_bytes(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt;
    let bytes = path.as_os_str().as_bytes();
    bytes.strip_suffix(b"/").unwrap_or(bytes).to_vec()
}

/// Returns the bytes of a path without a slash at the end, so that `/` becomes empty.
#[cfg(not(unix))]
pub(crate) fn as_bytes(path: &Path) -> Vec<u8> {
    let text = path.to_string_lossy().replace('\\', "/");
    text.strip_suffix('/').unwrap_or(&text).into()
}

/// Appends a component to a path; the empty path and `/` need no slash in between.
pub(crate) fn push(path: &mut Vec<u8>, component: &[u8]) {
    if !path.is_empty() && !path.ends_with(b"/") {
        path.push(b'/');
    }
    path.extend_from_slice(component);
}
