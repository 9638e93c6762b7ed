//! Which lines around a match are wanted, if the text determines them; `surroundings` finds them.

use std::{fmt::Debug, sync::Arc};

use heist_matcher::{Error, Matcher, MatcherConfig};

/// Which lines around a match are emitted, besides the fixed numbers of lines in
/// [`SearchConfig`](crate::SearchConfig).
///
/// Haystacks are read into memory as a whole. Lines after a NUL byte have no context, unless NUL is
/// [a byte like any other](crate::BinaryPolicy::Text).
/// [`passthru`](crate::SearchConfig::passthru) must not be set.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Emit the nearest function line before each match.
    pub function_line: bool,
    /// Emit the function that a match is in, as context.
    pub function: bool,
    /// Emit the lines around a match up to blank ones, as context.
    pub paragraph: bool,
    /// Emit the lines after a match up to the first one that this matches, or up to the end of the
    /// haystack, as context.
    pub until: Option<Matcher>,
    /// Which lines are function lines; `None` if none are.
    pub functions: Option<Arc<dyn FunctionRules>>,
}

impl Surroundings {
    /// Whether lines besides function lines are emitted, so that there are gaps between groups of
    /// lines.
    #[must_use]
    pub fn has_context(&self) -> bool {
        self.function || self.paragraph || self.until.is_some()
    }
}

/// The function lines of each haystack.
pub trait FunctionRules: Debug + Send + Sync {
    /// The function lines of the haystack at `path`, as it was [set](crate::Searcher::set_path).
    fn lines_of(&self, path: &[u8]) -> Arc<FunctionLines>;
}

/// What a function line looks like.
#[derive(Clone, Debug)]
pub struct FunctionLines {
    pub(crate) included: Matcher,
    pub(crate) excluded: Option<Matcher>,
}

impl FunctionLines {
    /// Compiles patterns: a function line matches one of `included` and none of `excluded`.
    ///
    /// # Errors
    /// A pattern is malformed.
    pub fn new(
        included: &[String],
        excluded: &[String],
        config: &MatcherConfig,
    ) -> Result<FunctionLines, Error> {
        let excluded = match excluded {
            [] => None,
            patterns => Some(Matcher::new(patterns, config)?),
        };
        Ok(FunctionLines { included: Matcher::new(included, config)?, excluded })
    }
}
