//! Why a walk visits a path or leaves it out: the walk of the directories that lead to it, with the
//! code that walks them all.

use std::{
    fmt, io, mem,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use heist_filter::{
    Filter, Problem,
    path_bytes::{bytes_of, is_separator, path_of},
};

use crate::{
    bounds::Bounds,
    config::{Root, WalkConfig},
    context::WalkContext,
    descriptors::{Descriptors, Handle},
    error::Error,
    expand::Expander,
    file_limits::FileLimits,
    item::{Dir, Item},
    listing::FileType,
    opened::{Opened, Opening},
    skipped::{SkipObserver, SkipReason},
    sys::{Progress, Reader, System},
    visitor::Wants,
};

/// What a walk does with a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The walk visits the file or directory.
    Visited(FileType),
    /// The walk leaves it out.
    LeftOut {
        /// The path itself, or the directory above it that is left out.
        path: PathBuf,
        /// The reason, such as `ignored by .gitignore:3: *.o`.
        why: String,
    },
}

/// Returns what a walk of `root` with this configuration does with `path`, which is relative to the
/// root and has no `.` or `..` in it, and what is wrong in the rule files on the way.
///
/// ```
/// use heist_walk::{Fate, FileType, Filter, FilterConfig, Root, WalkConfig, why};
///
/// let temp = tempfile::tempdir()?;
/// std::fs::write(temp.path().join(".hidden"), "")?;
/// let filter = Filter::new(FilterConfig { cwd: temp.path().into(), ..Default::default() })?;
/// let root = Root::Path(temp.path().into());
/// let (fate, _) = why(&WalkConfig::default(), &filter, &root, ".hidden".as_ref());
/// assert!(matches!(fate?, Fate::LeftOut { why, .. } if why == "ignored: hidden"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn why(
    config: &WalkConfig,
    filter: &Filter,
    root: &Root,
    path: &Path,
) -> (Result<Fate, Error>, Vec<Problem>) {
    let sought = Arc::new(SoughtEntry { also: config.on_skip.clone(), ..SoughtEntry::default() });
    let on_skip: Option<Arc<dyn SkipObserver>> = Some(sought.clone());
    let config = WalkConfig { on_skip, extra_workers: 0, ..config.clone() };
    let context = WalkContext {
        config: &config,
        filter,
        known_dirs: None,
        limits: FileLimits::new(&config),
        bounds: config.confined.then(|| Bounds::new(std::slice::from_ref(root))),
        // No directory stays open.
        descriptors: Descriptors::with_cap(0),
        unfiltered: filter.wants_everything(),
        wants: Wants { directories: true, ..Wants::ONLY_FILES },
    };
    let mut expander = Expander::new(&context, config.reader);
    let fate = follow(&context, &mut expander, &sought, root, path);
    (fate, mem::take(&mut expander.cache.problems))
}

/// Walks down to `path`.
fn follow<'run>(
    context: &'run WalkContext<'run>,
    expander: &mut Expander<'run, Reader>,
    sought: &SoughtEntry,
    root: &Root,
    path: &Path,
) -> Result<Fate, Error> {
    let (root, named) = match root {
        Root::Path(path) => (path.as_path(), Some(path.as_path())),
        Root::Here | Root::Stdin => (Path::new("."), None),
    };
    let path = bytes_of(path);
    let mut names =
        path.split(|byte| is_separator(*byte)).filter(|name| !name.is_empty()).peekable();
    let mut dir = Dir::root(named);
    while let Some(name) = names.next() {
        let depth = dir.depth;
        let at = dir.entry_path(name);
        if let Some(why) = context.checkout_reason(&dir) {
            return Ok(left_out(dir.own_path(), &why));
        }
        let (mut opened, handle) = match expander.open(dir) {
            Opening::Open(opened, handle) => (opened, handle),
            Opening::OtherDevice(_) => {
                return Ok(left_out(at, &SkipReason::OtherFileSystem));
            }
            Opening::Failed(dir, error) => return Err(Error::io(dir.own_path(), depth, error)),
        };
        if depth == 0 && !context.unfiltered {
            opened.set_scope(context.filter.root(root, &mut expander.cache));
        }
        if context.config.max_depth == Some(depth) {
            return Ok(left_out(at, &SkipReason::TooDeep));
        }
        match find(expander, sought, (opened, &handle), name, &at)? {
            NamedEntry::Dir(found) if names.peek().is_some() => dir = found,
            NamedEntry::Dir(found) => match context.checkout_reason(&found) {
                Some(why) => return Ok(left_out(at, &why)),
                None => return Ok(Fate::Visited(FileType::Dir)),
            },
            NamedEntry::File if names.peek().is_none() => return Ok(Fate::Visited(FileType::File)),
            NamedEntry::File => {
                let whole = names.fold(at, |path, name| path.join(path_of(name)));
                return Err(Error::io(whole, depth, io::ErrorKind::NotADirectory.into()));
            }
            NamedEntry::LeftOut(why) => return Ok(left_out(at, &why)),
        }
    }
    Ok(Fate::Visited(FileType::Dir))
}

fn left_out(path: PathBuf, why: &dyn fmt::Display) -> Fate {
    Fate::LeftOut { path, why: why.to_string() }
}

/// The entry that is sought, and the reason why it is skipped, once that is known.
#[derive(Debug, Default)]
struct SoughtEntry {
    state: Mutex<(Vec<u8>, Option<String>)>,
    /// Another observer, which learns about all skipped entries.
    also: Option<Arc<dyn SkipObserver>>,
}

impl SoughtEntry {
    /// Sets the entry's name.
    fn set(&self, name: &[u8]) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = (name.to_vec(), None);
    }

    /// Takes the reason.
    fn take_reason(&self) -> Option<String> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).1.take()
    }
}

impl SkipObserver for SoughtEntry {
    fn skipped(&self, path: &Path, why: &SkipReason<'_>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if path.file_name().is_some_and(|name| *bytes_of(name.as_ref()) == *state.0) {
            state.1 = Some(why.to_string());
        }
        if let Some(also) = &self.also {
            also.skipped(path, why);
        }
    }
}

/// The entry that a directory has under a name.
enum NamedEntry<'run, S: System> {
    Dir(Dir<'run, S>),
    File,
    LeftOut(String),
}

/// Looks for `name`, which is at the path `at`, among the entries of a directory.
fn find<'run, S: System>(
    expander: &mut Expander<'run, S>,
    sought: &SoughtEntry,
    (mut opened, handle): (Opened<'run, S>, &Arc<Handle<'run, S>>),
    name: &[u8],
    at: &Path,
) -> Result<NamedEntry<'run, S>, Error> {
    let depth = opened.dir.depth + 1;
    let mut buffer = S::Buffer::default();
    let mut lister = expander
        .list(&opened, handle, &mut buffer)
        .map_err(|error| Error::io(opened.dir.own_path(), depth, error))?;
    sought.set(name);
    loop {
        let progress = expander.next_chunk(&mut opened, handle, &mut lister);
        // It is no directory that is skipped as a whole.
        let progress = progress.unwrap_or(Progress::End);
        let is_it = |error: &Error| error.path() == at || error.path() == opened.dir.own_path();
        if let Some(index) = expander.errors.iter().position(is_it) {
            return Err(expander.errors.swap_remove(index));
        }
        if let Some(why) = sought.take_reason() {
            return Ok(NamedEntry::LeftOut(why));
        }
        let child = expander.children.drain(..).find_map(|child| match child {
            Item::Dir(dir) if dir.name() == name => Some(dir),
            _ => None,
        });
        if let Some(dir) = child {
            return Ok(NamedEntry::Dir(dir));
        }
        let Expander { listing, files, .. } = &*expander;
        if files.iter().any(|file| listing.name(*file).bytes() == name) {
            return Ok(NamedEntry::File);
        }
        if progress == Progress::End {
            return Err(Error::io(at.to_path_buf(), depth, not_found()));
        }
    }
}

/// The error of the system if a path does not exist.
fn not_found() -> io::Error {
    #[cfg(unix)]
    {
        rustix::io::Errno::NOENT.into()
    }
    #[cfg(not(unix))]
    io::ErrorKind::NotFound.into()
}
