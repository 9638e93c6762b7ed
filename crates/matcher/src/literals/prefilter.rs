//! Searches for a few needles at once.

use std::ops::Range;
use std::sync::Arc;

use regex_automata::MatchKind;
use regex_automata::util::prefilter;

use super::needle::Needle;
use crate::strategies::bit_parallel;
use crate::strategies::cost;

/// A search for a few needles: memchr, memmem or Teddy.
#[derive(Clone, Debug)]
pub(crate) enum Prefilter {
    One(Arc<Needle>),
    Some(prefilter::Prefilter),
}

impl Prefilter {
    /// The first needle in `range` of `haystack`.
    #[inline]
    pub(crate) fn find(&self, haystack: &[u8], range: Range<usize>) -> Option<Range<usize>> {
        match self {
            Prefilter::One(needle) => needle.find_at(&haystack[..range.end], range.start),
            Prefilter::Some(needles) => {
                needles.find(haystack, range.into()).map(|needle| needle.range())
            }
        }
    }
}

/// A search for `needles`. `None` if a regex engine is faster.
pub(crate) fn prefilter(needles: &[Vec<u8>]) -> Option<Prefilter> {
    if needles.iter().any(Vec::is_empty) {
        return None;
    }
    if let [needle] = needles {
        return Some(Prefilter::One(Arc::new(Needle::new(needle))));
    }
    let prefilter = prefilter::Prefilter::new(MatchKind::LeftmostFirst, needles)?;
    // Another processor may lack what packed searches take.
    let has_packed = cfg!(target_arch = "aarch64") || bit_parallel::is_fast();
    let is_fast = prefilter.is_fast() || has_packed && cost::is_packed(needles);
    is_fast.then_some(Prefilter::Some(prefilter))
}
