//! A macro that prints while it is expanded.

use std::{
    env,
    io::{self, Write},
};

use proc_macro::TokenStream;

/// Prints how many tests this run of `cargo test` has skipped, and expands to nothing.
///
/// It belongs behind `#[cfg(doctest)]`, which holds only while rustdoc collects the documentation
/// tests of a library. Rustdoc captures what these print, but not what a macro prints, and cargo
/// runs them after all test programs of the run. In the last package, `skipped-tests`, the summary
/// is about the whole run. In another package it is about that package, and there is none if no
/// test was skipped.
#[proc_macro]
pub fn report(_: TokenStream) -> TokenStream {
    let package = env::var("CARGO_PKG_NAME").unwrap_or_default();
    let is_last = package == "skipped-tests";
    let summary = skipped_tests::summary((!is_last).then_some(&package));
    if is_last || !summary.starts_with("No ") {
        // The results of the tests go to standard output, too.
        let _ = io::stdout().write_all(format!("\n{summary}").as_bytes());
    }
    if is_last {
        skipped_tests::forget();
    }
    TokenStream::new()
}
