//! The backends that are not the default, named like the value of `--queue` that selects them. Two
//! flavours of one queue share a file.

mod biased;
mod bwos;
mod channel;
mod chase_lev;
mod injector;
mod sharded;
mod st3;

pub use biased::Biased;
pub use bwos::Bwos;
pub use channel::Channel;
pub use chase_lev::ChaseLev;
pub use injector::Injector;
pub use sharded::{Sharded, ShardedLifo, Shards};
pub use st3::{St3Fifo, St3Lifo};
