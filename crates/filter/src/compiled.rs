//! The configuration in the form in which entries are judged.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use crate::{
    config::{FilterConfig, Tracking},
    error::{Error, Problem},
    fingerprint::Fingerprint,
    git::UserConfig,
    glob::LetterCase,
    ignore_file::{Dialect, ParseOptions},
    narrowing::Narrowing,
    overrides::Overrides,
    path_bytes,
    read_file::{missing_is_empty, read_file},
    rule_files::RuleFilesPresent,
    rules::RuleSet,
};

/// A configuration with its globs compiled.
#[derive(Debug)]
pub(crate) struct CompiledConfig {
    pub(crate) config: FilterConfig,
    /// The current directory, without a slash at the end.
    pub(crate) cwd: Vec<u8>,
    pub(crate) overrides: Overrides,
    /// The globs for `--only` and `--exclude`, if there are any.
    pub(crate) narrowing: Option<Narrowing>,
    /// The files that `--ignore-file` names, the weakest first, and their rules.
    pub(crate) ignore_files: Vec<(PathBuf, RuleSet)>,
    /// The user's git configuration, read for the first root: a run that walks no directory does
    /// not read it.
    user: OnceLock<User>,
    fingerprint: OnceLock<Option<Fingerprint>>,
    /// The rule files that have an effect with this configuration.
    pub(crate) honoured: RuleFilesPresent,
}

/// What the user's git configuration decides.
#[derive(Debug, Default)]
struct User {
    config: UserConfig,
    global: Option<Global>,
    /// What is wrong with the global excludes file.
    problems: Vec<Problem>,
    /// Whether the problems were reported.
    is_reported: AtomicBool,
}

/// The user's global excludes file.
#[derive(Debug)]
struct Global {
    path: PathBuf,
    rules: RuleSet,
    /// The rules parsed again without regard to case, for repositories that require it.
    folded: OnceLock<RuleSet>,
}

impl CompiledConfig {
    /// Compiles globs and reads the rule files that `config` names. Returns the mistakes in these
    /// as well.
    pub(crate) fn new(config: FilterConfig) -> Result<(CompiledConfig, Vec<Problem>), Error> {
        let overrides = Overrides::new(&config.globs)?;
        let narrowing = Narrowing::new(&config)?;
        let mut problems = Vec::new();
        let mut ignore_files = Vec::new();
        for path in &config.ignore_files {
            match fs::read(config.cwd.join(path)) {
                Ok(source) => {
                    // Case-sensitive in any case, as in ripgrep.
                    let options = ParseOptions::file(Dialect::Ripgrep, LetterCase::Exact);
                    let rules = RuleSet::parse(&source, options);
                    problems.extend(rules.problems_in(path));
                    ignore_files.push((path.clone(), rules));
                }
                Err(error) => {
                    let problem = Problem::unreadable(path.clone(), &error);
                    problems.push(Problem { is_failure: true, ..problem });
                }
            }
        }
        ignore_files.retain(|(_, rules)| !rules.is_empty());
        let compiled = CompiledConfig {
            cwd: path_bytes::with_slashes(&config.cwd),
            honoured: honoured(&config),
            config,
            overrides,
            narrowing,
            ignore_files,
            user: OnceLock::new(),
            fingerprint: OnceLock::new(),
        };
        Ok((compiled, problems))
    }

    /// Reads the user's git configuration, unless that has happened.
    pub(crate) fn read_user(&self) {
        self.user.get_or_init(|| {
            if !self.config.vcs {
                return User::default();
            }
            let config = UserConfig::read(&self.config.environment);
            let path = config.excludes_file.as_ref().filter(|_| self.config.global);
            let mut problems = Vec::new();
            let global = path.and_then(|path| read_global(path, &self.config, &mut problems));
            User { config, global, problems, is_reported: AtomicBool::new(false) }
        });
    }

    /// Reports what is wrong with the user's global excludes file, unless that has happened, in a
    /// directory in which its rules apply.
    pub(crate) fn report_user(&self, problems: &mut Vec<Problem>) {
        // Ordering: relaxed, as the problems do not change; one thread alone gets `false`.
        if let Some(user) = self.user.get().filter(|user| !user.problems.is_empty())
            && !user.is_reported.swap(true, Relaxed)
        {
            problems.extend_from_slice(&user.problems);
        }
    }

    /// The user's git configuration, once it has been read.
    pub(crate) fn user(&self) -> Option<&UserConfig> {
        Some(&self.user.get()?.config)
    }

    /// Whether git's rules match without regard to case where the repository does not set this.
    pub(crate) fn user_ignore_case(&self) -> bool {
        self.config.ignore_case || self.user().is_some_and(|user| user.ignore_case)
    }

    /// How rules in git's files are parsed where they match without regard to case, or with it.
    pub(crate) fn git_options(&self, ignore_case: bool) -> ParseOptions {
        git_options(&self.config, ignore_case)
    }

    /// Returns the user's global excludes file and its rules, if it has any.
    pub(crate) fn global(&self, ignore_case: bool) -> Option<(&Path, &RuleSet)> {
        let global = self.user.get()?.global.as_ref()?;
        let rules = if ignore_case && !global.rules.case_insensitive() {
            global.folded.get_or_init(|| global.rules.parse_again(self.git_options(true)))
        } else {
            &global.rules
        };
        Some((&global.path, rules))
    }

    /// The fingerprint of what judges everywhere, once the user's configuration has been read;
    /// `None` if there are to be none, or if verdicts depend on how paths were typed or on git's
    /// index.
    pub(crate) fn fingerprint(&self) -> Option<Fingerprint> {
        *self.fingerprint.get_or_init(|| {
            let FilterConfig { hidden, dotfiles, dot, vcs, exclude, .. } = self.config;
            let FilterConfig { global, parents, require_git, ignore_case, .. } = self.config;
            // Outside repositories, global rules are relative to the current directory.
            let is_absolute = require_git || !vcs || !global;
            if !self.config.fingerprints
                || !is_absolute
                || !self.ignore_files.is_empty()
                || self.has_choices()
            {
                return None;
            }
            let flags = [hidden, dotfiles, dot, vcs, exclude, global, parents, require_git];
            let user = (self.user_ignore_case(), ignore_case);
            let rules = self.user.get()?.global.as_ref().map(|global| global.rules.fingerprint());
            Some(Fingerprint::of(&(flags, user, rules)))
        })
    }

    /// Whether globs or types may reject an entry that no rule mentions.
    pub(crate) fn has_choices(&self) -> bool {
        // A glob that includes but can never match leaves no rule, and rejects every file.
        self.overrides.includes
            || !self.overrides.runs.is_empty()
            || !self.config.types.is_empty()
            || self.narrowing.is_some()
            || self.tracks()
    }

    /// Whether git's index matters.
    #[inline]
    pub(crate) fn tracks(&self) -> bool {
        self.config.tracking != Tracking::Disregarded
    }

    /// Whether an entry is hidden by its name, unless a rule mentions it. `ignore_case` is what
    /// git's rules do in its directory.
    #[inline]
    pub(crate) fn hides(&self, name: &[u8], ignore_case: bool) -> bool {
        name.first() == Some(&b'.') && !self.config.hidden && self.hides_dotted(name, ignore_case)
    }

    fn hides_dotted(&self, name: &[u8], ignore_case: bool) -> bool {
        !self.config.dotfiles
            || is_of_version_control(name)
            || ignore_case && is_of_version_control(&name.to_ascii_lowercase())
    }

    /// Whether a rule set may need names and paths in lower case.
    pub(crate) fn case_insensitive(&self) -> bool {
        self.config.ignore_case
            || self.overrides.runs.iter().any(RuleSet::case_insensitive)
            || self.narrowing.as_ref().is_some_and(Narrowing::case_insensitive)
    }

    /// Whether every entry is wanted.
    pub(crate) fn wants_everything(&self) -> bool {
        self.config.hidden
            && self.honoured.is_empty()
            && self.ignore_files.is_empty()
            && !self.has_choices()
    }
}

/// Returns whether a version control system keeps its own data in a directory with this name, or in
/// a file in its place, such as `.git`. All such names begin with a dot.
///
/// ```
/// use heist_filter::is_of_version_control;
///
/// assert!(is_of_version_control(b".git") && is_of_version_control(b".jj"));
/// assert!(!is_of_version_control(b".github"));
/// ```
#[must_use]
pub fn is_of_version_control(name: &[u8]) -> bool {
    matches!(name, b".git" | b".hg" | b".svn" | b".jj" | b".bzr" | b".pijul" | b".sl")
}

fn honoured(config: &FilterConfig) -> RuleFilesPresent {
    let mut honoured = RuleFilesPresent::default();
    if config.dot {
        honoured = honoured.or(RuleFilesPresent::RGIGNORE.or(RuleFilesPresent::IGNORE));
    }
    if config.vcs {
        honoured = honoured.or(RuleFilesPresent::GITIGNORE);
    }
    if config.vcs || config.tracking != Tracking::Disregarded {
        honoured = honoured.or(RuleFilesPresent::GIT.or(RuleFilesPresent::JJ));
    }
    honoured
}

fn read_global(path: &Path, config: &FilterConfig, problems: &mut Vec<Problem>) -> Option<Global> {
    let path = config.cwd.join(path);
    let mut source = Vec::new();
    read_excludes(&path, &mut source, problems);
    let rules = RuleSet::parse(&source, git_options(config, false));
    (!rules.is_empty()).then(|| Global { path, rules, folded: OnceLock::new() })
}

/// Reads the excludes file at `path`, which need not exist, into `into`, which it empties first.
pub(crate) fn read_excludes(path: &Path, into: &mut Vec<u8>, problems: &mut Vec<Problem>) {
    let result = fs::metadata(path).and_then(|metadata| read_file(path, &metadata, into));
    if let Err(error) = missing_is_empty(result, into) {
        into.clear();
        problems.push(Problem::unreadable(path.to_owned(), &error));
    }
}

/// How git's rule files are parsed. With `ignore_case` in the configuration, no letter's case
/// counts; where only a repository's `core.ignoreCase` is set, case is ignored as far as git
/// ignores it.
fn git_options(config: &FilterConfig, ignore_case: bool) -> ParseOptions {
    let case = match ignore_case {
        _ if config.ignore_case => LetterCase::Folded,
        true => LetterCase::FoldedByGit,
        false => LetterCase::Exact,
    };
    ParseOptions::file(Dialect::Git, case)
}
