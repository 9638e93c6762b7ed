//! The program `hs`.

mod flags;
mod typed;

fn main() {}
