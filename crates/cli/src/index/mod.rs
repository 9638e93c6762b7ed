//! Indexes: where they lie, when a search uses one, and the modes that keep one.
//!
//! | file | holds |
//! |---|---|
//! | `home` | where indexes lie |
//! | `opened` | the indexes that a run has opened |
//! | `coverage` | what an index answers to a walk |
//! | `freshness` | whether a directory or a file is as an index has it |
//! | `snapshot` | the directories of a tree as an index has them |
//! | `record`, `rules` | how the directories, and what judged them, get into an index |
//! | `needs` | what has to be visited where all changes are known |
//! | `skippable` | files that a walk skips once their stamps have been taken |
//! | `whole` | directories that a list need not walk |
//! | `lazy` | an oracle that is created when it is of use |
//! | `oracle` | what a search need not read, because an index proves that nothing matches there |
//! | `spared` | what an index has spared a search |
//! | `list` | `--index-list` |
//! | `modes` | what the modes that keep an index do and print |
//! | `watch` | the process that watches the tree of an index |

mod coverage;
mod freshness;
mod home;
mod lazy;
mod list;
mod modes;
mod needs;
mod opened;
mod oracle;
mod record;
mod rules;
mod skippable;
mod snapshot;
mod spared;
mod watch;
mod whole;

pub(crate) use coverage::Coverage;
pub(crate) use freshness::stamp_of;
pub(crate) use home::{home, own_reason};
pub(crate) use lazy::{EarlyOracle, LazyOracle};
pub(crate) use list::list;
pub(crate) use modes::{
    Unchanged, device_of, drop_gone, drop_index, root, root_or_gone, size, status, update_report,
    verify_report,
};
pub(crate) use opened::{OpenIndexes, TrustedDevice};
pub(crate) use oracle::Known;
pub(crate) use record::{Recorder, WorkerRecord};
pub(crate) use snapshot::KnownTree;
pub(crate) use spared::Spared;
pub(crate) use watch::{be_watcher, unwatch, watch};
pub(crate) use whole::{ListFiles, ListScratch, check_list, cover_list};
