//! Indexes: where they lie, when a search uses one, and the modes that keep one.
//!
//! | file | holds |
//! |---|---|
//! | `home` | where indexes lie |
//! | `opened` | the indexes that a run has opened |
//! | `freshness` | whether a directory or a file is as an index has it |
//! | `snapshot` | the directories that a walk need not list |
//! | `record`, `rules` | how the directories, and what judged them, get into an index |
//! | `lazy` | an oracle that is created when it is of use |
//! | `oracle` | what a search need not read, because an index proves that nothing matches there |
//! | `modes` | what the modes that keep an index do and print |
//! | `progress` | how far an index has been built |
//! | `stamp` | what the system reports of files |

mod freshness;
mod home;
mod lazy;
mod modes;
mod opened;
mod oracle;
mod progress;
mod record;
mod rules;
mod snapshot;
mod stamp;

pub(crate) use home::home;
pub(crate) use lazy::LazyOracle;
pub(crate) use modes::{
    Unchanged, device_of, drop_index, root, status, update_report, verify_report,
};
pub(crate) use opened::OpenIndexes;
pub(crate) use oracle::Known;
pub(crate) use progress::Progress;
pub(crate) use record::{Recorder, WorkerRecord};
pub(crate) use snapshot::KnownTree;
pub(crate) use stamp::stamp_of;
