//! The process that watches a tree: one loop, which waits for the system's reports, for searches,
//! and for a newer index.
//!
//! | file | holds |
//! |---|---|
//! | `tree` | what is watched, and what has changed |
//! | `compare` | watching all directories, and comparing all files with the index |
//! | `pass` | how far that has come |
//! | `links` | which files may be changed under several names |
//! | `listing` | the names in a directory |
//! | `names` | names that appear in the tree |
//! | `mounts` | file systems that are mounted inside the tree |
//! | `index_dir` | the directory of the index: a lock, and whether the index is another one |

mod compare;
mod index_dir;
mod links;
mod listing;
mod mounts;
mod names;
mod pass;
#[cfg(test)]
mod tests;
mod tree;

use std::{
    io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use heist_index::Home;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::{AsFd, OwnedFd},
    io::Errno,
    net::{RecvFlags, SendFlags, SocketFlags, accept_with, recv, send, sockopt},
};

use self::{
    index_dir::{IndexDir, News},
    mounts::Mounts,
    tree::Tree,
};
use crate::{
    config::{Ended, WatchConfig},
    error::Error,
    message::{Question, Reply},
    socket::{self, listen_in, mount_namespace, own_peer},
    status::{Status, Unknown},
};

/// The time after which the comparison with the index pauses for searches.
const SLICE: Duration = Duration::from_millis(5);
/// The time that a search may need to send its question or to receive the reply.
const PEER_TIMEOUT: Duration = Duration::from_millis(50);
/// Changes that the system does not report are found by comparing all files again, after a search
/// and no sooner than this after the last comparison.
const AGE: Duration = Duration::from_secs(60);
/// The most of a processor's time that goes into comparisons when reports are lost again and again.
const SHARE: u32 = 20;
/// The time from the loss of reports to the next comparison.
const PAUSE: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(60));

/// Watches a tree, and answers searches.
pub struct Watcher {
    home: Home,
    root: PathBuf,
    config: WatchConfig,
    dir: IndexDir,
    mounts: Mounts,
    namespace: u64,
    listener: OwnedFd,
    /// `None` while the index cannot be used.
    tree: Option<Tree>,
    /// When all files are to be compared again.
    pass_due: Option<Instant>,
    pass_ended: Instant,
    started: Instant,
    last_search: Instant,
    answers: u64,
    /// The command that has ended the process. It waits until this is closed, the last of all:
    /// there is no lock any longer then.
    stopped_by: Option<OwnedFd>,
}

impl Watcher {
    /// Prepares to watch the directory `root`, a canonical path, which has an index in `home`.
    ///
    /// # Errors
    /// [`Error::Running`]; [`Error::NoSnapshot`]; the index or the directory cannot be used.
    pub fn new(home: &Home, root: &Path, config: WatchConfig) -> Result<Watcher, Error> {
        let dir = home.dir_of(root);
        let index = index_dir::open(home, root)?;
        let index_dir = IndexDir::lock(&dir)?;
        // Before anything is compared.
        let mounts = Mounts::below(root)?;
        let tree = Some(Tree::new(index)?);
        let now = Instant::now();
        Ok(Watcher {
            home: home.clone(),
            root: root.to_owned(),
            config,
            namespace: mount_namespace()?,
            listener: listen_in(&dir)?,
            dir: index_dir,
            mounts,
            tree,
            pass_due: None,
            pass_ended: now,
            started: now,
            last_search: now,
            answers: 0,
            stopped_by: None,
        })
    }

    /// Watches until there is a reason to end. `when_ready` is called once searches are answered,
    /// with the number of directories.
    ///
    /// # Errors
    /// [`Error::WatchLimit`]; the system's error.
    pub fn run(self, when_ready: impl FnOnce(u64)) -> Result<Ended, Error> {
        let (mut this, mut when_ready) = (self, Some(when_ready));
        let ended = loop {
            this.wait()?;
            if let Some(ended) = this.take_news()? {
                break ended;
            }
            if let Some(ended) = this.answer_all()? {
                break ended;
            }
            this.compare()?;
            let known = this.tree.as_ref().filter(|tree| tree.lost.is_none());
            if let Some(tree) = known
                && let Some(when_ready) = when_ready.take()
            {
                when_ready(tree.dirs());
            }
            if this.last_search.elapsed() >= this.config.idle {
                break Ended::Idle;
            }
        };
        if ended != Ended::IndexGone {
            // The lock is still held, so that it is no other process's. What remains is in no way.
            let _ = std::fs::remove_file(this.home.dir_of(&this.root).join(socket::NAME));
        }
        Ok(ended)
    }

    /// Waits for something to do.
    fn wait(&mut self) -> Result<(), Error> {
        let now = Instant::now();
        let is_comparing = self.tree.as_ref().is_some_and(|tree| tree.pass.is_some());
        let until = match self.pass_due {
            _ if is_comparing => now,
            Some(due) => due.min(self.last_search + self.config.idle),
            None => self.last_search + self.config.idle,
        };
        let left = until.saturating_duration_since(now);
        let left = Timespec { tv_sec: left.as_secs() as _, tv_nsec: left.subsec_nanos().into() };
        let has_news = {
            let input = |fd| PollFd::from_borrowed_fd(fd, PollFlags::IN);
            let mut fds = vec![
                PollFd::from_borrowed_fd(self.mounts.as_fd(), PollFlags::PRI),
                input(self.listener.as_fd()),
                input(self.dir.as_fd()),
            ];
            fds.extend(self.tree.as_ref().map(|tree| input(tree.reports.as_fd())));
            match poll(&mut fds, Some(&left)) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(io::Error::from(error).into()),
            }
            !fds[0].revents().is_empty()
        };
        if has_news && self.mounts.note()? {
            self.begin_anew()?;
        }
        Ok(())
    }

    /// Takes in what has happened to the tree and to its index.
    fn take_news(&mut self) -> Result<Option<Ended>, Error> {
        match self.dir.news()? {
            News::None => {}
            News::Gone => return Ok(Some(Ended::IndexGone)),
            News::Changed => match index_dir::open(&self.home, &self.root) {
                Ok(index) => {
                    let known = self.tree.as_ref().map(|tree| tree.identity);
                    if known != Some(index.identity()) {
                        self.begin_anew()?;
                    }
                }
                Err(heist_index::Error::Absent) => return Ok(Some(Ended::IndexGone)),
                Err(error) => return Err(error.into()),
            },
        }
        if self.mounts.have_changed()? {
            self.begin_anew()?;
        }
        let Some(tree) = &mut self.tree else { return Ok(None) };
        let end = tree.drain()?;
        if matches!(tree.lost, Some(Unknown::Lost))
            && tree.pass.is_none()
            && self.pass_due.is_none()
        {
            let pause = (tree.pass_took * SHARE).clamp(PAUSE.0, PAUSE.1);
            self.pass_due = Some(Instant::now() + pause);
        }
        Ok(end.map(|tree::WatchEnd::RootGone| Ended::RootGone))
    }

    /// Watches the tree as if it had not been watched.
    fn begin_anew(&mut self) -> Result<(), Error> {
        // The old watches count until they are gone.
        self.tree = None;
        self.pass_due = None;
        self.tree = match Tree::new(index_dir::open(&self.home, &self.root)?) {
            Ok(tree) => Some(tree),
            // The next index may have one.
            Err(Error::NoSnapshot) => None,
            // It has been replaced once more.
            Err(Error::Index(heist_index::Error::Absent)) => None,
            Err(error) => return Err(error),
        };
        Ok(())
    }

    /// Goes on with the comparison of all files, if there is one.
    fn compare(&mut self) -> Result<(), Error> {
        let Some(tree) = &mut self.tree else { return Ok(()) };
        if self.pass_due.is_some_and(|due| due <= Instant::now()) {
            self.pass_due = None;
            tree.begin_pass()?;
        }
        if tree.pass.is_some() && tree.pass_for(SLICE)? {
            self.pass_ended = Instant::now();
        }
        Ok(())
    }

    /// Answers the searches that wait. Returns why to end, if that is what one wants.
    fn answer_all(&mut self) -> Result<Option<Ended>, Error> {
        loop {
            match accept_with(&self.listener, SocketFlags::CLOEXEC) {
                Ok(stream) => {
                    if let Some(ended) = self.answer(&stream)? {
                        self.stopped_by = Some(stream);
                        return Ok(Some(ended));
                    }
                }
                Err(Errno::AGAIN) => return Ok(None),
                // It has gone already, or a signal came.
                Err(Errno::INTR | Errno::CONNABORTED) => {}
                Err(error) => return Err(io::Error::from(error).into()),
            }
        }
    }

    fn answer(&mut self, stream: &OwnedFd) -> Result<Option<Ended>, Error> {
        // What goes wrong with a search is for the search to deal with.
        let Some(question) = question(stream) else { return Ok(None) };
        let mut ended = None;
        // What was changed before the question was sent has been reported by now.
        if let Some(ended) = self.take_news()? {
            return Ok(Some(ended));
        }
        let bytes = match question {
            Question::Changes { identity, mounts } => {
                self.last_search = Instant::now();
                self.answers += 1;
                self.changes_since(identity, mounts)
            }
            Question::Status => Reply::Status(self.status()).to_bytes(),
            Question::Stop => {
                ended = Some(Ended::Stopped);
                Reply::Stopping.to_bytes()
            }
        };
        let _ = send_all(stream, &bytes);
        let is_comparing = self.tree.as_ref().is_none_or(|tree| tree.pass.is_some());
        if self.pass_ended.elapsed() > AGE && self.pass_due.is_none() && !is_comparing {
            self.pass_due = Some(Instant::now());
        }
        Ok(ended)
    }

    fn changes_since(&self, identity: u64, mounts: u64) -> Vec<u8> {
        let known = self.tree.as_ref().filter(|tree| tree.identity == identity);
        let reply = match known {
            _ if mounts != self.namespace => Reply::Unknown(&Unknown::OtherMounts),
            None => Reply::Unknown(&Unknown::OtherIndex),
            Some(Tree { lost: Some(why), .. }) => Reply::Unknown(why),
            Some(tree) => Reply::Changes { root: tree.id, changes: &tree.changes },
        };
        reply.to_bytes()
    }

    fn status(&self) -> Status {
        let tree = self.tree.as_ref();
        Status {
            process: std::process::id(),
            seconds: self.started.elapsed().as_secs(),
            dirs: tree.map_or(0, Tree::dirs),
            answers: self.answers,
            changes: tree.map_or([0; 3], |tree| tree.changes.counts()),
            is_comparing: tree.is_some_and(|tree| tree.lost.is_some()),
        }
    }
}

/// Receives a question from a search by the same user.
fn question(stream: &OwnedFd) -> Option<Question> {
    own_peer(stream).ok()?;
    for side in [sockopt::Timeout::Recv, sockopt::Timeout::Send] {
        sockopt::set_socket_timeout(stream, side, Some(PEER_TIMEOUT)).ok()?;
    }
    let mut bytes = [0; Question::ENCODED_LEN];
    let (len, _) = recv(stream, &mut bytes[..], RecvFlags::WAITALL).ok()?;
    if len < bytes.len() {
        return None;
    }
    Question::from_bytes(&bytes)
}

fn send_all(stream: &OwnedFd, bytes: &[u8]) -> Result<(), Errno> {
    let mut rest = bytes;
    while !rest.is_empty() {
        match send(stream, rest, SendFlags::NOSIGNAL) {
            Ok(len) => rest = &rest[len..],
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
