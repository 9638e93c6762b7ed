//! The flags of `hs`, as data.
//!
//! A flag is one record: its names, its value and its effect on
//! [`TypedArgs`](crate::typed::TypedArgs). `table` lists them all, by category. Their documentation
//! is in `texts/help/flags.txt`. The parser, `-h`, `--help`, the man page and the completion
//! scripts are made of both.

mod encodings;
mod habits;
mod parse;
mod record;
mod table;
#[cfg(test)]
mod tests;
mod value;

pub(crate) use parse::awaits_value;
pub use parse::parse;
pub use record::{Flag, ValueKind};
pub(crate) use table::CATEGORIES;
pub use table::all;
#[cfg(test)]
pub(crate) use tests::parse as parse_for_tests;
