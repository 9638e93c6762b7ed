//! The page cache of Linux.

#![allow(unsafe_code)]

use std::{fs::File, io::IoSliceMut, mem};

use rustix::io::{ReadWriteFlags, preadv2};

/// Whether the byte at `offset` can be read without waiting for a disk.
pub(crate) fn is_cached(file: &File, offset: u64) -> bool {
    let mut byte = [0];
    let into = &mut [IoSliceMut::new(&mut byte)];
    preadv2(file, into, offset, ReadWriteFlags::NOWAIT).is_ok_and(|got| got == 1)
}

/// The number of page faults of this thread that needed no disk.
pub(crate) fn page_faults() -> u64 {
    // SAFETY: zeros are a valid `rusage`.
    let mut usage: libc::rusage = unsafe { mem::zeroed() };
    // SAFETY: the call writes to a `rusage` that outlives it.
    unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
    u64::try_from(usage.ru_minflt).unwrap_or(0)
}
