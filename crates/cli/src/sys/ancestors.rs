//! Who holds the other end of standard input, from what Linux shows about other processes in
//! `/proc`.

use std::{fs, io, iter::successors, path::Path, process};

use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
use rustix::fs::OFlags;

/// Whether a process that started this one, directly or not, can write to standard input.
pub(crate) fn stdin_is_held_by_ancestor() -> bool {
    let Ok(stdin) = fs::read_link("/proc/self/fd/0") else { return false };
    // The two sockets of a pair have different names. Both know the process that created them.
    // The number is 0 for one in another process namespace.
    let creator = getsockopt(&io::stdin(), PeerCredentials).ok().map(|peer| peer.pid());
    let ancestors = successors(parent(process::id().cast_signed()), |pid| parent(*pid));
    ancestors.take_while(|pid| *pid > 0).any(|pid| Some(pid) == creator || can_write(pid, &stdin))
}

/// The parent of a process.
fn parent(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the command, in parentheses, can contain anything.
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

/// Whether the process has the pipe of this name open for writing. Without permission to know, no.
fn can_write(pid: i32, pipe: &Path) -> bool {
    let Ok(files) = fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
    files.flatten().any(|file| {
        let info = format!("/proc/{pid}/fdinfo/{}", file.file_name().display());
        let is_writable = |info: &str| {
            let flags = info.lines().find_map(|line| line.strip_prefix("flags:"))?;
            let flags = u32::from_str_radix(flags.trim(), 8).ok()?;
            Some(flags & OFlags::ACCMODE.bits() != 0)
        };
        fs::read_link(file.path()).is_ok_and(|name| name == pipe)
            && fs::read_to_string(info).is_ok_and(|info| is_writable(&info) == Some(true))
    })
}
