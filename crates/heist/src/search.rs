//! The search for lines: its builder and what it returns.

use std::{
    io,
    path::{Path, PathBuf},
};

use heist_matcher::{Matcher, MatcherConfig};
use heist_searcher::{BinaryPolicy, SearchConfig, Searcher};

use crate::{
    CancelToken, Error, Format, Hit, IntoFlow, Summary, Walk,
    delivery::Delivery,
    engine::{self, RunOutcome, SearchOptions},
    hit_lane::{FilePath, HitLane, HitReceiver},
    print,
};

/// A search for the lines of files that match a pattern.
///
/// The default searches what `hs PATTERN` searches: the files below the current directory that git
/// does not ignore, hidden ones excluded, up to the first NUL byte of each.
///
/// ```
/// use heist::Search;
///
/// let summary = Search::new("TODO")?.root("src").limit(10).run(|hit| {
///     println!("{}: {}", hit.path().display(), hit.text());
/// })?;
/// assert!(summary.matched_lines <= 10);
/// # Ok::<(), heist::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Search {
    pub(crate) options: SearchOptions,
}

impl Search {
    /// Searches for a regular expression, in the syntax of the crate `regex`.
    ///
    /// # Errors
    /// [`Error::Pattern`] if the pattern does not compile.
    pub fn new(pattern: impl AsRef<str>) -> Result<Search, Error> {
        let matcher = Matcher::new([pattern], &MatcherConfig::default())?;
        Ok(Search::with_matcher(matcher))
    }

    /// Searches with a matcher that the caller has compiled: with several patterns, without regard
    /// to case, for whole words, across lines, and so on.
    ///
    /// ```
    /// use heist::{Case, Matcher, MatcherConfig, Search};
    ///
    /// let config = MatcherConfig { case: Case::Insensitive, ..MatcherConfig::default() };
    /// let matcher = Matcher::new(["todo", "fixme"], &config)?;
    /// Search::with_matcher(matcher).root("src").run(|_| ())?;
    /// # Ok::<(), heist::Error>(())
    /// ```
    #[must_use]
    pub fn with_matcher(matcher: Matcher) -> Search {
        let options = SearchOptions {
            matcher,
            walk: Walk::default(),
            config: SearchConfig { line_numbers: true, ..SearchConfig::default() },
            replacement: None,
            limit: None,
            #[cfg(any(test, feature = "index"))]
            indexes: None,
        };
        Search { options }
    }

    /// Adds a root: a file to search, or a directory with files to search.
    #[must_use]
    pub fn root(mut self, root: impl Into<PathBuf>) -> Search {
        self.options.walk = self.options.walk.root(root);
        self
    }

    /// Selects the files to search. What was set before, here or by another walk, remains in force
    /// unless this walk sets it too. Roots, globs, types and tokens add up, but a root of the walk
    /// that lies in an earlier one takes its place. Directories and links that the walk visits too
    /// are not searched.
    ///
    /// ```
    /// # use heist::{Search, Walk};
    /// Search::new("unsafe")?.walk(Walk::new("src").glob("*.rs").hidden(true)).run(|_| ())?;
    /// # Ok::<(), heist::Error>(())
    /// ```
    #[must_use]
    pub fn walk(mut self, walk: Walk) -> Search {
        self.options.walk = walk.merged_with(self.options.walk);
        self
    }

    /// Searches only files that match `glob` or lie in a directory that does; see [`Walk::only`].
    #[must_use]
    pub fn only(mut self, glob: impl Into<String>) -> Search {
        self.options.walk = self.options.walk.only(glob);
        self
    }

    /// Leaves out files that match `glob` or lie in a directory that does; see [`Walk::exclude`].
    #[must_use]
    pub fn exclude(mut self, glob: impl Into<String>) -> Search {
        self.options.walk = self.options.walk.exclude(glob);
        self
    }

    /// Also reports `before` lines before and `after` lines after each match, as
    /// [`HitKind::Context`](crate::HitKind::Context).
    #[must_use]
    pub fn context(mut self, before: usize, after: usize) -> Search {
        (self.options.config.before_context, self.options.config.after_context) = (before, after);
        self
    }

    /// Reports the lines that do not match.
    #[must_use]
    pub fn invert(mut self) -> Search {
        self.options.config.invert = true;
        self
    }

    /// Searches binary files like text. By default a file is searched up to the block that holds
    /// its first NUL byte.
    #[must_use]
    pub fn binary_as_text(mut self) -> Search {
        self.options.config.binary = BinaryPolicy::Text;
        self
    }

    /// Computes what each line becomes when its matches are replaced, for
    /// [`Hit::replaced_text`]. `$1` and `${name}` stand for groups of the pattern. No file is
    /// changed.
    #[must_use]
    pub fn replacement(mut self, replacement: impl Into<Vec<u8>>) -> Search {
        self.options.replacement = Some(replacement.into());
        self
    }

    /// Ends the search after `lines` matching lines in all.
    #[must_use]
    pub fn limit(mut self, lines: u64) -> Search {
        self.options.limit = Some(lines);
        self
    }

    /// Reports at most `lines` matching lines of each file.
    #[must_use]
    pub fn limit_per_file(mut self, lines: u64) -> Search {
        self.options.config.max_matches = Some(lines);
        self
    }

    /// Reports files in the order of their paths. All threads search; results wait for their turn.
    #[must_use]
    pub fn sorted(mut self) -> Search {
        self.options.walk = self.options.walk.sorted();
        self
    }

    /// The number of worker threads; see [`Walk::threads`].
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Search {
        self.options.walk = self.options.walk.threads(threads);
        self
    }

    /// Leaves files unread if an index in `home` proves that nothing in them matches. `hs
    /// --index-update` builds indexes in `~/.cache/heist`, or in `$XDG_CACHE_HOME/heist`.
    ///
    /// The search reports the same with and without an index, whatever has happened to the files
    /// since it was built: a file is left unread only if its size, its times and its inode are as
    /// they were. There are two exceptions, those of `hs`. A program that had mapped a file into
    /// its memory while it was indexed may change it before the system notes when. A file that
    /// the index's builder could read and the search cannot is no error. All directories are
    /// listed. An index that is absent, damaged, of another version
    /// or not to be trusted is not used, and proves nothing for an [inverted](Search::invert)
    /// search and for patterns without three characters that every match contains. Indexes
    /// exist on Linux only.
    ///
    /// ```no_run
    /// # use heist::Search;
    /// let search = Search::new("mutex_lock")?.root("linux").indexes_in("/home/ann/.cache/heist");
    /// search.run(|hit| println!("{}", hit.path().display()))?;
    /// # Ok::<(), heist::Error>(())
    /// ```
    #[cfg(any(test, feature = "index"))]
    #[must_use]
    pub fn indexes_in(mut self, home: impl Into<PathBuf>) -> Search {
        self.options.indexes = Some(home.into());
        self
    }

    /// Uses the indexes of the user, where `hs` keeps them, as [`indexes_in`](Search::indexes_in)
    /// does; none if the environment names no place for them.
    #[cfg(any(test, feature = "index"))]
    #[must_use]
    pub fn indexes_of_user(self) -> Search {
        match heist_index::Home::of_user(|name| std::env::var_os(name)) {
            Some(home) => self.indexes_in(home.path()),
            None => self,
        }
    }

    /// Ends the search when `token` is cancelled. With several calls, each token ends it.
    #[must_use]
    pub fn cancel(mut self, token: &CancelToken) -> Search {
        self.options.walk = self.options.walk.cancel(token);
        self
    }

    /// Searches, and calls `on_hit` for each reported line.
    ///
    /// The calls come from worker threads, one at a time; those for one file are consecutive and in
    /// the order of its lines. Files come in no particular order unless the search is
    /// [`sorted`](Search::sorted). `Break` ends the search.
    ///
    /// # Errors
    /// A glob or file type that is not valid, or no current directory. Paths that cannot be read do
    /// not end the search; they are in [`Summary::errors`].
    pub fn run<R: IntoFlow>(
        &self,
        on_hit: impl FnMut(&Hit<'_>) -> R + Send,
    ) -> Result<Summary, Error> {
        let options = &self.options;
        let receiver = HitReceiver::new(on_hit, options.limit);
        let delivery = Delivery::new(receiver, options.walk.cancel.clone());
        let (outcome, _) = engine::run(options, &delivery, || HitLane::new(&delivery, options))?;
        Ok(delivery.into_receiver().summary(outcome))
    }

    /// Searches `bytes` as if the file at `path` contained them, on the calling thread, and calls
    /// `on_hit` for each reported line. No file is read, and what selects files has no effect: a
    /// program searches text that it has in memory, such as the unsaved text of an editor.
    ///
    /// ```
    /// use heist::Search;
    ///
    /// let mut numbers = Vec::new();
    /// let text = b"one\ntwo\nthree\n";
    /// let summary = Search::new("t")?
    ///     .run_on_bytes("unsaved.txt", text, |hit| numbers.push(hit.line_number()));
    /// assert_eq!(numbers, [2, 3]);
    /// assert_eq!(summary.matches, 2);
    /// # Ok::<(), heist::Error>(())
    /// ```
    ///
    /// A failure of the regex engine is in [`Summary::errors`]. A [`CancelToken`] is looked at
    /// before the search and at each line that matches, not between them.
    pub fn run_on_bytes<R: IntoFlow>(
        &self,
        path: impl AsRef<Path>,
        bytes: &[u8],
        on_hit: impl FnMut(&Hit<'_>) -> R,
    ) -> Summary {
        let (options, path) = (&self.options, path.as_ref());
        let receiver = HitReceiver::new(on_hit, options.limit);
        let delivery = Delivery::new(receiver, options.walk.cancel.clone());
        let mut outcome = RunOutcome::default();
        if !delivery.is_over() {
            let mut lane = HitLane::new(&delivery, options);
            let mut sink = lane.sink_of(FilePath::Known(path.into()), None);
            let mut searcher = Searcher::new(options.config.clone());
            match searcher.search_slice(&mut options.matcher.finder(), bytes, &mut sink) {
                Ok(()) => outcome.files_searched = 1,
                Err(source) => outcome.errors.push(Error::Read { path: path.into(), source }),
            }
        }
        outcome.is_complete = !delivery.is_over();
        delivery.into_receiver().summary(outcome)
    }

    /// Searches, and writes the results to `out` as `hs` prints them, the results of each file in
    /// one piece.
    ///
    /// ```
    /// use heist::{Format, Search};
    ///
    /// let mut out = Vec::new();
    /// Search::new("fn main")?.root("examples").sorted().print(Format::Lines, &mut out)?;
    /// let out = String::from_utf8_lossy(&out);
    /// # #[cfg(unix)]
    /// assert!(out.lines().any(|line| line.starts_with("examples/grep.rs:5:fn main()")), "{out}");
    /// # Ok::<(), heist::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors that [`run`](Search::run) returns, and [`Error::Write`] if `out` fails.
    pub fn print(&self, format: Format, out: impl io::Write + Send) -> Result<Summary, Error> {
        print::run(&self.options, format, out)
    }
}
