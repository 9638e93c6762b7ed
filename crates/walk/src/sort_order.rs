//! The order of a walk's entries, whichever worker visits them and when.
//!
//! Every entry has a key, and so has every item of the queue. Keys compare as bytes. No entry in an
//! item, or in the items it spawns, has a smaller key than the item; two items that exist at the
//! same time never have the same key.
//!
//! ```text
//! key of a root       its index, four bytes, big-endian
//! key of an entry     the key of its directory, then
//!   Names             its name and a NUL, which no name contains, so that `a/b` sorts before `a+`
//!   NamesReversed     the same with every bit inverted
//!   Listing           its position in the listing, eight bytes, big-endian
//! ```

use std::cmp::Ordering;

/// In which order entries come below each root. Roots keep the order in which they were named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortOrder {
    /// By the bytes of names within each directory; a directory sorts among the files, and its
    /// entries follow it. One worker visits entries in exactly this order. Several workers nearly
    /// do, except with queues that take the oldest item first.
    Names,
    /// By the bytes of names within each directory, as [`Names`](Self::Names), but reversed.
    NamesReversed,
    /// As the system lists each directory's entries; a directory's entries follow it. Only keys
    /// have this order: entries are visited as in a walk without one.
    Listing,
}

impl SortOrder {
    /// Whether the walk sorts each directory's entries before it visits them.
    pub(crate) fn sorts(self) -> bool {
        self != SortOrder::Listing
    }

    /// Appends to a directory's key what makes it the key of an entry in that directory.
    pub(crate) fn append(self, key: &mut Vec<u8>, name: &[u8], position: u64) {
        match self {
            SortOrder::Names => {
                key.extend_from_slice(name);
                key.push(0);
            }
            SortOrder::NamesReversed => {
                key.extend(name.iter().map(|&byte| !byte));
                key.push(!0);
            }
            SortOrder::Listing => key.extend_from_slice(&position.to_be_bytes()),
        }
    }
}

/// Returns the key for the root with this index, see [`SortOrder`].
///
/// ```
/// assert!(heist_walk::root_key(255) < heist_walk::root_key(256));
/// ```
#[must_use]
pub fn root_key(index: usize) -> [u8; 4] {
    // No command line is long enough for 2^32 roots.
    u32::try_from(index).unwrap_or(u32::MAX).to_be_bytes()
}

/// The parts that make an entry's key. They are put together only when a visitor wants it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyParts<'a> {
    /// `None` if `dir` is the whole key, or if the walk has no keys.
    pub(crate) order: Option<SortOrder>,
    /// The directory's key.
    pub(crate) dir: &'a [u8],
    /// The entry's position in its directory's listing.
    pub(crate) position: u64,
}

impl<'a> KeyParts<'a> {
    /// A key that is known already, as parts.
    pub(crate) fn whole(key: &'a [u8]) -> KeyParts<'a> {
        KeyParts { order: None, dir: key, position: 0 }
    }

    /// Compares the keys of the entries `name` and `other_name` as bytes.
    pub(crate) fn cmp(&self, name: &[u8], other: &KeyParts<'_>, other_name: &[u8]) -> Ordering {
        let shared = self.dir.len().min(other.dir.len());
        let (same, rest) = self.dir.split_at(shared);
        let (other_same, other_rest) = other.dir.split_at(shared);
        same.cmp(other_same).then_with(|| {
            let (position, other_position) =
                (self.position.to_be_bytes(), other.position.to_be_bytes());
            let key = rest.iter().copied().chain(self.tail(name, &position));
            key.cmp(other_rest.iter().copied().chain(other.tail(other_name, &other_position)))
        })
    }

    /// What the key of the entry `name` has behind that of its directory, see
    /// [`SortOrder::append`].
    fn tail(&self, name: &'a [u8], position: &'a [u8; 8]) -> impl Iterator<Item = u8> + 'a {
        let (bytes, mask, end): (&[u8], u8, Option<u8>) = match self.order {
            Some(SortOrder::Names) => (name, 0, Some(0)),
            Some(SortOrder::NamesReversed) => (name, !0, Some(!0)),
            Some(SortOrder::Listing) => (position, 0, None),
            None => (&[], 0, None),
        };
        bytes.iter().map(move |&byte| byte ^ mask).chain(end)
    }

    /// Replaces what `into` contains by the key of the entry `name`.
    pub(crate) fn write(&self, name: &[u8], into: &mut Vec<u8>) {
        into.clear();
        into.extend_from_slice(self.dir);
        if let Some(order) = self.order {
            order.append(into, name, self.position);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(order: SortOrder, path: &str) -> Vec<u8> {
        let mut key = root_key(0).to_vec();
        for name in path.split('/') {
            order.append(&mut key, name.as_bytes(), 0);
        }
        key
    }

    #[test]
    fn names_compare_component_by_component() {
        let sorted = ["a/b", "a/b+", "a/c/d", "a\u{1}", "a+", "a.b/c", "ab", "b"];
        for pair in sorted.windows(2) {
            assert!(key(SortOrder::Names, pair[0]) < key(SortOrder::Names, pair[1]), "{pair:?}");
            assert!(
                key(SortOrder::NamesReversed, pair[0]) > key(SortOrder::NamesReversed, pair[1])
            );
        }
        assert!(
            key(SortOrder::Names, "a") < key(SortOrder::Names, "a/b"),
            "a directory is not above its entries"
        );
        assert!(key(SortOrder::NamesReversed, "a") < key(SortOrder::NamesReversed, "a/b"));
    }

    #[test]
    fn positions_and_roots_compare_as_numbers() {
        let mut low = root_key(255).to_vec();
        let mut high = low.clone();
        SortOrder::Listing.append(&mut low, b"z", 255);
        SortOrder::Listing.append(&mut high, b"a", 256);
        assert!(low < high);
        assert!(root_key(255) < root_key(256));
    }
}
