//! Epoch-based reclamation: memory that readers may still look at is freed when none can.
//!
//! ```
//! use std::sync::atomic::{AtomicPtr, Ordering};
//!
//! let collector = heist_ebr::Collector::default();
//! let shared = AtomicPtr::new(Box::into_raw(Box::new(1)));
//!
//! let handle = collector.register();
//! let guard = handle.pin();
//! let old = shared.swap(Box::into_raw(Box::new(2)), Ordering::AcqRel);
//! // SAFETY: the swap has unlinked it, and this is the only swap that got it.
//! unsafe { guard.retire(old) };
//! // SAFETY: the guard is older than the retirement.
//! assert_eq!(unsafe { *old }, 1);
//! drop(guard);
//! # // SAFETY: nobody shares it any more.
//! # drop(unsafe { Box::from_raw(shared.into_inner()) });
//! ```
//!
//! # The algorithm
//!
//! There is one epoch. Who pins writes the epoch it reads into its own node. What is retired is put
//! into a bag, and a closed bag gets a *tag*: an epoch that no reader who can still reach the
//! contents has gone beyond. The epoch moves from `e` to `e + 1` when every pinned participant has
//! written `e`. A bag is freed when the epoch is `tag + 2`. An unpin is one store; it looks at
//! nothing and frees nothing.
//!
//! # Why two epochs suffice
//!
//! Let a reader be pinned at `r <= tag`. For `tag + 2` the epoch has to be moved on from `tag + 1`,
//! and whoever does that looks at all nodes first. If it sees the reader pinned at `r`, it gives
//! up. If it sees the reader's unpin, or a later pin, all the reader read before is over. If it
//! sees neither, its barrier came before the reader's, and the reader sees the object unlinked. One
//! epoch would not do: a reader at `r = tag` does not prevent the step to `tag + 1`.
//!
//! That leaves the tag. There are two ways to one:
//!
//! - *Behind a fence*: the epoch read after a full fence. A reader whose pin has its fence before
//!   ours read an epoch no later than that; one whose fence comes after ours finds nothing.
//! - *While pinned, without a fence*: the epoch plus one. The epoch can be at most one ahead of
//!   what a pinned thread reads, and who reads the epoch after that has synchronised with the end
//!   of the pin, hence with the unlinking. This is used where a fence for each object would be too
//!   dear (P0, P1), and with `membarrier`, where readers have no fence to pair with. The price is a
//!   third epoch.
//!
//! # Which fence is against what
//!
//! | fence | without it |
//! |---|---|
//! | full, in a pin, between word and reads | the reader holds a pointer before its pin is seen |
//! | full, in an advance, before the scan | the scan misses that pin though it is older than the unlinking |
//! | full, before a tag is read | the tag may be older than a reader that still finds the object |
//! | release in unpin, acquire after the scan | reads of a pin that has ended move behind the freeing |
//! | release in a *pin* | the same, where the scan meets the next pin instead of the end of this one |
//! | release in the step, acquire before freeing | one thread's scan does not count for another |
//!
//! `tests/loom.rs` tells which of these the models were seen to miss.
//!
//! On x86 the full barrier of a pin is a locked exchange. Measured 2026-11-21, 2 cores of an EPYC
//! shared with other jobs, best of 21 runs, a pin and an unpin: exchange 5.0 ns, store with
//! `mfence` 5.3 ns; a whole pin 5.8 ns, crossbeam-epoch's 6.1 ns; with `membarrier` 1.2 ns.
//!
//! # Against the document's code
//!
//! The document on EBR in Zig (`eakova/zig-beam`, 2025-11) calls its code production-ready. It is
//! not sound, and costs where it need not:
//!
//! - Its pin has no full fence: a reader may hold a pointer before its pin is visible, on x86 too.
//!   That is why its pin is cheap.
//! - A thread that ends frees its bags at once, whoever is pinned. Here they go to the orphans.
//! - Its nodes are thread-local and stay in the registry after the thread; a thread that registers
//!   again makes the list cyclic. Here nodes belong to the collector and are used again.
//! - Out of memory in `retire` frees the object immediately. Here that aborts, as Rust does.
//! - Every unpin scans all threads and everything retired; only the advance waits for 256 unpins.
//!   Here no unpin scans; the try is made by the next *pin* when the 256 are full, so its price is
//!   visible in the same column.
//!
//! [`Reclaim`] has its stages, all of them sound.
//!
//! # Against crossbeam-epoch and seize
//!
//! crossbeam-epoch 0.9.21 has the same two epochs and bags of 64, but hands full bags to one queue
//! and tries every 128 pins, garbage or not; its list unlinks nodes. InLedger than on x86 its pins
//! store relaxed, which relies on a release sequence that C++20 took away. seize 0.5 counts
//! references of batches instead of epochs, and is where the use of `membarrier` comes from. A
//! stalled pin holds up everything in this crate and in crossbeam-epoch.

// Reclaiming by hand is what this crate is: raw pointers in, deleters called on them later.
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
pub use config::{Barrier, Config, Reclaim, UNPINS_PER_TRY, UnknownName};
pub use handle::{Guard, Handle};
pub use stats::Stats;
