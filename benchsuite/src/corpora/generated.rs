//! `wide` and `flat`: corpora that are large in one way and uniform in every other.

use std::io;

use crate::corpora::order::Order;
use crate::corpora::tree::{make_directory, write};

/// The files of every crate of `wide`, and how often their text is repeated.
const CRATE: [(&str, &str, usize); 3] = [
    ("Cargo.toml", "[package]\nname = \"x\"\nversion = \"0.1.0\"\n", 4),
    (".gitignore", "target\nCargo.lock\n", 1),
    ("src/lib.rs", "pub fn f() -> u32 { 42 }\n", 60),
];

/// 150,000 sibling directories with three files each, two of them small and one in a directory of
/// its own.
pub(super) fn make_wide(order: &Order<'_>) -> io::Result<String> {
    make_directory(order.target)?;
    let files = CRATE.map(|(name, text, times)| (name, text.repeat(times)));
    for number in 0..order.scaled(150_000) {
        let dir = order.target.join(format!("crate-{number:06}-0.1.{}", number % 37));
        make_directory(&dir)?;
        make_directory(&dir.join("src"))?;
        for (name, text) in &files {
            write(&dir.join(name), text.as_bytes())?;
        }
    }
    Ok("the recipe alone".to_owned())
}

/// One directory with a million files of two lines.
pub(super) fn make_flat(order: &Order<'_>) -> io::Result<String> {
    make_directory(order.target)?;
    for number in 0..order.scaled(1_000_000) {
        let path = order.target.join(format!("note-{number:07}.txt"));
        write(&path, b"line one\nline two\n")?;
    }
    Ok("the recipe alone".to_owned())
}
