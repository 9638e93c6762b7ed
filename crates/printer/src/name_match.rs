//! A file with a name that matches (`--names`).

use std::ops::Range;

/// The name of a file, which matches, as part of the file's path.
#[derive(Clone, Copy, Debug)]
pub struct NameMatch<'p> {
    /// The path, whether lines are printed with it or not.
    pub path: &'p [u8],
    /// Where the part starts that was searched.
    pub start: usize,
    /// The matches in the path. There may be none, if only an empty match at its end was found.
    pub spans: &'p [Range<usize>],
}
