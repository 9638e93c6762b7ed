//! What a strategy may want to know of an expression before it is chosen.

use std::cell::OnceCell;
use std::sync::Arc;

use regex_automata::meta;
use regex_syntax::hir::Hir;

use super::bit_parallel::{self, Bits};
use super::cost;
use crate::compile::ascii_hir::ascii_hir;
use crate::literals::case_fold::CaseFolded;
use crate::literals::required::Required;
use crate::literals::sets::MAX_NEEDLES;

/// Needles from which on they are too many for Teddy.
pub(crate) const MANY: usize = MAX_NEEDLES + 1;

/// An expression that is to be searched for in blocks of lines. What is derived from it is computed
/// once, when the first strategy wants it.
#[derive(Debug)]
pub(crate) struct Expression<'h> {
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
    required: OnceCell<Required>,
    folded: OnceCell<Option<Folded>>,
    best: OnceCell<Option<(Vec<Vec<u8>>, f64)>>,
    /// What it costs to look for whole matches, if that is better than for the best parts.
    whole_cost: OnceCell<Option<f64>>,
    in_lower_case: OnceCell<Option<Lowered>>,
    ascii: OnceCell<Option<Hir>>,
    bits: OnceCell<Option<Arc<Bits>>>,
}

/// The expression in lower case, and its literals.
#[derive(Debug)]
pub(crate) struct Folded {
    pub(crate) expression: CaseFolded,
    pub(crate) required: Required,
}

/// Needles in lower case, and what a [`Needles`] has besides.
#[derive(Debug)]
struct Lowered {
    set: Vec<Vec<u8>>,
    is_exact: bool,
    cost: f64,
}

/// Needles such that every match contains one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needles<'e> {
    pub(crate) set: &'e [Vec<u8>],
    /// Whether each of them is a match by itself.
    pub(crate) is_exact: bool,
    /// Nanoseconds per byte.
    pub(crate) cost: f64,
}

impl<'h> Expression<'h> {
    /// `hir`, which the regex `block` searches for, or else `line`.
    pub(crate) fn new(
        hir: &'h Hir,
        terminator: u8,
        line: &meta::Regex,
        block: Option<meta::Regex>,
        stops_at_non_ascii: bool,
    ) -> Expression<'h> {
        Expression {
            hir,
            terminator,
            is_exact: block.is_none(),
            is_accelerated: block.as_ref().unwrap_or(line).is_accelerated(),
            block: block.map(Arc::new),
            stops_at_non_ascii,
            derived: Derived::default(),
        }
    }

    pub(crate) fn required(&self) -> &Required {
        self.derived.required.get_or_init(|| Required::of(self.hir))
    }

    /// `None` if there is no letter in it that may have either case.
    pub(crate) fn folded(&self) -> Option<&Folded> {
        let fold = || {
            let expression = CaseFolded::of(self.hir)?;
            Some(Folded { required: Required::of(&expression.hir), expression })
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

    /// What the engine costs.
    pub(crate) fn engine_cost(&self) -> f64 {
        match self.is_accelerated {
            _ if self.is_long() => {
                let folded = self.folded().map_or(0, |folded| literals(&folded.required));
                cost::ENGINE_OF_MANY.max(cost::ENGINE_PER_FOLDED * folded as f64)
            }
            true => cost::ENGINE_ACCELERATED,
            false => cost::ENGINE,
        }
    }

    /// Whether it is an alternation of many literals.
    fn is_long(&self) -> bool {
        let required = self.folded().map_or(self.required(), |folded| &folded.required);
        literals(required) >= MANY
    }

    /// Whether a literal that is all of a match is a match wherever it stands.
    pub(crate) fn is_free(&self) -> bool {
        self.is_exact && self.hir.properties().look_set().is_empty()
    }

    /// The needles to look for: all that the expression matches, or the best parts of that.
    pub(crate) fn needles(&self) -> Option<Needles<'_>> {
        match (self.whole_cost(), self.required().exact()) {
            (Some(cost), Some(set)) => Some(Needles { set, is_exact: true, cost }),
            _ => self.best(),
        }
    }

    fn whole_cost(&self) -> Option<f64> {
        *self.derived.whole_cost.get_or_init(|| {
            let set = self.required().exact().filter(|_| self.is_free())?;
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
        let best = || {
            let folded = self.folded()?;
            let is_exact = self.is_free() && folded.expression.is_same;
            match folded.required.exact().filter(|_| is_exact) {
                Some(set) => {
                    let cost = cost::many(set, cost::EXACT_STOP);
                    Some(Lowered { set: set.to_vec(), is_exact, cost })
                }
                None => {
                    let (set, cost) = folded.required.best_of_many(cost::STOP)?;
                    Some(Lowered { set, is_exact: false, cost })
                }
            }
        };
        let lowered = self.derived.in_lower_case.get_or_init(best).as_ref()?;
        let Lowered { set, is_exact, cost } = lowered;
        Some(Needles { set, is_exact: *is_exact, cost: *cost })
    }

    /// The best parts. Each needs the engine to confirm its line.
    fn best(&self) -> Option<Needles<'_>> {
        let (set, cost) = self.derived.best.get_or_init(|| self.required().best()).as_ref()?;
        Some(Needles { set, is_exact: false, cost: *cost })
    }
}

/// How many literals an expression is an alternation of; 0 if it is another.
fn literals(required: &Required) -> usize {
    required.exact().map_or(0, <[_]>::len)
}
