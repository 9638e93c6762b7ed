//! Epoch-based reclamation: frees memory once no reader can reach it.
//!
//! A thread *pins* itself before it reads shared pointers. A thread that unlinks an object
//! *retires* it instead of freeing it. The collector frees a retired object when no pin is left
//! that is old enough to have seen it.
//!
//! ```
//! use std::sync::atomic::{AtomicPtr, Ordering};
//!
//! use heist_ebr::Collector;
//!
//! let collector = Collector::default();
//! let shared = AtomicPtr::new(Box::into_raw(Box::new(1)));
//!
//! let handle = collector.register();
//! let guard = handle.pin();
//! let old = shared.swap(Box::into_raw(Box::new(2)), Ordering::AcqRel);
//! // SAFETY: the swap has unlinked `old`, and no other thread has swapped it out.
//! unsafe { guard.retire(old) };
//! // SAFETY: the guard is older than the retirement.
//! assert_eq!(unsafe { *old }, 1);
//! drop(guard);
//!
//! handle.collect();
//! assert_eq!(collector.stats().unreclaimed(), 0);
//! # // SAFETY: no thread shares it any more.
//! # drop(unsafe { Box::from_raw(shared.into_inner()) });
//! ```
//!
//! # The algorithm
//!
//! There is one global epoch. A thread that pins writes the epoch it reads into its own node. A
//! retired object goes into a bag, and a closed bag gets a *tag*: an epoch such that no reader that
//! can still reach the contents is pinned at a later one. The epoch advances from `e` to `e + 1`
//! when every pinned participant has written `e`. A bag is freed when the epoch is `tag + 2`. An
//! unpin is one store; it scans nothing and frees nothing.
//!
//! # Why two epochs suffice
//!
//! Let a reader be pinned at `r <= tag`. Before the epoch becomes `tag + 2`, some thread advances
//! it from `tag + 1`, and that thread scans all nodes first. If it sees the reader pinned at `r`,
//! it gives up. If it sees the reader's unpin, or a later pin, all reads of the first pin are over.
//! If it sees neither, its barrier came before the reader's, and the reader finds the object
//! unlinked. One epoch would not do: a reader at `r = tag` does not prevent the step to `tag + 1`.
//!
//! It remains to choose the tag. There are two ways:
//!
//! - *Behind a fence*: the epoch read after a full fence. A reader that pinned with a fence before
//!   this one has read an epoch no later than the tag; a reader with a later fence finds the object
//!   unlinked.
//! - *While pinned, without a fence*: the epoch plus one. The epoch can be at most one ahead of
//!   what a pinned thread reads, and a thread that reads a later epoch has synchronised with the
//!   end of the pin, hence with the unlinking. This is used where a fence per object would cost too
//!   much (P0, P1), and with `membarrier`, where readers have no fence to pair with. It costs a
//!   third epoch of delay.
//!
//! # Which fence pairs with which
//!
//! | fence | without it |
//! |---|---|
//! | full, in a pin, between word and reads | a reader holds a pointer before its pin is seen |
//! | full, in an advance, before the scan | the scan misses a pin older than the unlinking |
//! | full, before a tag is read | the tag may be older than a reader that still finds the object |
//! | release in unpin, acquire after the scan | reads of an ended pin move behind the freeing |
//! | release in a *pin* | the same, where the scan sees the next pin instead of that unpin |
//! | release in the step, acquire before freeing | one thread's scan does not count for another |
//!
//! `tests/loom.rs` lists which of these the models were seen to miss. On x86 the full barrier of a
//! pin is a locked exchange.
//!
//! [`Reclaim`] selects one of four stages, all of them sound. Figures, and a comparison with the
//! document that these stages come from, with crossbeam-epoch and with seize:
//! `docs/decisions/0011-epoch-based-reclamation.md`.

// Manual reclamation is the purpose of this crate: raw pointers come in, deleters run later.
#![allow(unsafe_code)]

mod barrier;
mod collector;
mod config;
mod domain;
mod garbage;
mod handle;
mod orphans;
mod registry;
mod stats;
mod sync;
mod throttle;

pub use collector::Collector;
pub use config::{Barrier, Config, Reclaim, UNPINS_PER_TRY};
pub use handle::{Guard, Handle};
pub use stats::Stats;
