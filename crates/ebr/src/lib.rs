//! Epoch-based reclamation: memory that readers may still look at is freed when none can.

// Reclaiming by hand is what this crate is: raw pointers in, deleters called on them later.
#![allow(unsafe_code)]

mod barrier;
mod collector;
mod config;
mod domain;
mod garbage;
mod handle;
mod orphans;
mod pace;
mod registry;
mod stats;
mod sync;

pub use collector::Collector;
pub use config::{Barrier, Config, Reclaim, UNPINS_PER_TRY, UnknownName};
pub use handle::{Guard, Handle};
pub use stats::Stats;
