//! Globs that are matched with whole paths outside a walk: `--pre-glob`. They have the dialect of
//! the crate `ignore`, which matches them: hardly any run has such globs.

use std::path::Path;

use ignore::overrides::{Override, OverrideBuilder};

use crate::{error::Error, regex_glob::check_size};

/// Globs for whole paths, with the meaning of command-line globs: what they match is included, `!`
/// excludes, and the last one that matches decides.
///
/// ```
/// use heist_filter::PathGlobs;
///
/// let globs = PathGlobs::new("/home".as_ref(), ["*.pdf", "!draft/*"])?;
/// assert!(globs.includes("paper.pdf".as_ref()));
/// assert!(!globs.includes("draft/paper.pdf".as_ref()));
/// # Ok::<(), heist_filter::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PathGlobs(Override);

impl PathGlobs {
    /// Compiles `globs`. Those with a slash are relative to `cwd`, which is absolute.
    ///
    /// # Errors
    /// A glob is malformed.
    pub fn new<'a>(
        cwd: &Path,
        globs: impl IntoIterator<Item = &'a str>,
    ) -> Result<PathGlobs, Error> {
        let error = |error: ignore::Error| Error(error.to_string());
        let mut builder = OverrideBuilder::new(cwd);
        for glob in globs {
            check_size(glob).map_err(|reason| Error::glob(glob, &reason))?;
            builder.add(glob).map_err(error)?;
        }
        Ok(PathGlobs(builder.build().map_err(error)?))
    }

    /// Returns whether the file at `path`, absolute or relative to the current directory, is
    /// included. Without any glob that includes, every path is that no glob excludes.
    #[must_use]
    pub fn includes(&self, path: &Path) -> bool {
        !self.0.matched(path, false).is_ignore()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn included<'a>(globs: &[&str], paths: &[&'a str]) -> Vec<&'a str> {
        let globs = PathGlobs::new(Path::new("/cwd"), globs.iter().copied()).unwrap();
        paths.iter().copied().filter(|path| globs.includes(Path::new(path))).collect()
    }

    #[test]
    fn globs_include_or_exclude() {
        let paths = ["a.pdf", "dir/b.pdf", "./c.txt", "/cwd/dir/d.txt"];
        assert_eq!(included(&[], &paths), paths);
        assert_eq!(included(&["*.pdf"], &paths), ["a.pdf", "dir/b.pdf"]);
        assert_eq!(included(&["!*.pdf"], &paths), ["./c.txt", "/cwd/dir/d.txt"]);
        assert_eq!(included(&["*.pdf", "!dir/*"], &paths), ["a.pdf"]);
        assert_eq!(included(&["dir/*"], &paths), ["dir/b.pdf", "/cwd/dir/d.txt"]);
        assert_eq!(included(&["/c.txt"], &paths), ["./c.txt"]);
        assert_eq!(included(&["*.PDF", "./*"], &paths), [""; 0]);
    }

    #[test]
    fn a_bad_glob_is_named() {
        let error = PathGlobs::new(Path::new("/"), ["[z-a]"]).unwrap_err();
        assert_eq!(error.to_string(), "error parsing glob '[z-a]': invalid range; 'z' > 'a'");
    }
}
