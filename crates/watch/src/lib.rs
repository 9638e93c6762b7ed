//! A process that watches an indexed tree, so that a search learns which files have changed since
//! the index was built without taking the stamp of each.
//!
//! The process answers one question: which directories, files and sources of rules may differ from
//! what the index and its snapshot have. It searches nothing and decides nothing. A search that
//! gets no answer within 50 ms takes the stamps of all files, as it does where no process watches.
//!
//! On Linux the system reports a change to the process before the call returns that makes it.
//! Whatever has ended before a search began is therefore part of the answer. Other systems are not
//! supported.
//!
//! ```no_run
//! use heist_index::Home;
//! use heist_watch::{Ended, WatchConfig, Watcher, request};
//!
//! let home = Home::new("/home/ann/.cache/heist".into());
//! let root = "/home/ann/src/linux".as_ref();
//!
//! // The process:
//! let watcher = Watcher::new(&home, root, WatchConfig::default())?;
//! let ended = watcher.run(|dirs| println!("{dirs} directories are watched"))?;
//! assert_ne!(ended, Ended::Idle);
//!
//! // A search:
//! let index = home.find(root)?;
//! match request(&home.dir_of(root), index.identity()).and_then(|reply| reply.changes(root)) {
//!     Ok(changes) => assert!(!changes.has_dir(0), "entries were added to the root, or removed"),
//!     Err(why) => println!("{why}"),
//! }
//! # Ok::<(), heist_watch::Error>(())
//! ```
//!
//! # Files
//!
//! | file | contents |
//! |---|---|
//! | `server` | the process: what is watched, and what has changed |
//! | `client` | the side of a search |
//! | `message` | the messages between both |
//! | `socket` | where they meet |
//! | `changes` | what may have changed |
//! | `config` | how a process watches, and why it ends |
//! | `status` | what the process does, or why it does not know what has changed |
//! | `error` | why a tree is not watched |

#![forbid(unsafe_code)]

#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
mod changes;
#[cfg(target_os = "linux")]
mod client;
mod config;
mod error;
#[cfg(target_os = "linux")]
mod message;
#[cfg(target_os = "linux")]
mod server;
#[cfg(target_os = "linux")]
mod socket;
mod status;
#[cfg(not(target_os = "linux"))]
mod unsupported;

pub use changes::Changes;
#[cfg(target_os = "linux")]
pub use client::{Pending, QUERY_TIMEOUT, request, status, stop};
pub use config::{Ended, WatchConfig};
pub use error::Error;
#[cfg(target_os = "linux")]
pub use server::Watcher;
pub use status::{Status, Unknown};
#[cfg(not(target_os = "linux"))]
pub use unsupported::{Pending, QUERY_TIMEOUT, Watcher, request, status, stop};

#[cfg(doctest)]
skipped_tests_summary::report!();
