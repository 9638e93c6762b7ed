//! `--files`: prints the path of every file that would be searched.

use std::{fs, io, ops::ControlFlow, sync::Arc};

use heist_filter::{Filter, Problem};
use heist_printer::{Admission, Output, PathPrefix, Paths};
use heist_walk::{Assist, Entry, Error, FileId, Helpers, OrderedVisitor, Visitor};

use super::{
    found::{Found, Worker},
    walk::walk,
};
use crate::{
    haystack::STDIN_NAME,
    index::{KnownTree, ListFiles, ListScratch, pass_whole},
    messages::Messages,
    output::{Destination, LocalOutput, Stdout, StdoutWorker},
    progress::Counts,
    resolved::ResolvedArgs,
};

/// Lists all wanted files.
pub(crate) fn list(
    args: &ResolvedArgs,
    filter: &Filter,
    stdout: &Stdout,
    messages: &Messages,
) -> Found {
    let paths = Paths::new(&args.printer);
    pass_whole(args);
    walk(args, filter, stdout, messages, |output| List {
        output,
        paths: &paths,
        quiet: args.quiet,
        messages,
        found: Found::default(),
        counts: args.progress.as_ref().map(|progress| progress.worker()),
        known_tree: args.known_tree.as_deref(),
        skip: args.walk.skip,
        scratch: ListScratch::default(),
        prefix: PathPrefix::default(),
        path: Vec::new(),
    })
}

/// One worker's part of the list.
struct List<'a> {
    output: StdoutWorker<'a>,
    paths: &'a Paths,
    quiet: bool,
    messages: &'a Messages,
    found: Found,
    /// What has been visited, if that is shown.
    counts: Option<Arc<Counts>>,
    /// What passes whole directories, if anything does.
    known_tree: Option<&'a KnownTree>,
    /// The file that output is written to.
    skip: Option<FileId>,
    /// Scratch space for directories that are passed whole.
    scratch: ListScratch<'a>,
    prefix: PathPrefix,
    path: Vec<u8>,
}

impl Visitor for List<'_> {
    const WHOLE: bool = true;

    fn entry(&mut self, file: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
        if let Err(error) = exists(file) {
            self.messages.path_error(file.path().as_os_str().as_encoded_bytes(), &error);
            return ControlFlow::Continue(());
        }
        self.found.any_file = true;
        self.found.any_match = true;
        if let Some(counts) = &self.counts {
            counts.add_file();
        }
        if self.quiet {
            return ControlFlow::Break(());
        }
        let (dir, name) =
            if file.is_stdin() { (&b""[..], STDIN_NAME) } else { (file.dir(), file.name()) };
        match &mut self.output {
            StdoutWorker::AsFound(output) => {
                self.paths.write_path(output.unordered(), dir, name);
                output.record()
            }
            StdoutWorker::Sorted(output) => {
                self.paths.write_path(output.unordered(file), dir, name);
                output.record(file)
            }
            StdoutWorker::Limited(output) => {
                output.begin_haystack();
                match output.admit() {
                    Admission::Print => {}
                    Admission::Omit => return ControlFlow::Continue(()),
                    Admission::Stop => return ControlFlow::Break(()),
                }
                self.paths.write_path(output.unordered(), dir, name);
                output.record()
            }
        }
    }

    fn whole(&mut self, path: &[u8], number: u32) -> Option<ControlFlow<()>> {
        let StdoutWorker::AsFound(output) = &mut self.output else { return None };
        let mut list = WholePaths {
            output,
            paths: self.paths,
            prefix: &mut self.prefix,
            path: &mut self.path,
            is_prefix: false,
            has_file: false,
        };
        let tree = self.known_tree?;
        let flow = tree.list_below(number, path, self.skip, &mut self.scratch, &mut list)?;
        self.found.any_file |= list.has_file;
        self.found.any_match |= list.has_file;
        Some(flow)
    }

    fn takes_whole_at_once(&self) -> bool {
        self.known_tree.is_some_and(KnownTree::is_listed_at_once)
    }

    fn error(&mut self, error: Error) {
        self.messages.walk_error(&error);
    }

    fn problem(&mut self, problem: Problem) {
        self.messages.ignore_problem(&problem);
    }
}

/// Bytes after which paths are written, at the end of a directory. They fit into an empty pipe
/// together with those of most directories; what does not fit would wait for its reader.
const MOST_OF_PIPE: usize = 48 << 10;

/// Prints the paths of files in directories that are passed whole.
struct WholePaths<'w, 'a> {
    output: &'w mut LocalOutput<'a, Destination>,
    paths: &'w Paths,
    /// What precedes the names of files, if that depends on the directory alone.
    prefix: &'w mut PathPrefix,
    is_prefix: bool,
    /// The directory, if it does not.
    path: &'w mut Vec<u8>,
    has_file: bool,
}

impl ListFiles for WholePaths<'_, '_> {
    fn enter(&mut self, dir: &[u8]) {
        self.is_prefix = self.paths.prefix(dir, self.prefix);
        if !self.is_prefix {
            self.path.clear();
            self.path.extend_from_slice(dir);
        }
    }

    fn file(&mut self, names: &[u8], len: usize) {
        self.has_file = true;
        let out = self.output.unordered();
        match self.is_prefix {
            true => self.paths.write_name(out, self.prefix, names, len),
            false => self.paths.write_path(out, self.path, &names[..len]),
        }
    }

    fn leave(&mut self) -> ControlFlow<()> {
        match self.output.len() {
            MOST_OF_PIPE.. => self.output.try_flush(),
            _ => self.output.record(),
        }
    }
}

impl OrderedVisitor for List<'_> {
    fn begin(&mut self, key: &[u8]) {
        self.output.begin(key);
    }

    fn spawn(&mut self, keys: &mut dyn Iterator<Item = &[u8]>) {
        self.output.spawn(keys);
    }

    fn end(&mut self) {
        self.output.end();
    }
}

impl Assist for List<'_> {
    fn before_park(&mut self) -> ControlFlow<()> {
        self.output.try_flush()
    }
}

/// Checks that a path on the command line is a file. The walk knows only that it is no directory,
/// which holds for `file/`, `file/name` and a link to either; a search fails to open them.
fn exists(file: &Entry<'_>) -> io::Result<()> {
    if file.is_explicit() && !file.is_stdin() {
        fs::metadata(file.path())?;
    }
    Ok(())
}

impl Worker for List<'_> {
    fn found(&self) -> Found {
        self.found
    }
}
