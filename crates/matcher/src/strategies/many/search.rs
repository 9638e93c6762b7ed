//! The search for the needles of several tables.

use std::ops::Range;

use memchr::memchr;

use super::grams::ProbeBits;
use super::table::{Table, groups_by_length};
use crate::lines::{LineHit, line_start};
use crate::literals::case_fold::NonAsciiFolds;
use crate::strategies::budget::Lookahead;

/// Many needles, prepared.
#[derive(Debug)]
pub(super) struct Needles {
    /// A table for short needles and one for long ones, or one for all.
    tables: Vec<Table>,
    /// How long the longest needle is, or a letter's other spelling.
    longest: usize,
    /// Other spellings of letters in the needles.
    non_ascii_folds: NonAsciiFolds,
}

impl Needles {
    /// Prepares the search for `needles`, with ASCII letters in either case if it `folds`; some
    /// letters may then also be written as one of `non_ascii_folds`. `None` if a needle is too
    /// short or they are very long.
    pub(super) fn new(
        needles: &[Vec<u8>],
        folds: bool,
        non_ascii_folds: &[&[u8]],
    ) -> Option<Needles> {
        let fold = |needle: &Vec<u8>| match folds {
            true => needle.to_ascii_lowercase(),
            false => needle.clone(),
        };
        let mut needles: Vec<Vec<u8>> = needles.iter().map(fold).collect();
        needles.sort_unstable();
        // A needle that begins with another one is found where that is.
        needles.dedup_by(|next, before| next.starts_with(before));
        let tables = groups_by_length(&needles).map(|needles| Table::new(&needles, folds));
        let tables = tables.collect::<Option<Vec<_>>>().filter(|tables| !tables.is_empty())?;
        let folds = non_ascii_folds.iter().map(|fold| fold.len());
        let longest = needles.iter().map(Vec::len).chain(folds).max()?;
        Some(Needles { tables, longest, non_ascii_folds: NonAsciiFolds::new(non_ascii_folds) })
    }

    /// As [`find`](Needles::find), for one `line`, which is searched only up to a piece with a
    /// needle.
    pub(super) fn find_in_line(
        &self,
        haystack: &[u8],
        line: Range<usize>,
        terminator: u8,
        probes: &mut ProbeBits,
        hits: &mut Vec<LineHit>,
    ) {
        let (before, mut from, mut pieces) = (hits.len(), line.start, Lookahead::default());
        while from < line.end && hits.len() == before {
            // A needle may begin in the piece and end behind it.
            let next = line.end.min(from + pieces.next());
            let end = line.end.min(next + self.longest - 1);
            self.find(haystack, from..end, terminator, probes, hits);
            from = next;
        }
    }

    /// Appends to `hits`, in order, where a needle starts in each of `lines` that has one, and a
    /// candidate for each other spelling. `terminator` ends each line.
    pub(super) fn find(
        &self,
        haystack: &[u8],
        lines: Range<usize>,
        terminator: u8,
        probes: &mut ProbeBits,
        hits: &mut Vec<LineHit>,
    ) {
        let first = hits.len();
        for table in &self.tables {
            let known = hits.len();
            // A line that has a needle in one table is not searched for the next table's, if that
            // saves more probes than it takes to find where the line begins and ends.
            let skipped = if table.step() == 1 { first..known } else { known..known };
            let mut from = lines.start;
            for n in skipped {
                let hit = hits[n].offset();
                // A needle that spans lines may begin with the terminator before this one.
                let start = line_start(haystack, terminator, from.min(hit), hit);
                if start > from {
                    table.find(haystack, from..start - 1, terminator, probes, hits);
                }
                let rest = &haystack[hit..lines.end];
                from = memchr(terminator, rest).map_or(lines.end, |n| hit + n + 1);
            }
            if from < lines.end {
                table.find(haystack, from..lines.end, terminator, probes, hits);
            }
            if (first + 1..hits.len()).contains(&known) {
                // The hits of each table are in order.
                hits[first..].sort_by_key(|hit| hit.offset());
            }
        }
        self.non_ascii_folds.find(&haystack[lines.clone()], lines.start, first, hits);
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::{LineHit, Lookahead, Needles, ProbeBits};

    const END: u8 = b'\n';

    fn find(many: &Needles, haystack: &[u8], at: usize, end: usize) -> Vec<LineHit> {
        let mut hits = Vec::new();
        many.find(haystack, at..end, END, &mut ProbeBits::new(), &mut hits);
        hits
    }

    /// The places of hits, which are all certain.
    fn certain(hits: &[LineHit]) -> Vec<usize> {
        assert!(hits.iter().all(|hit| matches!(hit, LineHit::Confirmed(_))), "{hits:?}");
        hits.iter().map(|hit| hit.offset()).collect()
    }

    /// Where lines begin from `at` on that have one of `needles`.
    fn naive(needles: &[Vec<u8>], folds: bool, haystack: &[u8]) -> Vec<usize> {
        let folded = |bytes: &[u8]| if folds { bytes.to_ascii_lowercase() } else { bytes.to_vec() };
        let mut start = 0;
        let mut lines = Vec::new();
        for line in haystack.split(|&b| b == END) {
            let line_start = start;
            start += line.len() + 1;
            let line = folded(line);
            if needles.iter().any(|n| line.windows(n.len()).any(|w| w == folded(n))) {
                lines.push(line_start);
            }
        }
        lines
    }

    fn line_starts(haystack: &[u8], hits: &[usize]) -> Vec<usize> {
        let start = |&hit: &usize| memchr::memrchr(END, &haystack[..hit]).map_or(0, |n| n + 1);
        let mut starts: Vec<_> = hits.iter().map(start).collect();
        starts.dedup();
        starts
    }

    #[test]
    fn finds_the_lines_that_a_naive_search_finds() {
        let mut rng = Rng::with_seed(7);
        let mut next = |n: u32| rng.u32(..n);
        let (mut found, mut skipping) = (0, 0);
        for round in 0..400 {
            let letters = b"abcdABCD[{_efghijklmnopqrstuv";
            let letters = &letters[..2 + round % 10 * (1 + round % 3)];
            let folds = next(2) == 0;
            let shortest = if next(2) == 0 { 2 + next(2) } else { 2 + next(16) };
            let mut word = |len: u32| -> Vec<u8> {
                (0..len).map(|_| letters[next(letters.len() as u32) as usize]).collect()
            };
            let mut needles: Vec<Vec<u8>> = (0..1 + round % 190)
                .map(|n| word(shortest + n as u32 % 3 * (n as u32 % 4)))
                .collect();
            needles.push(word(shortest));
            let mut haystack = Vec::new();
            for n in 0..round as u32 % 40 {
                haystack.extend(word(n * 7 % 50));
                haystack.push(END);
            }
            haystack.extend_from_slice(&needles[0]);
            let many = Needles::new(&needles, folds, &[]).unwrap();
            let expected = naive(&needles, folds, &haystack);
            let hits = certain(&find(&many, &haystack, 0, haystack.len()));
            let name = format!("{needles:?} {folds} {}", haystack.escape_ascii());
            assert_eq!(line_starts(&haystack, &hits), expected, "{name}");
            assert!(hits.is_sorted(), "{name}");
            found += hits.len();
            skipping += u32::from(many.tables.len() > 1 && many.tables[1].step() == 1);
        }
        assert!(found > 1000 && skipping > 5, "{found}, {skipping}");
    }

    #[test]
    fn stays_within_the_end() {
        let many = Needles::new(&[b"abcdef".to_vec(), b"bcdefg".to_vec()], false, &[]).unwrap();
        let hits = |haystack, at, end| certain(&find(&many, haystack, at, end));
        assert_eq!(hits(b"xxabcdefg", 0, 7), []);
        assert_eq!(hits(b"xxabcdefg", 0, 8), [2]);
        assert_eq!(hits(b"xxabcdefg", 3, 9), [3]);
        assert_eq!(hits(b"abcdef", 0, 0), []);
    }

    #[test]
    fn lines_between_those_with_short_needles_are_searched_for_long_ones() {
        let mut needles: Vec<Vec<u8>> = (10..90).map(|n| format!("needle{n}").into()).collect();
        // The first makes the step of the long ones 1.
        needles.extend([b"~~~~".to_vec(), b"0x0".to_vec()]);
        for folds in [false, true] {
            let many = Needles::new(&needles, folds, &[]).unwrap();
            assert_eq!([many.tables[0].step(), many.tables[1].step()], [1, 1]);
            let (short, long, none) = ("a 0x0 needle11\n", "a needle12\n", "needle1 0x 0\n");
            // One hit in each line, the short needle if it has one; lines of any length between.
            for len in 0..150 {
                let none = format!("{}{none}", "-".repeat(len));
                for lines in [
                    [short, &none, long, short, "\n"],
                    [&none, short, "\n", long, "needle89"],
                    [long, &none, &none, "\n", "0x0"],
                    [short, short, &none, long, &none],
                ] {
                    // Neighbours on either side do not count.
                    let text = ["0x0\n", &lines.concat(), "needle13"].concat();
                    let mut start = 4;
                    let mut expected = Vec::new();
                    for line in lines {
                        let place = line.find("0x0").or(line
                            .find("needle")
                            .filter(|_| (10..90).any(|n| line.contains(&format!("needle{n}")))));
                        expected.extend(place.map(|place| start + place));
                        start += line.len();
                    }
                    let hits = certain(&find(&many, text.as_bytes(), 4, start));
                    assert_eq!(hits, expected, "{folds} {text:?}");
                }
            }
        }
    }

    #[test]
    fn needles_may_begin_with_the_terminator() {
        let mut needles: Vec<Vec<u8>> = (10..90).map(|n| format!("needle{n}").into()).collect();
        needles.extend([b"~~~~".to_vec(), b"\nab".to_vec()]);
        for folds in [false, true] {
            let many = Needles::new(&needles, folds, &[]).unwrap();
            let text = b"x\nab\nab\nneedle1\n\nab\nab";
            let hits = certain(&find(&many, text, 0, text.len()));
            assert!(hits.starts_with(&[1]), "{hits:?}");
        }
    }

    #[test]
    fn a_needle_in_a_long_line_is_found_wherever_it_is() {
        let needles: Vec<Vec<u8>> = (10..90).map(|n| format!("needle{n}").into_bytes()).collect();
        let many = Needles::new(&needles, true, &["ſ".as_bytes()]).unwrap();
        let find = |text: &[u8]| {
            let mut hits = Vec::new();
            let line = 3..text.len();
            many.find_in_line(text, line, END, &mut ProbeBits::new(), &mut hits);
            hits
        };
        let len = 3 + 5 * Lookahead::MAX_BYTES;
        assert_eq!(find(&b"x".repeat(len)), []);
        let at_end = [&b"x".repeat(len - 8)[..], b"needle77"].concat();
        assert_eq!(find(&at_end), [LineHit::Confirmed(len - 8)]);
        let borders = (10..15).map(|n| 3 + (1 << n) - (1 << 10)).chain([len]);
        let places = borders.flat_map(|border| border.saturating_sub(9)..border + 2);
        for at in places.filter(|at| (3..=len - 16).contains(at)) {
            let mut text = b"x".repeat(len);
            text[at..at + 8].copy_from_slice(b"Needle42");
            text[len - 8..].copy_from_slice(b"needle77");
            assert_eq!(find(&text), [LineHit::Confirmed(at)]);
            text[at..at + 8].copy_from_slice("xxxſxxx".as_bytes());
            assert_eq!(find(&text)[0], LineHit::Candidate(at + 3));
            assert!(find(&text).iter().all(|hit| hit.offset() < at + Lookahead::MAX_BYTES + 8));
        }
    }

    #[test]
    fn needles_that_share_their_grams_are_told_apart() {
        let needles: Vec<Vec<u8>> =
            (0..1000).map(|n| format!("prefix{n:03}suffix").into_bytes()).collect();
        let many = Needles::new(&needles[500..], false, &[]).unwrap();
        let haystack = b"prefix499suffix\nprefix500suffix\nprefix050suffix\n";
        assert_eq!(find(&many, haystack, 0, haystack.len()), [LineHit::Confirmed(16)]);
        let short: Vec<Vec<u8>> = (0..1000).map(|n| format!("abcd{n:03}").into_bytes()).collect();
        let many = Needles::new(&short, false, &[]).unwrap();
        assert!(
            many.tables.iter().all(|t| !t.is_crowded()),
            "looks at every place tell them apart"
        );
        assert_eq!(find(&many, b"xabcd0000\nabcdabc042", 0, 20), [LineHit::Confirmed(1)]);
    }

    #[test]
    fn strangers_make_lines_doubtful() {
        let (kelvin, long_s) = ("\u{212A}".as_bytes(), "ſ".as_bytes());
        let many = Needles::new(&[b"disk".to_vec()], true, &[kelvin, long_s]).unwrap();
        let find = |text: &str| find(&many, text.as_bytes(), 0, text.len());
        assert_eq!(find("a DISK\nb\n"), [LineHit::Confirmed(2)]);
        assert_eq!(find("é DISK\nb\n"), [LineHit::Confirmed(3)], "no letter of it looks like that");
        assert_eq!(find("a DISK\nx diſk\n"), [LineHit::Confirmed(2), LineHit::Candidate(11)]);
    }

    #[test]
    fn needles_of_one_byte_are_not_for_it() {
        assert!(Needles::new(&[b"a".to_vec(), b"abcdef".to_vec()], false, &[]).is_none());
        assert!(Needles::new(&[], false, &[]).is_none());
    }
}
