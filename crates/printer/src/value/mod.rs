//! Single values: colors, numbers, and text that is escaped or has variables.

pub(crate) mod braces;
pub(crate) mod color;
pub(crate) mod decimal;
pub(crate) mod escape;
pub(crate) mod json_text;
