//! Walks that run: each entry to a closure, or to the visitors of a search.

use std::{env, panic::resume_unwind, sync::Arc};

use heist_filter::{Changes, ChangesConfig, Environment, Filter, FilterConfig, TypeTable};
use heist_walk::{Entry, Root, SkipObserver, Stop, Visitor, WalkConfig};

use super::{Hidden, TypeChoice, Walk, WalkSummary};
use crate::{Error, IntoFlow, Skipped, each_entry::EachEntry, skipped::SkipNotes};

impl Walk {
    /// Visits every entry, and calls `on_entry` for each, from several threads at a time.
    ///
    /// `Break` ends the walk. [`run_with_state`](Walk::run_with_state) gives each thread a value of
    /// its own.
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
        let (_, summary) = self.run_with_state(|| (), |(), entry| on_entry(entry))?;
        Ok(summary)
    }

    /// Visits every entry, and calls `on_entry` for each with the state of the thread that calls
    /// it, so that no lock is needed. `state` makes one for each thread that takes part; the states
    /// are returned, in no particular order.
    ///
    /// ```
    /// use heist::{Matcher, Walk};
    ///
    /// let names = Matcher::new([r"^[a-m].*\.rs$"], &Default::default())?;
    /// let state = || (names.finder(), Vec::new());
    /// let (states, _) = Walk::new("src").run_with_state(state, |(finder, found), entry| {
    ///     if finder.is_match(entry.name()) {
    ///         found.push(entry.path());
    ///     }
    /// })?;
    /// let found: Vec<_> = states.into_iter().flat_map(|(_, found)| found).collect();
    /// assert!(found.contains(&"src/cancel.rs".into()) && !found.contains(&"src/walk.rs".into()));
    /// # Ok::<(), heist::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`run`](Walk::run).
    pub fn run_with_state<S: Send, R: IntoFlow>(
        self,
        state: impl Fn() -> S + Sync,
        on_entry: impl Fn(&mut S, &Entry<'_>) -> R + Sync,
    ) -> Result<(Vec<S>, WalkSummary), Error> {
        if self.is_sorted() {
            let mut state = state();
            let summary = self.run_sorted(|entry| on_entry(&mut state, entry))?;
            return Ok((vec![state], summary));
        }
        self.run_unsorted(&state, &on_entry, &self.config())
    }

    pub(super) fn run_unsorted<S: Send, R: IntoFlow>(
        &self,
        state: &(impl Fn() -> S + Sync),
        on_entry: &(impl Fn(&mut S, &Entry<'_>) -> R + Sync),
        config: &WalkConfig,
    ) -> Result<(Vec<S>, WalkSummary), Error> {
        if self.directories.unwrap_or_default() || self.symlinks.unwrap_or_default() {
            self.run_each::<true, S, R>(state, on_entry, config)
        } else {
            self.run_each::<false, S, R>(state, on_entry, config)
        }
    }

    fn run_each<const ALL: bool, S: Send, R: IntoFlow>(
        &self,
        state: &(impl Fn() -> S + Sync),
        on_entry: &(impl Fn(&mut S, &Entry<'_>) -> R + Sync),
        config: &WalkConfig,
    ) -> Result<(Vec<S>, WalkSummary), Error> {
        let visitor = || EachEntry::<ALL, _, _> {
            cancel: &self.cancel,
            directories: self.directories.unwrap_or_default(),
            symlinks: self.symlinks.unwrap_or_default(),
            state: state(),
            on_entry: |state: &mut S, entry: &Entry<'_>| on_entry(state, entry).into_flow(),
            entries: 0,
            errors: Vec::new(),
        };
        let visited = self.visit_with(config, visitor)?;
        let mut summary = WalkSummary {
            entries: 0,
            errors: visited.problems,
            skipped: visited.skipped,
            is_complete: visited.is_complete,
        };
        let mut states = Vec::new();
        for visitor in visited.visitors {
            summary.entries += visitor.entries;
            summary.errors.extend(visitor.errors);
            states.push(visitor.state);
        }
        Ok((states, summary))
    }

    /// Walks with one visitor per worker.
    pub(crate) fn visit<V: Visitor>(
        &self,
        visitor: impl Fn() -> V + Sync,
    ) -> Result<Visited<V>, Error> {
        self.visit_with(&self.config(), visitor)
    }

    fn visit_with<V: Visitor>(
        &self,
        config: &WalkConfig,
        visitor: impl Fn() -> V + Sync,
    ) -> Result<Visited<V>, Error> {
        let filter = self.filter()?;
        let problems = filter.problems().iter().cloned().map(Error::RuleFile).collect();
        let notes = self.max_skipped.map(|max| Arc::new(SkipNotes::new(max)));
        let on_skip = notes.clone().map(|notes| notes as Arc<dyn SkipObserver>);
        let config = WalkConfig { on_skip, ..config.clone() };
        let report = heist_walk::walk(&config, &filter, |_| visitor())
            .unwrap_or_else(|panicked| resume_unwind(panicked.payload));
        let is_complete = report.stop == Stop::Done;
        let skipped = notes.map(|notes| notes.take()).unwrap_or_default();
        Ok(Visited { visitors: report.visitors, problems, skipped, is_complete })
    }

    /// The files and directories that the walk begins at.
    pub(crate) fn roots(&self) -> Vec<std::path::PathBuf> {
        if self.roots.is_empty() { vec![".".into()] } else { self.roots.clone() }
    }

    /// The number of workers.
    pub(crate) fn workers(&self) -> usize {
        self.threads.unwrap_or_else(|| WalkConfig::new("").workers)
    }

    pub(super) fn config(&self) -> WalkConfig {
        let roots = self.roots.iter().cloned().map(Root::Path).collect();
        WalkConfig {
            roots: if self.roots.is_empty() { vec![Root::Here] } else { roots },
            workers: self.workers(),
            follow: self.follow_links.unwrap_or_default(),
            max_depth: self.max_depth,
            same_file_system: self.same_file_system.unwrap_or_default(),
            skip_worktrees: self.worktrees == Some(false),
            skip_submodules: self.submodules == Some(false),
            max_filesize: self.max_file_size,
            newer: self.newer,
            older: self.older,
            changes: self.changes(),
            shard: self.shard,
            ..WalkConfig::default()
        }
    }

    /// What knows the changed files, if only those are visited.
    fn changes(&self) -> Option<Arc<Changes>> {
        let since = self.changed.clone()?;
        // Without a current directory, the filter reports the error.
        let cwd = env::current_dir().unwrap_or_default();
        let roots = self.roots();
        Some(Arc::new(Changes::new(ChangesConfig { since, has_lines: false, cwd, roots })))
    }

    fn filter(&self) -> Result<Filter, Error> {
        let cwd = env::current_dir().map_err(Error::CurrentDir)?;
        let base = match self.ignore_files.unwrap_or(true) {
            true => FilterConfig::standard(cwd),
            false => FilterConfig { cwd, ..FilterConfig::everything() },
        };
        let hidden = self.hidden.unwrap_or(Hidden::None);
        let mut config = FilterConfig {
            hidden: hidden == Hidden::All,
            dotfiles: hidden == Hidden::Dotfiles,
            globs: self.globs.clone(),
            only: self.only.clone(),
            except: self.except.clone(),
            roots: self.roots.clone(),
            tracking: self.tracking.unwrap_or_default(),
            environment: Environment::from_variables(|name| env::var_os(name)),
            ..base
        };
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
    /// What the walk has skipped, if that is wanted.
    pub(crate) skipped: Skipped,
    /// Whether no visitor ended the walk.
    pub(crate) is_complete: bool,
}
