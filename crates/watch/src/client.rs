//! The side of a search: what has changed, from the process that watches the tree.

use std::{
    io,
    os::unix::fs::MetadataExt,
    path::Path,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::OwnedFd,
    io::Errno,
    process::{Pid, Signal, kill_process},
};

use crate::{
    changes::Changes,
    error::Error,
    message::{HEAD_LEN, Question, Received, reply_head, reply_of},
    socket::{connect_in, mount_namespace, own_peer},
    status::{Status, Unknown},
};

/// How long a search waits for an answer before it goes on without one.
pub const QUERY_TIMEOUT: Duration = Duration::from_millis(50);
/// How long a command about the process itself waits for an answer. The process may be comparing
/// files.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(2);
/// How often such a command begins again after the process has closed the connection.
const MAX_COMMAND_TRIES: u32 = 20;
/// More than any reply has.
const MAX_REPLY: usize = 1 << 30;

/// A question that is on its way to the process that watches a tree.
///
/// What was changed before it was sent is part of the answer, since the system reports a change to
/// the process before the call ends that makes it.
#[derive(Debug)]
pub struct Pending {
    stream: OwnedFd,
    deadline: Instant,
}

/// Requests what has changed since the index in `dir` with this
/// [identity](heist_index::Index::identity) was built.
///
/// # Errors
/// No process can be pending.
pub fn request(dir: &Path, identity: u64) -> Result<Pending, Unknown> {
    let mounts = mount_namespace()?;
    let (pending, _) = send(dir, Question::Changes { identity, mounts }, QUERY_TIMEOUT)?;
    Ok(pending)
}

impl Pending {
    /// Waits for the answer, not longer than [`QUERY_TIMEOUT`] after the question. `root` is the
    /// path of the directory that the index covers.
    ///
    /// # Errors
    /// What has changed is not known.
    pub fn changes(self, root: &Path) -> Result<Changes, Unknown> {
        match self.reply()? {
            Received::Changes { root: watched, changes } => {
                let metadata = std::fs::metadata(root)?;
                match watched == (metadata.dev(), metadata.ino()) {
                    true => Ok(changes),
                    false => Err(Unknown::OtherRoot),
                }
            }
            Received::Unknown(why) => Err(why),
            Received::Status(_) | Received::Stopping => Err(Unknown::OtherVersion),
        }
    }

    fn reply(&self) -> Result<Received, Unknown> {
        let mut head = [0; HEAD_LEN];
        self.read(&mut head)?;
        let (kind, len) = reply_head(&head).ok_or(Unknown::OtherVersion)?;
        if len > MAX_REPLY {
            return Err(Unknown::OtherVersion);
        }
        let mut body = vec![0; len];
        self.read(&mut body)?;
        reply_of(kind, &body).ok_or(Unknown::OtherVersion)
    }

    fn read(&self, buffer: &mut [u8]) -> Result<(), Unknown> {
        let mut filled = 0;
        while filled < buffer.len() {
            match rustix::io::read(&self.stream, &mut buffer[filled..]) {
                // It has ended, or did not wait for the question.
                Ok(0) => return Err(Unknown::Silent),
                Ok(len) => filled += len,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => self.wait()?,
                Err(error) => return Err(io::Error::from(error).into()),
            }
        }
        Ok(())
    }

    /// Whether the time for the reply is over.
    fn is_late(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// Waits until there is something to read.
    fn wait(&self) -> Result<(), Unknown> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let left = Timespec { tv_sec: left.as_secs() as _, tv_nsec: left.subsec_nanos().into() };
        let mut fds = [PollFd::new(&self.stream, PollFlags::IN)];
        match poll(&mut fds, Some(&left)) {
            Ok(0) => Err(Unknown::Silent),
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(io::Error::from(error).into()),
        }
    }
}

/// Returns what the process does that watches a tree. The tree's index is in `dir`.
///
/// # Errors
/// [`Error::NotRunning`]; [`Error::Silent`]; the system's error.
pub fn status(dir: &Path) -> Result<Status, Error> {
    for _ in 0..MAX_COMMAND_TRIES {
        let (pending, _) = send(dir, Question::Status, COMMAND_TIMEOUT).map_err(error_of)?;
        match pending.reply() {
            Ok(Received::Status(status)) => return Ok(status),
            Err(Unknown::Silent) if !pending.is_late() => {}
            Err(why) => return Err(error_of(why)),
            Ok(_) => break,
        }
    }
    Err(Error::Silent)
}

/// Ends the process that watches a tree, if need be by force. The tree's index is in `dir`. Returns
/// the number that the process had; `None` if it was in another process namespace.
///
/// # Errors
/// [`Error::NotRunning`]; [`Error::OutOfReach`]; the system's error.
pub fn stop(dir: &Path) -> Result<Option<u32>, Error> {
    for _ in 0..MAX_COMMAND_TRIES {
        let (pending, process) = send(dir, Question::Stop, COMMAND_TIMEOUT).map_err(error_of)?;
        match pending.reply() {
            Ok(Received::Stopping) => {
                // Until it has ended, another one cannot begin.
                let _ = pending.read(&mut [0]);
                return Ok(process);
            }
            Err(Unknown::Silent) if !pending.is_late() => {}
            _ => {
                let id = process.and_then(|process| Pid::from_raw(i32::try_from(process).ok()?));
                let id = id.ok_or(Error::OutOfReach)?;
                kill_process(id, Signal::KILL).map_err(io::Error::from)?;
                return Ok(process);
            }
        }
    }
    Err(Error::Silent)
}

fn send(
    dir: &Path,
    question: Question,
    patience: Duration,
) -> Result<(Pending, Option<u32>), Unknown> {
    let deadline = Instant::now() + patience;
    let stream = connect_in(dir).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => Unknown::NotWatched,
        // Too many others wait already.
        io::ErrorKind::WouldBlock => Unknown::Silent,
        _ => Unknown::Io(error),
    })?;
    let process = own_peer(&stream)?;
    // A socket that was just connected has room for a question.
    let bytes = question.to_bytes();
    rustix::net::send(&stream, &bytes, rustix::net::SendFlags::NOSIGNAL)
        .map_err(io::Error::from)?;
    Ok((Pending { stream, deadline }, process))
}

fn error_of(why: Unknown) -> Error {
    match why {
        Unknown::NotWatched => Error::NotRunning,
        Unknown::Io(error) => Error::Io(error),
        _ => Error::Silent,
    }
}
