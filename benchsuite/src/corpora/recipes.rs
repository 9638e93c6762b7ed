//! The recipes that need no other program: `wide` and `flat`, which are large in one way and
//! uniform in every other, and what is made from other corpora: `zipped` and `big`.

use std::{fs::File, io, os::unix::ffi::OsStrExt, path::Path};

use flate2::{Compression, write::GzEncoder};

use crate::corpora::order::{Order, SAMPLE_NAME};
use crate::corpora::tree::{entries, make_directory, write};
use crate::files::explain;

/// The files in every crate of `wide`, and how often their text is repeated.
const CRATE: [(&str, &str, usize); 3] = [
    ("Cargo.toml", "[package]\nname = \"x\"\nversion = \"0.1.0\"\n", 4),
    (".gitignore", "target\nCargo.lock\n", 1),
    ("src/lib.rs", "pub fn f() -> u32 { 42 }\n", 60),
];

/// The size that `big` exceeds.
const BIG_BYTES: u64 = 1 << 30;

/// 150,000 sibling directories with three files each. Two are small, and one is in a directory of
/// its own.
pub(super) fn make_wide(order: &Order<'_>) -> io::Result<()> {
    let files = CRATE.map(|(name, text, times)| (name, text.repeat(times)));
    for number in 0..order.scaled(150_000) {
        let dir = order.target.join(format!("crate-{number:06}-0.1.{}", number % 37));
        for (name, text) in &files {
            write(&dir.join(name), text.as_bytes())?;
        }
    }
    Ok(())
}

/// One directory with a million files of two lines.
pub(super) fn make_flat(order: &Order<'_>) -> io::Result<()> {
    for number in 0..order.scaled(1_000_000) {
        let path = order.target.join(format!("note-{number:07}.txt"));
        write(&path, b"line one\nline two\n")?;
    }
    Ok(())
}

/// Every file of `sample`, compressed by gzip, under its name with `.gz` appended. Links would be
/// broken and are left out; the files contain neither name nor time, so that they are the same on
/// every machine.
pub(super) fn make_zipped(order: &Order<'_>) -> io::Result<()> {
    let from = order.source(SAMPLE_NAME, "zipped")?;
    for entry in entries(&from) {
        let entry = entry?;
        let path = entry.path();
        let mut target = order.target.join(path.strip_prefix(&from).unwrap_or(path));
        if entry.file_type().is_dir() {
            make_directory(&target)?;
        } else if entry.file_type().is_file() {
            target.add_extension("gz");
            compress(path, &target).map_err(|error| explain(path, &error))?;
        }
    }
    Ok(())
}

fn compress(path: &Path, to: &Path) -> io::Result<()> {
    let mut out = GzEncoder::new(File::create(to)?, Compression::default());
    io::copy(&mut File::open(path)?, &mut out)?;
    out.finish().map(drop)
}

/// One file: every C source and header in `linux`, sorted by path, repeated until there are enough
/// bytes.
pub(super) fn make_big(order: &Order<'_>) -> io::Result<()> {
    let mut sources = Vec::new();
    for entry in entries(&order.source("linux", "big")?) {
        let entry = entry?;
        let is_source = entry.path().extension().is_some_and(|e| e == "c" || e == "h");
        if is_source && entry.file_type().is_file() {
            sources.push(entry.into_path());
        }
    }
    sources.sort_by(|one, other| one.as_os_str().as_bytes().cmp(other.as_os_str().as_bytes()));
    let (target, least) = (order.target, order.wish.scaled(BIG_BYTES));
    let mut out = File::create(target).map_err(|error| explain(target, &error))?;
    let mut written = 0;
    for (number, source) in sources.iter().cycle().enumerate() {
        // Each source occurs at least once.
        if number >= sources.len() && (written > least || written == 0) {
            break;
        }
        let mut file = File::open(source).map_err(|error| explain(source, &error))?;
        written += io::copy(&mut file, &mut out).map_err(|error| explain(target, &error))?;
    }
    if written == 0 {
        return Err(io::Error::other("big is made from linux, which holds no C source"));
    }
    Ok(())
}
