//! Any system that the standard library supports: everything goes by path.

use std::{
    ffi::{CStr, CString},
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use heist_filter::path_bytes::{bytes_of, path_of};

#[cfg(not(windows))]
use super::opened_file::no_longer_regular;
use super::system::{Links, Lister, OpenFile, Progress, Status, System};
#[cfg(windows)]
use super::windows::{self, attributes_of, open_regular};
#[cfg(not(windows))]
use crate::listing::Attributes;
use crate::{
    listing::{FileType, Listing},
    metadata::{FileId, FileTime},
};

/// The standard library's way to walk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

/// A directory that exists, known by its path.
#[derive(Debug)]
pub(crate) struct DirPath(PathBuf);

impl System for Portable {
    type Dir = DirPath;
    type Buffer = ();
    type Lister<'a> = fs::ReadDir;

    fn open(self, path: &Path, links: Links) -> io::Result<DirPath> {
        let metadata = metadata(path, links)?;
        if !metadata.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(DirPath(path.to_path_buf()))
    }

    fn open_in(parent: &DirPath, name: &[u8], links: Links) -> io::Result<DirPath> {
        let path = parent.0.join(path_of(name));
        if cfg!(windows) {
            // Listing it fails if it is no directory any more, and a path takes long to look up.
            return Ok(DirPath(path));
        }
        Portable.open(&path, links)
    }

    fn status(self, path: &Path) -> io::Result<Status> {
        #[cfg(windows)]
        if let Ok(status) = windows::status(path) {
            return Ok(status);
        }
        status(path, Links::Follow)
    }

    fn status_of(dir: &DirPath) -> io::Result<Status> {
        Portable.status(&dir.0)
    }

    fn status_in(dir: &DirPath, name: &CStr, links: Links) -> io::Result<Status> {
        let path = dir.0.join(path_of(name.to_bytes()));
        match links {
            Links::Follow => Portable.status(&path),
            Links::Keep => status(&path, links),
        }
    }

    fn list<'a>(dir: &'a DirPath, (): &'a mut ()) -> io::Result<fs::ReadDir> {
        fs::read_dir(&dir.0)
    }
}

impl OpenFile for DirPath {
    fn opener(&self) -> &dyn OpenFile {
        self
    }

    fn open_file(&self, name: &CStr) -> io::Result<fs::File> {
        open_regular(&self.0.join(path_of(name.to_bytes())))
    }
}

/// Opens a file only if it is regular. A pipe that has taken the place of a listed file opens at
/// once, instead of blocking until another process writes to it, and is recognised when it is open:
/// an earlier check could still see the file.
#[cfg(unix)]
fn open_regular(path: &Path) -> io::Result<fs::File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits();
    let file = fs::OpenOptions::new().read(true).custom_flags(flags as i32).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(no_longer_regular()) }
}

/// Opens a file only if it is regular. Where paths do not lead to pipes, checking first is enough.
#[cfg(not(any(unix, windows)))]
fn open_regular(path: &Path) -> io::Result<fs::File> {
    if fs::metadata(path)?.is_file() { fs::File::open(path) } else { Err(no_longer_regular()) }
}

/// Opens the file `name` in the directory `dir`, which ends in a slash or is empty.
#[cfg(not(unix))]
pub(crate) fn open_by_path(dir: &[u8], name: &[u8]) -> io::Result<fs::File> {
    open_regular(&path_of(&[dir, name].concat()))
}

impl Lister for fs::ReadDir {
    fn fill(&mut self, listing: &mut Listing) -> io::Result<Progress> {
        while !listing.is_full() {
            let Some(entry) = self.next() else {
                return Ok(Progress::End);
            };
            let entry = entry?;
            let file_type = entry.file_type().ok().map(FileType::from);
            let name = entry.file_name();
            // No system allows a NUL in a name.
            if let Ok(name) = CString::new(bytes_of(name.as_ref())) {
                listing.push(&name, file_type, inode_of(&entry), attributes_of(&entry));
            }
        }
        Ok(Progress::More)
    }
}

/// Returns a time of the file at `path`.
pub(crate) fn time_of(path: &Path, links: Links, time: FileTime) -> io::Result<SystemTime> {
    time.of(&metadata(path, links)?)
}

fn metadata(path: &Path, links: Links) -> io::Result<fs::Metadata> {
    match links {
        Links::Follow => fs::metadata(path),
        Links::Keep => fs::symlink_metadata(path),
    }
}

fn status(path: &Path, links: Links) -> io::Result<Status> {
    let metadata = metadata(path, links)?;
    let file_type = metadata.file_type().into();
    Ok(Status { file_type, id: id_of(&metadata), size: metadata.len() })
}

/// Returns a file's identity. Where the system does not report it, each call returns a new one:
/// loops then end where the system refuses to follow more links.
fn id_of(metadata: &fs::Metadata) -> FileId {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    FileId::of(metadata).unwrap_or_else(|| {
        // Ordering: Relaxed, because the numbers only have to differ.
        FileId { device: 0, inode: NEXT.fetch_add(1, Ordering::Relaxed) }
    })
}

#[cfg(unix)]
fn inode_of(entry: &fs::DirEntry) -> u64 {
    use std::os::unix::fs::DirEntryExt;
    entry.ino()
}

#[cfg(not(unix))]
fn inode_of(_: &fs::DirEntry) -> u64 {
    0
}

#[cfg(not(windows))]
fn attributes_of(_: &fs::DirEntry) -> Attributes {
    Attributes::default()
}

#[cfg(all(test, unix))]
mod tests {
    use std::{
        sync::{
            atomic::{AtomicBool, Ordering},
            mpsc,
        },
        thread,
        time::{Duration, Instant},
    };

    use nix::{sys::stat::Mode, unistd::mkfifo};

    use super::*;

    #[test]
    fn a_pipe_in_the_place_of_a_file_does_not_block() {
        static OVER: AtomicBool = AtomicBool::new(false);
        let temp = tempfile::tempdir().unwrap();
        let (path, other) = (temp.path().join("it"), temp.path().join("other"));
        fs::write(&path, "").unwrap();
        let changer = thread::spawn({
            let path = path.clone();
            // Ordering: Relaxed, because the flag publishes nothing but its own value.
            move || {
                while !OVER.load(Ordering::Relaxed) {
                    mkfifo(&other, Mode::S_IRWXU).unwrap();
                    fs::rename(&other, &path).unwrap();
                    fs::write(&other, "").unwrap();
                    fs::rename(&other, &path).unwrap();
                }
            }
        });
        let (done, end) = mpsc::channel();
        // This thread is left behind if it blocks.
        thread::spawn(move || {
            let (begin, mut files, mut others) = (Instant::now(), 0, 0);
            while files == 0 || others == 0 || begin.elapsed() < Duration::from_millis(300) {
                match open_regular(&path) {
                    Ok(_) => files += 1,
                    Err(_) => others += 1,
                }
            }
            done.send(()).unwrap();
        });
        let ended = end.recv_timeout(Duration::from_secs(30));
        OVER.store(true, Ordering::Relaxed);
        changer.join().unwrap();
        ended.expect("opening does not block");
    }
}
