//! One large file, searched by several workers at once and emitted by one, in order.
//!
//! ```text
//! owner:    claim 0, search ─ claim 2, search ─ emit 0 ─ claim 4, search ─ emit 1, emit 2 ─ …
//! helpers:  claim 1, search ─ claim 3, search ─ …           nothing to claim: go away
//! ```
//!
//! The file is cut into *chunks* of equal size; a chunk owns the lines that begin in it, and whoever searches it reads on
//! to the end of the last one. So chunks can be searched in any order without knowing of each other (`find`), and the
//! owner puts what was found, in order, through the same [`LineSearch`](crate::line_search::LineSearch) that searches a
//! file block by block (`emit`). Context, limits, numbers and every way of printing are that code's, and the same.
//!
//! What cannot be had this way is the effect of NUL bytes, since that depends on the blocks in which a file is read from
//! its beginning (see `line_buffer`). Nor are lines longer than a chunk worth it. Where either shows up, the owner gives up,
//! searches the file block by block and leaves out as many events as it had emitted already. These are the same because a
//! chunk is emitted only when the next one is known to be harmless as well, and a block never reaches further than a chunk
//! ([`Layout::stride`] is why).
//!
//! Memory is bounded: no chunk is claimed that lies more than [`Layout::ahead`] behind the one to be emitted, and matches
//! beyond [`Layout::most_hits`] of one chunk are left to the owner.

mod chunk;
mod chunks;
mod emit;
mod emit_spans;
mod layout;
mod read_at;
mod stream;
mod stream_reader;
mod stream_search;

pub use chunks::{ChunkHelpers, Chunks};
pub(crate) use emit::{Emitted, SkipFirst, emit};
pub(crate) use emit_spans::emit_spans;
pub use layout::LARGE;
pub(crate) use layout::{CHUNK_SIZE, Layout};
pub(crate) use read_at::FileCursor;
pub use read_at::{FileRead, ReadAt};
pub(crate) use stream::BlockingRead;
pub use stream::Stream;
pub(crate) use stream_search::{STREAM_CHUNK_SIZE, StreamSearch};
