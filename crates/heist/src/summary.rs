//! What a search returns.

use crate::{Error, Skipped};

/// What a search did.
#[derive(Debug)]
pub struct Summary {
    /// Files that were read to their end, or as far as wanted.
    pub files_searched: u64,
    /// Files with at least one matching line.
    pub files_with_matches: u64,
    /// Matching lines that were reported.
    pub matched_lines: u64,
    /// Matches in these lines.
    pub matches: u64,
    /// Paths that could not be walked or read and rule files with mistakes, in no particular order.
    pub errors: Vec<Error>,
    /// What was left out: files and directories that the walk skips, and binary files, which are
    /// searched up to their first NUL byte. Empty unless
    /// [`Walk::name_skipped`](crate::Walk::name_skipped) was called.
    pub skipped: Skipped,
    /// Whether every file was searched: no limit, token or closure ended the search early.
    pub is_complete: bool,
}
