//! Globs that are asked about whole paths, one at a time, outside of any walk: `--pre-glob`.
//!
//! They are of the dialect of `-g`, with the same sense: what they match is included, `!` excludes, the last one to
//! match decides. So few runs have any that the crate `ignore`, whose dialect it is, does the matching.

use std::path::Path;

use ignore::overrides::{Override, OverrideBuilder};

use crate::{Error, pattern::check_size};

/// Globs for whole paths.
#[derive(Clone, Debug)]
pub struct PathGlobs(Override);

impl PathGlobs {
    /// Compile `globs`. Those with a slash are relative to `cwd`, which is absolute.
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
            check_size(glob).map_err(|why| Error(format!("error parsing glob '{glob}': {why}")))?;
            builder.add(glob).map_err(error)?;
        }
        Ok(PathGlobs(builder.build().map_err(error)?))
    }

    /// Whether a file of this path, absolute or relative to the current directory, is included: all are where there
    /// is no glob, and all that are not excluded where no glob includes.
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
