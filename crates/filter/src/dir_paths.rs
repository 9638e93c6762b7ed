//! The path of the directory that is being judged, in the forms that rules need.

use crate::{path_bytes, pattern::is_below, root::Root};

/// The directory that the paths matched by a rule set are relative to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Base {
    /// A directory above: the one with an absolute path that is this long.
    Absolute(usize),
    /// The current directory. Paths below a root elsewhere are matched as typed.
    Typed,
    /// None: only names are matched.
    Name,
}

/// The path as a worker has copied it, reused from directory to directory.
#[derive(Debug, Default)]
pub(crate) struct DirPaths {
    /// Absolute, without a slash at the end; empty for `/`.
    pub(crate) absolute: Vec<u8>,
    /// Relative to the current directory, or as typed for a root that is not below it.
    typed: Vec<u8>,
    /// `absolute` in lower case, if a rule set needs it. So is `typed_lower`.
    absolute_lower: Vec<u8>,
    typed_lower: Vec<u8>,
}

impl DirPaths {
    /// Sets the paths for the directory `path`, relative to the root.
    pub(crate) fn set(&mut self, root: &Root, path: &[u8], cwd: &[u8], case_insensitive: bool) {
        self.absolute.clear();
        self.absolute.extend_from_slice(&root.absolute);
        if !path.is_empty() {
            // Absolute paths have no slash at the end, so `/` becomes empty.
            self.absolute.push(b'/');
            self.absolute.extend_from_slice(path);
        }
        self.typed.clear();
        self.typed.extend_from_slice(&root.typed);
        if !path.is_empty() {
            path_bytes::push(&mut self.typed, path);
        }
        // This directory may lie below the current one even if the root does not.
        if is_absolute(&self.typed) && is_below(&self.typed, cwd) {
            let length = (cwd.len() + 1).min(self.typed.len());
            self.typed.drain(..length);
        }
        if case_insensitive {
            self.absolute_lower.clone_from(&self.absolute);
            self.absolute_lower.make_ascii_lowercase();
            self.typed_lower.clone_from(&self.typed);
            self.typed_lower.make_ascii_lowercase();
        }
    }

    /// Returns the directory's path relative to a base.
    pub(crate) fn below(&self, base: Base, case_insensitive: bool) -> &[u8] {
        let (absolute, typed) = if case_insensitive {
            (&self.absolute_lower, &self.typed_lower)
        } else {
            (&self.absolute, &self.typed)
        };
        match base {
            Base::Absolute(length) => absolute.get(length + 1..).unwrap_or_default(),
            Base::Typed => typed,
            Base::Name => &[],
        }
    }
}

/// Whether a path with slashes begins at a root. On Windows, a drive's paths begin with its letter.
fn is_absolute(path: &[u8]) -> bool {
    path.starts_with(b"/") || cfg!(windows) && matches!(path, [_, b':', b'/', ..])
}
