//! Many files are written, by several threads.
//!
//! Files are written in batches. The new texts of a batch are written to the disk beside their
//! files; then the journal has their stamps; then they are put in their places. So the journal is
//! synced once for many files, and before the first of them is replaced.

use std::{
    collections::BTreeSet,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use crate::{
    Error, FileEdits, Journal,
    runs::new_tag,
    sys,
    write::{Staged, stage},
};

/// How many files are beside their old ones at a time.
const BATCH_FILES: usize = 512;

/// How many threads write new texts. Most of them wait for the disk, which writes what several
/// threads wait for at once, so that their number does not follow that of the cores.
const STAGING_THREADS: usize = 32;

/// What has been written, and what has not.
#[derive(Debug, Default)]
pub struct Applied {
    /// The indexes of the files that were written, in order.
    pub written: Vec<usize>,
    /// Why each of the others was not, and which directory could not be synced.
    pub failures: Vec<Error>,
}

/// Writes `files`. Each file is its old text or its new one at any time. The journal, if there is
/// one, is on the disk before the first file changes.
///
/// If the journal cannot be written any more, no further file is, and that is one of the failures.
///
/// # Errors
/// The journal cannot be written. No file has been written then.
pub fn apply(files: &[FileEdits], mut journal: Option<&mut Journal>) -> Result<Applied, Error> {
    let mut applied = Applied::default();
    let mut dirs = BTreeSet::new();
    let mut first = 0;
    if let Some(journal) = &mut journal {
        // On a full disk, a part of the journal would only take space.
        journal.begin(files).inspect_err(|_| journal.remove())?;
    }
    let tag = journal.as_ref().map_or_else(new_tag, |journal| journal.tag());
    for batch in files.chunks(BATCH_FILES) {
        let staged = stage_all(batch, tag);
        if let Some(journal) = &mut journal {
            let good =
                staged.iter().enumerate().filter_map(|(at, it)| Some((at, it.as_ref().ok()?)));
            if let Err(error) = journal.mark(good.map(|(at, it)| (first + at, it.stamp))) {
                applied.failures.push(error);
                break;
            }
        }
        let _lock = journal.as_ref().and_then(|journal| journal.lock());
        for (at, staged) in staged.into_iter().enumerate() {
            match staged.and_then(Staged::commit) {
                Ok(dir) => {
                    dirs.insert(dir);
                    applied.written.push(first + at);
                }
                Err(error) => applied.failures.push(error),
            }
        }
        first += batch.len();
    }
    applied.failures.extend(dirs.into_iter().filter_map(|dir| sync(&dir)));
    Ok(applied)
}

/// Writes a directory to the disk. Returns why it cannot be.
fn sync(dir: &Path) -> Option<Error> {
    let synced = sys::sync_dir(dir);
    synced.err().map(|error| Error::failed(dir, "cannot be written to the disk", error))
}

/// Writes the new texts of `files` beside them.
fn stage_all(files: &[FileEdits], tag: u64) -> Vec<Result<Staged<'_>, Error>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            // Ordering: Relaxed, because the number publishes nothing; each is handed out once.
            let at = next.fetch_add(1, Ordering::Relaxed);
            match files.get(at) {
                Some(file) => done.push((at, stage(file, tag))),
                None => return done,
            }
        }
    };
    let mut all = thread::scope(|scope| {
        let others = 1..STAGING_THREADS.min(files.len());
        // A thread that the system refuses is one less.
        let threads: Vec<_> =
            others.filter_map(|_| thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
        let mut all = work();
        for thread in threads {
            match thread.join() {
                Ok(done) => all.extend(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    all.sort_unstable_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, staged)| staged).collect()
}
