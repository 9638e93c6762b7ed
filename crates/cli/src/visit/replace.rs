//! `--write`: the matches in every wanted file become edits, which are written after the search.

use std::{
    collections::HashSet,
    fs::File,
    io::{self, Read as _, Seek as _},
    ops::ControlFlow,
    path::PathBuf,
};

use heist_filter::{Filter, Problem};
use heist_matcher::{Finder, Matcher};
use heist_printer::LineMatches;
use heist_replace::{Edit, FileEdits, Roots};
use heist_searcher::{BinaryPolicy, Finish, Flow, Line, Searcher, Sink, Wants};
use heist_walk::{Assist, DirVisitor, Entry, Error, Helpers, OrderedVisitor, Visitor};

use super::tree::visit_tree;
use crate::{
    resolved::{BinaryRules, ResolvedArgs},
    texts::messages::Messages,
};

/// How a file begins that stands for one in Git LFS.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/";

/// The bytes at the beginning of a file that decide whether it is edited.
const HEAD_BYTES: u64 = 64;

const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";

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
        finder: matcher.finder(),
        searcher: Searcher::new(args.searcher.without_context()),
        matches: LineMatches::new(&args.printer),
        binary: args.binary,
        roots,
        messages,
        found: Vec::new(),
    });
    let mut files: Vec<FileEdits> =
        report.visitors.into_iter().flat_map(|visitor| visitor.found).collect();
    files.sort_by(|a, b| a.path().cmp(b.path()));
    // A file that several paths lead to is written once.
    let mut seen = HashSet::<PathBuf>::new();
    files.retain(|file| seen.insert(file.real_path().to_owned()));
    files
}

/// One worker's search.
struct Replace<'a> {
    finder: Finder,
    searcher: Searcher,
    matches: LineMatches,
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
        let mut reader = file.open()?.file;
        let metadata = reader.metadata()?;
        let (head, mark) = begin(&mut reader)?;
        let binary = match file.is_explicit() {
            true => self.binary.explicit,
            false => self.binary.walked,
        };
        self.searcher.set_binary(binary);
        let mut sink = EditSink {
            matches: &mut self.matches,
            shift: mark.len() as u64,
            edits: Vec::new(),
            has_nul: false,
            encoding: None,
        };
        self.searcher.search_file(&mut self.finder, &reader, &mut sink)?;
        let EditSink { edits, has_nul, encoding, .. } = sink;
        if edits.is_empty() {
            return Ok(());
        }
        let refuse = |why: &str| Err(io::Error::other(format!("not written: {why}")));
        if has_nul && binary != BinaryPolicy::Text {
            return refuse("it is binary: it contains a NUL byte");
        }
        if encoding.is_some() || matches!(head.get(..2), Some(b"\xff\xfe" | b"\xfe\xff")) {
            return refuse("its text is encoded in another way than UTF-8");
        }
        if head.starts_with(LFS_POINTER) && !file.is_explicit() {
            return refuse("it stands for a file in Git LFS");
        }
        match FileEdits::new(&file.path(), &metadata, self.roots, edits) {
            Ok(edits) => self.found.push(edits),
            Err(error) => return Err(io::Error::other(error.reason())),
        }
        Ok(())
    }
}

/// The first bytes of `file`, and the mark of UTF-8 among them, which the search leaves out.
fn begin(file: &mut File) -> io::Result<(Vec<u8>, &'static [u8])> {
    let mut head = Vec::new();
    file.take(HEAD_BYTES).read_to_end(&mut head)?;
    file.rewind()?;
    let mark = if head.starts_with(UTF8_MARK) { UTF8_MARK } else { b"" };
    Ok((head, mark))
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

/// Turns the matches in lines into edits.
struct EditSink<'m> {
    matches: &'m mut LineMatches,
    /// The bytes of the file before the text.
    shift: u64,
    edits: Vec<Edit>,
    has_nul: bool,
    encoding: Option<&'static str>,
}

impl Sink for EditSink<'_> {
    fn wants(&self) -> Wants {
        Wants::default()
    }

    fn matched_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.matches.find(finder, line)?;
        for (index, span) in self.matches.spans().iter().enumerate() {
            let (old, new) = (&line.bytes[span.clone()], self.matches.replacement(index));
            let new = new.unwrap_or_default();
            if old != new {
                let at = line.offset + span.start as u64 + self.shift;
                self.edits.push(Edit { at, old: old.to_vec(), new: new.to_vec() });
            }
        }
        Flow::Continue(())
    }

    fn binary(&mut self, _: u64) -> Flow {
        self.has_nul = true;
        Flow::Continue(())
    }

    fn finish(&mut self, finish: &Finish) {
        self.has_nul |= finish.binary_offset.is_some();
        self.encoding = finish.encoding;
    }
}
