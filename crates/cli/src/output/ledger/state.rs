//! The ledger's state: open keys, held output, and output that is ready to be written.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write,
    mem,
    time::Instant,
};

use heist_walk::{Entry, OwnedEntry};

use crate::output::shared::{FLUSH_LEN, HOLD_LEN, MAX_DELAY, SharedOutput};

/// Where a file or item is in the order; compared as bytes.
pub(crate) type Key = Vec<u8>;

/// Files to visit, in order.
pub(crate) trait Files: Sync {
    /// How many there are.
    fn len(&self) -> usize;

    /// Replaces what `into` contains by the key of the file with this index.
    fn key_into(&self, index: usize, into: &mut Key);

    /// The file with this index, which has the key `key`.
    fn file<'a>(&'a self, index: usize, key: &'a Key) -> Entry<'a>;
}

/// Files that were deferred, with their keys.
pub(crate) type Deferred = Vec<(Key, OwnedEntry)>;

impl Files for Deferred {
    fn len(&self) -> usize {
        self.len()
    }

    fn key_into(&self, index: usize, into: &mut Key) {
        into.clone_from(&self[index].0);
    }

    fn file<'a>(&'a self, index: usize, key: &'a Key) -> Entry<'a> {
        self[index].1.as_entry(key)
    }
}

/// Pieces with fewer bytes are copied together before they are written.
const SMALL_PIECE: usize = 16 << 10;
/// Buffers that are kept for workers.
const MAX_SPARE: usize = 16;

/// What is unfinished, held and ready, behind the ledger's lock.
#[derive(Default)]
pub(crate) struct LedgerState {
    /// The keys of all unfinished items and all deferred files.
    pub(super) open: BTreeSet<Key>,
    held: BTreeMap<Key, OutputPiece>,
    /// Output below the frontier, ready to be written: workers' buffers, and small pieces put
    /// together.
    pub(super) ready: Vec<Vec<u8>>,
    /// The bytes in `ready`.
    ready_len: usize,
    /// Empty buffers that have been written, for workers that hand over theirs.
    pub(super) spare: Vec<Vec<u8>>,
    /// Bytes held and ready.
    pub(super) bytes: usize,
    /// The limit for `bytes`.
    pub(super) limit: usize,
    /// The limit for one file.
    pub(super) file_limit: usize,
    pub(super) deferred: Deferred,
    /// Whether output became ready before, so that the next file needs a separator.
    pub(super) printed: bool,
    /// Whether a worker is writing, or owns standard output until its file ends.
    pub(super) writing: bool,
    pub(super) written: Option<Instant>,
    /// How many workers wait.
    pub(super) waiters: usize,
    /// Whether they may wait for the frontier before the second pass.
    pub(super) may_wait: Waiting,
    /// In the second pass, the index of the first file that no worker has taken.
    pub(super) next: Option<usize>,
    /// How many files a worker takes at a time.
    pub(super) batch: usize,
    /// Whether a worker abandoned its item, so that waiting is pointless.
    pub(super) broken: bool,
}

/// Whether a worker may wait for the frontier while files are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// The item at the frontier may be in any queue.
    #[default]
    Forbidden,
    /// Workers take items in order.
    Allowed,
}

/// A piece of output: what was printed for one or more adjacent files.
pub(crate) struct OutputPiece {
    pub(crate) bytes: Vec<u8>,
    /// How long the separator at the beginning is, which is needed only if output precedes it.
    pub(crate) separator_len: usize,
}

impl LedgerState {
    /// The state at the beginning, where these keys are open.
    pub(super) fn new(
        open: BTreeSet<Key>,
        may_wait: Waiting,
        limit: usize,
        file_limit: usize,
    ) -> LedgerState {
        LedgerState { open, may_wait, limit, file_limit, batch: 1, ..LedgerState::default() }
    }

    /// Whether a worker may wait for the frontier before the second pass, which a deferred file
    /// does not leave.
    pub(super) fn may_wait(&self) -> bool {
        self.may_wait == Waiting::Allowed && self.deferred.is_empty()
    }

    pub(super) fn hold(&mut self, key: Key, piece: OutputPiece) {
        self.bytes += piece.bytes.len();
        let before = self.held.insert(key, piece);
        debug_assert!(before.is_none(), "two pieces have one key");
    }

    /// Opens the key for the file with this index, if there is one.
    pub(super) fn open_file(&mut self, files: &impl Files, index: usize) {
        if index < files.len() {
            let mut key = Key::new();
            files.key_into(index, &mut key);
            self.open.insert(key);
        }
    }

    pub(super) fn replace(&mut self, from: Option<&Key>, to: Option<Key>) {
        if let Some(from) = from {
            let was_open = self.open.remove(from);
            debug_assert!(was_open, "an item was not open");
        }
        if let Some(to) = to {
            self.open.insert(to);
        }
    }

    /// Moves output below the frontier from `held` to `ready`. It moves one write's worth at a
    /// time, so that other workers do not wait for the lock.
    pub(super) fn make_ready(&mut self) {
        while self.ready_len < HOLD_LEN
            && let Some(first) = self.held.first_entry()
            && self.open.first().is_none_or(|frontier| first.key() < frontier)
        {
            let OutputPiece { mut bytes, separator_len } = first.remove();
            let from = if mem::replace(&mut self.printed, true) { 0 } else { separator_len };
            self.bytes -= from;
            self.ready_len += bytes.len() - from;
            match self.ready.last_mut() {
                Some(last) if bytes.len() < SMALL_PIECE && last.len() < FLUSH_LEN => {
                    last.extend_from_slice(&bytes[from..]);
                }
                _ => {
                    bytes.drain(..from);
                    self.ready.push(bytes);
                }
            }
        }
    }

    pub(super) fn is_due<W: Write>(&self, out: &SharedOutput<W>) -> bool {
        self.ready_len >= FLUSH_LEN
            || out.is_watched()
            || self.written.is_none_or(|at| at.elapsed() >= MAX_DELAY)
    }

    /// Takes the output that is ready, for the worker that writes it.
    pub(super) fn begin_write(&mut self) -> Vec<Vec<u8>> {
        self.writing = true;
        self.ready_len = 0;
        mem::take(&mut self.ready)
    }

    /// Ends writing this output, and keeps its buffers for workers.
    pub(super) fn end_write(&mut self, mut batch: Vec<Vec<u8>>) {
        self.bytes -= batch.iter().map(Vec::len).sum::<usize>();
        self.writing = false;
        self.written = Some(Instant::now());
        let room = MAX_SPARE - self.spare.len();
        batch.iter_mut().for_each(Vec::clear);
        batch.retain(|bytes| bytes.capacity() <= HOLD_LEN);
        batch.truncate(room);
        self.spare.append(&mut batch);
    }
}
