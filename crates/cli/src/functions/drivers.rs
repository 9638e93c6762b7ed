//! The drivers that git's attributes name, and the function lines that its configuration has for
//! them: `*.inc diff=php` in `.gitattributes`, and `diff.php.xfuncname`.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use bstr::ByteSlice;
use heist_filter::{DiffDriver, Environment, FunctionName, GitAttributes, Problem};
use heist_matcher::MatcherConfig;
use heist_searcher::FunctionLines;

use super::posix;
use crate::{run::haystack::STDIN_NAME, texts::messages::Messages};

/// How many bytes a driver's regexes may have. Git's own have two thousand.
const MAX_REGEX_BYTES: usize = 16 << 10;

/// How many drivers' regexes are compiled: anyone may have put a configuration into a tree.
const MAX_COMPILED: usize = 50;

/// How many bytes a driver's compiled regexes may take, and a worker's caches for them.
const MAX_COMPILED_BYTES: usize = 4 << 20;

/// Finds the drivers that files have.
pub(crate) struct Drivers {
    cwd: PathBuf,
    attributes: GitAttributes,
    /// The function lines by what the configuration has; `None` if that cannot be used.
    compiled: Mutex<HashMap<Regexes, Option<Arc<FunctionLines>>>>,
    messages: Messages,
}

/// A driver's regexes, and whether they are extended ones.
type Regexes = (Vec<u8>, bool);

impl Drivers {
    /// Finds drivers for files relative to `cwd`, where `environment` places the user's files. With
    /// `confined`, links that lead out of a repository are not followed. Nothing is read before the
    /// first file; problems are reported as `messages` states.
    pub(crate) fn new(
        cwd: &Path,
        environment: Environment,
        confined: bool,
        messages: Messages,
    ) -> Drivers {
        let attributes = GitAttributes::new(environment, confined);
        Drivers { cwd: cwd.to_owned(), attributes, compiled: Mutex::default(), messages }
    }

    /// Returns how git recognises functions in the file at `path`.
    pub(super) fn of(&self, path: &[u8]) -> DiffDriver {
        if path == STDIN_NAME {
            return DiffDriver::default();
        }
        let driver = self.attributes.diff(&self.cwd.join(path.to_path_lossy()));
        for problem in self.attributes.take_problems() {
            self.report(problem);
        }
        driver.unwrap_or_default()
    }

    /// Returns the function lines that the configuration has, compiled as `matcher` states; `None`
    /// if they cannot be used, which is reported once.
    pub(super) fn lines(
        &self,
        name: Option<&FunctionName>,
        matcher: &MatcherConfig,
    ) -> Option<Arc<FunctionLines>> {
        let name = name?;
        let regexes = (name.patterns.clone(), name.is_extended);
        // No code panics while the lock is held.
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = compiled.get(&regexes) {
            return known.clone();
        }
        let result = match compiled.len() {
            ..MAX_COMPILED => compile(name, matcher),
            MAX_COMPILED => Err(format!("more than {MAX_COMPILED} drivers with regexes")),
            _ => return None,
        };
        let lines = result.map_err(|reason| self.report_regexes(name, &reason)).ok().map(Arc::new);
        compiled.insert(regexes, lines.clone());
        lines
    }

    /// Reports why the regexes in `name` are not used.
    fn report_regexes(&self, name: &FunctionName, reason: &str) {
        let path = name.file.clone().unwrap_or_else(|| "the environment".into());
        let message = format!("{}: {reason}; not used", name.variable);
        self.report(Problem { path, line: None, message, is_failure: false });
    }

    /// Reports a problem, with a path that is relative if it can be.
    fn report(&self, mut problem: Problem) {
        if let Ok(below) = problem.path.strip_prefix(&self.cwd) {
            problem.path = below.to_owned();
        }
        self.messages.ignore_problem(&problem);
    }
}

/// Compiles a driver's regexes.
///
/// # Errors
/// The reason why they cannot be used.
fn compile(name: &FunctionName, matcher: &MatcherConfig) -> Result<FunctionLines, String> {
    if name.patterns.len() > MAX_REGEX_BYTES {
        return Err(format!("longer than {} KiB", MAX_REGEX_BYTES >> 10));
    }
    let text = str::from_utf8(&name.patterns).map_err(|_| "not UTF-8".to_owned())?;
    // Neighbours that mean the same are one step.
    let mut steps: Vec<(Vec<String>, bool)> = Vec::new();
    for (line, number) in text.split('\n').zip(1..) {
        let (regex, begins) = line.strip_prefix('!').map_or((line, true), |regex| (regex, false));
        // The regex is not quoted: a configuration can include any file.
        let regex = posix::translate(regex, name.is_extended)
            .map_err(|reason| format!("regex {number}: {reason}"))?;
        match steps.last_mut() {
            Some((regexes, known)) if *known == begins => regexes.push(regex),
            _ => steps.push((vec![regex], begins)),
        }
    }
    if steps.last().is_some_and(|(_, begins)| !begins) {
        return Err("the last regex begins with '!'".to_owned());
    }
    let matcher = MatcherConfig {
        unicode: true,
        size_limit: MAX_COMPILED_BYTES,
        dfa_size_limit: MAX_COMPILED_BYTES,
        ..matcher.clone()
    };
    FunctionLines::in_steps(&steps, &matcher)
        .map_err(|_| format!("larger than {} MiB once compiled", MAX_COMPILED_BYTES >> 20))
}

#[cfg(test)]
mod tests {
    use heist_matcher::Matcher;

    use super::*;

    fn name(patterns: &str, is_extended: bool) -> FunctionName {
        let variable = "diff.a.xfuncname".to_owned();
        FunctionName { patterns: patterns.into(), is_extended, variable, file: None }
    }

    /// Whether a driver's steps, and not only one regex, take a line for a function line.
    fn is_function(patterns: &str, line: &str) -> bool {
        let lines = compile(&name(patterns, true), &MatcherConfig::default()).unwrap();
        lines.is_function_line(line.as_bytes())
    }

    #[test]
    fn the_first_regex_that_matches_decides() {
        for (patterns, line, expected) in [
            ("a", "a", true),
            ("a", "b", false),
            ("!b\na", "ab", false),
            ("!b\na", "a", true),
            ("!b\na", "b", false),
            ("a\n!b\nc", "ab", true),
            ("a\n!b\nc", "bc", false),
            ("a\n!b\nc", "c", true),
            ("a\nb\n!c\n!d\ne", "de", false),
            ("a\nb\n!c\n!d\ne", "bd", true),
            ("a\n", "b", true),
            ("!\na", "a", false),
            ("!!\na", "a!", false),
        ] {
            assert_eq!(is_function(patterns, line), expected, "{patterns:?} {line}");
        }
    }

    #[test]
    fn what_cannot_be_used_has_a_reason() {
        let deep = "(".repeat(5000);
        let long = "a".repeat(MAX_REGEX_BYTES + 1);
        let large = r"\w{1000}{1000}";
        for (patterns, reason) in [
            ("a\n!b", "the last regex begins with '!'"),
            ("(a", "regex 1: a group that is not closed"),
            ("b\n!(a)\\1\nc", "regex 2: a back-reference"),
            (&deep, "nested more than 100 deep"),
            (&long, "longer than 16 KiB"),
            (large, "larger than 4 MiB once compiled"),
        ] {
            let error = compile(&name(patterns, true), &MatcherConfig::default()).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
        let latin = FunctionName { patterns: b"\xe9".to_vec(), ..name("", true) };
        assert_eq!(compile(&latin, &MatcherConfig::default()).unwrap_err(), "not UTF-8");
    }

    #[test]
    fn regexes_match_what_those_of_git_match() {
        // Answers of git with the GNU C library: an extended regex, a basic one, lines that match
        // and lines that do not. `None` is an error.
        type Lines = Option<(&'static [&'static str], &'static [&'static str])>;
        let cases: &[(bool, &str, Lines)] = &[
            (true, "^[[:space:]]*(def|class)[ \\t]", Some((&["\tdef ", "classt"], &["def\t"]))),
            (true, "a{2}", Some((&["aa"], &["a"]))),
            (true, "^a{,2}$", Some((&["", "aa"], &["aaa"]))),
            (true, "^(a+)*?b$", Some((&["b", "aab"], &["ac"]))),
            (true, "a)", Some((&["a)"], &["a"]))),
            (true, "^()$|b||c", Some((&["", "x"], &[]))),
            (true, r"\d\t\.", Some((&["dt."], &["1\t.", "dtx"]))),
            (true, r"[\w]", Some((&["w", "\\"], &["a"]))),
            (true, r"^[]a-]+$", Some((&["]-a"], &["b"]))),
            (true, r"^[^]a]$", Some((&["b"], &["]", "a"]))),
            (true, r"^[[.a.][=b=][:digit:]&&~-]$", Some((&["a", "b", "1", "&", "-"], &[":", "["]))),
            (true, r"^[+--]$", Some((&["+", ",", "-"], &["."]))),
            (true, r"\<a\>", Some((&["b a", "a-b"], &["ab", "ba"]))),
            (true, r"\`a\'", Some((&["a"], &["aa"]))),
            (true, r"^\W\S\s\w$", Some((&["-a a"], &["aa a"]))),
            (true, "x^a|b$c", Some((&[], &["x^a", "b$c"]))),
            (true, "é[[:alpha:]]", Some((&["éé"], &["é1"]))),
            (true, "#.*~", Some((&["# ~"], &["#"]))),
            (false, r"^\(a\|b\)\+c\?$", Some((&["abc", "a"], &["c"]))),
            (false, "a|b(c)+{1}?", Some((&["a|b(c)+{1}?"], &["a"]))),
            (false, r"^*a\{2,3\}$", Some((&["*aa", "*aaa"], &["aa", "*a"]))),
            (false, r"\(*a\)\|\+b", Some((&["*a", "+b"], &["a", "b"]))),
            (false, "a^b$c", Some((&["a^b$c"], &["a"]))),
            (false, r"\(^a$\)", Some((&["a"], &["ab"]))),
            (false, r"a\{,1\}$", Some((&["", "a"], &[]))),
            (true, "*a", None),
            (true, "a|*b", None),
            (true, "^*", None),
            (true, "(+a)", None),
            (true, "a{", None),
            (true, "a{x}", None),
            (true, "a{2,1}", None),
            (true, "a{99999}", None),
            (true, "[a-c-e]", None),
            (true, "[b-a]", None),
            (true, "[[:foo:]]", None),
            (true, "[a", None),
            (true, "[[:a]", None),
            (true, "a\\", None),
            (false, r"\(a", None),
            (false, r"a\)", None),
            (false, r"\{1\}", None),
            (false, "a**", None),
        ];
        for (is_extended, regex, expected) in cases {
            let translated = posix::translate(regex, *is_extended);
            let Some((matching, others)) = expected else {
                assert!(translated.is_err(), "{regex}: {translated:?}");
                continue;
            };
            let translated = translated.unwrap_or_else(|error| panic!("{regex}: {error}"));
            let matcher = Matcher::new([&translated], &MatcherConfig::default()).unwrap();
            for (lines, expected) in [(matching, true), (others, false)] {
                for line in *lines {
                    let is_match = matcher.finder().is_match(line.as_bytes());
                    assert_eq!(is_match, expected, "{regex} as {translated}: {line:?}");
                }
            }
        }
    }
}
