//! The search for one needle.

use std::{iter, ops::Range};

use memchr::memmem;

use super::rarity::ByRarity;

/// A search for one needle, by the two bytes of it that are rarest in source code.
#[derive(Clone, Debug)]
pub(crate) struct Needle {
    finder: memmem::Finder<'static>,
}

impl Needle {
    pub(crate) fn new(needle: &[u8]) -> Needle {
        let builder = memmem::FinderBuilder::new();
        Needle { finder: builder.build_forward_with_ranker(ByRarity, needle).into_owned() }
    }

    /// What is searched for.
    pub(crate) fn needle(&self) -> &[u8] {
        self.finder.needle()
    }

    /// Where the needle first begins in `haystack`.
    #[inline]
    pub(crate) fn find(&self, haystack: &[u8]) -> Option<usize> {
        self.finder.find(haystack)
    }

    /// Where it first is in `haystack`, from `at` on.
    #[inline]
    pub(crate) fn find_at(&self, haystack: &[u8], at: usize) -> Option<Range<usize>> {
        let start = at + self.find(&haystack[at..])?;
        Some(start..start + self.needle().len())
    }

    /// All places where it is in `haystack`, from left to right, that do not overlap.
    pub(crate) fn find_all<'h>(&'h self, haystack: &'h [u8]) -> impl Iterator<Item = Range<usize>> {
        let next = |before: &Range<usize>| self.find_at(haystack, before.end);
        iter::successors(self.find_at(haystack, 0), next)
    }
}

#[cfg(test)]
mod tests {
    use std::iter;

    use memchr::memmem;

    use super::Needle;

    #[test]
    fn the_first_place_is_found_wherever_it_is() {
        for needle in ["zq", "a_zq", "quiet words", "a needle of thirty-two bytes, ___"] {
            let search = Needle::new(needle.as_bytes());
            for len in [0, 1, 63, 64, 65, 127, 128, 129, 191, 192, 193, 255, 256, 257, 300] {
                let text = "quiet ".repeat(len / 6 + 1)[..len].to_owned();
                for at in 0..=len {
                    let text = format!("{}{needle}{}", &text[..at], &text[at..]);
                    assert_eq!(search.find(text.as_bytes()), Some(at), "{needle} in {text}");
                    assert_eq!(search.find(&text.as_bytes()[at + 1..]), None, "{needle}");
                }
            }
        }
    }

    #[test]
    fn random_searches_find_what_memmem_finds() {
        let mut random = fastrand::Rng::with_seed(38);
        let mut found = 0;
        for _ in 0..20_000 {
            let letters = random.u8(1..4);
            let lens = [random.usize(0..400), random.usize(1..40) / usize::from(letters) + 1];
            let text = |len: usize| -> Vec<u8> {
                iter::repeat_with(|| b'a' + random.u8(0..letters)).take(len).collect()
            };
            let [haystack, needle] = lens.map(text);
            let expected = memmem::find(&haystack, &needle);
            assert_eq!(Needle::new(&needle).find(&haystack), expected, "{needle:?} {haystack:?}");
            found += usize::from(expected.is_some_and(|at| at > 64));
        }
        assert!(found > 500, "{found}");
    }
}
