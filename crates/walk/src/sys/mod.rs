//! Everything that depends on the operating system, behind the trait [`System`]. [`Native`] uses
//! descriptors and raw listings where the system has them; [`Portable`] uses only the standard
//! library. Linux compiles and tests both.

pub(crate) mod attributes;
#[cfg(target_os = "linux")]
mod linux;
mod opened_file;
mod portable;
mod process;
mod system;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
pub(crate) use linux::{Linux as Native, open_by_path};
pub use opened_file::OpenedFile;
pub(crate) use portable::Portable;
#[cfg(not(target_os = "linux"))]
pub(crate) use portable::{Portable as Native, open_by_path};
pub(crate) use process::{DescriptorLimit, blocking_waits, descriptor_limit, reserve_descriptors};
pub(crate) use system::{Links, Lister, OpenFile, Progress, Status, System, too_many_links};
