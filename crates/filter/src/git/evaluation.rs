//! Evaluates git's configuration: several files in order, those that they include, and the
//! variables of the environment. Which files are included may depend on the repository.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::config_file::{Setting, Settings};
use crate::{
    glob::{self, LetterCase},
    path_bytes::{path_of, with_slashes},
    read_file::{MAX_RULE_FILE_BYTES, open_regular, read_file},
};

/// How deep includes may be nested. Git rejects what is deeper.
const MAX_DEPTH: usize = 10;
/// What an included file counts besides its bytes. All files that one evaluation includes have the
/// limit of one rule file, because each can include itself several times.
const INCLUDE_BYTES: usize = 1 << 10;

/// How long a condition can be that holds, and a URL or a `HEAD` that one is compared with. Paths,
/// URLs and branches are shorter.
const MAX_CONDITION_BYTES: usize = 4 << 10;
/// How many steps all conditions of one evaluation take: comparing a pattern of `m` bytes with a
/// text of `n` takes at most `m * n`. Those that come after do not hold.
const MAX_STEPS: usize = 4 << 20;

/// What the configuration decides about ignore rules and attributes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Core {
    /// `core.excludesFile`, as written.
    pub(crate) excludes_file: Option<Vec<u8>>,
    /// `core.ignoreCase`.
    pub(crate) ignore_case: Option<bool>,
    /// `core.attributesFile`, as written.
    pub(crate) attributes_file: Option<Vec<u8>>,
    /// Drivers' names, and what begins functions for each. Later ones outrank earlier ones.
    pub(crate) function_names: Vec<(Vec<u8>, Arc<FunctionName>)>,
}

/// What begins functions, for a driver in git's configuration.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionName {
    /// A POSIX regex a line. The first one that matches decides. One behind a `!` is for lines that
    /// begin no function.
    pub patterns: Vec<u8>,
    /// Whether the regexes are extended ones (`xfuncname`), not basic ones (`funcname`).
    pub is_extended: bool,
    /// The variable, such as `diff.php.xfuncname`.
    pub variable: String,
    /// The configuration file that sets the variable; `None` if the environment does.
    pub file: Option<PathBuf>,
}

impl FunctionName {
    fn new(driver: &[u8], patterns: Vec<u8>, is_extended: bool, file: Option<&Path>) -> Self {
        let key = if is_extended { "xfuncname" } else { "funcname" };
        let variable = format!("diff.{}.{key}", String::from_utf8_lossy(driver));
        FunctionName { patterns, is_extended, variable, file: file.map(Path::to_owned) }
    }
}

/// A configuration file that has been read.
#[derive(Clone, Debug)]
pub(super) struct ConfigFile {
    pub(super) path: PathBuf,
    pub(super) contents: Vec<u8>,
}

/// What an evaluation reads: files, later ones outrank earlier ones, and the environment's
/// variables, which outrank all files.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sources<'a> {
    pub(super) files: &'a [&'a ConfigFile],
    pub(super) variables: &'a [Setting],
    /// What `~` stands for.
    pub(super) home: Option<&'a Path>,
    /// The repository for which the configuration is evaluated.
    pub(super) git_dir: Option<&'a GitDir>,
}

/// A repository, as conditions see it.
#[derive(Debug)]
pub(super) struct GitDir {
    /// The directory that holds `HEAD`, with and without symbolic links.
    pub(super) path: PathBuf,
    pub(super) real_path: PathBuf,
    /// Whether its `HEAD` may be read.
    pub(super) has_head: bool,
}

impl Sources<'_> {
    /// Evaluates everything. Also returns whether a condition occurred, even if it did not hold.
    pub(super) fn evaluate(self) -> (Core, bool) {
        let mut evaluation = Evaluation::new(self);
        evaluation.run();
        (evaluation.core, evaluation.has_conditions)
    }
}

/// An evaluation that is going on.
struct Evaluation<'a> {
    sources: Sources<'a>,
    core: Core,
    has_conditions: bool,
    /// The remotes' URLs that have been found.
    urls: Vec<Vec<u8>>,
    /// All remotes' URLs, once a condition needs them.
    all_urls: Option<Vec<Vec<u8>>>,
    /// Whether URLs are gathered. Every condition about URLs holds then, as in git.
    gathers: bool,
    /// The bytes that may still be included.
    room: usize,
    /// The steps that conditions may still take.
    steps: usize,
    /// The branch that is checked out, once a condition needs it.
    branch: Option<Option<Vec<u8>>>,
}

impl<'a> Evaluation<'a> {
    fn new(sources: Sources<'a>) -> Evaluation<'a> {
        Evaluation {
            sources,
            core: Core::default(),
            has_conditions: false,
            urls: Vec::new(),
            all_urls: None,
            gathers: false,
            room: MAX_RULE_FILE_BYTES,
            steps: MAX_STEPS,
            branch: None,
        }
    }

    fn run(&mut self) {
        for file in self.sources.files {
            self.file(&file.path, &file.contents, 0);
        }
        for setting in self.sources.variables {
            self.apply(setting.clone(), None, 0);
        }
    }

    fn file(&mut self, path: &Path, contents: &[u8], depth: usize) {
        Settings::of(contents).for_each(|setting| self.apply(setting, Some(path), depth));
    }

    /// Applies a setting that comes from the file `from`, or from the environment.
    fn apply(&mut self, setting: Setting, from: Option<&Path>, depth: usize) {
        match setting {
            Setting::ExcludesFile(value) => self.core.excludes_file = Some(value),
            Setting::IgnoreCase(value) => self.core.ignore_case = Some(value),
            Setting::Include(path) => self.include(&path, from, depth),
            Setting::IncludeIf { condition, path } => {
                self.has_conditions = true;
                if self.holds(&condition, from) {
                    self.include(&path, from, depth);
                }
            }
            Setting::AttributesFile(value) => self.core.attributes_file = Some(value),
            Setting::FunctionName { driver, patterns, is_extended } => {
                let name = FunctionName::new(&driver, patterns, is_extended, from);
                self.core.function_names.push((driver, Arc::new(name)));
            }
            Setting::RemoteUrl(url) if self.gathers && url.len() <= MAX_CONDITION_BYTES => {
                self.urls.push(url);
            }
            Setting::RemoteUrl(_)
            | Setting::WorktreeConfig(_)
            | Setting::Bare(_)
            | Setting::Worktree(_) => {}
        }
    }

    /// Applies the settings in an included file. Like git, it skips a file that does not exist.
    fn include(&mut self, path: &[u8], from: Option<&Path>, depth: usize) {
        let mut path = expand_home(path, self.sources.home);
        if !path.has_root() {
            // Git rejects a relative path in an environment variable.
            let Some(dir) = from.and_then(Path::parent) else { return };
            path = dir.join(path);
        }
        if depth == MAX_DEPTH || self.room < INCLUDE_BYTES {
            return;
        }
        let mut contents = Vec::new();
        let read = fs::metadata(&path).and_then(|data| read_file(&path, &data, &mut contents));
        if read.is_ok() {
            self.room = self.room.saturating_sub(INCLUDE_BYTES + contents.len());
            self.file(&path, &contents, depth + 1);
        }
    }

    /// Whether an `includeIf` condition in the file `from` holds.
    fn holds(&mut self, condition: &[u8], from: Option<&Path>) -> bool {
        if condition.len() > MAX_CONDITION_BYTES {
            return false;
        }
        let is = |kind: &str| condition.strip_prefix(kind.as_bytes());
        if let Some(pattern) = is("gitdir:") {
            self.is_git_dir(pattern, from, false)
        } else if let Some(pattern) = is("gitdir/i:") {
            self.is_git_dir(pattern, from, true)
        } else if let Some(pattern) = is("onbranch:") {
            let git_dir = self.sources.git_dir;
            let branch = self.branch.get_or_insert_with(|| git_dir.and_then(GitDir::branch));
            let mut pattern = pattern.to_vec();
            add_everything_below(&mut pattern);
            let steps = &mut self.steps;
            branch
                .as_ref()
                .is_some_and(|branch| matches(steps, &pattern, branch, LetterCase::Exact))
        } else if let Some(pattern) = is("hasconfig:remote.*.url:") {
            self.has_remote(pattern)
        } else {
            false
        }
    }

    /// Whether the repository's directory matches `pattern`, which may be relative to the file
    /// `from`.
    fn is_git_dir(&mut self, pattern: &[u8], from: Option<&Path>, ignore_case: bool) -> bool {
        let Some(git_dir) = self.sources.git_dir else { return false };
        let mut pattern = match (pattern.strip_prefix(b"~"), self.sources.home) {
            (Some(rest @ ([] | [b'/', ..])), Some(home)) => {
                [&*bytes(&real_path(home)), rest].concat()
            }
            _ => pattern.to_vec(),
        };
        // What precedes the pattern itself is compared literally.
        let mut literal_len = 0;
        if pattern.starts_with(b"./") {
            let Some(dir) = from.map(real_path).as_deref().and_then(Path::parent).map(bytes) else {
                return false;
            };
            literal_len = dir.len() + 1;
            pattern.splice(..1, dir);
        } else if !path_of(&pattern).has_root() {
            pattern.splice(..0, *b"**/");
        }
        add_everything_below(&mut pattern);
        let case = if ignore_case { LetterCase::FoldedByGit } else { LetterCase::Exact };
        if ignore_case {
            pattern[..literal_len].make_ascii_lowercase();
        }
        let (literal, pattern) = pattern.split_at(literal_len);
        [&git_dir.real_path, &git_dir.path].into_iter().any(|path| {
            let mut text = bytes(path);
            if ignore_case {
                text.make_ascii_lowercase();
            }
            text.strip_prefix(literal)
                .is_some_and(|rest| matches(&mut self.steps, pattern, rest, case))
        })
    }

    /// Whether a remote's URL matches `pattern`, wherever the remote is configured.
    fn has_remote(&mut self, pattern: &[u8]) -> bool {
        if self.gathers {
            return true;
        }
        let sources = self.sources;
        let urls = self.all_urls.get_or_insert_with(|| {
            let mut gathering = Evaluation { gathers: true, ..Evaluation::new(sources) };
            gathering.run();
            gathering.urls
        });
        let steps = &mut self.steps;
        urls.iter().any(|url| matches(steps, pattern, url, LetterCase::Exact))
    }
}

/// Returns whether a text matches a condition's pattern, if there are steps left for that.
fn matches(steps: &mut usize, pattern: &[u8], text: &[u8], case: LetterCase) -> bool {
    match steps.checked_sub((pattern.len() + 1) * (text.len() + 1)) {
        Some(rest) => {
            *steps = rest;
            glob::matches_path(pattern, text, case)
        }
        None => {
            *steps = 0;
            false
        }
    }
}

impl GitDir {
    /// The branch that is checked out, such as `topic/x`.
    fn branch(&self) -> Option<Vec<u8>> {
        self.has_head.then_some(())?;
        let (path, mut head) = (self.path.join("HEAD"), Vec::new());
        if !fs::metadata(&path).ok()?.is_file() {
            return None;
        }
        let most = MAX_CONDITION_BYTES as u64;
        if open_regular(&path).ok()?.take(most + 1).read_to_end(&mut head).ok()? as u64 > most {
            return None;
        }
        let name = head.trim_ascii().strip_prefix(b"ref:")?.trim_ascii_start();
        name.strip_prefix(b"refs/heads/").map(<[u8]>::to_vec)
    }
}

/// Makes a pattern that ends in a slash match everything below.
fn add_everything_below(pattern: &mut Vec<u8>) {
    if pattern.ends_with(b"/") {
        pattern.extend(b"**");
    }
}

/// Returns the bytes of a path as git writes it. On Windows, a path without links, as the system
/// resolves it, has a prefix.
fn bytes(path: &Path) -> Vec<u8> {
    let bytes = with_slashes(path);
    bytes.strip_prefix(b"//?/").map(<[u8]>::to_vec).unwrap_or(bytes)
}

/// Returns a path without symbolic links, or as it is if it cannot be resolved.
pub(super) fn real_path(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Replaces a `~` at the beginning by the home directory.
pub(super) fn expand_home(value: &[u8], home: Option<&Path>) -> PathBuf {
    match (value.strip_prefix(b"~"), home) {
        (Some([]), Some(home)) => home.into(),
        (Some([b'/', rest @ ..]), Some(home)) => home.join(path_of(rest)),
        _ => path_of(value).into_owned(),
    }
}
