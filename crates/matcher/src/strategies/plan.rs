//! How a block is skimmed: which of the ways to find the next interesting line suits an expression.

use regex_automata::util::prefilter::Prefilter;
use regex_automata::{MatchKind, meta};
use regex_syntax::hir::{Hir, HirKind, Look};

use crate::literals::case_fold::CaseFolded;
use crate::literals::rarity::{self, cost_of_set};
use crate::literals::required::{MAX_NEEDLES, Required};
use crate::reach::Reach;
use crate::strategies::anchored_literal::AnchoredLiteral;
use crate::strategies::bit_parallel::Bits;
use crate::strategies::many::{Many, ProbeBits};
use crate::strategies::words::{self, Words};

/// Nanoseconds per byte above which needles are not worth it: what the regex engine takes.
const WORTHWHILE_NS: f64 = 1.2;

/// Nanoseconds per byte that it takes where it has to go from byte to byte.
const ENGINE_NS: f64 = 2.0;

/// The same where that is a walk through the states of hundreds of literals, which no cache of the processor holds.
///
/// Perf (2026-11, 2 busy cores, kernel sources, 1000 identifiers): 3 to 7, and 40 in either case in 11 MB, for which the states are
/// hardly built.
const LONG_ENGINE_NS: f64 = 5.0;

/// How much more whole needles may cost than parts of them, which need the engine to confirm a line.
const PARTS_WORTHWHILE: f64 = 1.5;

/// Needles from which on they are too many for Teddy.
const MANY: usize = MAX_NEEDLES + 1;

/// How to find the next line that matches or may match.
#[derive(Clone, Debug)]
pub(crate) enum Plan {
    /// Nothing can match.
    Never,
    /// Every line matches, or may do so where the expression is loosened for blocks.
    Every,
    /// Look for needles of which every match contains one.
    Needles {
        /// Finds them.
        prefilter: Prefilter,
        /// Whether each of them is a match by itself.
        is_exact: bool,
    },
    /// The same with very many needles.
    Many {
        /// Finds them.
        many: Many,
        /// Whether each of them is a match by itself.
        is_exact: bool,
    },
    /// Look for words, each of which is a whole match but for assertions at its ends.
    Words {
        /// Finds them.
        words: Words,
        /// Whether those that stand alone are a match by themselves.
        is_exact: bool,
    },
    /// Look for the one needle that is the whole match but for assertions at its ends.
    AnchoredLiteral(Box<AnchoredLiteral>),
    /// Let the regex engine run over the block.
    Engine {
        /// Every match contains one of a few literals, by which the engine may have a way to skip most of the block.
        has_literals: bool,
    },
    /// Matches may span lines: the haystack is searched as a whole.
    Whole {
        /// Needles of which every match contains one.
        needles: Option<Needles>,
        /// How far they may span, if something is known of it.
        reach: Option<Reach>,
    },
}

impl Plan {
    /// The plan for `hir`, which is exact or loosened for blocks, and compiled is `regex`. `without` says what a byte costs that
    /// is searched without literals, in nanoseconds, if that is less than what the engine takes.
    pub(crate) fn new(
        hir: &Hir,
        exact: bool,
        regex: &meta::Regex,
        without: impl FnOnce() -> Option<f64>,
        line_terminator: u8,
    ) -> Plan {
        if fits(hir, &|_| false) {
            return Plan::Every;
        }
        let looks = hir.properties().look_set();
        if exact && let Some(anchored) = AnchoredLiteral::new(hir, line_terminator) {
            return Plan::AnchoredLiteral(Box::new(anchored));
        }
        let required = Required::of(hir);
        if required.is_impossible() {
            return Plan::Never;
        }
        let best = required.best();
        let is_exact = exact && looks.is_empty();
        let whole = required.exact().filter(|_| is_exact);
        let part = best.as_ref().map_or(f64::INFINITY, |(_, cost)| *cost);
        let folded = CaseFolded::of(hir).map(|folded| (Required::of(&folded.hir), folded));
        let folded = folded.as_ref();
        // What spells out many alternatives takes too many operations without literals, and long to find that out.
        let spelled = folded.map_or(&required, |(required, _)| required).exact();
        let is_long = spelled.is_some_and(|set| set.len() >= MANY);
        let without = if is_long { None } else { without() };
        let engine = match regex.is_accelerated() {
            _ if is_long => LONG_ENGINE_NS,
            true => WORTHWHILE_NS,
            false => ENGINE_NS,
        };
        let others = [whole.map(cost_of_set), without, Some(part), Some(engine)];
        let others = others.into_iter().flatten().fold(f64::INFINITY, f64::min);
        let words = match words::COST < others && words::stand_alone(hir) {
            true => whole_words(&required, folded, exact),
            false => None,
        };
        let others = if words.is_some() { words::COST } else { others };
        let in_lower_case = folded.and_then(|folded| in_lower_case(folded, is_exact, others));
        if let Some(plan) = in_lower_case.or(words) {
            return plan;
        }
        let is_fast = regex.is_accelerated() && !looks.contains_word_unicode();
        Plan::by_needles(&required, whole, best, without, is_fast)
    }

    /// The plan to look for the `whole` of what an expression matches that has the literals `required`, or for the `best` parts of
    /// that, or to leave it to the engine. `without` as above; the engine may look for what matches begin with if that `is_fast`.
    fn by_needles(
        required: &Required,
        whole: Option<&[Vec<u8>]>,
        best: Option<(Vec<Vec<u8>>, f64)>,
        without: Option<f64>,
        is_fast: bool,
    ) -> Plan {
        let part = best.as_ref().map_or(f64::INFINITY, |(_, cost)| *cost);
        if let Some(set) = whole {
            // Parts of them may be so few that it pays to look at the lines they stand in.
            if cost_of_set(set) <= PARTS_WORTHWHILE * part {
                return needles(set, true).unwrap_or(Plan::BARE_ENGINE);
            }
        }
        let Some((set, cost)) = best else {
            return Plan::BARE_ENGINE;
        };
        if without.is_some_and(|without| without < cost) {
            return Plan::BARE_ENGINE;
        }
        // The engine needs no lines to be cut out for it, so it is to be preferred at equal price.
        let engine_is_as_good = is_fast && required.prefix_cost() <= cost * 1.05;
        let common = cost > WORTHWHILE_NS && set.len() < MANY;
        if common || engine_is_as_good {
            return Plan::Engine { has_literals: true };
        }
        needles(&set, false).unwrap_or(Plan::BARE_ENGINE)
    }

    /// Let the engine go from byte to byte.
    const BARE_ENGINE: Plan = Plan::Engine { has_literals: false };

    /// Whether the [scanner](crate::strategies::scan) may have to find lines without literals.
    pub(crate) fn may_go_without(&self) -> bool {
        match self {
            Plan::Needles { .. } | Plan::AnchoredLiteral(_) => true,
            Plan::Many { is_exact, .. } => !is_exact,
            Plan::Engine { has_literals } => !has_literals,
            Plan::Never | Plan::Every | Plan::Words { .. } | Plan::Whole { .. } => false,
        }
    }

    /// The plan to search whole haystacks for `hir`. The engine is left alone if it is fast by itself.
    pub(crate) fn whole(hir: &Hir, is_accelerated: bool, line_terminator: u8) -> Plan {
        let required = Required::of(hir);
        let needles = if is_accelerated { None } else { Needles::of(hir, &required) };
        Plan::Whole { needles, reach: Reach::of(hir, &required, line_terminator) }
    }

    /// The same for patterns of another engine, of which `hir` is the outline.
    pub(crate) fn whole_outlined(hir: Option<&Hir>) -> Plan {
        let needles = hir.and_then(|hir| Needles::of(hir, &Required::of(hir)));
        Plan::Whole { needles, reach: None }
    }

    /// The plan for patterns of another engine, of which `hir` is the outline.
    pub(crate) fn outlined(hir: Option<&Hir>) -> Plan {
        let best = hir.and_then(|hir| Required::of(hir).best());
        best.and_then(|(set, _)| needles(&set, false)).unwrap_or(Plan::BARE_ENGINE)
    }
}

/// Whether `hir` has an empty match at the beginning or at the end of every line alone.
pub(crate) fn fits_every_line(hir: &Hir) -> bool {
    let begins = |look| matches!(look, Look::Start | Look::StartLF | Look::StartCRLF);
    let ends = |look| matches!(look, Look::End | Look::EndLF | Look::EndCRLF);
    fits(hir, &begins) || fits(hir, &ends)
}

/// Whether `hir` has an empty match at a place of which `holds` tells which assertions hold there.
fn fits(hir: &Hir, holds: &impl Fn(Look) -> bool) -> bool {
    match hir.kind() {
        HirKind::Empty => true,
        HirKind::Look(look) => holds(*look),
        HirKind::Literal(_) | HirKind::Class(_) => false,
        HirKind::Repetition(repetition) => repetition.min == 0 || fits(&repetition.sub, holds),
        HirKind::Capture(capture) => fits(&capture.sub, holds),
        HirKind::Concat(subs) => subs.iter().all(|sub| fits(sub, holds)),
        HirKind::Alternation(subs) => subs.iter().any(|sub| fits(sub, holds)),
    }
}

/// The plan to look for words that stand alone, if those are what an expression matches that has the literals `required`, or in
/// lower case those of `folded`.
fn whole_words(
    required: &Required,
    folded: Option<&(Required, CaseFolded)>,
    exact: bool,
) -> Option<Plan> {
    if !Bits::is_fast() {
        return None;
    }
    let words = match folded.filter(|(_, folded)| folded.is_same) {
        Some((required, folded)) => Words::new(required.exact()?, true, &folded.non_ascii_folds)?,
        None => Words::new(required.exact()?, false, &[])?,
    };
    Some(Plan::Words { words, is_exact: exact })
}

/// The plan to look for needles in either case, if that costs less than `others`. Those that are all of the expression are `is_exact` to
/// make a match.
fn in_lower_case(
    (required, folded): &(Required, CaseFolded),
    is_exact: bool,
    others: f64,
) -> Option<Plan> {
    let (set, cost, is_exact) = match required.exact().filter(|_| is_exact && folded.is_same) {
        Some(set) => (set.to_vec(), rarity::cost_of_many(set, rarity::SURE_STOP_NS), true),
        None => required.best_of_many(rarity::STOP_NS).map(|(set, cost)| (set, cost, false))?,
    };
    let many =
        if cost < others { Many::new(&set, true, &folded.non_ascii_folds)? } else { return None };
    Some(Plan::Many { many, is_exact })
}

/// The plan to look for `set`, if that is faster than a regex engine.
fn needles(set: &[Vec<u8>], is_exact: bool) -> Option<Plan> {
    if set.iter().any(Vec::is_empty) {
        return None;
    }
    if set.len() >= MANY
        && let Some(many) = Many::new(set, false, &[])
    {
        return Some(Plan::Many { many, is_exact });
    }
    few(set).map(|prefilter| Plan::Needles { prefilter, is_exact })
}

/// What finds `set`, if that is faster than a regex engine.
pub(crate) fn few(set: &[Vec<u8>]) -> Option<Prefilter> {
    let prefilter = Prefilter::new(MatchKind::LeftmostFirst, set)?;
    // A processor without this may lack what packed searches take.
    let has_packed = cfg!(target_arch = "aarch64") || Bits::is_fast();
    let is_fast = prefilter.is_fast() || has_packed && rarity::is_packed(set);
    is_fast.then_some(prefilter)
}

/// Needles to look for in a whole haystack, before anything else is.
#[derive(Clone, Debug)]
pub(crate) enum Needles {
    Few(Prefilter),
    Many(Many),
}

impl Needles {
    /// Needles of which every match of `hir`, which has the literals `required`, contains one.
    fn of(hir: &Hir, required: &Required) -> Option<Needles> {
        let best = required.best_by(rarity::WHOLE_STOP_NS);
        let folded = CaseFolded::of(hir).and_then(|folded| {
            let (set, cost) = Required::of(&folded.hir).best_of_many(rarity::WHOLE_STOP_NS)?;
            Some((Many::new(&set, true, &folded.non_ascii_folds)?, cost))
        });
        match (best, folded) {
            (Some((_, cost)), Some((many, folded))) if folded < cost => Some(Needles::Many(many)),
            (None, Some((many, _))) => Some(Needles::Many(many)),
            (best, _) => few(&best?.0).map(Needles::Few),
        }
    }

    /// Whether there may be one in `haystack`.
    pub(crate) fn may_be_in(
        &self,
        haystack: &[u8],
        terminator: u8,
        probes: &mut ProbeBits,
    ) -> bool {
        match self {
            Needles::Few(prefilter) => {
                prefilter.find(haystack, (0..haystack.len()).into()).is_some()
            }
            Needles::Many(many) => {
                let mut hits = Vec::new();
                many.find(haystack, (0, haystack.len()), terminator, probes, &mut hits);
                !hits.is_empty()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Bits, Plan};
    use crate::{Boundary, Case, Config, Matcher};

    fn plan(pattern: &str) -> Plan {
        let matcher = Matcher::new(&[pattern.to_owned()], &Config::default());
        matcher.expect("it is a regex").compiled.plan.clone()
    }

    #[test]
    fn what_fits_every_line_is_not_searched_for() {
        let anchored = ["^", "$", "x*$", "(?-m)^|b", r"(^|\s*){2}"];
        for pattern in ["", "x*", ".*", "(ab|c?)+", "a|", "(?:x*y*){3}"].into_iter().chain(anchored)
        {
            assert!(matches!(plan(pattern), Plan::Every), "{pattern}");
        }
        for pattern in ["x*y", r"\B", "^$", "^ ", r"x*\b", "a|b", "[a&&b]"] {
            assert!(!matches!(plan(pattern), Plan::Every), "{pattern}");
        }
    }

    #[test]
    fn short_needles_are_looked_for_unless_they_are_common() {
        if !Bits::is_fast() {
            return;
        }
        for pattern in ["κ|.*max_level", r"\wQZ|ß|[a-z]+suspend"] {
            assert!(matches!(plan(pattern), Plan::Needles { is_exact: false, .. }), "{pattern}");
        }
        for pattern in [r"κ|\w+e", r"\wte|\wma|\win", r"\p{Greek}+Q\d"] {
            assert!(matches!(plan(pattern), Plan::Engine { .. }), "{pattern}");
        }
    }

    #[test]
    fn words_in_either_case_are_looked_for_in_one() {
        let words = [
            "alpha", "bravo", "charlie", "delta", "echo_", "foxtrot", "golf_", "hotel", "india",
            "juliett",
        ];
        let words = words.map(str::to_owned);
        let plan = |words: &[String], boundary| {
            let config = Config { case: Case::Insensitive, boundary, ..Config::default() };
            Matcher::new(words, &config).expect("they are words").compiled.plan.clone()
        };
        assert!(matches!(plan(&words, Boundary::None), Plan::Many { is_exact: true, .. }));
        assert!(matches!(plan(&words, Boundary::Word), Plan::Many { is_exact: false, .. }));
        let short = words.map(|word| word[..3].to_owned());
        assert!(matches!(plan(&short, Boundary::Word), Plan::Words { is_exact: true, .. }));
    }

    #[test]
    fn whole_haystacks_are_asked_for_rare_needles_first() {
        let finder = |pattern: &str, case| {
            let config = Config { case, multiline: true, ..Config::default() };
            let matcher = Matcher::new(&[pattern.to_owned()], &config).expect("it is a regex");
            assert!(matcher.spans_lines(), "{pattern}");
            matcher.finder()
        };
        let has_needles = |pattern, case| match &finder(pattern, case).matcher().compiled.plan {
            Plan::Whole { needles, .. } => needles.is_some(),
            _ => false,
        };
        assert!(has_needles(r"[^a]arent_s\s.*", Case::Insensitive));
        assert!(!has_needles(r"\s+\w", Case::Sensitive));
        let mut finder = finder(r"[^a]arent_s\s", Case::Insensitive);
        assert_eq!(finder.find_at(b"x\nARENT_S\n", 0), Some(1..10));
        assert_eq!(finder.find_at("x\nARENT_ſ\n".as_bytes(), 0), Some(1..11));
        assert_eq!(finder.find_at(b"x\nARENTS\n", 0), None);
        // Wherever the search begins.
        assert_eq!(finder.find_first(b"\nx\nARENT_S\n", 1), Some(2..11));
        assert_eq!(finder.find_first("\nx\nARENT_ſ\n".as_bytes(), 4), None);
    }

    #[test]
    fn whole_needles_are_looked_for_unless_they_are_many_more_than_their_parts() {
        let is_sure = |pattern: &str, case| {
            let config = Config { case, ..Config::default() };
            let matcher = Matcher::new(&[pattern.to_owned()], &config).expect("it is a regex");
            matches!(matcher.compiled.plan, Plan::Needles { is_exact: true, .. })
        };
        assert!(is_sure("alpha|bravo", Case::Sensitive));
        assert!(is_sure("zqz", Case::Insensitive));
        assert!(!is_sure("zqzqzq", Case::Insensitive), "it has 64 spellings");
    }
}
