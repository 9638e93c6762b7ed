//! Shared parts of the fuzz targets.
//!
//! - `input` decodes the bytes of a fuzzer into choices.
//! - `search` runs one search with heist and with ripgrep's crates.
//! - `trial` runs one search in every way of reading, and by the reference of the searcher's tests.
//! - `replay` runs a target without a fuzzer.

#![forbid(unsafe_code)]

mod input;
mod replay;
mod search;
mod trial;

pub use input::Input;
pub use replay::replay;
pub use search::{Search, haystack_of};
pub use trial::{check_blocks, check_chunks, check_spans, check_stream};

/// Defines the entry point of a target, given a function `fn(&[u8])` that panics on a finding. In a
/// build by `ci/fuzz` or cargo-fuzz libFuzzer calls the function; in any other build `main`
/// [replays](replay()) the corpus.
#[macro_export]
macro_rules! target {
    ($check:path) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $check(bytes));

        #[cfg(not(fuzzing))]
        fn main() -> std::process::ExitCode {
            $crate::replay(env!("CARGO_BIN_NAME"), $check)
        }
    };
}
