//! Trees that exist only as arithmetic: a node knows its number and finds its children by it.
//!
//! So a tree costs no memory and no time to build, and every node has a number in `0..len`, by
//! which a visit of it can be verified.

use serde::Deserialize;

/// The shape of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Shape {
    /// Eight children each, all leaves at about the same depth.
    Bushy,
    /// One child each: nothing to share.
    Chain,
    /// A chain with one leaf at each node: always exactly one thing to share.
    Comb,
    /// One node with all others as children: one large directory.
    Star,
    /// Few nodes have very many descendants, most have hardly any, like trees of files.
    PowerLaw,
}

/// A node. Eight bytes, as small as the pointers that real items are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) id: u32,
    /// Nodes below it, where the number does not determine that.
    below: u32,
}

/// How many children each node in a bushy tree has.
const BUSHY: u64 = 8;

impl Shape {
    pub(crate) const ALL: [Shape; 5] =
        [Shape::Bushy, Shape::Chain, Shape::Comb, Shape::Star, Shape::PowerLaw];
}

/// A tree: a shape and a number of nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tree {
    pub(crate) shape: Shape,
    /// How many nodes it has.
    pub(crate) len: u32,
}

impl Tree {
    /// The node to begin with.
    pub(crate) fn root(self) -> Node {
        Node { id: 0, below: self.len.saturating_sub(1) }
    }

    /// Gives every child of `node` to `spawn`.
    pub(crate) fn children(self, node: Node, mut spawn: impl FnMut(Node)) {
        let id = u64::from(node.id);
        let range = match self.shape {
            Shape::Bushy => BUSHY * id + 1..BUSHY * id + 1 + BUSHY,
            Shape::Chain => id + 1..id + 2,
            // Even numbers are the spine.
            Shape::Comb if id % 2 == 0 => id + 1..id + 3,
            Shape::Comb => 0..0,
            Shape::Star if id == 0 => 1..u64::from(self.len),
            Shape::Star => 0..0,
            Shape::PowerLaw => return divide(node, spawn),
        };
        for id in range.start..range.end.min(u64::from(self.len)) {
            spawn(Node { id: id as u32, below: 0 });
        }
    }
}

/// Divides the numbers after `node` among its children, unequally.
///
/// How many children there are has a Pareto distribution with exponent 1.2. Once each child has
/// itself, child *k* gets a share of the rest that is proportional to 1/*k* (Zipf's law).
fn divide(node: Node, mut spawn: impl FnMut(Node)) {
    if node.below == 0 {
        return;
    }
    let mut random = fastrand::Rng::with_seed(u64::from(node.id));
    // The random number is in [0, 1), so that the power is finite.
    let wanted = (1.0 - random.f64()).powf(-1.0 / 1.2).min(f64::from(node.below));
    let children = (wanted as u32).max(1);
    let spare = f64::from(node.below - children);
    let weights: f64 = (1..=children).map(|k| 1.0 / f64::from(k)).sum();
    let mut id = node.id + 1;
    let mut left = node.below - children;
    // From the last, smallest one: what rounding leaves over falls to the first.
    for k in (1..=children).rev() {
        let share = (spare / weights / f64::from(k)) as u32;
        let below = if k == 1 { left } else { share.min(left) };
        left -= below;
        spawn(Node { id, below });
        id += below + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of all nodes, how deep the deepest is, and how many children a node has at most.
    fn explore(tree: Tree) -> (Vec<u32>, (usize, usize)) {
        let mut stack = vec![(tree.root(), 0)];
        let (mut ids, mut deepest, mut widest) = (Vec::new(), 0, 0);
        while let Some((node, depth)) = stack.pop() {
            ids.push(node.id);
            deepest = deepest.max(depth);
            let before = stack.len();
            tree.children(node, |child| stack.push((child, depth + 1)));
            widest = widest.max(stack.len() - before);
        }
        (ids, (deepest, widest))
    }

    #[test]
    fn every_number_belongs_to_exactly_one_node() {
        for shape in Shape::ALL {
            for len in [1, 2, 3, 9, 10, 1000, 4097] {
                let (mut ids, _) = explore(Tree { shape, len });
                ids.sort_unstable();
                assert!(ids.iter().copied().eq(0..len), "{shape:?} of {len}");
            }
        }
    }

    #[test]
    fn shapes_look_as_they_are_called() {
        let look = |shape| explore(Tree { shape, len: 10_000 }).1;
        assert_eq!(look(Shape::Bushy), (5, 8));
        assert_eq!(look(Shape::Chain), (9_999, 1));
        assert_eq!(look(Shape::Comb), (5_000, 2));
        assert_eq!(look(Shape::Star), (1, 9_999));
        let (deepest, widest) = look(Shape::PowerLaw);
        assert!((10..1000).contains(&deepest), "depth {deepest}");
        assert!(widest > 50, "width {widest}");
    }
}
