//! Parts of a block by whether they are ASCII.

use std::ops::Range;

use bstr::ByteSlice;

use super::line_finder::Task;
use crate::lines::{line_end, line_start, lines_end};

/// The first lines of a block, up to the one that ends at this offset, before its terminator.
pub(super) enum Part {
    /// All ASCII.
    Ascii(usize),
    /// Not known to be.
    Mixed(usize),
}

/// What makes a part.
#[derive(Clone, Copy)]
pub(super) struct Least {
    /// How many bytes of ASCII are worth a search of their own.
    pub(super) ascii: usize,
    /// Bytes that are left to the engine where ASCII ends sooner.
    pub(super) mixed: usize,
}

impl Part {
    /// The first part of the lines in `task`: `lookahead` bytes if all are ASCII, or what is ASCII
    /// before another character, or else the lines up to the one with that character.
    pub(super) fn first(task: &Task<'_, '_>, lookahead: usize, least: Least) -> Part {
        let (haystack, terminator) = task.text();
        let Range { start: from, end } = task.lines;
        let ahead = end.min(from + lookahead);
        let offset = match haystack[from..ahead].find_non_ascii_byte() {
            Some(offset) => offset,
            // The line that begins ahead may end far away. Its end is looked for only if all lines
            // before it are in this part, since it would be again for each of these.
            None => {
                let limit = line_end(haystack, terminator, ahead, end);
                match haystack[ahead..limit].find_non_ascii_byte() {
                    Some(offset) => ahead - from + offset,
                    None => return Part::Ascii(limit),
                }
            }
        };
        let non_ascii = from + offset;
        let start = line_start(haystack, terminator, from, non_ascii);
        if start - from >= least.ascii {
            Part::Ascii(start - 1)
        } else {
            let at = non_ascii.max(from + least.mixed);
            Part::Mixed(lines_end(haystack, terminator, at, non_ascii..end))
        }
    }
}
