//! The formats: lines, a line per haystack, messages, a template, messages for a list of files, and
//! parts of a patch.

pub(crate) mod file_messages;
pub(crate) mod json;
pub(crate) mod patch;
pub(crate) mod standard;
pub(crate) mod summary;
pub(crate) mod template;
pub(crate) mod templated;
