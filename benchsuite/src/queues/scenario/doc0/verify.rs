//! Whether exactly the items that should have been done were done.
//!
//! A timed run has only a [`Tally`] to tell by. A run that is not timed also has [`Bits`].

use std::ops::Range;

use crate::queues::scenario::witness::{Bits, Marks, Tally};

/// What is wrong with `tally` and `bits` as the outcome of doing each item of `ranges` once. Call it
/// when the threads that mark have been joined.
pub(super) fn fault(tally: Tally, bits: Option<&Bits>, ranges: &[Range<u64>]) -> Option<String> {
    let faults = [fault_of_tally(tally, ranges), bits.and_then(|bits| fault_of_bits(bits, ranges))];
    join(faults.into_iter().flatten())
}

fn fault_of_tally(tally: Tally, ranges: &[Range<u64>]) -> Option<String> {
    let expected = Tally::of(ranges.iter().cloned().flatten());
    let (done, all) = (tally.count, expected.count);
    if done < all {
        Some(format!("{done} of {all} items done, {} lost", all - done))
    } else if done > all {
        Some(format!("{done} items done, {} more than there were: doubled", done - all))
    } else if tally != expected {
        Some(format!("{all} items done, but not the right ones: lost and doubled"))
    } else {
        None
    }
}

fn fault_of_bits(bits: &Bits, ranges: &[Range<u64>]) -> Option<String> {
    let Marks { marked, doubled, a_doubled, unknown } = bits.marks();
    let expected: u64 = ranges.iter().map(|range| range.end - range.start).sum();
    let missing = || ranges.iter().cloned().flatten().filter(|&id| !bits.is_marked(id));
    let lost = missing().count() as u64;
    let unknown = marked - (expected - lost) + unknown;

    let lost = missing().next().map(|one| format!("{lost} items lost, the first is {one}"));
    let doubled = (doubled > 0).then(|| format!("{doubled} items doubled, one is {a_doubled}"));
    let unknown = (unknown > 0).then(|| format!("{unknown} items done that never were"));
    join([lost, doubled, unknown].into_iter().flatten())
}

/// All faults in one, if there is any.
fn join(faults: impl Iterator<Item = String>) -> Option<String> {
    let faults: Vec<String> = faults.collect();
    (!faults.is_empty()).then(|| faults.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_accept_any_order_and_any_split() {
        let mut halves = Tally::of((5..10).rev());
        halves += Tally::of(0..5);
        #[expect(clippy::single_range_in_vec_init, reason = "a list of one range is meant")]
        let all = [0..10];
        assert_eq!(fault(halves, None, &all), None);
        assert_eq!(fault(halves, None, &[5..10, 0..5]), None);
    }

    #[test]
    fn sums_tell_what_was_lost_or_doubled() {
        let all = [0..4, 4..8];
        let fault = |ids: &[u64]| fault(Tally::of(ids.iter().copied()), None, &all).unwrap();
        assert!(fault(&[0, 1, 2, 3, 4, 5, 6]).contains("7 of 8 items done, 1 lost"));
        assert!(fault(&[0, 1, 2, 3, 4, 5, 6, 7, 7]).contains("1 more than there were"));
        assert!(fault(&[0, 1, 2, 3, 4, 5, 6, 6]).contains("not the right ones"));
        // The plain sum is the same: 0 + 3 == 1 + 2.
        assert!(fault(&[1, 1, 2, 2, 4, 5, 6, 7]).contains("not the right ones"));
    }

    #[test]
    fn bits_tell_which_item_was_lost_or_doubled() {
        let mark = |ids: &[u64]| {
            let bits = Bits::new(100);
            ids.iter().for_each(|&id| bits.mark(id));
            fault_of_bits(&bits, &[0..3, 97..100])
        };
        assert_eq!(mark(&[99, 0, 98, 1, 97, 2]), None);
        assert_eq!(mark(&[99, 0, 97, 1, 2]).unwrap(), "1 items lost, the first is 98");
        assert_eq!(
            mark(&[99, 0, 97, 1, 2, 97]).unwrap(),
            "1 items lost, the first is 98; 1 items doubled, one is 97"
        );
        assert_eq!(mark(&[99, 0, 98, 1, 97, 2, 50]).unwrap(), "1 items done that never were");
        assert_eq!(mark(&[99, 0, 98, 1, 97, 2, 1000]).unwrap(), "1 items done that never were");
    }
}
