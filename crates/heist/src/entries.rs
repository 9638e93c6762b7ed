//! The iterator over the entries of a walk.

use std::{
    ops::ControlFlow,
    panic::resume_unwind,
    sync::mpsc::{self, Receiver, SyncSender},
    thread::{self, JoinHandle},
    vec,
};

use heist_walk::OwnedEntry;

use crate::{Error, Walk};

/// Entries that an iterator's walk may be ahead of its reader.
const AHEAD: usize = 1024;

/// The entries of a [`Walk`], as an iterator. Dropping it ends the walk.
///
/// A path that could not be walked is an `Err`, and the iteration goes on behind it; an `Err` that
/// kept the walk from starting is the only item. A panic of the walk reaches the caller.
#[derive(Debug)]
pub struct Entries {
    source: Source,
}

/// Where the entries come from.
#[derive(Debug)]
enum Source {
    /// A walk in threads of its own.
    Walk(Receiver<Result<OwnedEntry, Error>>, Option<JoinHandle<()>>),
    /// A walk that is over.
    Sorted(vec::IntoIter<Result<OwnedEntry, Error>>),
}

impl Iterator for Entries {
    type Item = Result<OwnedEntry, Error>;

    fn next(&mut self) -> Option<Result<OwnedEntry, Error>> {
        match &mut self.source {
            Source::Walk(entries, thread) => {
                let entry = entries.recv().ok();
                if entry.is_none()
                    && let Some(Err(payload)) = thread.take().map(JoinHandle::join)
                {
                    resume_unwind(payload);
                }
                entry
            }
            Source::Sorted(entries) => entries.next(),
        }
    }
}

impl IntoIterator for Walk {
    type Item = Result<OwnedEntry, Error>;
    type IntoIter = Entries;

    fn into_iter(self) -> Entries {
        let source = if self.is_sorted() {
            let items = match self.collect_sorted() {
                Ok(sorted) => {
                    let errors = sorted.errors.into_iter().map(Err);
                    sorted.entries.into_iter().map(Ok).chain(errors).collect()
                }
                Err(error) => vec![Err(error)],
            };
            Source::Sorted(items.into_iter())
        } else {
            let (sender, receiver) = mpsc::sync_channel(AHEAD);
            let thread = thread::spawn(move || self.send_to(&sender));
            Source::Walk(receiver, Some(thread))
        };
        Entries { source }
    }
}

impl Walk {
    /// Sends every entry, then every error, until the receiver is dropped.
    fn send_to(self, sender: &SyncSender<Result<OwnedEntry, Error>>) {
        let sent = self.run(|entry| match sender.send(Ok(entry.to_owned_entry(None))) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        });
        let errors = match sent {
            Ok(summary) => summary.errors,
            Err(error) => vec![error],
        };
        errors.into_iter().map(Err).try_for_each(|error| sender.send(error).ok());
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn a_panic_of_the_walk_reaches_the_reader_of_its_entries() {
        let (sender, receiver) = mpsc::sync_channel(AHEAD);
        let thread = thread::spawn(move || {
            let _sender = sender;
            panic!("the walk fails");
        });
        let mut entries = Entries { source: Source::Walk(receiver, Some(thread)) };
        let next = catch_unwind(AssertUnwindSafe(|| entries.next().is_none()));
        let payload = next.expect_err("it is no ordinary end");
        assert_eq!(payload.downcast_ref(), Some(&"the walk fails"));
        assert!(entries.next().is_none(), "afterwards there is nothing");
    }
}
