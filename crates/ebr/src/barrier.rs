//! The pair of barriers on which the scheme rests: the light one of a pin, the heavy one of an
//! advance.
//!
//! A pin writes its word and then reads pointers; an advance knows or has written an epoch and then
//! reads the words. One of the two has to see the other. That takes a full barrier on both sides,
//! or one on the rare side that forces itself on all threads.

use std::sync::atomic::compiler_fence;

use crate::config::Barrier;
use crate::sync::{AtomicU64, Ordering, fence};

/// The result of the heavy barrier.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heavy {
    Done,
    /// The kernel refused, although it had agreed at first. No conclusion may be drawn from a scan.
    Refused,
}

impl Barrier {
    /// The barrier that is used if this one is configured.
    pub(crate) fn available(self) -> Barrier {
        match self {
            Barrier::Membarrier if kernel::is_registered() => Barrier::Membarrier,
            _ => Barrier::Fence,
        }
    }

    /// Writes `word` so that it is visible before any later read of this thread is made.
    #[inline]
    pub(crate) fn announce(self, state: &AtomicU64, word: u64) {
        match self {
            Barrier::Fence => announce_fenced(state, word),
            Barrier::Membarrier => announce_unfenced(state, word),
        }
    }

    /// The other side. Afterwards the caller sees every word announced before, and every thread
    /// that announces a word later sees what the caller saw before.
    pub(crate) fn heavy(self) -> Heavy {
        match self {
            Barrier::Fence => {
                // Ordering: pairs with the fence of `announce`; see "Which fence pairs with which".
                fence(Ordering::SeqCst);
                Heavy::Done
            }
            Barrier::Membarrier => kernel::interrupt_all(),
        }
    }
}

/// On x86 a locked exchange is a full barrier, and cheaper than the `mfence` that a `SeqCst` fence
/// becomes (`docs/decisions/0011-epoch-based-reclamation.md`). The language does not promise that
/// an exchange acts as a fence for other locations, but the processor does: a locked instruction
/// drains the store buffer before any later load. The exchange being an acquire, and the compiler
/// fence, keep the compiler from moving loads.
#[cfg(all(any(target_arch = "x86", target_arch = "x86_64"), not(any(loom, miri))))]
#[inline]
fn announce_fenced(state: &AtomicU64, word: u64) {
    // Ordering: SeqCst for the locked instruction. Also a release, see `announce_unfenced`.
    state.swap(word, Ordering::SeqCst);
    compiler_fence(Ordering::SeqCst);
}

#[cfg(any(not(any(target_arch = "x86", target_arch = "x86_64")), loom, miri))]
#[inline]
fn announce_fenced(state: &AtomicU64, word: u64) {
    // Ordering: Release for the reason given in `announce_unfenced`.
    state.store(word, Ordering::Release);
    // Ordering: pairs with the fences of `heavy` and of `Domain::fenced_tag`.
    fence(Ordering::SeqCst);
}

/// The light half of the asymmetric pair, which restrains only the compiler.
#[cfg(not(loom))]
#[inline]
fn announce_unfenced(state: &AtomicU64, word: u64) {
    // Ordering: Release, so that an advance that sees this word has seen the end of the pin before
    // it. This store overwrites the one that ended that pin, and since C++20 a plain store does not
    // continue a release sequence.
    state.store(word, Ordering::Release);
    compiler_fence(Ordering::SeqCst);
}

/// Loom has no `membarrier`; what is modelled is the longer delay that goes with it.
#[cfg(loom)]
fn announce_unfenced(state: &AtomicU64, word: u64) {
    announce_fenced(state, word);
    compiler_fence(Ordering::SeqCst);
}

#[cfg(all(target_os = "linux", not(any(loom, miri))))]
mod kernel {
    use std::sync::OnceLock;

    use rustix::thread::{MembarrierCommand, membarrier, membarrier_query};

    use super::Heavy;

    /// Registers the process with the kernel, once. Takes some milliseconds if there are threads.
    pub(super) fn is_registered() -> bool {
        static REGISTERED: OnceLock<bool> = OnceLock::new();
        *REGISTERED.get_or_init(|| {
            membarrier_query().contains_command(MembarrierCommand::PrivateExpedited)
                && membarrier(MembarrierCommand::RegisterPrivateExpedited).is_ok()
                && membarrier(MembarrierCommand::PrivateExpedited).is_ok()
        })
    }

    pub(super) fn interrupt_all() -> Heavy {
        match membarrier(MembarrierCommand::PrivateExpedited) {
            Ok(()) => Heavy::Done,
            Err(_) => Heavy::Refused,
        }
    }
}

#[cfg(loom)]
mod kernel {
    use super::Heavy;
    use crate::sync::{Ordering, fence};

    pub(super) fn is_registered() -> bool {
        true
    }

    pub(super) fn interrupt_all() -> Heavy {
        fence(Ordering::SeqCst);
        Heavy::Done
    }
}

#[cfg(all(not(loom), any(not(target_os = "linux"), miri)))]
mod kernel {
    use super::Heavy;

    pub(super) fn is_registered() -> bool {
        false
    }

    /// Never called, because `is_registered` returns `false`.
    pub(super) fn interrupt_all() -> Heavy {
        Heavy::Refused
    }
}
