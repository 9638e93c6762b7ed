//! What limits a run's results, and how much was shown and how much there is.
//!
//! Every result is claimed before it is printed: a matching line or, in modes that print one line
//! about each file, that line. Claims are made under one lock, so as many results are printed as
//! the limits allow, never more. The first claim that is denied ends the run, unless the rest is to
//! be counted.

use std::{
    ops::ControlFlow,
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use heist_printer::Admission;
use heist_searcher::Flow;

use super::shown::{Cut, Shown, Totals};
use crate::{error::park, typed::Limits};

/// If the limit has at least this many bytes, a result that is longer than all of them is skipped.
/// Below this, it is shown in part if possible, which takes some bytes too, and ends the run.
pub(crate) const MIN_PASSING: u64 = 1 << 10;

/// What one worker has claimed for the current file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Claims {
    /// How many results were found.
    pub(super) found: u64,
    /// How many results are printed.
    pub(super) shown: u64,
    /// How many results are known to be written.
    pub(super) written: u64,
}

/// The limits, shared by all workers.
#[derive(Debug)]
pub(crate) struct Budget {
    limits: Limits,
    state: Mutex<BudgetState>,
    /// Notified when the run has ended.
    ended: Condvar,
    /// Whether no result is admitted any more.
    spent: AtomicBool,
    /// Whether the run is to end.
    stopped: AtomicBool,
    /// Whether results are counted in advance, and none is printed.
    surveys: AtomicBool,
}

#[derive(Debug, Default)]
struct BudgetState {
    /// How many results are still passed over (`--offset`).
    offset: u64,
    /// How many results the current file may have (`--spread`).
    quota: Option<u64>,
    shown: Totals,
    /// How much is written.
    written: Totals,
    /// What was found, shown or not.
    found: Totals,
    /// What there is, if it was counted in advance.
    known: Option<Totals>,
    /// The directory with most results, if that was found in advance, and how many it has.
    most: Option<(Vec<u8>, u64)>,
    /// How many bytes of output there are so far.
    bytes: u64,
    /// How many results were passed over, because each is longer than all output may be.
    too_long: u64,
    /// The limit that was exceeded first.
    cut: Option<Cut>,
    /// The limit that ended the counting in advance.
    survey_cut: Option<Cut>,
    has_ended: bool,
    /// Whether workers do not end by themselves, and the program ends without them.
    is_forced: bool,
}

impl Budget {
    pub(crate) fn new(limits: Limits) -> Budget {
        let state = BudgetState { offset: limits.offset, ..BudgetState::default() };
        Budget {
            limits,
            state: Mutex::new(state),
            ended: Condvar::new(),
            spent: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            surveys: AtomicBool::new(false),
        }
    }

    /// Makes the run count results, and print none, up to [`end_survey`](Budget::end_survey).
    pub(crate) fn begin_survey(&self) {
        // Ordering: Relaxed; workers are started after this, and joined before the end.
        self.surveys.store(true, Ordering::Relaxed);
    }

    /// Ends the survey. It found `known`; `None` if there may be more. `is_complete` is whether all
    /// of that will be shown.
    pub(crate) fn end_survey(&self, known: Option<Totals>, is_complete: bool) {
        self.surveys.store(false, Ordering::Relaxed);
        let mut state = self.lock();
        (state.known, state.found) = (known, Totals::default());
        // What was counted before the time was up is printed all the same.
        state.survey_cut = state.cut.take();
        // Ordering: Relaxed, see `deny`.
        self.spent.store(false, Ordering::Relaxed);
        self.stopped.store(false, Ordering::Relaxed);
        if !is_complete {
            state.cut = Some(Cut::Results);
        }
    }

    /// Sets which directory has most results, and how many, to be stated if some are left out.
    pub(crate) fn set_most(&self, most: Option<(Vec<u8>, u64)>) {
        self.lock().most = most;
    }

    /// Whether results are counted in advance.
    pub(crate) fn surveys(&self) -> bool {
        // Ordering: Relaxed, see `begin_survey`.
        self.surveys.load(Ordering::Relaxed)
    }

    /// Sets how many results the next file may have.
    pub(crate) fn set_quota(&self, results: u64) {
        self.lock().quota = Some(results);
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    fn lock(&self) -> MutexGuard<'_, BudgetState> {
        // No code below panics between two changes, so a poisoned state is consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims one result in the file that `claims` belongs to.
    pub(super) fn claim(&self, claims: &mut Claims) -> Admission {
        let mut state = self.lock();
        state.find(1, claims);
        if self.surveys() {
            return if self.is_stopped() { Admission::Stop } else { Admission::Omit };
        }
        if state.quota.is_some_and(|quota| claims.shown >= quota) {
            state.cut.get_or_insert(Cut::Results);
            return Admission::Stop;
        }
        if state.offset > 0 {
            state.offset -= 1;
            return Admission::Omit;
        }
        if let Some(cut) = self.exceeded(&state, *claims) {
            return self.deny(&mut state, cut);
        }
        state.shown.results += 1;
        state.shown.files += u64::from(claims.shown == 0);
        claims.shown += 1;
        Admission::Print
    }

    /// The limit that one more result would exceed.
    fn exceeded(&self, state: &BudgetState, claims: Claims) -> Option<Cut> {
        let is_full = |most: Option<u64>, number| most.is_some_and(|most| number >= most);
        if matches!(state.cut, Some(Cut::Output | Cut::Time)) {
            state.cut
        } else if is_full(self.limits.results, state.shown.results) {
            Some(Cut::Results)
        } else if claims.shown == 0 && is_full(self.limits.files, state.shown.files) {
            Some(Cut::Files)
        } else {
            None
        }
    }

    fn deny(&self, state: &mut BudgetState, cut: Cut) -> Admission {
        state.cut.get_or_insert(cut);
        // Ordering: Relaxed for both; the flags guard no data, and a late answer costs one file.
        self.spent.store(true, Ordering::Relaxed);
        if self.limits.count_rest && !self.is_stopped() {
            return Admission::Omit;
        }
        self.stopped.store(true, Ordering::Relaxed);
        Admission::Stop
    }

    /// Claims `bytes` of output. `separator` of them separate a file from the files before it.
    /// `withdraws` is whether the result that they belong to is taken back if there is no room for
    /// them.
    pub(super) fn claim_bytes(
        &self,
        bytes: u64,
        separator: u64,
        claims: &mut Claims,
        withdraws: bool,
    ) -> bool {
        let Some(most) = self.limits.output else { return true };
        let mut state = self.lock();
        // One file, whichever is written first, has no separator; all are equally long.
        let bytes = if state.bytes == 0 { bytes - separator } else { bytes };
        if state.cut != Some(Cut::Output) && state.bytes + bytes <= most {
            state.bytes += bytes;
            return true;
        }
        let is_too_long = bytes > most && state.cut != Some(Cut::Output);
        if withdraws {
            claims.shown -= 1;
            state.shown.results -= 1;
            state.shown.files -= u64::from(claims.shown == 0);
        }
        if is_too_long {
            // The next page is not to begin with it.
            let passes = most >= MIN_PASSING;
            state.too_long += u64::from(withdraws && (passes || state.shown.results == 0));
            if passes {
                return false;
            }
        }
        self.deny(&mut state, Cut::Output);
        // Nothing that is shorter may follow.
        state.cut = Some(Cut::Output);
        false
    }

    /// Notes results that were counted and are not printed.
    pub(super) fn count(&self, results: u64, claims: &mut Claims) {
        if results > 0 {
            self.lock().find(results, claims);
        }
    }

    /// Whether no more results are printed for the file that has `claims`, so that they need only
    /// be counted. If the number of files is limited, files that were begun are shown to their end.
    pub(super) fn only_counts(&self, claims: Claims) -> bool {
        // Ordering: Relaxed, see `deny`.
        self.surveys() || claims.shown == 0 && self.spent.load(Ordering::Relaxed)
    }

    /// Whether the run is to end.
    pub(crate) fn is_stopped(&self) -> bool {
        // Ordering: Relaxed, see `deny`.
        self.stopped.load(Ordering::Relaxed)
    }

    /// Whether the limit on files ends the run: files that were begun are shown to their end.
    pub(crate) fn finishes_files(&self) -> bool {
        self.lock().cut == Some(Cut::Files)
    }

    /// `Break` if the run is to end.
    pub(super) fn flow(&self) -> Flow {
        if self.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Notes what a worker has written of what it had claimed.
    pub(super) fn note_written(&self, written: Totals) {
        let mut state = self.lock();
        state.written.results += written.results;
        state.written.files += written.files;
    }

    /// Ends the run, because its time is up, unless it has ended.
    pub(crate) fn end_by_time(&self) {
        let mut state = self.lock();
        if state.has_ended {
            return;
        }
        state.cut = Some(Cut::Time);
        // Ordering: Relaxed, see `deny`.
        self.spent.store(true, Ordering::Relaxed);
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether the run was ended because its time was up.
    pub(crate) fn is_out_of_time(&self) -> bool {
        self.lock().cut() == Some(Cut::Time)
    }

    /// Notes that the run has ended. If the program is being ended without it, this blocks forever.
    pub(crate) fn end(&self) {
        let mut state = self.lock();
        if state.is_forced {
            drop(state);
            park();
        }
        state.has_ended = true;
        self.ended.notify_all();
    }

    /// Waits until the run has ended, for at most `grace`. Otherwise it will not end by itself, and
    /// this returns true.
    pub(crate) fn end_by_force(&self, grace: Duration) -> bool {
        let waited = self.ended.wait_timeout_while(self.lock(), grace, |state| !state.has_ended);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        state.is_forced = !state.has_ended;
        state.is_forced
    }

    /// What was shown, and what there is.
    pub(crate) fn shown(&self) -> Shown {
        let state = self.lock();
        let is_exact = match state.cut() {
            None => true,
            Some(Cut::Time) => false,
            Some(_) => self.limits.count_rest || state.known.is_some(),
        };
        Shown {
            // Buffers are lost with the workers that hold them.
            shown: if state.is_forced { state.written } else { state.shown },
            found: state.known.unwrap_or(state.found),
            too_long: state.too_long,
            cut: state.cut(),
            is_exact,
            offset: self.limits.offset - state.offset,
            most: state.cut().and(state.most.clone()),
        }
    }
}

impl BudgetState {
    /// The limit that left something out, from all results or from those that were counted in
    /// advance.
    fn cut(&self) -> Option<Cut> {
        self.survey_cut.or(self.cut)
    }

    fn find(&mut self, results: u64, claims: &mut Claims) {
        self.found.results += results;
        self.found.files += u64::from(claims.found == 0);
        claims.found += results;
    }
}
