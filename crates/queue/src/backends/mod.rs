//! The default backend, [`Deque`], the [`Heap`] of sorted runs, and the reference backend, `Stack`,
//! against which the tests compare the others. The other nine are in the module `lab`; these and
//! `Stack` need the feature `lab`.
//!
//! | kind | storage | owner pops | thieves take |
//! |---|---|---|---|
//! | `deque` | crossbeam deques, an injector | newest | oldest |
//! | `stack` | one mutexed `Vec` | newest | newest |
//! | [`Heap`], for items that have an order | one mutexed heap | smallest | smallest |
//!
//! A new backend is a file in `lab/backends`, a variant of [`QueueKind`](crate::QueueKind), its
//! name in `dispatch.rs` and `any_queue.rs`, and a line in the contract tests.

mod deque;
mod heap;
pub(crate) mod single_store;
#[cfg(feature = "lab")]
mod stack;

pub use deque::{Deque, DequeWorker};
pub use heap::Heap;
pub use single_store::SharedStore;
#[cfg(feature = "lab")]
pub use stack::Stack;
