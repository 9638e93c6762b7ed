//! One worker's sorted output: a buffer, handed to the ledger piece by piece.

use std::{io::Write, ops::ControlFlow, time::Instant};

use heist_printer::Output;
use heist_searcher::Flow;
use heist_walk::{Entry, OwnedEntry};

use super::ledger::{Flush, Growth, Key, Ledger, OutputPiece, When};
use super::shared::{FLUSH_LEN, HOLD_LEN, MAX_DELAY, SharedOutput};

/// Whether a file may be searched again after its search was abandoned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// The file may be searched twice: the result will be the same.
    Free,
    /// The file should not be searched twice: a command runs for it, which may have side effects.
    Unwanted,
    /// The file cannot be searched twice: a pipe can be read only once, and opening it again may
    /// block forever.
    Impossible,
}

/// One worker's output.
///
/// The worker visits an item's files in order, so their output is adjacent and makes one piece. If
/// a file's output grows large, the file either owns standard output, if it is at the frontier, or
/// is deferred.
pub(crate) struct SortedOutput<'a, W: Write> {
    shared: &'a SharedOutput<W>,
    ledger: &'a Ledger,
    /// The open key, which stands for the rest of the current item.
    own: Option<Key>,
    /// The current file's key.
    key: Key,
    buffer: Vec<u8>,
    /// The key that the first file in the buffer has.
    first: Key,
    /// How long the separator at the beginning is, which is needed only if output precedes it.
    separator_len: usize,
    /// Where the current file's output begins in the buffer.
    file_at: usize,
    /// How long the separator there is.
    file_separator_len: usize,
    /// How long the buffer is when the ledger decides about the file.
    room: usize,
    /// Whether the current file owns standard output.
    streams: bool,
    /// When this worker last checked whether the current file is at the frontier.
    checked: Option<Instant>,
    /// Whether searching the current file must not be abandoned.
    holds: bool,
    /// Whether the current file is to be deferred.
    abandoned: bool,
    /// The file that was deferred last; the next one may share its directory's path.
    last_deferred: Option<OwnedEntry>,
    /// When this worker last advanced its key.
    advanced: Instant,
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
            checked: None,
            holds: false,
            abandoned: false,
            last_deferred: None,
            advanced: Instant::now(),
        }
    }

    /// Begins the item with this key, which is open.
    pub(crate) fn begin(&mut self, key: &[u8]) {
        self.own = Some(key.to_vec());
        self.key.clear();
        self.key.extend_from_slice(key);
    }

    /// Opens the keys for items that are about to be spawned.
    pub(crate) fn spawn(&mut self, keys: &mut dyn Iterator<Item = &[u8]>) {
        self.ledger.open(keys);
    }

    /// Ends the current item.
    pub(crate) fn end(&mut self) {
        self.settle(None, Flush::WhenDue);
    }

    /// Begins `file`. `Break` if the file has been deferred and must not be searched now.
    ///
    /// A file that can be read only once begins at the frontier, where its search is never
    /// abandoned and its output need not be held. Otherwise two workers that read one pipe could
    /// deadlock: one at the frontier without the pipe, one with the pipe behind it. Files that
    /// commands run for are held whole instead: deferring all of them would cost the time of the
    /// walk, and their results are rarely large.
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
                self.defer(file);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// Ends `file`. `Break` if its search was abandoned and the file deferred, so that its result
    /// must not count.
    pub(crate) fn leave(&mut self, file: &Entry<'_>) -> Flow {
        if std::mem::take(&mut self.abandoned) {
            self.buffer.truncate(self.file_at);
            self.defer(file);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// Defers the current file. Nothing about it is in the buffer.
    fn defer(&mut self, file: &Entry<'_>) {
        let stored = file.to_owned_entry(self.last_deferred.as_ref());
        let to = after(&self.key);
        let from = self.own.replace(to.clone());
        self.ledger.defer(from.as_ref(), to, self.key.clone(), stored.clone());
        self.last_deferred = Some(stored);
    }

    /// Hands over the buffer, and advances the open key to `to`, or removes it.
    fn settle(&mut self, to: Option<Key>, flush: Flush) {
        let piece = (!self.buffer.is_empty()).then(|| {
            let piece =
                OutputPiece { bytes: self.take_buffer(), separator_len: self.separator_len };
            (std::mem::take(&mut self.first), piece)
        });
        let from = std::mem::replace(&mut self.own, to.clone());
        let buffer = &mut self.buffer;
        buffer.clear();
        self.ledger.settle(self.shared, from.as_ref(), to, piece, flush, buffer);
        self.clear();
        self.advanced = Instant::now();
    }

    /// Removes what the buffer contains, which takes the buffer's memory with it if it fills most
    /// of that: copying it costs more than another buffer, but memory that is empty must not be
    /// held.
    fn take_buffer(&mut self) -> Vec<u8> {
        if self.buffer.len() > self.buffer.capacity() / 2 {
            return std::mem::take(&mut self.buffer);
        }
        self.buffer.as_slice().to_vec()
    }

    fn clear(&mut self) {
        if self.buffer.capacity() > HOLD_LEN {
            self.buffer = Vec::new();
        }
        self.buffer.clear();
        self.separator_len = 0;
        self.file_at = 0;
    }

    /// Advances this worker's key if output may be waiting for it.
    pub(crate) fn tick(&mut self) -> Flow {
        if self.own.is_some()
            && (!self.buffer.is_empty() || self.ledger.has_waiting())
            && self.advanced.elapsed() >= MAX_DELAY
        {
            self.settle(Some(after(&self.key)), Flush::WhenDue);
        }
        self.shared.flow()
    }

    /// Writes what can be written, before an operation that may take long.
    pub(crate) fn try_flush(&mut self) -> Flow {
        // The current file may be still to come, or deferred.
        let to = self.own.as_ref().map(|own| own.max(&self.key).clone());
        self.settle(to, Flush::Now);
        self.shared.flow()
    }

    /// The buffer, for the record of `file`; [`record`](SortedOutput::record) completes it.
    pub(crate) fn unordered(&mut self, file: &Entry<'_>) -> &mut Vec<u8> {
        if self.buffer.is_empty() {
            file.key_into(&mut self.first);
        }
        &mut self.buffer
    }

    /// Completes the record of `file`.
    #[inline]
    pub(crate) fn record(&mut self, file: &Entry<'_>) -> Flow {
        if self.buffer.len() < FLUSH_LEN && !self.shared.is_watched() {
            return ControlFlow::Continue(());
        }
        file.key_into(&mut self.key);
        self.settle(Some(after(&self.key)), Flush::WhenDue);
        self.shared.flow()
    }

    /// Handles a file that has filled its room, or is at the frontier of a terminal. The files
    /// before it are handed over, so that it is alone in the buffer.
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
                self.abandoned = true;
                ControlFlow::Break(())
            }
            Growth::Stopped => ControlFlow::Break(()),
        }
    }

    /// Whether output is flushed by line and the current file is at the frontier, so that its lines
    /// need not wait for its end. Checked for its first line, then every [`MAX_DELAY`].
    fn streams_lines(&mut self) -> bool {
        if !self.shared.is_watched() || self.checked.is_some_and(|at| at.elapsed() < MAX_DELAY) {
            return false;
        }
        self.checked = Some(Instant::now());
        self.ledger.is_next(self.own.as_ref())
    }

    /// Writes the buffer from `from` on. This worker owns standard output.
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
        self.checked = None;
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
        if self.abandoned {
            return ControlFlow::Break(());
        }
        if self.buffer.len() >= self.room || self.streams_lines() {
            return self.outgrow();
        }
        ControlFlow::Continue(())
    }

    fn end_file(&mut self) -> Flow {
        if self.abandoned {
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

/// A worker that is dropped before its item is done leaves a gap; no output may be written behind
/// it.
impl<W: Write> Drop for SortedOutput<'_, W> {
    fn drop(&mut self) {
        if self.own.is_some() {
            self.ledger.break_off(self.streams);
        }
    }
}
