//! The bytes of one haystack become lines, matches and context, emitted to a [`Sink`] one event at a time.
//!
//! - `config`: what is asked for.
//! - `sink`: what is emitted, and to whom.
//! - `searcher`: how a haystack is read; picks one of the ways below.
//! - `slice`: a haystack that lies in memory as a whole, with its short cut for "nothing here".
//! - `blocks`: a haystack that is read block by block.
//! - `chunks`: a large file, cut so that several workers can search it at once.
//! - `stream`: a pipe, searched by several workers when much comes from it.
//! - `multiline`: a haystack whose matches may span lines, in memory as a whole or chunk by chunk.
//! - `mapped`: a reader of files through a memory map, which survives their becoming shorter.
//! - `line_buffer`: the buffer it passes through, and what NUL bytes do to it.
//! - `aligned`: buffers that the kernel copies into fast.
//! - `source`: readers that stand between the caller's and the line buffer.
//! - `decode`: byte order marks and encodings.
//! - `line_search`: which lines of a block are emitted, in which order; the only place that knows context.
//! - `matching`: which lines of a block match.
//! - `numbers`: the numbers of lines.
//! - `lines`: where lines begin and end.
//!
//! The crate never opens anything and never decides how a result looks.

mod aligned;
mod block_search;
mod config;
mod decode;
mod line_buffer;
mod line_numbers;
mod line_search;
mod lines;
mod matching;
mod mmap;
mod multiline;
mod parallel;
mod searcher;
mod sink;
pub mod sinks;
mod slice_search;
mod source;
#[cfg(test)]
mod tests;

pub use config::{BinaryPolicy, Encoding, SearchConfig};
pub use mmap::MappedFile;
pub use parallel::{ChunkHelpers, Chunks, FileRead, LARGE, NoHelpers, ReadAt, Stream};
pub use searcher::Searcher;
pub use sink::{Finish, Flow, Line, LineKind, MatchBlock, Sink};
pub use source::{End, Source};
