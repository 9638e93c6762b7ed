//! The rules that git keeps outside the tree: a repository's `info/exclude`, and the user's global
//! excludes file.

use std::{
    ffi::CString,
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    config::Environment,
    path_bytes::path_of,
    read_file::{ReadFile, missing_is_empty, read_file},
};

/// Reads the `info/exclude` of a repository into `into`, which is left empty if there is none.
/// `files` reads from the top directory. Returns the path of the file unless it lies in `.git`, and
/// the error of reading it, if it exists.
///
/// In a worktree, `.git` is a file that names the worktree's own directory, whose `commondir` names
/// the repository; a submodule has no `commondir`:
///
/// ```text
/// .git                          gitdir: /src/main/.git/worktrees/fix
/// …/worktrees/fix/commondir     ../..
/// exclude file                  /src/main/.git/info/exclude
/// ```
pub(crate) fn read_exclude(
    files: &mut dyn ReadFile,
    into: &mut Vec<u8>,
) -> (Option<PathBuf>, io::Result<()>) {
    into.clear();
    match files.read(c".git/info/exclude", into) {
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {}
        result => return (None, missing_is_empty(result, into)),
    }
    let exclude = named_exclude(files, into);
    into.clear();
    let path = exclude.as_ref().map(|exclude| path_of(exclude.to_bytes()).into_owned());
    let result = exclude.map_or(Ok(()), |exclude| files.read(&exclude, into));
    (path, missing_is_empty(result, into))
}

/// Returns the path of `info/exclude` for a repository whose `.git` is a file. Mistakes in that
/// file and in `commondir` are left for git to report.
fn named_exclude(files: &mut dyn ReadFile, buffer: &mut Vec<u8>) -> Option<CString> {
    let git_dir = read_line(files, ".git".into(), buffer)?;
    let git_dir = path_of(git_dir.strip_prefix(b"gitdir:")?.trim_ascii()).into_owned();
    let common = read_line(files, git_dir.join("commondir"), buffer).unwrap_or_default();
    let exclude = git_dir.join(path_of(&common)).join("info/exclude");
    CString::new(exclude.into_os_string().into_encoded_bytes()).ok()
}

/// Returns the first line of a file, trimmed, if it can be read and is not empty.
fn read_line(files: &mut dyn ReadFile, path: PathBuf, buffer: &mut Vec<u8>) -> Option<Vec<u8>> {
    buffer.clear();
    let path = CString::new(path.into_os_string().into_encoded_bytes()).ok()?;
    files.read(&path, buffer).ok()?;
    let line = buffer.split(|&byte| byte == b'\n').next()?.trim_ascii();
    (!line.is_empty()).then(|| line.to_vec())
}

/// Returns the path of the user's global excludes file: `core.excludesFile` in the first
/// configuration file that sets it, otherwise git's default. The file need not exist.
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

/// Returns the last value of `core.excludesFile`. An empty value means that there is no such file,
/// not even at the default place. Lines that git would reject are skipped.
fn excludes_file(config: &[u8]) -> Option<Vec<u8>> {
    let mut rest = config.strip_prefix(b"\xef\xbb\xbf").unwrap_or(config);
    let mut is_core = false;
    let mut found = None;
    loop {
        rest = rest.trim_ascii_start();
        if rest.is_empty() {
            return found;
        } else if let Some(header) = rest.strip_prefix(b"[") {
            // A variable may follow on the same line.
            (is_core, rest) = section(header);
        } else if let Some((key, text)) = variable(rest) {
            let value;
            (value, rest) = read_value(text);
            if is_core && key.eq_ignore_ascii_case(b"excludesfile") {
                found = Some(value);
            }
        } else {
            // A comment, or a variable without a value.
            rest = next_line(rest);
        }
    }
}

/// Reads a section header, whose `[` comes before `text`. Returns whether the section is `core`,
/// and what follows the header.
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

/// Returns the key of the variable that `text` begins with, if it has a value, and what follows the
/// `=`.
fn variable(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = text.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-')?;
    let (key, rest) = text.split_at(end);
    Some((key, rest.trim_ascii_start().strip_prefix(b"=")?))
}

/// Returns a value without quotes, escapes, comment and surrounding blanks, and what follows its
/// line. A backslash at the end of a line continues it.
fn read_value(text: &[u8]) -> (Vec<u8>, &[u8]) {
    let mut value = Vec::new();
    // The length without unquoted blanks at the end.
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

/// Returns what follows the first line of `text`.
fn next_line(text: &[u8]) -> &[u8] {
    memchr::memchr(b'\n', text).map_or(b"", |end| &text[end + 1..])
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
