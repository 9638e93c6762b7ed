//! Words with natural frequencies: the common ones of English, and thousands made of syllables.
//!
//! By Zipf's law the frequency of a word is inversely proportional to its rank. (George Kingsley
//! Zipf, "Human Behavior and the Principle of Least Effort", 1949.) Only whole numbers are used, so
//! that no machine rounds differently.

use std::collections::BTreeSet;

use fastrand::Rng;

/// Frequent words of English, roughly by frequency.
const COMMON: &str = "\
    the of and to a in is that it for was on are as with they be at one have this from or had by \
    but not what all were when we there can an your which their said if do will each about how \
    up out them then she many some so these would other into has more her two like him see time \
    could no make than first been its who now people my made over did down only way find use may \
    water long little very after words called just where most know get through back much before \
    go good new write our used me man too any day same right look think also around another came \
    come work three word must because does part even place well such here take why things help \
    put years different away again off went old number great tell men say small every found \
    still between name should home big give air line set own under read last never us left end \
    along while might next sound below saw something thought both few those always looked show \
    large often together asked house world going want school important until form food keep \
    children feet land side without";

/// Frequent words of programs, mixed in at the higher ranks.
const TECHNICAL: &str = "\
    size error value list data index buffer file path state string count key node next type lock \
    table offset length queue flags page block device memory thread cache handle request result \
    entry";

/// How many words there are.
const WORDS: usize = 12_000;

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
            places.extend(std::iter::repeat_n(number as u16, share.max(1) as usize));
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
    let mut words: Vec<String> = COMMON.split_ascii_whitespace().map(str::to_owned).collect();
    let mut known: BTreeSet<String> = words.iter().cloned().collect();
    for (number, word) in TECHNICAL.split_ascii_whitespace().enumerate() {
        if known.insert(word.to_owned()) {
            words.insert((20 + 5 * number).min(words.len()), word.to_owned());
        }
    }
    let mut random = Rng::with_seed(0);
    while words.len() < WORDS {
        // The rarer a word the longer it is.
        let syllables = random.u64(2..4 + words.len() as u64 / 4_000);
        let word: String = (0..syllables).map(|_| syllable(&mut random)).collect();
        if known.insert(word.clone()) {
            words.push(word);
        }
    }
    words
}

fn syllable(random: &mut Rng) -> String {
    let mut pick = |parts: &[&'static str]| parts[random.usize(..parts.len())];
    [pick(&ONSETS), pick(&VOWELS), pick(&CODAS)].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequencies_follow_the_ranks() {
        let lexicon = Lexicon::new();
        assert_eq!(lexicon.words.iter().collect::<BTreeSet<_>>().len(), WORDS);
        let mut random = Rng::with_seed(7);
        let mut seen = [0_u32; 3];
        for _ in 0..200_000 {
            match lexicon.word(&mut random) {
                "the" => seen[0] += 1,
                "of" => seen[1] += 1,
                "in" => seen[2] += 1,
                _ => {}
            }
        }
        // Their ranks are 1, 2 and 6: within a tenth, 6 to 3 to 1.
        let ratio = |one: u32, other: u32| f64::from(one) / f64::from(other);
        assert!((ratio(seen[0], seen[1]) - 2.0).abs() < 0.2, "{seen:?}");
        assert!((ratio(seen[1], seen[2]) - 3.0).abs() < 0.3, "{seen:?}");
    }

    #[test]
    fn the_word_that_is_nowhere_cannot_be_made() {
        assert!(Lexicon::new().words.iter().all(|word| !word.contains("zq")));
    }
}
