//! What the models of this crate share: they are run under loom, in every interleaving and with
//! every stale read the memory model allows, up to a bound on preemptions.
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test -p heist-queue --release --lib --target-dir target/loom
//! ```
//!
//! runs in seconds; `LOOM_MAX_PREEMPTIONS=4` looks deeper. The models are in `crew/model.rs`,
//! `idle/model.rs`, and `model.rs` in the folders of the queues `chase-lev` and `bwos`.

use loom::model::Builder;

/// Checks a model up to `bound` preemptions, or `LOOM_MAX_PREEMPTIONS` if set.
pub(crate) fn check(bound: usize, model: impl Fn() + Sync + Send + 'static) {
    // Reads LOOM_MAX_PREEMPTIONS.
    let mut builder = Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(bound));
    builder.check(model);
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
