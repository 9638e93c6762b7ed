//! What a plan may want to know of an expression.

use std::cell::OnceCell;
use std::sync::Arc;

use regex_automata::meta;
use regex_syntax::hir::Hir;

use super::bit_parallel::{self, Bits};
use super::cost;
use crate::compile::ascii_hir::ascii_hir;
use crate::literals::case_fold::CaseFolded;
use crate::literals::required::Literals;
use crate::literals::sets::MAX_NEEDLES;

/// Needles from which on they are too many for Teddy.
pub(crate) const MANY: usize = MAX_NEEDLES + 1;

/// An expression that is to be searched for in blocks of lines. What is derived from it is computed
/// once, when the first plan wants it.
#[derive(Debug)]
pub(crate) struct Expression<'h> {
    /// The expression for a line alone.
    pub(crate) line: &'h Hir,
    /// The expression for blocks.
    pub(crate) hir: &'h Hir,
    /// The byte that ends a line.
    pub(crate) terminator: u8,
    /// Whether it matches in just those lines of a block that match alone; otherwise it may match
    /// in others, too.
    pub(crate) is_exact: bool,
    /// The compiled expression, unless that is the regex that searches lines.
    pub(crate) block: Option<Arc<meta::Regex>>,
    /// Whether that regex has a prefilter.
    pub(crate) is_accelerated: bool,
    /// Whether the fast engines give up on bytes that are not ASCII.
    pub(crate) stops_at_non_ascii: bool,
    derived: Derived,
}

#[derive(Debug, Default)]
struct Derived {
    literals: OnceCell<Literals>,
    folded: OnceCell<Option<Folded>>,
    best: OnceCell<Option<(Vec<Vec<u8>>, f64)>>,
    /// What it costs to look for whole matches, if that is better than for the best parts.
    whole_cost: OnceCell<Option<f64>>,
    in_lower_case: OnceCell<Option<(Vec<Vec<u8>>, f64)>>,
    ascii: OnceCell<Option<Hir>>,
    bits: OnceCell<Option<Arc<Bits>>>,
}

/// The expression in lower case, and its literals.
#[derive(Debug)]
pub(crate) struct Folded {
    pub(crate) expression: CaseFolded,
    pub(crate) literals: Literals,
}

/// Needles such that every match contains one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needles<'e> {
    pub(crate) set: &'e [Vec<u8>],
    /// Whether each of them is a match by itself.
    pub(crate) is_exact: bool,
    /// The expression in lower case, if they stand for either case.
    pub(crate) folded: Option<&'e CaseFolded>,
    /// Nanoseconds per byte.
    pub(crate) cost: f64,
}

impl<'h> Expression<'h> {
    /// The expression `line`, which is `hir` for blocks. The regex `block` searches for `hir`, or
    /// else `regex`.
    pub(crate) fn new(
        line: &'h Hir,
        hir: &'h Hir,
        terminator: u8,
        regex: &meta::Regex,
        block: Option<meta::Regex>,
    ) -> Expression<'h> {
        Expression {
            line,
            hir,
            terminator,
            is_exact: block.is_none(),
            is_accelerated: block.as_ref().unwrap_or(regex).is_accelerated(),
            block: block.map(Arc::new),
            stops_at_non_ascii: line.properties().look_set().contains_word_unicode(),
            derived: Derived::default(),
        }
    }

    /// The literals that every match contains.
    pub(crate) fn literals(&self) -> &Literals {
        self.derived.literals.get_or_init(|| Literals::of(self.hir))
    }

    /// `None` if there is no letter in it that may have either case.
    pub(crate) fn folded(&self) -> Option<&Folded> {
        let fold = || {
            let expression = CaseFolded::of(self.hir)?;
            Some(Folded { literals: Literals::of(&expression.hir), expression })
        };
        self.derived.folded.get_or_init(fold).as_ref()
    }

    /// The expression's form for ASCII text; `None` if no match is all ASCII.
    pub(crate) fn ascii_hir(&self) -> Option<&Hir> {
        self.derived.ascii.get_or_init(|| ascii_hir(self.hir)).as_ref()
    }

    /// The expression's program for ASCII text, if that is faster than an automaton.
    pub(crate) fn bits(&self) -> Option<&Arc<Bits>> {
        let compile = || {
            let bits = Bits::new(self.ascii_hir()?, self.terminator)?;
            (bits.cost() < cost::MAX_OF_BITS).then(|| Arc::new(bits))
        };
        let bits = &self.derived.bits;
        bits.get_or_init(|| compile().filter(|_| bit_parallel::is_fast())).as_ref()
    }

    /// What a search of ASCII text without literals costs, if that is known and less than the
    /// engine.
    pub(crate) fn ascii_cost(&self) -> Option<f64> {
        // Many alternatives take too many operations, and long to find that out.
        match () {
            () if self.is_long() => None,
            () if self.ascii_hir().is_none() => Some(cost::ASCII_SKIP),
            () => self.bits().map(|bits| bits.cost()),
        }
    }

    /// What the engine costs. In an automaton for many literals no state is met twice, so that each
    /// is made anew.
    pub(crate) fn engine_cost(&self) -> f64 {
        if self.is_long() { f64::INFINITY } else { cost::ENGINE }
    }

    /// Whether it is an alternation of many literals.
    fn is_long(&self) -> bool {
        let literals = self.folded().map_or(self.literals(), |folded| &folded.literals);
        alternatives(literals) >= MANY
    }

    /// Whether a literal that is all of a match is a match wherever it stands.
    pub(crate) fn is_free(&self) -> bool {
        self.is_exact && self.hir.properties().look_set().is_empty()
    }

    /// The needles to look for: all that the expression matches, or the best parts of that.
    pub(crate) fn needles(&self) -> Option<Needles<'_>> {
        match (self.whole_cost(), self.literals().exact()) {
            (Some(cost), Some(set)) => Some(Needles { set, is_exact: true, folded: None, cost }),
            _ => self.best(),
        }
    }

    fn whole_cost(&self) -> Option<f64> {
        *self.derived.whole_cost.get_or_init(|| {
            let set = self.literals().exact().filter(|_| self.is_free())?;
            if set.iter().any(Vec::is_empty) {
                return None;
            }
            let part = self.best().map_or(f64::INFINITY, |best| best.cost);
            let whole = cost::needles(set);
            // Parts may be so few that it pays to check the lines that hold one.
            if whole > cost::WHOLE_OVER_PARTS * part {
                return None;
            }
            // Where they are common, a search for them gives way to one without literals.
            let others = [self.ascii_cost(), Some(self.engine_cost())];
            Some(others.into_iter().flatten().fold(whole, f64::min))
        })
    }

    /// Needles in lower case, for a search in either.
    pub(crate) fn in_lower_case(&self) -> Option<Needles<'_>> {
        let folded = self.folded()?;
        let all = folded.literals.exact().filter(|_| self.is_free() && folded.expression.is_same);
        let best = || match all {
            Some(set) => Some((set.to_vec(), cost::many(set, cost::EXACT_STOP))),
            None => folded.literals.best_of_many(cost::STOP),
        };
        let (set, cost) = self.derived.in_lower_case.get_or_init(best).as_ref()?;
        Some(Needles {
            set,
            is_exact: all.is_some(),
            folded: Some(&folded.expression),
            cost: *cost,
        })
    }

    /// The best parts. Each needs the engine to confirm its line.
    fn best(&self) -> Option<Needles<'_>> {
        let (set, cost) = self.derived.best.get_or_init(|| self.literals().best()).as_ref()?;
        Some(Needles { set, is_exact: false, folded: None, cost: *cost })
    }
}

/// How many literals an expression is an alternation of; 0 if it is another.
fn alternatives(literals: &Literals) -> usize {
    literals.exact().map_or(0, <[_]>::len)
}
