//! The directories that may be searched, and paths in them: those that a call names, and those that
//! an answer names.
//!
//! Paths of answers are relative to the directory if there is one, and absolute if there are
//! several. A path that is not UTF-8, or that could be taken for something else, is in quotes and
//! has escapes, as git prints it: `"lat\351.txt"`. Such a path can be passed back.

use std::{
    ffi::{OsStr, OsString},
    fs,
    path::{Component, Path, PathBuf},
};

use crate::arguments::{in_one_line, is_misleading};

/// Directories that may be searched. None lies in another.
#[derive(Clone, Debug)]
pub(crate) struct AllowedDirs {
    /// Canonical. There is at least one.
    dirs: Vec<PathBuf>,
}

/// The paths in a call that exist, and what is wrong with the others.
#[derive(Debug, Default)]
pub(crate) struct FoundPaths {
    pub(crate) paths: Vec<OsString>,
    pub(crate) missing: Vec<String>,
}

impl AllowedDirs {
    /// # Errors
    /// One of `dirs` is no directory, or there is none.
    pub(crate) fn new(dirs: &[PathBuf]) -> Result<AllowedDirs, String> {
        let mut known: Vec<PathBuf> = Vec::new();
        for dir in dirs {
            let found =
                fs::canonicalize(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
            if !found.is_dir() {
                return Err(format!("{}: not a directory", dir.display()));
            }
            if !known.iter().any(|other| found.starts_with(other)) {
                known.retain(|other| !other.starts_with(&found));
                known.push(found);
            }
        }
        match known.is_empty() {
            true => Err("there is no directory to search".to_owned()),
            false => Ok(AllowedDirs { dirs: known }),
        }
    }

    /// The directory in which `hs` runs.
    pub(crate) fn first(&self) -> &Path {
        &self.dirs[0]
    }

    fn is_one(&self) -> bool {
        self.dirs.len() == 1
    }

    /// Returns the paths for a run in the first directory. Without any in the call, that is all.
    ///
    /// # Errors
    /// A path lies elsewhere, or none exists.
    pub(crate) fn inside(&self, paths: &[String]) -> Result<FoundPaths, String> {
        let mut found = FoundPaths::default();
        if paths.is_empty() && !self.is_one() {
            found.paths = self.dirs.iter().map(|dir| dir.clone().into_os_string()).collect();
        }
        for path in paths {
            match self.resolve(path)? {
                Ok(full) => found.paths.extend(full),
                Err(error) => found.missing.push(format!("{}: {error}", in_one_line(path))),
            }
        }
        match found.paths.is_empty() && !found.missing.is_empty() {
            true => Err(found.missing.join("\n")),
            false => Ok(found),
        }
    }

    /// What `path` leads to, which may lie in several directories, or why there is nothing.
    ///
    /// # Errors
    /// It lies elsewhere.
    fn resolve(&self, path: &str) -> Result<Result<Vec<OsString>, std::io::Error>, String> {
        let unquoted = unquoted(path);
        let spellings = [Some(OsString::from(path)), unquoted];
        let mut failed = None;
        for spelling in spellings.iter().flatten().map(Path::new) {
            let (mut full, mut is_outside) = (Vec::new(), false);
            for candidate in self.candidates(spelling) {
                match fs::canonicalize(candidate) {
                    Ok(found) => match self.path_for_run(&found) {
                        Some(path) if !full.contains(&path) => full.push(path),
                        Some(_) => {}
                        None => is_outside = true,
                    },
                    Err(error) => failed = failed.or(Some(error)),
                }
            }
            if !full.is_empty() {
                return Ok(Ok(full));
            }
            if is_outside {
                let what = if self.is_one() { "directory" } else { "directories" };
                let path = in_one_line(path);
                return Err(format!("{path}: outside the {what} that may be searched"));
            }
        }
        Ok(Err(failed.unwrap_or_else(|| std::io::ErrorKind::NotFound.into())))
    }

    /// Where a path in a call may lead: it is relative to each directory, or begins with the name
    /// of one, as in workspaces with several directories.
    fn candidates(&self, path: &Path) -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> = self.dirs.iter().map(|dir| dir.join(path)).collect();
        if !self.is_one() && !all.iter().any(|path| path.symlink_metadata().is_ok()) {
            let first = path.components().find(|part| *part != Component::CurDir);
            let named = self.dirs.iter().filter(|dir| first == dir.components().next_back());
            all.extend(named.filter_map(|dir| Some(dir.parent()?.join(path))));
        }
        all
    }

    /// The path to pass to a run for `found`, which is canonical; `None` if it lies elsewhere.
    fn path_for_run(&self, found: &Path) -> Option<OsString> {
        let below = self.dirs.iter().find_map(|dir| found.strip_prefix(dir).ok())?;
        let path = if self.is_one() { Path::new(".").join(below) } else { found.to_path_buf() };
        Some(path.into_os_string())
    }

    /// Returns paths that need not lead to anything, by the directory to which they are relative.
    ///
    /// # Errors
    /// A path lies elsewhere by its text.
    pub(crate) fn below(&self, paths: &[String]) -> Result<Vec<(&Path, Vec<OsString>)>, String> {
        let mut by_dir: Vec<(&Path, Vec<OsString>)> =
            self.dirs.iter().map(|dir| (dir.as_path(), Vec::new())).collect();
        for path in paths {
            let wrong = || {
                let what = if self.is_one() { "directory" } else { "directories" };
                let path = in_one_line(path);
                format!("{path}: only paths below the {what}, without .., can be explained")
            };
            let spellings = [Some(OsString::from(path)), unquoted(path)];
            let spellings: Vec<&Path> = spellings.iter().flatten().map(Path::new).collect();
            let mut places = self.named(spellings[0]);
            if !places.iter().any(|(_, _, exists)| *exists) {
                let others = spellings.iter().skip(1).flat_map(|path| self.named(path));
                let exist: Vec<_> = others.filter(|(_, _, exists)| *exists).collect();
                places = if exist.is_empty() { places } else { exist };
            }
            if path.is_empty() || places.is_empty() {
                return Err(wrong());
            }
            let any = places.iter().any(|(_, _, exists)| *exists);
            let wanted = places.into_iter().filter(|(_, _, exists)| *exists || !any);
            // A path that is nowhere is explained once.
            for (at, below, _) in wanted.take(if any { usize::MAX } else { 1 }) {
                by_dir[at].1.push(below);
            }
        }
        by_dir.retain(|(_, paths)| !paths.is_empty());
        Ok(by_dir)
    }

    /// Where a path lies by its text: the directory's index, the path below that, and whether
    /// something is there.
    fn named(&self, path: &Path) -> Vec<(usize, OsString, bool)> {
        let is_name =
            |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        let place = |(at, dir): (usize, &PathBuf)| {
            let below = path.strip_prefix(dir).unwrap_or(path);
            let exists = dir.join(below).symlink_metadata().is_ok();
            let path = Path::new(".").join(below).into_os_string();
            below.components().all(is_name).then_some((at, path, exists))
        };
        self.dirs.iter().enumerate().filter_map(place).collect()
    }

    /// The path to `file` in `dir`, as a run there has printed it.
    pub(crate) fn name(&self, dir: &Path, file: &[u8]) -> AnswerPath {
        let file = if cfg!(windows) {
            // Slashes need no escapes in JSON, and each tool accepts them.
            file.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }).collect()
        } else {
            file.to_vec()
        };
        let file = match file.strip_prefix(b"./") {
            Some(below) if !below.is_empty() => below.to_vec(),
            _ => file,
        };
        let is_absolute = std::str::from_utf8(&file)
            .is_ok_and(|path| Path::new(path).is_absolute())
            || file.first() == Some(&b'/');
        if self.is_one() || is_absolute {
            return AnswerPath(file);
        }
        let mut full = dir.as_os_str().as_encoded_bytes().to_vec();
        full.push(b'/');
        full.extend(file);
        AnswerPath(full)
    }
}

/// A file's path in an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AnswerPath(Vec<u8>);

impl AnswerPath {
    /// The path for an answer's text: one line, which can be passed back.
    pub(crate) fn text(&self) -> String {
        match std::str::from_utf8(&self.0) {
            Ok(path) if !path.starts_with('"') && !path.chars().any(is_misleading) => {
                path.to_owned()
            }
            _ => quoted(&self.0),
        }
    }

    /// The path for the values, which JSON escapes.
    pub(crate) fn value(&self) -> String {
        match std::str::from_utf8(&self.0) {
            Ok(path) if !path.starts_with('"') => path.to_owned(),
            _ => quoted(&self.0),
        }
    }
}

/// A path in quotes, as git prints it without `core.quotePath`.
fn quoted(path: &[u8]) -> String {
    let mut quoted = String::from("\"");
    let octal = |quoted: &mut String, bytes: &[u8]| {
        bytes.iter().for_each(|byte| *quoted += &format!("\\{byte:03o}"));
    };
    for chunk in path.utf8_chunks() {
        for char in chunk.valid().chars() {
            match char {
                '"' | '\\' => quoted.extend(['\\', char]),
                '\n' => quoted.push_str("\\n"),
                '\r' => quoted.push_str("\\r"),
                '\t' => quoted.push_str("\\t"),
                _ if is_misleading(char) => {
                    octal(&mut quoted, char.encode_utf8(&mut [0; 4]).as_bytes());
                }
                _ => quoted.push(char),
            }
        }
        octal(&mut quoted, chunk.invalid());
    }
    quoted.push('"');
    quoted
}

/// The path that was [quoted]; `None` if it was not.
fn unquoted(text: &str) -> Option<OsString> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    let (mut path, mut rest) = (Vec::new(), inner.as_bytes());
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'\\' {
            path.push(*first);
            continue;
        }
        let [escape, tail @ ..] = rest else { return None };
        rest = tail;
        path.push(match escape {
            b'a' => 7,
            b'b' => 8,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 11,
            b'f' => 12,
            b'r' => b'\r',
            b'"' | b'\\' => *escape,
            b'0'..=b'3' => {
                let [second @ b'0'..=b'7', third @ b'0'..=b'7', tail @ ..] = rest else {
                    return None;
                };
                rest = tail;
                (escape - b'0') << 6 | (second - b'0') << 3 | (third - b'0')
            }
            _ => return None,
        });
    }
    from_bytes(path)
}

#[cfg(unix)]
fn from_bytes(path: Vec<u8>) -> Option<OsString> {
    use std::os::unix::ffi::OsStringExt as _;
    Some(OsString::from_vec(path))
}

#[cfg(not(unix))]
fn from_bytes(path: Vec<u8>) -> Option<OsString> {
    String::from_utf8(path).ok().map(OsString::from)
}

/// The directory that a URI of the protocol's roots names; `None` if it is no local one.
pub(crate) fn from_uri(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    if !path.starts_with('/') {
        return None;
    }
    let bytes: Vec<u8> = percent_encoding::percent_decode_str(path).collect();
    if cfg!(windows) {
        // A drive's path begins behind the slash: /C:/Users.
        return String::from_utf8(bytes).ok().map(|path| PathBuf::from(&path[1..]));
    }
    from_bytes(bytes).map(|path: OsString| PathBuf::from(OsStr::new(&path)))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn quotes_come_back() {
        use std::os::unix::ffi::OsStrExt as _;
        for (path, text) in [
            (&b"plain \xc3\xbc"[..], "plain ü"),
            (b"lat\xe9.txt", "\"lat\\351.txt\""),
            (b"a\nb", "\"a\\nb\""),
            (b"\"x\"", "\"\\\"x\\\"\""),
            (b"back\\slash", "back\\slash"),
            (b"\xff\\\t\"", "\"\\377\\\\\\t\\\"\""),
            ("\u{202e}x\u{85}".as_bytes(), "\"\\342\\200\\256x\\302\\205\""),
        ] {
            let name = AnswerPath(path.to_vec());
            assert_eq!(name.text(), text);
            let back = unquoted(text).unwrap_or_else(|| OsString::from(text));
            assert_eq!(back.as_bytes(), path);
        }
        for text in ["\"", "x\"", "\"a\\\"", "\"\\9\"", "\"\\08\"", "\"\\q\""] {
            assert_eq!(unquoted(text), None, "{text}");
        }
        assert_eq!(AnswerPath(b"a\nb".to_vec()).value(), "a\nb");
    }

    #[test]
    fn roots_are_local_directories() {
        for (uri, expected) in [
            ("file:///a/b", Some("/a/b")),
            ("file://localhost/a%20b/%C3%BC", Some("/a b/ü")),
            ("file://server/a", None),
            ("https://example.org/a", None),
            ("/a", None),
        ] {
            assert_eq!(from_uri(uri), expected.map(PathBuf::from), "{uri}");
        }
    }

    #[test]
    fn a_directory_in_another_is_searched_once() {
        let temp = tempfile::TempDir::new().expect("a directory");
        let top = fs::canonicalize(temp.path()).expect("a path");
        for dir in ["a/b", "c"] {
            fs::create_dir_all(top.join(dir)).expect("a directory");
        }
        let places = |names: &[&str]| {
            let dirs: Vec<PathBuf> = names.iter().map(|name| top.join(name)).collect();
            AllowedDirs::new(&dirs).map(|places| places.dirs)
        };
        assert_eq!(places(&["a/b", "a", "c"]), Ok(vec![top.join("a"), top.join("c")]));
        assert_eq!(places(&["a", "a/b", "a/../a"]), Ok(vec![top.join("a")]));
        assert!(places(&["none"]).is_err() && places(&[]).is_err());
    }
}
