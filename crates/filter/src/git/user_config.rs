//! The user's and the system's configuration, and what a repository's own makes of it.

use std::{
    fs, io, iter,
    path::{Path, PathBuf},
};

use super::{
    config_file::{Setting, Settings},
    evaluation::{ConfigFile, Core, GitDir, Sources, expand_home, real_path},
    repository::{named_git_dir, read_in_repository},
};
use crate::{
    config::Environment,
    read_file::{ReadFile, read_file},
};

/// The user's git configuration, as far as it concerns ignore rules and attributes.
#[derive(Debug, Default)]
pub(crate) struct UserConfig {
    /// The excludes file's path outside repositories, which need not exist.
    pub(crate) excludes_file: Option<PathBuf>,
    /// Whether rules match without regard to case where the repository does not set this.
    pub(crate) ignore_case: bool,
    home: Option<PathBuf>,
    /// The excludes file if no configuration names one.
    usual_excludes_file: Option<PathBuf>,
    /// The attributes file if no configuration names one.
    usual_attributes_file: Option<PathBuf>,
    /// The system's attributes file.
    system_attributes_file: Option<PathBuf>,
    /// The system's files and the user's, in this order.
    files: Vec<ConfigFile>,
    variables: Vec<Setting>,
    /// What the variables decide, whatever a repository sets.
    fixed: Core,
    /// Whether the configuration depends on the repository even if that sets nothing.
    is_conditional: bool,
}

/// What the configuration decides about one repository's ignore rules.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RepositoryConfig {
    /// Whether they match without regard to case.
    pub(crate) ignore_case: bool,
    pub(crate) excludes: OwnExcludes,
}

/// Which excludes file applies in a repository.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum OwnExcludes {
    /// The user's.
    Usual,
    /// Another one, or none. The file need not exist.
    Other(Option<PathBuf>),
}

impl UserConfig {
    /// Reads the user's and the system's configuration.
    pub(crate) fn read(environment: &Environment) -> UserConfig {
        let set = |path: &Option<PathBuf>| path.clone().filter(|path| !path.as_os_str().is_empty());
        let home = set(&environment.home);
        let system = match &environment.git_config_system {
            _ if environment.git_config_nosystem => None,
            Some(path) => Some(ConfigPath::Named(path.clone())),
            None => system_file(environment, "gitconfig").map(ConfigPath::Usual),
        };
        // A file that a variable names replaces the user's two.
        let global = match &environment.git_config_global {
            Some(path) => [Some(ConfigPath::Named(path.clone())), None],
            None => [
                user_file(environment, "config").map(ConfigPath::Usual),
                home.as_ref().map(|home| ConfigPath::Usual(home.join(".gitconfig"))),
            ],
        };
        let places = iter::once(system).chain(global).flatten();
        let mut user = UserConfig {
            usual_excludes_file: user_file(environment, "ignore"),
            usual_attributes_file: user_file(environment, "attributes"),
            system_attributes_file: system_file(environment, "gitattributes")
                .filter(|_| !environment.git_attr_nosystem),
            files: places.filter_map(|place| place.read().ok()).collect(),
            variables: environment.git_config_variables.iter().filter_map(setting).collect(),
            home,
            ..UserConfig::default()
        };
        let files: Vec<_> = user.files.iter().collect();
        let (core, is_conditional) = user.sources(&files, None).evaluate();
        user.fixed = user.sources(&[], None).evaluate().0;
        user.ignore_case = core.ignore_case == Some(true);
        user.excludes_file = user.path_of(core);
        // In a repository, a relative path is relative to its top.
        let is_relative = user.excludes_file.as_ref().is_some_and(|path| !path.has_root());
        user.is_conditional = is_conditional || is_relative;
        user
    }

    fn sources<'a>(
        &'a self,
        files: &'a [&'a ConfigFile],
        git_dir: Option<&'a GitDir>,
    ) -> Sources<'a> {
        let UserConfig { variables, home, .. } = self;
        Sources { files, variables, home: home.as_deref(), git_dir }
    }

    /// The excludes file's path.
    fn path_of(&self, core: Core) -> Option<PathBuf> {
        let path = match core.excludes_file {
            Some(value) => Some(expand_home(&value, self.home.as_deref())),
            None => self.usual_excludes_file.clone(),
        };
        path.filter(|path| !path.as_os_str().is_empty())
    }

    /// Returns the configuration in a repository. `files` reads from its top directory. `top`
    /// returns that one's absolute path.
    ///
    /// Nearly every repository sets neither an excludes file nor includes any: its `config` is read
    /// and nothing else.
    pub(crate) fn in_repository(
        &self,
        files: &mut dyn ReadFile,
        buffer: &mut Vec<u8>,
        top: &dyn Fn() -> PathBuf,
    ) -> RepositoryConfig {
        // Git reports a configuration that cannot be read.
        let (config_path, _) = read_in_repository(files, "config", buffer);
        let mut ignore_case = None;
        let mut is_plain = !self.is_conditional;
        let mut has_worktree_config = false;
        for setting in Settings::of(buffer) {
            match setting {
                Setting::IgnoreCase(value) => ignore_case = Some(value),
                Setting::WorktreeConfig(value) => has_worktree_config = value,
                Setting::RemoteUrl(_)
                | Setting::Bare(_)
                | Setting::Worktree(_)
                | Setting::AttributesFile(_)
                | Setting::FunctionName { .. } => {}
                _ => is_plain = false,
            }
        }
        if is_plain && !has_worktree_config {
            let ignore_case = self.fixed.ignore_case.or(ignore_case).unwrap_or(self.ignore_case);
            return RepositoryConfig { ignore_case, excludes: OwnExcludes::Usual };
        }
        let top = top();
        let core = self.core_in(files, buffer, &top, config_path, has_worktree_config);
        let ignore_case = core.ignore_case == Some(true);
        let path = self.path_of(core).map(|path| top.join(path));
        let is_usual = path == self.excludes_file;
        let excludes = if is_usual { OwnExcludes::Usual } else { OwnExcludes::Other(path) };
        RepositoryConfig { ignore_case, excludes }
    }

    /// Evaluates the whole configuration in the repository at `top`. The repository's own is in
    /// `buffer`.
    fn core_in(
        &self,
        files: &mut dyn ReadFile,
        buffer: &mut Vec<u8>,
        top: &Path,
        config_path: Option<PathBuf>,
        has_worktree_config: bool,
    ) -> Core {
        let config_path = config_path.unwrap_or_else(|| ".git/config".into());
        let config = ConfigFile { path: top.join(config_path), contents: buffer.clone() };
        let git_dir = named_git_dir(files, buffer).unwrap_or_else(|| ".git".into());
        let path = top.join(git_dir);
        let has_head = !files.leads_out(c".git/HEAD");
        let git_dir = GitDir { real_path: real_path(&path), path, has_head };
        let worktree = (has_worktree_config && !files.leads_out(c".git/config.worktree"))
            .then(|| ConfigPath::Usual(git_dir.path.join("config.worktree")).read().ok())
            .flatten();
        let files: Vec<_> = self.files.iter().chain([&config]).chain(&worktree).collect();
        self.sources(&files, Some(&git_dir)).evaluate().0
    }

    /// Evaluates the whole configuration in the repository at `top`, for its attributes.
    pub(crate) fn attributes_in(
        &self,
        files: &mut dyn ReadFile,
        buffer: &mut Vec<u8>,
        top: &Path,
    ) -> Core {
        let (config_path, _) = read_in_repository(files, "config", buffer);
        let is_own = |setting| matches!(setting, Setting::WorktreeConfig(true));
        let has_worktree_config = Settings::of(buffer).any(is_own);
        self.core_in(files, buffer, top, config_path, has_worktree_config)
    }

    /// The paths to the system's and the user's attributes, which need not exist.
    pub(crate) fn attributes_files(&self, core: &Core, top: &Path) -> [Option<PathBuf>; 2] {
        let user = match &core.attributes_file {
            Some(value) => Some(top.join(expand_home(value, self.home.as_deref()))),
            None => self.usual_attributes_file.clone(),
        };
        [self.system_attributes_file.clone(), user]
    }
}

/// The setting that a variable from the environment makes.
fn setting((name, value): &(Vec<u8>, Option<Vec<u8>>)) -> Option<Setting> {
    Setting::named(name, value.clone())
}

/// The path of one of the user's git files. Git for Windows looks into `%APPDATA%\Git` too, and
/// prefers what exists there.
fn user_file(environment: &Environment, name: &str) -> Option<PathBuf> {
    let set = |path: &Option<PathBuf>| path.clone().filter(|path| !path.as_os_str().is_empty());
    if let Some(xdg) = set(&environment.xdg_config_home) {
        return Some(xdg.join("git").join(name));
    }
    let roaming = set(&environment.app_data).map(|data| data.join("Git").join(name));
    roaming
        .filter(|path| path.exists())
        .or_else(|| Some(set(&environment.home)?.join(".config").join("git").join(name)))
}

/// The path of one of the system's git files. On Windows it belongs to the installation: a file
/// such as `C:\etc\gitconfig` could be another user's.
fn system_file(environment: &Environment, name: &str) -> Option<PathBuf> {
    if cfg!(windows) {
        return Some(environment.git_installation.as_ref()?.join("etc").join(name));
    }
    Some(Path::new("/etc").join(name))
}

/// The path of a file that may hold git's configuration.
enum ConfigPath {
    /// Named by a variable, so that it may be a pipe.
    Named(PathBuf),
    /// At a usual place.
    Usual(PathBuf),
}

impl ConfigPath {
    fn read(self) -> io::Result<ConfigFile> {
        let mut contents = Vec::new();
        let path = match self {
            ConfigPath::Named(path) => {
                contents = fs::read(&path)?;
                path
            }
            ConfigPath::Usual(path) => {
                read_file(&path, &fs::metadata(&path)?, &mut contents)?;
                path
            }
        };
        Ok(ConfigFile { path, contents })
    }
}
