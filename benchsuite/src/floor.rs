//! The least work a walk or a search can do on Linux: the limit of heist's speed.
//!
//! Per directory `openat`, `getdents64` until it returns 0, `close`; when reading, per regular file
//! `openat`, one `read`, `close`. No rule is followed, no error reported, no odd file handled.
//!
//! Each thread keeps the directories it finds on its own stack, and waits for other threads' only
//! when its own is empty. It gives half its stack away only if it has just seen a waiting thread,
//! so that nothing is shared while all threads are busy.

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
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Instant,
};

use clap::{Args, ValueEnum};
use crossbeam_channel::{Receiver, Sender, unbounded};
use rustix::{
    fd::OwnedFd,
    fs::{CWD, FileType, Mode, OFlags, RawDir, openat},
};

use crate::files::explain;
use crate::format::{Unit, count};
use crate::stats::Spread;

/// How much work the floor does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FloorWork {
    /// List every path that is not a directory: openat, getdents64, close per directory
    List,
    /// On top of the same walk: openat, one read, close per regular file; prints nothing
    Read,
}

/// The arguments of `benchsuite floor`.
#[derive(Debug, Args)]
pub(crate) struct FloorOptions {
    /// How much of the work of a search to do
    work: FloorWork,

    /// Threads that share the work [default: one per core]
    #[arg(short = 'j', long, value_name = "N")]
    threads: Option<NonZeroUsize>,

    /// Print the paths, and time nothing: for a program that measures from outside
    #[arg(long)]
    print: bool,

    /// The tree
    dir: PathBuf,
}

/// How many runs count, after one that fills the page cache.
const RUNS: usize = 7;

/// Times the floor, and prints what it did and how long that took; or does it once and prints the
/// paths, with a summary on standard error.
pub(crate) fn run(options: &FloorOptions) -> io::Result<()> {
    let threads = match options.threads {
        Some(threads) => threads,
        None => thread::available_parallelism()?,
    };
    let once = |out: &File| walk(&options.dir, options.work, threads.get(), out);
    if options.print {
        let total = once(&File::from(io::stdout().as_fd().try_clone_to_owned()?))?;
        return writeln!(io::stderr(), "{} files, {} bytes", total.files, total.bytes);
    }
    let nowhere = File::create("/dev/null")?;
    let total = once(&nowhere)?;
    let time = |_| {
        let begun = Instant::now();
        once(&nowhere).map(|_| begun.elapsed().as_secs_f64())
    };
    let times = (0..RUNS).map(time).collect::<io::Result<Vec<f64>>>()?;
    let spread = Spread::of(&times).unwrap_or_default();
    let [median, min, max] = [spread.median, spread.min, spread.max].map(|s| Unit::Time.show(s));
    let (files, bytes) = (count(total.files as f64), Unit::Memory.show(total.bytes as f64));
    let done = match options.work {
        FloorWork::List => format!("{files} files listed"),
        FloorWork::Read => format!("{files} files with {bytes} read"),
    };
    writeln!(
        io::stdout(),
        "{done} in {median} by {threads} threads (median of {RUNS} runs: {min} to {max})"
    )
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

impl Total {
    fn and(self, other: Total) -> Total {
        Total { files: self.files + other.files, bytes: self.bytes + other.bytes }
    }
}

/// Walks the tree at `root` with `threads` threads and does `work`; paths go to `out`. Directories
/// and files below the root that cannot be opened or read are skipped without a message.
fn walk(root: &Path, work: FloorWork, threads: usize, out: &File) -> io::Result<Total> {
    open_dir(root.as_os_str().as_bytes()).map_err(|error| explain(root, &error.into()))?;
    let (sender, receiver) = unbounded();
    let (idle, out) = (AtomicUsize::new(0), Mutex::new(out));
    let shared = Shared { threads, idle, sender, receiver, out };
    thread::scope(|scope| {
        let start = |number| {
            let own = if number == 0 { vec![root.as_os_str().as_bytes().to_vec()] } else { vec![] };
            let worker = FloorWorker::new(&shared, work, own);
            scope.spawn(|| worker.run())
        };
        let workers: Vec<_> = (0..threads).map(start).collect();
        let ended = workers.into_iter().map(|one| one.join().unwrap_or_else(|p| resume_unwind(p)));
        ended.reduce(|one, other| Ok(one?.and(other?))).unwrap_or(Ok(Total::default()))
    })
}

/// Directories on their way from one thread to another, and the output.
#[derive(Debug)]
struct Shared<'a> {
    threads: usize,
    /// How many threads wait for directories that no thread has sent. Once all do, none are left.
    idle: AtomicUsize,
    sender: Sender<Vec<Vec<u8>>>,
    receiver: Receiver<Vec<Vec<u8>>>,
    /// Locked while paths are written: the kernel may cut a large write to a pipe in pieces.
    out: Mutex<&'a File>,
}

impl Shared<'_> {
    /// Waits for directories of other threads; none: the walk is done.
    fn take(&self) -> Vec<Vec<u8>> {
        // Ordering: AcqRel orders nothing but the count itself; the channel carries what is given.
        if self.idle.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.end();
        }
        self.receiver.recv().unwrap_or_default()
    }

    /// Gives half of `own` to a waiting thread, if there is one.
    fn give(&self, own: &mut Vec<Vec<u8>>) {
        // Ordering: Relaxed; a waiter overlooked now is seen at the next directory.
        if own.len() < 2 || self.idle.load(Ordering::Relaxed) == 0 {
            return;
        }
        // The waiter is counted off before it has its directories, or the walk might seem done.
        let waiter = |idle: usize| idle.checked_sub(1);
        if self.idle.fetch_update(Ordering::AcqRel, Ordering::Relaxed, waiter).is_ok() {
            self.send(own.split_off(own.len().div_ceil(2)));
        }
    }

    /// Ends the walk: every thread stops when it has no directory of its own.
    fn end(&self) {
        (0..self.threads).for_each(|_| self.send(Vec::new()));
    }

    fn send(&self, directories: Vec<Vec<u8>>) {
        // It cannot fail: the receiver lives as long.
        let _ = self.sender.send(directories);
    }
}

/// One thread with buffers of its own, so that it shares nothing but [`Shared`].
#[derive(Debug)]
struct FloorWorker<'a> {
    shared: &'a Shared<'a>,
    work: FloorWork,
    own: Vec<Vec<u8>>,
    output: Vec<u8>,
    file: Vec<u8>,
    total: Total,
}

impl<'a> FloorWorker<'a> {
    fn new(shared: &'a Shared<'a>, work: FloorWork, own: Vec<Vec<u8>>) -> FloorWorker<'a> {
        let (output, file) = match work {
            FloorWork::List => (OUTPUT, 0),
            FloorWork::Read => (0, FILE),
        };
        let (output, file) = (Vec::with_capacity(output), vec![0; file]);
        FloorWorker { shared, work, own, output, file, total: Total::default() }
    }

    fn run(mut self) -> io::Result<Total> {
        let mut listing = vec![MaybeUninit::uninit(); LISTING];
        loop {
            let Some(path) = self.own.pop() else {
                self.own = self.shared.take();
                if self.own.is_empty() {
                    return self.flush().map(|()| self.total);
                }
                continue;
            };
            self.expand(&path, &mut listing).inspect_err(|_| self.shared.end())?;
            self.shared.give(&mut self.own);
        }
    }

    /// Reads one directory: subdirectories go on the stack, files are handled at once.
    fn expand(&mut self, path: &[u8], listing: &mut [MaybeUninit<u8>]) -> io::Result<()> {
        let Ok(dir) = open_dir(path) else {
            return Ok(());
        };
        let mut entries = RawDir::new(&dir, listing);
        while let Some(Ok(entry)) = entries.next() {
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            let kind = entry.file_type();
            if kind == FileType::Directory {
                self.own.push([path, b"/", name.to_bytes()].concat());
                continue;
            }
            self.total.files += 1;
            match self.work {
                FloorWork::List => self.list(path, name.to_bytes())?,
                FloorWork::Read if kind == FileType::RegularFile => self.read(&dir, name),
                FloorWork::Read => {}
            }
        }
        Ok(())
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
        let mut out = self.shared.out.lock().unwrap_or_else(PoisonError::into_inner);
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

    #[test]
    fn every_thread_count_lists_each_path_once() {
        let tree = tree();
        for number in [1, 2, 5, 16] {
            let mut out = tempfile::tempfile().unwrap();
            let total = walk(tree.path(), FloorWork::List, number, &out).unwrap();
            assert_eq!(total, Total { files: 401, bytes: 0 });
            let mut text = String::new();
            out.rewind().unwrap();
            out.read_to_string(&mut text).unwrap();
            let paths: BTreeSet<&str> = text.lines().collect();
            assert_eq!((paths.len(), text.lines().count()), (401, 401));
            let is_file = |path: &str| fs::symlink_metadata(path).unwrap().is_file();
            assert!(paths.iter().all(|path| is_file(path) || path.ends_with("/link")));
        }
    }

    #[test]
    fn reading_counts_the_bytes_of_regular_files_only() {
        let tree = tree();
        let out = tempfile::tempfile().unwrap();
        let total = walk(tree.path(), FloorWork::Read, 3, &out).unwrap();
        assert_eq!(total, Total { files: 401, bytes: 1200 });
        assert_eq!(out.metadata().unwrap().len(), 0);
    }

    #[test]
    fn a_root_that_is_no_directory_is_an_error() {
        let tree = tree();
        let out = tempfile::tempfile().unwrap();
        let error = walk(&tree.path().join("file"), FloorWork::List, 2, &out).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotADirectory);
    }

    #[test]
    fn a_full_output_ends_the_run_with_its_error() {
        let tree = tree();
        let full = File::options().write(true).open("/dev/full").unwrap();
        let error = walk(tree.path(), FloorWork::List, 4, &full).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
