//! Memory maps that survive their file becoming shorter.
//!
//! Whoever touches a page of a map that no longer has a file behind it gets SIGBUS, in the thread that touched it and at
//! that instruction. So a thread notes the map it is about to copy from ([`CURRENT`]), for as long as that takes. The
//! handler, if the address lies in the noted map, puts pages of zeros in the place of all from there on, and the
//! instruction is tried again with success. Any other SIGBUS goes to the handler there was before; Rust's own, which
//! emits a stack that is full, is one.
//!
//! The handler touches atomics of its own thread and makes one system call, `mmap`. POSIX does not list that among the
//! calls a handler may make; on Linux and the BSDs it is nothing but the system call.

#![allow(unsafe_code)]

use std::{
    ffi::{c_int, c_void},
    fs::File,
    mem, ptr,
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering, compiler_fence},
    },
};

use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous, munmap};

/// A whole file in memory.
#[derive(Debug)]
pub(super) struct Mapping {
    start: *mut c_void,
    len: usize,
}

impl Mapping {
    /// None if there is nothing to map, or mapping fails for whatever reason.
    pub(super) fn of(file: &File) -> Option<Mapping> {
        let metadata = file.metadata().ok().filter(|metadata| metadata.is_file())?;
        // Pointers may be moved no further than that.
        let len = isize::try_from(metadata.len()).ok().filter(|len| *len > 0)? as usize;
        if !is_handler_installed() {
            return None;
        }
        // SAFETY: without an address to map at, the map takes the place of nothing.
        let start =
            unsafe { mmap(ptr::null_mut(), len, ProtFlags::READ, MapFlags::PRIVATE, file, 0) };
        Some(Mapping { start: start.ok()?, len })
    }

    /// How many bytes the file had.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Fill `buffer` with the bytes from `offset` on, which must all lie in the map. Gives how many of them were there;
    /// those behind are of no meaning, and lost to later copies too, which give zeros for them and emit nothing.
    pub(super) fn copy(&self, offset: usize, buffer: &mut [u8]) -> usize {
        // `MappedFile` asks for nothing else; what is safe below must not rest on that.
        assert!(offset <= self.len && buffer.len() <= self.len - offset, "copies lie in the map");
        let start = self.start.addr();
        note(start, start + self.len);
        // SAFETY: the bytes lie in the map, as was asserted. It is there for reading until `self` is dropped, and pages
        // whose file is gone are replaced as long as the map is noted, so every byte can be read. `buffer` is borrowed
        // alone, and is no part of the map, to which there are no references at all. Another process may be writing
        // these bytes meanwhile, and this one through a system call. No interface gives such bytes atomically; but
        // nothing is decided by them here, neither what is read nor where it goes. They are only moved, by a copy that the
        // fence in `forget` keeps from being made again or put off, and what anyone looks at is `buffer`, which stays as
        // it is. A byte caught while it changes has some value, as in a `read` at that moment.
        unsafe {
            let from = self.start.cast::<u8>().cast_const().add(offset);
            ptr::copy_nonoverlapping(from, buffer.as_mut_ptr(), buffer.len());
        }
        let lost = forget();
        buffer.len().min(lost.saturating_sub(start + offset))
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: this is the whole map as it was made, or what the handler put in its place, and there is no
        // reference into it. It can only fail for arguments that were never mapped.
        let _ = unsafe { munmap(self.start, self.len) };
    }
}

/// The map a thread is copying from; from 0 to 0 when there is none.
struct Current {
    start: AtomicUsize,
    end: AtomicUsize,
    /// Where what got lost begins; [`WHOLE`] if nothing did.
    lost: AtomicUsize,
}

/// Behind every address.
const WHOLE: usize = usize::MAX;

thread_local! {
    // Constant and without a destructor: looking at it allocates and registers nothing, so the handler may.
    static CURRENT: Current = const {
        Current { start: AtomicUsize::new(0), end: AtomicUsize::new(0), lost: AtomicUsize::new(WHOLE) }
    };
}

/// The size of a page, written before the handler is installed.
static PAGE: AtomicUsize = AtomicUsize::new(0);

/// What happened on SIGBUS before.
static PREVIOUS: OnceLock<libc::sigaction> = OnceLock::new();

/// Note the map from `start` to `end`, none of which is known to be lost: the handler looks after it from now on.
fn note(start: usize, end: usize) {
    // Ordering: Relaxed, for the reader is this thread's own handler, which runs between two instructions. The fence, as
    // the one in `forget`, keeps the compiler from moving accesses to the map across.
    CURRENT.with(|current| {
        current.start.store(start, Ordering::Relaxed);
        current.end.store(end, Ordering::Relaxed);
        current.lost.store(WHOLE, Ordering::Relaxed);
    });
    compiler_fence(Ordering::SeqCst);
}

/// The handler looks after the noted map no more. Gives where what got lost meanwhile begins; [`WHOLE`] if nothing did.
fn forget() -> usize {
    // Ordering: Relaxed and a fence, as in `note`.
    compiler_fence(Ordering::SeqCst);
    CURRENT.with(|current| {
        current.start.store(0, Ordering::Relaxed);
        current.end.store(0, Ordering::Relaxed);
        current.lost.load(Ordering::Relaxed)
    })
}

/// Install the handler, the first time. Whether it is there.
fn is_handler_installed() -> bool {
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    *INSTALLED.get_or_init(|| {
        // Ordering: Relaxed; installing the handler comes later in this thread, and others wait for it in the OnceLock.
        PAGE.store(rustix::param::page_size(), Ordering::Relaxed);
        // SAFETY: zeros are a valid `sigaction`, of whose fields those that matter are overwritten.
        let mut previous: libc::sigaction = unsafe { mem::zeroed() };
        // SAFETY: asks only, and the answer is written to a `sigaction` that outlives the call.
        if unsafe { libc::sigaction(libc::SIGBUS, ptr::null(), &raw mut previous) } != 0 {
            return false;
        }
        // Known before the handler can run, which may need it.
        let _ = PREVIOUS.set(previous);
        // SAFETY: as above.
        let mut action: libc::sigaction = unsafe { mem::zeroed() };
        action.sa_sigaction = on_sigbus as *const () as usize;
        // On the alternate stack, since the handler before may emit that the usual one is full.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: `action` is filled in, its mask by the zeros is empty, and `on_sigbus` is a handler of the kind that
        // SA_SIGINFO says, which does only what the head of this file says.
        unsafe { libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut()) == 0 }
    })
}

extern "C" fn on_sigbus(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: a handler with SA_SIGINFO is given a valid `info`, and that of SIGBUS has an address. Of a signal that
    // somebody sent it is any number; one that happens to lie in the map costs its search an error, nothing else.
    let address = unsafe { (*info).si_addr() }.addr();
    if !replace_from(address) {
        pass_on(signal, info, context);
    }
}

/// Replace the pages of the noted map from the one that holds `address` on. Whether it is replaced.
fn replace_from(address: usize) -> bool {
    let replace = |current: &Current| {
        // Ordering: Relaxed, as in `note`, whose writes were made by this thread.
        let start = current.start.load(Ordering::Relaxed);
        let end = current.end.load(Ordering::Relaxed);
        if !(start..end).contains(&address) {
            return false;
        }
        let page = address & !(PAGE.load(Ordering::Relaxed) - 1);
        // SAFETY: `page` is no less than `start`, which begins a page, so these pages are all of a map that `copy` has
        // borrowed, and that is only read from. What was there is lost anyway.
        let replaced = unsafe {
            mmap_anonymous(
                ptr::without_provenance_mut(page),
                end - page,
                ProtFlags::READ,
                MapFlags::PRIVATE | MapFlags::FIXED,
            )
        };
        current.lost.fetch_min(page, Ordering::Relaxed);
        replaced.is_ok()
    };
    CURRENT.try_with(replace).unwrap_or(false)
}

/// A SIGBUS that is none of ours.
fn pass_on(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let Some(previous) = PREVIOUS.get() else {
        return;
    };
    match previous.sa_sigaction {
        libc::SIG_DFL | libc::SIG_IGN => {
            // SAFETY: puts back what the system gave. Raised again the signal comes when this handler returns, and does
            // what it would have done.
            unsafe {
                libc::sigaction(signal, previous, ptr::null_mut());
                libc::raise(signal);
            }
        }
        handler if previous.sa_flags & libc::SA_SIGINFO != 0 => {
            // SAFETY: whoever installed `handler` with SA_SIGINFO gave a function of this type.
            let handler = unsafe {
                mem::transmute::<usize, extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void)>(
                    handler,
                )
            };
            handler(signal, info, context);
        }
        handler => {
            // SAFETY: whoever installed `handler` without SA_SIGINFO gave a function of this type.
            let handler = unsafe { mem::transmute::<usize, extern "C" fn(c_int)>(handler) };
            handler(signal);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_know_which_pages_were_lost() {
        let file = tempfile::tempfile().unwrap();
        let page = rustix::param::page_size();
        for (left, offset, there) in
            [(3, 0, 3 * page), (3, page + 7, 2 * page - 7), (1, 2 * page, 0)]
        {
            file.set_len(8 * page as u64).unwrap();
            let mapping = Mapping::of(&file).unwrap();
            let mut buffer = vec![1; mapping.len() - offset];
            assert_eq!(mapping.copy(offset, &mut buffer), buffer.len());
            file.set_len((left * page) as u64).unwrap();
            assert_eq!(mapping.copy(offset, &mut buffer), there);
        }
    }
}
