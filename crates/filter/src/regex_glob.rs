//! Globs that only the crate `globset` can match, within limits in which it does not panic.

use std::{fmt, sync::OnceLock};

use crate::{ignore_file::ParseOptions, path_bytes::path_of};

/// How many bytes a glob for `globset` may have: it panics if the regex of a glob is too large,
/// from half a million bytes on.
const MAX_GLOB_BYTES: usize = 64 << 10;

/// A glob that `globset` matches. Compiling the regex takes far longer than parsing the glob, so it
/// is compiled for the first path. Boxed where it is stored, because most rules need none.
pub(crate) struct RegexGlob {
    glob: globset::Glob,
    matcher: OnceLock<globset::GlobMatcher>,
}

impl RegexGlob {
    /// Parses a glob.
    ///
    /// # Errors
    /// The reason why the glob is malformed, or why `globset` might panic.
    pub(crate) fn new(glob: &[u8], options: ParseOptions) -> Result<Box<RegexGlob>, String> {
        let glob = std::str::from_utf8(glob).map_err(|_| "not valid UTF-8".to_owned())?;
        check_size(glob)?;
        globset::GlobBuilder::new(glob)
            .literal_separator(true)
            .backslash_escape(true)
            .empty_alternates(true)
            .case_insensitive(options.case.is_folded())
            .allow_unclosed_class(options.allow_unclosed)
            .build()
            .map(|glob| Box::new(RegexGlob { glob, matcher: OnceLock::new() }))
            .map_err(|error| error.kind().to_string())
    }

    pub(crate) fn is_match(&self, path: &[u8]) -> bool {
        self.matcher.get_or_init(|| self.glob.compile_matcher()).is_match(path_of(path).as_ref())
    }
}

impl fmt::Debug for RegexGlob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RegexGlob").field(&self.glob.glob()).finish()
    }
}

/// Checks that `globset` can compile a glob without panicking.
///
/// # Errors
/// The reason why it may not.
pub(crate) fn check_size(glob: &str) -> Result<(), String> {
    if glob.len() > MAX_GLOB_BYTES {
        return Err(format!("longer than {} KiB", MAX_GLOB_BYTES >> 10));
    }
    Ok(())
}
