//! Conversion between paths and the bytes by which ignore rules and output know them.

use std::{borrow::Cow, path::Path};

#[cfg(unix)]
pub(crate) fn bytes_of(path: &Path) -> Cow<'_, [u8]> {
    use std::os::unix::ffi::OsStrExt;
    path.as_os_str().as_bytes().into()
}

#[cfg(not(unix))]
pub(crate) fn bytes_of(path: &Path) -> Cow<'_, [u8]> {
    path.as_os_str().to_string_lossy().into_owned().into_bytes().into()
}

#[cfg(unix)]
pub(crate) fn path_of(bytes: &[u8]) -> Cow<'_, Path> {
    use std::os::unix::ffi::OsStrExt;
    Path::new(std::ffi::OsStr::from_bytes(bytes)).into()
}

#[cfg(not(unix))]
pub(crate) fn path_of(bytes: &[u8]) -> Cow<'_, Path> {
    std::path::PathBuf::from(String::from_utf8_lossy(bytes).into_owned()).into()
}
