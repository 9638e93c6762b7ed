//! The configuration in the form in which entries are judged.

use std::{fs, path::PathBuf, sync::OnceLock};

use crate::{
    config::FilterConfig,
    error::{Error, Problem},
    git,
    ignore_file::{Dialect, ParseOptions},
    overrides::Overrides,
    path_bytes,
    read_file::{missing_is_empty, read_file},
    rule_files::RuleFilesPresent,
    rules::RuleSet,
};

#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) config: FilterConfig,
    /// The current directory, without a slash at the end.
    pub(crate) cwd: Vec<u8>,
    pub(crate) overrides: Overrides,
    /// The files of `--ignore-file`, the weakest first, and their rules.
    pub(crate) ignore_files: Vec<(PathBuf, RuleSet)>,
    /// The user's global excludes file, read for the first root: a run that walks no directory
    /// reads nothing of git's configuration.
    global: OnceLock<Option<(PathBuf, RuleSet)>>,
    /// The rule files that have an effect with this configuration.
    pub(crate) honoured: RuleFilesPresent,
}

impl Compiled {
    /// Compiles globs and reads the rule files that `config` names. Returns the mistakes in these
    /// as well.
    pub(crate) fn new(config: FilterConfig) -> Result<(Compiled, Vec<Problem>), Error> {
        let overrides = Overrides::new(&config.globs)?;
        let mut problems = Vec::new();
        let mut ignore_files = Vec::new();
        for path in &config.ignore_files {
            match fs::read(config.cwd.join(path)) {
                Ok(source) => {
                    // Case-sensitive in any case, as in ripgrep.
                    let options = ParseOptions::file(Dialect::Ripgrep, false);
                    let rules = RuleSet::parse(&source, options);
                    problems.extend(rules.problems_in(path));
                    ignore_files.push((path.clone(), rules));
                }
                Err(error) => problems.push(Problem::unreadable(path.clone(), &error)),
            }
        }
        ignore_files.retain(|(_, rules)| !rules.is_empty());
        let compiled = Compiled {
            cwd: path_bytes::with_slashes(&config.cwd),
            honoured: honoured(&config),
            config,
            overrides,
            ignore_files,
            global: OnceLock::new(),
        };
        Ok((compiled, problems))
    }

    /// Reads the user's global excludes file, unless that has happened.
    pub(crate) fn read_global(&self, problems: &mut Vec<Problem>) {
        self.global.get_or_init(|| {
            let is_wanted = self.config.vcs && self.config.global;
            is_wanted.then(|| read_global(&self.config, problems)).flatten()
        });
    }

    /// Returns the user's global excludes file and its rules, if it has any.
    pub(crate) fn global(&self) -> Option<&(PathBuf, RuleSet)> {
        self.global.get().and_then(Option::as_ref)
    }

    /// Whether globs or types may reject an entry that no rule mentions.
    pub(crate) fn has_choices(&self) -> bool {
        // A glob that includes but can never match leaves no rule, and rejects every file.
        self.overrides.includes || !self.overrides.runs.is_empty() || !self.config.types.is_empty()
    }

    /// Whether a set of rules may need names and paths in lower case.
    pub(crate) fn case_insensitive(&self) -> bool {
        self.config.ignore_case || self.overrides.runs.iter().any(RuleSet::case_insensitive)
    }

    /// Whether every entry is wanted.
    pub(crate) fn wants_everything(&self) -> bool {
        self.config.hidden
            && self.honoured.is_empty()
            && self.ignore_files.is_empty()
            && !self.has_choices()
    }
}

fn honoured(config: &FilterConfig) -> RuleFilesPresent {
    let mut honoured = RuleFilesPresent::default();
    if config.dot {
        honoured = honoured.or(RuleFilesPresent::RGIGNORE.or(RuleFilesPresent::IGNORE));
    }
    if config.vcs {
        honoured = honoured.or(RuleFilesPresent::GITIGNORE);
        honoured = honoured.or(RuleFilesPresent::GIT.or(RuleFilesPresent::JJ));
    }
    honoured
}

fn read_global(config: &FilterConfig, problems: &mut Vec<Problem>) -> Option<(PathBuf, RuleSet)> {
    let path = config.cwd.join(git::global_excludes(&config.environment)?);
    let mut source = Vec::new();
    let result = fs::metadata(&path).and_then(|metadata| read_file(&path, &metadata, &mut source));
    if let Err(error) = missing_is_empty(result, &mut source) {
        problems.push(Problem::unreadable(path.clone(), &error));
    }
    let rules = RuleSet::parse(&source, ParseOptions::file(Dialect::Git, config.ignore_case));
    (!rules.is_empty()).then_some((path, rules))
}
