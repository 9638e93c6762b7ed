//! The setups in which every case runs, and the jobs of the cases.

use std::ops::ControlFlow;
use std::sync::Arc;

use heist_queue::lab::ProducerToken;
use heist_queue::{
    Backend, IdleConfig, IdleKind, Job, Panicked, QueueKind, RunConfig, RunReport, Sharing,
    Spawner, run_on, run_on_any, run_with_producers_on,
};

use crate::guard::{guarded, wait_until};
use crate::tree::{Item, Ledger};

/// What a job returns to go on.
pub(crate) const CONTINUE: ControlFlow<()> = ControlFlow::Continue(());

/// A stack for which the system refuses a thread, also where addresses have 32 bits: 3 GiB there.
pub(crate) const REFUSED_STACK: usize = usize::MAX / 4 * 3;

/// A queue, and how a run on it is set up.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) queue: QueueKind,
    pub(crate) cfg: RunConfig,
}

/// Runs `case` on the queue `B` with the default policy.
pub(crate) fn in_every_setup<B: Backend<Item>>(case: fn(&Setup)) {
    let queue = B::NAME.parse().expect("a queue has the name of its kind");
    setups(queue, IdleKind::default()).for_each(|setup| case(&setup));
}

/// Runs `case` on every queue with one policy.
pub(crate) fn on_every_queue(policy: IdleKind, case: fn(&Setup)) {
    QueueKind::ALL.iter().flat_map(|&queue| setups(queue, policy)).for_each(|setup| case(&setup));
}

/// Every combination of sharing and starting. Prints each, so that a failure names the last.
pub(crate) fn setups(queue: QueueKind, policy: IdleKind) -> impl Iterator<Item = Setup> {
    let all = Sharing::ALL.iter().flat_map(|&sharing| [(sharing, true), (sharing, false)]);
    all.map(move |(sharing, lazy_spawn)| {
        let idle = IdleConfig { policy, ..IdleConfig::default() };
        let cfg = RunConfig { sharing, lazy_spawn, idle, ..RunConfig::default() };
        eprintln!("{queue} with {policy}, {sharing}, lazy_spawn: {lazy_spawn}");
        Setup { queue, cfg }
    })
}

impl Setup {
    /// Returns this setup with a change.
    pub(crate) fn with(&self, change: impl FnOnce(&mut RunConfig)) -> Setup {
        let mut changed = self.clone();
        change(&mut changed.cfg);
        changed
    }

    /// Runs `roots` with `workers` jobs. Names the setup if that hangs.
    pub(crate) fn run<J: Job<Item> + Send>(
        &self,
        roots: Vec<Item>,
        workers: usize,
        job: impl FnMut(usize) -> J,
    ) -> Result<RunReport<J::Output>, Panicked> {
        let jobs = (0..workers).map(job).collect();
        let what = format!("{} roots on {workers} workers, {self:?}", roots.len());
        // Half of the setups run on the backend that can be any of them.
        let is_any =
            matches!(self.cfg.sharing, Sharing::Lazy | Sharing::Request) != self.cfg.lazy_spawn;
        guarded(what, || match is_any {
            true => run_on_any(self.queue, &self.cfg, roots, jobs),
            false => run_on(self.queue, &self.cfg, roots, jobs),
        })
    }

    /// Runs the tree of `ledger` from its root.
    pub(crate) fn walk<J: Job<Item> + Send>(
        &self,
        ledger: &Arc<Ledger>,
        workers: usize,
        job: impl FnMut(usize) -> J,
    ) -> Result<RunReport<J::Output>, Panicked> {
        self.run(vec![ledger.item(0)], workers, job)
    }

    /// Runs what `producers` produce.
    pub(crate) fn feed<J, F>(
        &self,
        producers: Vec<F>,
        workers: usize,
        job: impl FnMut(usize) -> J,
    ) -> Result<RunReport<J::Output>, Panicked>
    where
        J: Job<Item> + Send,
        F: FnOnce(ProducerToken<'_, Item>) + Send,
    {
        let jobs = (0..workers).map(job).collect();
        let what = format!("fed on {workers} workers, {self:?}");
        guarded(what, || run_with_producers_on(self.queue, &self.cfg, producers, jobs))
    }
}

/// A job that walks the tree: records each node, spawns its children, and remembers the order.
pub(crate) struct Walk {
    me: usize,
    seen: Vec<usize>,
}

impl Job<Item> for Walk {
    type Output = (usize, Vec<usize>);

    fn run<S: Spawner<Item>>(&mut self, item: Item, spawner: &mut S) -> ControlFlow<()> {
        item.record();
        self.seen.push(item.node);
        item.children().for_each(|child| spawner.spawn(child));
        CONTINUE
    }

    fn finish(self) -> (usize, Vec<usize>) {
        (self.me, self.seen)
    }
}

/// The walk of worker `me`.
pub(crate) fn walk(me: usize) -> Walk {
    Walk { me, seen: Vec::new() }
}

/// A job made of closures, for cases that need one behaviour.
pub(crate) struct Does<'a, F> {
    act: F,
    before_park: Box<dyn FnMut() -> ControlFlow<()> + Send + 'a>,
    finish: fn(),
}

/// A job that calls `act` with each item.
pub(crate) fn does<'a, F>(act: F) -> Does<'a, F>
where
    F: FnMut(Item, &mut dyn Spawner<Item>) -> ControlFlow<()>,
{
    Does { act, before_park: Box::new(|| CONTINUE), finish: || () }
}

impl<'a, F> Does<'a, F> {
    /// Returns this job with something to do before it parks.
    pub(crate) fn before_park(
        self,
        act: impl FnMut() -> ControlFlow<()> + Send + 'a,
    ) -> Does<'a, F> {
        Does { before_park: Box::new(act), ..self }
    }

    /// Returns this job with something to do at the end.
    pub(crate) fn at_the_end(self, finish: fn()) -> Does<'a, F> {
        Does { finish, ..self }
    }
}

impl<F: FnMut(Item, &mut dyn Spawner<Item>) -> ControlFlow<()>> Job<Item> for Does<'_, F> {
    type Output = ();

    fn run<S: Spawner<Item>>(&mut self, item: Item, spawner: &mut S) -> ControlFlow<()> {
        item.record();
        (self.act)(item, spawner)
    }

    fn before_park(&mut self) -> ControlFlow<()> {
        (self.before_park)()
    }

    fn finish(self) {
        (self.finish)();
    }
}

/// A job that spawns the children of each item.
pub(crate) fn spawns<'a>() -> Does<'a, impl FnMut(Item, &mut dyn Spawner<Item>) -> ControlFlow<()>>
{
    does(|item: Item, spawner: &mut dyn Spawner<Item>| {
        item.children().for_each(|child| spawner.spawn(child));
        CONTINUE
    })
}

/// Waits in a job, which flushes when another worker is idle, as long jobs must.
pub(crate) fn wait_sharing(what: &str, spawner: &mut dyn Spawner<Item>, ready: impl Fn() -> bool) {
    wait_until(what, || {
        if spawner.has_idle_workers() {
            spawner.flush();
        }
        ready()
    });
}
