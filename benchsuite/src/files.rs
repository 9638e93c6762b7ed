//! Files that are written whole or not at all, and errors that say which file they are about.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

/// The same error, told with the path it is about.
pub(crate) fn explain(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Writes `value` as a line of JSON, as [`write_whole`] does.
///
/// # Errors
///
/// As the system says, with the path.
pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let mut text =
        serde_json::to_string(value).map_err(|error| explain(path, &io::Error::from(error)))?;
    text.push('\n');
    write_whole(path, text.as_bytes())
}

/// Writes a file. Whatever happens meanwhile, there is either the new one or what was there before:
/// a record is hours of work. A device or a pipe is not replaced.
///
/// # Errors
///
/// As the system says, with the path.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if path.metadata().is_ok_and(|found| !found.is_file()) {
        return fs::write(path, bytes).map_err(|error| explain(path, &error));
    }
    let mut unfinished = path.as_os_str().to_os_string();
    unfinished.push(".part");
    let write = || {
        let mut file = File::create(&unfinished)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&unfinished, path)
    };
    write().map_err(|error| {
        let _ = fs::remove_file(&unfinished);
        explain(path, &error)
    })
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
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1, "nothing else is left there");
        fs::create_dir(temp.path().join("record.json.part")).unwrap();
        let error = write_json(&path, &[3]).unwrap_err();
        assert!(error.to_string().contains("record.json: "), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "[1,2]\n");
    }

    #[test]
    fn a_device_stays_one() {
        write_json(Path::new("/dev/null"), &[1]).unwrap();
        assert!(!Path::new("/dev/null").metadata().unwrap().is_file());
    }
}
