//! Memory maps that survive truncation of their file.
//!
//! A thread that touches a page of a map without a file behind it receives SIGBUS at that
//! instruction. So the thread records the map it is about to read from ([`CURRENT`]) for as long as
//! it does. If the address lies in the recorded map, the handler replaces all pages from there on
//! by zeros, and the instruction is repeated successfully. Any other SIGBUS is passed on to the
//! previous handler, such as Rust's own, which reports stack overflows.
//!
//! The handler accesses atomics of its own thread and makes one system call, `mmap`. POSIX does not
//! list it among the functions a handler may call; on Linux, macOS and the BSDs it is a plain
//! system call. macOS raises SIGBUS for a page that cannot be read, and SIGSEGV only for an address
//! without a map; `si_addr` is the address for both of its processors.

#![allow(unsafe_code)]

use std::{
    ffi::{c_int, c_void},
    fs::File,
    mem, ptr,
    sync::{
        OnceLock,
        atomic::{AtomicPtr, AtomicUsize, Ordering, compiler_fence, fence},
    },
};

use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous, munmap};

/// A part of a file in memory, from a page's start on.
#[derive(Debug)]
pub(crate) struct Mapping {
    start: *mut c_void,
    len: usize,
    /// The address from which on it is lost; [`WHOLE`] if nothing is.
    lost: AtomicUsize,
}

// SAFETY: the map is only read, by methods that several threads may call at once: what one thread
// finds lost, the others learn by `lost`, and its handler maps pages of zeros there.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// A whole file. `None` if it is empty or not regular, or if it cannot be mapped.
    pub(crate) fn of(file: &File) -> Option<Mapping> {
        let metadata = file.metadata().ok().filter(|metadata| metadata.is_file())?;
        // The largest offset that pointers allow.
        let len = isize::try_from(metadata.len()).ok().filter(|len| *len > 0)? as usize;
        Mapping::of_part(file, 0, len)
    }

    /// `len` bytes from `offset` on, which is a multiple of the page size. `None` if they cannot be
    /// mapped.
    pub(crate) fn of_part(file: &File, offset: u64, len: usize) -> Option<Mapping> {
        if !is_handler_installed() {
            return None;
        }
        // SAFETY: without a requested address, the map replaces no other mapping.
        let start =
            unsafe { mmap(ptr::null_mut(), len, ProtFlags::READ, MapFlags::PRIVATE, file, offset) };
        Some(Mapping { start: start.ok()?, len, lost: AtomicUsize::new(WHOLE) })
    }

    /// The number of bytes that were mapped.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Fills `buffer` with the bytes from `offset` on, which must lie in the map. Returns how many
    /// of them exist. The others are meaningless.
    pub(crate) fn copy(&self, offset: usize, buffer: &mut [u8]) -> usize {
        // The callers always satisfy this, but the safety of the copy must not depend on it.
        assert!(offset <= self.len && buffer.len() <= self.len - offset, "copies lie in the map");
        let left = self.guarded(|start| {
            // SAFETY: the bytes lie in the map, as asserted, and can be read, as `guarded` has it.
            // `buffer` is borrowed exclusively and is not part of the map, to which there are no
            // references at all. Another process may write these bytes meanwhile, or this one
            // through a system call. No interface reads such bytes atomically; but no decision
            // depends on them here, neither what is read nor where it goes. They are only moved, by
            // a copy that the fence in `forget` keeps the compiler from repeating or delaying, and
            // all later code reads `buffer`, which does not change. A byte caught in a change has
            // some value, as in a `read` at that moment.
            unsafe {
                ptr::copy_nonoverlapping(start.add(offset), buffer.as_mut_ptr(), buffer.len());
            }
        });
        buffer.len().min(left.saturating_sub(offset))
    }

    /// Calls `read` with the start of the map. It may read every byte of the map. Returns how many
    /// bytes exist. The others read as zeros, now and later.
    pub(crate) fn guarded(&self, read: impl FnOnce(*const u8)) -> usize {
        let start = self.start.addr();
        let noted = Noted::new(start, start + self.len, &self.lost);
        // The map is readable until `self` is dropped, and pages without a file are replaced for as
        // long as the map is recorded, so every byte can be read.
        read(self.start.cast::<u8>().cast_const());
        drop(noted);
        // Ordering: Acquire, before the load: another thread's handler stores to `lost` before it
        // maps zeros, so who has read those finds it changed.
        fence(Ordering::Acquire);
        self.len.min(self.lost.load(Ordering::Relaxed) - start)
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: this is the whole map as it was made, or what the handler put in its place, and
        // there is no reference into it. The call fails only for arguments that were never mapped.
        let _ = unsafe { munmap(self.start, self.len) };
    }
}

/// The map a thread is reading from; 0 to 0 if there is none.
struct Current {
    start: AtomicUsize,
    end: AtomicUsize,
    /// [`Mapping::lost`].
    lost: AtomicPtr<AtomicUsize>,
}

/// An address after every other.
const WHOLE: usize = usize::MAX;

thread_local! {
    // Constant and without a destructor: an access allocates and registers nothing, so the handler
    // may make one. On macOS a thread's first access allocates, which is the one in `note` if the
    // thread reads a map; any other SIGBUS there ends the program anyway.
    static CURRENT: Current = const {
        Current {
            start: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
            lost: AtomicPtr::new(ptr::null_mut()),
        }
    };
}

/// The size of a page, set before the handler is installed.
static PAGE: AtomicUsize = AtomicUsize::new(0);

/// The previous action for SIGBUS.
static PREVIOUS: OnceLock<libc::sigaction> = OnceLock::new();

/// The record of a map, which ends when this is dropped, also if what reads the map panics. The map
/// may be dropped then, and a handler that knows the map would write to what has taken its place.
struct Noted;

impl Noted {
    /// Records the map from `start` to `end`.
    fn new(start: usize, end: usize, lost: &AtomicUsize) -> Noted {
        note(start, end, lost);
        Noted
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        forget();
    }
}

/// Records the map from `start` to `end`, so that the handler covers it.
fn note(start: usize, end: usize, lost: &AtomicUsize) {
    // Ordering: Relaxed, since the only reader is this thread's own handler, which runs between two
    // instructions. This fence and the one in `forget` keep the compiler from moving accesses to
    // the map across.
    CURRENT.with(|current| {
        current.lost.store(ptr::from_ref(lost).cast_mut(), Ordering::Relaxed);
        current.start.store(start, Ordering::Relaxed);
        current.end.store(end, Ordering::Relaxed);
    });
    compiler_fence(Ordering::SeqCst);
}

/// Ends the record of the map.
fn forget() {
    // Ordering: Relaxed and a fence, as in `note`.
    compiler_fence(Ordering::SeqCst);
    CURRENT.with(|current| {
        current.start.store(0, Ordering::Relaxed);
        current.end.store(0, Ordering::Relaxed);
    });
}

/// Installs the handler on first use. Returns whether it is installed.
fn is_handler_installed() -> bool {
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    *INSTALLED.get_or_init(|| {
        // Ordering: Relaxed; this thread installs the handler later, and others synchronize through
        // the OnceLock.
        PAGE.store(rustix::param::page_size(), Ordering::Relaxed);
        // SAFETY: zeros are a valid `sigaction`, and the fields that matter are overwritten.
        let mut previous: libc::sigaction = unsafe { mem::zeroed() };
        // SAFETY: this only queries, and writes the result to a `sigaction` that outlives the call.
        if unsafe { libc::sigaction(libc::SIGBUS, ptr::null(), &raw mut previous) } != 0 {
            return false;
        }
        // Set before the handler can run, which may need it.
        let _ = PREVIOUS.set(previous);
        // SAFETY: as above.
        let mut action: libc::sigaction = unsafe { mem::zeroed() };
        action.sa_sigaction = on_sigbus as *const () as usize;
        // On the alternate stack, because the previous handler may have to report a stack overflow.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: `action` is initialized, with an empty mask from the zeros; `on_sigbus` has the
        // signature that SA_SIGINFO requires and does only what the head of this file lists.
        unsafe { libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut()) == 0 }
    })
}

extern "C" fn on_sigbus(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: a handler with SA_SIGINFO receives a valid `info`, which has an address for SIGBUS.
    // For a signal sent by a process it is any number; one that happens to lie in the map costs its
    // search an error, nothing else.
    let address = unsafe { (*info).si_addr() }.addr();
    if !replace_from(address) {
        pass_on(signal, info, context);
    }
}

/// Replaces the pages of the recorded map from the one that contains `address` on. Returns whether
/// it is replaced.
fn replace_from(address: usize) -> bool {
    let replace = |current: &Current| {
        // Ordering: Relaxed, as in `note`; this thread made the stores there.
        let start = current.start.load(Ordering::Relaxed);
        let end = current.end.load(Ordering::Relaxed);
        if !(start..end).contains(&address) {
            return false;
        }
        let page = address & !(PAGE.load(Ordering::Relaxed) - 1);
        // SAFETY: `note` recorded the address of the map's own `lost`, and `guarded` borrows the
        // map until the record has ended.
        let lost = unsafe { &*current.lost.load(Ordering::Relaxed) };
        // Ordering: Release, before the pages are replaced; see the fence in `guarded`.
        lost.fetch_min(page, Ordering::Release);
        // SAFETY: `page` is at least `start`, which begins a page, so all these pages belong to a
        // map that `guarded` has borrowed and that is only read. Their contents are lost anyway.
        let replaced = unsafe {
            mmap_anonymous(
                ptr::without_provenance_mut(page),
                end - page,
                ProtFlags::READ,
                MapFlags::PRIVATE | MapFlags::FIXED,
            )
        };
        replaced.is_ok()
    };
    CURRENT.try_with(replace).unwrap_or(false)
}

/// Passes a SIGBUS outside of the recorded map to the previous handler.
fn pass_on(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let Some(previous) = PREVIOUS.get() else {
        return;
    };
    match previous.sa_sigaction {
        libc::SIG_DFL | libc::SIG_IGN => {
            // SAFETY: restores the action that the system returned. The signal, raised again, is
            // delivered when this handler returns, and has its previous effect.
            unsafe {
                libc::sigaction(signal, previous, ptr::null_mut());
                libc::raise(signal);
            }
        }
        handler if previous.sa_flags & libc::SA_SIGINFO != 0 => {
            // SAFETY: the code that installed `handler` with SA_SIGINFO passed a function of this
            // type.
            let handler = unsafe {
                mem::transmute::<usize, extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void)>(
                    handler,
                )
            };
            handler(signal, info, context);
        }
        handler => {
            // SAFETY: the code that installed `handler` without SA_SIGINFO passed a function of
            // this type.
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

    #[test]
    fn a_panic_ends_the_record_of_a_map() {
        let mut file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut file, b"text").unwrap();
        let mapping = Mapping::of(&file).unwrap();
        let read = || mapping.guarded(|_| panic!("what reads the map fails"));
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read));
        assert!(panicked.is_err());
        CURRENT.with(|current| assert_eq!(current.end.load(Ordering::Relaxed), 0));
        assert_eq!(mapping.guarded(|_| {}), 4);
    }
}
