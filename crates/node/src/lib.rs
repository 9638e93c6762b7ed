//! The native half of the Node package `@heist-search/node`. The files in `lib` make of it what
//! programs use; nothing else calls it.
//!
//! | file | contents |
//! |---|---|
//! | `search.rs`, `hits.rs`, `shown.rs` | a search, its hits, and its account of what was shown |
//! | `pattern.rs` | a pattern, and the lines and groups that it finds in bytes |
//! | `walk.rs` | a walk and its entries |
//! | `ignore.rs` | ignore rules |
//! | `options.rs` | arguments that several of them take |
//! | `waiter.rs` | waits in a thread, and settles a promise |
//! | `problem.rs`, `text.rs` | errors as values; texts, paths, and offsets in UTF-16 |
//!
//! A value crosses the border as few plain arrays for many hits, because each call and each object
//! that Rust makes costs more than a hit that JavaScript makes of numbers.

mod hits;
mod ignore;
mod options;
mod pattern;
mod problem;
mod search;
mod shown;
mod text;
mod waiter;
mod walk;
