//! What the targets share: an input taken apart, a search done twice, and how a target is run.
//!
//! - `input`: the bytes that the fuzzer makes up, taken apart.
//! - `search`: one search, by heist and by ripgrep's crates.
//! - `replay`: a target without a fuzzer.

#![forbid(unsafe_code)]

mod input;
mod replay;
mod search;

pub use input::Input;
pub use replay::replay;
pub use search::{Search, haystack_of};

/// Makes a target of a function that panics on a finding. Built by `ci/fuzz` or cargo-fuzz, libFuzzer calls it; built by
/// anything else, it is [replayed](replay()).
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
