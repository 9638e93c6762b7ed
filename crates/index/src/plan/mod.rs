//! Plans: what a text must contain for a pattern to match in it.

mod condition;
mod pattern_byte;
mod strings;

use std::fmt;

use regex_syntax::hir::Hir;

pub(crate) use condition::Condition;
pub(crate) use strings::RARE_FOLDS;

/// What a text must contain for a pattern to match in it: a condition on its trigrams, and on what
/// its characters beyond ASCII begin with.
///
/// ```
/// use heist_index::Plan;
///
/// let plan = |pattern| Plan::of(&regex_syntax::parse(pattern).unwrap());
/// assert_eq!(plan("open|read").to_string(), r#"("ope" "pen") or ("rea" "ead")"#);
/// assert_eq!(plan("PM_Op").to_string(), r#""PM_" "M_O" "_op""#);
/// assert_eq!(plan("[à-ÿ]").to_string(), r#""\xc3""#);
/// assert_eq!(plan(r"\d+").to_string(), "anything");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub(crate) condition: Condition,
    /// Whether a class of the pattern holds `k` and the Kelvin sign, or `s` and the long s, and the
    /// condition takes only the letter into account.
    pub(crate) leaves_out_rare_folds: bool,
}

impl Plan {
    /// Determines what a text must contain for `hir` to match in it. Assertions such as `^` and
    /// `\b` are left aside.
    #[must_use]
    pub fn of(hir: &Hir) -> Plan {
        let (condition, leaves_out_rare_folds) = strings::condition(hir);
        Plan { condition, leaves_out_rare_folds }
    }

    /// Determines what a text must contain for each of `hirs` to match in it.
    ///
    /// ```
    /// use heist_index::Plan;
    ///
    /// let hirs = ["open", "door"].map(|pattern| regex_syntax::parse(pattern).unwrap());
    /// assert_eq!(Plan::of_all(&hirs).to_string(), r#""ope" "pen" "doo" "oor""#);
    /// ```
    #[must_use]
    pub fn of_all<'h>(hirs: impl IntoIterator<Item = &'h Hir>) -> Plan {
        let plans: Vec<Plan> = hirs.into_iter().map(Plan::of).collect();
        Plan {
            leaves_out_rare_folds: plans.iter().any(|plan| plan.leaves_out_rare_folds),
            condition: Condition::all(plans.into_iter().map(|plan| plan.condition)),
        }
    }

    /// The plan of a pattern about which nothing is known.
    #[must_use]
    pub fn anything() -> Plan {
        Plan { condition: Condition::Always, leaves_out_rare_folds: false }
    }

    /// Returns whether every text may hold a match, so that an index is useless.
    #[must_use]
    pub fn is_anything(&self) -> bool {
        self.condition == Condition::Always
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.condition.fmt(f)
    }
}

#[cfg(test)]
mod tests;
