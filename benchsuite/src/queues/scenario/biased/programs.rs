//! The document's three programs: a plain channel, rayon, and the biased queue; and no queue, to
//! compare them with.
//!
//! Rebuilt from what they do (`rocallahan/biased-work-queues`, commit e02b76a), each for one pool,
//! called on the thread that is to be the producer. Two things differ. The rayon program waits for
//! its work, which the document's does not. And a last, shorter batch is handed over, which the
//! document's programs leave out.

use std::iter;
use std::ops::Range;
use std::thread::{self, Builder};

use crossbeam_channel::Sender;
use crossbeam_utils::Backoff;
use rayon::ThreadPoolBuilder;

use crate::queues::scenario::biased::chain::receivers;
use crate::queues::scenario::biased::pool::{Pool, PoolLoad};

/// No queue at all: as many consumers as just keep up with the producer do shares fixed before, and
/// no thread waits for another. The switches left are the scheduler's own.
pub(super) fn no_queue(pool: Pool<'_>) -> Result<(), String> {
    let PoolLoad { consumers, make, process, .. } = pool.parts;
    let busy = process.div_ceil(make.max(1)).clamp(1, consumers as u64);
    let consumer = |index| {
        let share = pool.batches().filter(move |units| units.start % busy == index as u64);
        move || share.for_each(|units| pool.process(units))
    };
    run_pool(pool, (0..consumers).map(consumer), |_| ())
}

/// A channel in which every consumer waits.
pub(super) fn channel(pool: Pool<'_>) -> Result<(), String> {
    consume_from_channel(pool, false)
}

/// A channel in which consumers spin and yield once more before they wait, about as
/// crossbeam-channel did at the time: until 0.5.14 it spun a second time after it had registered
/// itself as a waiter.
pub(super) fn channel_spinning(pool: Pool<'_>) -> Result<(), String> {
    consume_from_channel(pool, true)
}

fn consume_from_channel(pool: Pool<'_>, spin: bool) -> Result<(), String> {
    let (send, receive) = crossbeam_channel::unbounded();
    let next = move || {
        let backoff = Backoff::new();
        while spin && receive.is_empty() && !backoff.is_completed() {
            backoff.snooze();
        }
        receive.recv().ok()
    };
    let consumer = move || iter::from_fn(next).for_each(|units| pool.process(units));
    run_pool(pool, iter::repeat_n(consumer, pool.parts.consumers), into(send))
}

/// The biased queue. It is the document's other answer to batches of the producer and ignores them.
pub(super) fn biased(mut pool: Pool<'_>) -> Result<(), String> {
    pool.parts.batch = 1;
    let (send, receive) = crossbeam_channel::unbounded();
    // A sleeper in the middle of the chain learns that the run ends from the one before, or never.
    let consumers = receivers(&receive, pool.parts.consumers).into_iter().map(|end| {
        move || {
            while let Some(taken) = end.receive() {
                taken.into_iter().for_each(|units| pool.process(units));
            }
        }
    });
    run_pool(pool, consumers, into(send))
}

/// Hands units to the consumers of a channel. They see its end when this is dropped.
fn into(send: Sender<Range<u64>>) -> impl FnMut(Range<u64>) {
    move |units| send.send(units).expect("a consumer is left")
}

/// Runs each consumer on a thread of its own, and produces.
fn run_pool<C: FnOnce() + Send>(
    pool: Pool<'_>,
    consumers: impl Iterator<Item = C>,
    hand: impl FnMut(Range<u64>),
) -> Result<(), String> {
    // `hand` is moved in, so that the consumers see the end whatever becomes of the producer.
    let outcome = thread::scope(move |scope| {
        for (index, consume) in consumers.enumerate() {
            let consume = move || {
                consume();
                pool.site.meter.leave();
            };
            let builder = Builder::new().name(format!("consumer-{index}"));
            let started = builder.spawn_scoped(scope, consume);
            started.map_err(|e| format!("thread {index} of {}: {e}", pool.parts.consumers))?;
        }
        pool.produce(hand);
        Ok(())
    });
    pool.site.meter.leave();
    outcome
}

/// A rayon thread pool of its own, fed from outside.
pub(super) fn rayon(pool: Pool<'_>) -> Result<(), String> {
    let builder = ThreadPoolBuilder::new().num_threads(pool.parts.consumers);
    let work = |thread: rayon::ThreadBuilder| {
        thread.run();
        pool.site.meter.leave();
    };
    let built = builder.build_scoped(work, |threads| {
        threads.in_place_scope(|scope| {
            pool.produce(|units| scope.spawn(move |_| pool.process(units)));
            pool.site.leave();
        });
    });
    pool.site.meter.leave();
    built.map_err(|error| error.to_string())
}
