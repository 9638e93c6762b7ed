//! The order in which the files of a walk belong, whoever visits them and when.
//!
//! Every file has a key, and so has every item of the queue. Keys compare as bytes. All files of an item, and of the
//! items it spawns, have keys that are not below its own; two items that exist at a time never have the same key.
//!
//! ```text
//! key of a root       its number, four bytes, the highest first
//! key of an entry     the key of its directory, then
//!   by name           its name and a NUL: no name holds one, so that `a/b` comes before `a+`
//!   by name reversed  the same with every bit turned over
//!   by listing        where it stood in the listing, eight bytes, the highest first
//! ```

/// In which order files belong, below roots in the order in which they were named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortOrder {
    /// The entries of each directory by the bytes of their names, directories among files and entered on the spot. One
    /// worker visits files in this very order; several do so nearly, except with queues that take the oldest item.
    Names,
    /// The same with the entries of each directory in reverse.
    NamesReversed,
    /// As the system lists them, directories entered on the spot. Files are visited as without any order.
    Listing,
}

impl SortOrder {
    /// Whether the entries of a directory are sorted, and visited so.
    pub(crate) fn sorts(self) -> bool {
        self != SortOrder::Listing
    }

    /// Append to the key of a directory what makes it the key of one of its entries.
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

/// The key of the root with this index, see [`SortOrder`].
#[must_use]
pub fn root_key(index: usize) -> [u8; 4] {
    // A command line has no room for so many roots that numbers would meet.
    u32::try_from(index).unwrap_or(u32::MAX).to_be_bytes()
}

/// What the key of a file is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyParts<'a> {
    /// None: nobody asks for keys, or `dir` is all of it.
    pub(crate) order: Option<SortOrder>,
    /// The key of its directory.
    pub(crate) dir: &'a [u8],
    /// Where it stood in the listing.
    pub(crate) position: u64,
}

impl<'a> KeyParts<'a> {
    /// The place of what nobody asks the key of.
    pub(crate) const NOWHERE: KeyParts<'static> = KeyParts { order: None, dir: &[], position: 0 };

    /// The place of what has this key.
    pub(crate) fn whole(key: &'a [u8]) -> KeyParts<'a> {
        KeyParts { dir: key, ..KeyParts::NOWHERE }
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
