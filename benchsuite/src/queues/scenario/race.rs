//! Threads that work at the same time, and what their work costs.

use std::io;
use std::sync::{OnceLock, PoisonError, RwLock};
use std::thread::{self, Builder, ScopedJoinHandle};
use std::time::Instant;

use crossbeam_utils::sync::WaitGroup;

use crate::meter::{Meter, Sample};

/// When the clock starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clock {
    /// When all threads are there, so that starting them is not timed.
    Ready,
    /// Before the first thread is started. Migrations stay unknown: reading those of each thread
    /// takes a tenth as long as some of these runs.
    Starting,
}

/// A thread's part: prepares itself, waits for the start, works. Returns nothing if it was not to
/// begin.
pub(super) type Body<'a, T> = Box<dyn FnOnce(Start<'_>) -> Option<T> + Send + 'a>;

/// The start of the threads, as one of them sees it.
pub(super) struct Start<'a> {
    /// Locked until all threads are there; then whether they shall work. A `Barrier` would keep
    /// them waiting forever if one could not be started.
    gate: &'a RwLock<bool>,
    arrived: WaitGroup,
}

impl Start<'_> {
    /// Arrives, and waits for the others. Returns nothing if this thread shall not work.
    pub(super) fn wait(self) -> Option<()> {
        drop(self.arrived);
        self.gate.read().is_ok_and(|open| *open).then_some(())
    }
}

/// What the threads came back with.
pub(super) struct Raced<T> {
    pub(super) results: Vec<T>,
    /// When the clock started.
    pub(super) begun: Instant,
    /// Wall and CPU time, switches, migrations.
    pub(super) cost: Sample,
}

/// Runs each body on a thread of its own. If one cannot be started, none is after it, and those
/// that wait for the start do not work.
pub(super) fn race<'a, T: Send + 'a>(
    clock: Clock,
    bodies: Vec<Body<'a, T>>,
) -> Result<Raced<T>, String> {
    let (gate, arrived, meter) = (RwLock::new(false), WaitGroup::new(), OnceLock::new());
    let count = bodies.len() as u64;
    let (results, begun) = thread::scope(|scope| {
        let mut open = gate.write().unwrap_or_else(PoisonError::into_inner);
        let started = if clock == Clock::Starting { Some(Meter::start()?) } else { None };
        let begun = Instant::now();
        let start = |body: Body<'a, T>| {
            let start = Start { gate: &gate, arrived: arrived.clone() };
            let meter: &OnceLock<Meter> = &meter;
            Builder::new().spawn_scoped(scope, move || {
                let result = body(start);
                meter.get().filter(|_| clock == Clock::Ready).inspect(|meter| meter.leave());
                result
            })
        };
        let threads: io::Result<Vec<_>> = bodies.into_iter().map(start).collect();
        let threads = threads.map_err(|error| format!("cannot start a thread: {error}"))?;
        let begun = if let Some(started) = started {
            meter.get_or_init(|| started);
            begun
        } else {
            arrived.wait();
            let started = Meter::start()?;
            meter.get_or_init(|| started);
            Instant::now()
        };
        *open = true;
        drop(open);
        let results: Vec<_> = threads.into_iter().map(ScopedJoinHandle::join).collect();
        let results = results.into_iter().map(|result| result.ok().flatten());
        let results = results.collect::<Option<Vec<T>>>().ok_or("a thread panicked")?;
        Ok::<_, String>((results, begun))
    })?;
    let meter = meter.into_inner().ok_or("the clock never started")?;
    Ok(Raced { results, begun, cost: meter.stop(count)? })
}
