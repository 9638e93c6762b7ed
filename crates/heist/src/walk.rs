//! Which files of which trees: the builder, and the parallel walk.

use std::{
    env,
    panic::resume_unwind,
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

use heist_filter::{Environment, Filter, FilterConfig, Glob, TypeTable};
use heist_walk::{Entry, OwnedEntry, Root, SortOrder, Stop, Visitor, WalkConfig};

use crate::{CancelToken, Error, IntoFlow, each_entry::EachEntry};

/// Which files of which trees are visited, and how.
///
/// The default visits what `hs --files` lists: every file below the current directory except those
/// that git ignores and hidden ones. [`run`](Walk::run) calls a closure from several threads;
/// iterating yields the entries one by one.
///
/// ```
/// use heist::Walk;
///
/// for entry in Walk::new("src").glob("*.rs").sorted() {
///     println!("{}", entry?.path().display());
/// }
/// # Ok::<(), heist::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Walk {
    pub(crate) config: WalkConfig,
    filter: FilterConfig,
    types: Vec<(String, TypeChoice)>,
    directories: bool,
    symlinks: bool,
    /// Whether the number of threads has been set.
    has_threads: bool,
    pub(crate) cancel: CancelToken,
}

/// Whether files of a type are the ones to visit, or the ones to leave out.
#[derive(Clone, Copy, Debug)]
enum TypeChoice {
    Select,
    Exclude,
}

/// What a walk did.
#[derive(Debug)]
pub struct WalkSummary {
    /// Entries that the closure received.
    pub entries: u64,
    /// Paths that could not be walked and rule files with mistakes, in no particular order.
    pub errors: Vec<Error>,
    /// Whether every entry was visited: neither the closure nor a token ended the walk early.
    pub is_complete: bool,
}

impl Default for Walk {
    fn default() -> Walk {
        Walk {
            config: WalkConfig { roots: Vec::new(), ..WalkConfig::new("") },
            filter: FilterConfig::standard(""),
            types: Vec::new(),
            directories: false,
            symlinks: false,
            has_threads: false,
            cancel: CancelToken::new(),
        }
    }
}

impl Walk {
    /// Visits the files below `root`, or `root` itself if it is a file.
    pub fn new(root: impl Into<PathBuf>) -> Walk {
        Walk::default().root(root)
    }

    /// Adds a root. Roots are visited in the order in which they were added.
    #[must_use]
    pub fn root(mut self, root: impl Into<PathBuf>) -> Walk {
        self.config.roots.push(Root::Path(root.into()));
        self
    }

    /// Turns every rule off: visits ignored and hidden files as well.
    #[must_use]
    pub fn everything(self) -> Walk {
        self.ignore_files(false).hidden(true)
    }

    /// Whether `.gitignore`, `.ignore` and the other rule files are honoured. The default is
    /// `true`.
    #[must_use]
    pub fn ignore_files(mut self, honoured: bool) -> Walk {
        let hidden = self.filter.hidden;
        let globs = std::mem::take(&mut self.filter.globs);
        let only = std::mem::take(&mut self.filter.only);
        let except = std::mem::take(&mut self.filter.except);
        let base = if honoured { FilterConfig::standard("") } else { FilterConfig::everything() };
        self.filter = FilterConfig { hidden, globs, only, except, ..base };
        self
    }

    /// Whether entries are visited whose name begins with a dot. The default is `false`.
    #[must_use]
    pub fn hidden(mut self, visited: bool) -> Walk {
        self.filter.hidden = visited;
        self
    }

    /// Visits only files that match `glob`, or with a leading `!` only those that do not. The last
    /// glob that matches a file decides. A glob outranks rule files and hidden names.
    ///
    /// ```
    /// # use heist::Walk;
    /// // Rust sources outside of directories that are called `tests`.
    /// let walk = Walk::new(".").glob("*.rs").glob("!tests");
    /// ```
    #[must_use]
    pub fn glob(mut self, glob: impl Into<String>) -> Walk {
        self.filter.globs.push(Glob { text: glob.into(), ignore_case: false });
        self
    }

    /// Visits, of the files that are visited otherwise, only those that match `glob` or lie in a
    /// directory that does. With several calls, one of the globs has to match. Unlike
    /// [`glob`](Walk::glob), this never adds a file that is ignored or hidden.
    ///
    /// ```
    /// # use heist::Walk;
    /// let walk = Walk::new(".").only("*.rs").only("*.toml").exclude("tests");
    /// ```
    #[must_use]
    pub fn only(mut self, glob: impl Into<String>) -> Walk {
        self.filter.only.push(Glob { text: glob.into(), ignore_case: false });
        self
    }

    /// Leaves out files that match `glob` or lie in a directory that does. Unlike
    /// [`glob`](Walk::glob), this never adds a file.
    #[must_use]
    pub fn exclude(mut self, glob: impl Into<String>) -> Walk {
        self.filter.except.push(Glob { text: glob.into(), ignore_case: false });
        self
    }

    /// Visits only files of a type, such as `rust` or `markdown`; `hs --type-list` prints all of
    /// them. Several calls add up.
    #[must_use]
    pub fn file_type(mut self, name: impl Into<String>) -> Walk {
        self.types.push((name.into(), TypeChoice::Select));
        self
    }

    /// Leaves out files of a type.
    #[must_use]
    pub fn without_file_type(mut self, name: impl Into<String>) -> Walk {
        self.types.push((name.into(), TypeChoice::Exclude));
        self
    }

    /// Visits nothing deeper than `depth`; a root has depth 0.
    #[must_use]
    pub fn max_depth(mut self, depth: usize) -> Walk {
        self.config.max_depth = Some(depth);
        self
    }

    /// Leaves out files of more than `bytes`, unless they are roots.
    #[must_use]
    pub fn max_file_size(mut self, bytes: u64) -> Walk {
        self.config.max_filesize = Some(bytes);
        self
    }

    /// Whether symbolic links are followed. The default is `false`; roots are always followed.
    #[must_use]
    pub fn follow_links(mut self, followed: bool) -> Walk {
        self.config.follow = followed;
        self
    }

    /// Stays on the file system of each root.
    #[must_use]
    pub fn same_file_system(mut self) -> Walk {
        self.config.same_file_system = true;
        self
    }

    /// Also visits directories, each before its entries. The default is `false`.
    #[must_use]
    pub fn directories(mut self, visited: bool) -> Walk {
        self.directories = visited;
        self
    }

    /// Also visits symbolic links that are not followed. The default is `false`.
    #[must_use]
    pub fn symlinks(mut self, visited: bool) -> Walk {
        self.symlinks = visited;
        self
    }

    /// The number of worker threads, at least 1. The default is the number of processor cores, at
    /// most 12.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Walk {
        self.config.workers = threads.max(1);
        self.has_threads = true;
        self
    }

    /// Yields entries in the order of their paths, compared component by component. The iterator
    /// then yields nothing before the walk is complete, and a closure is called from one thread.
    #[must_use]
    pub fn sorted(mut self) -> Walk {
        self.config.order = Some(SortOrder::Names);
        self
    }

    /// Ends the walk when `token` is cancelled.
    #[must_use]
    pub fn cancel(mut self, token: &CancelToken) -> Walk {
        self.cancel = token.clone();
        self
    }
}

impl Walk {
    /// This walk, with the roots, the order, the threads and the token of an `earlier` one. What
    /// both have set is that of this walk, except for roots and tokens, which add up. A root of
    /// this walk takes the place of an earlier one that it lies in.
    pub(crate) fn merged_with(mut self, earlier: Walk) -> Walk {
        let roots = &self.config.roots;
        let is_narrowed = |earlier: &Root| {
            let is_in = |root: &Root| match (root, earlier) {
                (Root::Path(root), Root::Path(earlier)) => root.starts_with(earlier),
                _ => false,
            };
            roots.iter().any(is_in)
        };
        let mut merged: Vec<_> = earlier.config.roots;
        merged.retain(|root| !is_narrowed(root));
        merged.append(&mut self.config.roots);
        self.config.roots = merged;
        self.config.order = self.config.order.or(earlier.config.order);
        if earlier.has_threads && !self.has_threads {
            (self.config.workers, self.has_threads) = (earlier.config.workers, true);
        }
        self.cancel = self.cancel.or(earlier.cancel);
        self
    }

    /// Visits every entry, and calls `on_entry` for each, from several threads at a time.
    ///
    /// `Break` ends the walk.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU64, Ordering};
    /// use heist::Walk;
    ///
    /// let bytes = AtomicU64::new(0);
    /// let summary = Walk::new("src").run(|entry| {
    ///     let len = entry.metadata().map_or(0, |metadata| metadata.len());
    ///     bytes.fetch_add(len, Ordering::Relaxed);
    /// })?;
    /// println!("{} files, {} bytes", summary.entries, bytes.into_inner());
    /// # Ok::<(), heist::Error>(())
    /// ```
    ///
    /// # Errors
    /// A glob or file type that is not valid, or no current directory. Paths that cannot be walked
    /// do not end the walk; they are in [`WalkSummary::errors`].
    pub fn run<R: IntoFlow>(
        self,
        on_entry: impl Fn(&Entry<'_>) -> R + Sync,
    ) -> Result<WalkSummary, Error> {
        if self.is_sorted() {
            return self.run_sorted(on_entry);
        }
        if self.directories || self.symlinks {
            self.run_unsorted::<true, R>(&on_entry)
        } else {
            self.run_unsorted::<false, R>(&on_entry)
        }
    }

    fn run_unsorted<const ALL: bool, R: IntoFlow>(
        &self,
        on_entry: &(impl Fn(&Entry<'_>) -> R + Sync),
    ) -> Result<WalkSummary, Error> {
        let visited = self.visit(|| EachEntry::<ALL, _> {
            cancel: &self.cancel,
            directories: self.directories,
            symlinks: self.symlinks,
            on_entry: |entry: &Entry<'_>| on_entry(entry).into_flow(),
            entries: 0,
            errors: Vec::new(),
        })?;
        let mut errors = visited.problems;
        let mut entries = 0;
        for visitor in visited.visitors {
            entries += visitor.entries;
            errors.extend(visitor.errors);
        }
        Ok(WalkSummary { entries, errors, is_complete: visited.is_complete })
    }

    fn run_sorted<R: IntoFlow>(
        self,
        on_entry: impl Fn(&Entry<'_>) -> R,
    ) -> Result<WalkSummary, Error> {
        let sorted = self.collect_sorted()?;
        let mut summary =
            WalkSummary { entries: 0, errors: sorted.errors, is_complete: sorted.is_complete };
        for entry in &sorted.entries {
            if self.cancel.is_cancelled() {
                summary.is_complete = false;
                break;
            }
            summary.entries += 1;
            if on_entry(&entry.as_entry(&[])).into_flow().is_break() {
                summary.is_complete = false;
                break;
            }
        }
        Ok(summary)
    }

    pub(crate) fn is_sorted(&self) -> bool {
        self.config.order.is_some()
    }

    /// Finds all entries, and returns them in the order of their paths.
    pub(crate) fn collect_sorted(&self) -> Result<Sorted, Error> {
        let found = Mutex::new(Vec::new());
        let walk = Walk {
            config: WalkConfig { order: Some(SortOrder::Names), ..self.config.clone() },
            ..self.clone()
        };
        let collect = |entry: &Entry<'_>| {
            let mut key = Vec::new();
            entry.key_into(&mut key);
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            let previous = found.last().map(|(_, entry)| entry);
            let owned = entry.to_owned_entry(previous);
            found.push((key, owned));
        };
        let all = self.directories || self.symlinks;
        let summary = match all {
            true => walk.run_unsorted::<true, ()>(&collect),
            false => walk.run_unsorted::<false, ()>(&collect),
        }?;
        let mut found: Vec<(Vec<u8>, OwnedEntry)> =
            found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        let entries = found.into_iter().map(|(_, entry)| entry).collect();
        Ok(Sorted { entries, errors: summary.errors, is_complete: summary.is_complete })
    }

    /// Walks with one visitor per worker.
    pub(crate) fn visit<V: Visitor>(
        &self,
        visitor: impl Fn() -> V + Sync,
    ) -> Result<Visited<V>, Error> {
        let filter = self.filter()?;
        let problems = filter.problems().iter().cloned().map(Error::RuleFile).collect();
        let mut config = self.config.clone();
        if config.roots.is_empty() {
            config.roots.push(Root::Here);
        }
        let report = heist_walk::walk(&config, &filter, |_| visitor())
            .unwrap_or_else(|panicked| resume_unwind(panicked.payload));
        let is_complete = report.stop == Stop::Done;
        Ok(Visited { visitors: report.visitors, problems, is_complete })
    }

    fn filter(&self) -> Result<Filter, Error> {
        let mut config = self.filter.clone();
        config.cwd = env::current_dir().map_err(Error::CurrentDir)?;
        config.environment = Environment::from_variables(|name| env::var_os(name));
        if !self.types.is_empty() {
            let mut table = TypeTable::new();
            for (name, choice) in &self.types {
                match choice {
                    TypeChoice::Select => table.select(name),
                    TypeChoice::Exclude => table.negate(name),
                }
            }
            config.types = table.selection()?;
        }
        Ok(Filter::new(config)?)
    }
}

/// What a walk left behind.
pub(crate) struct Visited<V> {
    pub(crate) visitors: Vec<V>,
    /// Mistakes in rule files that the configuration names.
    pub(crate) problems: Vec<Error>,
    /// Whether no visitor ended the walk.
    pub(crate) is_complete: bool,
}

/// The entries of a walk in the order of their paths.
pub(crate) struct Sorted {
    pub(crate) entries: Vec<OwnedEntry>,
    pub(crate) errors: Vec<Error>,
    pub(crate) is_complete: bool,
}
