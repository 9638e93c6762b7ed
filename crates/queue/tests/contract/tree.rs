//! Synthetic trees, the items that walk them, and the ledger that checks them.

use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, AtomicU32, Ordering};

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
    let after = |i: usize| (i + 1..i + 3).filter(|&child| child < 2 * length).collect();
    (0..2 * length).map(|i| if i % 2 == 0 { after(i) } else { vec![] }).collect()
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
        self.assert_ran(0..self.runs.len());
        self.assert_no_leak();
    }

    /// Asserts that each of these nodes ran once.
    pub(crate) fn assert_ran(&self, mut nodes: impl Iterator<Item = usize>) {
        let wrong = nodes.find(|&node| self.runs[node].load(Ordering::Relaxed) != 1);
        if let Some(node) = wrong {
            panic!("node {node} ran {:?} times", self.runs[node]);
        }
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
