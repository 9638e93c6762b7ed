//! Everything in which operating systems differ. Each function stands in `unix` and in `windows`;
//! no other module of the crate depends on the system.
//!
//! | module | holds |
//! |---|---|
//! | `unix`, `windows` | calls of the system, one file each |
//! | `ancestors` | who holds the other end of standard input, on Linux |
//! | `group` | process groups |
//! | `guardian` | what ends programs if this one is killed |
//! | `interrupt` | the terminal after Ctrl-C |
//! | `terminal` | the size of a terminal |
//! | `polled`, `blocking` | streams with and without a way to know whether a read would block |

#[cfg(target_os = "linux")]
mod ancestors;
#[cfg(any(windows, test))]
mod blocking;
mod group;
#[cfg(unix)]
mod guardian;
mod interrupt;
#[cfg(unix)]
mod polled;
mod terminal;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(windows)]
pub(crate) use group::Guardian;
pub(crate) use group::{Group, lead_group};
#[cfg(unix)]
pub(crate) use guardian::Guardian;
pub(crate) use interrupt::CleanUp;
pub(crate) use terminal::TerminalSize;
#[cfg(unix)]
pub(crate) use unix::*;
#[cfg(windows)]
pub(crate) use windows::*;
