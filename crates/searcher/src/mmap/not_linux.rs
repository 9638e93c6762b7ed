//! A page cache without a query for what it holds: nothing counts as cached.

use std::fs::File;

pub(crate) fn is_cached(_: &File, _: u64) -> bool {
    false
}

pub(crate) fn page_faults() -> u64 {
    0
}
