//! A line as it is printed: in which columns its matches are, its fields, its text, and the buffer
//! that all of this is appended to.

pub(crate) mod block;
pub(crate) mod columns;
pub(crate) mod excerpt;
pub(crate) mod fields;
pub(crate) mod layout;
pub(crate) mod out_buffer;
pub(crate) mod part;
pub(crate) mod places;
pub(crate) mod text;
pub(crate) mod unread;
