//! Haystacks that need care before they are read: standard input, which has a name for messages,
//! and files that are not in memory.
//!
//! Files that are not in the page cache are deferred: they stay open while the disk reads them, and
//! the worker searches other files. One worker keeps a disk as busy as many workers that each wait
//! for one file.
//!
//! A file's first read returns only cached bytes ([`NonBlockingFirstRead`]). Mostly these are the
//! whole file, and the search makes the same system calls as with an ordinary read. Otherwise
//! nothing has been printed about the file, the kernel has started to read it, and the file goes
//! into the worker's [`DeferredFiles`], to be read in the ordinary way later.

use std::{
    collections::VecDeque,
    fs,
    io::{self, Read, Seek},
};

use heist_searcher::{End, FileRead};
use heist_walk::OpenedFile;

/// Standard input's name in output and messages.
pub(crate) const STDIN_NAME: &[u8] = b"<stdin>";

/// How many files are deferred at a time: a disk needs dozens of requests at a time.
///
/// Perf (2026-11, 2 cores, a virtual disk, 6000 cold files, a C program): 64 and 128 files do not
/// differ, 16 take 1.2 times as long.
pub(crate) const MAX_DEFERRED: usize = 64;

/// An open file that is deferred.
#[derive(Debug)]
pub(crate) struct DeferredFile<F = OpenedFile> {
    pub(crate) path: Vec<u8>,
    /// Where the part of the path begins that is searched.
    pub(crate) name_at: usize,
    pub(crate) file: F,
}

/// One worker's deferred files, oldest first.
#[derive(Debug)]
pub(crate) struct DeferredFiles<F = OpenedFile> {
    waiting: VecDeque<DeferredFile<F>>,
    room: usize,
    /// Whether only cached bytes can be read, as far as known.
    is_of_use: bool,
}

/// A file with reads that return only cached bytes.
pub(crate) trait ReadCached {
    /// See [`OpenedFile::read_cached`].
    fn read_cached(&mut self, buffer: &mut [u8]) -> io::Result<usize>;
    /// An ordinary read.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize>;
    /// Seeks to the beginning.
    fn rewind(&mut self) -> io::Result<()>;
}

impl ReadCached for OpenedFile {
    fn read_cached(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        OpenedFile::read_cached(self, buffer)
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }

    fn rewind(&mut self) -> io::Result<()> {
        self.file.rewind()
    }
}

/// How far a file has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadState {
    /// Not at all.
    Fresh,
    /// The first bytes have been returned; further reads may block.
    Begun,
    /// Not at all, because it is not cached.
    Cold,
}

/// A file that does not block in its first read.
#[derive(Debug)]
pub(crate) struct NonBlockingFirstRead<F> {
    file: F,
    end: End,
    state: ReadState,
    /// Whether only the ordinary read works.
    is_refused: bool,
}

impl<F> DeferredFiles<F> {
    /// Returns a collection that accepts no file.
    pub(crate) fn closed() -> DeferredFiles<F> {
        DeferredFiles { waiting: VecDeque::new(), room: 0, is_of_use: true }
    }

    /// Sets how many files may be deferred.
    pub(crate) fn open(&mut self, room: usize) {
        self.room = room;
    }

    /// Whether files may be deferred.
    pub(crate) fn is_open(&self) -> bool {
        self.room > 0 && self.is_of_use
    }

    /// Defers a file with the path `path`.
    pub(crate) fn push(&mut self, path: &[u8], name_at: usize, file: F) {
        self.waiting.push_back(DeferredFile { path: path.to_vec(), name_at, file });
    }

    /// Removes the oldest file, if there are more than the limit.
    pub(crate) fn pop_surplus(&mut self) -> Option<DeferredFile<F>> {
        if self.waiting.len() > self.room { self.pop() } else { None }
    }

    /// Removes the oldest file.
    pub(crate) fn pop(&mut self) -> Option<DeferredFile<F>> {
        self.waiting.pop_front()
    }

    /// Notes whether only cached bytes can be read from `file`.
    pub(crate) fn learn(&mut self, file: &NonBlockingFirstRead<F>) {
        self.is_of_use &= !file.is_refused;
    }
}

impl<F: ReadCached> NonBlockingFirstRead<F> {
    /// Returns `file` before its first read; `end` is how its end is recognized.
    pub(crate) fn new(file: F, end: End) -> NonBlockingFirstRead<F> {
        NonBlockingFirstRead { file, end, state: ReadState::Fresh, is_refused: false }
    }

    /// Whether the first read found the file not cached.
    pub(crate) fn is_cold(&self) -> bool {
        self.state == ReadState::Cold
    }

    pub(crate) fn into_inner(self) -> F {
        self.file
    }

    /// The first read: as many bytes as there are and `buffer` takes, or none.
    fn begin(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.state = ReadState::Begun;
        let mut len = 0;
        while len < buffer.len() {
            match self.file.read_cached(&mut buffer[len..]) {
                // Linux 5.9 and 5.10 may return this for a file that is not cached (preadv2(2),
                // BUGS), so an ordinary read has to find out whether it is the end.
                Ok(0) if len == 0 => return self.file.read(buffer),
                Ok(0) => return Ok(len),
                // A short read may end where the cached pages do.
                Ok(got) if self.end.shows_at(len + got) => return Ok(len + got),
                Ok(got) => len += got,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if len > 0 {
                        self.file.rewind()?;
                    }
                    self.state = ReadState::Cold;
                    return Err(error);
                }
                // The next read returns the error again, if it lasts.
                Err(_) if len > 0 => return Ok(len),
                Err(_) => {
                    let read = self.file.read(buffer);
                    self.is_refused = read.is_ok();
                    return read;
                }
            }
        }
        Ok(len)
    }
}

impl<F: ReadCached> Read for NonBlockingFirstRead<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.state {
            ReadState::Fresh => self.begin(buffer),
            ReadState::Begun => self.file.read(buffer),
            ReadState::Cold => Err(io::ErrorKind::WouldBlock.into()),
        }
    }
}

impl FileRead for NonBlockingFirstRead<OpenedFile> {
    fn share(&self) -> io::Result<fs::File> {
        self.file.file.try_clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with pages that are cached at random.
    struct Fake {
        bytes: Vec<u8>,
        at: usize,
        random: fastrand::Rng,
        kind: Kind,
        reads: usize,
    }

    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Kind {
        /// Only cached bytes can be read.
        Modern,
        /// Every read may block.
        Old,
        /// As `Modern`, but a read returns no bytes where no page is cached.
        Forgetful,
        /// No read succeeds.
        Broken,
    }

    impl Fake {
        fn new(len: usize, seed: u64, kind: Kind) -> Fake {
            let bytes = (0..len).map(|at| (at * 31 + at / 251) as u8).collect();
            Fake { bytes, at: 0, random: fastrand::Rng::with_seed(seed), kind, reads: 0 }
        }

        fn one_in(&mut self, many: u64) -> bool {
            self.random.u64(..many) == 0
        }

        fn copy(&mut self, most: usize, buffer: &mut [u8]) -> usize {
            let got = most.min(buffer.len()).min(self.bytes.len() - self.at);
            buffer[..got].copy_from_slice(&self.bytes[self.at..][..got]);
            self.at += got;
            got
        }
    }

    impl ReadCached for Fake {
        fn read_cached(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            assert!(!buffer.is_empty(), "the result of an empty read has no meaning");
            self.reads += 1;
            if matches!(self.kind, Kind::Old | Kind::Broken) {
                return Err(io::ErrorKind::Unsupported.into());
            }
            if self.one_in(8) {
                return Err(io::ErrorKind::Interrupted.into());
            }
            if self.at < self.bytes.len() && self.one_in(4) {
                let is_forgetful = self.kind == Kind::Forgetful;
                return if is_forgetful { Ok(0) } else { Err(io::ErrorKind::WouldBlock.into()) };
            }
            // Cached bytes end where a page does.
            let pages = if self.one_in(2) { 1 } else { 1 << 10 };
            Ok(self.copy((pages << 12) - self.at % (4 << 10), buffer))
        }

        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.reads += 1;
            if self.kind == Kind::Broken {
                return Err(io::Error::other("broken"));
            }
            let most = if self.one_in(3) { 1000 } else { usize::MAX };
            Ok(self.copy(most, buffer))
        }

        fn rewind(&mut self) -> io::Result<()> {
            self.at = 0;
            Ok(())
        }
    }

    /// Files' seeds, lengths and ends.
    fn cases() -> impl Iterator<Item = (u64, usize, End)> {
        let lens = [0, 1, 4095, 4096, 4097, 8192, 12_000, 65_536, 100_000];
        let ends = [End::ShortRead, End::EmptyRead].into_iter().cycle();
        (1..100).flat_map(move |seed| {
            lens.into_iter().zip(ends.clone()).map(move |(len, end)| (seed, len, end))
        })
    }

    /// All bytes are returned once and in order, and none before a file turns out not to be cached.
    #[test]
    fn a_file_is_read_whole_or_not_at_all() {
        let mut cold = 0;
        for (seed, len, end) in cases() {
            let fake = Fake::new(len, seed, Kind::Modern);
            let expected = fake.bytes.clone();
            let mut ready = NonBlockingFirstRead::new(fake, end);
            let mut bytes = vec![0; 16 << 10];
            let first = ready.read(&mut bytes);
            assert_eq!(ready.is_cold(), first.is_err());
            if ready.is_cold() {
                cold += 1;
                let mut file = ready.into_inner();
                let mut all = vec![0; len + 1];
                let mut at = 0;
                while let Ok(got @ 1..) = file.read(&mut all[at..]) {
                    at += got;
                }
                assert_eq!(&all[..at], expected, "the bytes that are searched later");
                continue;
            }
            bytes.truncate(first.unwrap());
            let is_whole = bytes.len() < 16 << 10 && end.shows_at(bytes.len());
            if !is_whole {
                ready.read_to_end(&mut bytes).unwrap();
            }
            assert_eq!(bytes, expected, "seed {seed}, {len} bytes");
        }
        assert!(cold > 100, "{cold} files were cold");
    }

    #[test]
    fn a_cached_file_takes_no_more_reads_than_an_ordinary_one() {
        for (len, end, reads) in [
            (0, End::ShortRead, 2),
            (5000, End::ShortRead, 1),
            (4096, End::ShortRead, 2),
            (5000, End::EmptyRead, 2),
        ] {
            // With some seed all pages are cached.
            let warm = |seed| {
                let mut ready = NonBlockingFirstRead::new(Fake::new(len, seed, Kind::Modern), end);
                let read = ready.read(&mut [0; 16 << 10]);
                read.is_ok_and(|got| got == len) && ready.file.reads == reads
            };
            assert!((1..100).any(warm), "{len} bytes, {end:?}");
        }
    }

    #[test]
    fn an_empty_first_read_is_not_taken_for_the_end() {
        for (seed, len, end) in cases() {
            let fake = Fake::new(len, seed, Kind::Forgetful);
            let expected = fake.bytes.clone();
            let mut bytes = Vec::new();
            NonBlockingFirstRead::new(fake, end).read_to_end(&mut bytes).unwrap();
            assert_eq!(bytes, expected, "seed {seed}, {len} bytes");
        }
    }

    #[test]
    fn no_file_is_deferred_once_reads_of_cached_bytes_are_refused() {
        let mut deferred = DeferredFiles::closed();
        assert!(!deferred.is_open());
        deferred.open(2);
        assert!(deferred.is_open());
        let read_first = |kind| NonBlockingFirstRead::new(Fake::new(10, 1, kind), End::ShortRead);
        let mut broken = read_first(Kind::Broken);
        assert_eq!(broken.read(&mut [0; 20]).unwrap_err().to_string(), "broken");
        deferred.learn(&broken);
        assert!(deferred.is_open(), "an unreadable file proves nothing about others");
        let mut old = read_first(Kind::Old);
        assert_eq!(old.read(&mut [0; 20]).unwrap(), 10);
        assert!(!old.is_cold());
        deferred.learn(&old);
        assert!(!deferred.is_open());
    }

    #[test]
    fn the_oldest_file_is_removed_first() {
        let mut deferred = DeferredFiles::closed();
        deferred.open(2);
        let mut removed = Vec::new();
        for file in 0..5 {
            deferred.push(b"path", 0, file);
            removed.extend(deferred.pop_surplus().map(|waiting| waiting.file));
        }
        assert_eq!(removed, [0, 1, 2]);
        removed.extend(std::iter::from_fn(|| deferred.pop()).map(|waiting| waiting.file));
        assert_eq!(removed, [0, 1, 2, 3, 4]);
    }
}
