//! The searcher from inside: its buffers and chunks as small as they can be, since their edges are where mistakes are, and
//! the slow reference of its tests as the oracle.

#![forbid(unsafe_code)]
#![allow(
    dead_code,
    unreachable_pub,
    reason = "the modules as they stand in the crate, which uses more of them"
)]

#[path = "../../crates/searcher/src/aligned.rs"]
mod aligned;
#[path = "../../crates/searcher/src/blocks.rs"]
mod blocks;
#[path = "../../crates/searcher/src/chunks/mod.rs"]
mod chunks;
#[path = "../../crates/searcher/src/config.rs"]
mod config;
#[path = "../../crates/searcher/src/decode.rs"]
mod decode;
#[path = "../../crates/searcher/src/line_search.rs"]
mod line_search;
#[path = "../../crates/searcher/src/lines.rs"]
mod lines;
#[path = "../../crates/searcher/src/matching.rs"]
mod matching;
#[path = "../../crates/searcher/src/multiline/mod.rs"]
mod multiline;
#[path = "../../crates/searcher/src/numbers.rs"]
mod numbers;
#[path = "../../crates/searcher/src/rolling.rs"]
mod rolling;
#[path = "../../crates/searcher/src/searcher.rs"]
mod searcher;
#[path = "../../crates/searcher/src/sink.rs"]
mod sink;
#[path = "../../crates/searcher/src/slice.rs"]
mod slice;
#[path = "../../crates/searcher/src/source.rs"]
mod source;
#[path = "../../crates/searcher/src/stream.rs"]
mod stream;

#[path = "../../crates/searcher/src/tests/record.rs"]
mod record;
#[path = "../../crates/searcher/src/tests/reference.rs"]
mod reference;

#[path = "../src/input.rs"]
mod input;
mod trial;

pub use chunks::{Chunks, FileRead, Helpers, LARGE, ReadAt, Stream};
pub use config::{BinaryPolicy, Config, Encoding};
pub use searcher::Searcher;
pub use sink::{Block, Finish, Flow, Line, LineKind, Sink};
pub use source::{End, Source};
pub use trial::{check_blocks, check_chunks, check_spans, check_stream};
