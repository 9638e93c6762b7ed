//! The plans, and the choice between them.
//!
//! A plan has a name and strategies. The first strategy searches, until it gives way to the next.
//! [`PLANS`] is read from top to bottom, and the first plan that is for an expression is used.

#[cfg(feature = "pcre2")]
use regex_syntax::hir::Hir;

use super::anchored_literal::AnchoredLiteral;
use super::ascii_skip::AsciiSkip;
use super::bit_parallel::BitParallel;
#[cfg(feature = "pcre2")]
use super::bit_parallel::{self, Bits};
use super::constant::{EveryLine, NoLine};
use super::cost;
use super::engine::Engine;
use super::expression::{Expression, MANY, Needles};
#[cfg(feature = "pcre2")]
use super::line_by_line::LineByLine;
use super::line_finder::LineFinder;
use super::many::Many;
use super::packed::Packed;
use super::strategy::Strategy;
use super::words::Words;
#[cfg(feature = "pcre2")]
use crate::backreference::Backreference;
#[cfg(feature = "pcre2")]
use crate::literals::required::Literals;

/// The strategies of a plan for an expression, in the order in which one gives way to the next;
/// `None` if the plan is not for the expression.
type Strategies = fn(&Expression<'_>) -> Option<Vec<Strategy>>;

/// The name of each plan, and its strategies.
const PLANS: [(&str, Strategies); 9] = [
    ("every line", every_line),
    ("no line", no_line),
    ("literal between assertions", literal_between_assertions),
    ("literals at the start of matches", literals_at_the_start),
    ("literals", literals),
    ("operations on bits", bits),
    ("text that is not ASCII", text_beyond_ascii),
    ("words that stand alone", words),
    ("engine", engine),
];

/// The plan for `expression`: its name and its strategies.
pub(crate) fn choose(expression: &Expression<'_>) -> (&'static str, Vec<Strategy>) {
    let mut plans = PLANS.iter().filter_map(|(name, plan)| Some((*name, plan(expression)?)));
    plans.next().expect("the last plan is for all expressions")
}

/// `x*` matches in every line.
fn every_line(expression: &Expression<'_>) -> Option<Vec<Strategy>> {
    Some(vec![Strategy::EveryLine(EveryLine::new(expression)?)])
}

/// `[a&&b]` matches nowhere.
fn no_line(expression: &Expression<'_>) -> Option<Vec<Strategy>> {
    expression.literals().is_impossible().then(|| vec![Strategy::NoLine(NoLine)])
}

/// `^foo$`, and `foo` with `-w`: the literal is found first, and the assertions are tested beside
/// it.
fn literal_between_assertions(expression: &Expression<'_>) -> Option<Vec<Strategy>> {
    let literal = Strategy::AnchoredLiteral(AnchoredLiteral::new(expression)?);
    Some(before_exact_bits(literal, expression))
}

/// `foo\d+`: the engine looks for `foo` as fast by itself, and no line has to be cut out for it.
fn literals_at_the_start(expression: &Expression<'_>) -> Option<Vec<Strategy>> {
    let needles = expression.needles().filter(|needles| !needles.is_exact)?;
    let folded = expression.in_lower_case().map_or(f64::INFINITY, |needles| needles.cost);
    let is_as_fast = expression.is_accelerated
        && !expression.hir.properties().look_set().contains_word_unicode()
        && cost::needles(expression.literals().prefix())
            <= needles.cost * cost::ENGINE_OVER_NEEDLES;
    let is_cheapest = needles.cost <= folded && needles.cost <= limit(&needles, expression);
    if is_as_fast && is_cheapest { engine(expression) } else { None }
}

/// `foo|bar`, `\w+_init`: literals such that every match contains one, as they are spelled or in
/// either case, whichever is expected to cost less. They must be rarer than what other plans cost.
fn literals(expression: &Expression<'_>) -> Option<Vec<Strategy>> {
    let mut both = [expression.needles(), expression.in_lower_case()];
    // This keeps the order of equals.
    both.sort_by(|a, b| price(a.as_ref()).total_cmp(&price(b.as_ref())));
    let rare = |needles: &Needles<'_>| needles.cost <= limit(needles, expression);
    let found = both.into_iter().flatten().take_while(rare);
    let first = found.filter_map(|needles| search_for(needles, expression)).next()?;
    Some(match (&first, first.traits().is_exact) {
        (Strategy::Packed(_), true) => before_exact_bits(first, expression),
        // No other search for so many is faster where they are common.
        (_, true) => vec![first],
        (_, false) => {
            let bits = BitParallel::new(expression).map(Strategy::BitParallel);
            let next = bits.or_else(|| AsciiSkip::new(expression).map(Strategy::AsciiSkip));
            let engine = Strategy::Engine(Engine::new(expression));
            [first].into_iter().chain(next).chain([engine]).collect()
        }
    })
}

/// `[A-Z]\w+\(` in ASCII text.
fn bits(expression: &Expression<'_>) -> Option<Vec<Strategy>> {
    expression.ascii_cost()?;
    Some(before_other_text(Strategy::BitParallel(BitParallel::new(expression)?), expression))
}

/// `\p{Greek}`: no match is all ASCII.
fn text_beyond_ascii(expression: &Expression<'_>) -> Option<Vec<Strategy>> {
    expression.ascii_cost()?;
    Some(before_other_text(Strategy::AsciiSkip(AsciiSkip::new(expression)?), expression))
}

/// `-w -f LIST`: each run of letters, digits and `_` is looked up in a table.
fn words(expression: &Expression<'_>) -> Option<Vec<Strategy>> {
    Some(vec![Strategy::Words(Words::new(expression)?)])
}

/// The rest: `(?:ab|c)+d`.
fn engine(expression: &Expression<'_>) -> Option<Vec<Strategy>> {
    Some(vec![Strategy::Engine(Engine::new(expression))])
}

/// `first`, which gives way to operations on bits if they are exact. They find any number of lines
/// at the same speed; the engine would be no faster than `first`.
fn before_exact_bits(first: Strategy, expression: &Expression<'_>) -> Vec<Strategy> {
    let bits = BitParallel::new(expression).filter(|_| expression.is_exact);
    let engine = || Strategy::Engine(Engine::new(expression));
    let next = bits.map(|bits| [Strategy::BitParallel(bits), engine()]);
    [first].into_iter().chain(next.into_iter().flatten()).collect()
}

/// `first`, which leaves text that is not ASCII to others. Literals that are common in sources may
/// be rare in it; where they are not, they give way to the engine.
fn before_other_text(first: Strategy, expression: &Expression<'_>) -> Vec<Strategy> {
    let needles = expression.needles().filter(|needles| needles.set.len() < MANY);
    let literals = needles.and_then(|needles| Packed::new(needles, expression));
    let literals = literals.map(Strategy::Packed);
    let engine = Strategy::Engine(Engine::new(expression));
    [first].into_iter().chain(literals).chain([engine]).collect()
}

/// The search for `needles` of `expression`; `None` if there is no fast one.
fn search_for(needles: Needles<'_>, expression: &Expression<'_>) -> Option<Strategy> {
    let Needles { set, is_exact, folded, .. } = needles;
    match folded {
        Some(folded) => Many::of_folded(set, folded, is_exact).map(Strategy::Many),
        None if set.len() >= MANY => Many::of(set, is_exact).map(Strategy::Many),
        None => Packed::new(needles, expression).map(Strategy::Packed),
    }
}

fn price(needles: Option<&Needles<'_>>) -> f64 {
    needles.map_or(f64::INFINITY, |needles| needles.cost)
}

/// The most that a search for `needles` may cost to be better than the next plan.
fn limit(needles: &Needles<'_>, expression: &Expression<'_>) -> f64 {
    let is_beyond_ascii = |needles: Needles<'_>| !needles.set.iter().any(|n| n.is_ascii());
    match expression.ascii_cost() {
        // In ASCII text, such needles are found nowhere, as fast as other text is found there.
        Some(_)
            if expression.ascii_hir().is_none()
                && expression.needles().is_some_and(is_beyond_ascii) =>
        {
            expression.engine_cost()
        }
        Some(cost) => cost,
        None if Words::are_all_of(expression) => cost::WORDS,
        None if needles.folded.is_some() => expression.engine_cost(),
        // An automaton for so many would not fit into any cache.
        None if needles.is_exact || needles.set.len() >= MANY => f64::INFINITY,
        None => cost::MAX_OF_NEEDLES,
    }
}

/// The plan for a pattern of PCRE2, which searches line by line: only lines that may match, if
/// something is known of these. Every match contains one of `literals`, and a line of ASCII text
/// that matches also matches `outline`.
#[cfg(feature = "pcre2")]
pub(crate) fn for_pcre2(
    literals: Option<&Literals>,
    outline: Option<&Hir>,
    terminator: u8,
) -> (&'static str, Vec<Strategy>) {
    let bits = outline.and_then(|outline| bits_for(outline, terminator));
    let best = literals.and_then(Literals::best);
    // Each line where bits find something is searched, so that rare needles are better.
    let bits_cost = bits.as_ref().map_or(f64::INFINITY, Bits::cost);
    let rare = best.filter(|(_, cost)| *cost <= bits_cost);
    let needles = rare.and_then(|(set, _)| match set.len() {
        MANY.. => Many::of(&set, false).map(Strategy::Many),
        _ => Packed::of(&set, false).map(Strategy::Packed),
    });
    let bits = bits.map(|bits| Strategy::BitParallel(BitParallel::outlined(bits)));
    let each_line = Strategy::LineByLine(LineByLine);
    ("PCRE2 line by line", needles.into_iter().chain(bits).chain([each_line]).collect())
}

/// A program for `outline`, which is for ASCII text, if that is fast.
#[cfg(feature = "pcre2")]
fn bits_for(outline: &Hir, terminator: u8) -> Option<Bits> {
    let fast = |hir: &Hir| {
        let bits = Bits::new(hir, terminator).filter(|bits| bits.cost() < cost::MAX_OF_BITS);
        bits.filter(|_| bit_parallel::is_fast())
    };
    let referring = Backreference::of(outline, terminator)
        .and_then(|(hir, reference)| Some(fast(&hir)?.with_reference(reference)));
    referring.or_else(|| fast(outline))
}
