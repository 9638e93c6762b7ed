//! What the targets share: an input taken apart.

#![forbid(unsafe_code)]

mod input;

pub use input::Input;
