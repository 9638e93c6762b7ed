//! The one place that picks between the real synchronisation primitives and loom's models of them.
//!
//! Every type on which interleavings depend comes from here, so that `--cfg loom` swaps all of it
//! at once. Statistics stay on `std`: no decision depends on them, and modelling them would only
//! multiply the interleavings.

#[cfg(not(loom))]
pub(crate) use std::sync::{
    Arc, Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering, fence},
};

#[cfg(loom)]
pub(crate) use loom::sync::{
    Arc, Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering, fence},
};
