//! The order of results: which work is unfinished, and which output waits for it.
//!
//! ```text
//!   open   b        e     g          keys of items that are unfinished
//!   held      c  d     f       k     output of files that were finished early
//!          ▲ all output below the first open key is written: nothing can precede it any more
//! ```
//!
//! The first open key is the *frontier*. A worker advances the key of its own item when it hands
//! over output, and removes it when the item is done. The worker that moves the frontier past held
//! output makes that output ready, and writes it unless another worker is writing.
//!
//! If too much output is held, a worker that is not at the frontier has to wait for it. It may do
//! so where all workers take items in order ([`Waiting::Allowed`]): the item at the frontier is
//! then run by another worker, which never waits (`docs/decisions/0024-sorted-walks.md`). With
//! other queues, it may lie in the queue of the worker that would wait. There, a file that is not
//! at the frontier is deferred: stored as a path with an open key. So is a file that can be read
//! only once; no worker waits after that. The *second pass* searches these files in order, by all
//! workers, always near the frontier, and workers may wait there.

use std::{
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

use super::shared::SharedOutput;

mod state;

use state::LedgerState;
pub(crate) use state::{Deferred, Files, Key, OutputPiece, Waiting};

/// How many bytes of output may be held before files are deferred. Most results are smaller as a
/// whole: 200,000 matching lines in a kernel tree are 20 MB. The second pass is as fast as the
/// first.
const HELD_BYTES_LIMIT: usize = 64 << 20;
/// Bytes that one file may add before its search is abandoned and the file deferred. Files with
/// larger results are rare enough to be searched twice.
const FILE_LIMIT: usize = 8 << 20;
/// Files that a worker takes at a time if all files are known, as many as the smallest slice of a
/// directory has.
pub(crate) const FILES_PER_BATCH: usize = 16;

/// The order of results, shared by all workers.
#[derive(Default)]
pub(crate) struct Ledger {
    state: Mutex<LedgerState>,
    /// Notified whenever the state changes and a worker waits.
    moved: Condvar,
    /// Whether more bytes are held than the limit.
    full: AtomicBool,
    /// Whether output is held or ready.
    waiting: AtomicBool,
}

/// When output that is ready is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flush {
    /// When there is enough output, or it has waited long enough.
    WhenDue,
    /// Now.
    Now,
}

/// When a file may be searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// When it is at the frontier, or there is room to hold its output.
    Room,
    /// When it is at the frontier.
    Frontier,
}

/// The decision about a file with output that has grown large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Growth {
    /// The file is at the frontier and owns standard output until it ends.
    Stream {
        /// Whether nothing was printed before.
        first: bool,
    },
    /// The file's output may grow further.
    Continue,
    /// The file is to be deferred.
    TooLarge,
    /// The run has ended.
    Stopped,
}

impl Ledger {
    /// Returns a ledger in which every item of `seeds` is open.
    pub(crate) fn new(seeds: impl IntoIterator<Item = Key>, waiting: Waiting) -> Ledger {
        Ledger::with_limits(seeds, waiting, HELD_BYTES_LIMIT, FILE_LIMIT)
    }

    pub(crate) fn with_limits(
        seeds: impl IntoIterator<Item = Key>,
        waiting: Waiting,
        limit: usize,
        file_limit: usize,
    ) -> Ledger {
        let state = LedgerState::new(seeds.into_iter().collect(), waiting, limit, file_limit);
        Ledger { state: Mutex::new(state), ..Ledger::default() }
    }

    /// Whether files that are not at the frontier have to be deferred. A hint, without a lock.
    pub(crate) fn is_full(&self) -> bool {
        // Ordering: Relaxed; a late answer only makes the limit a little softer.
        self.full.load(Ordering::Relaxed)
    }

    /// Whether it is useful that a worker advances its key. A hint, without a lock.
    pub(crate) fn has_waiting(&self) -> bool {
        // Ordering: Relaxed, as above.
        self.waiting.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, LedgerState> {
        // No code below panics between two changes, so a poisoned state is consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&'s self, mut state: MutexGuard<'s, LedgerState>) -> MutexGuard<'s, LedgerState> {
        state.waiters += 1;
        state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.waiters -= 1;
        state
    }

    /// Opens the keys for items that are about to be spawned.
    pub(crate) fn open(&self, keys: &mut dyn Iterator<Item = &[u8]>) {
        let mut state = self.lock();
        for key in keys {
            let is_new = state.open.insert(key.to_vec());
            debug_assert!(is_new, "two items have one key");
        }
    }

    /// Takes `piece`, and advances the open key `from` to `to`, or removes it. The worker's
    /// `buffer` is empty; it gets the memory of another one if it has lost its own.
    pub(crate) fn settle<W: Write>(
        &self,
        out: &SharedOutput<W>,
        from: Option<&Key>,
        to: Option<Key>,
        piece: Option<(Key, OutputPiece)>,
        flush: Flush,
        buffer: &mut Vec<u8>,
    ) {
        let mut state = self.lock();
        if let Some((key, piece)) = piece {
            state.hold(key, piece);
        }
        state.replace(from, to);
        state = self.write_ready(state, out, flush);
        // The writer finishes in any case: it waits for nothing in here.
        while state.bytes > state.limit && state.writing && !state.broken {
            state = self.wait(state);
        }
        if buffer.capacity() == 0
            && let Some(spare) = state.spare.pop()
        {
            *buffer = spare;
        }
    }

    /// Defers a file: opens its key, and advances the open key `from` to `to` behind it.
    pub(crate) fn defer(&self, from: Option<&Key>, to: Key, key: Key, file: OwnedEntry) {
        let mut state = self.lock();
        state.replace(from, Some(to));
        state.open.insert(key.clone());
        state.deferred.push((key, file));
        self.publish(&state);
    }

    /// Whether the file with the open key `own` may be searched. Blocks until it may where workers
    /// may wait: in the second pass, and for room also before it. A run that has ended has room but
    /// no frontier: a file that must be at the frontier may block forever and is useless then.
    pub(crate) fn is_turn(&self, own: Option<&Key>, when: When) -> bool {
        let mut state = self.lock();
        loop {
            if state.open.first() == own {
                return true;
            }
            if state.broken || state.bytes <= state.limit && when == When::Room {
                return when == When::Room;
            }
            if state.next.is_none() && !(when == When::Room && state.may_wait()) {
                return false;
            }
            state = self.wait(state);
        }
    }

    /// Whether the item with the open key `own` is at the frontier.
    pub(crate) fn is_next(&self, own: Option<&Key>) -> bool {
        self.lock().open.first() == own
    }

    /// Decides about a file that has printed `len` bytes and goes on; `own` is its key, which is
    /// open. After [`Growth::Stream`], all preceding output has been written, and the caller writes
    /// until [`stop_streaming`](Ledger::stop_streaming). A file that is held `whole` is never too
    /// large.
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
                if !too_large || whole && !state.may_wait() {
                    return Growth::Continue;
                } else if !state.may_wait() {
                    return Growth::TooLarge;
                }
            }
            state = self.wait(state);
        }
    }

    /// Ends streaming a file, which [`grow`](Ledger::grow) began.
    pub(crate) fn stop_streaming(&self) {
        let mut state = self.lock();
        state.writing = false;
        state.written = Some(Instant::now());
        self.publish(&state);
    }

    /// Ends the run for a worker that abandons its item: the frontier will not move any more, so no
    /// worker may wait for it.
    pub(crate) fn break_off(&self, streams: bool) {
        let mut state = self.lock();
        state.broken = true;
        state.writing &= !streams;
        self.publish(&state);
    }

    /// Writes what is left, at the end.
    pub(crate) fn finish<W: Write>(&self, out: &SharedOutput<W>) {
        let state = self.lock();
        if !state.broken {
            debug_assert!(state.open.is_empty() && state.deferred.is_empty(), "work was left");
            drop(self.write_ready(state, out, Flush::Now));
        }
    }

    /// Removes and returns the deferred files, in order. Their keys are no longer open.
    pub(crate) fn take_deferred(&self) -> Deferred {
        let mut state = self.lock();
        let mut files = mem::take(&mut state.deferred);
        files.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        for (key, _) in &files {
            state.open.remove(key);
        }
        files
    }

    /// Begins the second pass, or the only one, over `files`. [`take`](Ledger::take) hands out
    /// `batch` files at a time. A batch makes one piece, so no held output may lie between its
    /// files. Output that is held already may belong behind all of them and must not block the
    /// workers: the limit is raised by a quarter.
    pub(crate) fn begin_pass(&self, files: &impl Files, batch: usize) {
        let mut state = self.lock();
        state.batch = batch;
        state.limit = state.limit.max(state.bytes + state.limit / 4);
        state.next = Some(0);
        state.open_file(files, 0);
        self.publish(&state);
    }

    /// Takes the next files to visit. The key of the first one is open.
    pub(crate) fn take(&self, files: &impl Files) -> Option<Range<usize>> {
        let mut state = self.lock();
        let start = state.next.filter(|&next| next < files.len())?;
        let end = files.len().min(start + state.batch);
        state.next = Some(end);
        state.open_file(files, end);
        Some(start..end)
    }

    /// Makes output below the frontier ready, and writes it if that is due and no worker is
    /// writing.
    fn write_ready<'s, W: Write>(
        &'s self,
        mut state: MutexGuard<'s, LedgerState>,
        out: &SharedOutput<W>,
        flush: Flush,
    ) -> MutexGuard<'s, LedgerState> {
        state.make_ready();
        while !state.writing
            && !state.ready.is_empty()
            && (flush == Flush::Now || state.is_due(out))
        {
            let batch = state.begin_write();
            drop(state);
            batch.iter().for_each(|bytes| out.write_piece(bytes));
            state = self.lock();
            // A failed write ends the run, and the worker may abandon its item.
            state.broken |= out.flow().is_break();
            state.end_write(batch);
            state.make_ready();
            self.publish(&state);
        }
        self.publish(&state);
        state
    }

    /// Updates the hints, and wakes workers that wait.
    fn publish(&self, state: &LedgerState) {
        // Ordering: Relaxed, see `is_full`.
        self.full.store(state.bytes > state.limit, Ordering::Relaxed);
        self.waiting.store(state.bytes > 0, Ordering::Relaxed);
        if state.waiters > 0 {
            self.moved.notify_all();
        }
    }
}

#[cfg(test)]
mod tests;
