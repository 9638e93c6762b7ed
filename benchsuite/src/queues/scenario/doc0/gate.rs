//! Where threads wait until all of them are there, so that starting them is not timed.
//!
//! `std::sync::Barrier` would do, but for a thread that could not be started: those that could
//! would wait for it forever. This one can be shut.

use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Closed at first, then opened or shut for good.
#[derive(Default)]
pub(super) struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    arrived: usize,
    verdict: Option<ControlFlow<()>>,
}

impl Gate {
    /// Arrives, waits, and goes on if the gate is opened, or gives up if it is shut.
    pub(super) fn pass(&self) -> ControlFlow<()> {
        let mut state = self.lock();
        state.arrived += 1;
        self.changed.notify_all();
        loop {
            match state.verdict {
                Some(verdict) => return verdict,
                None => {
                    state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    /// Waits until `threads` threads have arrived.
    pub(super) fn wait_for(&self, threads: usize) {
        let mut state = self.lock();
        while state.arrived < threads {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Lets all threads pass.
    pub(super) fn open(&self) {
        self.decide(ControlFlow::Continue(()));
    }

    /// Makes all threads give up.
    pub(super) fn shut(&self) {
        self.decide(ControlFlow::Break(()));
    }

    fn decide(&self, verdict: ControlFlow<()>) {
        self.lock().verdict = Some(verdict);
        self.changed.notify_all();
    }

    /// No code that could panic runs under the lock, so poison is meaningless.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn everybody_goes_through_or_home() {
        for verdict in [ControlFlow::Continue(()), ControlFlow::Break(())] {
            let gate = Gate::default();
            thread::scope(|scope| {
                let threads = [(); 3].map(|()| scope.spawn(|| gate.pass()));
                gate.wait_for(3);
                match verdict {
                    ControlFlow::Continue(()) => gate.open(),
                    ControlFlow::Break(()) => gate.shut(),
                }
                for thread in threads {
                    assert_eq!(thread.join().unwrap(), verdict);
                }
            });
            assert_eq!(gate.pass(), verdict, "late arrivals need not wait");
        }
    }
}
