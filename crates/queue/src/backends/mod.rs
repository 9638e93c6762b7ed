//! The backends, named like the flag value that picks them. Two flavours of one queue share a file;
//! `common` is no backend but what the three have in common that are one store for all.
//!
//! | kind | storage | owner pops | thieves take |
//! |---|---|---|---|
//! | `deque` | crossbeam deques, an injector | newest | oldest |
//! | `chase-lev` | deques of our own, an injector | newest | oldest |
//! | `stack` | one locked `Vec` | newest | the same |
//! | `sharded` | locked deques, a global one | oldest | newest |
//! | `sharded-lifo` | the same | newest | oldest |
//! | `st3-lifo` | bounded rings, an injector | newest | oldest |
//! | `st3-fifo` | the same | oldest | oldest |
//! | `channel` | one channel | oldest | the same |
//! | `biased` | one channel, batches taken from it | oldest of its batch | oldest |
//! | `injector` | one injector | oldest | the same |
//!
//! A new one is a file here, a line in [`QueueKind`](crate::QueueKind) and its name in the contract
//! tests.

pub mod biased;
pub mod channel;
pub mod chase_lev;
pub mod common;
pub mod deque;
pub mod injector;
pub mod sharded;
pub mod st3;
pub mod stack;
