//! The hits of a search in batches, and the account of what was shown.

use std::{
    ops::ControlFlow,
    panic::resume_unwind,
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::{
    CancelToken, Error, Hit, HitInContext, HitKind, Search, Skipped, lines_around::LinesAround,
    mailbox::Mailbox,
};

/// What [`Batches`] adds to a search.
#[derive(Clone, Copy, Debug, Default)]
pub struct BatchOptions {
    /// Matching lines that are passed over before the first hit: where a page begins.
    pub offset: u64,
    /// How long the search may take.
    pub timeout: Option<Duration>,
}

/// The hits of a [`Search`], many at a time, each with the lines around it. Dropping it ends the
/// search.
///
/// The search runs in threads of its own, at most 8192 hits and 4 MiB, and 1 MiB per thread, ahead
/// of the reader. A batch is what was found since the last one, so that a reader that is slow, such
/// as another language, is woken seldom. All methods may be called from several threads.
///
/// ```
/// use heist::{BatchOptions, Batches, Cut, Search};
///
/// let search = Search::new("pub fn")?.root("src").sorted().limit(10);
/// let batches = Batches::new(search, BatchOptions::default());
/// let mut lines = Vec::new();
/// while let Some(batch) = batches.next_batch() {
///     lines.extend(batch.into_iter().map(|found| found.hit.line_number));
/// }
/// let shown = batches.finish()?;
/// assert_eq!((lines.len(), shown.results, shown.cut), (10, 10, Some(Cut::Limit)));
/// // The next page begins behind these.
/// assert_eq!(shown.next, Some(10));
/// # Ok::<(), heist::Error>(())
/// ```
#[derive(Debug)]
pub struct Batches {
    mailbox: Arc<Mailbox<HitInContext>>,
    /// The run, until it was joined.
    run: Mutex<Option<JoinHandle<Result<Shown, Error>>>>,
    is_cancelled: Arc<AtomicBool>,
    token: CancelToken,
}

/// How much a search has shown, what it left out, and where the next page begins.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Shown {
    /// Matching lines that were shown.
    pub results: u64,
    /// Files that they are in.
    pub files: u64,
    /// Files that were searched.
    pub files_searched: u64,
    /// Matching lines that were passed over before the first one shown.
    pub offset: u64,
    /// What ended the search before everything was shown.
    pub cut: Option<Cut>,
    /// The offset of the next page, if a limit or the time has left something out and the results
    /// have an order.
    pub next: Option<u64>,
    /// Paths that could not be walked or read and rule files with mistakes.
    pub errors: Vec<Error>,
    /// Entries that were left out. Empty unless
    /// [`Walk::name_skipped`](crate::Walk::name_skipped) was called.
    pub skipped: Skipped,
}

/// What ended a search before everything was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cut {
    /// There are more results than were to be shown.
    Limit,
    /// The time was up.
    Time,
    /// The reader or a token has cancelled the search.
    Cancelled,
}

impl Cut {
    /// What ended the search, in a word, as other languages name it.
    ///
    /// ```
    /// assert_eq!(heist::Cut::Time.name(), "timeout");
    /// ```
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Cut::Limit => "limit",
            Cut::Time => "timeout",
            Cut::Cancelled => "cancelled",
        }
    }
}

impl Batches {
    /// Starts `search`. Its [limit](Search::limit) counts the lines that are shown, and one more is
    /// looked for, so that [`Shown`] states whether there are any.
    #[must_use]
    pub fn new(mut search: Search, options: BatchOptions) -> Batches {
        let mailbox = Arc::new(Mailbox::new());
        let is_cancelled = Arc::new(AtomicBool::new(false));
        let token = CancelToken::new();
        search = search.cancel(&token);
        let deadline = options.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        if let Some(timeout) = options.timeout {
            search = search.cancel(&CancelToken::with_timeout(timeout));
        }
        let run = thread::spawn({
            let (mailbox, is_cancelled) = (Arc::clone(&mailbox), Arc::clone(&is_cancelled));
            move || {
                let _end = End(&mailbox);
                let page = Page::new(&mut search, options.offset);
                run(&search, page, &mailbox, deadline, &is_cancelled)
            }
        });
        Batches { mailbox, run: Mutex::new(Some(run)), is_cancelled, token }
    }

    /// The next hits, at least one; `None` once the search is over.
    #[must_use]
    pub fn next_batch(&self) -> Option<Vec<HitInContext>> {
        loop {
            match self.mailbox.take(Duration::MAX) {
                Some(batch) if batch.is_empty() => {}
                batch => return batch,
            }
        }
    }

    /// The next hits, if there are any within this time; `None` once the search is over. A reader
    /// that has something else to look at, such as signals, gets an empty batch meanwhile.
    #[must_use]
    pub fn next_batch_within(&self, patience: Duration) -> Option<Vec<HitInContext>> {
        self.mailbox.take(patience)
    }

    /// Ends the search. Hits that were found can still be read.
    pub fn cancel(&self) {
        // Ordering: Relaxed, the thread that reads it is joined before the result is used.
        self.is_cancelled.store(true, Ordering::Relaxed);
        self.token.cancel();
    }

    /// Ends the search. Hits that were not read are dropped.
    pub fn close(&self) {
        self.cancel();
        self.mailbox.close();
    }

    /// Waits for the end of the search, which must have been read to its end or
    /// [closed](Batches::close), and returns what it has shown. A panic of the search reaches the
    /// caller.
    ///
    /// # Errors
    /// Those of [`Search::run`]. A second call returns an account without anything in it.
    pub fn finish(&self) -> Result<Shown, Error> {
        let run = self.run.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(run) = run else { return Ok(Shown::default()) };
        run.join().unwrap_or_else(|payload| resume_unwind(payload))
    }
}

impl Drop for Batches {
    fn drop(&mut self) {
        self.close();
    }
}

/// States the end of a run, also of one that panics.
struct End<'a>(&'a Mailbox<HitInContext>);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.finish();
    }
}

/// Which of the hits are shown.
struct Page {
    offset: u64,
    limit: Option<u64>,
    is_sorted: bool,
    around: LinesAround,
    passed: u64,
    shown: Shown,
    /// The last file of which something was shown.
    last_path: Option<Arc<Path>>,
}

impl Page {
    /// The hits behind the first `offset` of a search, which gets rid of its limit.
    fn new(search: &mut Search, offset: u64) -> Page {
        let config = &search.options.config;
        Page {
            offset,
            limit: search.options.limit.take(),
            is_sorted: search.options.walk.is_sorted(),
            around: LinesAround::new(config.before_context, config.after_context),
            passed: 0,
            shown: Shown { offset, ..Shown::default() },
            last_path: None,
        }
    }

    fn push(&mut self, hit: &Hit<'_>, mailbox: &Mailbox<HitInContext>) -> ControlFlow<()> {
        let is_match = hit.kind() == HitKind::Match;
        let is_before = is_match && self.passed < self.offset;
        let is_beyond = is_match && !is_before && self.limit == Some(self.shown.results);
        let is_shown = is_match && !is_before && !is_beyond;
        if is_before {
            self.passed += 1;
        } else if is_beyond {
            self.shown.cut = Some(Cut::Limit);
        } else if is_match {
            self.shown.results += 1;
            let path = hit.shared_path();
            if !self.last_path.as_ref().is_some_and(|last| Arc::ptr_eq(last, path)) {
                self.shown.files += 1;
                self.last_path = Some(Arc::clone(path));
            }
        }
        self.around.push(hit, is_shown, &mut |found| send(mailbox, found))?;
        if is_beyond { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

fn send(mailbox: &Mailbox<HitInContext>, found: HitInContext) -> ControlFlow<()> {
    let bytes = found.len();
    mailbox.send(found, bytes)
}

/// Runs a search and sends what is on the page.
fn run(
    search: &Search,
    mut page: Page,
    mailbox: &Mailbox<HitInContext>,
    deadline: Option<Instant>,
    is_cancelled: &AtomicBool,
) -> Result<Shown, Error> {
    let summary = search.run(|hit| page.push(hit, mailbox))?;
    let _ = page.around.flush(&mut |found| send(mailbox, found));
    let Page { mut shown, is_sorted, .. } = page;
    if shown.cut.is_none() && !summary.is_complete {
        let is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
        // Ordering: Relaxed, the flag publishes no other memory.
        let is_time = is_late && !is_cancelled.load(Ordering::Relaxed);
        shown.cut = Some(if is_time { Cut::Time } else { Cut::Cancelled });
    }
    let goes_on = matches!(shown.cut, Some(Cut::Limit | Cut::Time)) && is_sorted;
    shown.next = goes_on.then(|| shown.offset + shown.results);
    shown.files_searched = summary.files_searched;
    shown.errors = summary.errors;
    shown.skipped = summary.skipped;
    Ok(shown)
}
