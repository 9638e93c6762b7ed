//! The trees and files that are searched: listed, made and opened.
//!
//! | module | what it does |
//! |---|---|
//! | `catalog` | the corpora, as data |
//! | `sample`, `recipes`, `debian` | their recipes |
//! | `order` | what a recipe gets |
//! | `state`, `shape` | a corpus made and opened; what a tree holds |
//! | `commands` | `benchsuite corpora` |
//! | `place`, `tree` | directories and file systems; files |

mod catalog;
mod commands;
mod debian;
mod order;
mod place;
mod recipes;
mod sample;
mod shape;
mod state;
mod tree;

pub(crate) use commands::{CorporaOptions, run};
pub(crate) use place::home;
pub(crate) use shape::Shape;
pub(crate) use state::{Corpus, at, open};
