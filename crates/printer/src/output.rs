//! Where printed bytes go. A printer fills a buffer; its owner decides when it is written.

use std::{io, ops::ControlFlow};

use heist_searcher::{Flow, UnreadLine};

/// How many bytes of a long line are read at once.
const PART_BYTES: u64 = 128 << 10;

/// A growing buffer and its owner.
///
/// The bytes of one file lie between [`begin_file`](Output::begin_file) and
/// [`end_file`](Output::end_file), and the owner keeps them together. `Vec<u8>` is an output that
/// collects everything.
pub trait Output {
    /// Begins a file's output. `separator` must precede it if any worker printed anything before in
    /// this run.
    fn begin_file(&mut self, separator: &[u8]);

    /// The buffer to append to.
    fn buffer(&mut self) -> &mut Vec<u8>;

    /// The buffer ends with a whole line, or with a part of one that is appended in parts, so that
    /// its owner may write it. `Break` if the output is closed.
    fn commit(&mut self) -> Flow;

    /// Appends `bytes`, a part of a line that is too long to be copied. `Break` if the output is
    /// closed.
    fn append_long(&mut self, bytes: &[u8]) -> Flow {
        self.buffer().extend_from_slice(bytes);
        ControlFlow::Continue(())
    }

    /// Appends `line` as a whole and commits it, part by part. `Break` if the output is closed.
    ///
    /// # Errors
    /// If the line cannot be read.
    fn append_unread(&mut self, line: &UnreadLine<'_>) -> io::Result<Flow> {
        append_from(self, line, 0)
    }

    /// Ends the output for the file begun by `begin_file`.
    fn end_file(&mut self) -> Flow;

    /// Begins a haystack. Returns whether each result in it has to be [admitted](Output::admit).
    fn begin_haystack(&mut self) -> bool {
        false
    }

    /// Decides about the next result: a matching line with its context, or the only line about a
    /// file. The decision about a matching line comes before the context in front of it.
    fn admit(&mut self) -> Admission {
        Admission::Print
    }

    /// The matching line of the admitted result follows. Up to its first
    /// [`commit`](Output::commit) the result can be [withdrawn](Output::take_withdrawn).
    fn begin_match(&mut self) {}

    /// Whether the result admitted last has been removed from the buffer again, because it did not
    /// fit. Returns `true` once.
    fn take_withdrawn(&mut self) -> bool {
        false
    }

    /// Whether results need only be counted, because no more will be admitted.
    fn only_counts(&self) -> bool {
        false
    }

    /// Notes results that have been counted and are not printed.
    fn count(&mut self, results: u64) {
        let _ = results;
    }
}

/// The decision about a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Admission {
    /// The result is printed.
    #[default]
    Print,
    /// The result is left out, and the search continues.
    Omit,
    /// The result is left out, and the file is searched no further.
    Stop,
}

/// Appends `line` from the byte `at` on to `output` and commits it, part by part. `Break` if the
/// output is closed.
///
/// # Errors
/// If the line cannot be read.
pub fn append_from(
    output: &mut (impl Output + ?Sized),
    line: &UnreadLine<'_>,
    mut at: u64,
) -> io::Result<Flow> {
    while at < line.len {
        let buffer = output.buffer();
        let (len, more) = (buffer.len(), PART_BYTES.min(line.len - at));
        buffer.resize(len + more as usize, 0);
        if let Err(error) = line.read_at(&mut buffer[len..], at) {
            buffer.truncate(len);
            return Err(error);
        }
        at += more;
        if output.commit().is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

impl Output for Vec<u8> {
    fn begin_file(&mut self, separator: &[u8]) {
        if !self.is_empty() {
            self.extend_from_slice(separator);
        }
    }

    fn buffer(&mut self) -> &mut Vec<u8> {
        self
    }

    fn commit(&mut self) -> Flow {
        Flow::Continue(())
    }

    fn end_file(&mut self) -> Flow {
        Flow::Continue(())
    }
}
