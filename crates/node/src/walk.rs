//! Lists of files and directories.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use heist::{CancelToken, Entries, FileType, OwnedEntry, Walk};
use napi::{
    Env, Result,
    bindgen_prelude::{Buffer, Either, Object},
};
use napi_derive::napi;

use crate::{
    options::Selection,
    problem::{Failure, Problem},
    text::path_value,
    waiter::promise,
};

/// Entries that are received at a time.
const ENTRIES_PER_STEP: usize = 1024;

/// Which entries a walk yields, besides files.
#[napi(object, object_to_js = false)]
pub struct WalkOptions {
    /// Whether directories are listed too.
    pub directories: bool,
    /// Whether symbolic links are listed too.
    pub symlinks: bool,
    /// Whether symbolic links are followed.
    pub follow: bool,
}

/// A walk that is read step by step.
#[napi]
pub struct NativeWalk {
    run: Arc<Run>,
}

struct Run {
    stage: Mutex<Stage>,
    roots: Vec<PathBuf>,
    token: CancelToken,
}

/// How far a walk has come.
enum Stage {
    Ready(Box<Walk>),
    Running(Entries),
    Over,
}

/// Entries as a few arrays for many of them.
#[napi(object, object_from_js = false)]
pub struct EntryBatch {
    /// The paths.
    pub paths: Vec<String>,
    /// The paths that are not UTF-8.
    pub raw: Vec<RawPath>,
    /// What each entry is.
    pub kinds: Vec<&'static str>,
    /// How deep below its root each entry is.
    pub depths: Vec<u32>,
    /// Errors about paths below the roots.
    pub problems: Vec<Problem>,
    /// The error that is thrown: one about a root, or that kept the walk from starting.
    pub problem: Option<Problem>,
    /// Whether these were the last entries.
    pub is_last: bool,
}

/// A path that is not UTF-8.
#[napi(object, object_from_js = false)]
pub struct RawPath {
    /// The index of its entry.
    pub index: u32,
    /// The path.
    pub bytes: Buffer,
}

/// A walk of what `selection` selects, which begins with its first step.
#[napi(catch_unwind)]
pub fn walk(selection: Selection, options: WalkOptions) -> Either<NativeWalk, Failure> {
    let roots = selection.root_paths();
    match selection.walk() {
        Ok(walk) => {
            let token = CancelToken::new();
            let walk = walk.directories(options.directories).symlinks(options.symlinks);
            let walk = walk.follow_links(options.follow).cancel(&token);
            let stage = Mutex::new(Stage::Ready(Box::new(walk)));
            Either::A(NativeWalk { run: Arc::new(Run { stage, roots, token }) })
        }
        Err(problem) => Either::B(problem.into()),
    }
}

#[napi]
impl NativeWalk {
    /// A promise of the next entries.
    ///
    /// # Errors
    /// No thread can be started.
    #[napi(ts_return_type = "Promise<EntryBatch>")]
    pub fn next<'env>(&self, env: &'env Env) -> Result<Object<'env>> {
        let run = Arc::clone(&self.run);
        promise(env, move || run.step())
    }

    /// The next entries, which are waited for.
    #[napi(catch_unwind)]
    pub fn next_sync(&self) -> EntryBatch {
        self.run.step()
    }

    /// Ends the walk.
    #[napi]
    pub fn close(&self) {
        self.run.token.cancel();
    }
}

impl Run {
    /// Waits for entries. Where the walk sorts them, the first step waits for all.
    fn step(&self) -> EntryBatch {
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        let mut entries = match std::mem::replace(&mut *stage, Stage::Over) {
            Stage::Ready(walk) => walk.into_iter(),
            Stage::Running(entries) => entries,
            Stage::Over => return EntryBatch::new(),
        };
        let mut batch = EntryBatch::new();
        let mut received = 0;
        for entry in entries.by_ref().take(ENTRIES_PER_STEP) {
            received += 1;
            match entry {
                Ok(entry) => batch.push(&entry),
                Err(error) if self.is_fatal(&error) => {
                    // What was found before the error is yielded before it is thrown.
                    batch.problem.get_or_insert(error.into());
                }
                Err(error) => batch.problems.push(error.into()),
            }
        }
        batch.is_last = received < ENTRIES_PER_STEP;
        if !batch.is_last {
            *stage = Stage::Running(entries);
        }
        batch
    }

    fn is_fatal(&self, error: &heist::Error) -> bool {
        let is_root = |path| self.roots.iter().any(|root| root == path);
        !matches!(error, heist::Error::RuleFile(_)) && error.path().is_none_or(is_root)
    }
}

impl EntryBatch {
    fn new() -> EntryBatch {
        EntryBatch {
            paths: Vec::new(),
            raw: Vec::new(),
            kinds: Vec::new(),
            depths: Vec::new(),
            problems: Vec::new(),
            problem: None,
            is_last: true,
        }
    }

    fn push(&mut self, entry: &OwnedEntry) {
        let path = path_value(&entry.path());
        if let Some(bytes) = path.bytes {
            self.raw.push(RawPath { index: self.paths.len() as u32, bytes });
        }
        self.paths.push(path.text);
        self.kinds.push(match entry.file_type() {
            FileType::File => "file",
            FileType::Dir => "directory",
            FileType::Symlink => "symlink",
            FileType::Other => "other",
        });
        self.depths.push(u32::try_from(entry.depth()).unwrap_or(u32::MAX));
    }
}
