//! A hint for programs that start `hs` with a pipe as standard input and never write to it.
//!
//! Without a path, `hs` searches the pipe and waits forever. A slow pipeline typed into a shell
//! waits as well, but without need for a hint. The writer distinguishes the two: a shell closes its
//! own ends of the pipes that it creates, so the writer is a sibling of this process, while a
//! program that starts `hs` holds the other end itself. On Linux, the open files of the ancestors
//! of this process show which case it is.

use std::io::{self, IsTerminal};

const HINT: &str = "no path was given, so standard input is searched, but nothing has arrived from there yet.\n\
    To search files, give a path such as .";

/// Waits until standard input is readable, but not for long. Returns the hint to print if an
/// ancestor of this process leaves it open without writing to it, or with `--debug`, if it is
/// silent for any reason.
pub(crate) fn await_stdin() -> Option<&'static str> {
    let debugs = log::log_enabled!(log::Level::Debug);
    let seconds = if debugs || io::stderr().is_terminal() { 1 } else { 3 };
    (is_silent(seconds) && (debugs || is_held_by_ancestor())).then_some(HINT)
}

/// Whether standard input has neither data nor an end for this many seconds.
#[cfg(unix)]
fn is_silent(seconds: i64) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdin = io::stdin();
    let timeout = Timespec { tv_sec: seconds, tv_nsec: 0 };
    // An error, for instance because of a signal, is no evidence.
    poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&timeout)) == Ok(0)
}

#[cfg(not(unix))]
fn is_silent(_: i64) -> bool {
    false
}

/// Whether a process that started this one, directly or not, can write to standard input.
#[cfg(target_os = "linux")]
fn is_held_by_ancestor() -> bool {
    let Ok(stdin) = std::fs::read_link("/proc/self/fd/0") else { return false };
    // The two sockets of a pair have different names. Both know the process that created them.
    let creator = rustix::net::sockopt::socket_peercred(io::stdin()).ok();
    let creator = creator.map(|peer| peer.pid.as_raw_nonzero().get());
    let ancestors =
        std::iter::successors(parent(std::process::id().cast_signed()), |pid| parent(*pid));
    ancestors.take_while(|pid| *pid > 0).any(|pid| Some(pid) == creator || can_write(pid, &stdin))
}

#[cfg(not(target_os = "linux"))]
fn is_held_by_ancestor() -> bool {
    false
}

/// The parent of a process.
#[cfg(target_os = "linux")]
fn parent(pid: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the command, in parentheses, can contain anything.
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

/// Whether the process has the pipe of this name open for writing. Without permission to know, no.
#[cfg(target_os = "linux")]
fn can_write(pid: i32, pipe: &std::path::Path) -> bool {
    let Ok(files) = std::fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
    files.flatten().any(|file| {
        let info = format!("/proc/{pid}/fdinfo/{}", file.file_name().display());
        let is_writable = |info: &str| {
            let flags = info.lines().find_map(|line| line.strip_prefix("flags:"))?;
            let flags = u32::from_str_radix(flags.trim(), 8).ok()?;
            Some(flags & rustix::fs::OFlags::ACCMODE.bits() != 0)
        };
        std::fs::read_link(file.path()).is_ok_and(|name| name == pipe)
            && std::fs::read_to_string(info).is_ok_and(|info| is_writable(&info) == Some(true))
    })
}
