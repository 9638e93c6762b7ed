//! Where programs are that the user names, or that decompress.
//!
//! A tree that is searched may contain a program with any name, so the current directory is not
//! looked at, which Windows does by itself (CVE-2021-3013 is this mistake in ripgrep), nor are
//! relative directories in `PATH`.

use std::{
    env,
    ffi::{OsStr, OsString},
    io,
    path::{Component, Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use crate::sys::PROGRAM_EXTENSIONS;

/// Returns the path of the program `name`, by the absolute directories in `PATH`.
pub(crate) fn in_path(name: &Path) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    find(name, env::split_paths(&path), PROGRAM_EXTENSIONS, Path::is_file)
}

/// Prepares to run what [`command`] has returned. If `PATH` has relative directories, the program
/// gets one without, by which the system looks the program itself up, too: it may be a script that
/// runs others.
pub(crate) fn to_run(program: &Path) -> Command {
    static PATH: OnceLock<Option<OsString>> = OnceLock::new();
    let mut command = Command::new(program);
    if let Some(path) = PATH.get_or_init(|| without_relative(&env::var_os("PATH")?)) {
        command.env("PATH", path);
    }
    command
}

/// Returns `path` without its relative directories, if there are any.
fn without_relative(path: &OsStr) -> Option<OsString> {
    let (absolute, relative): (Vec<_>, Vec<_>) =
        env::split_paths(path).partition(|directory| directory.is_absolute());
    if relative.is_empty() {
        return None;
    }
    // An empty list would mean the current directory.
    let nowhere = Path::new(if cfg!(windows) { "C:\\" } else { "/" }).to_owned();
    let directories = if absolute.is_empty() { vec![nowhere] } else { absolute };
    env::join_paths(directories).ok()
}

/// Returns what to run for a command as the user typed it. On Unix this is the command, which the
/// system looks up; on Windows it is the path of a program or of a batch file: a command that is a
/// path is relative to the current directory, and any other is in `PATH`.
///
/// # Errors
/// There is no such program.
pub(crate) fn command(typed: &Path) -> io::Result<PathBuf> {
    if PROGRAM_EXTENSIONS.is_empty() {
        return Ok(typed.to_owned());
    }
    let place = if is_name(typed) { " in PATH" } else { "" };
    let found = match is_name(typed) {
        true => in_path(typed),
        false => {
            let path = std::path::absolute(typed)?;
            candidates(&path, PROGRAM_EXTENSIONS).find(|path| path.is_file())
        }
    };
    let message = || format!("{}: could not find executable{place}", typed.display());
    found.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, message()))
}

/// Whether this is a name alone, without a directory or a drive.
fn is_name(path: &Path) -> bool {
    let mut components = path.components();
    matches!(components.next(), Some(Component::Normal(name)) if name == path.as_os_str())
}

/// Returns the first program with this name in the directories that are absolute.
fn find(
    name: &Path,
    directories: impl Iterator<Item = PathBuf>,
    extensions: &[&str],
    is_file: impl Fn(&Path) -> bool,
) -> Option<PathBuf> {
    directories
        .filter(|directory| directory.is_absolute())
        .flat_map(|directory| candidates(&directory.join(name), extensions).collect::<Vec<_>>())
        .find(|program| is_file(program))
}

/// Returns the files that `path` may mean: with an extension first itself, otherwise last. Shells
/// of Windows have scripts without an extension beside programs, which the system cannot run.
fn candidates<'a>(path: &'a Path, extensions: &'a [&str]) -> impl Iterator<Item = PathBuf> + 'a {
    let with = move |extension: &&str| {
        let mut name = OsString::from(path);
        name.push(".");
        name.push(extension);
        PathBuf::from(name)
    };
    let is_complete = path.extension().is_some();
    let itself = path.to_owned();
    let first = is_complete.then(|| itself.clone());
    let last = (!is_complete).then_some(itself);
    first.into_iter().chain(extensions.iter().map(with)).chain(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_in_absolute_directories_only() {
        let root = if cfg!(windows) { r"C:\" } else { "/" };
        let at = |path: &str| Path::new(root).join(path);
        let files = ["a/tool", "a/tool.exe", "b/script.cmd", "b/tool.com", "b/v1.2.exe", "b/x.exe"];
        let found = |name: &str, directories: &[&str]| {
            let directories = directories.iter().map(|directory| match *directory {
                "" | "." | "a/relative" => PathBuf::from(directory),
                directory => at(directory),
            });
            let is_file =
                |path: &Path| !path.is_absolute() || files.iter().any(|file| path == at(file));
            find(name.as_ref(), directories, &["com", "exe", "bat", "cmd"], is_file)
        };
        for (name, directories, expected) in [
            ("tool", &["a", "b"][..], Some("a/tool.exe")),
            ("tool", &["b", "a"], Some("b/tool.com")),
            ("tool.exe", &["b", "a"], Some("a/tool.exe")),
            ("script", &["a", "b"], Some("b/script.cmd")),
            ("script.cmd", &["a", "b"], Some("b/script.cmd")),
            ("v1.2", &["b"], Some("b/v1.2.exe")),
            ("x", &["", ".", "a/relative", "b"], Some("b/x.exe")),
            ("x", &["", ".", "a/relative"], None),
            ("none", &["a", "b"], None),
        ] {
            assert_eq!(found(name, directories), expected.map(at), "{name} in {directories:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn children_get_absolute_directories_only() {
        for (path, expected) in [
            ("/usr/bin:/bin", None),
            (".:/usr/bin", Some("/usr/bin")),
            ("/usr/bin:", Some("/usr/bin")),
            ("/usr/bin::/bin", Some("/usr/bin:/bin")),
            ("bin:./x:../y:/bin:~/bin", Some("/bin")),
            ("", Some("/")),
            (":.", Some("/")),
        ] {
            let found = without_relative(path.as_ref());
            assert_eq!(found.as_deref(), expected.map(OsStr::new), "{path:?}");
        }
    }

    #[test]
    fn without_extensions_a_name_is_the_file() {
        let found = find("tool".as_ref(), [env::temp_dir()].into_iter(), &[], |_| true);
        assert_eq!(found, Some(env::temp_dir().join("tool")));
    }

    #[test]
    fn a_path_is_no_name() {
        assert!(is_name("tool".as_ref()) && is_name("tool.exe".as_ref()));
        for path in ["./tool", "bin/tool", "/tool", "..", "tool/"] {
            assert!(!is_name(path.as_ref()), "{path}");
        }
    }

    #[cfg(windows)]
    #[test]
    fn a_program_in_the_current_directory_is_run_only_by_its_path() {
        const NAME: &str = "program-of-the-searched-tree";
        let here = std::path::absolute(format!("{NAME}.exe")).unwrap();
        std::fs::write(&here, "").unwrap();
        let (by_name, by_path) = (command(NAME.as_ref()), command(&Path::new(".").join(NAME)));
        std::fs::remove_file(&here).unwrap();
        let message = format!("{NAME}: could not find executable in PATH");
        assert_eq!(by_name.unwrap_err().to_string(), message);
        assert_eq!(by_path.unwrap(), here);
        assert!(!is_name("C:tool".as_ref()) && !is_name(r"\\host\share\tool".as_ref()));
    }
}
