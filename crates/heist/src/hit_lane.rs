//! How one worker passes hits to the closure of a search.

use std::{path::Path, sync::Arc};

use heist_matcher::Finder;
use heist_printer::{LineMatches, PrinterConfig};
use heist_searcher::{Finish, Flow, Line, Sink, Wants};
use heist_walk::Entry;

use crate::{
    Hit, HitKind, IntoFlow, Summary,
    delivery::{Delivery, Hold, MAX_BUFFERED},
    engine::{FileSink, Lane, RunOutcome, SearchOptions},
    hit::FileHits,
};

/// Calls the closure of a search, and counts.
#[derive(Debug)]
pub(crate) struct HitReceiver<F> {
    on_hit: F,
    /// Matching lines that are still wanted.
    remaining: Option<u64>,
    files_with_matches: u64,
    matched_lines: u64,
    matches: u64,
}

impl<F> HitReceiver<F> {
    pub(crate) fn new(on_hit: F, limit: Option<u64>) -> HitReceiver<F> {
        HitReceiver {
            on_hit,
            remaining: limit,
            files_with_matches: 0,
            matched_lines: 0,
            matches: 0,
        }
    }

    /// What the search did, with this `outcome` of its workers.
    pub(crate) fn summary(self, outcome: RunOutcome) -> Summary {
        Summary {
            files_searched: outcome.files_searched,
            files_with_matches: self.files_with_matches,
            matched_lines: self.matched_lines,
            matches: self.matches,
            errors: outcome.errors,
            skipped: outcome.skipped,
            is_complete: outcome.is_complete,
        }
    }

    /// Passes `hit` on. `Break` if no further hit is wanted.
    fn receive<R: IntoFlow>(&mut self, hit: &Hit<'_>) -> Flow
    where
        F: FnMut(&Hit<'_>) -> R,
    {
        if self.remaining == Some(0) {
            return Flow::Break(());
        }
        if hit.kind() == HitKind::Match {
            self.matched_lines += 1;
            self.matches += hit.matches().len() as u64;
            self.remaining = self.remaining.map(|remaining| remaining - 1);
        }
        (self.on_hit)(hit).into_flow()?;
        if self.remaining == Some(0) { Flow::Break(()) } else { Flow::Continue(()) }
    }
}

/// One worker's hits on their way to the closure.
pub(crate) struct HitLane<'a, F> {
    hits: FileHits,
    delivery: &'a Delivery<HitReceiver<F>>,
    /// Whether skipped files are named.
    names_skipped: bool,
}

impl<'a, F> HitLane<'a, F> {
    pub(crate) fn new(
        delivery: &'a Delivery<HitReceiver<F>>,
        options: &SearchOptions,
    ) -> HitLane<'a, F> {
        let printer = PrinterConfig {
            invert: options.config.invert,
            replacement: options.replacement.clone(),
            ..PrinterConfig::default()
        };
        let hits = FileHits::new(LineMatches::new(&printer));
        HitLane { hits, delivery, names_skipped: options.walk.max_skipped.is_some() }
    }
}

impl<F, R> Lane for HitLane<'_, F>
where
    F: FnMut(&Hit<'_>) -> R + Send,
    R: IntoFlow,
{
    fn sink<'s>(&'s mut self, entry: &'s Entry<'_>, turn: Option<usize>) -> impl FileSink + 's {
        self.sink_of(FilePath::Of(entry), turn)
    }
}

impl<F, R> HitLane<'_, F>
where
    F: FnMut(&Hit<'_>) -> R,
    R: IntoFlow,
{
    /// A sink for the lines in the file at `path`. The file's results have this turn.
    pub(crate) fn sink_of<'s>(
        &'s mut self,
        path: FilePath<'s>,
        turn: Option<usize>,
    ) -> impl FileSink + 's {
        self.hits.clear();
        let HitLane { hits, delivery, names_skipped } = self;
        let wants = Wants { unmatched: *names_skipped, ..Wants::default() };
        HitSink { hits, delivery, path, turn, wants, held: None, has_match: false, nul_at: None }
    }
}

/// The path of the file that is searched.
pub(crate) enum FilePath<'s> {
    /// Not needed yet.
    Of(&'s Entry<'s>),
    Known(Arc<Path>),
}

impl FilePath<'_> {
    fn known(&mut self) -> Arc<Path> {
        let path = match self {
            FilePath::Known(path) => Arc::clone(path),
            FilePath::Of(entry) => entry.path().into(),
        };
        *self = FilePath::Known(Arc::clone(&path));
        path
    }
}

/// Receives the lines of one file.
struct HitSink<'s, F> {
    hits: &'s mut FileHits,
    delivery: &'s Delivery<HitReceiver<F>>,
    path: FilePath<'s>,
    turn: Option<usize>,
    wants: Wants,
    /// The closure, once it has received hits of this file.
    held: Option<Hold<'s, HitReceiver<F>>>,
    has_match: bool,
    nul_at: Option<u64>,
}

impl<F, R> HitSink<'_, F>
where
    F: FnMut(&Hit<'_>) -> R,
    R: IntoFlow,
{
    fn push(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.hits.push(finder, line)?;
        if self.delivery.is_over() {
            return Flow::Break(());
        }
        if self.hits.len() < MAX_BUFFERED { Flow::Continue(()) } else { self.deliver() }
    }

    /// Passes the kept hits on, and holds the closure until the file ends.
    fn deliver(&mut self) -> Flow {
        if self.held.is_none() {
            self.held = self.delivery.hold(self.turn);
        }
        let Some(held) = self.held.as_mut().filter(|_| !self.delivery.is_over()) else {
            return Flow::Break(());
        };
        let (hits, path) = (&*self.hits, self.path.known());
        let receive = |receiver: &mut HitReceiver<F>, hit: &Hit<'_>| {
            if self.delivery.is_cancelled() { Flow::Break(()) } else { receiver.receive(hit) }
        };
        let flow =
            held.with(|receiver| hits.iter(&path).try_for_each(|hit| receive(receiver, &hit)));
        if flow.is_break() {
            self.delivery.end();
        }
        self.hits.clear();
        flow
    }

    /// Passes on what is left of the file.
    fn end(&mut self) {
        if self.hits.len() > 0 || self.has_match {
            let _ = self.deliver();
        }
        if let Some(mut held) = self.held.take() {
            held.with(|receiver| receiver.files_with_matches += u64::from(self.has_match));
        }
    }
}

impl<F, R> Sink for HitSink<'_, F>
where
    F: FnMut(&Hit<'_>) -> R,
    R: IntoFlow,
{
    fn wants(&self) -> Wants {
        self.wants
    }

    fn matched_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.has_match = true;
        self.push(finder, line)
    }

    fn context_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.push(finder, line)
    }

    fn binary(&mut self, offset: u64) -> Flow {
        self.nul_at = Some(offset);
        Flow::Continue(())
    }

    fn finish(&mut self, _: &Finish) {
        self.end();
    }
}

impl<F, R> FileSink for HitSink<'_, F>
where
    F: FnMut(&Hit<'_>) -> R,
    R: IntoFlow,
{
    fn nul_at(&self) -> Option<u64> {
        self.nul_at
    }
}
