//! What the harness needs of the system: special files, permissions, other users, and groups of
//! processes. Windows lacks some of it; what is missing there returns an error.

#[cfg(unix)]
mod proc;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::*;
#[cfg(windows)]
pub(crate) use windows::*;
