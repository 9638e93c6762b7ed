//! Which lines begin functions, by the type of the file: the rules of `--show-function` and
//! `--function-context`. The built-in ones are in `functions/languages.txt`; those of
//! `--function-pattern` are for the types that `--type-list` prints, and replace them.

use std::{
    collections::HashMap,
    fmt,
    path::Path,
    sync::{Arc, OnceLock},
};

use bstr::ByteSlice;
use heist_filter::{PathGlobs, TypeDefinition};
use heist_matcher::MatcherConfig;
use heist_searcher::{FunctionLines, FunctionRules};

use crate::error::Error;

/// The built-in rules.
const LANGUAGES: &str = include_str!("functions/languages.txt");

/// The function lines of files without a language, as in git: lines that begin like a name.
const DEFAULT: &str = "^[A-Za-z_$]";

/// The rules of a run.
pub(crate) struct Functions {
    /// Those of `--function-pattern`, a type each.
    own: Vec<(PathGlobs, Arc<FunctionLines>)>,
    /// The languages, by extension.
    extensions: HashMap<&'static str, usize>,
    languages: Vec<Language>,
    matcher: MatcherConfig,
}

/// A language, whose patterns are compiled when they are needed.
struct Language {
    patterns: Patterns,
    lines: OnceLock<Arc<FunctionLines>>,
}

/// The patterns of function lines, and of lines that are none although they match.
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
    /// The built-in rules, and those for the files of types. Globs with a slash are relative to
    /// `cwd`; patterns are compiled as `matcher` states.
    ///
    /// # Errors
    /// A pattern or a glob is malformed, or all patterns for a type exclude lines.
    pub(crate) fn new(
        own: &[(&TypeDefinition, Patterns)],
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
        let (extensions, languages) = languages();
        let matcher = MatcherConfig { unicode: false, ..matcher.clone() };
        Ok(Functions { own, extensions, languages, matcher })
    }

    /// The function lines of the language with this index.
    fn compiled(&self, language: usize) -> Arc<FunctionLines> {
        let Language { patterns, lines } = &self.languages[language];
        let compile = || patterns.compile(&self.matcher).expect("a test compiles all of them");
        Arc::clone(lines.get_or_init(|| Arc::new(compile())))
    }
}

impl FunctionRules for Functions {
    fn lines_of(&self, path: &[u8]) -> Arc<FunctionLines> {
        let own = path.to_path_lossy();
        if let Some((_, lines)) = self.own.iter().find(|(globs, _)| globs.includes(&own)) {
            return Arc::clone(lines);
        }
        let name = path.rsplit(|&byte| byte == b'/' || byte == b'\\').next().unwrap_or(path);
        let extension = name.rfind_byte(b'.').and_then(|dot| name[dot + 1..].to_str().ok());
        let known = extension.and_then(|extension| self.extensions.get(extension));
        self.compiled(known.copied().unwrap_or(0))
    }
}

/// The built-in languages, and the index of the one for each extension. The first is that of files
/// of no other one.
fn languages() -> (HashMap<&'static str, usize>, Vec<Language>) {
    let mut extensions = HashMap::new();
    let mut patterns = vec![Patterns::default()];
    patterns[0].add(DEFAULT);
    for line in LANGUAGES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(names) = line.strip_prefix("= ") {
            extensions.extend(names.split(' ').map(|name| (name, patterns.len())));
            patterns.push(Patterns::default());
        } else if let Some(last) = patterns.last_mut() {
            last.add(line);
        }
    }
    let lines = OnceLock::new;
    let languages = patterns.into_iter().map(|patterns| Language { patterns, lines: lines() });
    (extensions, languages.collect())
}

#[cfg(test)]
mod tests;
