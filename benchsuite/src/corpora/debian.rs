//! `linux` and `chromium`: sources that Debian and its derivatives distribute, fetched by their
//! tools, or a copy of the user's tree.

use std::{
    fs,
    io::{self, ErrorKind},
    path::Path,
    process::{Command, Stdio},
};

use crate::corpora::order::Order;
use crate::corpora::tree::{copy_tree, make_directory, replace};
use crate::files::explain;

/// What fetches them; its arguments are a corpus and the directory to make.
const DEBIAN_SCRIPT: &str = include_str!("debian.sh");

/// Makes one of them: copies the user's tree, if one was named, or fetches Debian's.
pub(super) fn make(name: &str, order: &Order<'_>) -> io::Result<()> {
    match &order.wish.from {
        Some(from) => copy(from, order)?,
        None => fetch(name, order)?,
    }
    if name == "linux" { admit_everything(&order.target.join(".gitignore")) } else { Ok(()) }
}

fn copy(from: &Path, order: &Order<'_>) -> io::Result<()> {
    let from = from.canonicalize().map_err(|error| explain(from, &error))?;
    let dir = order.dir.canonicalize().map_err(|error| explain(order.dir, &error))?;
    if dir.starts_with(&from) {
        let why = "the corpora lie within it, and would be copied into themselves";
        return Err(explain(&from, &io::Error::new(ErrorKind::InvalidInput, why)));
    }
    copy_tree(&from, order.target)
}

/// Runs the script in a directory beside the target; its messages go to standard error.
fn fetch(name: &str, order: &Order<'_>) -> io::Result<()> {
    let workshop = order.target.with_file_name("workshop");
    make_directory(&workshop)?;
    let mut sh = Command::new("sh");
    sh.args(["-c", DEBIAN_SCRIPT, "sh", name]).arg(order.target).current_dir(workshop);
    let status = sh.env("LC_ALL", "C").stdin(Stdio::null()).status()?;
    if !status.success() {
        let why = format!("{name} could not be fetched ({status})");
        let remedy =
            format!("benchsuite corpora make {name} --from DIR takes a tree that you have");
        return Err(io::Error::other(format!("{why}: {remedy}")));
    }
    Ok(())
}

/// Removes from the top ignore file what Debian appends to the kernel's: a rule against everything,
/// and exceptions from it.
fn admit_everything(path: &Path) -> io::Result<()> {
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(explain(path, &error)),
    };
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let kept: Vec<&[u8]> = lines.take_while(|line| line.trim_ascii_end() != b"/*").collect();
    let kept = kept.concat();
    if kept == text { Ok(()) } else { replace(path, &kept) }
}
