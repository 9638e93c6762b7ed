//! The iterator over the entries of a walk.

use std::{fmt, mem, vec};

use heist_walk::OwnedEntry;

use crate::{Error, Walk, stream::Stream};

/// The entries of a [`Walk`], as an iterator. Dropping it ends the walk.
///
/// A path that could not be walked is an `Err`, and the iteration goes on behind it; an `Err` that
/// kept the walk from starting is the only item. A panic of the walk reaches the caller. The
/// iterator ends alike after a walk that was cancelled; [`Walk::run`] returns whether a walk was
/// complete.
///
/// ```
/// use heist::{Entries, Walk};
///
/// let entries: Entries = Walk::new("src").max_depth(1).sorted().into_iter();
/// let names: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
/// assert!(names.contains(&"src/lib.rs".into()));
/// ```
pub struct Entries {
    source: EntrySource,
}

/// Where the entries come from.
enum EntrySource {
    /// A walk in threads of its own.
    Walk(Stream<OwnedEntry>),
    /// A walk that is over: its entries, and its errors.
    Sorted(Box<dyn Iterator<Item = OwnedEntry> + Send>, vec::IntoIter<Error>),
}

impl Iterator for Entries {
    type Item = Result<OwnedEntry, Error>;

    fn next(&mut self) -> Option<Result<OwnedEntry, Error>> {
        match &mut self.source {
            EntrySource::Walk(stream) => stream.next(),
            EntrySource::Sorted(entries, errors) => {
                entries.next().map(Ok).or_else(|| errors.next().map(Err))
            }
        }
    }
}

impl fmt::Debug for Entries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entries").finish_non_exhaustive()
    }
}

impl IntoIterator for Walk {
    type Item = Result<OwnedEntry, Error>;
    type IntoIter = Entries;

    fn into_iter(self) -> Entries {
        let source = match self.is_sorted().then(|| self.collect_sorted()) {
            Some(Ok(mut sorted)) => {
                let errors = mem::take(&mut sorted.errors);
                EntrySource::Sorted(Box::new(sorted.into_entries()), errors.into_iter())
            }
            Some(Err(error)) => {
                EntrySource::Sorted(Box::new([].into_iter()), vec![error].into_iter())
            }
            None => EntrySource::Walk(Stream::new(move |token, sender| {
                let walk = self.cancel(&token);
                let summary = walk.run(|entry| sender.send(entry.to_owned_entry(None)))?;
                Ok(summary.errors)
            })),
        };
        Entries { source }
    }
}
