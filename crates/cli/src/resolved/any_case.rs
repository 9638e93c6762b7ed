//! `--any-case`: names in every form in place of the patterns.

use heist_matcher::{Condition, name_pattern};

use crate::error::Error;

/// Returns a pattern for `name` in every form.
///
/// # Errors
/// `name` is no name.
pub(super) fn pattern(name: &str) -> Result<String, Error> {
    name_pattern(name).map_err(|why| {
        let example = "a name such as get_user_id or getUserId";
        Error::new(format!("--any-case takes {example}, and {why}"))
    })
}

/// Returns `condition` with names in every form in place of the patterns.
///
/// # Errors
/// A pattern is no name.
pub(super) fn condition(condition: Condition) -> Result<Condition, Error> {
    let all = |parts: Vec<Condition>| -> Result<Vec<Condition>, Error> {
        parts.into_iter().map(self::condition).collect()
    };
    Ok(match condition {
        Condition::Matches(names) => {
            Condition::Matches(names.iter().map(|name| pattern(name)).collect::<Result<_, _>>()?)
        }
        Condition::All(parts) => Condition::All(all(parts)?),
        Condition::Any(parts) => Condition::Any(all(parts)?),
        Condition::Not(part) => Condition::Not(Box::new(self::condition(*part)?)),
    })
}
