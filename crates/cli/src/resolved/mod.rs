//! What was typed, and what it means here: in this directory, on this terminal, on this machine.
//!
//! [`ResolvedArgs`] holds ready-made configurations of the library crates, so that the run itself
//! reads no flag. Everything that has to be asked of the system is asked through
//! [`Here`](crate::here::Here).

mod args;
mod hostname;
mod inputs;
mod links;
mod printer;
mod search;
mod sort;
#[cfg(test)]
mod tests;
mod types;
mod walk;

pub(crate) use args::ResolvedArgs;
pub(crate) use search::BinaryRules;
pub(crate) use sort::{Sorting, time_of};
