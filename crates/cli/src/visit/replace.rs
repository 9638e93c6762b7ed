//! `--write`: the matches in every wanted file become edits, which are written after the search.

use std::{io, ops::ControlFlow};

use heist_filter::{Filter, Problem};
use heist_matcher::Matcher;
use heist_replace::{FileEdits, MatchEditor, Roots, sort_files};
use heist_walk::{Assist, DirVisitor, Entry, Error, Helpers, OrderedVisitor, Visitor};

use super::tree::visit_tree;
use crate::{
    resolved::{BinaryRules, ResolvedArgs},
    texts::messages::Messages,
};

/// Searches all wanted files, and turns their matches into edits. Returns the files with edits,
/// sorted by path.
pub(crate) fn edits(
    args: &ResolvedArgs,
    filter: &Filter,
    matcher: &Matcher,
    roots: &Roots,
    messages: &Messages,
) -> Vec<FileEdits> {
    let report = visit_tree(args, filter, || Replace {
        editor: MatchEditor::new(matcher, &args.searcher, &args.printer),
        binary: args.binary,
        roots,
        messages,
        found: Vec::new(),
    });
    let mut files: Vec<FileEdits> =
        report.visitors.into_iter().flat_map(|visitor| visitor.found).collect();
    sort_files(&mut files);
    files
}

/// One worker's search.
struct Replace<'a> {
    editor: MatchEditor,
    binary: BinaryRules,
    roots: &'a Roots,
    messages: &'a Messages,
    /// The files with edits.
    found: Vec<FileEdits>,
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
        let path = file.path();
        let edits = self.editor.edits(&path, &mut opened, binary, file.is_explicit(), self.roots);
        self.found.extend(edits.map_err(|error| io::Error::other(error.reason()))?);
        Ok(())
    }
}

impl Visitor for Replace<'_> {
    fn entry(&mut self, file: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
        if let Err(error) = self.search(file) {
            self.messages.path_error(file.path().as_os_str().as_encoded_bytes(), &error);
        }
        ControlFlow::Continue(())
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
