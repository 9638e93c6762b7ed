//! How a visitor in a sorted walk follows which items are unfinished.

use crate::visitor::Visitor;

/// A visitor that learns the keys of the items it works on, so that what several workers find can
/// be put in order. Every method does nothing by default.
///
/// [`walk_with_hooks`](crate::walk_with_hooks) calls these methods if
/// [`WalkConfig::order`](crate::WalkConfig::order) is set. Keys compare as bytes, see
/// [`SortOrder`](crate::SortOrder). A result is final once no unfinished item has a smaller key:
///
/// ```text
/// begin(root)  spawn(root/a, root/b)  entry(root/c)  end()     worker 0
///                begin(root/a)  entry(root/a/x)  end()         worker 1
///                  begin(root/b)  entry(root/b/y)  end()       worker 0
/// ```
pub trait OrderedVisitor: Visitor {
    /// Whether these methods are called. A visitor without them saves the items' keys.
    const FOLLOWS_ITEMS: bool = true;

    /// The worker takes up the item with this key: a root, a directory or some files of one. No
    /// entry in the item, and none in the items it spawns, has a smaller key.
    fn begin(&mut self, _key: &[u8]) {}

    /// The current item is about to spawn items with these keys. No other worker has seen them yet.
    fn spawn(&mut self, _keys: &mut dyn Iterator<Item = &[u8]>) {}

    /// The current item is done: all its entries have been visited and all its items spawned. Not
    /// called if the walk was ended early.
    fn end(&mut self) {}
}
