//! The buffer that a haystack of any length passes through. Its whole lines are searched and then
//! dropped, the incomplete line at the end moves to the front, and the rest is read anew.
//!
//! How large blocks are shows in results, because each read is checked for NUL bytes before its
//! lines are searched. The blocks are therefore ripgrep 15.2's (read in grep-searcher 0.1.17 and
//! confirmed by running it):
//!
//! 1. The buffer holds 64 KiB. One read fills its free part; reads are repeated until one contains
//!    a line terminator.
//! 2. A buffer that is full without a terminator grows to three times its size.
//! 3. Lines that may become context before a match, and those since the last emitted line, stay in
//!    the buffer and leave less room for the next read.
//! 4. [`BinaryPolicy::Quit`]: the haystack ends before the first NUL byte, and no line in the
//!    buffer is searched. [`BinaryPolicy::Convert`]: NUL bytes become line terminators, and each
//!    ends a line of its own.

mod buffer;
mod long_lines;
mod pass_over;

pub(crate) use self::{
    buffer::{CAPACITY, Filled, GROWTH, LineBuffer},
    long_lines::{LongLines, PassedLine, WantedLines, are_common, wants_only_matches},
};
