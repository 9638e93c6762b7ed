//! Literals that every match of an expression contains, and searches for them.

pub(crate) mod case_fold;
pub(crate) mod long_line;
pub(crate) mod needle;
pub(crate) mod prefilter;
pub(crate) mod rarity;
pub(crate) mod required;
pub(crate) mod sets;
