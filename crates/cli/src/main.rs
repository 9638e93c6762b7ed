//! The program `hs`.

fn main() {}
