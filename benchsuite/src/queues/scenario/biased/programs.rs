//! The document's three programs: a plain channel, rayon, and the biased queue; and no queue, to
//! compare them with.
//!
//! Rebuilt from what they do (`rocallahan/biased-work-queues`, commit e02b76a), each for one pool,
//! called on the thread that is to be the producer. Two things differ. The rayon program waits for
//! its work, which the document's does not. And a last, shorter batch is handed over, which the
//! document's programs leave out.

use std::thread;

use crossbeam_utils::Backoff;
use rayon::ThreadPoolBuilder;

use crate::queues::scenario::biased::chain::receivers;
use crate::queues::scenario::biased::pool::{Pool, Units};

/// No queue at all: as many consumers as just keep up with the producer do shares fixed before, and
/// no thread waits for another. The switches left are the scheduler's own.
pub(super) fn no_queue(pool: Pool<'_>) -> Result<(), String> {
    let busy = pool.load.process.div_ceil(pool.load.make.max(1)).clamp(1, pool.threads as u64);
    let outcome = thread::scope(|scope| {
        for index in 0..pool.threads {
            pool.start(scope, index, move || {
                let share = pool.messages().filter(|units| units.first % busy == index as u64);
                share.for_each(|units| pool.process(units));
            })?;
        }
        produce(pool, |_| Ok(()))
    });
    pool.meter.leave();
    outcome
}

/// A channel in which every consumer waits.
pub(super) fn channel(pool: Pool<'_>) -> Result<(), String> {
    consume_from_channel(pool, false)
}

/// The same with consumers that spin and yield once more before they wait, about as
/// crossbeam-channel did at the time: until 0.5.14 it spun a second time after it had registered
/// itself as a waiter.
pub(super) fn channel_spinning(pool: Pool<'_>) -> Result<(), String> {
    consume_from_channel(pool, true)
}

fn consume_from_channel(pool: Pool<'_>, spin: bool) -> Result<(), String> {
    let (send, receive) = crossbeam_channel::unbounded::<Units>();
    let receive = &receive;
    let next = move || {
        let backoff = Backoff::new();
        while spin && receive.is_empty() && !backoff.is_completed() {
            backoff.snooze();
        }
        receive.recv()
    };
    let outcome = thread::scope(|scope| {
        // Moved in here, so that the consumers see the end whatever becomes of the producer.
        let send = send;
        for index in 0..pool.threads {
            pool.start(scope, index, move || {
                while let Ok(units) = next() {
                    pool.process(units);
                }
            })?;
        }
        produce(pool, |units| send.send(units).map_err(|error| error.to_string()))
    });
    pool.meter.leave();
    outcome
}

/// The biased queue. It is the document's other answer to batches of the producer and ignores them.
pub(super) fn biased(pool: Pool<'_>) -> Result<(), String> {
    let pool = Pool { batch: 1, ..pool };
    let (send, receive) = crossbeam_channel::unbounded::<Units>();
    let ends = receivers(&receive, pool.threads);
    // A sleeper in the middle of the chain hears of the end from the one before, or never.
    let outcome = thread::scope(|scope| {
        let send = send;
        for (index, end) in ends.into_iter().enumerate() {
            pool.start(scope, index, move || {
                while let Ok(taken) = end.receive() {
                    taken.into_iter().for_each(|units| pool.process(units));
                }
            })?;
        }
        produce(pool, |units| send.send(units).map_err(|error| error.to_string()))
    });
    pool.meter.leave();
    outcome
}

/// A rayon thread pool of its own, fed from outside.
pub(super) fn rayon(pool: Pool<'_>) -> Result<(), String> {
    let builder = ThreadPoolBuilder::new().num_threads(pool.threads);
    let work = |thread: rayon::ThreadBuilder| {
        thread.run();
        pool.meter.leave();
    };
    let built = builder.build_scoped(work, |threads| {
        threads.in_place_scope(|scope| {
            let made = produce(pool, |units| {
                scope.spawn(move |_| pool.process(units));
                Ok(())
            });
            pool.exits.leave();
            made
        })
    });
    pool.meter.leave();
    built.map_err(|error| error.to_string())?
}

/// The producer's part.
fn produce(pool: Pool<'_>, hand: impl Fn(Units) -> Result<(), String>) -> Result<(), String> {
    pool.messages().try_for_each(|units| {
        pool.make(units);
        hand(units)
    })
}
