//! Threads that work at the same time, and what their work costs.

use std::io;
use std::sync::{PoisonError, RwLock};
use std::thread::{self, Builder, ScopedJoinHandle};
use std::time::Instant;

use crossbeam_utils::sync::WaitGroup;

use crate::meter::{Meter, Sample};

/// When the clock starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clock {
    /// When all threads are there, so that starting them is not timed.
    Ready,
    /// Before the first thread is started. Migrations stay unknown: reading them for each thread
    /// takes a tenth as long as some of these runs.
    Starting,
}

/// A thread's part: prepares itself, waits for the start, works. Returns nothing if it was not to
/// begin.
pub(super) type Body<'a, T> = Box<dyn FnOnce(Start<'_>) -> Option<T> + Send + 'a>;

/// How the threads start, as one thread sees it.
pub(super) struct Start<'a> {
    /// Locked until all threads are there; then the meter, if they shall work. A `Barrier` would
    /// keep them waiting forever if one could not be started.
    gate: &'a RwLock<Option<Meter>>,
    arrived: WaitGroup,
}

impl Start<'_> {
    /// Arrives, and waits for the others. Returns nothing if this thread shall not work.
    pub(super) fn wait(self) -> Option<()> {
        drop(self.arrived);
        self.gate.read().is_ok_and(|meter| meter.is_some()).then_some(())
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
    let (gate, arrived) = (RwLock::new(None), WaitGroup::new());
    let count = bodies.len() as u64;
    let (results, begun) = thread::scope(|scope| {
        let mut meter = gate.write().unwrap_or_else(PoisonError::into_inner);
        if clock == Clock::Starting {
            *meter = Some(Meter::start()?);
        }
        let mut begun = Instant::now();
        let start = |body: Body<'a, T>| {
            let (gate, arrived) = (&gate, arrived.clone());
            Builder::new().spawn_scoped(scope, move || {
                let result = body(Start { gate, arrived });
                if clock == Clock::Ready
                    && let Ok(Some(meter)) = gate.read().as_deref()
                {
                    meter.leave();
                }
                result
            })
        };
        let threads: io::Result<Vec<_>> = bodies.into_iter().map(start).collect();
        // After a failure those that have been started shall not work.
        let threads = threads.inspect_err(|_| *meter = None);
        let threads = threads.map_err(|error| format!("cannot start a thread: {error}"))?;
        if clock == Clock::Ready {
            arrived.wait();
            *meter = Some(Meter::start()?);
            begun = Instant::now();
        }
        drop(meter);
        let results: Vec<_> = threads.into_iter().map(ScopedJoinHandle::join).collect();
        let results = results.into_iter().map(|result| result.ok().flatten());
        let results = results.collect::<Option<Vec<T>>>().ok_or("a thread panicked")?;
        Ok::<_, String>((results, begun))
    })?;
    let meter = gate.into_inner().unwrap_or_else(PoisonError::into_inner);
    let meter = meter.ok_or("the clock never started")?;
    Ok(Raced { results, begun, cost: meter.stop(count)? })
}
