//! The modules of the searcher, compiled with access to their private parts: targets set the sizes
//! of buffers and chunks to a few bytes, since mistakes are at their edges, and compare with the
//! reference of the searcher's tests.

#![forbid(unsafe_code)]
#![allow(dead_code, unreachable_pub, reason = "the crate uses more of its modules")]

#[path = "../../crates/searcher/src/aligned.rs"]
mod aligned;
#[path = "../../crates/searcher/src/block_search.rs"]
mod block_search;
#[path = "../../crates/searcher/src/buffers.rs"]
mod buffers;
#[path = "../../crates/searcher/src/config.rs"]
mod config;
#[path = "../../crates/searcher/src/decode.rs"]
mod decode;
#[path = "../../crates/searcher/src/line_buffer.rs"]
mod line_buffer;
#[path = "../../crates/searcher/src/line_numbers.rs"]
mod line_numbers;
#[path = "../../crates/searcher/src/line_search.rs"]
mod line_search;
#[path = "../../crates/searcher/src/lines.rs"]
mod lines;
#[path = "../../crates/searcher/src/matching.rs"]
mod matching;
#[path = "../../crates/searcher/src/multiline/mod.rs"]
mod multiline;
#[path = "../../crates/searcher/src/parallel/mod.rs"]
mod parallel;
#[path = "../../crates/searcher/src/searcher.rs"]
mod searcher;
#[path = "../../crates/searcher/src/sink.rs"]
mod sink;
#[path = "../../crates/searcher/src/slice_search.rs"]
mod slice_search;
#[path = "../../crates/searcher/src/source.rs"]
mod source;

#[path = "../../crates/searcher/src/tests/record.rs"]
mod record;
#[path = "../../crates/searcher/src/tests/reference.rs"]
mod reference;

#[path = "../src/input.rs"]
mod input;
mod trial;

pub use config::{BinaryPolicy, Encoding, SearchConfig};
pub use parallel::{ChunkHelpers, Chunks, FileRead, LARGE, NoHelpers, ReadAt, Stream};
pub use searcher::Searcher;
pub use sink::{Finish, Flow, Line, LineKind, MatchBlock, Sink};
pub use source::{End, Source};
pub use trial::{check_blocks, check_chunks, check_spans, check_stream};
