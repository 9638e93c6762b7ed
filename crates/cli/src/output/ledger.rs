//! What has to come before what: which work is unfinished, and which output waits for it.
//!
//! ```text
//!   open   b        e     g          keys of items somebody has begun or will begin
//!   held      c  d     f       k     output of files that were done early
//!          ▲ everything below the first open key is written: nothing can come before it any more
//! ```
//!
//! The first open key is the *frontier*. A worker moves the key of its own item forward when it hands over output, and
//! takes it away when the item is done; whoever moves the frontier past held output makes it ready, and writes it
//! unless somebody writes already. Nobody waits for the frontier during a walk, since the item there may be in the
//! queue of the very worker that would wait. Instead memory is bounded by putting files off: where too much is held, or
//! where it can be read only once, a file that is not at the frontier is not searched but kept as a path, with its key
//! left open. The *second pass* searches these from first to last, by all workers, always near the frontier; there a
//! worker may wait, because the item at the frontier is in the hands of another that runs.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write,
    mem,
    ops::Range,
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use heist_walk::OwnedEntry;

use super::shared::{FLUSH_LEN, HOLD_LEN, MAX_DELAY, SharedOutput};

/// Where a file or item belongs; compared as bytes.
pub(crate) type Key = Vec<u8>;

/// Files with their keys, in order.
pub(crate) type Files = Vec<(Key, OwnedEntry)>;

/// Bytes of output that may be held before files are put off. Ordinary results are smaller as a whole: a tree like
/// Linux with 200,000 matching lines prints 20 MB. Larger ones are searched in the second pass, which is as fast.
const LIMIT: usize = 64 << 20;
/// Bytes that one file may add before it is given up and put off. Files whose results are larger than that are rare
/// enough to be searched twice.
const FILE_LIMIT: usize = 8 << 20;
/// Files that a worker takes at a time where all files are known: what a slice of a directory is at least.
pub(crate) const BATCH: usize = 16;

/// See the module.
pub(crate) struct Ledger {
    state: Mutex<State>,
    /// Something that a worker may wait for has come about.
    moved: Condvar,
    /// Too much is held.
    full: AtomicBool,
    /// Something is held or ready.
    waiting: AtomicBool,
}

pub(crate) struct State {
    /// Keys of all items that are not done, and of all files that were put off.
    open: BTreeSet<Key>,
    held: BTreeMap<Key, Piece>,
    /// What nothing can come before any more, ready to be written.
    ready: Vec<u8>,
    /// Bytes held and ready.
    bytes: usize,
    /// More than this is too much.
    limit: usize,
    /// One file alone may not be larger.
    file_limit: usize,
    put_off: Files,
    /// Something became ready before, so that the next file needs a separator.
    printed: bool,
    /// Somebody writes, or will until the end of the file at hand.
    writing: bool,
    written: Option<Instant>,
    /// How many workers wait.
    waiters: usize,
    /// The second pass: an index into its files, from which nobody has taken any.
    next: Option<usize>,
    /// How many of them are taken at a time.
    batch: usize,
    /// A worker has left its item in the middle: nobody need wait any more.
    broken: bool,
}

/// Output of one or more files that belong side by side.
pub(crate) struct Piece {
    pub(crate) bytes: Box<[u8]>,
    /// How many of the first bytes are a separator, needed only if something comes before.
    pub(crate) separator_len: usize,
}

/// When what is ready is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flush {
    /// When there is enough of it, or it has waited long enough.
    WhenDue,
    /// Now.
    Now,
}

/// When a file may be searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// When it is at the frontier, or there is room to hold what it prints.
    Room,
    /// When it is at the frontier.
    Frontier,
}

/// What may become of a file that has grown too large to be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Growth {
    /// It is at the frontier, and standard output belongs to it until it ends.
    Stream {
        /// Nothing was printed before.
        first: bool,
    },
    /// It may grow some more.
    Continue,
    /// It is to be put off.
    TooLarge,
    /// The run has come to an end.
    Stopped,
}

impl Ledger {
    /// A ledger in which every item of `seeds` is open.
    pub(crate) fn new(seeds: impl IntoIterator<Item = Key>) -> Ledger {
        Ledger::with_limits(seeds, LIMIT, FILE_LIMIT)
    }

    pub(crate) fn with_limits(
        seeds: impl IntoIterator<Item = Key>,
        limit: usize,
        file_limit: usize,
    ) -> Ledger {
        let state = State {
            open: seeds.into_iter().collect(),
            held: BTreeMap::new(),
            ready: Vec::new(),
            bytes: 0,
            limit,
            file_limit,
            put_off: Files::new(),
            printed: false,
            writing: false,
            written: None,
            waiters: 0,
            next: None,
            batch: 1,
            broken: false,
        };
        Ledger {
            state: Mutex::new(state),
            moved: Condvar::new(),
            full: AtomicBool::new(false),
            waiting: AtomicBool::new(false),
        }
    }

    /// Whether files that are not at the frontier have to be put off. A hint that costs nothing.
    pub(crate) fn is_full(&self) -> bool {
        // Ordering: Relaxed, a little more or less is no harm.
        self.full.load(Ordering::Relaxed)
    }

    /// Whether it is of use to move one's key forward. A hint that costs nothing.
    pub(crate) fn has_waiting(&self) -> bool {
        // Ordering: Relaxed, as above.
        self.waiting.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing below can panic half-way, so that a poisoned state is a whole one.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&'s self, mut state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        state.waiters += 1;
        state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.waiters -= 1;
        state
    }

    /// Items with these keys are about to exist.
    pub(crate) fn open(&self, keys: &mut dyn Iterator<Item = &[u8]>) {
        let mut state = self.lock();
        for key in keys {
            let is_new = state.open.insert(key.to_vec());
            debug_assert!(is_new, "two items have one key");
        }
    }

    /// Hand over `piece`, and move the open key `from` forward to `to`, or away.
    pub(crate) fn settle<W: Write>(
        &self,
        out: &SharedOutput<W>,
        from: Option<&Key>,
        to: Option<Key>,
        piece: Option<(Key, Piece)>,
        flush: Flush,
    ) {
        let mut state = self.lock();
        if let Some((key, piece)) = piece {
            state.hold(key, piece);
        }
        state.replace(from, to);
        state = self.write_ready(state, out, flush);
        // The writer is bound to come to an end, whoever it is: it waits for nothing in here.
        while state.bytes > state.limit && state.writing && !state.broken {
            state = self.wait(state);
        }
    }

    /// Put off a file: its key becomes one of the open ones, and the open key `from` moves behind it to `to`.
    pub(crate) fn put_off(&self, from: Option<&Key>, to: Key, key: Key, file: OwnedEntry) {
        let mut state = self.lock();
        state.replace(from, Some(to));
        state.open.insert(key.clone());
        state.put_off.push((key, file));
    }

    /// Whether it is the turn of the file with the open key `own`. In the second pass, wait until it is. A run that has
    /// come to an end has room, but no frontier: what is not at it may be slow to come, and is of no use any more.
    pub(crate) fn is_turn(&self, own: Option<&Key>, when: When) -> bool {
        let mut state = self.lock();
        loop {
            if state.open.first() == own {
                return true;
            }
            if state.broken || state.bytes <= state.limit && when == When::Room {
                return when == When::Room;
            }
            if state.next.is_none() {
                return false;
            }
            state = self.wait(state);
        }
    }

    /// Whether the item with the open key `own` is at the frontier.
    pub(crate) fn is_next(&self, own: Option<&Key>) -> bool {
        self.lock().open.first() == own
    }

    /// A file has produced `len` bytes and goes on; `own` is its key, and open. With [`Growth::Stream`], all that comes
    /// before it has been written, and the caller writes on until [`stop_streaming`](Ledger::stop_streaming). If it is
    /// held `whole`, it is never too large.
    pub(crate) fn grow<W: Write>(
        &self,
        out: &SharedOutput<W>,
        own: Option<&Key>,
        len: usize,
        whole: bool,
    ) -> Growth {
        let mut state = self.lock();
        loop {
            if state.broken {
                return Growth::Stopped;
            }
            if state.open.first() == own && !state.writing {
                state = self.write_ready(state, out, Flush::Now);
                state.writing = true;
                return Growth::Stream { first: !mem::replace(&mut state.printed, true) };
            }
            let is_next = state.open.first() == own;
            if !is_next && state.next.is_none() {
                let too_large = len > state.file_limit || state.bytes + len > state.limit;
                return if too_large && !whole { Growth::TooLarge } else { Growth::Continue };
            }
            state = self.wait(state);
        }
    }

    /// The file that was streamed has ended; see [`grow`](Ledger::grow).
    pub(crate) fn stop_streaming(&self) {
        let mut state = self.lock();
        state.writing = false;
        state.written = Some(Instant::now());
        self.publish(&state);
    }

    /// A worker leaves with its item undone: the frontier stays where it is, and nobody is to wait for it.
    pub(crate) fn break_off(&self, streams: bool) {
        let mut state = self.lock();
        state.broken = true;
        state.writing &= !streams;
        self.publish(&state);
    }

    /// Write out what is ready, at the end.
    pub(crate) fn finish<W: Write>(&self, out: &SharedOutput<W>) {
        let state = self.lock();
        if !state.broken {
            debug_assert!(state.open.is_empty() && state.put_off.is_empty(), "work was left");
            drop(self.write_ready(state, out, Flush::Now));
        }
    }

    /// The files that were put off, in order. Afterwards they are no longer open.
    pub(crate) fn take_put_off(&self) -> Files {
        let mut state = self.lock();
        let mut files = mem::take(&mut state.put_off);
        files.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        for (key, _) in &files {
            state.open.remove(key);
        }
        files
    }

    /// Begin the second pass, or the only one, over `files`, of which [`take`](Ledger::take) gives `batch` at a time.
    /// These make one piece, so that nothing that is held may lie between them. What is held already may belong behind
    /// all of them, and must not keep everybody waiting: a little room is added.
    pub(crate) fn begin_pass(&self, files: &Files, batch: usize) {
        let mut state = self.lock();
        state.batch = batch;
        state.limit = state.limit.max(state.bytes + state.limit / 4);
        state.next = Some(0);
        state.open.extend(files.first().map(|(key, _)| key.clone()));
        self.publish(&state);
    }

    /// The next files to visit. The key of the first of them is open.
    pub(crate) fn take(&self, files: &Files) -> Option<Range<usize>> {
        let mut state = self.lock();
        let start = state.next.filter(|&next| next < files.len())?;
        let end = files.len().min(start + state.batch);
        state.next = Some(end);
        if let Some((key, _)) = files.get(end) {
            state.open.insert(key.clone());
        }
        Some(start..end)
    }

    /// Make ready what the frontier has passed, and write it where that is due and nobody else does.
    fn write_ready<'s, W: Write>(
        &'s self,
        mut state: MutexGuard<'s, State>,
        out: &SharedOutput<W>,
        flush: Flush,
    ) -> MutexGuard<'s, State> {
        state.make_ready();
        while !state.writing
            && !state.ready.is_empty()
            && (flush == Flush::Now || state.is_due(out))
        {
            state.writing = true;
            let mut batch = mem::take(&mut state.ready);
            drop(state);
            out.write_piece(&batch);
            state = self.lock();
            // Whoever fails to write ends the run, and need not end its item.
            state.broken |= out.flow().is_break();
            state.bytes -= batch.len();
            state.writing = false;
            state.written = Some(Instant::now());
            if state.ready.capacity() == 0 {
                batch.clear();
                state.ready = batch;
            }
            state.make_ready();
            self.publish(&state);
        }
        self.publish(&state);
        state
    }

    /// Let others see how things stand.
    fn publish(&self, state: &State) {
        // Ordering: Relaxed, see `is_full`.
        self.full.store(state.bytes > state.limit, Ordering::Relaxed);
        self.waiting.store(state.bytes > 0, Ordering::Relaxed);
        if state.waiters > 0 {
            self.moved.notify_all();
        }
    }
}

impl State {
    fn hold(&mut self, key: Key, piece: Piece) {
        self.bytes += piece.bytes.len();
        let before = self.held.insert(key, piece);
        debug_assert!(before.is_none(), "two pieces have one key");
    }

    fn replace(&mut self, from: Option<&Key>, to: Option<Key>) {
        if let Some(from) = from {
            let was_open = self.open.remove(from);
            debug_assert!(was_open, "an item was not open");
        }
        if let Some(to) = to {
            self.open.insert(to);
        }
    }

    /// Move what lies below the frontier from `held` to `ready`: as much as is worth a write, since there may be a lot
    /// behind a frontier that has moved far, and it is there twice while it is moved.
    fn make_ready(&mut self) {
        while self.ready.len() < HOLD_LEN
            && let Some(first) = self.held.first_entry()
            && self.open.first().is_none_or(|frontier| first.key() < frontier)
        {
            let piece = first.remove();
            let from = if mem::replace(&mut self.printed, true) { 0 } else { piece.separator_len };
            self.bytes -= from;
            self.ready.extend_from_slice(&piece.bytes[from..]);
        }
    }

    fn is_due<W: Write>(&self, out: &SharedOutput<W>) -> bool {
        self.ready.len() >= FLUSH_LEN
            || out.is_watched()
            || self.written.is_none_or(|at| at.elapsed() >= MAX_DELAY)
    }
}

#[cfg(test)]
mod tests;
