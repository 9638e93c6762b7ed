//! Sources that Debian and its kin distribute, fetched by their own tools.
//!
//! `apt-get` is told to keep its lists and everything else in a directory of ours: nothing of the
//! system changes, and nobody has to be root. Signatures are checked as ever.

use std::{
    fs,
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{
    corpora::{
        catalog::Order,
        copy::copy_tree,
        generated::{make_directory, write},
    },
    files::explain,
};

/// Where the system notes what it gets packages from.
const SOURCES: &str = "/etc/apt";

/// Chromium's source tree, from the newest source package of which the archive still has the files.
///
/// # Errors
///
/// A tool is missing or fails, or no version could be fetched.
pub(super) fn make_chromium(order: &Order<'_>) -> io::Result<String> {
    if let Some(origin) = take(order)? {
        return Ok(origin);
    }
    let apt = Apt::new(order.workshop, true)?;
    apt.update()?;
    let known = apt.output("apt-cache", &["showsrc", "chromium"])?;
    // The newest comes last in an archive, and what is superseded is the first to go.
    let versions = known.lines().filter_map(|line| line.strip_prefix("Version: "));
    for version in versions.rev() {
        let wanted = format!("chromium={version}");
        // An archive lists versions whose files have been moved elsewhere: the next one is tried.
        if let Err(error) = apt.run("apt-get", &["source", "--download-only", "-qq", &wanted]) {
            say(&format!("{wanted}: {error}"))?;
            continue;
        }
        // What is behind the dash counts Debian's changes, of which the archive has none.
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

/// Copies the tree the user has, if one was named.
pub(super) fn take(order: &Order<'_>) -> io::Result<Option<String>> {
    let Some(from) = order.from else { return Ok(None) };
    let from = from.canonicalize().map_err(|error| explain(from, &error))?;
    let dir = order.dir.canonicalize().map_err(|error| explain(order.dir, &error))?;
    if dir.starts_with(&from) {
        let why = "the corpora lie within it, and would be copied into themselves";
        return Err(explain(&from, &io::Error::new(ErrorKind::InvalidInput, why)));
    }
    copy_tree(&from, order.target)?;
    Ok(Some(format!("a copy of {}", from.display())))
}

/// apt with everything it writes in one directory.
pub(super) struct Apt<'a> {
    workshop: &'a Path,
    options: Vec<String>,
}

impl Apt<'_> {
    /// `with_sources`: let it know of source packages as well, of every archive it knows of.
    pub(super) fn new(workshop: &Path, with_sources: bool) -> io::Result<Apt<'_>> {
        for dir in ["apt", "apt/lists", "apt/lists/partial", "apt/cache", "apt/sources.list.d"] {
            make_directory(&workshop.join(dir))?;
        }
        let mut options = Vec::new();
        let mut set = |name: &str, value: String| {
            options.extend(["-o".to_owned(), format!("{name}={value}")]);
        };
        let place = |name: &str| workshop.join("apt").join(name).display().to_string();
        set("Dir::State::Lists", place("lists"));
        set("Dir::Cache", place("cache"));
        // The user apt would fetch as may not write here. It concerns only root.
        set("APT::Sandbox::User", "root".to_owned());
        set("Acquire::Languages", "none".to_owned());
        if with_sources {
            add_source_packages(Path::new(SOURCES), &workshop.join("apt"))?;
            set("Dir::Etc::SourceList", place("sources.list"));
            set("Dir::Etc::SourceParts", place("sources.list.d"));
        }
        Ok(Apt { workshop, options })
    }

    pub(super) fn update(&self) -> io::Result<()> {
        self.run("apt-get", &["update", "-qq"])
    }

    /// Runs one of its programs in the workshop, where what it fetches goes.
    pub(super) fn run(&self, program: &str, arguments: &[&str]) -> io::Result<()> {
        run(self.command(program, arguments)).map(drop)
    }

    /// What one of its programs prints.
    pub(super) fn output(&self, program: &str, arguments: &[&str]) -> io::Result<String> {
        run(self.command(program, arguments))
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(&self.options).args(arguments).current_dir(self.workshop);
        command
    }
}

/// Copies the lists of archives in `system` to `ours`, so that each gives source packages as well.
pub(super) fn add_source_packages(system: &Path, ours: &Path) -> io::Result<()> {
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
    let mut text = String::new();
    for line in list.lines() {
        text.push_str(line);
        text.push('\n');
        if let Some(archive) = line.trim_start().strip_prefix("deb ") {
            text.push_str(&format!("deb-src {archive}\n"));
        }
    }
    text
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

/// The file in `dir` whose name begins and goes on as told.
///
/// # Errors
///
/// There is none.
pub(super) fn find(dir: &Path, begin: &str, middle: &str) -> io::Result<PathBuf> {
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

/// Unpacks a tar archive, compressed in any way, without the directory that everything in it lies
/// in.
///
/// # Errors
///
/// As [`run`] says.
pub(super) fn unpack(archive: &Path, target: &Path) -> io::Result<()> {
    make_directory(target)?;
    let mut command = Command::new("tar");
    command.arg("-xf").arg(archive).arg("-C").arg(target);
    run_quietly(command.args(["--strip-components=1", "--no-same-owner"]))
}

/// Runs a command that prints nothing worth keeping.
///
/// # Errors
///
/// As [`run`] says.
pub(super) fn run_quietly(command: &mut Command) -> io::Result<()> {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
    judge(command, status)
}

/// Runs a command, whose complaints go where ours go, and returns what it prints.
///
/// # Errors
///
/// The program is missing, or failed.
fn run(mut command: Command) -> io::Result<String> {
    let output = command.env("LC_ALL", "C").stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let (status, stdout) = match output {
        Ok(output) => (Ok(output.status), output.stdout),
        Err(error) => (Err(error), Vec::new()),
    };
    judge(&command, status)?;
    Ok(String::from_utf8_lossy(&stdout).into_owned())
}

fn judge(command: &Command, status: io::Result<std::process::ExitStatus>) -> io::Result<()> {
    let program = command.get_program().display();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(io::Error::other(format!("{program} failed: {status}"))),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(io::Error::new(
            ErrorKind::NotFound,
            format!(
                "{program} is not installed, without which Debian's packages cannot be fetched: \
                 --from DIR takes a tree that you have"
            ),
        )),
        Err(error) => Err(io::Error::new(error.kind(), format!("{program}: {error}"))),
    }
}

/// Tells the user something on the way.
pub(super) fn say(what: &str) -> io::Result<()> {
    writeln!(io::stderr(), "benchsuite: {what}")
}
