//! Literals that every match of an expression contains, and what it costs to search for them.

pub(crate) mod case_fold;
pub(crate) mod rarity;
pub(crate) mod required;
