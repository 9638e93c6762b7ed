//! The patterns that results are printed with (`--which`).

use std::sync::Arc;

use heist_matcher::PatternSet;

/// A pattern, as results name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternLabel {
    /// The label; `None` if the pattern stands for itself.
    pub label: Option<String>,
    /// The pattern.
    pub text: String,
}

/// The patterns that results are printed with.
#[derive(Clone, Debug)]
pub struct PatternLabels {
    pub(crate) set: PatternSet,
    pub(crate) labels: Arc<[PatternLabel]>,
}

impl PatternLabels {
    /// Labels the patterns in `set`, in their order.
    #[must_use]
    pub fn new(set: PatternSet, labels: Vec<PatternLabel>) -> PatternLabels {
        PatternLabels { set, labels: labels.into() }
    }
}
