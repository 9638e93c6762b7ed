//! Words with natural frequencies: common English ones, and thousands made of syllables.
//!
//! By Zipf's law a word's frequency is inversely proportional to its rank. (George Kingsley Zipf,
//! "Human Behavior and the Principle of Least Effort", 1949.) Only whole numbers are used, so that
//! no machine rounds differently.

use std::collections::BTreeSet;
use std::iter;

use fastrand::Rng;

/// Frequent English words, roughly by frequency; after an empty line words that are frequent in
/// programs, which are mixed in at the higher ranks.
const FREQUENT_WORDS: &str = include_str!("words.txt");

/// How many words there are.
const LEXICON_WORDS: usize = 12_000;

/// How many places the words share; each word has at least one.
const PLACES: u64 = 1 << 18;

/// Beginnings, middles and ends of syllables.
const ONSETS: [&str; 22] = [
    "b", "br", "c", "d", "dr", "f", "fl", "g", "gr", "h", "k", "l", "m", "n", "p", "pl", "r", "s",
    "st", "t", "tr", "v",
];
const VOWELS: [&str; 9] = ["a", "e", "i", "o", "u", "ea", "io", "ou", "ai"];
const CODAS: [&str; 10] = ["", "", "", "", "n", "r", "s", "l", "m", "nd"];

/// All words with their frequencies.
pub(super) struct Lexicon {
    words: Vec<String>,
    /// Numbers of words, each as often as it is frequent.
    places: Vec<u16>,
}

impl Lexicon {
    /// The words do not depend on the seed of a corpus: the same patterns find something in each.
    pub(super) fn new() -> Lexicon {
        let words = words();
        // Every word gets its part of all places.
        let sum: u64 = (1..=words.len() as u64).map(|rank| PLACES / rank).sum();
        let mut places = Vec::new();
        for number in 0..words.len() {
            let share = PLACES / (number as u64 + 1) * PLACES / sum;
            places.extend(iter::repeat_n(number as u16, share.max(1) as usize));
        }
        Lexicon { words, places }
    }

    /// A word, the more likely the more frequent it is.
    pub(super) fn word(&self, random: &mut Rng) -> &str {
        let place = random.usize(..self.places.len());
        &self.words[usize::from(self.places[place])]
    }

    /// A word, each as likely as any other: for names.
    pub(super) fn name(&self, random: &mut Rng) -> &str {
        &self.words[random.usize(..self.words.len())]
    }
}

fn words() -> Vec<String> {
    let (common, technical) = FREQUENT_WORDS.split_once("\n\n").unwrap_or((FREQUENT_WORDS, ""));
    let mut words: Vec<String> = common.split_ascii_whitespace().map(str::to_owned).collect();
    let mut known: BTreeSet<String> = words.iter().cloned().collect();
    for (number, word) in technical.split_ascii_whitespace().enumerate() {
        if known.insert(word.to_owned()) {
            words.insert((20 + 5 * number).min(words.len()), word.to_owned());
        }
    }
    let mut random = Rng::with_seed(0);
    while words.len() < LEXICON_WORDS {
        // The rarer a word the longer it is.
        let syllables = random.u64(2..4 + words.len() as u64 / 4_000);
        let mut pick = |parts: &[&'static str]| parts[random.usize(..parts.len())];
        let word: String =
            (0..syllables).flat_map(|_| [pick(&ONSETS), pick(&VOWELS), pick(&CODAS)]).collect();
        if known.insert(word.clone()) {
            words.push(word);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequencies_follow_the_ranks() {
        let lexicon = Lexicon::new();
        assert_eq!(lexicon.words.iter().collect::<BTreeSet<_>>().len(), LEXICON_WORDS);
        let mut random = Rng::with_seed(7);
        let drawn: Vec<&str> = (0..200_000).map(|_| lexicon.word(&mut random)).collect();
        let count = |word| drawn.iter().filter(|&&drawn| drawn == word).count() as f64;
        // Their ranks are 1, 2 and 6: within a tenth, 6 to 3 to 1.
        let seen = ["the", "of", "in"].map(count);
        assert!((seen[0] / seen[1] - 2.0).abs() < 0.2, "{seen:?}");
        assert!((seen[1] / seen[2] - 3.0).abs() < 0.3, "{seen:?}");
    }

    #[test]
    fn the_word_that_is_nowhere_cannot_be_made() {
        assert!(Lexicon::new().words.iter().all(|word| !word.contains("zq")));
    }
}
