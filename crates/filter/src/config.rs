//! What the caller decides about a filter.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use crate::{
    git::{config_file::boolean, environment::variables},
    types::TypeSelection,
};

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
    /// Accept entries with a leading dot in their name.
    pub hidden: bool,
    /// Accept them except what belongs to version control, such as `.git`.
    pub dotfiles: bool,
    /// Apply `.ignore` and `.rgignore` files.
    pub dot: bool,
    /// Apply `.gitignore` files. Without it, the next two have no effect.
    pub vcs: bool,
    /// Apply `.git/info/exclude`.
    pub exclude: bool,
    /// Apply the user's global excludes file (`core.excludesFile`).
    pub global: bool,
    /// Apply the rule files in the directories above a root.
    pub parents: bool,
    /// Apply git's rule files only inside a repository.
    pub require_git: bool,
    /// Match the rules in rule files, but not in `ignore_files`, without regard to case (ripgrep
    /// does the same). Otherwise git's rules do so where its `core.ignoreCase` is set.
    pub ignore_case: bool,
    /// Further rule files (`--ignore-file`), which every other rule outranks. Later ones outrank
    /// earlier ones.
    pub ignore_files: Vec<PathBuf>,
    /// Command-line globs (`-g`, then `--iglob`). Later ones outrank earlier ones.
    pub globs: Vec<Glob>,
    /// If there are any, only files that match one of these, or lie in a directory that does, are
    /// wanted (`--only`). Like `except`, they never make an entry wanted. If one is to be matched
    /// without regard to case, all are.
    pub only: Vec<Glob>,
    /// Entries that match any of these are unwanted (`--exclude`).
    pub except: Vec<Glob>,
    /// The roots that are walked, if they are known: a glob with a slash in `only` or `except` is
    /// relative to them if it could match nothing below them otherwise.
    pub roots: Vec<PathBuf>,
    /// The file types that are selected or excluded.
    pub types: TypeSelection,
    /// How git's index matters.
    pub tracking: Tracking,
    /// Where git's configuration is.
    pub environment: Environment,
    /// Whether rule files above a root count only if they are in their directories, and not links
    /// that lead out of them.
    pub confined: bool,
    /// Whether rules have [fingerprints](crate::Scope::fingerprint).
    pub fingerprints: bool,
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

/// How git's index matters, which lists the files that a repository tracks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tracking {
    /// Not at all.
    #[default]
    Disregarded,
    /// Only tracked files are wanted, even if git's ignore rules match them or they are hidden.
    Only,
    /// Tracked files are wanted likewise, and untracked ones that the other rules accept.
    OrUnignored,
}

/// One command-line glob.
#[derive(Clone, Debug)]
pub struct Glob {
    /// The glob as typed, with its `!` if it excludes.
    pub text: String,
    /// Match without regard to case.
    pub ignore_case: bool,
}

/// What environment variables decide about git's configuration. `home`, `xdg_config_home` and
/// `app_data` count as unset if they are empty; a configuration file with an empty path does not
/// exist.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// `HOME`; on Windows, what Git for Windows takes for it.
    pub home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`.
    pub xdg_config_home: Option<PathBuf>,
    /// `GIT_CONFIG_GLOBAL`.
    pub git_config_global: Option<PathBuf>,
    /// `GIT_CONFIG_SYSTEM`.
    pub git_config_system: Option<PathBuf>,
    /// Whether `GIT_CONFIG_NOSYSTEM` is true.
    pub git_config_nosystem: bool,
    /// Whether `GIT_ATTR_NOSYSTEM` is true.
    pub git_attr_nosystem: bool,
    /// The variables that `GIT_CONFIG_COUNT` counts, and after them those from `git -c`, which git
    /// passes on in `GIT_CONFIG_PARAMETERS`: names such as `core.excludesFile`, and values. They
    /// outrank all files.
    pub git_config_variables: Vec<(Vec<u8>, Option<Vec<u8>>)>,
    /// `APPDATA`, on Windows only.
    pub app_data: Option<PathBuf>,
    /// Where Git for Windows is installed. `etc\gitconfig` below it is the system's configuration.
    pub git_installation: Option<PathBuf>,
}

impl Environment {
    /// Reads the variables with `variable`, which returns a variable's value by its name.
    ///
    /// ```
    /// use heist_filter::Environment;
    ///
    /// let environment = Environment::from_variables(|name| std::env::var_os(name));
    /// if std::env::var_os("HOME").is_some() {
    ///     assert!(environment.home.is_some());
    /// }
    /// ```
    pub fn from_variables(variable: impl Fn(&str) -> Option<OsString>) -> Environment {
        let path = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let is_true = |name: &str| {
            variable(name).is_some_and(|value| boolean(value.as_encoded_bytes()) == Some(true))
        };
        let mut environment = Environment {
            home: path("HOME"),
            xdg_config_home: path("XDG_CONFIG_HOME"),
            git_config_global: variable("GIT_CONFIG_GLOBAL").map(PathBuf::from),
            git_config_system: variable("GIT_CONFIG_SYSTEM").map(PathBuf::from),
            git_config_nosystem: is_true("GIT_CONFIG_NOSYSTEM"),
            git_attr_nosystem: is_true("GIT_ATTR_NOSYSTEM"),
            git_config_variables: variables(&variable),
            ..Environment::default()
        };
        if cfg!(windows) {
            environment.add_windows(path, Path::is_dir);
        }
        environment
    }

    /// Adds what Git for Windows finds by Windows' variables. A home on a share may be out of
    /// reach, so its directory must exist.
    fn add_windows(
        &mut self,
        variable: impl Fn(&str) -> Option<PathBuf>,
        is_dir: impl Fn(&Path) -> bool,
    ) {
        let share = || {
            let mut home = variable("HOMEDRIVE")?.into_os_string();
            home.push(variable("HOMEPATH")?);
            Some(PathBuf::from(home)).filter(|home| is_dir(home))
        };
        self.home = self.home.take().or_else(share).or_else(|| variable("USERPROFILE"));
        self.app_data = variable("APPDATA");
        // For all users, also as a 32-bit program sees them, and for one user.
        let places = [("ProgramW6432", ""), ("ProgramFiles", ""), ("LOCALAPPDATA", "Programs")];
        let mut installations = places
            .into_iter()
            .filter_map(|(name, below)| Some(variable(name)?.join(below).join("Git")));
        self.git_installation = installations.find(|place| is_dir(&place.join("etc")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Windows' environment with these variables, where these directories exist.
    fn windows(variables: &[(&str, &str)], dirs: &[&str]) -> Environment {
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
        };
        let mut environment = Environment { home: variable("HOME"), ..Environment::default() };
        environment.add_windows(variable, |dir| dirs.iter().any(|known| dir == Path::new(known)));
        environment
    }

    #[test]
    fn home_is_that_of_git_for_windows() {
        let home = ("HOME", "/home");
        let share = [("HOMEDRIVE", "H:"), ("HOMEPATH", "/me")];
        let profile = ("USERPROFILE", "/users/me");
        for (variables, expected) in [
            (&[home, share[0], share[1], profile][..], Some("/home")),
            (&[share[0], share[1], profile], Some("H:/me")),
            (&[share[0], profile], Some("/users/me")),
            (&[profile], Some("/users/me")),
            (&[], None),
        ] {
            let found = windows(variables, &["H:/me"]).home;
            assert_eq!(found.as_deref(), expected.map(Path::new), "{variables:?}");
        }
        let found = windows(&[share[0], share[1], profile], &[]).home;
        assert_eq!(found.as_deref(), Some(Path::new("/users/me")), "the share is out of reach");
    }

    #[test]
    fn the_installation_of_git_is_found_for_all_users_and_for_one() {
        let all = ("ProgramFiles", "/programs");
        let one = ("LOCALAPPDATA", "/local");
        let found = |dirs: &[&str]| windows(&[all, one, ("APPDATA", "/roaming")], dirs);
        let (for_all, for_one) = ("/programs/Git/etc", "/local/Programs/Git/etc");
        for (dirs, expected) in [
            (&[for_all, for_one][..], Some("/programs/Git")),
            (&[for_one], Some("/local/Programs/Git")),
            (&[], None),
        ] {
            assert_eq!(found(dirs).git_installation.as_deref(), expected.map(Path::new));
        }
        assert_eq!(found(&[]).app_data.as_deref(), Some(Path::new("/roaming")));
    }
}
