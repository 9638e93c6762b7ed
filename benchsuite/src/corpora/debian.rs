//! `linux` and `chromium`: sources that Debian and its derivatives distribute, fetched by their
//! tools.
//!
//! `apt-get` keeps its lists and everything else in the workshop: nothing of the system changes,
//! and root is not needed. Signatures are checked as usual.

use std::{
    fs,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::corpora::order::Order;
use crate::corpora::tree::{copy_tree, make_directory, replace, write};
use crate::files::{explain, notice};

/// The directory of the system's package sources.
const SOURCES: &str = "/etc/apt";

/// The package that depends on the one with the sources of the current kernel.
const META: &str = "linux-source";

/// The kernel's sources: Debian's package, or a copy of the user's tree.
pub(super) fn make_linux(order: &Order<'_>) -> io::Result<String> {
    let origin = match take(order)? {
        Some(origin) => origin,
        None => fetch_linux(order)?,
    };
    admit_everything(&order.target.join(".gitignore"))?;
    Ok(origin)
}

fn fetch_linux(order: &Order<'_>) -> io::Result<String> {
    let apt = Apt::new(order.workshop, false)?;
    let needs = apt.run("apt-cache", &["depends", META])?;
    let package = needed_package(&needs).ok_or_else(|| {
        let why = "needs no package with sources; --from DIR takes a tree";
        io::Error::other(format!("the package {META} {why}"))
    })?;
    apt.run("apt-get", &["download", "-qq", package])?;
    let deb = find(order.workshop, &format!("{package}_"), ".deb")?;
    let contents = order.workshop.join("contents");
    run(Command::new("dpkg-deb").arg("-x").arg(&deb).arg(&contents))?;
    let sources = contents.join("usr/src");
    // Debian has the archive in the directory, Ubuntu in one of the package's name below it.
    let archive =
        find(&sources, META, ".tar.").or_else(|_| find(&sources.join(package), META, ".tar."))?;
    unpack(&archive, order.target)?;
    Ok(format!("Debian's package {}", deb.file_stem().unwrap_or_default().display()))
}

/// The first package with sources in the output of `apt-cache depends`.
pub(super) fn needed_package(depends: &str) -> Option<&str> {
    let mut needed = depends.lines().filter_map(|line| line.trim().strip_prefix("Depends: "));
    needed.find(|package| package.starts_with("linux-source-"))
}

/// Removes from the top ignore file what Debian appends to that of the kernel: a rule against
/// everything, and exceptions from it.
fn admit_everything(path: &Path) -> io::Result<()> {
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
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

/// Chromium's sources: a copy of the user's tree, or the newest source package whose files are
/// still in the archive.
pub(super) fn make_chromium(order: &Order<'_>) -> io::Result<String> {
    if let Some(origin) = take(order)? {
        return Ok(origin);
    }
    let apt = Apt::new(order.workshop, true)?;
    let known = apt.run("apt-cache", &["showsrc", "chromium"])?;
    // The newest comes last, and what is superseded is removed first.
    let versions = known.lines().filter_map(|line| line.strip_prefix("Version: "));
    for version in versions.rev() {
        let wanted = format!("chromium={version}");
        // An archive lists versions whose files have been moved elsewhere: the next one is tried.
        if let Err(error) = apt.run("apt-get", &["source", "--download-only", "-qq", &wanted]) {
            notice(&format!("{wanted}: {error}"))?;
            continue;
        }
        // The part after the dash counts Debian's changes, of which the archive has none.
        let upstream = version.rsplit_once('-').map_or(version, |(upstream, _)| upstream);
        let archive = find(order.workshop, &format!("chromium_{upstream}."), "orig.tar.")?;
        unpack(&archive, order.target)?;
        return Ok(format!("Debian's source package chromium {version}"));
    }
    Err(io::Error::other(
        "no version of the source package chromium could be fetched: benchsuite corpora make \
         chromium --from DIR takes a tree that you have",
    ))
}

/// Copies the user's tree, if one was named.
fn take(order: &Order<'_>) -> io::Result<Option<String>> {
    let Some(from) = order.wish.from else { return Ok(None) };
    let from = from.canonicalize().map_err(|error| explain(from, &error))?;
    let dir = order.dir.canonicalize().map_err(|error| explain(order.dir, &error))?;
    if dir.starts_with(&from) {
        let why = "the corpora lie within it, and would be copied into themselves";
        return Err(explain(&from, &io::Error::new(ErrorKind::InvalidInput, why)));
    }
    copy_tree(&from, order.target)?;
    Ok(Some(format!("a copy of {}", from.display())))
}

/// apt with all its files in one directory.
struct Apt<'a> {
    workshop: &'a Path,
    options: Vec<String>,
}

impl Apt<'_> {
    /// Fetches the package lists; `with_sources`: those of source packages too.
    fn new(workshop: &Path, with_sources: bool) -> io::Result<Apt<'_>> {
        for dir in ["apt", "apt/lists", "apt/lists/partial", "apt/cache", "apt/sources.list.d"] {
            make_directory(&workshop.join(dir))?;
        }
        let place = |name: &str| workshop.join("apt").join(name).display().to_string();
        let mut settings = vec![
            ("Dir::State::Lists", place("lists")),
            ("Dir::Cache", place("cache")),
            // The user apt would fetch as may not write here. This concerns only root.
            ("APT::Sandbox::User", "root".to_owned()),
            ("Acquire::Languages", "none".to_owned()),
        ];
        if with_sources {
            add_source_packages(Path::new(SOURCES), &workshop.join("apt"))?;
            settings.push(("Dir::Etc::SourceList", place("sources.list")));
            settings.push(("Dir::Etc::SourceParts", place("sources.list.d")));
        }
        let options = settings.into_iter();
        let options =
            options.flat_map(|(name, value)| ["-o".to_owned(), format!("{name}={value}")]);
        let apt = Apt { workshop, options: options.collect() };
        apt.run("apt-get", &["update", "-qq"])?;
        Ok(apt)
    }

    /// Runs one of its programs in the workshop, where it puts what it fetches.
    fn run(&self, program: &str, arguments: &[&str]) -> io::Result<String> {
        let mut command = Command::new(program);
        run(command.args(&self.options).args(arguments).current_dir(self.workshop))
    }
}

/// Copies the lists of archives in `system` to `ours`, with source packages for each archive.
fn add_source_packages(system: &Path, ours: &Path) -> io::Result<()> {
    let list = fs::read_to_string(system.join("sources.list")).unwrap_or_default();
    write(&ours.join("sources.list"), with_source_lines(&list).as_bytes())?;
    // Many systems have no such directory.
    let Ok(entries) = fs::read_dir(system.join("sources.list.d")) else { return Ok(()) };
    for path in entries.flatten().map(|entry| entry.path()) {
        let Some(name) = path.file_name() else { continue };
        let text = fs::read_to_string(&path).map_err(|error| explain(&path, &error))?;
        let text = match path.extension().and_then(|extension| extension.to_str()) {
            Some("list") => with_source_lines(&text),
            Some("sources") => with_source_types(&text),
            _ => continue,
        };
        write(&ours.join("sources.list.d").join(name), text.as_bytes())?;
    }
    Ok(())
}

/// Each line `deb ...` twice, once as `deb-src ...`.
pub(super) fn with_source_lines(list: &str) -> String {
    let lines = list.lines().flat_map(|line| {
        let archive = line.trim_start().strip_prefix("deb ");
        [Some(format!("{line}\n")), archive.map(|archive| format!("deb-src {archive}\n"))]
    });
    lines.flatten().collect()
}

/// Each field `Types: deb` with both types.
pub(super) fn with_source_types(stanzas: &str) -> String {
    let lines = stanzas.lines().map(|line| match line.split_once(':') {
        Some((field, "deb" | " deb")) if field.eq_ignore_ascii_case("types") => {
            "Types: deb deb-src"
        }
        _ => line,
    });
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The file in `dir` whose name starts with `begin` and contains `middle`.
fn find(dir: &Path, begin: &str, middle: &str) -> io::Result<PathBuf> {
    let entries = fs::read_dir(dir).map_err(|error| explain(dir, &error))?;
    let mut paths = entries.flatten().filter(|entry| {
        let name = entry.file_name();
        name.to_str().is_some_and(|name| name.starts_with(begin) && name.contains(middle))
            && entry.file_type().is_ok_and(|file_type| file_type.is_file())
    });
    paths.next().map(|entry| entry.path()).ok_or_else(|| {
        let what = format!("{}: holds no {begin}*{middle}*", dir.display());
        io::Error::new(ErrorKind::NotFound, what)
    })
}

/// Unpacks a tar archive of any compression, without its top directory.
fn unpack(archive: &Path, target: &Path) -> io::Result<()> {
    make_directory(target)?;
    let mut command = Command::new("tar");
    command.arg("-xf").arg(archive).arg("-C").arg(target);
    run(command.args(["--strip-components=1", "--no-same-owner"])).map(drop)
}

/// Runs a command and returns its output; its messages go to standard error.
fn run(command: &mut Command) -> io::Result<String> {
    let output = command.env("LC_ALL", "C").stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let program = command.get_program().display();
    match output {
        Ok(output) if output.status.success() => {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        }
        Ok(output) => Err(io::Error::other(format!("{program} failed: {}", output.status))),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let why = "is not installed, without which Debian's packages cannot be fetched: \
                       --from DIR takes a tree that you have";
            Err(io::Error::new(ErrorKind::NotFound, format!("{program} {why}")))
        }
        Err(error) => Err(io::Error::new(error.kind(), format!("{program}: {error}"))),
    }
}
