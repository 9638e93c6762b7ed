//! What is known about a large file without copying it.
//!
//! A survey looks only at a file's mapped bytes: for each [`PIECE`], it finds out how many line
//! terminators there are, whether there is a NUL byte, and in which of 64 parts a match may be.
//! Only the lines there are copied and searched. So the kernel copies next to nothing, which else
//! takes half the time when a search finds little (docs/decisions/0003-large-files-are-read.md).
//!
//! Another process may write to the file meanwhile. The mapped bytes are therefore never behind a
//! reference, are loaded into registers once, and decide nothing but where to look (`look`). What a
//! line is and whether it matches is decided on the copy.

mod confirm;
mod look;
#[cfg(target_arch = "x86_64")]
mod parts;
mod piece;
#[cfg(target_arch = "x86_64")]
mod vector;
mod windows;

pub(crate) use confirm::{Confirmation, Needles, View};
pub(crate) use piece::{Candidates, PART, PIECE, Piece};
pub(crate) use windows::Survey;
