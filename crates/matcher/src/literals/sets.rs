//! Sets of strings such that a match contains, begins or ends with one, and what is made of them.

use std::iter;

/// How many needles a product of sets may have: as many as Teddy searches for at speed.
pub(crate) const MAX_NEEDLES: usize = 64;
/// Needles for which it is worth to find out whether they begin or end alike.
const MAX_CUT: usize = 2000;
/// How many bytes one of several needles has. More would not make it any rarer in practice.
const MAX_LEN: usize = 16;
/// How many bytes a single needle has that is put together from parts.
const MAX_SINGLE_LEN: usize = 256;
/// Bytes by which strings are extended, if that does not make them too many or too long.
const EXTENSIONS: [usize; 8] = [MAX_SINGLE_LEN, 12, 8, 6, 4, 3, 2, 1];

/// A sorted set of strings. A set that has only the empty string carries no information.
pub(super) type Set = Vec<Vec<u8>>;

/// A sorted set of strings that borrows from another set: strings, or their beginnings or ends. A
/// set that is only looked at is one of these: most are given up for a better one.
pub(super) type Slices<'s> = Vec<&'s [u8]>;

pub(super) fn tidy<S: Ord>(mut set: Vec<S>) -> Vec<S> {
    set.sort_unstable();
    set.dedup();
    set
}

pub(super) fn slices(set: &Set) -> Slices<'_> {
    set.iter().map(Vec::as_slice).collect()
}

fn owned(set: &[&[u8]]) -> Set {
    set.iter().map(|string| string.to_vec()).collect()
}

/// Every string in `a` followed by every one in `b`, unless that is too much.
pub(super) fn cross<A: AsRef<[u8]>, B: AsRef<[u8]>>(a: &[A], b: &[B]) -> Option<Set> {
    let count = a.len() * b.len();
    let max_len = if count == 1 { MAX_SINGLE_LEN } else { MAX_LEN };
    if count > MAX_NEEDLES || longest(a) + longest(b) > max_len {
        return None;
    }
    let joined = |x: &A| b.iter().map(|y| [x.as_ref(), y.as_ref()].concat()).collect::<Set>();
    Some(tidy(a.iter().flat_map(joined).collect()))
}

fn longest<S: AsRef<[u8]>>(set: &[S]) -> usize {
    set.iter().map(|string| string.as_ref().len()).max().unwrap_or(0)
}

/// The strings across the seam of `a` and `b`, as long as they can be.
pub(super) fn cross_near(a: &Set, b: &Set) -> Set {
    let cross = |keep| cross(&cut(a, keep, last), &cut(b, keep, first));
    let longest = longest(a).max(longest(b));
    lengths(&[MAX_LEN / 2, 4, 3, 2, 1], longest).find_map(cross).unwrap_or(vec![Vec::new()])
}

/// `b` with as much of `a` before it as fits.
pub(super) fn extend_left(a: &Set, b: &Set) -> Set {
    let cross = |keep| cross(&cut(a, keep, last), b);
    lengths(&EXTENSIONS, longest(a)).find_map(cross).unwrap_or_else(|| b.clone())
}

/// `a` with as much of `b` after it as fits.
pub(super) fn extend_right(a: &Set, b: &Set) -> Set {
    let cross = |keep| cross(a, &cut(b, keep, first));
    lengths(&EXTENSIONS, longest(b)).find_map(cross).unwrap_or_else(|| a.clone())
}

/// Which of the descending lengths `all` strings with at most `longest` bytes can be cut to: the
/// first, and all that make a difference.
fn lengths(all: &[usize], longest: usize) -> impl Iterator<Item = usize> {
    let differ = all.iter().skip(1).copied().filter(move |keep| *keep < longest);
    all.first().copied().into_iter().chain(differ)
}

/// `set` if it is small enough, else its members cut short until they are few.
pub(super) fn shorten(set: Set, side: fn(&[u8], usize) -> &[u8]) -> Set {
    if set.len() <= MAX_NEEDLES {
        return set;
    }
    let cuts = [4, 3, 2, 1].into_iter().map(|keep| cut(&set, keep, side));
    let few = cuts.into_iter().find(|cut| cut.len() <= MAX_NEEDLES);
    few.map_or_else(|| vec![Vec::new()], |cut| owned(&cut))
}

/// What can be searched for in place of `set`: itself, or needles with these lengths from its ends.
/// Many may have few.
pub(super) fn windows<'s>(
    set: &'s Set,
    lengths: &'static [usize],
) -> impl Iterator<Item = Slices<'s>> {
    let lengths = if (2..=MAX_CUT).contains(&set.len()) { lengths } else { &[] };
    let longest = longest(set);
    let shorter = lengths.iter().filter(move |keep| **keep < longest);
    let shorter = shorter.flat_map(|&keep| [cut(set, keep, first), cut(set, keep, last)]);
    iter::once(slices(set)).chain(shorter.filter(|set| set.len() <= MAX_NEEDLES))
}

/// The set that costs least to look for, with its cost.
pub(super) fn cheapest<'s>(
    sets: impl Iterator<Item = Slices<'s>>,
    cost: impl Fn(&[&[u8]]) -> f64,
) -> Option<(Set, f64)> {
    sets.map(|set| (cost(&set), set))
        .filter(|(cost, _)| cost.is_finite())
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(cost, set)| (owned(&set), cost))
}

fn cut(set: &Set, keep: usize, side: fn(&[u8], usize) -> &[u8]) -> Slices<'_> {
    tidy(set.iter().map(|string| side(string, keep)).collect())
}

pub(super) fn first(bytes: &[u8], keep: usize) -> &[u8] {
    &bytes[..keep.min(bytes.len())]
}

pub(super) fn last(bytes: &[u8], keep: usize) -> &[u8] {
    &bytes[bytes.len() - keep.min(bytes.len())..]
}
