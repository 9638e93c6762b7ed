//! The least work a walk or a search can do on Linux: the limit of heist's speed.
//!
//! Per directory `openat`, `getdents64` until it returns 0, `close`; when reading, per regular file
//! `openat`, one `read`, `close`. No rule is followed, no error reported, no odd file handled.
//!
//! Each thread keeps the directories it finds on a stack of its own and looks at a shared stack
//! only when its own is empty. It gives half of its stack away only if it has just seen a waiting
//! thread, so that nothing is shared while all threads are busy.

use std::{
    ffi::CStr,
    fs::File,
    io::{self, Write},
    mem::MaybeUninit,
    num::NonZeroUsize,
    os::{fd::AsFd, unix::ffi::OsStrExt},
    panic::resume_unwind,
    path::{Path, PathBuf},
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use clap::{Args, ValueEnum};
use rustix::{
    fd::OwnedFd,
    fs::{CWD, FileType, Mode, OFlags, RawDir, openat},
};

use crate::files::explain;

/// How much work the floor does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Work {
    /// Print every path that is not a directory: openat, getdents64, close per directory
    List,
    /// On top of the same walk: openat, one read, close per regular file; prints nothing
    Read,
}

/// The command line.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// How much of the work of a search to do
    work: Work,

    /// Threads that share the work [default: one per core]
    #[arg(short = 'j', long, value_name = "N")]
    threads: Option<NonZeroUsize>,

    /// The tree
    dir: PathBuf,
}

/// Runs the floor and prints a summary to standard error.
pub(crate) fn run(options: &Options) -> io::Result<()> {
    let threads = match options.threads {
        Some(threads) => threads,
        None => thread::available_parallelism()?,
    };
    let stdout = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let total = walk(&options.dir, options.work, threads, &stdout)?;
    writeln!(io::stderr(), "{} files, {} bytes", total.files, total.bytes)
}

/// Bytes of a directory listing read at a time.
const LISTING: usize = 1 << 16;
/// Bytes of paths collected before they are written.
const OUTPUT: usize = 1 << 20;
/// The most that is read of one file, in bytes.
const FILE: usize = 1 << 22;

/// What a run has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Total {
    /// Entries that are not directories.
    files: u64,
    /// Bytes read of them.
    bytes: u64,
}

/// Walks the tree at `root` with `threads` threads and does `work`; paths go to `out`. Directories
/// and files below the root that cannot be opened or read are skipped without a message.
fn walk(root: &Path, work: Work, threads: NonZeroUsize, out: &File) -> io::Result<Total> {
    open_dir(root.as_os_str().as_bytes()).map_err(|error| explain(root, &error.into()))?;
    let shared = Shared::new(root.as_os_str().as_bytes().to_vec(), threads.get());
    let totals: io::Result<Vec<Total>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.get())
            .map(|_| scope.spawn(|| Worker::new(&shared, work, out).run()))
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|p| resume_unwind(p)))
            .collect()
    });
    Ok(totals?.iter().fold(Total::default(), |sum, total| Total {
        files: sum.files + total.files,
        bytes: sum.bytes + total.bytes,
    }))
}

/// Directories that any thread may take.
#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
    /// Held while paths are written: the kernel may cut a large write to a pipe in pieces.
    writing: Mutex<()>,
    /// How many threads wait; a copy that is read without the lock.
    idle: AtomicUsize,
}

#[derive(Debug)]
struct State {
    paths: Vec<Vec<u8>>,
    /// Threads that hold a directory. Once there is none and `paths` is empty, the walk is done.
    active: usize,
    /// A thread could not write its output, so all threads stop.
    failed: bool,
}

impl Shared {
    fn new(root: Vec<u8>, threads: usize) -> Shared {
        let state = State { paths: vec![root], active: threads, failed: false };
        Shared {
            state: Mutex::new(state),
            wake: Condvar::new(),
            writing: Mutex::new(()),
            idle: AtomicUsize::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Every section under the lock leaves the state whole, so a panic elsewhere spoils nothing.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a directory to expand, and waits for one while other threads may still give some away;
    /// `None` if the walk is done.
    fn take(&self) -> Option<Vec<u8>> {
        let mut state = self.lock();
        state.active -= 1;
        loop {
            if state.failed {
                return None;
            }
            if let Some(path) = state.paths.pop() {
                state.active += 1;
                return Some(path);
            }
            if state.active == 0 {
                self.wake.notify_all();
                return None;
            }
            // Ordering: Relaxed, because the count is a hint; the state itself is behind the lock.
            self.idle.fetch_add(1, Ordering::Relaxed);
            state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
            self.idle.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Gives half of `own` to waiting threads, if there are any.
    fn give(&self, own: &mut Vec<Vec<u8>>) {
        // Ordering: Relaxed, see `take`; a waiter overlooked now is seen at the next directory.
        if own.len() > 1 && self.idle.load(Ordering::Relaxed) > 0 {
            self.lock().paths.extend(own.drain(own.len().div_ceil(2)..));
            self.wake.notify_all();
        }
    }

    fn fail(&self) {
        self.lock().failed = true;
        self.wake.notify_all();
    }
}

/// One thread with buffers of its own, so that it shares nothing but [`Shared`].
#[derive(Debug)]
struct Worker<'a> {
    shared: &'a Shared,
    work: Work,
    out: &'a File,
    own: Vec<Vec<u8>>,
    listing: Vec<MaybeUninit<u8>>,
    output: Vec<u8>,
    file: Vec<u8>,
    total: Total,
}

impl<'a> Worker<'a> {
    fn new(shared: &'a Shared, work: Work, out: &'a File) -> Worker<'a> {
        let (output, file) = match work {
            Work::List => (OUTPUT, 0),
            Work::Read => (0, FILE),
        };
        Worker {
            shared,
            work,
            out,
            own: Vec::new(),
            listing: vec![MaybeUninit::uninit(); LISTING],
            output: Vec::with_capacity(output),
            file: vec![0; file],
            total: Total::default(),
        }
    }

    fn run(mut self) -> io::Result<Total> {
        let outcome = self.work_until_done();
        if outcome.is_err() {
            self.shared.fail();
        }
        outcome.map(|()| self.total)
    }

    fn work_until_done(&mut self) -> io::Result<()> {
        while let Some(path) = self.own.pop().or_else(|| self.shared.take()) {
            self.expand(&path)?;
            self.shared.give(&mut self.own);
        }
        self.flush()
    }

    /// Reads one directory: subdirectories go on the stack, files are handled at once.
    fn expand(&mut self, path: &[u8]) -> io::Result<()> {
        let Ok(dir) = open_dir(path) else {
            return Ok(());
        };
        let mut listing = std::mem::take(&mut self.listing);
        let mut entries = RawDir::new(&dir, &mut listing);
        let mut outcome = Ok(());
        while let Some(Ok(entry)) = entries.next() {
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            let kind = entry.file_type();
            if kind == FileType::Directory {
                self.own.push(join(path, name.to_bytes()));
                continue;
            }
            self.total.files += 1;
            match self.work {
                Work::List => outcome = self.list(path, name.to_bytes()),
                Work::Read if kind == FileType::RegularFile => self.read(&dir, name),
                Work::Read => {}
            }
            if outcome.is_err() {
                break;
            }
        }
        self.listing = listing;
        outcome
    }

    fn list(&mut self, dir: &[u8], name: &[u8]) -> io::Result<()> {
        if self.output.len() + dir.len() + name.len() + 2 > OUTPUT {
            self.flush()?;
        }
        self.output.extend_from_slice(dir);
        self.output.push(b'/');
        self.output.extend_from_slice(name);
        self.output.push(b'\n');
        Ok(())
    }

    fn read(&mut self, dir: impl AsFd, name: &CStr) {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let Ok(file) = openat(dir, name, flags, Mode::empty()) else {
            return;
        };
        if let Ok(length) = rustix::io::read(&file, &mut self.file[..]) {
            self.total.bytes += length as u64;
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        let _writing = self.shared.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut out = self.out;
        out.write_all(&self.output)
            .map_err(|error| explain(Path::new("standard output"), &error))?;
        self.output.clear();
        Ok(())
    }
}

fn open_dir(path: &[u8]) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    openat(CWD, path, flags, Mode::empty())
}

fn join(dir: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(dir.len() + 1 + name.len());
    path.extend_from_slice(dir);
    path.push(b'/');
    path.extend_from_slice(name);
    path
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, io::Read, io::Seek};

    use super::*;

    /// A tree of 3 levels with 7 directories each, 400 files of 3 bytes in all, and a symlink.
    fn tree() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        fill(dir.path(), 3);
        std::os::unix::fs::symlink("nowhere", dir.path().join("link")).unwrap();
        dir
    }

    fn fill(dir: &Path, levels: usize) {
        fs::write(dir.join("file"), "abc").unwrap();
        for number in (0..7).filter(|_| levels > 0) {
            let child = dir.join(format!("dir{number}"));
            fs::create_dir(&child).unwrap();
            fill(&child, levels - 1);
        }
    }

    fn threads(number: usize) -> NonZeroUsize {
        NonZeroUsize::new(number).unwrap()
    }

    #[test]
    fn every_thread_count_lists_each_path_once() {
        let tree = tree();
        for number in [1, 2, 5, 16] {
            let mut out = tempfile::tempfile().unwrap();
            let total = walk(tree.path(), Work::List, threads(number), &out).unwrap();
            assert_eq!(total, Total { files: 401, bytes: 0 });
            let mut text = String::new();
            out.rewind().unwrap();
            out.read_to_string(&mut text).unwrap();
            let paths: BTreeSet<&str> = text.lines().collect();
            assert_eq!((paths.len(), text.lines().count()), (401, 401));
            assert!(paths.iter().all(
                |path| fs::symlink_metadata(path).unwrap().is_file() || path.ends_with("/link")
            ));
        }
    }

    #[test]
    fn reading_counts_the_bytes_of_regular_files_only() {
        let tree = tree();
        let out = tempfile::tempfile().unwrap();
        let total = walk(tree.path(), Work::Read, threads(3), &out).unwrap();
        assert_eq!(total, Total { files: 401, bytes: 1200 });
        assert_eq!(out.metadata().unwrap().len(), 0);
    }

    #[test]
    fn a_root_that_is_no_directory_is_an_error() {
        let tree = tree();
        let out = tempfile::tempfile().unwrap();
        let error = walk(&tree.path().join("file"), Work::List, threads(2), &out).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotADirectory);
    }

    #[test]
    fn a_full_output_ends_the_run_with_its_error() {
        let tree = tree();
        let full = File::options().write(true).open("/dev/full").unwrap();
        let error = walk(tree.path(), Work::List, threads(4), &full).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
