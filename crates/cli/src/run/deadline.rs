//! How a run ends if its results or its time are limited: with how much was shown, and how much
//! there is.

use std::{
    error::Error,
    io, process,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
        mpsc::channel,
    },
    thread,
    time::{Duration, Instant},
};

use heist_walk::Root;

use crate::{
    error::{FAILED_CODE, exit_code, park},
    output::{Budget, Shown, finish_paging, print, status_line},
    resolved::{AccountUse, ResolvedArgs, Sorting},
    run::running::end_programs,
    sys,
    texts::messages::{self, Messages},
    typed::{GroupBy, Mode, SearchMode, TypedArgs},
};

/// How long a run may take to end by itself after its time is up. Workers notice at the end of a
/// file, or at a result; one that waits for a pipe may not notice at all.
const GRACE_PERIOD: Duration = Duration::from_millis(250);

/// The message if the patterns or the paths were still being read.
const TOO_EARLY: &str = "the time was up before the search began (--timeout)";

/// How results are counted and where that is reported.
#[derive(Clone, Copy, Debug)]
struct ReportForm {
    /// The word for results; `None` if they are files, or what `files` states in their place.
    noun: Option<&'static str>,
    files: &'static str,
    is_json: bool,
    is_quiet: bool,
    /// Whether the results are a total, which is no result that a limit counts.
    is_total: bool,
    /// Whether the line is left out if all results are shown.
    is_terse: bool,
    /// Whether another line states that nothing was found.
    has_account: bool,
    /// Whether the next run may pass over these results.
    is_ordered: bool,
}

impl ReportForm {
    fn new(resolved: &ResolvedArgs) -> ReportForm {
        let noun = match resolved.mode {
            Mode::Search(SearchMode::Standard | SearchMode::Json) => {
                // A match that spans lines is one result.
                Some(if resolved.matcher.multiline { "results" } else { "lines" })
            }
            _ => None,
        };
        let (noun, files) = match resolved.count_by {
            None => (noun, "files"),
            Some(GroupBy::Directory) => (None, "directories"),
            Some(GroupBy::Extension) => (None, "extensions"),
            Some(GroupBy::File) => (None, "files"),
        };
        let is_sorted = resolved.sorting != Sorting::AsFound && !resolved.spreads();
        ReportForm {
            noun,
            files,
            is_json: resolved.prints_messages(),
            is_quiet: resolved.quiet,
            is_total: resolved.printer.total,
            has_account: resolved.account != AccountUse::Never
                && resolved.walk.roots != [Root::Stdin],
            is_terse: resolved.is_agent && !resolved.limits.is_some_and(|it| it.count_rest),
            // What is written is not found again.
            is_ordered: (is_sorted || resolved.has_one_input || resolved.count_by.is_some())
                && !resolved.rewriting.write,
        }
    }

    /// Reports what was shown.
    fn report(self, budget: &Budget) -> Result<(), Box<dyn Error>> {
        let shown = budget.shown();
        if self.is_quiet {
            return Ok(());
        }
        if self.is_json {
            print(shown.json().as_bytes())?;
        }
        let is_known = self.is_total || self.is_terse && (!shown.is_empty() || self.has_account);
        if !(is_known && shown.is_complete()) {
            messages::report(self.line(&shown));
        }
        Ok(())
    }

    fn line(self, shown: &Shown) -> String {
        shown.line(self.noun, self.files, self.is_ordered)
    }
}

/// When a run's time ends (`--timeout`).
pub(crate) struct Deadline {
    /// `None` if the time is not limited.
    at: Option<Instant>,
    /// Whether the run is useless if standard output has no reader.
    needs_reader: bool,
    phase: Arc<OnceLock<Phase>>,
    is_watched: bool,
}

/// How far the program had come.
enum Phase {
    /// The time was up before the run began.
    Expired,
    /// The run has begun, and its time is not limited.
    Unlimited,
    /// The run has begun.
    Limited(LimitedRun),
}

/// What is ended.
struct LimitedRun {
    budget: Arc<Budget>,
    form: ReportForm,
    /// Whether there were errors.
    failed: Arc<AtomicBool>,
}

impl Deadline {
    /// The deadline for a program that was started at `started`.
    pub(crate) fn new(typed: &TypedArgs, started: Instant) -> Deadline {
        let at = typed.limits.time.and_then(|time| started.checked_add(time));
        Deadline { at, needs_reader: !typed.quiet, phase: Arc::default(), is_watched: false }
    }

    /// Ends the program if its time is up before [`begin`](Deadline::begin) is called. To be called
    /// before anything is read that may never come.
    ///
    /// The thread that waits for that notices as well when standard output has lost its reader,
    /// such as a program that was killed: a run that finds nothing would not learn of it.
    pub(crate) fn watch(&mut self) {
        let Some(at) = self.at else { return };
        let (phase, needs_reader) = (Arc::clone(&self.phase), self.needs_reader);
        // Without a thread there is no deadline, which is all that can be done.
        let _ = thread::Builder::new().name("deadline".to_owned()).spawn(move || {
            let left = at.saturating_duration_since(Instant::now());
            let has_no_reader = needs_reader && sys::loses_reader(left);
            thread::sleep(match has_no_reader {
                true => Duration::ZERO,
                false => at.saturating_duration_since(Instant::now()),
            });
            match phase.get_or_init(|| Phase::Expired) {
                Phase::Limited(run) if has_no_reader => run.abandon(),
                Phase::Limited(run) => run.end(),
                Phase::Unlimited => {}
                Phase::Expired if has_no_reader => {
                    end_programs();
                    process::exit(FAILED_CODE.into());
                }
                Phase::Expired => {
                    end_programs();
                    within(GRACE_PERIOD, || messages::report(TOO_EARLY));
                    process::exit(FAILED_CODE.into());
                }
            }
        });
        self.is_watched = true;
    }

    /// Ends the run when its time is up. `budget` counts its results, if they or its time are
    /// limited.
    pub(crate) fn begin(
        &mut self,
        budget: Option<&Arc<Budget>>,
        resolved: &ResolvedArgs,
        messages: &Messages,
    ) {
        let phase = budget.map_or(Phase::Unlimited, |budget| {
            let (budget, form) = (Arc::clone(budget), ReportForm::new(resolved));
            Phase::Limited(LimitedRun { budget, form, failed: messages.failed() })
        });
        if self.phase.set(phase).is_err() {
            // The time was up, and the other thread ends the program.
            park();
        }
        if budget.is_some() && !self.is_watched {
            self.watch();
        }
    }
}

impl LimitedRun {
    /// Ends the run, as its results have no reader.
    fn abandon(&self) {
        end_programs();
        within(GRACE_PERIOD, status_line::end);
        let found = !self.budget.shown().is_empty();
        // Ordering: Relaxed, as in `Messages`.
        let has_failed = self.failed.load(Ordering::Relaxed);
        process::exit(exit_code(found, false, has_failed).into());
    }

    /// Ends the run, because its time is up.
    fn end(&self) {
        self.budget.end_by_time();
        if !self.budget.end_by_force(GRACE_PERIOD) {
            return;
        }
        // What a worker has found in a program's output may be printed now, and counts.
        end_programs();
        let (budget, form) = (Arc::clone(&self.budget), self.form);
        // A reader that has stopped reading may keep a worker in the middle of a line. Then there
        // is no message on standard output, and that on standard error does not wait for it.
        let reported = within(GRACE_PERIOD, move || {
            let _results = io::stdout().lock();
            let shown = budget.shown();
            if form.is_json && !form.is_quiet {
                // A message that cannot be written has no reader.
                let _ = print(shown.json().as_bytes());
            }
            shown
        });
        let shown = reported.unwrap_or_else(|| self.budget.shown());
        let line = form.line(&shown);
        within(GRACE_PERIOD, move || {
            status_line::end();
            if !form.is_quiet {
                messages::report_at_once(line);
            }
        });
        finish_paging();
        // Ordering: Relaxed, as in `Messages`.
        let has_failed = match form.is_quiet {
            true => shown.is_empty(),
            false => shown.shows_nothing(),
        };
        let has_failed = has_failed || self.failed.load(Ordering::Relaxed);
        process::exit(exit_code(true, form.is_quiet, has_failed).into());
    }
}

/// Returns what `act` returns, unless that takes longer than `time`, or no thread can be started.
fn within<T: Send + 'static>(
    time: Duration,
    act: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (sender, receiver) = channel();
    let act = move || {
        // After the time, the receiver is gone.
        let _ = sender.send(act());
    };
    thread::Builder::new().spawn(act).ok()?;
    receiver.recv_timeout(time).ok()
}

/// Reports what was shown. If nothing was found before the time was up, the run has failed.
pub(crate) fn report(
    budget: &Budget,
    resolved: &ResolvedArgs,
    messages: &Messages,
) -> Result<(), Box<dyn Error>> {
    if budget.is_out_of_time() && budget.shown().is_empty() {
        messages.fail();
    }
    ReportForm::new(resolved).report(budget)
}
