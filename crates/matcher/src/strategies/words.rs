//! Searches for words that stand alone: any from a list, between two word borders, as in `-w -f
//! WORDS`.
//!
//! Where the needles are made of ASCII letters, digits and `_`, each can only be a whole run of
//! such bytes. Runs are found 64 bytes at a time, and each is looked up in a hash table once, by
//! its length and its first and last eight bytes. So it does not matter how many needles there are,
//! how short they are, or how common their parts. For `foo` and `x_1`, the line `(foo, x_12)` takes
//! two look-ups.
//!
//! What borders a run is known where it is ASCII; the engine decides whether another character is
//! part of a word. docs/decisions/0033-words-that-stand-alone.md has the figures.

use std::ops::Range;
use std::sync::Arc;

use memchr::memchr;
use regex_syntax::hir::{Hir, HirKind, Look};

use super::bit_parallel::{BITS, Class, is_fast, mark};
use super::expression::Expression;
use super::line_finder::{LineFinder, Step, Task, Traits};
use super::many::hash;
use crate::lines::LineHit;
use crate::literals::case_fold::NonAsciiFolds;

/// How many places the table has per word. Few are taken, so most look-ups end at a free one.
const PLACES_PER_WORD: usize = 16;
/// How many bytes at each end of a word are part of its key.
const KEY_BYTES: usize = 8;
/// Places that are tried for a word at most; words with equal keys take one each.
const MOST_PLACES: usize = 64;

/// Looks for words.
#[derive(Clone, Debug)]
pub(crate) struct Words {
    table: Arc<Table>,
    is_exact: bool,
    marks: Vec<u64>,
}

impl Words {
    /// Whether `expression` matches words that stand alone, and nothing else.
    pub(super) fn are_all_of(expression: &Expression<'_>) -> bool {
        is_fast() && stand_alone(expression.hir) && list(expression).is_some()
    }

    /// A search for the words that [are all of](Words::are_all_of) `expression`; `None` if
    /// there are others, or too many differ only in their middles.
    pub(super) fn new(expression: &Expression<'_>) -> Option<Words> {
        if !Words::are_all_of(expression) {
            return None;
        }
        let List { words, folds, non_ascii_folds } = list(expression)?;
        let table = Arc::new(Table::new(words, folds, non_ascii_folds)?);
        Some(Words { table, is_exact: expression.is_exact, marks: Vec::new() })
    }
}

impl LineFinder for Words {
    fn traits(&self) -> Traits {
        Traits::of(self.is_exact)
    }

    #[inline(never)]
    fn fill(&mut self, task: &mut Task<'_, '_>) -> Step {
        let (haystack, terminator) = task.text();
        let lines = task.ahead();
        task.scan.learn(|hits| {
            self.table.find(haystack, lines.start..lines.end, terminator, &mut self.marks, hits);
            lines.end + 1
        });
        Step::Learned
    }
}

/// Words to look for.
struct List<'e> {
    words: &'e [Vec<u8>],
    /// Whether they are in lower case, and stand for either.
    folds: bool,
    /// Other spellings of letters in them.
    non_ascii_folds: &'e [&'static [u8]],
}

/// The words that are all that `expression` matches, if it is such a list.
fn list<'e>(expression: &'e Expression<'_>) -> Option<List<'e>> {
    let folded = expression.folded().filter(|folded| folded.expression.is_same);
    let literals = folded.map_or(expression.literals(), |folded| &folded.literals);
    let words = literals.exact()?;
    let non_ascii_folds = folded.map_or(&[][..], |folded| &folded.expression.non_ascii_folds);
    are_words(words).then_some(List { words, folds: folded.is_some(), non_ascii_folds })
}

/// Whether each of `words` is made of letters, digits and `_`.
fn are_words(words: &[Vec<u8>]) -> bool {
    words.iter().all(|word| !word.is_empty() && word.iter().copied().all(is_member))
}

/// Whether words have `byte` in them.
fn is_member(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The words, and where to find them by their keys.
#[derive(Debug)]
struct Table {
    /// The bytes that they are made of.
    class: Class,
    /// Bits that are set in keys where case does not matter. They make no two bytes in the class
    /// equal but a letter's two cases.
    fold: u64,
    /// At a key's hash or in the next free place: an entry's index plus one; 0 if free.
    places: Box<[u32]>,
    entries: Box<[Entry]>,
    /// The words, one after the other.
    bytes: Box<[u8]>,
    non_ascii_folds: NonAsciiFolds,
}

/// A word.
#[derive(Clone, Copy, Debug)]
struct Entry {
    key: u64,
    /// Where it begins in the bytes of all, and its length.
    start: u32,
    len: u32,
}

impl Table {
    /// A table of `words`, which stand for either case if it `folds`; some letters may then also be
    /// written as one of `non_ascii_folds`. `None` if a word has other bytes, or too many differ
    /// only in their middles.
    fn new(words: &[Vec<u8>], folds: bool, non_ascii_folds: &[&[u8]]) -> Option<Table> {
        if !are_words(words) {
            return None;
        }
        let places = (words.len() * PLACES_PER_WORD).next_power_of_two();
        let mut table = Table {
            class: Class::new(is_member),
            fold: if folds { 0x2020_2020_2020_2020 } else { 0 },
            places: vec![0; places].into_boxed_slice(),
            entries: Box::default(),
            bytes: Box::default(),
            non_ascii_folds: NonAsciiFolds::new(non_ascii_folds),
        };
        let (mut entries, mut bytes) = (Vec::with_capacity(words.len()), Vec::new());
        for word in words {
            let entry = Entry {
                key: table.key(word, 0, word.len()),
                start: u32::try_from(bytes.len()).ok()?,
                len: u32::try_from(word.len()).ok()?,
            };
            bytes.extend_from_slice(word);
            entries.push(entry);
            let mut places = table.places(entry.key).take(MOST_PLACES);
            let place = places.find(|&n| table.places[n] == 0)?;
            table.places[place] = u32::try_from(entries.len()).ok()?;
        }
        table.entries = entries.into_boxed_slice();
        table.bytes = bytes.into_boxed_slice();
        Some(table)
    }

    /// Appends to `hits`, in order, where the first word starts in each of `lines` that has one,
    /// and a candidate for each other spelling. `terminator` ends each line.
    fn find(
        &self,
        haystack: &[u8],
        lines: Range<usize>,
        terminator: u8,
        marks: &mut Vec<u64>,
        hits: &mut Vec<LineHit>,
    ) {
        let first = hits.len();
        let (at, text) = (lines.start, &haystack[lines]);
        let count = text.len().div_ceil(BITS);
        if marks.len() < count {
            marks.resize(count, 0);
        }
        let marks = &mut marks[..count];
        mark(&self.class, text, terminator, marks);
        // What begins before this is in a line that has a hit.
        let mut known_to = 0;
        let mut before = 0;
        for (n, &word) in marks.iter().enumerate() {
            let mut starts = word & !(word << 1 | before);
            before = word >> 63;
            while starts != 0 {
                let bit = starts.trailing_zeros() as usize;
                starts &= starts - 1;
                let mut len = (word >> bit).trailing_ones() as usize;
                if bit + len == BITS {
                    len += run(&marks[n + 1..]);
                }
                let start = n * BITS + bit;
                // No branch before this one, which the processor predicts.
                if !self.has(text, start, len) || start < known_to {
                    continue;
                }
                let borders = [start.checked_sub(1), Some(start + len)];
                let mut borders = borders.into_iter().flatten().filter_map(|place| text.get(place));
                hits.push(LineHit::new(at + start, borders.all(u8::is_ascii)));
                known_to = memchr(terminator, &text[start..]).map_or(text.len(), |n| start + n);
            }
        }
        self.non_ascii_folds.find(text, at, first, hits);
    }

    /// Whether the run of `len` bytes at `start` in `text` is a word.
    #[inline(always)]
    fn has(&self, text: &[u8], start: usize, len: usize) -> bool {
        let key = self.key(text, start, len);
        for place in self.places(key) {
            let Some(index) = self.places[place].checked_sub(1) else { break };
            let entry = &self.entries[index as usize];
            if entry.key != key || entry.len as usize != len {
                continue;
            }
            let (word, found) = (&self.bytes[entry.start as usize..][..len], &text[start..][..len]);
            let is_equal = match self.fold {
                0 => found == word,
                _ => found.eq_ignore_ascii_case(word),
            };
            if is_equal {
                return true;
            }
        }
        false
    }

    /// The key for the run of `len` bytes at `start` in `text`, made of its length and its first
    /// and last bytes, which overlap if it is short.
    #[inline(always)]
    fn key(&self, text: &[u8], start: usize, len: usize) -> u64 {
        let short = len.min(KEY_BYTES);
        let eight = |at: usize| {
            let bytes = text[at..].first_chunk().copied().unwrap_or_else(|| {
                let mut bytes = [0; KEY_BYTES];
                bytes[..short].copy_from_slice(&text[at..at + short]);
                bytes
            });
            (u64::from_le_bytes(bytes) | self.fold) & u64::MAX >> (8 * (KEY_BYTES - short))
        };
        eight(start) ^ eight(start + len - short).rotate_left(29) ^ (len as u64) << 56
    }

    /// The places of the table in which a word with this key may be: one after the other, until one
    /// is free.
    #[inline(always)]
    fn places(&self, key: u64) -> impl Iterator<Item = usize> + use<> {
        let hash = hash(key, u32::BITS);
        let last = self.places.len() - 1;
        (0..=last).map(move |n| (hash + n) & last)
    }
}

/// Whether `hir` matches only what begins and ends at a border of words.
fn stand_alone(hir: &Hir) -> bool {
    use Look::{
        WordAscii, WordEndAscii, WordEndHalfAscii, WordEndHalfUnicode, WordEndUnicode,
        WordStartAscii, WordStartHalfAscii, WordStartHalfUnicode, WordStartUnicode, WordUnicode,
    };
    let HirKind::Concat(subs) = hir.kind() else { return false };
    let [first, within @ .., last] = &subs[..] else { return false };
    let begins = matches!(
        first.kind(),
        HirKind::Look(
            WordAscii
                | WordUnicode
                | WordStartAscii
                | WordStartUnicode
                | WordStartHalfAscii
                | WordStartHalfUnicode
        )
    );
    let ends = matches!(
        last.kind(),
        HirKind::Look(
            WordAscii
                | WordUnicode
                | WordEndAscii
                | WordEndUnicode
                | WordEndHalfAscii
                | WordEndHalfUnicode
        )
    );
    begins && ends && within.iter().all(|sub| sub.properties().look_set().is_empty())
}

/// How many members the text with these marks begins with.
fn run(marks: &[u64]) -> usize {
    let mut len = 0;
    for marks in marks {
        len += marks.trailing_ones() as usize;
        if *marks != u64::MAX {
            break;
        }
    }
    len
}

#[cfg(test)]
mod tests {
    use super::{KEY_BYTES, Table};
    use crate::compiled::Mode;
    use crate::strategies::bit_parallel::{BITS, is_fast};
    use crate::strategies::line_finder::LineFinder;
    use crate::strategies::strategy::Strategy;
    use crate::{BlockScan, Boundary, Case, LineHit, Matcher, MatcherConfig};

    const END: u8 = b'\n';

    fn find(words: &Table, haystack: &[u8], at: usize, end: usize) -> Vec<LineHit> {
        let mut hits = Vec::new();
        words.find(haystack, at..end, END, &mut Vec::new(), &mut hits);
        hits
    }

    fn words(words: &[&str], folds: bool) -> Table {
        let words: Vec<_> = words.iter().map(|word| word.as_bytes().to_vec()).collect();
        Table::new(&words, folds, &[]).expect("they are words")
    }

    #[test]
    fn words_of_all_lengths_are_found_at_all_places() {
        for len in (1..20).chain(BITS - 2..BITS + 3).chain(3 * BITS - 1..3 * BITS + 2) {
            let word: String = (0..len).map(|n| char::from(b'a' + n as u8 % 26)).collect();
            let one = words(&[&word, "other", &format!("{word}z")], false);
            for before in 0..BITS + 3 {
                let space = " ".repeat(before);
                let text = format!("{space}{word} {word}\n{word}x {word}\n+{word}");
                let place = text.len() - word.len();
                let second = before + 2 * word.len() + 2 + word.len() + 2;
                let expected = [before, second, place].map(LineHit::Confirmed);
                assert_eq!(find(&one, text.as_bytes(), 0, text.len()), expected, "{text}");
                let none = format!("{space}{word}y x{word}\n{word}_{word} {word}1");
                assert_eq!(find(&one, none.as_bytes(), 0, none.len()), [], "{none}");
            }
        }
    }

    #[test]
    fn words_that_share_their_keys_are_told_apart() {
        let long = |last: &str| "x".repeat(BITS + 5) + last;
        let middle = |n: u32| format!("12345678{n:04}12345678");
        let all = ["prefix_1", "prefix_11", "prefix_12", &long("a"), &long("b"), "a", "B"];
        let middles = [0, 1, 10].map(middle);
        let all: Vec<&str> = all.into_iter().chain(middles.iter().map(String::as_str)).collect();
        let (all, text) = (words(&all, false), |word: &str| format!("{word}\n"));
        for word in ["prefix_1", "prefix_11", "prefix_12", "a", &long("a"), &long("b"), &middle(10)]
        {
            assert_eq!(find(&all, text(word).as_bytes(), 0, word.len()).len(), 1, "{word}");
        }
        for word in
            ["prefix_", "prefix_13", "prefix_112", "b", "A", &long("c"), &long(""), &middle(2)]
        {
            assert!(find(&all, text(word).as_bytes(), 0, word.len()).is_empty(), "{word}");
        }
        assert!("prefix_1".len() == KEY_BYTES, "the others share it");
        // A search among thousands would take too long.
        let words: Vec<_> = (0..5000).map(|n| middle(n).into_bytes()).collect();
        assert!(Table::new(&words[..50], false, &[]).is_some());
        assert!(Table::new(&words, false, &[]).is_none());
    }

    #[test]
    fn stays_within_the_end() {
        let words = words(&["ab", "cd"], false);
        assert_eq!(find(&words, b"xx\ncd\nab", 0, 2), []);
        assert_eq!(find(&words, b"xx\ncd\nab", 3, 5), [LineHit::Confirmed(3)]);
        assert_eq!(find(&words, b"xx\ncd\nab", 6, 8), [LineHit::Confirmed(6)]);
        assert_eq!(find(&words, b"", 0, 0), []);
    }

    #[test]
    fn case_matters_or_not() {
        let text = b"Ab_1\naB\x7F1\nAB_1\nab_1x\n";
        let one = |folds| words(&["ab_1", "zz"], folds);
        assert_eq!(find(&one(true), text, 0, text.len()), [0, 10].map(LineHit::Confirmed));
        assert_eq!(find(&one(false), text, 0, text.len()), []);
    }

    #[test]
    fn what_is_no_word_is_refused() {
        for word in ["", "a-b", "é", "a b"] {
            assert!(Table::new(&[b"ab".to_vec(), word.into()], false, &[]).is_none(), "{word}");
        }
    }

    /// Holds for all short lines of letters, some with neighbours that are not ASCII.
    #[test]
    fn lines_match_that_the_engine_says_match() {
        if !is_fast() {
            return;
        }
        const LETTERS: [&str; 8] = ["a", "b", "B", "_", "-", "\u{e9}", "\u{2014}", "\u{212A}"];
        // So many that nothing else is cheaper.
        let mut patterns: Vec<_> = (0..100).map(|n| format!("q{n}")).collect();
        patterns.extend(["ab", "a", "bab", "kb", "bb_"].map(str::to_owned));
        let mut confirmed = 0;
        for (case, unicode) in
            [Case::Sensitive, Case::Insensitive].map(|c| [(c, true), (c, false)]).concat()
        {
            let config = MatcherConfig {
                case,
                unicode,
                boundary: Boundary::Word,
                ..MatcherConfig::default()
            };
            let matcher = Matcher::new(&patterns, &config).expect("they are regexes");
            let Mode::Lines(levels) = &matcher.compiled.mode else { panic!("{config:?}") };
            let words = levels.first();
            assert!(matches!(words, Strategy::Words(_)) && words.traits().is_exact, "{config:?}");
            let mut finder = matcher.finder();
            let line =
                |n: usize| (0..5).map(move |i| LETTERS[n >> (3 * i) & 7]).collect::<String>();
            let lines: Vec<_> = (0..8_usize.pow(5)).map(line).collect();
            let text = lines.join("\n");
            let (mut scan, mut at) = (BlockScan::new(text.as_bytes()), 0);
            for line in lines {
                let hit = finder.next_line(&mut scan, at);
                let is_here = hit.is_some_and(|hit| hit.offset() <= at + line.len());
                let expected = finder.is_match(line.as_bytes());
                match hit.filter(|_| is_here) {
                    Some(LineHit::Confirmed(_)) => {
                        assert!(expected, "{line} {config:?}");
                        confirmed += 1;
                    }
                    Some(LineHit::Candidate(_)) => {}
                    None => assert!(!expected, "{line} {config:?}"),
                }
                at += line.len() + 1;
            }
        }
        assert!(confirmed > 1000, "{confirmed}");
    }
}
