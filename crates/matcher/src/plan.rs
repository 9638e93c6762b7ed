//! How the patterns are searched for, in words.

use std::fmt::{self, Display};

use crate::compiled::{Compiled, Mode, Required};
use crate::matcher::Matcher;
use crate::reach::Reach;
use crate::strategies::line_finder::LineFinder;
use crate::strategies::strategy::Strategy;

/// Texts that are shown of those of which each match contains one.
const MAX_SHOWN_NEEDLES: usize = 4;

/// How a matcher searches, for people who want to know why a search is fast or slow.
///
/// ```
/// use heist_matcher::{Matcher, MatcherConfig};
///
/// let matcher = Matcher::new(["mutex_(un)?lock"], &MatcherConfig::default())?;
/// let plan = matcher.plan().to_string();
/// assert!(plan.starts_with("lines by literals: Packed"), "{plan}");
/// assert!(plan.ends_with(r#"each has "mutex_lock" or "mutex_unlock""#), "{plan}");
/// # Ok::<(), heist_matcher::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Plan<'m>(&'m Compiled);

impl Matcher {
    /// Describes how the patterns are searched for. The text may change with every version.
    #[must_use]
    pub fn plan(&self) -> Plan<'_> {
        Plan(&self.compiled)
    }
}

impl Display for Plan<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.mode {
            Mode::Lines(levels) => {
                write!(f, "lines by {}: ", levels.plan)?;
                in_turn(levels.strategies(), f)?;
            }
            Mode::Query(query) => {
                return write!(f, "lines that meet conditions, of {query}");
            }
            Mode::Whole(whole) => {
                write!(f, "matches that span lines, by ")?;
                match whole.needles() {
                    Some(needles) => write!(f, "{} and the engine", needles.name())?,
                    None => write!(f, "the engine alone")?,
                }
                let is_known = whole.reach.as_deref().is_some_and(Reach::has_end);
                write!(f, "; their ends are {}", if is_known { "foreseeable" } else { "unknown" })?;
            }
        }
        let Some(Required { needles, .. }) = &self.0.required else { return Ok(()) };
        let shown = needles.iter().take(MAX_SHOWN_NEEDLES);
        let shown: Vec<_> = shown.map(|needle| format!("\"{}\"", needle.escape_ascii())).collect();
        write!(f, "; each has {}", shown.join(" or "))?;
        match needles.len() - shown.len() {
            0 => Ok(()),
            more => write!(f, " or one of {more} more"),
        }
    }
}

/// Writes the strategies in the order in which one gives way to the next.
fn in_turn<'s>(
    strategies: impl Iterator<Item = &'s Strategy>,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    for (index, strategy) in strategies.enumerate() {
        let separator = if index == 0 { "" } else { ", else " };
        let kind = if strategy.traits().is_exact { "exact" } else { "candidates" };
        write!(f, "{separator}{} ({kind})", strategy.name())?;
    }
    Ok(())
}
