//! Replacing what a search finds, in the files themselves.

use std::{io, ops::ControlFlow};

use heist_filter::Problem;
use heist_printer::PrinterConfig;
use heist_replace::{
    Applied, ChangeLog, FileEdits, MatchEditor, Roots, apply, sort_files, undo, write_patch,
};
use heist_searcher::{BinaryPolicy, Stop};
use heist_walk::{Entry, Helpers, Visitor};

use crate::{CancelToken, Error, Search, engine::SearchOptions};

/// The edits that replace what a search has found, or that put a change back.
///
/// [`Search::edits`] finds them; no file is changed until [`apply`](Edits::apply) is called. Each
/// file is then its old text or its new one at any time, keeps its mode, its owner and its
/// attributes, and is refused if it has changed since the search.
///
/// ```
/// use heist::{Edits, Search, replace::ChangeLog};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let (dir, state) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// # let (dir, state) = (dir.path(), state.path());
/// std::fs::write(dir.join("inn.txt"), "one beer\n")?;
/// let edits = Search::new("beer")?.root(dir).replacement("tea").edits()?;
/// let patch = String::from_utf8(edits.patch()?)?;
/// assert!(patch.ends_with("@@ -1,1 +1,1 @@\n-one beer\n+one tea\n"), "{patch}");
///
/// let log = ChangeLog::new(state.join("changes"));
/// assert_eq!(edits.apply(Some(&log))?.written.len(), 1);
/// assert_eq!(std::fs::read_to_string(dir.join("inn.txt"))?, "one tea\n");
///
/// let undoing = Edits::undoing(&log, None)?.expect("there is a change");
/// undoing.apply(Some(&log))?;
/// assert_eq!(std::fs::read_to_string(dir.join("inn.txt"))?, "one beer\n");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Edits {
    files: Vec<FileEdits>,
    errors: Vec<Error>,
    is_complete: bool,
}

impl Search {
    /// Finds what [`replacement`](Search::replacement) would change in the files, as edits sorted
    /// by path. Without a replacement, matches are deleted. A file that several paths lead to has
    /// its edits once.
    ///
    /// Lines of context and a [limit](Search::limit) for all files have no effect;
    /// [`limit_per_file`](Search::limit_per_file) has.
    ///
    /// # Errors
    /// Those of [`run`](Search::run). Files that have matches and may not be written are in
    /// [`Edits::errors`]: binary files, hard links, files in UTF-16, and so on.
    pub fn edits(&self) -> Result<Edits, Error> {
        let options = &self.options;
        let roots = Roots::new(options.walk.roots())?;
        #[cfg(any(test, feature = "index"))]
        let indexes = crate::engine::indexes_of(options);
        let visited = options.walk.visit(|| EditWorker {
            editor: editor(options),
            binary: options.config.binary,
            roots: &roots,
            #[cfg(any(test, feature = "index"))]
            indexes: &indexes,
            cancel: &options.walk.cancel,
            files: Vec::new(),
            errors: Vec::new(),
        })?;
        let mut edits = Edits {
            files: Vec::new(),
            errors: visited.problems,
            is_complete: visited.is_complete && !options.walk.cancel.is_cancelled(),
        };
        for worker in visited.visitors {
            edits.files.extend(worker.files);
            edits.errors.extend(worker.errors);
        }
        sort_files(&mut edits.files);
        Ok(edits)
    }
}

impl Edits {
    /// What puts the change with this number in `log` back, or the last one; `None` if there is
    /// none. Files that have changed since are in [`errors`](Edits::errors).
    ///
    /// # Errors
    /// The journal cannot be read, or has no such change.
    pub fn undoing(log: &ChangeLog, number: Option<u64>) -> Result<Option<Edits>, Error> {
        log.sweep()?;
        Ok(undo(log, number)?.map(|undoing| Edits {
            files: undoing.files,
            errors: undoing.refused.into_iter().map(Error::Edit).collect(),
            is_complete: true,
        }))
    }

    /// The files, with the edits of each.
    #[must_use]
    pub fn files(&self) -> &[FileEdits] {
        &self.files
    }

    /// Paths that could not be walked or read, rule files with mistakes, and files that may not be
    /// written, in no particular order.
    #[must_use]
    pub fn errors(&self) -> &[Error] {
        &self.errors
    }

    /// Whether every file was searched: no token ended the search early.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Keeps the files for which `keep` returns `true`.
    pub fn retain(&mut self, keep: impl FnMut(&FileEdits) -> bool) {
        self.files.retain(keep);
    }

    /// The edits as a unified diff, which `git apply` takes.
    ///
    /// # Errors
    /// [`Error::Edit`] if a file cannot be read or has changed since the search.
    pub fn patch(&self) -> Result<Vec<u8>, Error> {
        let mut patch = Vec::new();
        for file in &self.files {
            write_patch(file, &mut patch)?;
        }
        Ok(patch)
    }

    /// Writes the edits into the files. With `log`, a journal is on the disk before the first file
    /// changes, so that [`undoing`](Edits::undoing) or `hs --undo` puts the old text back.
    ///
    /// The indexes in the result are those of [`files`](Edits::files).
    ///
    /// # Errors
    /// [`Error::Edit`] if the journal cannot be written. Files that cannot be written are in the
    /// result.
    pub fn apply(&self, log: Option<&ChangeLog>) -> Result<Applied, Error> {
        if self.files.is_empty() {
            return Ok(Applied::default());
        }
        let mut journal = log.map(ChangeLog::begin).transpose()?;
        let applied = apply(&self.files, journal.as_mut())?;
        if let Some(journal) = journal.filter(|_| applied.written.is_empty()) {
            journal.discard();
        }
        Ok(applied)
    }
}

fn editor(options: &SearchOptions) -> MatchEditor {
    let replacement = options.replacement.clone().unwrap_or_default();
    let printer = PrinterConfig { replacement: Some(replacement), ..PrinterConfig::default() };
    let mut editor = MatchEditor::new(&options.matcher, &options.config, &printer);
    let cancel = options.walk.cancel.clone();
    editor.searcher().set_stop(Some(Stop::new(move || cancel.is_cancelled())));
    editor
}

/// A worker, which searches one file after the other.
struct EditWorker<'a> {
    editor: MatchEditor,
    binary: BinaryPolicy,
    roots: &'a Roots,
    #[cfg(any(test, feature = "index"))]
    indexes: &'a crate::indexes::Indexes,
    cancel: &'a CancelToken,
    files: Vec<FileEdits>,
    errors: Vec<Error>,
}

impl EditWorker<'_> {
    fn search(&mut self, entry: &Entry<'_>) -> Result<Option<FileEdits>, Error> {
        #[cfg(any(test, feature = "index"))]
        if self.indexes.len_without_match(entry).is_some() {
            return Ok(None);
        }
        let path = entry.path();
        let failed = |source| Error::Read { path: path.clone(), source };
        if entry.is_explicit() && !entry.metadata().map_err(failed)?.is_file() {
            // Opening a pipe would wait for who writes it.
            return Err(failed(io::Error::other("not written: it is no regular file")));
        }
        let mut file = entry.open().map_err(failed)?.file;
        let is_named = entry.is_explicit();
        Ok(self.editor.edits(&path, &mut file, self.binary, is_named, self.roots)?)
    }
}

impl Visitor for EditWorker<'_> {
    fn entry(&mut self, entry: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
        if self.cancel.is_cancelled() {
            return ControlFlow::Break(());
        }
        match self.search(entry) {
            // The search of this file may have been cut off.
            Ok(_) if self.cancel.is_cancelled() => return ControlFlow::Break(()),
            Ok(edits) => self.files.extend(edits),
            Err(error) => self.errors.push(error),
        }
        ControlFlow::Continue(())
    }

    fn error(&mut self, error: heist_walk::Error) {
        self.errors.push(Error::Walk(error));
    }

    fn problem(&mut self, problem: Problem) {
        self.errors.push(Error::RuleFile(problem));
    }
}
