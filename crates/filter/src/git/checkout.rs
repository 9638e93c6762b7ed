//! Directories in a tree that are worktrees of a repository which has another one there, and
//! submodules.
//!
//! ```text
//! proj/.git/                                the repository; proj is its main worktree
//! proj/.git/worktrees/fix/{commondir,gitdir}
//! proj/.claude/worktrees/fix/.git           gitdir: /src/proj/.git/worktrees/fix
//! proj/lib/.git                             gitdir: ../.git/modules/lib
//! ```

use std::{
    ffi::CStr,
    fs,
    path::{Component, Path, PathBuf},
};

use super::config_file::{Setting, Settings};
use crate::{
    path_bytes::path_of,
    read_file::{ByPath, ReadFile},
};

/// Git reads no `.git` file that has more bytes (`read_gitfile_gently`), and neither do we. Its
/// other files in this module have one line each.
const MAX_GIT_FILE_BYTES: u64 = 1 << 20;

/// What the `.git` in a directory makes of it, for a walk that does not want all of a repository's
/// worktrees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checkout {
    /// The directory is a worktree of a repository, and the walk meets another worktree of the same
    /// repository: one that contains the directory, or the main one elsewhere below the root. If
    /// the root is a directory in that worktree, this one has to have the same directory.
    OtherWorktree,
    /// The directory is a submodule: its `.git` is a file that points into `modules` in the
    /// directory of a repository.
    Submodule,
}

impl Checkout {
    /// Returns what the directory at the path `dir` is, which the walk has met at this depth below
    /// a root. `None` if it has no `.git`, or is something else, such as a repository of its own, a
    /// linked worktree of a repository that has no other worktree in the tree, or a worktree of a
    /// bare repository beside others.
    ///
    /// Follows no symbolic link in place of `.git` if `confined` is set.
    ///
    /// ```
    /// use std::fs;
    /// use heist_filter::Checkout;
    ///
    /// let temp = tempfile::tempdir()?;
    /// let fix = temp.path().join("fix");
    /// fs::create_dir_all(temp.path().join(".git/worktrees/fix"))?;
    /// fs::write(temp.path().join(".git/worktrees/fix/commondir"), "../..\n")?;
    /// fs::create_dir(&fix)?;
    /// fs::write(fix.join(".git"), "gitdir: ../.git/worktrees/fix\n")?;
    /// assert_eq!(Checkout::at(&fix, 1, false), Some(Checkout::OtherWorktree));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn at(dir: &Path, depth: usize, confined: bool) -> Option<Checkout> {
        let git = GitDir::of(dir, confined)?;
        let place = Place::new(dir, depth, confined)?;
        if git.is_worktree() && place.has_other_worktree(&git) {
            Some(Checkout::OtherWorktree)
        } else {
            git.is_of_submodule().then_some(Checkout::Submodule)
        }
    }
}

/// What a `.git` stands for.
#[derive(Debug)]
struct GitDir {
    /// Git's directory for this worktree: `.git` itself, or what the file `.git` names.
    own: PathBuf,
    /// The directory that all worktrees of the repository share, without links. `None` if `own`
    /// does not exist.
    common: Option<PathBuf>,
    /// Whether `.git` is a file.
    is_file: bool,
    /// Whether `own` is the directory of a linked worktree.
    is_linked: bool,
}

impl GitDir {
    /// Follows the `.git` in a directory. `None` if there is none that git could use.
    fn of(dir: &Path, confined: bool) -> Option<GitDir> {
        let dot_git = dir.join(".git");
        if confined && fs::symlink_metadata(&dot_git).ok()?.is_symlink() {
            return None;
        }
        let is_file = !fs::metadata(&dot_git).ok()?.is_dir();
        let own = match is_file {
            true => {
                let line = first_line(dir, c".git")?;
                dir.join(path_of(line.strip_prefix(b"gitdir:")?.trim_ascii()))
            }
            false => dot_git,
        };
        // This file is what makes a worktree a linked one for git (`get_common_dir_noenv`).
        let linked = first_line(&own, c"commondir");
        let is_linked = linked.is_some();
        let common = fs::canonicalize(own.join(path_of(&linked.unwrap_or_default()))).ok();
        Some(GitDir { own, common, is_file, is_linked })
    }

    /// Whether files of the repository are checked out where `.git` is. A bare repository has no
    /// worktrees but linked ones.
    fn is_worktree(&self) -> bool {
        self.is_linked || self.common.as_deref().is_none_or(|common| !OwnConfig::of(common).bare)
    }

    /// The name of a linked worktree that has lost its directory in the repository, and where that
    /// repository was: it was moved, as into a container, or has forgotten the worktree.
    fn missing_worktree(&self) -> Option<(&Path, &Path)> {
        let parent = self.own.parent().filter(|_| self.common.is_none())?;
        let is_worktree = parent.file_name().is_some_and(|name| name == "worktrees");
        let name = self.own.file_name().filter(|_| is_worktree)?;
        Some((Path::new(name), parent.parent()?))
    }

    /// Whether git has made this directory for a submodule.
    fn is_of_submodule(&self) -> bool {
        let own = fs::canonicalize(&self.own);
        let own = own.as_deref().unwrap_or(&self.own);
        let is_in_modules = |path: &Path| {
            let above = path.parent().filter(|_| path.ends_with("modules"));
            above.is_some_and(|above| self.common.is_none() || above.join("HEAD").exists())
        };
        self.is_file && !self.is_linked && own.ancestors().skip(1).any(is_in_modules)
    }
}

/// Where a directory with a `.git` lies.
struct Place {
    /// The directory itself: the root without links, and the rest as the walk has it.
    dir: PathBuf,
    root: PathBuf,
    confined: bool,
}

impl Place {
    fn new(dir: &Path, depth: usize, confined: bool) -> Option<Place> {
        let root = dir.ancestors().nth(depth)?;
        let named = if root.as_os_str().is_empty() { Path::new(".") } else { root };
        let below = dir.strip_prefix(root).ok()?;
        let root = fs::canonicalize(named).ok()?;
        Some(Place { dir: root.join(below), root, confined })
    }

    /// Whether the walk meets another worktree of the repository that the worktree here belongs to.
    fn has_other_worktree(&self, git: &GitDir) -> bool {
        // Of a root like `.claude/worktrees`, no worktree has a copy: all of them are wanted.
        let has_copy = |above: &Path| {
            self.root.strip_prefix(above).map_or(true, |below| self.dir.join(below).exists())
        };
        let is_same = |above: &Path| match GitDir::of(above, self.confined) {
            Some(other) if other.is_worktree() => match (&git.common, &other.common) {
                (Some(common), Some(other)) => common == other,
                (None, Some(other)) => self.was_worktree_of(git, above, other),
                _ => false,
            },
            _ => false,
        };
        self.dir.ancestors().skip(1).any(|above| is_same(above) && has_copy(above))
            || git.is_linked && git.common.as_deref().is_some_and(|dir| self.has_main_worktree(dir))
    }

    /// Whether the worktree here, which has lost its directory in its repository, belonged to the
    /// one with the directory `common`. That one's worktree `above` contains this one.
    fn was_worktree_of(&self, git: &GitDir, above: &Path, common: &Path) -> bool {
        let Some((name, repository)) = git.missing_worktree() else { return false };
        if fs::canonicalize(repository).is_ok_and(|repository| repository == common) {
            return true;
        }
        // The repository still knows the worktree, by the path that it had elsewhere.
        let back = first_line(&common.join("worktrees").join(name), c"gitdir");
        let below = self.dir.strip_prefix(above).ok();
        back.zip(below).is_some_and(|(back, below)| path_of(&back).ends_with(below.join(".git")))
    }

    /// Whether the main worktree of a repository lies elsewhere below the root, where no directory
    /// on the way to it is hidden. A walk that leaves out this worktree meets that one.
    fn has_main_worktree(&self, common: &Path) -> bool {
        let Some(main) = OwnConfig::of(common).worktree(common) else { return false };
        let is_plain = |part: Component<'_>| matches!(part, Component::Normal(name) if !name.as_encoded_bytes().starts_with(b"."));
        let is_below_root =
            main.strip_prefix(&self.root).is_ok_and(|below| below.components().all(is_plain));
        let is_its = || {
            GitDir::of(&main, self.confined)
                .is_some_and(|git| git.common.as_deref() == Some(common))
        };
        is_below_root && !main.starts_with(&self.dir) && is_its()
    }
}

/// What a repository's own configuration determines of its worktrees.
#[derive(Default)]
struct OwnConfig {
    bare: bool,
    /// `core.worktree`, as submodules have it.
    worktree: Option<Vec<u8>>,
}

impl OwnConfig {
    /// Reads the configuration in a repository's directory. What git would report is left to git.
    fn of(common: &Path) -> OwnConfig {
        let mut config = OwnConfig::default();
        let mut has_worktree_config = false;
        config.read(common, c"config", &mut has_worktree_config);
        if has_worktree_config {
            config.read(common, c"config.worktree", &mut has_worktree_config);
        }
        config
    }

    fn read(&mut self, common: &Path, name: &CStr, has_worktree_config: &mut bool) {
        let mut text = Vec::new();
        if (ByPath { dir: common, confined: false }).read(name, &mut text).is_err() {
            return;
        }
        for setting in Settings::of(&text) {
            match setting {
                Setting::Bare(bare) => self.bare = bare,
                Setting::Worktree(worktree) => self.worktree = Some(worktree),
                Setting::WorktreeConfig(value) => *has_worktree_config = value,
                _ => {}
            }
        }
    }

    /// The main worktree of the repository with the directory `common`, without links.
    fn worktree(&self, common: &Path) -> Option<PathBuf> {
        if self.bare {
            return None;
        }
        match &self.worktree {
            Some(worktree) => fs::canonicalize(common.join(path_of(worktree))).ok(),
            None if common.ends_with(".git") => common.parent().map(Path::to_owned),
            None => None,
        }
    }
}

/// Returns the first line of a small file in a directory, trimmed, if it can be read and is not
/// empty.
fn first_line(dir: &Path, name: &CStr) -> Option<Vec<u8>> {
    let files = &mut ByPath { dir, confined: false };
    if fs::metadata(files.path(name)).ok()?.len() > MAX_GIT_FILE_BYTES {
        return None;
    }
    let mut text = Vec::new();
    files.read(name, &mut text).ok()?;
    let line = text.split(|&byte| byte == b'\n').next()?.trim_ascii();
    (!line.is_empty()).then(|| line.to_vec())
}
