//! The program `benchsuite`.

fn main() {}
