//! A directory's path as it stands in front of its entries, and as the system takes it.

use heist_filter::path_bytes::is_separator;

/// The path by which to open or report a directory: `path`, which stands in front of its entries,
/// without the slash. `src/` becomes `src`.
pub(crate) fn own_path(path: &[u8]) -> &[u8] {
    match path {
        b"" => b".",
        [_] => path,
        // `C:\` is a directory, `C:` another.
        [drive @ .., last] if cfg!(windows) && is_separator(*last) && is_drive(drive) => path,
        path => without_separator(path),
    }
}

/// A path without the separator at its end.
pub(crate) fn without_separator(path: &[u8]) -> &[u8] {
    match path {
        [rest @ .., last] if is_separator(*last) => rest,
        path => path,
    }
}

/// Whether this is a Windows drive, such as `C:`, `\\?\C:` or `\\?\Volume{…}`. `C:a` is `a` in the
/// current directory of drive `C:`.
pub(crate) fn is_drive(path: &[u8]) -> bool {
    match path {
        [.., b':'] => true,
        [b'\\' | b'/', b'\\' | b'/', b'?' | b'.', b'\\' | b'/', name @ ..] => {
            !name.iter().any(|byte| matches!(byte, b'\\' | b'/'))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_drives_of_windows_end_in_a_separator() {
        for drive in [r"C:", r"\\?\C:", "//?/C:", r"\\.\D:", r"\\?\Volume{1-2}"] {
            assert!(is_drive(drive.as_bytes()), "{drive}");
        }
        for path in ["C", "C:a", r"C:\a", r"\\?\C:\a", r"\\host\share", r"\\?\UNC\host\share"] {
            assert!(!is_drive(path.as_bytes()), "{path}");
        }
    }
}
