//! Which lines around a match are wanted, if the text determines them; `surroundings` finds them.

use std::{fmt::Debug, io, ops::Range, sync::Arc};

use heist_matcher::{Error, Matcher, MatcherConfig};

use crate::functions::NestedFunctions;

/// Which lines around a match are emitted, besides the fixed numbers of lines in
/// [`SearchConfig`](crate::SearchConfig).
///
/// Haystacks are read into memory as a whole. Lines after a NUL byte have no context, unless NUL is
/// [a byte like any other](crate::BinaryPolicy::Text).
/// [`passthru`](crate::SearchConfig::passthru) must not be set.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Emit the line that begins the function which a match is in.
    pub function_line: bool,
    /// Emit the function that a match is in, as context.
    pub function: bool,
    /// Emit the lines around a match up to blank ones, as context.
    pub paragraph: bool,
    /// Emit the lines after a match up to the first one that this matches, or up to the end of the
    /// haystack, as context.
    pub until: Option<Matcher>,
    /// What functions look like; `None` if there are none.
    pub functions: Option<Arc<dyn FunctionRules>>,
    /// Which lines may match; `None` if each one may. Any other line is context at most.
    pub lines: Option<Arc<dyn LineRules>>,
}

impl Surroundings {
    /// Whether lines besides function lines are emitted, so that there are gaps between groups of
    /// lines.
    #[must_use]
    pub fn has_context(&self) -> bool {
        self.function || self.paragraph || self.until.is_some()
    }

    /// Returns what decides which lines match, without context; `None` if nothing does.
    #[must_use]
    pub fn without_context(&self) -> Option<Surroundings> {
        let lines = self.lines.clone()?;
        Some(Surroundings { lines: Some(lines), ..Surroundings::default() })
    }
}

/// The lines of each haystack that may match.
pub trait LineRules: Debug + Send + Sync {
    /// Returns the numbers of the lines that may match in the haystack at `path`, as it was
    /// [set](crate::Searcher::set_path), in order; `None` if each one may. Numbers begin with 1.
    ///
    /// # Errors
    /// The lines cannot be determined. The search of the haystack fails.
    fn lines_of(&self, path: &[u8]) -> io::Result<Option<Arc<[Range<u64>]>>>;
}

/// The functions of each haystack.
pub trait FunctionRules: Debug + Send + Sync {
    /// What functions look like in the haystack at `path`, as it was
    /// [set](crate::Searcher::set_path). `text` is the haystack.
    fn functions_of(&self, path: &[u8], text: &[u8]) -> Functions;
}

/// How the function around a line is found.
#[derive(Clone, Debug)]
pub enum Functions {
    /// The nearest line above that is a function line.
    Lines(Arc<FunctionLines>),
    /// The innermost function that encloses the line.
    Nested(Arc<NestedFunctions>),
}

/// What a function line looks like.
#[derive(Clone, Debug)]
pub struct FunctionLines {
    /// The first one that matches a line decides whether that is a function line.
    pub(crate) steps: Vec<(Matcher, bool)>,
}

impl FunctionLines {
    /// Compiles patterns: a function line matches a pattern in `included` and none in `excluded`.
    ///
    /// # Errors
    /// A pattern is malformed.
    pub fn new(
        included: &[String],
        excluded: &[String],
        config: &MatcherConfig,
    ) -> Result<FunctionLines, Error> {
        let included = (included.to_vec(), true);
        match excluded {
            [] => FunctionLines::in_steps(&[included], config),
            _ => FunctionLines::in_steps(&[(excluded.to_vec(), false), included], config),
        }
    }

    /// Compiles steps of patterns: the first step with a pattern that matches a line decides, by
    /// its `bool`, whether that is a function line. A line that none matches is no function line.
    ///
    /// # Errors
    /// A pattern is malformed.
    pub fn in_steps(
        steps: &[(Vec<String>, bool)],
        config: &MatcherConfig,
    ) -> Result<FunctionLines, Error> {
        let compile = |(patterns, begins): &(Vec<String>, bool)| {
            Matcher::new(patterns, config).map(|matcher| (matcher, *begins))
        };
        Ok(FunctionLines { steps: steps.iter().map(compile).collect::<Result<_, _>>()? })
    }
    /// Whether `line`, without its terminator, is a function line. Meant for a few lines: a search
    /// keeps what this makes anew.
    #[must_use]
    pub fn is_function_line(&self, line: &[u8]) -> bool {
        let first = self.steps.iter().find(|(step, _)| step.finder().is_match(line));
        first.is_some_and(|(_, begins)| *begins)
    }
}
