//! The trees and files that are searched: listed, made, checked and opened.
//!
//! | module | what it does |
//! |---|---|
//! | `catalog` | the corpora, as data |
//! | `sample`, `generated`, `derived`, `debian` | their recipes |
//! | `order` | what a recipe gets |
//! | `making` | what all recipes share: room, a place to work, a manifest |
//! | `manifest`, `shape` | the note of what was made; what a tree holds |
//! | `open` | a corpus for a session |
//! | `commands` | `benchsuite corpora` |
//! | `place`, `tree` | directories and file systems; files |

mod catalog;
mod commands;
mod debian;
mod derived;
mod generated;
mod making;
mod manifest;
mod open;
mod order;
mod place;
mod sample;
mod shape;
#[cfg(test)]
mod tests;
mod tree;

pub(crate) use commands::{Options, run};
pub(crate) use open::{Corpus, at, open};
pub(crate) use place::home;
pub(crate) use shape::Shape;
