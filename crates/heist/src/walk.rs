//! Which files of which trees: the builder of a walk.

mod run;
pub(crate) mod sorted;

use std::{path::PathBuf, time::SystemTime};

use heist_filter::{Glob, Tracking};
use heist_walk::{FileTime, Shard};

use crate::{CancelToken, Error, Skipped};

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
#[derive(Clone, Debug, Default)]
pub struct Walk {
    roots: Vec<PathBuf>,
    globs: Vec<Glob>,
    only: Vec<Glob>,
    except: Vec<Glob>,
    types: Vec<(String, TypeChoice)>,
    /// Each of the following is `None` until it is set.
    ignore_files: Option<bool>,
    hidden: Option<Hidden>,
    tracking: Option<Tracking>,
    max_depth: Option<usize>,
    max_file_size: Option<u64>,
    newer: Option<SystemTime>,
    older: Option<SystemTime>,
    changed: Option<Option<String>>,
    shard: Option<Shard>,
    follow_links: Option<bool>,
    same_file_system: Option<bool>,
    worktrees: Option<bool>,
    submodules: Option<bool>,
    directories: Option<bool>,
    symlinks: Option<bool>,
    threads: Option<usize>,
    order: Option<Order>,
    is_reversed: Option<bool>,
    pub(crate) max_skipped: Option<usize>,
    pub(crate) cancel: CancelToken,
}

/// Whether files of a type are the ones to visit, or the ones to leave out.
#[derive(Clone, Copy, Debug)]
enum TypeChoice {
    Select,
    Exclude,
}

/// Which entries with a leading dot in their names are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hidden {
    None,
    /// All but what belongs to version control.
    Dotfiles,
    All,
}

/// What entries are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Path,
    Time(FileTime),
}

/// What a walk did.
#[derive(Debug)]
pub struct WalkSummary {
    /// Entries that the closure received.
    pub entries: u64,
    /// Paths that could not be walked and rule files with mistakes, in no particular order.
    pub errors: Vec<Error>,
    /// What was left out. Empty unless [`Walk::name_skipped`] was called.
    pub skipped: Skipped,
    /// Whether every entry was visited: neither the closure nor a token ended the walk early.
    pub is_complete: bool,
}

impl Walk {
    /// Visits the files below `root`, or `root` itself if it is a file.
    pub fn new(root: impl Into<PathBuf>) -> Walk {
        Walk::default().root(root)
    }

    /// Adds a root. Roots are visited in the order in which they were added.
    #[must_use]
    pub fn root(mut self, root: impl Into<PathBuf>) -> Walk {
        self.roots.push(root.into());
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
        self.ignore_files = Some(honoured);
        self
    }

    /// Whether entries with a leading dot in their names are visited. The default is `false`.
    #[must_use]
    pub fn hidden(mut self, visited: bool) -> Walk {
        self.hidden = Some(if visited { Hidden::All } else { Hidden::None });
        self
    }

    /// Visits entries with a leading dot in their names, except what belongs to version control,
    /// such as `.git`. Of this method and [`hidden`](Walk::hidden), the last call decides.
    ///
    /// ```
    /// # use heist::Walk;
    /// // `.github/workflows/ci.yml`, but not `.git/config`.
    /// let walk = Walk::new(".").dotfiles().only("*.yml");
    /// ```
    #[must_use]
    pub fn dotfiles(mut self) -> Walk {
        self.hidden = Some(Hidden::Dotfiles);
        self
    }

    /// Visits only files in the index of their git repository, even if git's ignore rules match
    /// them or they are hidden. Outside of a repository, that is no file.
    ///
    /// ```
    /// # use heist::Walk;
    /// let tracked = Walk::new(".").tracked().into_iter().count();
    /// # let _ = tracked;
    /// ```
    #[must_use]
    pub fn tracked(mut self) -> Walk {
        self.tracking = Some(Tracking::Only);
        self
    }

    /// Visits files in the index of their git repository, even if git's ignore rules match them or
    /// they are hidden, and the other files that the rules leave. Of this method and
    /// [`tracked`](Walk::tracked), the last call decides.
    #[must_use]
    pub fn tracked_or_unignored(mut self) -> Walk {
        self.tracking = Some(Tracking::OrUnignored);
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
        self.globs.push(Glob { text: glob.into(), ignore_case: false });
        self
    }

    /// Visits only files that match `glob` or lie in a directory that does, if they are visited
    /// otherwise. With several calls, one glob has to match. Unlike [`glob`](Walk::glob), this
    /// never adds a file that is ignored or hidden.
    ///
    /// A glob with a slash is relative to the current directory, or to the roots if it could match
    /// nothing below them otherwise.
    ///
    /// ```
    /// # use heist::Walk;
    /// let walk = Walk::new(".").only("*.rs").only("*.toml").exclude("tests");
    /// ```
    #[must_use]
    pub fn only(mut self, glob: impl Into<String>) -> Walk {
        self.only.push(Glob { text: glob.into(), ignore_case: false });
        self
    }

    /// Leaves out files that match `glob` or lie in a directory that does. Unlike
    /// [`glob`](Walk::glob), this never adds a file. Slashes mean what they mean in
    /// [`only`](Walk::only).
    #[must_use]
    pub fn exclude(mut self, glob: impl Into<String>) -> Walk {
        self.except.push(Glob { text: glob.into(), ignore_case: false });
        self
    }

    /// Visits only files with a type, such as `rust` or `markdown`; `hs --type-list` prints all
    /// types. Several calls add up.
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
        self.max_depth = Some(depth);
        self
    }

    /// Leaves out files of more than `bytes`, unless they are roots.
    #[must_use]
    pub fn max_file_size(mut self, bytes: u64) -> Walk {
        self.max_file_size = Some(bytes);
        self
    }

    /// Leaves out files that were last modified before `time`, unless they are roots.
    ///
    /// ```
    /// # use heist::Walk;
    /// use std::time::{Duration, SystemTime};
    ///
    /// // What was modified in the last hour, the newest file first.
    /// let an_hour_ago = SystemTime::now() - Duration::from_secs(60 * 60);
    /// let walk = Walk::new(".").newer(an_hour_ago).sorted_by_time(heist::FileTime::Modified);
    /// for entry in walk.reversed() {
    ///     println!("{}", entry?.path().display());
    /// }
    /// # Ok::<(), heist::Error>(())
    /// ```
    #[must_use]
    pub fn newer(mut self, time: SystemTime) -> Walk {
        self.newer = Some(time);
        self
    }

    /// Leaves out files that were not last modified before `time`, unless they are roots.
    #[must_use]
    pub fn older(mut self, time: SystemTime) -> Walk {
        self.older = Some(time);
        self
    }

    /// Leaves out files that have not changed since a commit, or without one, that do not differ
    /// from git's index, unless they are roots. Files that git does not track have changed. Runs
    /// git, as [`Changes`](crate::filter::Changes) describes; outside of repositories, each
    /// directory is an error.
    ///
    /// ```no_run
    /// # use heist::Walk;
    /// for entry in Walk::new("src").changed(Some("main...")) {
    ///     println!("{}", entry?.path().display());
    /// }
    /// # Ok::<(), heist::Error>(())
    /// ```
    #[must_use]
    pub fn changed(mut self, since: Option<&str>) -> Walk {
        self.changed = Some(since.map(str::to_owned));
        self
    }

    /// Leaves out entries that belong to other parts of the tree, roots that are files included:
    /// walks of all parts visit between them what one walk visits.
    ///
    /// ```
    /// use heist::{Shard, Walk};
    ///
    /// let count = |walk: Walk| walk.into_iter().filter(Result::is_ok).count();
    /// let parts = [1, 2, 3].map(|number| Shard::new(number, 3).unwrap());
    /// let counts = parts.map(|shard| count(Walk::new("src").shard(shard)));
    /// assert_eq!(counts.iter().sum::<usize>(), count(Walk::new("src")));
    /// ```
    #[must_use]
    pub fn shard(mut self, shard: Shard) -> Walk {
        self.shard = Some(shard);
        self
    }

    /// Whether symbolic links are followed. The default is `false`; roots are always followed.
    #[must_use]
    pub fn follow_links(mut self, followed: bool) -> Walk {
        self.follow_links = Some(followed);
        self
    }

    /// Stays on the file system of each root.
    #[must_use]
    pub fn same_file_system(mut self) -> Walk {
        self.same_file_system = Some(true);
        self
    }

    /// Whether directories are visited that are another worktree of a git repository which is
    /// visited anyway, as [`SkipKind::OtherWorktree`](crate::SkipKind::OtherWorktree) describes.
    /// The default is `true`; roots are always visited.
    ///
    /// ```
    /// # use heist::Walk;
    /// // Without the copies of each file in `.claude/worktrees`.
    /// let walk = Walk::new(".").dotfiles().worktrees(false);
    /// ```
    #[must_use]
    pub fn worktrees(mut self, visited: bool) -> Walk {
        self.worktrees = Some(visited);
        self
    }

    /// Whether submodules of git repositories are visited. The default is `true`; roots are always
    /// visited.
    #[must_use]
    pub fn submodules(mut self, visited: bool) -> Walk {
        self.submodules = Some(visited);
        self
    }

    /// Also visits directories, each before its entries unless the walk is
    /// [reversed](Walk::reversed) or [sorted by time](Walk::sorted_by_time). The default is
    /// `false`.
    #[must_use]
    pub fn directories(mut self, visited: bool) -> Walk {
        self.directories = Some(visited);
        self
    }

    /// Also visits symbolic links that are not followed. The default is `false`.
    #[must_use]
    pub fn symlinks(mut self, visited: bool) -> Walk {
        self.symlinks = Some(visited);
        self
    }

    /// How many worker threads there are, at least 1. The default is one per processor core, at
    /// most 12.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Walk {
        self.threads = Some(threads.max(1));
        self
    }

    /// Yields entries in the order of their paths, compared component by component. The iterator
    /// then yields nothing before the walk is complete, and a closure is called from one thread.
    #[must_use]
    pub fn sorted(mut self) -> Walk {
        self.order = Some(Order::Path);
        self
    }

    /// Yields entries sorted by one of their times, the oldest first, and entries with the same
    /// time sorted by path. Entries without this time come last. Otherwise this is like
    /// [`sorted`](Walk::sorted), and the last call decides.
    ///
    /// ```
    /// use heist::{FileTime, Walk};
    ///
    /// let newest = Walk::new("src").sorted_by_time(FileTime::Modified).into_iter().last();
    /// assert!(newest.is_some());
    /// ```
    #[must_use]
    pub fn sorted_by_time(mut self, time: FileTime) -> Walk {
        self.order = Some(Order::Time(time));
        self
    }

    /// Yields sorted entries in the reverse order, the last one first. Without another order, that
    /// of paths is reversed.
    #[must_use]
    pub fn reversed(mut self) -> Walk {
        self.is_reversed = Some(true);
        self
    }

    /// Makes the summary name what was left out, with the reasons: up to `max` entries, and how
    /// many there were besides. A directory counts once, with all that is below it.
    ///
    /// ```
    /// use heist::{SkipKind, Walk};
    ///
    /// let dir = tempfile::tempdir()?;
    /// std::fs::write(dir.path().join(".ignore"), "*.log\n")?;
    /// std::fs::write(dir.path().join("build.log"), "")?;
    /// let summary = Walk::new(dir.path()).name_skipped(100).run(|_| ())?;
    /// assert_eq!(summary.entries, 0);
    /// let log = summary.skipped.entries.iter().find(|entry| entry.path.ends_with("build.log"));
    /// let log = log.expect("it was left out");
    /// assert_eq!(log.kind, SkipKind::Ignored);
    /// assert!(log.why.ends_with(".ignore:1: *.log"), "{}", log.why);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn name_skipped(mut self, max: usize) -> Walk {
        self.max_skipped = Some(max);
        self
    }

    /// Ends the walk when `token` is cancelled. With several calls, each token ends it.
    #[must_use]
    pub fn cancel(mut self, token: &CancelToken) -> Walk {
        self.cancel = self.cancel.or(token.clone());
        self
    }

    /// This walk, with everything that was set of an `earlier` one. If both have set something,
    /// this walk counts, except for what adds up: roots, globs, types and tokens. A root of this
    /// walk takes the place of an earlier one that it lies in.
    pub(crate) fn merged_with(self, earlier: Walk) -> Walk {
        let mut roots = earlier.roots;
        roots.retain(|earlier| !self.roots.iter().any(|root| root.starts_with(earlier)));
        roots.extend(self.roots);
        Walk {
            roots,
            globs: [earlier.globs, self.globs].concat(),
            only: [earlier.only, self.only].concat(),
            except: [earlier.except, self.except].concat(),
            types: [earlier.types, self.types].concat(),
            ignore_files: self.ignore_files.or(earlier.ignore_files),
            hidden: self.hidden.or(earlier.hidden),
            tracking: self.tracking.or(earlier.tracking),
            max_depth: self.max_depth.or(earlier.max_depth),
            max_file_size: self.max_file_size.or(earlier.max_file_size),
            newer: self.newer.or(earlier.newer),
            older: self.older.or(earlier.older),
            changed: self.changed.or(earlier.changed),
            shard: self.shard.or(earlier.shard),
            follow_links: self.follow_links.or(earlier.follow_links),
            same_file_system: self.same_file_system.or(earlier.same_file_system),
            worktrees: self.worktrees.or(earlier.worktrees),
            submodules: self.submodules.or(earlier.submodules),
            directories: self.directories.or(earlier.directories),
            symlinks: self.symlinks.or(earlier.symlinks),
            threads: self.threads.or(earlier.threads),
            order: self.order.or(earlier.order),
            is_reversed: self.is_reversed.or(earlier.is_reversed),
            max_skipped: self.max_skipped.or(earlier.max_skipped),
            cancel: self.cancel.or(earlier.cancel),
        }
    }
}
