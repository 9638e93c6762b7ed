//! Globs that only the crate `globset` can match, within limits in which it does not panic.

use std::{fmt, sync::OnceLock};

use crate::{ignore_file::ParseOptions, path_bytes::path_of};

/// How deep braces may be nested: far deeper than useful, and far less deep than where `globset`
/// panics or overflows the stack (0.4.21 panics if its regex is nested 250 deep).
const MAX_BRACE_DEPTH: usize = 100;

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
    let (mut depth, mut rest) = (0_usize, glob.as_bytes());
    while let [byte, behind @ ..] = rest {
        rest = match byte {
            b'\\' => behind.get(1..).unwrap_or_default(),
            b'[' => behind_class(behind).unwrap_or(behind),
            _ => behind,
        };
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_BRACE_DEPTH {
            return Err(format!("braces are nested more than {MAX_BRACE_DEPTH} deep"));
        }
    }
    Ok(())
}

/// Returns what follows a class, which is given without its first bracket; `None` if the class is
/// not closed.
fn behind_class(class: &[u8]) -> Option<&[u8]> {
    let members = class.strip_prefix(b"!").or(class.strip_prefix(b"^")).unwrap_or(class);
    // A closing bracket that comes first is a member.
    let end = 1 + memchr::memchr(b']', members.get(1..)?)?;
    Some(&members[end + 1..])
}

#[cfg(test)]
mod tests {
    use super::{MAX_BRACE_DEPTH, check_size};

    #[test]
    fn braces_nest_outside_of_classes_only() {
        let many = "{".repeat(MAX_BRACE_DEPTH + 1);
        for (glob, is_fine) in [
            (format!("a{many}"), false),
            (format!("a[{many}]"), true),
            (format!("[]{many}]"), true),
            (format!("[^]{many}]"), true),
            (format!("[]]{many}"), false),
            (format!("[{many}"), false),
            (format!("\\[{many}]"), false),
            ("\\{".repeat(MAX_BRACE_DEPTH + 1), true),
            ("{}".repeat(MAX_BRACE_DEPTH + 1), true),
        ] {
            assert_eq!(check_size(&glob).is_ok(), is_fine, "{glob}");
        }
    }
}
