//! What the models of this crate share: they are run under loom, in every interleaving and with
//! every stale read the memory model allows, up to a bound on preemptions.
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test -p heist-queue --release --lib --target-dir target/loom
//! ```
//!
//! runs in seconds; `LOOM_MAX_PREEMPTIONS=4` looks deeper. The models are in `crew/model.rs`,
//! `idle/model.rs`, and `model.rs` in the folders of the queues `chase-lev` and `bwos`.

use std::sync::Arc;

use loom::model::Builder;
use loom::thread;

use crate::sync::{AtomicUsize, Ordering, fence};

/// Checks a model up to `bound` preemptions, or `LOOM_MAX_PREEMPTIONS` if set.
pub(crate) fn check(bound: usize, model: impl Fn() + Sync + Send + 'static) {
    // Reads LOOM_MAX_PREEMPTIONS.
    let mut builder = Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(bound));
    builder.check(model);
}

/// Checks what the idle policies rely on: a publisher calls `publish`, fences and reads a flag; a
/// sleeper sets the flag, fences and looks whether the queue `is_empty`. At least one sees the
/// other.
///
/// Fails if either fence here is removed and the queue has no spare one of its own.
pub(crate) fn recheck(is_empty: impl FnOnce() -> bool + Send + 'static, publish: impl FnOnce()) {
    let asleep = Arc::new(AtomicUsize::new(0));
    let sleeper = {
        let asleep = Arc::clone(&asleep);
        thread::spawn(move || {
            asleep.store(1, Ordering::Relaxed);
            fence(Ordering::SeqCst);
            is_empty()
        })
    };
    publish();
    fence(Ordering::SeqCst);
    let unseen = asleep.load(Ordering::Relaxed) == 0;
    let saw_nothing = sleeper.join().unwrap();
    assert!(!(unseen && saw_nothing), "each has missed the other");
}

/// Makes a test module of each idle policy.
macro_rules! models {
    ($($policy:ident: $ty:ty => $($model:ident),+;)+) => {
        $(
            mod $policy {
                use super::*;

                $(
                    #[test]
                    fn $model() {
                        super::$model::<$ty>();
                    }
                )+
            }
        )+
    };
}

pub(crate) use models;
