//! The table of strategies, and the choice between them: the cheapest wins.

use std::ops::Range;

#[cfg(feature = "pcre2")]
use regex_syntax::hir::Hir;

use super::anchored_literal::AnchoredLiteral;
use super::ascii_skip::AsciiSkip;
use super::backoff::Backoff;
use super::bit_parallel::BitParallel;
#[cfg(feature = "pcre2")]
use super::bit_parallel::{self, Bits};
use super::constant::{EveryLine, NoLine};
use super::cost;
use super::engine::Engine;
use super::expression::Expression;
use super::line_by_line::LineByLine;
use super::line_finder::{Fallback, LineFinder, Step, Task, Traits};
use super::many::Many;
use super::packed::Packed;
use super::words::Words;
#[cfg(feature = "pcre2")]
use crate::backreference::Backreference;
use crate::exact::ExactSearch;

/// A price and the strategy that has it.
type Offer = (f64, fn(&Expression<'_>) -> Option<Strategy>);

macro_rules! strategies {
    ($($name:ident)*) => {
        /// Any of the strategies: to call one is a jump, and none is on the heap.
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

        impl Strategy {
            /// The name of its type.
            pub(crate) fn name(&self) -> &'static str {
                match self { $(Strategy::$name(_) => stringify!($name)),* }
            }
        }

        impl LineFinder for Strategy {
            fn traits(&self) -> Traits {
                match self { $(Strategy::$name(s) => s.traits()),* }
            }

            #[inline(always)]
            fn find(&mut self, haystack: &[u8], lines: Range<usize>) -> Option<usize> {
                match self { $(Strategy::$name(s) => s.find(haystack, lines)),* }
            }

            fn fill(&mut self, task: &mut Task<'_, '_>) -> Step {
                match self { $(Strategy::$name(s) => s.fill(task)),* }
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

// If two cost the same, the first wins.
strategies! {
    EveryLine NoLine AnchoredLiteral Engine Packed Many BitParallel AsciiSkip Words LineByLine
}

impl Strategy {
    /// Whether it can search a line part by part, without literals.
    pub(crate) fn searches_parts(&self) -> bool {
        match self {
            Strategy::BitParallel(_) => self.traits().is_exact,
            Strategy::AsciiSkip(_) => true,
            _ => false,
        }
    }
}

/// The cheapest strategy for `expression`, followed by those that it gives way to.
pub(crate) fn choose(expression: &Expression<'_>) -> Vec<Strategy> {
    let mut offers = offers(expression);
    // This keeps the order of equals.
    offers.sort_by(|a, b| a.0.total_cmp(&b.0));
    let cheapest = offers.into_iter().find_map(|(_, new)| new(expression));
    let first = cheapest.unwrap_or_else(|| Strategy::Engine(Engine::of(expression)));
    match first.traits().fallback {
        Fallback::Nothing => vec![first],
        Fallback::Engine => {
            let mut strategies = without_literals(expression);
            // What is left to the engine is not ASCII text, in which literals may be rare.
            if let Some(literals) = literals_of(expression) {
                strategies.insert(strategies.len() - 1, literals);
            }
            strategies
        }
        Fallback::WithoutLiterals => [vec![first], without_literals(expression)].concat(),
        Fallback::ExactBits if expression.is_exact && expression.bits().is_some() => {
            [vec![first], without_literals(expression)].concat()
        }
        Fallback::ExactBits => vec![first],
    }
}

/// A search for literals of `expression`, if there are any. Those that are common in sources may be
/// rare in other text; where they are not, it gives way to the engine.
fn literals_of(expression: &Expression<'_>) -> Option<Strategy> {
    Packed::cost(expression).filter(|cost| cost.is_finite())?;
    Packed::new(expression).map(Strategy::Packed)
}

/// What searches for `expression` fastest without literals, and the engine for what it leaves.
fn without_literals(expression: &Expression<'_>) -> Vec<Strategy> {
    let mut strategies: Vec<Strategy> = Vec::new();
    if let Some(bits) = BitParallel::new(expression) {
        strategies.push(Strategy::BitParallel(bits));
    } else if let Some(skip) = AsciiSkip::new(expression) {
        strategies.push(Strategy::AsciiSkip(skip));
    }
    strategies.push(Strategy::Engine(Engine::of(expression)));
    strategies
}

/// A program for `outline`, which is for ASCII text, if that is fast.
#[cfg(feature = "pcre2")]
pub(crate) fn bits_for_outline(outline: &Hir, terminator: u8) -> Option<Bits> {
    if !bit_parallel::is_fast() {
        return None;
    }
    let fast =
        |hir: &Hir| Bits::new(hir, terminator).filter(|bits| bits.cost() < cost::MAX_OF_BITS);
    let referring = Backreference::of(outline, terminator)
        .and_then(|(hir, reference)| Some(fast(&hir)?.with_reference(reference)));
    referring.or_else(|| fast(outline))
}

/// A search for `needles`. Every match contains one.
#[cfg(feature = "pcre2")]
pub(crate) fn search_for(needles: &[Vec<u8>]) -> Option<Strategy> {
    if needles.len() >= super::expression::MANY
        && let Some(many) = Many::of(needles, false)
    {
        return Some(Strategy::Many(many));
    }
    Packed::of(needles, false).map(Strategy::Packed)
}
