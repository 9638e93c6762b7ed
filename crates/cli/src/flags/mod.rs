//! The flags of `hs`, as data.
//!
//! A flag is one record: its names, its value, its category, its documentation and its effect on
//! [`TypedArgs`](crate::typed::TypedArgs). The parser, `-h`, `--help`, the man page and the
//! completion scripts are made of these records, which are kept in one file per subject; `table`
//! lists them all.

mod encodings;
mod filter;
mod input;
mod logging;
mod machine;
mod modes;
mod other;
mod output;
mod output_style;
mod parse;
mod record;
mod search;
mod table;
#[cfg(test)]
mod tests;
mod value;

pub use parse::parse;
pub(crate) use record::Category;
pub use record::{Flag, ValueKind};
pub use table::all;
pub(crate) use table::in_category;
#[cfg(test)]
pub(crate) use tests::parse as parse_for_tests;
