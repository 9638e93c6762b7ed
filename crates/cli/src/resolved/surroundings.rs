//! Context that the text determines: functions, paragraphs, and lines up to another pattern.

use std::sync::Arc;

use heist_filter::{Environment, TypeDefinition};
use heist_matcher::{Matcher, MatcherConfig};
use heist_searcher::{FunctionRules, SearchConfig, Surroundings};

use super::types;
use crate::{
    error::Error,
    functions::{Drivers, Functions, Patterns},
    run::here::Here,
    texts::messages::Messages,
    typed::TypedArgs,
};

/// The surroundings that matches are printed with; `None` if there are none. `searcher` is the
/// configuration of the search, without them, and `shows_lines` states whether lines are printed.
///
/// # Errors
/// A pattern is malformed, or a type unknown.
pub(super) fn resolve(
    typed: &TypedArgs,
    searcher: &SearchConfig,
    shows_lines: bool,
    here: &Here,
) -> Result<Option<Arc<Surroundings>>, Error> {
    let around = &typed.around;
    let until = around.until.as_ref().map(|regex| until(regex, searcher)).transpose()?;
    let functions = match around.show_function || around.function_context {
        true => Some(functions(typed, searcher, here)?),
        false if around.function_patterns.is_empty() => None,
        // Mistakes in them are reported all the same.
        false => functions(typed, searcher, here).map(|_| None)?,
    };
    let is_wanted = functions.is_some() || around.paragraph || until.is_some();
    if !is_wanted || !shows_lines {
        return Ok(None);
    }
    Ok(Some(Arc::new(Surroundings {
        function_line: around.show_function,
        function: around.function_context,
        paragraph: around.paragraph,
        until,
        functions,
        lines: None,
    })))
}

/// The rules by which `--sort relevance` recognizes definitions. Git's attributes are not read.
///
/// # Errors
/// A pattern is malformed, or a type unknown.
pub(super) fn definitions(
    typed: &TypedArgs,
    searcher: &SearchConfig,
    here: &Here,
) -> Result<Functions, Error> {
    rules(typed, None, searcher, here)
}

/// How the patterns of these flags are compiled.
fn matcher(searcher: &SearchConfig) -> MatcherConfig {
    MatcherConfig {
        line_terminator: searcher.line_terminator,
        crlf: searcher.crlf,
        ban_nul: false,
        ..MatcherConfig::default()
    }
}

fn until(regex: &str, searcher: &SearchConfig) -> Result<Matcher, Error> {
    let error = |error| Error::new(format!("--until: {error}"));
    Matcher::new([regex], &matcher(searcher)).map_err(error)
}

fn functions(
    typed: &TypedArgs,
    searcher: &SearchConfig,
    here: &Here,
) -> Result<Arc<dyn FunctionRules>, Error> {
    Ok(Arc::new(rules(typed, Some(drivers(typed, here)), searcher, here)?))
}

/// The built-in rules and those of `--function-pattern`, and git's if there are `drivers`.
fn rules(
    typed: &TypedArgs,
    drivers: Option<Drivers>,
    searcher: &SearchConfig,
    here: &Here,
) -> Result<Functions, Error> {
    let patterns = &typed.around.function_patterns;
    // Making the table takes longer than searching a small tree.
    let known = if patterns.is_empty() { Vec::new() } else { types::definitions(typed)? };
    let mut own: Vec<(&TypeDefinition, Patterns)> = Vec::new();
    for pattern in patterns {
        let found = types::find("--function-pattern", &pattern.type_name, &known)?;
        let index = own.iter().position(|(other, _)| *other == found).unwrap_or_else(|| {
            own.push((found, Patterns::default()));
            own.len() - 1
        });
        own[index].1.add(&pattern.regex);
    }
    Functions::new(&own, drivers, &here.cwd, &matcher(searcher))
}

/// The drivers of git's attributes. Ignore rules and their flags have no influence on them.
fn drivers(typed: &TypedArgs, here: &Here) -> Drivers {
    let environment = Environment::from_variables(here.variable);
    let messages = Messages::new(typed.no_messages, typed.no_ignore_messages);
    Drivers::new(&here.cwd, environment, typed.safe, messages)
}
