//! What one pattern finds, all find: several patterns against each of them alone, with their
//! groups, in both engines.

#[allow(dead_code, reason = "the oracles use the rest")]
mod random;

use std::iter;
use std::ops::Range;

use heist_matcher::{Boundary, Case, Engine, Finder, Matcher, MatcherConfig};
use random::{Dice, WORDS, block, found, lines, pattern, times};

/// Parts of patterns that mean something else beside another pattern, unless they are kept apart.
const EXTRAS: [&str; 8] =
    ["(a)", "(?<n>b)", "(?<m>[a-c])", "(?i)foo", "(x|(b))", "(?<n>a|(?<m>b))", "(?i:k)", "(a)|b"];
#[cfg(feature = "pcre2")]
const PCRE2_EXTRAS: [&str; 16] = [
    r"(a)\1",
    r"(.)b\1",
    r"(?<n>[ab])\k<n>",
    r"(a)|\g{-1}",
    "(a(?1)?b)",
    "(?:a(?R)?b)",
    "(?<n>a)?(?(n)b|x)",
    "(?|(a)|(b))",
    r"\Qa",
    "(?x) b # c",
    "(*COMMIT)b",
    "a(*SKIP)(*FAIL)",
    "(?J)(?<n>a)|(?<n>b)",
    r"(?=(a))\w",
    r"(?<!a)(b)",
    "[]a)(]",
];

/// A match, with the texts of its groups: numbers up to 5, and two names.
type Found = (Range<usize>, Vec<Option<Vec<u8>>>);

/// All matches, by successive searches.
fn matches(finder: &mut Finder, line: &[u8]) -> Vec<Found> {
    let mut captures = finder.matcher().captures();
    let names = ["n", "m"].map(|name| finder.matcher().group_index(name));
    let numbers = finder.matcher().group_names().len();
    let (mut at, mut found) = (0, Vec::new());
    while finder.captures_at(line, at, &mut captures) {
        let span = captures.get(0).expect("there is a match");
        assert_eq!(finder.find_at(line, at), Some(span.clone()));
        let places = (1..6).map(|place| (place < numbers).then_some(place)).chain(names);
        let text = |place: Option<usize>| Some(line[captures.get(place?)?].to_vec());
        let groups = places.map(text).collect();
        at = span.end + usize::from(span.is_empty());
        found.push((span, groups));
    }
    found
}

/// What [`matches`] finds if each pattern is searched for alone. Of matches that begin at the same
/// place, that of the first pattern counts.
fn matches_alone(alone: &mut [Finder], line: &[u8]) -> Vec<Found> {
    let mut rooms: Vec<_> = alone.iter().map(|finder| finder.matcher().captures()).collect();
    let (mut at, mut found) = (0, Vec::new());
    loop {
        let spans = alone
            .iter_mut()
            .enumerate()
            .filter_map(|(index, finder)| Some((finder.find_at(line, at)?.start, index)));
        let Some((_, first)) = spans.min() else { return found };
        let (finder, captures) = (&mut alone[first], &mut rooms[first]);
        assert!(finder.captures_at(line, at, captures));
        let span = captures.get(0).expect("there is a match");
        let numbers = finder.matcher().group_names().len();
        let number = |number| (number < numbers).then(|| captures.get(number)).flatten();
        let name = |name| captures.get(finder.matcher().group_index(name)?);
        let places = (1..6).map(number).chain(["n", "m"].map(name));
        let groups = places.map(|place| Some(line[place?].to_vec())).collect();
        at = span.end + usize::from(span.is_empty());
        found.push((span, groups));
    }
}

/// Checks random lists of patterns in random blocks. Returns how many lists were tried, and how
/// many matches have groups.
fn check(seed: u64, engine: Engine, extras: &[&str]) -> (usize, usize) {
    let mut dice = Dice::new(seed);
    let (mut tried, mut grouped) = (0, 0);
    for round in 0..400 * times() {
        let config = MatcherConfig {
            engine,
            case: dice.pick(&[Case::Sensitive, Case::Sensitive, Case::Insensitive]),
            boundary: dice.pick(&[Boundary::None, Boundary::None, Boundary::Word, Boundary::Line]),
            unicode: !dice.once_in(5),
            crlf: dice.once_in(4),
            multiline: dice.once_in(4),
            fixed_strings: dice.once_in(8),
            ban_nul: false,
            ..MatcherConfig::default()
        };
        let patterns: Vec<String> = (0..2 + dice.below(3))
            .map(|_| match dice.below(4) {
                _ if config.fixed_strings => dice.pick(WORDS).to_owned(),
                0 => dice.pick(extras).to_owned(),
                1 => format!("{}{}", dice.pick(WORDS), dice.pick(extras)),
                _ => pattern(&mut dice, 1, extras),
            })
            .collect();
        let alone = patterns.iter().map(|pattern| Matcher::new([pattern], &config));
        let (alone, errors): (Vec<_>, Vec<_>) = alone.partition(Result::is_ok);
        let all = Matcher::new(&patterns, &config);
        let name = format!("{round}: {patterns:?} {config:?}");
        let Ok(all) = all else {
            assert!(
                errors.iter().any(|error| error.as_ref().err() == all.as_ref().err()),
                "{name}"
            );
            continue;
        };
        assert!(errors.is_empty(), "{name}: {errors:?}");
        let mut alone: Vec<Finder> = alone.iter().flatten().map(Matcher::finder).collect();
        let mut finder = all.finder();
        tried += 1;
        for _ in 0..4 {
            let block = block(&mut dice, &config);
            let lines = lines(&block, &config);
            if !config.multiline {
                let is_match = |line: &&Range<usize>| {
                    alone.iter_mut().any(|one| one.is_match(&block[(*line).clone()]))
                };
                let expected: Vec<_> = lines.iter().filter(is_match).cloned().collect();
                let shown = block.escape_ascii();
                assert_eq!(found(&mut finder, &block, &lines), expected, "{name} in {shown}");
            }
            let whole = || iter::once(0..block.len()).collect();
            let haystacks: Vec<_> = if config.multiline { whole() } else { lines };
            for haystack in haystacks {
                let haystack = &block[haystack];
                let shown = haystack.escape_ascii();
                let expected = matches_alone(&mut alone, haystack);
                let is_grouped =
                    |(_, groups): &(_, Vec<Option<_>>)| groups.iter().any(Option::is_some);
                grouped += expected.iter().filter(|found| is_grouped(found)).count();
                assert_eq!(matches(&mut finder, haystack), expected, "{name} in {shown}");
            }
        }
    }
    (tried, grouped)
}

#[test]
fn what_one_pattern_finds_all_find() {
    let (tried, grouped) = check(0x5EED_0041, Engine::Default, &EXTRAS);
    assert!(tried > 300 && grouped > 1000, "{tried} lists, {grouped} matches with groups");
}

#[cfg(feature = "pcre2")]
#[test]
fn what_one_pattern_of_pcre2_finds_all_find() {
    let extras: Vec<&str> = EXTRAS.iter().chain(&PCRE2_EXTRAS).copied().collect();
    let (tried, grouped) = check(0x5EED_0042, Engine::Pcre2, &extras);
    assert!(tried > 250 && grouped > 500, "{tried} lists, {grouped} matches with groups");
}
