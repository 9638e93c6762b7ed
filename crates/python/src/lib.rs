//! The Python module `heist_search._native`: the classes of the package `heist_search`, each around
//! one type of the library `heist`.
//!
//! | file | contents |
//! |---|---|
//! | `search.rs`, `hit.rs`, `shown.rs` | `Search`, its hits, and its account of what was shown |
//! | `pattern.rs`, `found.rs` | `Pattern`, and the lines and matches that it finds in bytes |
//! | `walk.rs` | `walk` and its entries |
//! | `ignore.rs` | `Ignore` |
//! | `replace.rs` | `replace_preview`, what it returns, and `undo` |
//! | `options.rs` | arguments that several of them take |
//! | `errors.rs`, `text.rs` | exceptions; offsets in characters |
//!
//! No lock is held while Python code may run, and none is waited for by a thread that keeps the
//! interpreter to itself: what waits, waits detached.

mod errors;
mod found;
mod hit;
mod ignore;
mod options;
mod pattern;
mod replace;
mod search;
mod shown;
mod text;
mod walk;

use pyo3::prelude::*;

/// What the package consists of.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::{
        found::{Finds, Line, Lines, Match},
        hit::{ContextLine, Hit},
        ignore::{Ignore, IgnoredBy},
        pattern::Pattern,
        replace::{Applied, Change, Edit, FileEdit, Replacement, changes, replace_preview, undo},
        search::Search,
        shown::{Shown, Skipped},
        walk::{Entry, Walk, walk},
    };
}
