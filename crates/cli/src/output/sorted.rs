//! One worker's end of sorted output: a buffer of its own, handed to the ledger piece by piece.

use std::{io::Write, ops::ControlFlow, time::Instant};

use heist_printer::Output;
use heist_searcher::Flow;
use heist_walk::{Entry, OwnedEntry};

use super::ledger::{Flush, Growth, Key, Ledger, Piece, When};
use super::shared::{FLUSH_LEN, HOLD_LEN, MAX_DELAY, SharedOutput};

/// Whether a file may be searched a second time, after a search that was given up in the middle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// It may: it will be the same.
    Free,
    /// It had better not: a command runs for it, and nobody knows what that does besides printing.
    Unwanted,
    /// It cannot: what has been read of a pipe is gone, and opening it again may wait forever.
    Impossible,
}

/// One worker's output.
///
/// The worker goes through the files of one item in order, so that what they print belongs side by side and makes one
/// piece. A file whose output grows large either gets standard output for itself, if it is its turn, or is put off.
pub(crate) struct SortedOutput<'a, W: Write> {
    shared: &'a SharedOutput<W>,
    ledger: &'a Ledger,
    /// The open key that stands for what is left of the item at hand.
    own: Option<Key>,
    /// The key of the file at hand.
    key: Key,
    buffer: Vec<u8>,
    /// The key of the first file in the buffer.
    first: Key,
    /// The first bytes of the buffer are a separator, needed only if something was printed before.
    separator_len: usize,
    /// Where the output of the file at hand begins in the buffer.
    file_at: usize,
    /// How many of the bytes from there on are a separator.
    file_separator_len: usize,
    /// How large the buffer may grow until somebody asks what is to become of it.
    room: usize,
    /// Standard output belongs to the file at hand.
    streams: bool,
    /// When this worker last asked for that because somebody watches.
    asked: Option<Instant>,
    /// The file at hand is not to be given up in the middle.
    holds: bool,
    /// The file at hand is to be put off.
    gave_up: bool,
    /// The file that was put off last, for its directory's path.
    put_off: Option<OwnedEntry>,
    /// When this worker last told how far it is.
    told: Instant,
}

impl<'a, W: Write> SortedOutput<'a, W> {
    pub(crate) fn new(shared: &'a SharedOutput<W>, ledger: &'a Ledger) -> SortedOutput<'a, W> {
        SortedOutput {
            shared,
            ledger,
            own: None,
            key: Key::new(),
            buffer: Vec::new(),
            first: Key::new(),
            separator_len: 0,
            file_at: 0,
            file_separator_len: 0,
            room: HOLD_LEN,
            streams: false,
            asked: None,
            holds: false,
            gave_up: false,
            put_off: None,
            told: Instant::now(),
        }
    }

    /// An item with this key, which is open, is begun.
    pub(crate) fn begin(&mut self, key: &[u8]) {
        self.own = Some(key.to_vec());
        self.key.clear();
        self.key.extend_from_slice(key);
    }

    /// Items with these keys are about to exist.
    pub(crate) fn spawn(&mut self, keys: &mut dyn Iterator<Item = &[u8]>) {
        self.ledger.open(keys);
    }

    /// The item is done.
    pub(crate) fn end(&mut self) {
        self.settle(None, Flush::WhenDue);
    }

    /// The file at hand is this one. `Break`: it has been put off, and must not be searched now.
    ///
    /// What cannot be searched twice is begun only when it is at the frontier, where it is never given up and need not be
    /// held, however long it is. Two workers that read one pipe would wait for each other besides, if the one behind
    /// had the pipe and the other had the frontier. Files that commands run for are held whole instead: putting them all
    /// off would cost the time of the walk, and their results are hardly ever large.
    pub(crate) fn enter(&mut self, file: &Entry<'_>, repeat: Repeat) -> Flow {
        file.key_into(&mut self.key);
        self.holds = repeat != Repeat::Free;
        let when = match repeat {
            Repeat::Impossible => Some(When::Frontier),
            Repeat::Free | Repeat::Unwanted => self.ledger.is_full().then_some(When::Room),
        };
        if let Some(when) = when {
            self.settle(Some(self.key.clone()), Flush::WhenDue);
            if !self.ledger.is_turn(self.own.as_ref(), when) {
                self.put_off(file);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// The search of the file at hand, `file`, is over. `Break`: it was given up on the way and has been put off, so
    /// that nothing that was learned of it counts.
    pub(crate) fn leave(&mut self, file: &Entry<'_>) -> Flow {
        if std::mem::take(&mut self.gave_up) {
            self.buffer.truncate(self.file_at);
            self.put_off(file);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// Keep the file at hand, of which nothing is in the buffer, for later.
    fn put_off(&mut self, file: &Entry<'_>) {
        let stored = file.to_owned_entry(self.put_off.as_ref());
        let to = after(&self.key);
        let from = self.own.replace(to.clone());
        self.ledger.put_off(from.as_ref(), to, self.key.clone(), stored.clone());
        self.put_off = Some(stored);
    }

    /// Hand over the buffer, and move the own key to `to`, or away.
    fn settle(&mut self, to: Option<Key>, flush: Flush) {
        let piece = (!self.buffer.is_empty()).then(|| {
            let bytes = self.buffer.as_slice().into();
            (std::mem::take(&mut self.first), Piece { bytes, separator_len: self.separator_len })
        });
        let from = std::mem::replace(&mut self.own, to.clone());
        self.ledger.settle(self.shared, from.as_ref(), to, piece, flush);
        self.clear();
        self.told = Instant::now();
    }

    fn clear(&mut self) {
        if self.buffer.capacity() > HOLD_LEN {
            self.buffer = Vec::new();
        }
        self.buffer.clear();
        self.separator_len = 0;
        self.file_at = 0;
    }

    /// Tell how far this worker is, if somebody may be waiting for it.
    pub(crate) fn tick(&mut self) -> Flow {
        if self.own.is_some()
            && (!self.buffer.is_empty() || self.ledger.has_waiting())
            && self.told.elapsed() >= MAX_DELAY
        {
            self.settle(Some(after(&self.key)), Flush::WhenDue);
        }
        self.shared.flow()
    }

    /// Write what can be written, before something that may take long.
    pub(crate) fn try_flush(&mut self) -> Flow {
        // The file at hand may be still to come, or have been put off.
        let to = self.own.as_ref().map(|own| own.max(&self.key).clone());
        self.settle(to, Flush::Now);
        self.shared.flow()
    }

    /// The buffer, for the record of `file`, which is complete when [`record`](SortedOutput::record) is called.
    pub(crate) fn unordered(&mut self, file: &Entry<'_>) -> &mut Vec<u8> {
        if self.buffer.is_empty() {
            file.key_into(&mut self.first);
        }
        &mut self.buffer
    }

    /// The record of `file` is complete.
    #[inline]
    pub(crate) fn record(&mut self, file: &Entry<'_>) -> Flow {
        if self.buffer.len() < FLUSH_LEN && !self.shared.is_watched() {
            return ControlFlow::Continue(());
        }
        file.key_into(&mut self.key);
        self.settle(Some(after(&self.key)), Flush::WhenDue);
        self.shared.flow()
    }

    /// The file at hand has filled what room there was, or is awaited. Files before it are handed over, so that it is
    /// alone in the buffer.
    #[cold]
    fn outgrow(&mut self) -> Flow {
        let rest = self.buffer.split_off(self.file_at);
        self.settle(Some(self.key.clone()), Flush::WhenDue);
        self.buffer = rest;
        match self.ledger.grow(self.shared, self.own.as_ref(), self.buffer.len(), self.holds) {
            Growth::Stream { first } => {
                self.streams = true;
                self.write_through(if first { self.file_separator_len } else { 0 })
            }
            Growth::Continue => {
                self.first.clone_from(&self.key);
                self.separator_len = self.file_separator_len;
                self.room = self.buffer.len() + HOLD_LEN;
                self.shared.flow()
            }
            Growth::TooLarge => {
                self.gave_up = true;
                ControlFlow::Break(())
            }
            Growth::Stopped => ControlFlow::Break(()),
        }
    }

    /// Whether somebody watches and the file at hand is what comes next, so that its lines need not wait for its end. Asked
    /// for the first of them, and now and then.
    fn is_awaited(&mut self) -> bool {
        if !self.shared.is_watched() || self.asked.is_some_and(|at| at.elapsed() < MAX_DELAY) {
            return false;
        }
        self.asked = Some(Instant::now());
        self.ledger.is_next(self.own.as_ref())
    }

    /// Write the buffer but for its first bytes. Standard output is this worker's own.
    fn write_through(&mut self, from: usize) -> Flow {
        self.shared.write_piece(&self.buffer[from..]);
        self.clear();
        let flow = self.shared.flow();
        if flow.is_break() {
            self.ledger.break_off(self.streams);
        }
        flow
    }
}

/// The smallest key that belongs behind `key`.
fn after(key: &Key) -> Key {
    let mut after = Key::with_capacity(key.len() + 1);
    after.extend_from_slice(key);
    after.push(0);
    after
}

impl<W: Write> Output for SortedOutput<'_, W> {
    fn begin_file(&mut self, separator: &[u8]) {
        if self.buffer.is_empty() {
            self.separator_len = separator.len();
            self.first.clone_from(&self.key);
        }
        self.file_at = self.buffer.len();
        self.file_separator_len = separator.len();
        self.room = self.file_at + HOLD_LEN;
        self.asked = None;
        self.buffer.extend_from_slice(separator);
    }

    fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    fn commit(&mut self) -> Flow {
        if self.streams {
            let is_due = self.buffer.len() >= FLUSH_LEN || self.shared.is_watched();
            return if is_due { self.write_through(0) } else { ControlFlow::Continue(()) };
        }
        if self.gave_up {
            return ControlFlow::Break(());
        }
        if self.buffer.len() >= self.room || self.is_awaited() {
            return self.outgrow();
        }
        ControlFlow::Continue(())
    }

    fn end_file(&mut self) -> Flow {
        if self.gave_up {
            return ControlFlow::Break(());
        }
        if self.streams {
            let _ = self.write_through(0);
            self.streams = false;
            self.ledger.stop_streaming();
        } else if self.buffer.len() < FLUSH_LEN && !self.shared.is_watched() {
            return self.tick();
        }
        self.settle(Some(after(&self.key)), Flush::WhenDue);
        self.shared.flow()
    }
}

/// A worker that goes before its item is done leaves a gap that nothing may be written behind.
impl<W: Write> Drop for SortedOutput<'_, W> {
    fn drop(&mut self) {
        if self.own.is_some() {
            self.ledger.break_off(self.streams);
        }
    }
}
