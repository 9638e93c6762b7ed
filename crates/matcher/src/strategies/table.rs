//! The table of strategies, and the choice between them: the cheapest wins.

use std::ops::Range;

use super::anchored_literal::AnchoredLiteral;
use super::ascii_skip::AsciiSkip;
use super::backoff::Backoff;
use super::bit_parallel::BitParallel;
use super::constant::{EveryLine, NoLine};
use super::cost;
use super::dfa_streams::DfaStreams;
use super::engine::Engine;
use super::expression::Expression;
use super::line_by_line::LineByLine;
use super::line_finder::{Fallback, LineFinder, Step, Stops};
use super::many::Many;
use super::packed::Packed;
use super::words::Words;
use crate::block_scan::BlockScan;
use crate::exact::ExactSearch;

/// A price and the strategy that has it.
type Offer = (f64, fn(&Expression<'_>) -> Option<Strategy>);

macro_rules! strategies {
    ($($name:ident)*) => {
        /// Any of the strategies: a call of one is a jump, and none is on the heap.
        #[derive(Clone, Debug)]
        #[expect(clippy::large_enum_variant, reason = "a worker has three at most")]
        pub(crate) enum Strategy { $($name($name)),* }

        /// What the strategies cost that can search for `expression`, up to the first that nothing
        /// can be cheaper than.
        fn offers(expression: &Expression<'_>) -> Vec<Offer> {
            let mut offers: Vec<Offer> = Vec::new();
            $(if offers.last().is_none_or(|offer| offer.0 > cost::LEAST)
                && let Some(cost) = $name::cost(expression)
            {
                offers.push((cost, |expression| $name::new(expression).map(Strategy::$name)));
            })*
            offers
        }

        impl LineFinder for Strategy {
            fn is_exact(&self) -> bool {
                match self { $(Strategy::$name(s) => s.is_exact()),* }
            }

            fn is_direct(&self) -> bool {
                match self { $(Strategy::$name(s) => s.is_direct()),* }
            }

            #[inline(always)]
            fn find(&mut self, haystack: &[u8], lines: Range<usize>) -> Option<usize> {
                match self { $(Strategy::$name(s) => s.find(haystack, lines)),* }
            }

            fn fill(
                &mut self,
                exact: &mut ExactSearch,
                scan: &mut BlockScan<'_>,
                lines: Range<usize>,
            ) -> Step {
                match self { $(Strategy::$name(s) => s.fill(exact, scan, lines)),* }
            }

            fn least_spacing(&self) -> Option<usize> {
                match self { $(Strategy::$name(s) => s.least_spacing()),* }
            }

            fn stops(&self) -> Stops {
                match self { $(Strategy::$name(s) => s.stops()),* }
            }

            fn fallback(&self) -> Fallback {
                match self { $(Strategy::$name(s) => s.fallback()),* }
            }

            fn matches_all(&self) -> bool {
                match self { $(Strategy::$name(s) => s.matches_all()),* }
            }

            fn count(
                &mut self,
                exact: &mut ExactSearch,
                backoff: &mut Backoff,
                haystack: &[u8],
                lines: Range<usize>,
            ) -> Option<(u64, usize)> {
                match self { $(Strategy::$name(s) => s.count(exact, backoff, haystack, lines)),* }
            }

            fn may_match(&mut self, haystack: &[u8], terminator: u8) -> bool {
                match self { $(Strategy::$name(s) => s.may_match(haystack, terminator)),* }
            }
        }
    };
}

// Of two that cost the same, the first wins.
strategies! {
    EveryLine NoLine AnchoredLiteral DfaStreams Engine Packed Many BitParallel AsciiSkip Words
    LineByLine
}

/// The cheapest strategy for `expression`, followed by those that it gives way to.
pub(crate) fn choose(expression: &Expression<'_>) -> Vec<Strategy> {
    let mut offers = offers(expression);
    // This keeps the order of equals.
    offers.sort_by(|a, b| a.0.total_cmp(&b.0));
    let cheapest = offers.into_iter().find_map(|(_, new)| new(expression));
    let first = cheapest.unwrap_or_else(|| Strategy::Engine(Engine::of(expression)));
    match first.fallback() {
        Fallback::Nothing => vec![first],
        Fallback::Engine => without_literals(expression),
        Fallback::WithoutLiterals => [vec![first], without_literals(expression)].concat(),
        Fallback::ExactBits if expression.is_exact && expression.bits().is_some() => {
            [vec![first], without_literals(expression)].concat()
        }
        Fallback::ExactBits => vec![first],
    }
}

/// What searches for `expression` fastest without literals, and the engine for what it leaves.
fn without_literals(expression: &Expression<'_>) -> Vec<Strategy> {
    let mut strategies: Vec<Strategy> = Vec::new();
    if let Some(bits) = BitParallel::new(expression) {
        strategies.push(Strategy::BitParallel(bits));
    } else if let Some(streams) = DfaStreams::new(expression) {
        strategies.extend([streams.clone(), streams.line_by_line()].map(Strategy::DfaStreams));
    } else if let Some(skip) = AsciiSkip::new(expression) {
        strategies.push(Strategy::AsciiSkip(skip));
    }
    strategies.push(Strategy::Engine(Engine::of(expression)));
    strategies
}

/// A search for `needles`, of which every match contains one.
#[cfg(feature = "pcre2")]
pub(crate) fn search_for(needles: &[Vec<u8>]) -> Option<Strategy> {
    if needles.len() >= super::expression::MANY
        && let Some(many) = Many::of(needles, false)
    {
        return Some(Strategy::Many(many));
    }
    Packed::of(needles, false).map(Strategy::Packed)
}

#[cfg(test)]
mod tests {
    use super::{LineFinder, Strategy};
    use crate::compiled::Mode;
    use crate::strategies::bit_parallel::is_fast;
    use crate::{Boundary, Case, Config, Matcher};

    /// The strategy that is tried first.
    fn first(patterns: &[&str], config: &Config) -> Strategy {
        match &Matcher::new(patterns, config).expect("they are regexes").compiled.mode {
            Mode::Lines(levels) => levels.first().clone(),
            Mode::Whole(_) => panic!("{patterns:?} spans lines"),
        }
    }

    /// Its name, and whether it is exact.
    fn name(pattern: &str, config: &Config) -> (String, bool) {
        let strategy = first(&[pattern], config);
        let name = format!("{strategy:?}").split('(').next().expect("a word").to_owned();
        (name, strategy.is_exact())
    }

    #[test]
    fn the_cheapest_strategy_is_chosen() {
        if !is_fast() {
            return;
        }
        for (pattern, expected, is_exact) in [
            ("foo", "Packed", true),
            ("alpha|bravo", "Packed", true),
            (r"\w+_init", "Packed", false),
            ("^foo$", "AnchoredLiteral", true),
            (r"\bfoo", "AnchoredLiteral", true),
            (r"[A-Z]\w+\(", "BitParallel", true),
            (r"(\w{5}\s+){3}", "BitParallel", true),
            (r"\d(?:\d[a-f])*[u-z]\d", "DfaStreams", true),
            ("foo[a-z]+", "Engine", true),
            (r"\p{Greek}", "AsciiSkip", true),
            ("[a&&b]", "NoLine", true),
        ] {
            let found = name(pattern, &Config::default());
            assert_eq!((found.0.as_str(), found.1), (expected, is_exact), "{pattern}");
        }
    }

    #[test]
    fn no_search_is_made_for_what_fits_every_line() {
        let is_every = |pattern: &str| name(pattern, &Config::default()).0 == "EveryLine";
        let anchored = ["^", "$", "x*$", "(?-m)^|b", r"(^|\s*){2}"];
        for pattern in ["", "x*", ".*", "(ab|c?)+", "a|", "(?:x*y*){3}"].into_iter().chain(anchored)
        {
            assert!(is_every(pattern), "{pattern}");
        }
        for pattern in ["x*y", r"\B", "^$", "^ ", r"x*\b", "a|b", "[a&&b]"] {
            assert!(!is_every(pattern), "{pattern}");
        }
    }

    #[test]
    fn short_needles_are_looked_for_unless_they_are_common() {
        if !is_fast() {
            return;
        }
        for pattern in ["κ|.*max_level", r"\wQZ|ß|[a-z]+suspend"] {
            let (name, is_exact) = name(pattern, &Config::default());
            assert!(name == "Packed" && !is_exact, "{pattern}");
        }
        for pattern in [r"κ|\w+e", r"\wte|\wma|\win", r"\p{Greek}+Q\d"] {
            let (name, _) = name(pattern, &Config::default());
            assert!(!["Packed", "Many"].contains(&name.as_str()), "{pattern}: {name}");
        }
    }

    #[test]
    fn words_in_either_case_are_looked_for_in_one() {
        let words = [
            "alpha", "bravo", "charlie", "delta", "echo_", "foxtrot", "golf_", "hotel", "india",
            "juliett",
        ];
        let first = |words: &[&str], boundary| {
            let config = Config { case: Case::Insensitive, boundary, ..Config::default() };
            first(words, &config)
        };
        let strategy = first(&words, Boundary::None);
        assert!(matches!(strategy, Strategy::Many(_)) && strategy.is_exact());
        let strategy = first(&words, Boundary::Word);
        assert!(matches!(strategy, Strategy::Many(_)) && !strategy.is_exact());
        let short = words.map(|word| &word[..3]);
        let strategy = first(&short, Boundary::Word);
        assert!(matches!(strategy, Strategy::Words(_)) && strategy.is_exact());
    }

    #[test]
    fn whole_needles_are_looked_for_unless_they_are_many_more_than_their_parts() {
        let is_whole = |pattern: &str, case| {
            let found = name(pattern, &Config { case, ..Config::default() });
            found == ("Packed".to_owned(), true)
        };
        assert!(is_whole("alpha|bravo", Case::Sensitive));
        assert!(is_whole("zqz", Case::Insensitive));
        assert!(!is_whole("zqzqzq", Case::Insensitive), "it has 64 spellings");
    }
}
