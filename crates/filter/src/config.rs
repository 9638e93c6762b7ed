//! What the caller decides about a filter.

use std::{ffi::OsString, path::PathBuf};

use crate::types::TypeSelection;

/// Which rules apply. The default applies none, and skips hidden entries.
///
/// The presets are a start; every field can be changed:
///
/// ```
/// use heist_filter::{Environment, Filter, FilterConfig, Glob};
///
/// let config = FilterConfig {
///     globs: vec![Glob { text: "!*.min.js".into(), ignore_case: false }],
///     environment: Environment::from_variables(|name| std::env::var_os(name)),
///     ..FilterConfig::standard(std::env::current_dir()?)
/// };
/// let filter = Filter::new(config)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FilterConfig {
    /// The directory, absolute, that command-line globs and `--ignore-file` rules are relative to.
    pub cwd: PathBuf,
    /// Accept entries whose name begins with a dot.
    pub hidden: bool,
    /// Apply `.ignore` and `.rgignore` files.
    pub dot: bool,
    /// Apply `.gitignore` files. Without it, the next two have no effect.
    pub vcs: bool,
    /// Apply `.git/info/exclude`.
    pub exclude: bool,
    /// Apply the user's global excludes file (`core.excludesFile`).
    pub global: bool,
    /// Apply the rule files of the directories above a root.
    pub parents: bool,
    /// Apply git's rule files only inside a repository.
    pub require_git: bool,
    /// Match the rules of rule files without regard to case, except those of `ignore_files`
    /// (ripgrep does the same).
    pub ignore_case: bool,
    /// Further rule files (`--ignore-file`), which every other rule outranks. Later ones outrank
    /// earlier ones.
    pub ignore_files: Vec<PathBuf>,
    /// Command-line globs (`-g`, then `--iglob`). Later ones outrank earlier ones.
    pub globs: Vec<Glob>,
    /// The file types that are selected or excluded.
    pub types: TypeSelection,
    /// Where git's configuration is.
    pub environment: Environment,
}

impl FilterConfig {
    /// Applies every rule file and skips hidden entries, as `hs` does by default.
    pub fn standard(cwd: impl Into<PathBuf>) -> FilterConfig {
        FilterConfig { dot: true, ..FilterConfig::like_git(cwd) }
    }

    /// Applies git's rule files, in repositories only, and skips hidden entries.
    ///
    /// The user's own `core.excludesFile` is found only if
    /// [`environment`](Self::environment) is set: this crate reads no environment variable.
    pub fn like_git(cwd: impl Into<PathBuf>) -> FilterConfig {
        FilterConfig {
            cwd: cwd.into(),
            vcs: true,
            exclude: true,
            global: true,
            parents: true,
            require_git: true,
            ..FilterConfig::default()
        }
    }

    /// Accepts every entry.
    pub fn everything() -> FilterConfig {
        FilterConfig { hidden: true, ..FilterConfig::default() }
    }
}

/// One command-line glob.
#[derive(Clone, Debug)]
pub struct Glob {
    /// The glob as typed, with its `!` if it excludes.
    pub text: String,
    /// Match without regard to case.
    pub ignore_case: bool,
}

/// The environment variables that locate git's configuration. A variable that is empty counts as
/// unset.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// `HOME`.
    pub home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`.
    pub xdg_config_home: Option<PathBuf>,
    /// `GIT_CONFIG_GLOBAL`.
    pub git_config_global: Option<PathBuf>,
    /// `GIT_CONFIG_SYSTEM`.
    pub git_config_system: Option<PathBuf>,
}

impl Environment {
    /// Reads the variables with `variable`, which returns the value of the one with this name.
    ///
    /// ```
    /// use heist_filter::Environment;
    ///
    /// let environment = Environment::from_variables(|name| std::env::var_os(name));
    /// assert_eq!(environment.home.is_some(), std::env::var_os("HOME").is_some());
    /// ```
    pub fn from_variables(variable: impl Fn(&str) -> Option<OsString>) -> Environment {
        let path = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        Environment {
            home: path("HOME"),
            xdg_config_home: path("XDG_CONFIG_HOME"),
            git_config_global: path("GIT_CONFIG_GLOBAL"),
            git_config_system: path("GIT_CONFIG_SYSTEM"),
        }
    }
}
