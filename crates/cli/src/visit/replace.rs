//! `--write`: the matches in every wanted file become edits, which are written after the search.

use std::{
    io::{self, Seek as _},
    ops::ControlFlow,
    sync::{Mutex, PoisonError},
};

use heist_filter::{Filter, Problem};
use heist_printer::{Admission, Limit as _};
use heist_replace::{FileEdits, MatchEditor, Roots, sort_files};
use heist_walk::{Assist, DirVisitor, Entry, Error, Helpers, OrderedVisitor, Visitor};

use super::{
    found::{Found, Worker},
    search::{FileTest, Sought},
    tree::visit_tree_plainly,
    walk::walk,
};
use crate::{
    output::{Stdout, StdoutWorker},
    resolved::{BinaryRules, ResolvedArgs},
    texts::messages::Messages,
};

/// Searches all wanted files, and turns their matches into edits, as many as the limits of `stdout`
/// admit. Returns the files with edits, sorted by path.
pub(crate) fn edits(
    args: &ResolvedArgs,
    filter: &Filter,
    sought: &Sought<'_>,
    roots: &Roots,
    stdout: &Stdout,
    messages: &Messages,
) -> Vec<FileEdits> {
    let found = Mutex::new(Vec::new());
    let visitor = |limits| Replace {
        editor: MatchEditor::new(sought.matcher, &args.searcher, &args.printer),
        test: sought.per_file.as_ref().map(|condition| condition.test(&args.searcher)),
        limits,
        binary: args.binary,
        roots,
        messages,
        any_match: false,
        found: &found,
    };
    match stdout.budget() {
        Some(_) => drop(walk(args, filter, stdout, messages, |output| visitor(Some(output)))),
        None => drop(visit_tree_plainly(args, filter, || visitor(None))),
    }
    let mut files = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    sort_files(&mut files);
    files
}

/// One worker's search.
struct Replace<'a> {
    editor: MatchEditor,
    /// What files must meet as a whole, if they have to.
    test: Option<FileTest<'a>>,
    /// What admits lines if results are limited. Nothing is printed.
    limits: Option<StdoutWorker<'a>>,
    binary: BinaryRules,
    roots: &'a Roots,
    messages: &'a Messages,
    any_match: bool,
    /// The files with edits, of all workers.
    found: &'a Mutex<Vec<FileEdits>>,
}

impl Replace<'_> {
    /// Notes the edits of `file`, if it has matches.
    fn search(&mut self, file: &Entry<'_>) -> io::Result<()> {
        if file.is_explicit() && !file.metadata()?.is_file() {
            // Opening a pipe would wait for who writes it.
            return Err(io::Error::other("not written: it is no regular file"));
        }
        let mut opened = file.open()?.file;
        let binary = match file.is_explicit() {
            true => self.binary.explicit,
            false => self.binary.walked,
        };
        if let Some(test) = &mut self.test {
            if test.contents(&opened, binary)?.is_empty() {
                return Ok(());
            }
            opened.rewind()?;
        }
        let path = file.path();
        let Replace { editor, limits, roots, .. } = self;
        // With --changed-lines, it decides which lines are searched.
        editor.searcher().set_path(path.as_os_str().as_encoded_bytes());
        let edits = match limits {
            None => editor.edits(&path, &mut opened, binary, file.is_explicit(), roots),
            Some(limits) => {
                limits.begin_haystack();
                let mut admit = || admission(limits);
                let (file, is_named) = (&mut opened, file.is_explicit());
                editor.admitted_edits(&path, file, binary, is_named, roots, &mut admit)
            }
        };
        if let Some(edits) = edits.map_err(|error| io::Error::other(error.reason()))? {
            self.any_match = true;
            self.found.lock().unwrap_or_else(PoisonError::into_inner).push(edits);
        }
        Ok(())
    }
}

/// Whether the next result is one of those that are written. It takes no bytes of output.
fn admission(limits: &mut StdoutWorker<'_>) -> Admission {
    let admission = limits.admit();
    if let Admission::Print | Admission::PrintLast = admission {
        limits.settle();
    }
    admission
}

impl Visitor for Replace<'_> {
    fn entry(&mut self, file: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
        if let Err(error) = self.search(file) {
            self.messages.path_error(file.path().as_os_str().as_encoded_bytes(), &error);
        }
        match &mut self.limits {
            Some(limits) => limits.tick(),
            None => ControlFlow::Continue(()),
        }
    }

    fn error(&mut self, error: Error) {
        self.messages.walk_error(&error);
    }

    fn problem(&mut self, problem: Problem) {
        self.messages.ignore_problem(&problem);
    }
}

impl OrderedVisitor for Replace<'_> {
    const FOLLOWS_ITEMS: bool = false;
}
impl DirVisitor for Replace<'_> {}
impl Assist for Replace<'_> {}

impl Worker for Replace<'_> {
    fn found(&self) -> Found {
        Found { any_match: self.any_match, ..Found::default() }
    }
}
