//! What git keeps outside the tree and applies to ignore rules: a repository's `info/exclude` and
//! `config`, the user's configuration, and the global excludes file that it names.

mod config_file;

use std::{
    ffi::CString,
    fs, io,
    path::{Path, PathBuf},
};

use self::config_file::Core;
use crate::{
    config::Environment,
    path_bytes::{bytes_of, path_of},
    read_file::{ReadFile, missing_is_empty, read_file},
};

/// The rules of a repository, relative to its directory.
pub(crate) const EXCLUDE: &str = "info/exclude";

/// Reads `info/exclude` or `config` of a repository into `into`, which is left empty if there is
/// none. `files` reads from the top directory. Returns the path of the file unless it lies in
/// `.git`, and the error of reading it, if it exists.
///
/// In a worktree, `.git` is a file that names the worktree's own directory, whose `commondir` names
/// the repository; a submodule has no `commondir`:
///
/// ```text
/// .git                          gitdir: /src/main/.git/worktrees/fix
/// …/worktrees/fix/commondir     ../..
/// exclude file                  /src/main/.git/info/exclude
/// ```
pub(crate) fn read_in_repository(
    files: &mut dyn ReadFile,
    name: &str,
    into: &mut Vec<u8>,
) -> (Option<PathBuf>, io::Result<()>) {
    into.clear();
    let usual = if name == EXCLUDE { c".git/info/exclude" } else { c".git/config" };
    match files.read(usual, into) {
        Err(error) if is_below_file(&error) => {}
        result => return (None, missing_is_empty(result, into)),
    }
    let path = named_repository(files, into).map(|repository| repository.join(name));
    into.clear();
    let result = match path.as_deref().and_then(c_path) {
        Some(path) => files.read(&path, into),
        None => Ok(()),
    };
    (path, missing_is_empty(result, into))
}

/// Returns `core.ignoreCase` of a repository, which makes its ignore rules match without regard to
/// case; `None` if its configuration does not set it. `git init` sets it where the file system does
/// not distinguish case, as on Windows and macOS.
pub(crate) fn ignore_case(files: &mut dyn ReadFile, buffer: &mut Vec<u8>) -> Option<bool> {
    // Git reports a configuration that cannot be read.
    let _ = read_in_repository(files, "config", buffer);
    Core::read(buffer).ignore_case
}

/// Whether a path leads through a file, as `.git/config` does in a worktree. Windows reports that
/// such a path does not exist.
fn is_below_file(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotADirectory
        || cfg!(windows) && error.kind() == io::ErrorKind::NotFound
}

/// Returns the directory of a repository whose `.git` is a file. Mistakes in that file and in
/// `commondir` are left for git to report.
fn named_repository(files: &mut dyn ReadFile, buffer: &mut Vec<u8>) -> Option<PathBuf> {
    let git_dir = read_line(files, ".git".as_ref(), buffer)?;
    let git_dir = path_of(git_dir.strip_prefix(b"gitdir:")?.trim_ascii()).into_owned();
    let common = read_line(files, &git_dir.join("commondir"), buffer).unwrap_or_default();
    Some(git_dir.join(path_of(&common)))
}

/// Returns the first line of a file, trimmed, if it can be read and is not empty.
fn read_line(files: &mut dyn ReadFile, path: &Path, buffer: &mut Vec<u8>) -> Option<Vec<u8>> {
    buffer.clear();
    files.read(&c_path(path)?, buffer).ok()?;
    let line = buffer.split(|&byte| byte == b'\n').next()?.trim_ascii();
    (!line.is_empty()).then(|| line.to_vec())
}

fn c_path(path: &Path) -> Option<CString> {
    CString::new(bytes_of(path)).ok()
}

/// The user's configuration of git, as far as it concerns ignore rules.
#[derive(Debug, Default)]
pub(crate) struct UserConfig {
    /// The path of the global excludes file, which need not exist.
    pub(crate) excludes_file: Option<PathBuf>,
    /// Whether rules match without regard to case where the repository does not set this.
    pub(crate) ignore_case: bool,
}

impl UserConfig {
    /// Reads the user's and the system's configuration. For each variable, the first file that sets
    /// it decides.
    pub(crate) fn read(environment: &Environment) -> UserConfig {
        let set = |path: &Option<PathBuf>| path.clone().filter(|path| !path.as_os_str().is_empty());
        let home = set(&environment.home);
        let configs = [
            set(&environment.git_config_global).map(ConfigFile::Named),
            home.as_ref().map(|home| ConfigFile::Usual(home.join(".gitconfig"))),
            user_file(environment, "config").map(ConfigFile::Usual),
            set(&environment.git_config_system)
                .map(ConfigFile::Named)
                .or_else(|| system_config(environment).map(ConfigFile::Usual)),
        ];
        let mut found = Core::default();
        for config in configs.iter().flatten().filter_map(|config| config.read().ok()) {
            let core = Core::read(&config);
            found.excludes_file = found.excludes_file.or(core.excludes_file);
            found.ignore_case = found.ignore_case.or(core.ignore_case);
        }
        let excludes_file = match found.excludes_file {
            Some(value) => Some(expand_home(&value, home.as_deref())),
            None => user_file(environment, "ignore"),
        };
        UserConfig {
            excludes_file: excludes_file.filter(|path| !path.as_os_str().is_empty()),
            ignore_case: found.ignore_case == Some(true),
        }
    }
}

/// The path of one of the user's files of git. Git for Windows looks into `%APPDATA%\Git` too, and
/// prefers what exists there.
fn user_file(environment: &Environment, name: &str) -> Option<PathBuf> {
    let set = |path: &Option<PathBuf>| path.clone().filter(|path| !path.as_os_str().is_empty());
    if let Some(xdg) = set(&environment.xdg_config_home) {
        return Some(xdg.join("git").join(name));
    }
    let roaming = set(&environment.app_data).map(|data| data.join("Git").join(name));
    roaming
        .filter(|path| path.exists())
        .or_else(|| Some(set(&environment.home)?.join(".config").join("git").join(name)))
}

/// The path of the system's configuration. On Windows it belongs to the installation: a file such
/// as `C:\etc\gitconfig` could be another user's.
fn system_config(environment: &Environment) -> Option<PathBuf> {
    if cfg!(windows) {
        return Some(environment.git_installation.as_ref()?.join("etc").join("gitconfig"));
    }
    Some("/etc/gitconfig".into())
}

/// A file that may hold git's configuration.
enum ConfigFile {
    /// Named by a variable, so that it may be a pipe.
    Named(PathBuf),
    /// At a usual place.
    Usual(PathBuf),
}

impl ConfigFile {
    fn read(&self) -> io::Result<Vec<u8>> {
        match self {
            ConfigFile::Named(path) => fs::read(path),
            ConfigFile::Usual(path) => {
                let mut config = Vec::new();
                read_file(path, &fs::metadata(path)?, &mut config).map(|()| config)
            }
        }
    }
}

/// Replaces a `~` at the beginning by the home directory.
fn expand_home(value: &[u8], home: Option<&Path>) -> PathBuf {
    match (value.strip_prefix(b"~"), home) {
        (Some([]), Some(home)) => home.into(),
        (Some([b'/', rest @ ..]), Some(home)) => home.join(path_of(rest)),
        _ => path_of(value).into_owned(),
    }
}

#[cfg(test)]
mod tests;
