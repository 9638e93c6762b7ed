//! Which file systems are mounted inside the tree.

use std::{
    fs::File,
    io::{self, Read, Seek},
    os::unix::ffi::OsStrExt,
    path::Path,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::{AsFd, BorrowedFd},
};

/// The mounts below a directory, and whether they have changed.
pub(super) struct Mounts {
    file: File,
    /// The directory's path with a `/`, as the system writes it.
    prefix: Vec<u8>,
    /// The system's lines about the mounts below it.
    inside: Vec<Vec<u8>>,
}

impl Mounts {
    pub(super) fn below(root: &Path) -> io::Result<Mounts> {
        let mut prefix = escaped(root.as_os_str().as_bytes());
        if prefix.last() != Some(&b'/') {
            prefix.push(b'/');
        }
        let file = File::open("/proc/self/mountinfo")?;
        let mut mounts = Mounts { file, prefix, inside: Vec::new() };
        mounts.inside = mounts.read()?;
        Ok(mounts)
    }

    /// Whether there are other mounts below the directory than at the last call.
    pub(super) fn have_changed(&mut self) -> io::Result<bool> {
        // The system reports each change to any mount once, as an error on the file.
        let mut fds = [PollFd::new(&self.file, PollFlags::PRI)];
        if poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }))? == 0 {
            return Ok(false);
        }
        self.note()
    }

    /// Reads the mounts again after the system has reported a change. Returns whether there are
    /// other mounts below the directory.
    pub(super) fn note(&mut self) -> io::Result<bool> {
        let inside = self.read()?;
        let have_changed = inside != self.inside;
        self.inside = inside;
        Ok(have_changed)
    }

    fn read(&mut self) -> io::Result<Vec<Vec<u8>>> {
        let mut text = Vec::new();
        self.file.rewind()?;
        self.file.read_to_end(&mut text)?;
        // The fifth field is where it is mounted.
        let is_inside = |line: &&[u8]| {
            let place = line.split(|&byte| byte == b' ').nth(4);
            place.is_some_and(|place| place.starts_with(&self.prefix))
        };
        Ok(text.split(|&byte| byte == b'\n').filter(is_inside).map(<[u8]>::to_vec).collect())
    }
}

impl AsFd for Mounts {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// A path as the system writes it into that file.
fn escaped(path: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::new();
    for &byte in path {
        match byte {
            b' ' | b'\t' | b'\n' | b'\\' => escaped.extend(format!("\\{byte:03o}").bytes()),
            _ => escaped.push(byte),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_escaped_as_the_system_does() {
        assert_eq!(escaped(b"/a b\\c\td\ne"), br"/a\040b\134c\011d\012e");
    }

    #[test]
    fn mounts_below_the_root_are_found() {
        let mut all = Mounts::below(Path::new("/")).unwrap();
        assert!(all.inside.iter().any(|line| line.windows(7).any(|part| part == b" /proc ")));
        assert!(!all.have_changed().unwrap());
        let none = Mounts::below(Path::new("/there is none")).unwrap();
        assert_eq!(none.inside, Vec::<Vec<u8>>::new());
    }
}
