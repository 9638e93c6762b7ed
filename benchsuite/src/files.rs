//! Files that are written whole or not at all, and errors that name their file.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde::Serialize;

/// Returns the same error with the path in front.
pub(crate) fn explain(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// The error that `name` is none of those that are known.
pub(crate) fn unknown<'a>(
    what: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> io::Error {
    let known: Vec<&str> = known.into_iter().collect();
    io::Error::other(format!("unknown {what} '{name}', expected one of: {}", known.join(", ")))
}

/// Prints a message for the user to standard error.
pub(crate) fn notice(what: &str) -> io::Result<()> {
    writeln!(io::stderr(), "benchsuite: {what}")
}

/// Writes `value` as a line of JSON, as [`write_whole`] does.
pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_string(value).map_err(|error| explain(path, &error.into()))? + "\n";
    write_whole(path, text.as_bytes())
}

/// Writes a file: afterwards there is either the new one or, with an error that names the path, the
/// old one, since a record may be hours of work. A device or a pipe is written to in place.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if path.metadata().is_ok_and(|found| !found.is_file()) {
        return fs::write(path, bytes).map_err(|error| explain(path, &error));
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let write = || {
        let mut file = tempfile::Builder::new()
            .permissions(fs::Permissions::from_mode(0o644))
            .tempfile_in(directory.unwrap_or(Path::new(".")))?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path).map(drop).map_err(io::Error::from)
    };
    write().map_err(|error| explain(path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_whole_or_as_it_was() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("record.json");
        write_json(&path, &[1, 2]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "[1,2]\n");
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1, "no other file is left");
        let error = write_json(&temp.path().join("no/record.json"), &[3]).unwrap_err();
        assert!(error.to_string().contains("no/record.json: "), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "[1,2]\n");
    }

    #[test]
    fn a_device_stays_one() {
        write_json(Path::new("/dev/null"), &[1]).unwrap();
        assert!(!Path::new("/dev/null").metadata().unwrap().is_file());
    }
}
