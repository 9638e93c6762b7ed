//! Searches for a few needles at once.

use regex_automata::MatchKind;
use regex_automata::util::prefilter::Prefilter;

use crate::strategies::bit_parallel;
use crate::strategies::cost;

/// A search for `needles`: memchr, memmem or Teddy. `None` if a regex engine is faster.
pub(crate) fn prefilter(needles: &[Vec<u8>]) -> Option<Prefilter> {
    if needles.iter().any(Vec::is_empty) {
        return None;
    }
    let prefilter = Prefilter::new(MatchKind::LeftmostFirst, needles)?;
    // Another processor may lack what packed searches take.
    let has_packed = cfg!(target_arch = "aarch64") || bit_parallel::is_fast();
    let is_fast = prefilter.is_fast() || has_packed && cost::is_packed(needles);
    is_fast.then_some(prefilter)
}
