//! Command-line globs: `-g` and `--iglob`.
//!
//! They are parsed like lines of a rule file in ripgrep's dialect, with the opposite sense: what
//! they match is included, and `!` excludes. A rule set treats case in one way, so globs are kept
//! in runs that agree on it.

use crate::{
    config::Glob,
    error::Error,
    ignore_file::{self, Dialect, ParseOptions},
    rules::RuleSet,
};

/// The command-line globs, compiled.
#[derive(Debug, Default)]
pub(crate) struct Overrides {
    /// Runs of globs that treat case alike, the strongest first.
    pub(crate) runs: Vec<RuleSet>,
    /// Whether a glob includes, so that files which match none are unwanted.
    pub(crate) includes: bool,
}

impl Overrides {
    pub(crate) fn new(globs: &[Glob]) -> Result<Overrides, Error> {
        let mut overrides = Overrides::default();
        for run in globs.chunk_by(|one, next| one.ignore_case == next.ignore_case) {
            let set = overrides.run(run)?;
            if !set.is_empty() {
                overrides.runs.push(set);
            }
        }
        overrides.runs.reverse();
        Ok(overrides)
    }

    fn run(&mut self, globs: &[Glob]) -> Result<RuleSet, Error> {
        let case_insensitive = globs.first().is_some_and(|glob| glob.ignore_case);
        let texts = globs.iter().map(|glob| glob.text.as_str());
        RuleSet::of_globs(texts, ParseOptions::argument(case_insensitive), |source, _, range| {
            let line = ignore_file::line(source, range, 0, Dialect::Ripgrep)?;
            self.includes |= !line.is_whitelist;
            Some(line)
        })
    }
}
