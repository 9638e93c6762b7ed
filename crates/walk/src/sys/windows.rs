//! Windows: what its handles and listings report in one call, where the standard library takes two.
//!
//! A path is looked up from the drive on, through every filter of the system such as a virus
//! scanner, so that a call by path takes far longer than one by handle.

use std::{
    fs, io,
    os::windows::fs::{MetadataExt, OpenOptionsExt},
    path::Path,
};

use winapi_util::file::{information, is_hidden, typ};

use super::{opened_file::no_longer_regular, system::Status};
use crate::{
    listing::{Attributes, FileType},
    metadata::FileId,
};

/// Returns what a listing has reported about an entry. `FindNextFile` returns the attributes with
/// the name, so this is no call.
pub(super) fn attributes_of(entry: &fs::DirEntry) -> Attributes {
    let is_hidden = |data: fs::Metadata| is_hidden(data.file_attributes().into());
    Attributes { hidden: entry.metadata().is_ok_and(is_hidden) }
}

/// Opens a file only if it is on a disk. A name such as `NUL` or `COM1` leads to a device in every
/// directory, and some of them would block. Other programs may go on to write to the file, rename
/// and delete it: the standard library shares all that.
pub(super) fn open_regular(path: &Path) -> io::Result<fs::File> {
    let file = fs::File::open(path)?;
    if typ(&file)?.is_disk() { Ok(file) } else { Err(no_longer_regular()) }
}

/// Examines a path, following links, by a handle that has no right but this one, so that no other
/// program's lock is in the way.
///
/// # Errors
/// The path does not exist; or it can be examined only by its directory, such as a page file.
pub(super) fn status(path: &Path) -> io::Result<Status> {
    /// Directories can be opened too.
    const FILE_FLAG_BACKUP_SEMANTICS: u32 = 0x0200_0000;
    const FILE_ATTRIBUTE_DIRECTORY: u64 = 0x10;
    let mut options = fs::OpenOptions::new();
    let file = options.access_mode(0).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(path)?;
    let found = information(&file)?;
    let is_dir = found.file_attributes() & FILE_ATTRIBUTE_DIRECTORY != 0;
    Ok(Status {
        file_type: if is_dir { FileType::Dir } else { FileType::File },
        id: FileId { device: found.volume_serial_number(), inode: found.file_index() },
        size: found.file_size(),
    })
}

#[cfg(test)]
mod tests {
    use skipped_tests::skip;

    use std::{
        ffi::OsString, io::Write, os::windows::ffi::OsStringExt, path::PathBuf, process::Command,
    };

    use heist_filter::path_bytes::bytes_of;

    use super::*;
    use crate::{
        listing::Listing,
        sys::{Links, Lister, OpenFile, Portable, System},
    };

    fn list(dir: &Path) -> Vec<(String, bool)> {
        let opened = Portable.open(dir, Links::Keep).unwrap();
        let mut listing = Listing::default();
        Portable::list(&opened, &mut ()).unwrap().fill(&mut listing).unwrap();
        let shown = |entry: &crate::listing::DirEntry| {
            let name = String::from_utf8_lossy(listing.name(*entry).bytes()).into_owned();
            (name, entry.attributes.is_hidden())
        };
        let mut names: Vec<_> = listing.entries().iter().map(shown).collect();
        names.sort();
        names
    }

    #[test]
    fn listings_show_which_entries_are_hidden() {
        let temp = tempfile::tempdir().unwrap();
        for name in ["hidden", "shown"] {
            fs::write(temp.path().join(name), "").unwrap();
        }
        let path = temp.path().join("hidden");
        assert!(Command::new("attrib").arg("+h").arg(path).status().unwrap().success());
        let expected = [("hidden".to_owned(), true), ("shown".to_owned(), false)];
        assert_eq!(list(temp.path()), expected);
    }

    #[test]
    fn a_status_has_type_size_and_identity() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("file");
        fs::write(&path, "four").unwrap();
        let found = status(&path).unwrap();
        assert_eq!((found.file_type, found.size), (FileType::File, 4));
        assert_eq!(found.id, status(&temp.path().join(".").join("FILE")).unwrap().id);
        let dir = status(temp.path()).unwrap();
        assert_eq!(dir.file_type, FileType::Dir);
        assert_eq!(dir.id.device, found.id.device);
        assert_ne!(dir.id, found.id);
        assert_eq!(status(&temp.path().join("no")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn files_that_others_write_rename_and_delete_can_be_read() {
        let temp = tempfile::tempdir().unwrap();
        let (path, other) = (temp.path().join("file"), temp.path().join("other"));
        let mut writer = fs::File::create(&path).unwrap();
        writer.write_all(b"one").unwrap();
        let reader = open_regular(&path).unwrap();
        writer.write_all(b"two").unwrap();
        fs::rename(&path, &other).unwrap();
        fs::remove_file(&other).unwrap();
        assert_eq!(io::read_to_string(reader).unwrap(), "onetwo");
    }

    #[test]
    fn devices_are_not_opened_as_files() {
        for name in ["NUL", r"\\.\NUL"] {
            assert!(open_regular(name.as_ref()).is_err(), "{name}");
        }
    }

    /// The only file of `dir`: its name in the listing, and its contents.
    fn read_only_file(dir: &Path) -> (Vec<u8>, String) {
        let dir = Portable.open(dir, Links::Keep).unwrap();
        let mut listing = Listing::default();
        Portable::list(&dir, &mut ()).unwrap().fill(&mut listing).unwrap();
        let listed = listing.name(listing.entries()[0]);
        let file = dir.open_file(listed.c_str()).unwrap();
        (listed.bytes().to_vec(), io::read_to_string(file).unwrap())
    }

    #[test]
    fn paths_may_be_longer_than_260() {
        let temp = tempfile::tempdir().unwrap();
        let mut path = temp.path().to_path_buf();
        while path.as_os_str().len() < 600 {
            path.push("a directory with quite a long name");
        }
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("é"), "gem").unwrap();
        assert_eq!(read_only_file(&path), ("é".into(), "gem".into()));
    }

    #[test]
    fn names_need_not_be_unicode() {
        let temp = tempfile::tempdir().unwrap();
        let name: PathBuf = OsString::from_wide(&[0x61, 0xD800, 0x62]).into();
        if let Err(error) = fs::write(temp.path().join(&name), "gem") {
            // Wine keeps names in UTF-8.
            return skip(format_args!("the file system has no such names: {error}"));
        }
        let bytes = bytes_of(&name).into_owned();
        assert_eq!(read_only_file(temp.path()), (bytes, "gem".into()));
    }
}
