//! The default backend, [`Deque`], and the reference backend, [`Stack`], against which the tests
//! compare the others. The other eight are in [`lab`](crate::lab).
//!
//! | kind | storage | owner pops | thieves take |
//! |---|---|---|---|
//! | `deque` | crossbeam deques, an injector | newest | oldest |
//! | `stack` | one mutexed `Vec` | newest | newest |
//! | [`Heap`], for items that have an order | one mutexed heap | smallest | smallest |
//!
//! A new backend is a file here or in `lab/backends`, a variant of [`QueueKind`](crate::QueueKind),
//! an arm in `dispatch.rs` and a line in the contract tests.

mod deque;
mod heap;
pub(crate) mod single_store;
mod stack;

pub use deque::{Deque, DequeWorker};
pub use heap::Heap;
pub use single_store::SharedStore;
pub use stack::Stack;
