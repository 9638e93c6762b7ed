//! Indexes: where they lie, when a search uses one, and the modes that keep one.
//!
//! | file | holds |
//! |---|---|
//! | `home` | where indexes lie |
//! | `lazy` | an oracle that is created when it is of use |
//! | `oracle` | what a search need not read, because an index proves that nothing matches there |
//! | `modes` | what the modes that keep an index do and print |
//! | `progress` | how far an index has been built |
//! | `stamp` | what the system reports of files |

mod home;
mod lazy;
mod modes;
mod oracle;
mod progress;
mod stamp;

pub(crate) use home::home;
pub(crate) use lazy::LazyOracle;
pub(crate) use modes::{check_file_system, drop_index, root, status, update_report, verify_report};
pub(crate) use oracle::Known;
pub(crate) use progress::Progress;
pub(crate) use stamp::stamp_of;
