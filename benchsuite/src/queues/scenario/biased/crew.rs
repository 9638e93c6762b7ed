//! The same pool as a crew of `heist-queue`, fed by a producer.
//!
//! There are as many threads as in the document's programs: one of the workers has the thread that
//! is the producer there, and the producer gets one of its own. Where the document's programs send
//! a batch as one message, which one consumer has to do alone, the producer hands its units over
//! together and each can be taken by another worker.

use std::ops::ControlFlow;

use heist_queue::lab::ProducerToken;
use heist_queue::{
    IdleConfig, IdleKind, IdleStats, Job, QueueKind, QueueStats, RunConfig, Spawner,
    run_with_producers_on,
};

use crate::queues::scenario::biased::pool::Pool;

/// Runs one pool. `backlog` units may wait in it for a worker that is awake.
pub(super) fn crew(
    pool: Pool<'_>,
    queue: QueueKind,
    policy: IdleKind,
    backlog: usize,
) -> Result<(IdleStats, QueueStats), String> {
    let idle = IdleConfig { policy, backlog, ..IdleConfig::default() };
    let config = RunConfig { idle, lazy_spawn: false, ..RunConfig::default() };
    let producer = move |mut token: ProducerToken<'_, u64>| {
        let mut batch = Vec::new();
        pool.produce(|units| {
            batch.extend(units);
            token.push_batch(&mut batch);
        });
        pool.site.meter.leave();
    };
    let wanted = pool.parts.consumers;
    let jobs = (0..wanted).map(|_| Consumer(pool)).collect();
    let report = run_with_producers_on(queue, &config, vec![producer], jobs)
        .map_err(|panicked| panicked.to_string())?;
    let workers = report.threads_started + 1;
    if workers < wanted {
        return Err(format!("{workers} of {wanted} workers"));
    }
    Ok((report.idle, report.queue))
}

struct Consumer<'a>(Pool<'a>);

impl Job<u64> for Consumer<'_> {
    type Output = ();

    fn run<S: Spawner<u64>>(&mut self, unit: u64, _: &mut S) -> ControlFlow<()> {
        self.0.process(unit..unit + 1);
        ControlFlow::Continue(())
    }

    fn finish(self) {
        self.0.site.meter.leave();
    }
}
