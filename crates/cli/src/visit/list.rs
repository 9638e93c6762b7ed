//! `--files`: prints the path of every file that would be searched, or a message for it.

use std::{fs, io, ops::ControlFlow, sync::Arc};

use heist_filter::{Filter, Problem};
use heist_printer::{FileMessages, PathPrefix, Paths};
use heist_walk::{
    Assist, DirVisitor, Entry, Error, FileId, Helpers, OrderedVisitor, Visitor, Wants, Whole,
};

use super::{
    found::{Found, Worker},
    walk::walk,
};
use crate::{
    index::{Coverage, ListFiles, ListScratch},
    output::{Destination, LocalOutput, Stdout, StdoutWorker},
    resolved::ResolvedArgs,
    run::{haystack::STDIN_NAME, progress::Counts},
    texts::messages::Messages,
};

/// Lists all wanted files.
pub(crate) fn list(
    args: &ResolvedArgs,
    filter: &Filter,
    stdout: &Stdout,
    messages: &Messages,
) -> Found {
    let paths = Paths::new(&args.printer);
    walk(args, filter, stdout, messages, |output| List {
        output,
        format: match args.prints_messages() {
            true => Format::Messages(FileMessages::new(&args.printer)),
            false => Format::Paths(&paths),
        },
        quiet: args.quiet,
        messages,
        found: Found::default(),
        counts: args.progress.as_ref().map(|progress| progress.worker()),
        coverage: args.coverage.as_deref(),
        skip: args.walk.skip,
        scratch: ListScratch::default(),
        prefix: PathPrefix::default(),
        path: Vec::new(),
    })
}

/// How a file is listed.
enum Format<'a> {
    /// By its path on a line.
    Paths(&'a Paths),
    /// By a message for programs (`--json`).
    Messages(FileMessages),
}

impl Format<'_> {
    fn write_path(&mut self, out: &mut Vec<u8>, dir: &[u8], name: &[u8]) {
        match self {
            Format::Paths(paths) => paths.write_path(out, dir, name),
            Format::Messages(messages) => messages.write_path(out, dir, name),
        }
    }

    /// The number of files listed, if it is printed.
    fn count(&self) -> Option<u64> {
        match self {
            Format::Paths(_) => None,
            Format::Messages(messages) => Some(messages.count()),
        }
    }
}

/// One worker's part of the list.
struct List<'a> {
    output: StdoutWorker<'a>,
    format: Format<'a>,
    quiet: bool,
    messages: &'a Messages,
    found: Found,
    /// What has been visited, if that is shown.
    counts: Option<Arc<Counts>>,
    /// What is known of directories that are taken whole, if anything is.
    coverage: Option<&'a Coverage>,
    /// The file that output is written to.
    skip: Option<FileId>,
    /// Scratch space for directories that are taken whole.
    scratch: ListScratch<'a>,
    prefix: PathPrefix,
    path: Vec<u8>,
}

impl Visitor for List<'_> {
    const WANTED_ENTRIES: Wants = Wants { whole_dirs: true, ..Wants::ONLY_FILES };

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
                self.format.write_path(output.unordered(), dir, name);
                output.record()
            }
            StdoutWorker::Sorted(output) => {
                self.format.write_path(output.unordered(file), dir, name);
                output.record(file)
            }
            StdoutWorker::Limited(output) => {
                output.record(|out| self.format.write_path(out, dir, name))
            }
        }
    }

    fn error(&mut self, error: Error) {
        self.messages.walk_error(&error);
    }

    fn problem(&mut self, problem: Problem) {
        self.messages.ignore_problem(&problem);
    }
}

/// After this many bytes, paths are written at the end of a directory. They fit into an empty pipe
/// together with most directories' paths; what does not fit would wait for its reader.
const MOST_OF_PIPE: usize = 48 << 10;

/// Prints the paths of files in directories that are taken whole.
struct WholePaths<'w, 'a> {
    output: &'w mut LocalOutput<'a, Destination>,
    format: &'w mut Format<'a>,
    /// What prints the names of files, if what precedes them depends on the directory alone.
    prefixed: Option<&'a Paths>,
    prefix: &'w mut PathPrefix,
    /// The directory, if it does not.
    path: &'w mut Vec<u8>,
    has_file: bool,
}

impl ListFiles for WholePaths<'_, '_> {
    fn enter(&mut self, dir: &[u8]) {
        self.prefixed = match *self.format {
            Format::Paths(paths) => paths.prefix(dir, self.prefix).then_some(paths),
            Format::Messages(_) => None,
        };
        if self.prefixed.is_none() {
            self.path.clear();
            self.path.extend_from_slice(dir);
        }
    }

    fn file(&mut self, names: &[u8], len: usize) {
        self.has_file = true;
        let out = self.output.unordered();
        match self.prefixed {
            Some(paths) => paths.write_name(out, self.prefix, names, len),
            None => self.format.write_path(out, self.path, &names[..len]),
        }
    }

    fn leave(&mut self) -> ControlFlow<()> {
        match self.output.len() {
            MOST_OF_PIPE.. => self.output.try_flush(),
            _ => self.output.record(),
        }
    }
}

impl DirVisitor for List<'_> {
    fn whole(&mut self, path: &[u8], number: u32, when: Whole) -> Option<ControlFlow<()>> {
        let coverage = self.coverage?;
        if when == Whole::Found && !coverage.is_listed_at_once() {
            return None;
        }
        let StdoutWorker::AsFound(output) = &mut self.output else { return None };
        let mut list = WholePaths {
            output,
            format: &mut self.format,
            prefixed: None,
            prefix: &mut self.prefix,
            path: &mut self.path,
            has_file: false,
        };
        let flow = coverage.list_below(number, path, self.skip, &mut self.scratch, &mut list)?;
        self.found.any_file |= list.has_file;
        self.found.any_match |= list.has_file;
        Some(flow)
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
        Found { total: self.format.count(), ..self.found }
    }
}
