//! What Linux knows about the page cache, and memory pages that belong to no file.

#![allow(unsafe_code)]

use std::{fs::File, io::IoSliceMut, mem::MaybeUninit};

use nix::sys::resource::{UsageWho, getrusage};
use rustix::{
    io::{ReadWriteFlags, preadv2},
    mm::{Advice, madvise},
};

/// Whether the byte at `offset` can be read without waiting for a disk.
pub(crate) fn is_cached(file: &File, offset: u64) -> bool {
    let mut byte = [0];
    let into = &mut [IoSliceMut::new(&mut byte)];
    preadv2(file, into, offset, ReadWriteFlags::NOWAIT).is_ok_and(|got| got == 1)
}

/// How many page faults this thread has had that needed no disk.
pub(crate) fn page_faults() -> u64 {
    let usage = getrusage(UsageWho::RUSAGE_THREAD);
    usage.ok().and_then(|usage| u64::try_from(usage.minor_page_faults()).ok()).unwrap_or(0)
}

/// How large a large page is, which is a multiple of any other page's size, on most systems.
const LARGE_PAGE: usize = 2 << 20;

/// Advises the system to provide unused memory in large pages when it is first written to: 512
/// times fewer page faults. Whether it does is up to its settings. The memory should not grow
/// later: what is partly advised cannot be remapped, and is copied.
pub(crate) fn prefer_large_pages(unused: &mut [MaybeUninit<u8>]) {
    let front = unused.as_ptr().align_offset(LARGE_PAGE).min(unused.len());
    let whole = &mut unused[front..];
    let len = whole.len() - whole.len() % LARGE_PAGE;
    if len > 0 {
        // SAFETY: the range consists of whole pages that are borrowed exclusively. The advice
        // neither changes their contents nor what may be done with them.
        let _ = unsafe { madvise(whole.as_mut_ptr().cast(), len, Advice::LinuxHugepage) };
    }
}
