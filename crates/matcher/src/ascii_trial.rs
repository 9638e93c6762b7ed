//! Checks a search without an automaton against the engine, for its tests.

use std::ops::Range;

use regex_automata::{Input, meta};
use regex_syntax::hir::Hir;

/// Searches random texts, made of characters from each of two `alphabets` in turn, from every
/// position on, by what `of` makes of each of the `patterns`; an error means that the search gives
/// up. Fails if it finds anything but what the engine finds. Returns how many results there were,
/// and how many matches.
pub(crate) fn agrees_with_the_engine<S, E>(
    patterns: &[&str],
    alphabets: [&[&str]; 2],
    of: impl Fn(&Hir) -> Option<S>,
    find: impl Fn(&S, &[u8], usize) -> Result<Option<Range<usize>>, E>,
) -> (usize, usize) {
    let rng = &mut fastrand::Rng::with_seed(1);
    let (mut decided, mut matches) = (0, 0);
    let searches = patterns.iter().map(|pattern| {
        let hir = regex_syntax::ParserBuilder::new().utf8(false).build().parse(pattern);
        let hir = hir.expect("it is a regex");
        let config = meta::Config::new().utf8_empty(false);
        let regex = meta::Builder::new().configure(config).build_from_hir(&hir);
        (pattern, regex.expect("it is small"), of(&hir).expect("it has the form"))
    });
    let searches: Vec<_> = searches.collect();
    for round in 0..4000 {
        let alphabet = alphabets[round % 2];
        let mut text = Vec::new();
        for _ in 0..rng.usize(..24) {
            match rng.usize(..=alphabet.len()) {
                // A byte that is no character, beside those that are not ASCII.
                i if i == alphabet.len() => text.extend((round % 2 == 1).then_some(0xFF)),
                i => text.extend(alphabet[i].as_bytes()),
            }
        }
        for (pattern, regex, search) in &searches {
            for at in 0..=text.len() {
                let Ok(found) = find(search, &text, at) else { continue };
                decided += 1;
                matches += usize::from(found.is_some());
                let expected = regex.search(&Input::new(&text).range(at..)).map(|m| m.range());
                assert_eq!(found, expected, "{pattern} in {:?} from {at}", text.escape_ascii());
            }
        }
    }
    (decided, matches)
}

/// Fails if `of` makes a search of any of the `patterns`, which have another form.
pub(crate) fn refuses<S>(patterns: &[&str], of: impl Fn(&Hir) -> Option<S>) {
    for pattern in patterns {
        let hir = regex_syntax::parse(pattern).expect("it is a regex");
        assert!(of(&hir).is_none(), "{pattern}");
    }
}
