//! The order by use (`--sort relevance`): which files are most likely to be wanted.
//!
//! | file | holds |
//! |---|---|
//! | `classes` | the class of a file, by its path; the rules are in `classes.txt` |
//! | `definitions` | what a line defines, as far as the line shows it |
//! | `rank` | the place of a file among others |
//! | `groups` | results by directory or extension |

mod classes;
mod definitions;
mod groups;
mod rank;

pub(crate) use classes::{FileClass, class_of};
pub(crate) use definitions::{Definition, definition};
pub(crate) use groups::{Groups, directory};
pub(crate) use rank::{Evidence, Rank};
