//! Which long lines need not be in memory.

use heist_matcher::{Finder, NeedleSearch};

use crate::{ReadAt, SearchConfig};

/// What it takes to pass over long lines.
pub(crate) struct LongLines<'a> {
    pub(super) needles: NeedleSearch,
    pub(super) file: &'a dyn ReadAt,
    /// The position of the text in the file.
    pub(super) start: u64,
    /// A line that contains a needle matches, and that is all that is wanted of it.
    pub(super) are_counted: bool,
}

impl<'a> LongLines<'a> {
    /// `None` if lines that do not match are wanted, or if no needles are known. Matching lines may
    /// only be counted if that `is_enough`.
    pub(crate) fn new(
        config: &SearchConfig,
        finder: &Finder,
        file: &'a dyn ReadAt,
        start: u64,
        is_enough: bool,
    ) -> Option<LongLines<'a>> {
        let needles = LongLines::needles(config, finder)?;
        Some(LongLines { are_counted: is_enough && needles.is_exact(), needles, file, start })
    }

    /// What a line must have one of to be wanted. `None` if others may be wanted, too.
    pub(crate) fn needles(config: &SearchConfig, finder: &Finder) -> Option<NeedleSearch> {
        let has_context = config.before_context > 0 || config.after_context > 0;
        let wants_others = has_context || config.passthru || config.invert;
        if wants_others || config.stop_on_nonmatch || config.max_matches == Some(0) {
            return None;
        }
        finder.matcher().needle_search()
    }
}

/// A line that was never in the buffer as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PassedLine {
    /// Its length in bytes, with its terminator.
    pub(crate) len: u64,
    /// It matches, and is to be counted.
    pub(crate) matches: bool,
}
