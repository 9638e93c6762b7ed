//! Letters outside ASCII that fold to letters of needles: `ſ` to `s`, the Kelvin sign to `k`.

use memchr::memmem;

use crate::lines::LineHit;

/// Characters that may stand for a letter of a needle.
#[derive(Clone, Debug, Default)]
pub(super) struct NonAsciiFolds(Vec<memmem::Finder<'static>>);

impl NonAsciiFolds {
    pub(super) fn new(folds: &[&[u8]]) -> NonAsciiFolds {
        NonAsciiFolds(folds.iter().map(|fold| memmem::Finder::new(fold).into_owned()).collect())
    }

    /// Adds a candidate for each of the characters in `text`, which begins at `at`. The hits from
    /// the `first` on are all others in `text`; they stay in order.
    pub(super) fn find(&self, text: &[u8], at: usize, first: usize, hits: &mut Vec<LineHit>) {
        if self.0.is_empty() || text.is_ascii() {
            return;
        }
        for fold in &self.0 {
            hits.extend(fold.find_iter(text).map(|start| LineHit::Candidate(at + start)));
        }
        hits[first..].sort_unstable_by_key(|hit| hit.offset());
    }
}
