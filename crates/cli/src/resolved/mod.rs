//! What the arguments mean in this directory, on this terminal and on this machine.
//!
//! [`ResolvedArgs`] holds configurations for the library crates, so the run itself reads no flag.
//! All facts about the system come from [`Here`](crate::run::here::Here).

mod absence;
mod any_case;
mod args;
mod changes;
mod contradictions;
mod inputs;
mod limits;
mod links;
mod pager;
mod printer;
mod query;
mod search;
mod sort;
mod surroundings;
#[cfg(test)]
mod tests;
mod types;
mod walk;

pub(crate) use absence::AccountUse;
pub(crate) use args::ResolvedArgs;
pub(crate) use contradictions::{check_flags, check_yielding};
pub(crate) use search::BinaryRules;
pub(crate) use sort::Sorting;
