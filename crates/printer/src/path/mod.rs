//! A path as it is printed: its colors, its link, and lists of paths.

pub(crate) mod hyperlink;
pub(crate) mod linker;
pub(crate) mod paths;
