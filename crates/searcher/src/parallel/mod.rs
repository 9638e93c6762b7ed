//! Searches one large haystack with several workers. The worker that owns the haystack emits what
//! all of them find, in order.
//!
//! ```text
//! owner:    claim 0, search ─ claim 2, search ─ emit 0 ─ claim 4, search ─ emit 1, emit 2 ─ …
//! helpers:  claim 1, search ─ claim 3, search ─ …          no chunk left to claim: leave
//! ```
//!
//! The file is cut into *chunks* of equal size. A chunk owns the lines that begin in it; its worker
//! reads on to the end of the last one. So chunks can be searched in any order and independently
//! (`chunk`), and the owner passes what was found, in order, through the same
//! [`LineSearch`](crate::line_search::LineSearch) that searches a file block by block (`emit`).
//! Only that code handles context, limits, line numbers and every way to print.
//!
//! Chunks cannot reproduce the effect of NUL bytes, which depends on the blocks in which a file is
//! read from its start (see `line_buffer`), and lines longer than a chunk are not worth it. Where
//! either appears, the owner gives up: it searches the file block by block and skips as many events
//! as it has already emitted ([`Replay`](crate::replay::Replay)). These are the same, because a
//! chunk is emitted only when the next one is known to be harmless too, and a block never reaches
//! further than a chunk (see [`Layout::stride`]).
//!
//! Where lines are too long for that, the chunks are [summarized](summary): which lines match is
//! found out from the parts of each (`line_test`), and the owner reads those that it emits again,
//! or emits them unread (`emit_summaries`).
//!
//! Memory is bounded: no chunk more than [`Layout::ahead`] behind the one to be emitted next is
//! claimed, and matches beyond [`Layout::most_hits`] of a chunk are left to the owner.

mod chunk;
mod chunks;
mod copied;
mod emit;
mod emit_spans;
mod emit_summaries;
mod layout;
mod line_test;
mod read_at;
mod spans;
mod stream;
mod stream_reader;
mod stream_search;
mod summarized;
mod summary;
mod surveyed;

pub(crate) use chunk::ChunkedFile;
pub use chunks::{ChunkHelpers, Chunks, NoHelpers};
pub(crate) use emit::{Stopped, emit_lines};
pub(crate) use emit_spans::emit_spans;
pub(crate) use emit_summaries::emit_summaries;
pub use layout::LARGE;
pub(crate) use layout::{Layout, chunk_size};
pub(crate) use line_test::is_possible;
pub(crate) use read_at::{FileCursor, read_full};
pub use read_at::{FileRead, ReadAt};
pub(crate) use stream::BlockingRead;
pub use stream::Stream;
pub(crate) use stream_search::StreamSizes;
pub(crate) use surveyed::survey_of;
