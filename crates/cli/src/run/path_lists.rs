//! The paths from `--files-from` and `--files0-from`, read while those before are searched.

use std::{
    collections::VecDeque,
    fs::File,
    io::{self, Read},
    mem,
    ops::ControlFlow,
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

use heist_filter::{git_quotes::unquoted, path_bytes::path_of};
use heist_searcher::Stream;
use heist_walk::RootSource;

use crate::{error::Error, sys::Pipe, typed::PathList};

/// How many paths a worker takes at once.
const PATHS_PER_BATCH: usize = 16;

/// How many bytes are read at once.
const BLOCK_BYTES: usize = 64 << 10;

/// How many bytes a path may have: far more than any system accepts.
const MAX_PATH: usize = 1 << 20;

/// The lists that are still to be read.
#[derive(Debug)]
pub(crate) struct PathLists(Mutex<VecDeque<ListReader>>);

impl PathLists {
    /// Opens `lists`; `-` is standard input.
    ///
    /// # Errors
    /// A list cannot be opened.
    pub(crate) fn open(lists: Vec<PathList>) -> Result<PathLists, Error> {
        let readers: Result<_, Error> = lists.into_iter().map(ListReader::open).collect();
        readers.map(|readers| PathLists(Mutex::new(readers)))
    }

    /// Reads all paths.
    ///
    /// # Errors
    /// A list cannot be read.
    pub(crate) fn read_all(&self) -> Result<Vec<PathBuf>, Error> {
        let mut paths = Vec::new();
        loop {
            match self.take(&mut paths, &mut || ControlFlow::Continue(())) {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => return Ok(paths),
                Err(error) => return Err(message(error)),
            }
        }
    }
}

impl RootSource for PathLists {
    fn take(
        &self,
        into: &mut Vec<PathBuf>,
        before_wait: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, (PathBuf, io::Error)> {
        // A visitor that panics below ends the run, and with it this list.
        let mut readers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let already = into.len();
        while let Some(reader) = readers.front_mut() {
            while into.len() - already < PATHS_PER_BATCH
                && let Some(path) = reader.next_path()
            {
                if !path.as_os_str().is_empty() {
                    into.push(path);
                }
            }
            if into.len() > already {
                return Ok(ControlFlow::Continue(()));
            }
            if reader.is_at_end {
                readers.pop_front();
                continue;
            }
            if before_wait().is_break() {
                return Ok(ControlFlow::Break(()));
            }
            if let Err(error) = reader.fill() {
                let error = reader.unreadable(&error);
                readers.clear();
                return Err(error);
            }
        }
        Ok(ControlFlow::Break(()))
    }
}

fn message((path, error): (PathBuf, io::Error)) -> Error {
    Error::new(format!("{}: {error}", path.display()))
}

/// A stream that is waited for, though a process that shares it has made it nonblocking.
struct FromStream<S>(S);

impl<S: Stream> Read for FromStream<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

/// A list that is being read.
struct ListReader {
    list: PathList,
    input: Box<dyn Read + Send>,
    /// What has been read.
    buffer: Vec<u8>,
    /// Where in the buffer the next path begins.
    next: usize,
    /// Up to where the buffer holds no terminator from `next` on.
    searched: usize,
    /// What a read fills, before it is appended to the buffer. A pipe often gives a few bytes at a
    /// time, and none of these reads clears a block.
    block: Box<[u8]>,
    is_at_end: bool,
}

impl std::fmt::Debug for ListReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ListReader").field(&self.list).finish()
    }
}

impl ListReader {
    fn open(list: PathList) -> Result<ListReader, Error> {
        let mut reader = ListReader::new(list, Box::new(FromStream(Pipe(io::stdin()))));
        if !reader.list.is_stdin() {
            let opened = File::open(&reader.list.path);
            reader.input = Box::new(opened.map_err(|error| message(reader.unreadable(&error)))?);
        }
        Ok(reader)
    }

    fn new(list: PathList, input: Box<dyn Read + Send>) -> ListReader {
        let block = vec![0; BLOCK_BYTES].into_boxed_slice();
        ListReader {
            list,
            input,
            buffer: Vec::new(),
            next: 0,
            searched: 0,
            block,
            is_at_end: false,
        }
    }

    /// The list's path, and the error if it cannot be read because of `error`.
    fn unreadable(&self, error: &io::Error) -> (PathBuf, io::Error) {
        let PathList { ref path, .. } = self.list;
        let path = if self.list.is_stdin() { PathBuf::from("<stdin>") } else { path.clone() };
        let why = format!("cannot read the paths of {}: {error}", self.list.flag());
        (path, io::Error::new(error.kind(), why))
    }

    /// The next path, if the buffer holds it whole.
    fn next_path(&mut self) -> Option<PathBuf> {
        let found = memchr::memchr(self.list.terminator, &self.buffer[self.searched..]);
        let end = match found {
            Some(at) => self.searched + at,
            // The last path may have no terminator.
            None if self.is_at_end && self.next < self.buffer.len() => self.buffer.len(),
            None => {
                self.searched = self.buffer.len();
                return None;
            }
        };
        let path = &self.buffer[self.next..end];
        let path = match self.list.terminator {
            b'\n' => path_of_line(path.strip_suffix(b"\r").unwrap_or(path)),
            _ => path_of(path).into_owned(),
        };
        self.next = (end + 1).min(self.buffer.len());
        self.searched = self.next;
        Some(path)
    }

    /// Reads the next block.
    fn fill(&mut self) -> io::Result<()> {
        self.buffer.drain(..mem::take(&mut self.next));
        let len = self.buffer.len();
        if len > MAX_PATH {
            return Err(io::Error::other(format!("a path has more than {MAX_PATH} bytes")));
        }
        let read = loop {
            match self.input.read(&mut self.block) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        let count = *read.as_ref().unwrap_or(&0);
        self.buffer.extend_from_slice(&self.block[..count]);
        self.searched = len;
        self.is_at_end = count == 0;
        read.map(drop)
    }
}

/// The path in a line: as it is, unless only the name exists that git has written so.
///
/// Of `"caf\303\251.txt"`, that is `café.txt`.
fn path_of_line(line: &[u8]) -> PathBuf {
    let path = path_of(line).into_owned();
    let Some(name) = unquoted(line) else { return path };
    let exists = |path: &PathBuf| path.symlink_metadata().is_ok();
    let name = path_of(&name).into_owned();
    if !exists(&path) && exists(&name) { name } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns at most `step` bytes per read.
    struct Slow(io::Cursor<Vec<u8>>, usize);

    impl Read for Slow {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let len = into.len().min(self.1);
            self.0.read(&mut into[..len])
        }
    }

    fn paths(text: &[u8], terminator: u8, step: usize) -> Result<Vec<PathBuf>, Error> {
        let input = Slow(io::Cursor::new(text.to_vec()), step);
        let list = PathList { path: "list".into(), terminator };
        let reader = ListReader::new(list, Box::new(input));
        PathLists(Mutex::new([reader].into())).read_all()
    }

    /// The paths in `text`, the slow obvious way.
    fn oracle(text: &str, terminator: char) -> Vec<PathBuf> {
        let trimmed = |path: &str| {
            let path =
                if terminator == '\n' { path.strip_suffix('\r').unwrap_or(path) } else { path };
            PathBuf::from(path)
        };
        let paths = text.split(terminator).map(trimmed);
        paths.filter(|path| !path.as_os_str().is_empty()).collect()
    }

    #[test]
    fn random_lists_are_split_at_their_terminators() {
        let mut rng = fastrand::Rng::with_seed(7);
        let alphabet = ["\n", "\0", "\r\n", "a", "b/c", "é", " ", "\r"];
        for _ in 0..2000 {
            let text: String =
                (0..rng.usize(..200)).map(|_| *rng.choice(&alphabet).unwrap()).collect();
            for terminator in ['\n', '\0'] {
                let found = paths(text.as_bytes(), terminator as u8, 1 + rng.usize(..9)).unwrap();
                assert_eq!(found, oracle(&text, terminator), "{text:?}");
            }
        }
    }

    #[test]
    fn a_path_without_end_is_an_error() {
        let error = paths(&vec![b'x'; 2 << 20], b'\n', BLOCK_BYTES).unwrap_err().to_string();
        assert_eq!(
            error,
            "list: cannot read the paths of --files-from: a path has more than 1048576 bytes"
        );
        assert_eq!(paths(&vec![b'x'; 1000], b'\n', BLOCK_BYTES).unwrap().len(), 1);
    }
}
