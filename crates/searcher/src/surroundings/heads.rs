//! Which lines of a text begin functions, for callers that have found the lines themselves.

use super::line_tests::LineTests;
use crate::{FunctionRules, lines};

/// Tests whether lines begin functions. A worker keeps one for all its haystacks.
///
/// ```
/// use std::sync::Arc;
/// use heist_matcher::MatcherConfig;
/// use heist_searcher::{FunctionHeads, FunctionLines, FunctionRules, Functions};
///
/// #[derive(Debug)]
/// struct Python(Arc<FunctionLines>);
///
/// impl FunctionRules for Python {
///     fn functions_of(&self, _path: &[u8], _text: &[u8]) -> Functions {
///         Functions::Lines(Arc::clone(&self.0))
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let lines = FunctionLines::new(&["^def ".to_owned()], &[], &MatcherConfig::default())?;
/// let rules = Python(Arc::new(lines));
/// let text = b"def gem():\n    pass\n";
/// let mut heads = FunctionHeads::default();
/// heads.begin(&rules, b"gem.py", text);
/// assert!(heads.is_head(text, b'\n', 0));
/// assert!(!heads.is_head(text, b'\n', 11));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct FunctionHeads(LineTests);

impl FunctionHeads {
    /// Begins the haystack `text` at `path`.
    pub fn begin(&mut self, rules: &dyn FunctionRules, path: &[u8], text: &[u8]) {
        self.0.begin(Some(rules), path, text);
    }

    /// Returns whether the line at `start` of `text`, which is the current haystack, begins a
    /// function, a class or what else the rules are about. Lines end with `terminator`.
    pub fn is_head(&mut self, text: &[u8], terminator: u8, start: usize) -> bool {
        if start >= text.len() {
            return false;
        }
        match self.0.nested(text, terminator) {
            Some((outline, mut place)) => outline.is_head(&mut place, start),
            None => {
                let line = &text[start..lines::end(text, terminator, start)];
                self.0.is_function(line.strip_suffix(&[terminator]).unwrap_or(line))
            }
        }
    }
}
