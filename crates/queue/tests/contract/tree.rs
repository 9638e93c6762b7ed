//! Synthetic trees, the items that walk them, and the ledger that checks them.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, AtomicU32, Ordering};

use heist_queue::{AnyPolicy, Backend, Job, Panicked, RunConfig, RunReport, Sharing, Spawner, run};

use crate::guard::wait_until;

/// What a job returns to go on.
pub(crate) const CONTINUE: ControlFlow<()> = ControlFlow::Continue(());

/// The children of each node; node 0 is the root.
pub(crate) type Tree = Vec<Vec<usize>>;

/// A tree in which every node has `width` children, down to `depth`.
pub(crate) fn bushy(width: usize, depth: u32) -> Tree {
    let inner: usize = (0..depth).map(|level| width.pow(level)).sum();
    let all = inner + width.pow(depth);
    (0..all)
        .map(|i| if i < inner { (1..=width).map(|k| i * width + k).collect() } else { vec![] })
        .collect()
}

/// A tree without branches: there is nothing to share.
pub(crate) fn chain(length: usize) -> Tree {
    (1..=length).map(|i| if i < length { vec![i] } else { vec![] }).collect()
}

/// A chain with one leaf beside each link.
pub(crate) fn comb(length: usize) -> Tree {
    let links = 0..2 * length;
    links
        .map(|i| if i % 2 == 0 && i + 2 < 2 * length { vec![i + 1, i + 2] } else { vec![] })
        .map(|mut children| {
            children.retain(|&child| child < 2 * length);
            children
        })
        .collect::<Tree>()
        .reattach()
}

/// One node with `leaves` children.
pub(crate) fn star(leaves: usize) -> Tree {
    std::iter::once((1..=leaves).collect()).chain(std::iter::repeat_n(vec![], leaves)).collect()
}

/// A tree in which the parent of each node is a random earlier one, more often a late one.
pub(crate) fn random(nodes: usize, rng: &mut fastrand::Rng) -> Tree {
    let mut tree = vec![vec![]; nodes.max(1)];
    for node in 1..tree.len() {
        let parent = rng.usize(..node).max(rng.usize(..node));
        tree[parent].push(node);
    }
    tree
}

trait Reattach {
    fn reattach(self) -> Tree;
}

impl Reattach for Tree {
    /// Attaches nodes without a parent to the root.
    fn reattach(mut self) -> Tree {
        let mut has_parent = vec![false; self.len()];
        self.iter().flatten().for_each(|&child| has_parent[child] = true);
        let orphans = (1..self.len()).filter(|&i| !has_parent[i]).collect::<Vec<_>>();
        self[0].extend(orphans);
        self
    }
}

/// Records how often each node ran, and how many items exist.
pub(crate) struct Ledger {
    pub(crate) tree: Tree,
    runs: Vec<AtomicU32>,
    live: AtomicIsize,
}

impl Ledger {
    pub(crate) fn new(tree: Tree) -> Arc<Ledger> {
        let runs = tree.iter().map(|_| AtomicU32::new(0)).collect();
        Arc::new(Ledger { tree, runs, live: AtomicIsize::new(0) })
    }

    pub(crate) fn item(self: &Arc<Ledger>, node: usize) -> Item {
        self.live.fetch_add(1, Ordering::Relaxed);
        Item { node, ledger: Arc::clone(self) }
    }

    pub(crate) fn ran(&self, node: usize) -> bool {
        self.runs[node].load(Ordering::Acquire) > 0
    }

    /// Asserts that every node ran once and no item is left.
    pub(crate) fn assert_complete(&self) {
        let wrong = self.runs.iter().position(|runs| runs.load(Ordering::Relaxed) != 1);
        if let Some(node) = wrong {
            panic!("node {node} ran {:?} times", self.runs[node]);
        }
        self.assert_no_leak();
    }

    /// Asserts that no node ran twice, that `executed` nodes ran, and that no item is left.
    pub(crate) fn assert_partial(&self, executed: u64) {
        let runs = self.runs.iter().map(|runs| runs.load(Ordering::Relaxed));
        assert!(runs.clone().all(|n| n <= 1), "a node ran twice");
        assert_eq!(runs.map(u64::from).sum::<u64>(), executed);
        self.assert_no_leak();
    }

    pub(crate) fn assert_no_leak(&self) {
        assert_eq!(self.live.load(Ordering::Relaxed), 0, "items that were never dropped");
    }
}

/// One node to run.
pub(crate) struct Item {
    pub(crate) node: usize,
    pub(crate) ledger: Arc<Ledger>,
}

impl Item {
    /// Notes that this item runs.
    pub(crate) fn record(&self) {
        self.ledger.runs[self.node].fetch_add(1, Ordering::Release);
    }

    pub(crate) fn children(&self) -> impl Iterator<Item = Item> + '_ {
        self.ledger.tree[self.node].iter().map(|&child| self.ledger.item(child))
    }
}

impl Drop for Item {
    fn drop(&mut self) {
        self.ledger.live.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A job that walks the tree: records each node, spawns its children, and remembers the order.
#[derive(Default)]
pub(crate) struct Walk(pub(crate) Vec<usize>);

impl Job<Item> for Walk {
    type Output = Vec<usize>;

    fn run<S: Spawner<Item>>(&mut self, item: Item, spawner: &mut S) -> ControlFlow<()> {
        item.record();
        self.0.push(item.node);
        item.children().for_each(|child| spawner.spawn(child));
        CONTINUE
    }

    fn finish(self) -> Vec<usize> {
        self.0
    }
}

/// A job made of a closure, for cases that need one behaviour.
pub(crate) struct Does<F>(F);

/// A job that calls `act` with each item.
pub(crate) fn does<F>(act: F) -> Does<F>
where
    F: FnMut(Item, &mut dyn Spawner<Item>) -> ControlFlow<()>,
{
    Does(act)
}

impl<F: FnMut(Item, &mut dyn Spawner<Item>) -> ControlFlow<()>> Job<Item> for Does<F> {
    type Output = ();

    fn run<S: Spawner<Item>>(&mut self, item: Item, spawner: &mut S) -> ControlFlow<()> {
        item.record();
        (self.0)(item, spawner)
    }

    fn finish(self) {}
}

/// A job that spawns the children of each item, then calls `then`.
pub(crate) fn spawns(
    mut then: impl FnMut(Item, &mut dyn Spawner<Item>) -> ControlFlow<()>,
) -> Does<impl FnMut(Item, &mut dyn Spawner<Item>) -> ControlFlow<()>> {
    does(move |item, spawner| {
        item.children().for_each(|child| spawner.spawn(child));
        then(item, spawner)
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

/// Every combination of sharing and starting.
pub(crate) fn setups() -> impl Iterator<Item = RunConfig> {
    let sharing = [Sharing::Lazy, Sharing::Eager];
    sharing.into_iter().flat_map(|sharing| {
        [true, false].map(|lazy_spawn| RunConfig { sharing, lazy_spawn, ..RunConfig::default() })
    })
}

/// Runs the tree of `ledger` from its root, with the idle policy that `cfg` names.
pub(crate) fn walk<B, J>(
    cfg: &RunConfig,
    ledger: &Arc<Ledger>,
    jobs: Vec<J>,
) -> Result<RunReport<J::Output>, Panicked>
where
    B: Backend<Item>,
    J: Job<Item> + Send,
{
    run::<Item, B, AnyPolicy, J>(cfg, vec![ledger.item(0)], jobs)
}

/// `workers` walks.
pub(crate) fn walks(workers: usize) -> Vec<Walk> {
    (0..workers).map(|_| Walk::default()).collect()
}
