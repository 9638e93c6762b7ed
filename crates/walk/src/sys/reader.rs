//! The systems that a configuration can name, as one [`System`]: a walk is compiled once, and not
//! once for each of them. What the variants cost is a branch per call, which is always predicted.

use std::{ffi::CStr, fs, io, path::Path, time::SystemTime};

use super::{
    Native,
    opened_file::OpenedFile,
    portable::Portable,
    system::{Links, Lister, OpenFile, Progress, Status, System},
};
use crate::{
    listing::Listing,
    metadata::{FileMetadata, FileTime},
};

/// How directories are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reader {
    /// The fastest way that the system offers.
    #[default]
    Native,
    /// By path, with the standard library: works everywhere.
    Portable,
}

/// What belongs to one system or the other.
#[derive(Debug)]
pub(crate) enum Either<N, P> {
    Native(N),
    Portable(P),
}

/// An open directory.
type EitherDir = Either<<Native as System>::Dir, <Portable as System>::Dir>;

impl System for Reader {
    type Dir = EitherDir;
    type Buffer = <Native as System>::Buffer;
    type Lister<'a> = Either<<Native as System>::Lister<'a>, <Portable as System>::Lister<'a>>;

    fn open(self, path: &Path, links: Links) -> io::Result<EitherDir> {
        match self {
            Reader::Native => Native.open(path, links).map(Either::Native),
            Reader::Portable => Portable.open(path, links).map(Either::Portable),
        }
    }

    fn open_in(parent: &EitherDir, name: &[u8], links: Links) -> io::Result<EitherDir> {
        match parent {
            Either::Native(parent) => Native::open_in(parent, name, links).map(Either::Native),
            Either::Portable(parent) => {
                Portable::open_in(parent, name, links).map(Either::Portable)
            }
        }
    }

    fn status(self, path: &Path) -> io::Result<Status> {
        match self {
            Reader::Native => Native.status(path),
            Reader::Portable => Portable.status(path),
        }
    }

    fn status_of(dir: &EitherDir) -> io::Result<Status> {
        match dir {
            Either::Native(dir) => Native::status_of(dir),
            Either::Portable(dir) => Portable::status_of(dir),
        }
    }

    fn status_in(dir: &EitherDir, name: &CStr, links: Links) -> io::Result<Status> {
        match dir {
            Either::Native(dir) => Native::status_in(dir, name, links),
            Either::Portable(dir) => Portable::status_in(dir, name, links),
        }
    }

    fn list<'a>(dir: &'a EitherDir, buffer: &'a mut Self::Buffer) -> io::Result<Self::Lister<'a>> {
        match dir {
            Either::Native(dir) => Native::list(dir, buffer).map(Either::Native),
            Either::Portable(dir) => Portable::list(dir, &mut ()).map(Either::Portable),
        }
    }
}

impl<N: Lister, P: Lister> Lister for Either<N, P> {
    fn fill(&mut self, listing: &mut Listing) -> io::Result<Progress> {
        match self {
            Either::Native(lister) => lister.fill(listing),
            Either::Portable(lister) => lister.fill(listing),
        }
    }
}

impl<N: OpenFile, P: OpenFile> OpenFile for Either<N, P> {
    fn opener(&self) -> &dyn OpenFile {
        match self {
            Either::Native(dir) => dir,
            Either::Portable(dir) => dir,
        }
    }

    fn open_file(&self, name: &CStr) -> io::Result<fs::File> {
        self.opener().open_file(name)
    }

    fn open_whole(&self, name: &CStr) -> io::Result<OpenedFile> {
        self.opener().open_whole(name)
    }

    fn metadata_of(&self, name: &CStr, links: Links) -> io::Result<FileMetadata> {
        self.opener().metadata_of(name, links)
    }

    fn time_of(&self, name: &CStr, links: Links, time: FileTime) -> io::Result<SystemTime> {
        self.opener().time_of(name, links, time)
    }
}
