//! Everything that depends on the operating system, behind the trait [`System`].
//!
//! | implementation | where | how |
//! |---|---|---|
//! | `Linux` | Linux | descriptors and raw listings |
//! | `Readdir` | macOS, the BSDs; Linux in tests, with `--cfg readdir` | descriptors, `readdir` |
//! | `Portable` | every system, the only one elsewhere | the standard library, by path |
//! | [`Reader`] | every system | one of the others, as configured |

#[cfg(unix)]
mod at;
#[cfg(all(target_os = "linux", not(readdir)))]
mod linux;
mod opened_file;
mod portable;
mod process;
#[cfg(all(unix, any(test, readdir, not(target_os = "linux"))))]
mod readdir;
mod reader;
#[cfg(target_os = "linux")]
mod statx;
mod system;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use at::open_by_path;
#[cfg(all(target_os = "linux", not(readdir)))]
pub(crate) use linux::Linux as Native;
pub use opened_file::OpenedFile;
#[cfg(test)]
pub(crate) use portable::Portable;
#[cfg(not(target_os = "linux"))]
pub(crate) use portable::time_of;
#[cfg(not(unix))]
pub(crate) use portable::{Portable as Native, open_by_path};
pub(crate) use process::{DescriptorLimit, blocking_waits, descriptor_limit, reserve_descriptors};
#[cfg(all(test, unix))]
pub(crate) use readdir::Readdir;
#[cfg(all(unix, any(readdir, not(target_os = "linux"))))]
pub(crate) use readdir::Readdir as Native;
pub use reader::Reader;
#[cfg(target_os = "linux")]
pub(crate) use statx::time_of;
pub(crate) use system::{Links, Lister, OpenFile, Progress, Status, System, too_many_links};
