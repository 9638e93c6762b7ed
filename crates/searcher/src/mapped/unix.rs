//! Memory maps that survive their file becoming shorter.
//!
//! Whoever touches a page of a map that no longer has a file behind it gets SIGBUS, in the thread that touched it and at
//! that instruction. So each thread notes the map it is searching ([`CURRENT`]). The handler, if the address lies in the
//! noted map, puts pages of zeros in the place of all from there on, and the instruction is tried again with success.
//! Any other SIGBUS goes to the handler there was before; Rust's own, which tells a stack that is full, is one.
//!
//! The handler touches atomics of its own thread and makes one system call, `mmap`. POSIX does not list that among the
//! calls a handler may make; on Linux and the BSDs it is nothing but the system call.

#![allow(unsafe_code)]

use std::{
    ffi::{c_int, c_void},
    fs::File,
    mem, ptr, slice,
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
        // No slice may be longer than that.
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

    /// What `search` makes of the bytes, and whether some of them got lost meanwhile.
    pub(super) fn with<T>(&self, search: impl FnOnce(&[u8]) -> T) -> (T, bool) {
        let _noted = Noted::new(self);
        // SAFETY: the `len` bytes from `start` are mapped, for reading, until `self` is dropped, and pages whose file is
        // gone are replaced while `_noted` lives, so every one can be read. That nobody changes them cannot be had from
        // a file: as with every memory map, whoever writes to it changes bytes under a shared reference. What looks at
        // them here decides by their values what is found and told, never where it reads: a search may then be wrong
        // about lines that were being written, as one that reads the file at that moment may be.
        let bytes = unsafe { slice::from_raw_parts(self.start.cast::<u8>(), self.len) };
        let made = search(bytes);
        (made, is_cut())
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: this is the whole map as it was made, or what the handler put in its place, and no reference into it
        // outlives `with`. It can only fail for arguments that were never mapped.
        let _ = unsafe { munmap(self.start, self.len) };
    }
}

/// The map a thread is searching; from 0 to 0 when there is none.
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

/// Whether something of the map that this thread is searching got lost.
pub(super) fn is_cut() -> bool {
    // Ordering: Relaxed and a fence for the compiler; the handler runs in this very thread, between two instructions.
    compiler_fence(Ordering::SeqCst);
    CURRENT.with(|current| current.lost.load(Ordering::Relaxed)) != WHOLE
}

/// Whether some of `bytes` may have got lost: bytes in the map, or a copy of some of them.
pub(super) fn is_lost(bytes: &[u8]) -> bool {
    compiler_fence(Ordering::SeqCst);
    CURRENT.with(|current| {
        // Ordering: Relaxed, as in `is_cut`.
        let lost = current.lost.load(Ordering::Relaxed);
        let start = bytes.as_ptr().addr();
        let is_in_map = current.start.load(Ordering::Relaxed) <= start
            && start < current.end.load(Ordering::Relaxed);
        lost != WHOLE && !(is_in_map && start + bytes.len() <= lost)
    })
}

/// As long as it lives, the handler looks after a map. Dropped, also by a panic, it brings back what was noted before.
struct Noted {
    before: (usize, usize, usize),
}

impl Noted {
    fn new(mapping: &Mapping) -> Noted {
        let start = mapping.start.addr();
        Noted { before: note((start, start + mapping.len, WHOLE)) }
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        note(self.before);
    }
}

/// Note another map, and give what was noted before.
fn note((start, end, lost): (usize, usize, usize)) -> (usize, usize, usize) {
    // Ordering: Relaxed, for the reader is this thread's own handler. The fences keep the compiler from moving accesses to
    // either map across.
    compiler_fence(Ordering::SeqCst);
    let before = CURRENT.with(|current| {
        (
            current.start.swap(start, Ordering::Relaxed),
            current.end.swap(end, Ordering::Relaxed),
            current.lost.swap(lost, Ordering::Relaxed),
        )
    });
    compiler_fence(Ordering::SeqCst);
    before
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
        // On the alternate stack, since the handler before may tell that the usual one is full.
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
        // SAFETY: `page` is no less than `start`, which begins a page, so these pages are all of a map that `Noted` keeps
        // alive, and that is only read from. What was there is lost anyway.
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
