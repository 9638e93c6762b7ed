//! One worker's end of output that is printed as it is found.

use std::{
    io::{self, Write},
    ops::ControlFlow,
    sync::MutexGuard,
    time::Instant,
};

use heist_printer::{LongText, Output};
use heist_searcher::{Flow, UnreadLine};

use super::shared::{
    FLUSH_LEN, FlushMode, HOLD_LEN, MAX_DELAY, MAX_LEN, SendFile, SharedOutput, SharedState,
};

/// One worker's output.
pub(crate) struct LocalOutput<'a, W: Write> {
    shared: &'a SharedOutput<W>,
    buffer: Vec<u8>,
    /// How long the separator at the beginning is, which is needed only if output precedes it.
    separator_len: usize,
    /// Whether this worker holds the writer for the rest of its file.
    keeps: bool,
    /// How long the buffer is when this worker next tries to hold the writer.
    hold_len: usize,
    /// When this worker last wrote.
    written: Option<Instant>,
    /// Whether a stream is being searched. What writes to it may wait until this worker reads on,
    /// so that the worker must not wait for one that searches another stream.
    searches_stream: bool,
}

impl<'a, W: Write> LocalOutput<'a, W> {
    /// An empty buffer in front of `shared`.
    pub(super) fn new(shared: &'a SharedOutput<W>) -> LocalOutput<'a, W> {
        LocalOutput {
            shared,
            buffer: Vec::new(),
            separator_len: 0,
            keeps: false,
            hold_len: HOLD_LEN,
            written: None,
            searches_stream: false,
        }
    }

    /// Sets whether a stream is being searched. Its results may take any amount of memory while
    /// another worker has the writer.
    pub(super) fn set_searches_stream(&mut self, is_stream: bool) {
        self.searches_stream = is_stream;
    }

    /// How long the buffer is.
    pub(crate) fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Removes what was appended to the buffer behind its first `len` bytes.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.buffer.truncate(len);
    }

    /// Writes the buffer. Blocks while another worker holds the writer.
    pub(crate) fn flush(&mut self) -> Flow {
        if !self.buffer.is_empty() {
            let shared = self.shared;
            let state = if self.keeps { shared.lock() } else { shared.lock_when_released() };
            self.write(state);
        }
        self.shared.flow()
    }

    /// Writes the buffer, unless another worker has the writer and the buffer still has room.
    pub(crate) fn try_flush(&mut self) -> Flow {
        self.try_flush_below(HOLD_LEN)
    }

    /// Writes the buffer, unless another worker has the writer and the buffer is shorter than
    /// `most`.
    fn try_flush_below(&mut self, most: usize) -> Flow {
        if self.keeps || self.must_write(most) {
            return self.flush();
        }
        if !self.buffer.is_empty()
            && let Some(state) = self.shared.lock_if_released()
        {
            self.write(state);
        }
        self.shared.flow()
    }

    /// Tries to write output that has waited long enough. To be called while nothing is found.
    pub(crate) fn tick(&mut self) -> Flow {
        let is_due = |at: Instant| at.elapsed() >= MAX_DELAY;
        if !self.buffer.is_empty() && self.written.is_none_or(is_due) {
            return self.try_flush();
        }
        self.shared.flow()
    }

    fn write(&mut self, mut state: MutexGuard<'a, SharedState<W>>) {
        let from = if state.printed { 0 } else { self.separator_len };
        state.write(&self.buffer[from..], &self.shared.failed);
        drop(state);
        self.buffer.clear();
        self.separator_len = 0;
        self.hold_len = HOLD_LEN;
        self.written = Some(Instant::now());
    }

    /// The buffer, for a record that is independent of others; [`record`](LocalOutput::record)
    /// completes it.
    pub(crate) fn unordered(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Completes a record, and writes the buffer if that is due.
    #[inline]
    pub(crate) fn record(&mut self) -> Flow {
        match self.shared.flush_mode {
            FlushMode::Block if self.buffer.len() < FLUSH_LEN => ControlFlow::Continue(()),
            FlushMode::Block => self.try_flush(),
            FlushMode::Line => self.flush(),
        }
    }

    /// Holds the writer for the rest of the file, unless no other worker writes.
    fn keep(&mut self) {
        if !self.shared.alone && !self.keeps {
            self.shared.lock_when_released().kept = true;
            self.keeps = true;
        }
    }

    /// Holds the writer as [`keep`](LocalOutput::keep) does, unless another worker has it and the
    /// buffer still has room: then false.
    fn try_keep(&mut self) -> bool {
        if self.keeps || self.shared.alone || self.must_write(MAX_LEN) {
            self.keep();
            return true;
        }
        if let Some(mut state) = self.shared.lock_if_released() {
            state.kept = true;
            self.keeps = true;
        } else {
            self.hold_len = self.buffer.len() + FLUSH_LEN;
        }
        self.keeps
    }

    /// Whether the buffer is to be written even if that blocks.
    fn must_write(&self, most: usize) -> bool {
        !self.searches_stream && (self.shared.prompt || self.buffer.len() >= most)
    }

    /// Whether the buffer is to be written in the middle of a file.
    fn is_due_within_file(&self) -> bool {
        let (len, is_free) = (self.buffer.len(), self.shared.alone || self.keeps);
        match self.shared.flush_mode {
            FlushMode::Line if is_free => true,
            FlushMode::Block if is_free => len >= FLUSH_LEN,
            _ => len >= self.hold_len,
        }
    }
}

impl<W: SendFile> LocalOutput<'_, W> {
    /// Flushes, and writes `bytes`: memory for a copy would cost more than to write them.
    fn write_long(&mut self, bytes: &[u8]) -> Flow {
        let fits = self.buffer.len() + bytes.len() < HOLD_LEN;
        if !self.shared.alone && !self.keeps && (fits || self.searches_stream) {
            self.buffer.extend_from_slice(bytes);
            return if fits { ControlFlow::Continue(()) } else { self.commit() };
        }
        self.keep();
        self.flush()?;
        self.shared.lock().write(bytes, &self.shared.failed);
        self.written = Some(Instant::now());
        self.shared.flow()
    }

    /// Flushes, and lets the system copy `line` from its file to the output. What it cannot copy
    /// goes through the buffer.
    fn send(&mut self, line: &UnreadLine<'_>) -> io::Result<Flow> {
        let mut sent = 0;
        if let Some((file, start)) = line.in_file() {
            self.keep();
            if self.flush().is_break() {
                return Ok(ControlFlow::Break(()));
            }
            sent = self.shared.lock().send_file(file, start, line.len);
        }
        LongText::Unread(line).append_from(self, sent)
    }
}

impl<W: SendFile> Output for LocalOutput<'_, W> {
    fn begin_file(&mut self, separator: &[u8]) {
        if self.buffer.is_empty() {
            self.separator_len = separator.len();
        }
        self.buffer.extend_from_slice(separator);
    }

    fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    fn commit(&mut self) -> Flow {
        if !self.is_due_within_file() {
            return ControlFlow::Continue(());
        }
        if self.try_keep() { self.flush() } else { self.shared.flow() }
    }

    fn append_long(&mut self, text: LongText<'_>) -> io::Result<Flow> {
        match text {
            LongText::Read(bytes) => Ok(self.write_long(bytes)),
            LongText::Unread(line) => self.send(line),
        }
    }

    fn end_file(&mut self) -> Flow {
        if self.keeps {
            let flow = self.flush();
            self.keeps = false;
            self.shared.release();
            return flow;
        }
        match self.shared.flush_mode {
            FlushMode::Block if self.buffer.len() < FLUSH_LEN => self.tick(),
            FlushMode::Line | FlushMode::Block => self.try_flush_below(MAX_LEN),
        }
    }
}

/// After a panic or an early end, the buffer still holds results.
impl<W: Write> Drop for LocalOutput<'_, W> {
    fn drop(&mut self) {
        let _ = self.flush();
        if self.keeps {
            self.shared.release();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A writer that accepts `room` bytes and then fails.
    struct Disk {
        room: usize,
        written: Vec<u8>,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.written.len() + bytes.len() > self.room {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.written.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl SendFile for Disk {}

    fn shared(room: usize, flush_mode: FlushMode, alone: bool) -> SharedOutput<Disk> {
        SharedOutput::new(Disk { room, written: Vec::new() }, flush_mode, alone)
    }

    fn print_file(local: &mut LocalOutput<'_, Disk>, lines: &[&[u8]]) -> Flow {
        local.begin_file(b"--\n");
        for line in lines {
            local.buffer().extend_from_slice(line);
            local.commit()?;
        }
        local.end_file()
    }

    fn written(shared: &SharedOutput<Disk>) -> Vec<u8> {
        shared.lock().writer.written.clone()
    }

    const GO: Flow = ControlFlow::Continue(());
    const STOP: Flow = ControlFlow::Break(());

    #[test]
    fn a_separator_stands_between_files_of_different_workers() {
        let shared = shared(100, FlushMode::Line, false);
        let (mut one, mut two) = (LocalOutput::new(&shared), LocalOutput::new(&shared));
        assert_eq!(print_file(&mut one, &[b"a\n"]), GO);
        assert_eq!(print_file(&mut two, &[b"b\n"]), GO);
        assert_eq!(print_file(&mut one, &[b"c\n"]), GO);
        assert_eq!(written(&shared), b"a\n--\nb\n--\nc\n");
    }

    #[test]
    fn a_failed_write_stops_every_worker() {
        for flush_mode in [FlushMode::Line, FlushMode::Block] {
            let shared = shared(0, flush_mode, false);
            let (mut one, mut two) = (LocalOutput::new(&shared), LocalOutput::new(&shared));
            assert_eq!(two.tick(), GO);
            assert_eq!(print_file(&mut one, &[b"a\n"]), STOP, "the first write fails");
            assert_eq!((one.tick(), one.try_flush()), (STOP, STOP));
            assert_eq!((two.tick(), two.try_flush()), (STOP, STOP));
            drop((one, two));
            let failure = shared.into_failure().map(|e| e.kind());
            assert_eq!(failure, Some(io::ErrorKind::StorageFull));
        }
    }

    #[test]
    fn other_workers_continue_while_one_holds_the_writer() {
        let shared = shared(usize::MAX, FlushMode::Block, false);
        let (mut keeper, mut other) = (LocalOutput::new(&shared), LocalOutput::new(&shared));
        let long = vec![b'x'; HOLD_LEN];
        keeper.begin_file(b"");
        keeper.buffer().extend_from_slice(&long);
        assert_eq!(keeper.commit(), GO);
        assert_eq!(written(&shared).len(), HOLD_LEN);
        assert_eq!(print_file(&mut other, &[b"late\n"]), GO, "it does not block");
        assert_eq!(other.try_flush(), GO, "this does not block either");
        assert_eq!(written(&shared).len(), HOLD_LEN);
        let lines = [&long[..], b"\n", &long, b"\n"];
        assert_eq!(print_file(&mut other, &lines), GO, "nor does a long file");
        assert_eq!(written(&shared).len(), HOLD_LEN);
        keeper.buffer().extend_from_slice(b"end\n");
        assert_eq!(keeper.end_file(), GO);
        assert_eq!(other.try_flush(), GO);
        let expected = [&long, &b"end\n--\nlate\n--\n"[..], &lines.concat()].concat();
        assert!(written(&shared) == expected);
    }

    #[test]
    fn long_bytes_are_written_after_what_is_in_the_buffer() {
        let long = b"x".repeat(HOLD_LEN);
        for (flush_mode, alone) in [(FlushMode::Line, true), (FlushMode::Block, false)] {
            let shared = shared(usize::MAX, flush_mode, alone);
            let (mut local, mut other) = (LocalOutput::new(&shared), LocalOutput::new(&shared));
            local.begin_file(b"--\n");
            local.buffer().extend_from_slice(b"1:");
            assert_eq!(local.write_long(&long), GO);
            assert_eq!(
                written(&shared),
                [b"1:", &long[..]].concat(),
                "there is no output before it"
            );
            assert_eq!(local.buffer().len(), 0);
            if !alone {
                assert_eq!(print_file(&mut other, &[b"late\n"]), GO);
            }
            local.buffer().extend_from_slice(b"\n");
            assert_eq!((local.commit(), local.end_file()), (GO, GO));
            drop((local, other));
            let late: &[u8] = if alone { b"" } else { b"--\nlate\n" };
            assert_eq!(written(&shared), [b"1:", &long[..], b"\n", late].concat());
        }
        let others = shared(usize::MAX, FlushMode::Block, false);
        let mut local = LocalOutput::new(&others);
        assert_eq!(local.write_long(b"short enough to wait"), GO);
        assert_eq!(written(&others), b"", "other workers may write meanwhile");
        drop(local);
        let closed = shared(0, FlushMode::Block, true);
        assert_eq!(LocalOutput::new(&closed).write_long(b"long"), STOP);
    }

    #[test]
    fn a_dropped_worker_writes_its_buffer() {
        let shared = shared(100, FlushMode::Block, true);
        let mut local = LocalOutput::new(&shared);
        local.unordered().extend_from_slice(b"path\n");
        assert_eq!(local.record(), GO);
        assert_eq!(written(&shared), b"");
        drop(local);
        assert_eq!(written(&shared), b"path\n");
    }

    #[test]
    fn lines_are_written_one_by_one_in_line_mode() {
        let shared = shared(100, FlushMode::Line, true);
        let mut local = LocalOutput::new(&shared);
        local.begin_file(b"");
        local.buffer().extend_from_slice(b"1\n");
        assert_eq!(local.commit(), GO);
        assert_eq!(written(&shared), b"1\n");
        local.unordered().extend_from_slice(b"2\n");
        assert_eq!(local.record(), GO);
        assert_eq!(written(&shared), b"1\n2\n");
    }
}
