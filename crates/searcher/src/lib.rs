//! The bytes of one haystack become lines, matches and context, told to a [`Sink`] one event at a time.
//!
//! - `config`: what is asked for.
//! - `sink`: what is told, and to whom.
//! - `searcher`: how a haystack is read; picks one of the ways below.
//! - `slice`: a haystack that lies in memory as a whole, with its short cut for "nothing here".
//! - `blocks`: a haystack that is read block by block.
//! - `chunks`: a large file, cut so that several workers can search it at once.
//! - `stream`: a pipe, searched by several workers when much comes from it.
//! - `multiline`: a haystack whose matches may span lines, in memory as a whole or chunk by chunk.
//! - `mapped`: a reader of files through a memory map, which survives their becoming shorter.
//! - `rolling`: the buffer it passes through, and what NUL bytes do to it.
//! - `aligned`: buffers that the kernel copies into fast.
//! - `source`: readers that stand between the caller's and the rolling buffer.
//! - `decode`: byte order marks and encodings.
//! - `line_search`: which lines of a block are told, in which order; the only place that knows context.
//! - `matching`: which lines of a block match.
//! - `numbers`: the numbers of lines.
//! - `lines`: where lines begin and end.
//!
//! The crate never opens anything and never decides how a result looks.

mod aligned;
mod blocks;
mod chunks;
mod config;
mod decode;
mod line_search;
mod lines;
mod mapped;
mod matching;
mod multiline;
mod numbers;
mod rolling;
mod searcher;
mod sink;
mod slice;
mod source;
mod stream;
#[cfg(test)]
mod tests;

pub use chunks::{Chunks, FileRead, Helpers, LARGE, ReadAt, Stream};
pub use config::{BinaryPolicy, Config, Encoding};
pub use mapped::MappedFile;
pub use searcher::Searcher;
pub use sink::{Block, Finish, Flow, Line, LineKind, Sink};
pub use source::{End, Source};
