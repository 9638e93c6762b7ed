//! `linux`: the sources of the kernel, as Debian and its kin package them.

use std::{fs, io, path::Path, process::Command};

use crate::{
    corpora::{
        catalog::Order,
        copy::replace,
        packages::{self, Apt},
    },
    files::explain,
};

/// The package that needs the one with the sources of the current kernel.
const META: &str = "linux-source";

/// The tree of the package, or a copy of the user's.
///
/// # Errors
///
/// A tool is missing or fails, or a package does not hold what it should; or as the system says,
/// with the path.
pub(super) fn make(order: &Order<'_>) -> io::Result<String> {
    let origin = match packages::take(order)? {
        Some(origin) => origin,
        None => fetch(order)?,
    };
    admit_everything(&order.target.join(".gitignore"))?;
    Ok(origin)
}

fn fetch(order: &Order<'_>) -> io::Result<String> {
    let apt = Apt::new(order.workshop, false)?;
    apt.update()?;
    let needs = apt.output("apt-cache", &["depends", META])?;
    let package = needed_package(&needs).ok_or_else(|| {
        let what =
            format!("the package {META} needs no package with sources; --from DIR takes a tree");
        io::Error::other(what)
    })?;
    apt.run("apt-get", &["download", "-qq", package])?;
    let deb = packages::find(order.workshop, &format!("{package}_"), ".deb")?;
    let contents = order.workshop.join("contents");
    packages::run_quietly(Command::new("dpkg-deb").arg("-x").arg(&deb).arg(&contents))?;
    let sources = contents.join("usr/src");
    // Debian has the archive in the directory, Ubuntu in one of the package's name below it.
    let archive = packages::find(&sources, META, ".tar.")
        .or_else(|_| packages::find(&sources.join(package), META, ".tar."))?;
    packages::unpack(&archive, order.target)?;
    Ok(format!("Debian's package {}", deb.file_stem().unwrap_or_default().display()))
}

/// The first package with sources that `apt-cache depends` names.
pub(super) fn needed_package(depends: &str) -> Option<&str> {
    let needed = depends.lines().filter_map(|line| line.trim().strip_prefix("Depends: "));
    needed.into_iter().find(|package| package.starts_with("linux-source-"))
}

/// Takes from the top ignore file what Debian adds to that of the kernel: a rule against
/// everything, and exceptions from it.
pub(super) fn admit_everything(path: &Path) -> io::Result<()> {
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(explain(path, &error)),
    };
    let mut kept = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        if line.trim_ascii_end() == b"/*" {
            return replace(path, &text[..kept]);
        }
        kept += line.len();
    }
    Ok(())
}
