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

    /// Appends `text`, a line or a part of one, whose copy in the buffer would take much memory.
    /// `Break` if the output is closed.
    ///
    /// # Errors
    /// If the text cannot be read.
    fn append_long(&mut self, text: LongText<'_>) -> io::Result<Flow> {
        text.append_from(self, 0)
    }

    /// Ends the output for the file begun by `begin_file`.
    fn end_file(&mut self) -> Flow;
}

/// Text that should not be copied into a buffer as a whole.
#[derive(Clone, Copy, Debug)]
pub enum LongText<'a> {
    /// Bytes in memory.
    Read(&'a [u8]),
    /// A line that has not been read.
    Unread(&'a UnreadLine<'a>),
}

impl LongText<'_> {
    /// Appends the text from the byte `at` on to the buffer of `output`. An unread line is read and
    /// committed part by part. `Break` if the output is closed.
    ///
    /// # Errors
    /// If the line cannot be read.
    pub fn append_from(self, output: &mut (impl Output + ?Sized), at: u64) -> io::Result<Flow> {
        match self {
            LongText::Read(bytes) => {
                output.buffer().extend_from_slice(&bytes[at as usize..]);
                Ok(ControlFlow::Continue(()))
            }
            LongText::Unread(line) => read_from(output, line, at),
        }
    }
}

/// Appends `line` from the byte `at` on to `output` and commits it, part by part.
fn read_from(
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
