//! Writes edits into files: each file is its old text or its new one, whatever happens.
//!
//! A [`MatchEditor`] makes a [`FileEdits`] for each file that it has searched. [`write_patch`]
//! shows what they change, and [`apply`] writes them. With a [`Journal`], [`undo`] puts the old
//! text back.
//!
//! The crate knows files and matches. It knows no flag and no terminal, and not which files are
//! wanted. All but `matches` knows only bytes.
//!
//! # Examples
//!
//! ```
//! use heist_replace::{Edit, FileEdits, Roots, apply};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! let path = dir.path().join("inn.txt");
//! std::fs::write(&path, "one beer\n")?;
//! let roots = Roots::new([dir.path()])?;
//! let metadata = std::fs::metadata(&path)?;
//! let edit = Edit { at: 4, old: b"beer".to_vec(), new: b"tea".to_vec() };
//! let edits = FileEdits::new(&path, &metadata, &roots, vec![edit])?;
//! let applied = apply(&[edits], None)?;
//! assert_eq!((applied.written, applied.failures.len()), (vec![0], 0));
//! assert_eq!(std::fs::read(&path)?, b"one tea\n");
//! # Ok(())
//! # }
//! ```
//!
//! # Modules
//!
//! - `matches`: the matches in a file as edits.
//! - `utf16`: edits of a text in UTF-16 as edits of its bytes.
//! - `edit`: an edit, the edits of a file, and how they are spliced into its text.
//! - `patch`: the edits of a file as a patch.
//! - `write`: one file's new text beside it, and in its place.
//! - `apply`: many files, by many threads.
//! - `journal`: what is needed to put the old text back. `undo`: puts it back.
//! - `runs`: which changes are being made, and what those have left that were killed.
//! - `stamp`: whether a file is the one that was read. `sys`: modes, owners and attributes.
//! - `error`: why a file was not written.

#![forbid(unsafe_code)]

mod apply;
mod edit;
mod error;
mod journal;
mod matches;
mod patch;
mod runs;
mod stamp;
mod sys;
mod undo;
mod utf16;
mod write;

pub use apply::{Applied, apply};
pub use edit::{Edit, FileEdits, Roots, sort_files};
pub use error::Error;
pub use journal::{Change, ChangeLog, Journal};
pub use matches::MatchEditor;
pub use patch::{
    NO_LINE_FEED, PatchHunk, PatchLine, PatchLineKind, patch_header, read_hunks, write_patch,
};
pub use undo::{Undoing, undo};

#[cfg(test)]
mod tests;

#[cfg(doctest)]
skipped_tests_summary::report!();
