//! Where git keeps rules outside the tree: a repository's `info/exclude`, the user's global file.

use std::{
    ffi::CString,
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    config::Environment,
    path_bytes::as_path,
    scope::{self, ReadFile},
};

/// Read the `info/exclude` of the repository whose top directory `files` reads from. Where there
/// is none, `into` is left empty. Gives where it is, too, unless that is in `.git`.
///
/// In a worktree `.git` is a file that names the worktree's own directory, and that one's
/// `commondir` names the repository proper; a submodule's has no `commondir`.
///
/// The result is an error as reading an existing exclude file fails.
pub(crate) fn read_exclude(
    files: &mut dyn ReadFile,
    into: &mut Vec<u8>,
) -> (Option<PathBuf>, io::Result<()>) {
    into.clear();
    match files.read(c".git/info/exclude", into) {
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {}
        result => return (None, forgive_missing(result, into)),
    }
    let exclude = named_exclude(files, into);
    into.clear();
    let path = exclude.as_ref().map(|exclude| as_path(exclude.to_bytes()).into_owned());
    let result = exclude.map_or(Ok(()), |exclude| files.read(&exclude, into));
    (path, forgive_missing(result, into))
}

/// The `info/exclude` of a repository whose `.git` is a file. Whatever is wrong with that and with `commondir` is for git
/// to say.
fn named_exclude(files: &mut dyn ReadFile, buffer: &mut Vec<u8>) -> Option<CString> {
    let git_dir = read_line(files, ".git".into(), buffer)?;
    let git_dir = as_path(git_dir.strip_prefix(b"gitdir:")?.trim_ascii()).into_owned();
    let common = read_line(files, git_dir.join("commondir"), buffer).unwrap_or_default();
    let exclude = git_dir.join(as_path(&common)).join("info/exclude");
    CString::new(exclude.into_os_string().into_encoded_bytes()).ok()
}

/// Make a file that is not there, or no file, an empty one.
pub(crate) fn forgive_missing(result: io::Result<()>, into: &mut Vec<u8>) -> io::Result<()> {
    use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
    match result {
        Err(error) if matches!(error.kind(), NotFound | NotADirectory | IsADirectory) => {
            into.clear();
            Ok(())
        }
        result => result,
    }
}

/// The first line of a file, without blanks around it, if it can be read.
fn read_line(files: &mut dyn ReadFile, path: PathBuf, buffer: &mut Vec<u8>) -> Option<Vec<u8>> {
    buffer.clear();
    let path = CString::new(path.into_os_string().into_encoded_bytes()).ok()?;
    files.read(&path, buffer).ok()?;
    let line = buffer.split(|&byte| byte == b'\n').next()?.trim_ascii();
    (!line.is_empty()).then(|| line.to_vec())
}

/// The user's global excludes file: what `core.excludesFile` says in the first configuration file
/// that sets it, else git's default place. It need not exist.
pub(crate) fn global_excludes(environment: &Environment) -> Option<PathBuf> {
    let set = |path: &Option<PathBuf>| path.clone().filter(|path| !path.as_os_str().is_empty());
    let home = set(&environment.home);
    let xdg = set(&environment.xdg_config_home)
        .or_else(|| home.as_ref().map(|home| home.join(".config")))
        .map(|config| config.join("git"));
    let system = set(&environment.git_config_system).map(ConfigFile::Named);
    let configs = [
        set(&environment.git_config_global).map(ConfigFile::Named),
        home.as_ref().map(|home| ConfigFile::Usual(home.join(".gitconfig"))),
        xdg.as_ref().map(|xdg| ConfigFile::Usual(xdg.join("config"))),
        system.or_else(|| Some(ConfigFile::Usual("/etc/gitconfig".into()))),
    ];
    configs
        .iter()
        .flatten()
        .filter_map(|config| config.read().ok())
        .find_map(|config| excludes_file(&config))
        .map(|value| expand_home(&value, home.as_deref()))
        .or_else(|| xdg.map(|xdg| xdg.join("ignore")))
        .filter(|path| !path.as_os_str().is_empty())
}

/// A file that may hold git's configuration.
enum ConfigFile {
    /// A variable names it, so that it may be a pipe.
    Named(PathBuf),
    /// It may lie there.
    Usual(PathBuf),
}

impl ConfigFile {
    fn read(&self) -> io::Result<Vec<u8>> {
        match self {
            ConfigFile::Named(path) => fs::read(path),
            ConfigFile::Usual(path) => {
                let mut config = Vec::new();
                scope::read_file(path, &fs::metadata(path)?, &mut config).map(|()| config)
            }
        }
    }
}

/// The last value of `core.excludesFile`. An empty one says that there is no such file, not even at
/// the default place. Lines that git would refuse are passed over.
fn excludes_file(config: &[u8]) -> Option<Vec<u8>> {
    let mut rest = config.strip_prefix(b"\xef\xbb\xbf").unwrap_or(config);
    let mut is_core = false;
    let mut found = None;
    loop {
        rest = rest.trim_ascii_start();
        if rest.is_empty() {
            return found;
        } else if let Some(header) = rest.strip_prefix(b"[") {
            // A variable may stand on the same line.
            (is_core, rest) = section(header);
        } else if let Some((key, text)) = variable(rest) {
            let value;
            (value, rest) = read_value(text);
            if is_core && key.eq_ignore_ascii_case(b"excludesfile") {
                found = Some(value);
            }
        } else {
            // A comment, or a variable that is merely true.
            rest = next_line(rest);
        }
    }
}

/// Whether a section is `core`, whose header's first bracket stands before `text`, and what follows the header.
fn section(text: &[u8]) -> (bool, &[u8]) {
    let is_core = text.get(..5).is_some_and(|name| name.eq_ignore_ascii_case(b"core]"));
    let mut is_quoted = false;
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\\' => drop(bytes.next()),
            b']' if !is_quoted => break,
            _ => {}
        }
    }
    (is_core, bytes.as_slice())
}

/// The key of the variable that `text` begins with, if it has a value, and what follows its `=`.
fn variable(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = text.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-')?;
    let (key, rest) = text.split_at(end);
    Some((key, rest.trim_ascii_start().strip_prefix(b"=")?))
}

/// A value, with quotes and escapes undone, comment and blanks around it dropped; and what follows
/// its line, which goes on where a backslash ends it.
fn read_value(text: &[u8]) -> (Vec<u8>, &[u8]) {
    let mut value = Vec::new();
    // As long as it has to be if there are blanks at its end that are not quoted.
    let mut kept = 0;
    let mut is_quoted = false;
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'\n' => break,
            b'"' => is_quoted = !is_quoted,
            b'#' | b';' if !is_quoted => {
                bytes = next_line(bytes.as_slice()).iter();
                break;
            }
            b'\\' if bytes.as_slice().starts_with(b"\r\n") => drop(bytes.nth(1)),
            b'\\' => {
                value.extend(bytes.next().filter(|byte| **byte != b'\n').map(|byte| match byte {
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'b' => b'\x08',
                    other => *other,
                }));
            }
            byte if !is_quoted && value.is_empty() && byte.is_ascii_whitespace() => {}
            _ => value.push(byte),
        }
        if is_quoted || !byte.is_ascii_whitespace() {
            kept = value.len();
        }
    }
    value.truncate(kept);
    (value, bytes.as_slice())
}

/// What follows the line that `text` begins with.
fn next_line(text: &[u8]) -> &[u8] {
    memchr::memchr(b'\n', text).map_or(b"", |end| &text[end + 1..])
}

/// Replace a `~` at the beginning by the home directory.
fn expand_home(value: &[u8], home: Option<&Path>) -> PathBuf {
    match (value.strip_prefix(b"~"), home) {
        (Some([]), Some(home)) => home.into(),
        (Some([b'/', rest @ ..]), Some(home)) => home.join(as_path(rest)),
        _ => as_path(value).into_owned(),
    }
}

#[cfg(test)]
mod tests;
