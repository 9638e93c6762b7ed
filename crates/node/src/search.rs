//! The search of files.

use std::{path::PathBuf, sync::Arc, time::Duration};

use heist::{BatchOptions, Batches};
use napi::{
    Env, Result,
    bindgen_prelude::{Either, Object},
};
use napi_derive::napi;

use crate::{
    hits::HitBatch,
    options::Selection,
    pattern::NativePattern,
    problem::{Failure, Problem},
    shown::Account,
    text::{GivenPath, path_of},
    waiter::promise,
};

/// What a search does with the files that are selected.
#[napi(object, object_to_js = false)]
pub struct SearchOptions {
    /// Lines before each hit.
    pub before: u32,
    /// Lines behind each hit.
    pub after: u32,
    /// Whether binary files are searched like text.
    pub binary: bool,
    /// Lines to show.
    pub limit: Option<i64>,
    /// Lines to pass over before.
    pub offset: i64,
    /// How long the search may take, in ms.
    pub timeout: Option<f64>,
    /// Whether indexes are used.
    pub index: bool,
    /// Where indexes are, if not where those of the user are.
    pub index_home: Option<GivenPath>,
    /// How many files that were left out are named.
    pub skipped: Option<u32>,
}

/// A search that runs.
#[napi]
pub struct NativeSearch {
    run: Arc<Run>,
}

/// The threads of a search, and what decides which of its errors are thrown.
struct Run {
    batches: Batches,
    roots: Vec<PathBuf>,
}

/// What a reader gets: hits, or the end.
#[napi(object, object_from_js = false)]
pub struct Step {
    /// Hits; none once the search is over.
    pub batch: Option<HitBatch>,
    /// The account of the search, once it is over.
    pub shown: Option<Account>,
    /// The error that is thrown at the end: one about a root, or that kept the search from
    /// starting.
    pub problem: Option<Problem>,
}

/// Starts the search for the lines that match `pattern`.
#[napi(catch_unwind)]
pub fn search(
    pattern: &NativePattern,
    selection: Selection,
    options: SearchOptions,
) -> Either<NativeSearch, Failure> {
    match start(pattern, selection, options) {
        Ok(run) => Either::A(NativeSearch { run: Arc::new(run) }),
        Err(problem) => Either::B(problem.into()),
    }
}

fn start(
    pattern: &NativePattern,
    selection: Selection,
    options: SearchOptions,
) -> std::result::Result<Run, Box<Problem>> {
    let no_such_time = |ms| move |_| Problem::of_argument(format!("no such timeout: {ms} ms"));
    let timeout = options
        .timeout
        .map(|ms| Duration::try_from_secs_f64(ms / 1000.0).map_err(no_such_time(ms)));
    let timeout = timeout.transpose()?;
    let roots = selection.root_paths();
    let mut walk = selection.walk()?;
    if let Some(max) = options.skipped {
        walk = walk.name_skipped(max as usize);
    }
    let matcher = pattern.compiled.matcher().clone();
    let mut search = heist::Search::with_matcher(matcher).walk(walk);
    search = search.context(options.before as usize, options.after as usize);
    if options.binary {
        search = search.binary_as_text();
    }
    if let Some(limit) = options.limit {
        search = search.limit(limit.unsigned_abs());
    }
    search = match (options.index, options.index_home) {
        (false, _) => search,
        (true, None) => search.indexes_of_user(),
        (true, Some(home)) => search.indexes_in(path_of(&home)),
    };
    let offset = options.offset.unsigned_abs();
    Ok(Run { batches: Batches::new(search, BatchOptions { offset, timeout }), roots })
}

#[napi]
impl NativeSearch {
    /// A promise of the next step.
    ///
    /// # Errors
    /// No thread can be started.
    #[napi(ts_return_type = "Promise<Step>")]
    pub fn next<'env>(&self, env: &'env Env) -> Result<Object<'env>> {
        let run = Arc::clone(&self.run);
        promise(env, move || run.step())
    }

    /// The next step, which is waited for.
    #[napi(catch_unwind)]
    pub fn next_sync(&self) -> Step {
        self.run.step()
    }

    /// Ends the search; the hits that were found can still be read.
    #[napi]
    pub fn cancel(&self) {
        self.run.batches.cancel();
    }

    /// Ends the search and drops the hits that were not read.
    #[napi]
    pub fn close(&self) {
        self.run.batches.close();
    }
}

impl Run {
    /// Waits for hits or the end.
    fn step(&self) -> Step {
        if let Some(hits) = self.batches.next_batch() {
            return Step { batch: Some(HitBatch::new(hits)), shown: None, problem: None };
        }
        match self.batches.finish() {
            Ok(shown) => {
                let of_root = shown.errors.iter().find(|error| self.is_of_root(error));
                let problem = of_root.map(Problem::from);
                Step { batch: None, shown: Some(Account::from(&shown)), problem }
            }
            Err(error) => Step { batch: None, shown: None, problem: Some(error.into()) },
        }
    }

    fn is_of_root(&self, error: &heist::Error) -> bool {
        let is_root = |path| self.roots.iter().any(|root| root == path);
        !matches!(error, heist::Error::RuleFile(_)) && error.path().is_some_and(is_root)
    }
}
