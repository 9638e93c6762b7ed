//! The pair of barriers the whole scheme stands on: the light one of a pin, the heavy one of an
//! advance.
//!
//! A pin writes its word and then reads pointers; an advance wrote or knows an epoch and then reads
//! the words. Of the two, one has to see the other. That takes a full barrier on both sides, or one
//! on the rare side that forces itself on all threads.

use std::sync::atomic::compiler_fence;

use crate::config::Barrier;
use crate::sync::{AtomicU64, Ordering, fence};

/// Whether the heavy barrier did its work.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heavy {
    Done,
    /// The kernel refused, though it had agreed at first. Nothing may be concluded from a scan.
    Refused,
}

impl Barrier {
    /// What is in force where this was asked for.
    pub(crate) fn available(self) -> Barrier {
        match self {
            Barrier::Membarrier if kernel::is_registered() => Barrier::Membarrier,
            _ => Barrier::Fence,
        }
    }

    /// Writes `word`, so that it is visible before any later read of this thread is made.
    #[inline]
    pub(crate) fn announce(self, state: &AtomicU64, word: u64) {
        match self {
            Barrier::Fence => announce_fenced(state, word),
            Barrier::Membarrier => announce_unfenced(state, word),
        }
    }

    /// The other side: afterwards every word announced before it is seen, and every thread that
    /// announces one later sees what the caller saw before.
    pub(crate) fn heavy(self) -> Heavy {
        match self {
            Barrier::Fence => {
                // Ordering: pairs with the fence of `announce`; see "Which fence is against what".
                fence(Ordering::SeqCst);
                Heavy::Done
            }
            Barrier::Membarrier => kernel::interrupt_all(),
        }
    }
}

/// On x86 a locked exchange is a full barrier, and a good deal cheaper than the `mfence` that a
/// `SeqCst` fence becomes (figures in the head of the crate). The language does not promise that an
/// exchange acts as a fence for other locations, the processor does: a locked instruction drains
/// the store buffer before any later load. The compiler is kept from moving loads by the exchange
/// being an acquire and by the compiler fence.
#[cfg(all(any(target_arch = "x86", target_arch = "x86_64"), not(any(loom, miri))))]
#[inline]
fn announce_fenced(state: &AtomicU64, word: u64) {
    // Ordering: SeqCst for the locked instruction. It is a release as well, see
    // `announce_unfenced`.
    state.swap(word, Ordering::SeqCst);
    compiler_fence(Ordering::SeqCst);
}

#[cfg(any(not(any(target_arch = "x86", target_arch = "x86_64")), loom, miri))]
#[inline]
fn announce_fenced(state: &AtomicU64, word: u64) {
    // Ordering: Release for the reason given in `announce_unfenced`.
    state.store(word, Ordering::Release);
    // Ordering: pairs with the fence of `heavy` and with that of `Domain::tag`.
    fence(Ordering::SeqCst);
}

/// The light half of the asymmetric pair: only the compiler is held back.
#[cfg(not(loom))]
#[inline]
fn announce_unfenced(state: &AtomicU64, word: u64) {
    // Ordering: Release, so that an advance that sees this word has seen the end of the pin before
    // it, whose own store this one overwrites: since C++20 a plain store does not continue a
    // release sequence.
    state.store(word, Ordering::Release);
    compiler_fence(Ordering::SeqCst);
}

/// Loom has no kernel to ask, and only wants to see the longer delay that goes with it.
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

    /// Announces to the kernel, once for the process, that it will be asked. Registering may take
    /// some milliseconds when there are threads already.
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

    /// Never called: nobody was told that it would work.
    pub(super) fn interrupt_all() -> Heavy {
        Heavy::Refused
    }
}
