//! What functions look like in each language: the rules for `--show-function` and
//! `--function-context`. The built-in rules are in `functions/languages.txt`. Rules from
//! `--function-pattern` are for the types that `--type-list` prints, and replace them. Between both
//! come git's attributes and its configuration.

mod drivers;
mod languages;
mod posix;
#[cfg(test)]
mod tests;

use std::{fmt, path::Path, sync::Arc};

use bstr::ByteSlice;
use heist_filter::{FunctionName, PathGlobs, TypeDefinition};
use heist_matcher::MatcherConfig;
use heist_searcher::{FunctionLines, FunctionRules, Functions as Found};

pub(crate) use self::drivers::Drivers;
use self::languages::Languages;
use crate::error::Error;

/// The function lines in files without a language, as in git: lines that begin like a name.
const DEFAULT_FUNCTION_LINE: &str = "^[A-Za-z_$]";

/// The rules that hold in a run.
pub(crate) struct Functions {
    /// The rules from `--function-pattern`, each for a type.
    own: Vec<(PathGlobs, Arc<FunctionLines>)>,
    /// The drivers from git's attributes, if these are read.
    drivers: Option<Drivers>,
    languages: Languages,
    /// The function lines in files without a language.
    default: Arc<FunctionLines>,
    matcher: MatcherConfig,
}

/// The patterns that function lines match, and the patterns for lines that are none although they
/// match.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patterns {
    included: Vec<String>,
    excluded: Vec<String>,
}

/// Without what it contains: the searcher requires the trait, and so the program would have the
/// code that prints every engine of the matcher.
impl fmt::Debug for Functions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Functions").finish_non_exhaustive()
    }
}

impl Patterns {
    /// Adds a pattern, which excludes lines if `!` precedes it.
    pub(crate) fn add(&mut self, pattern: &str) {
        match pattern.strip_prefix('!') {
            Some(pattern) => self.excluded.push(pattern.trim_start().to_owned()),
            None => self.included.push(pattern.to_owned()),
        }
    }

    fn compile(&self, matcher: &MatcherConfig) -> Result<FunctionLines, heist_matcher::Error> {
        FunctionLines::new(&self.included, &self.excluded, matcher)
    }
}

impl Functions {
    /// The built-in rules, the rules for file types, and git's for its drivers, if attributes are
    /// read. Globs with a slash are relative to `cwd`; patterns are compiled as `matcher` states.
    ///
    /// # Errors
    /// A pattern or a glob is malformed, or all patterns for a type exclude lines.
    pub(crate) fn new(
        own: &[(&TypeDefinition, Patterns)],
        drivers: Option<Drivers>,
        cwd: &Path,
        matcher: &MatcherConfig,
    ) -> Result<Functions, Error> {
        let compile = |(definition, patterns): &(&TypeDefinition, Patterns)| {
            let flag = format!("--function-pattern {}", definition.name);
            if patterns.included.is_empty() {
                return Err(Error::new(format!("{flag}: every pattern begins with '!'")));
            }
            let globs = PathGlobs::new(cwd, definition.globs.iter().map(String::as_str))?;
            let lines = patterns.compile(matcher);
            Ok((globs, Arc::new(lines.map_err(|error| Error::new(format!("{flag}: {error}")))?)))
        };
        let own = own.iter().map(compile).collect::<Result<Vec<_>, Error>>()?;
        let matcher = MatcherConfig { unicode: false, ..matcher.clone() };
        let default = FunctionLines::new(&[DEFAULT_FUNCTION_LINE.to_owned()], &[], &matcher);
        let default = Arc::new(default.expect("a test compiles it"));
        Ok(Functions { own, drivers, languages: Languages::new(), default, matcher })
    }

    /// Whether there are rules for the file at `path`, which contains `text`, besides those for
    /// files without a language.
    pub(crate) fn knows(&self, path: &[u8], text: &[u8]) -> bool {
        let own = path.to_path_lossy();
        self.own.iter().any(|(globs, _)| globs.includes(&own))
            || self.language(path, text).is_some()
    }

    /// The language of the file at `path`, which contains `text`.
    fn language(&self, path: &[u8], text: &[u8]) -> Option<usize> {
        let name = path.rsplit(|&byte| byte == b'/' || byte == b'\\').next().unwrap_or(path);
        let name = name.to_str().unwrap_or_default();
        let of_extension = || match name.rsplit_once('.')?.1 {
            "m" if is_matlab(text) => self.languages.of_extension("matlab"),
            extension => self.languages.of_extension(extension),
        };
        let known = self.languages.of_name(name).or_else(of_extension);
        known.or_else(|| self.languages.of_script(text))
    }
}

impl FunctionRules for Functions {
    fn functions_of(&self, path: &[u8], text: &[u8]) -> Found {
        let own = path.to_path_lossy();
        if let Some((_, lines)) = self.own.iter().find(|(globs, _)| globs.includes(&own)) {
            return Found::Lines(Arc::clone(lines));
        }
        let driver = self.drivers.as_ref().map(|drivers| drivers.of(path)).unwrap_or_default();
        let configured = |name: Option<&Arc<FunctionName>>| {
            self.drivers.as_ref()?.lines(name.map(|name| &**name), &self.matcher)
        };
        if let Some(lines) = configured(driver.function_name.as_ref()) {
            return Found::Lines(lines);
        }
        // What a driver without functions is for is found as without it.
        let named = driver.name.and_then(|name| self.languages.of_driver(&name));
        match named.or_else(|| self.language(path, text)) {
            Some(language) => Found::Nested(self.languages.compiled(language, &self.matcher)),
            None => {
                let lines = configured(driver.fallback.as_ref());
                Found::Lines(lines.unwrap_or_else(|| Arc::clone(&self.default)))
            }
        }
    }
}

/// How many bytes of a file show what its language is.
const MAX_HEAD: usize = 1 << 12;

/// Whether a file named `*.m` is MATLAB, not Objective-C.
fn is_matlab(text: &[u8]) -> bool {
    let mut lines = text[..text.len().min(MAX_HEAD)].lines().map(<[u8]>::trim_ascii_start);
    let begins = |line: &[u8], words: &[&str]| words.iter().any(|word| line.starts_with_str(word));
    lines.any(|line| begins(line, &["%", "function ", "function[", "classdef "]))
        && !text[..text.len().min(MAX_HEAD)].lines().any(|line| {
            begins(line, &["#import", "#include", "@interface", "@implementation", "//"])
        })
}
