//! The socket in the directory of an index, and who is at its other end.

use std::{
    fs::File,
    io,
    os::{fd::AsRawFd, unix::ffi::OsStrExt},
    path::{Path, PathBuf},
};

use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
use rustix::{
    fd::{AsFd, OwnedFd},
    net::{
        AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, connect, listen, socket_with,
    },
};

/// The name of the socket.
pub(crate) const NAME: &str = "watcher";

/// Bytes that the path of a socket may have, with the NUL.
const MAX_PATH: usize = 108;
/// Connections that wait while the process does something else.
const MAX_PENDING_CONNECTIONS: i32 = 128;

/// A path that is short enough for a socket, as long as the file lives.
struct Address {
    path: PathBuf,
    _dir: Option<File>,
}

impl Address {
    fn new(dir: &Path) -> io::Result<Address> {
        let path = dir.join(NAME);
        if path.as_os_str().len() < MAX_PATH {
            return Ok(Address { path, _dir: None });
        }
        let dir = File::open(dir)?;
        let path = format!("/proc/self/fd/{}/{NAME}", dir.as_raw_fd()).into();
        Ok(Address { path, _dir: Some(dir) })
    }

    fn of_system(&self) -> io::Result<SocketAddrUnix> {
        Ok(SocketAddrUnix::new(self.path.as_os_str().as_bytes())?)
    }
}

fn stream() -> io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    Ok(socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?)
}

/// Listens at a new socket in `dir`, which is only this user's. The caller has a lock; a socket
/// that is there already is one of a process that is gone.
pub(crate) fn listen_in(dir: &Path) -> io::Result<OwnedFd> {
    match std::fs::remove_file(dir.join(NAME)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = stream()?;
    bind(&listener, &Address::new(dir)?.of_system()?)?;
    listen(&listener, MAX_PENDING_CONNECTIONS)?;
    Ok(listener)
}

/// Connects with the process that listens in `dir`. No call waits for it, or for others that wait
/// for it.
pub(crate) fn connect_in(dir: &Path) -> io::Result<OwnedFd> {
    let stream = stream()?;
    connect(&stream, &Address::new(dir)?.of_system()?)?;
    Ok(stream)
}

/// The number of the process at the other end; `None` if it has none here, because it is in another
/// process namespace. (`rustix` has a type for this number that cannot be 0.)
///
/// # Errors
/// The process is another user's.
pub(crate) fn own_peer(stream: impl AsFd) -> io::Result<Option<u32>> {
    let peer = getsockopt(&stream.as_fd(), PeerCredentials)?;
    match peer.uid() == rustix::process::geteuid().as_raw() {
        true => Ok(u32::try_from(peer.pid()).ok().filter(|process| *process > 0)),
        false => Err(io::ErrorKind::PermissionDenied.into()),
    }
}

/// A number that stands for the set of file systems that are mounted for this process.
pub(crate) fn mount_namespace() -> io::Result<u64> {
    Ok(rustix::fs::stat("/proc/self/ns/mnt")?.st_ino)
}
