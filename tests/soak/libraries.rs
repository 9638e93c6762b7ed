//! One search with the library crates: walk, filter, matcher, searcher and printer.

use std::{io, ops::ControlFlow, path::Path};

use heist_filter::{Filter, Problem};
use heist_matcher::{Case, Engine, Finder, Matcher};
use heist_printer::{Mode, Printer};
use heist_queue::{IdleKind, QueueKind, Sharing};
use heist_searcher::{BinaryPolicy, End, MappedFile, Searcher, Source};
use heist_walk::{Entry, Error, Helpers, Reader, Root, Visitor, WalkConfig};

use crate::{
    Expected, assert_found,
    mutate::is_expected_error,
    random::{Choose, Rng},
};

/// The search of one worker.
struct Search {
    finder: Finder,
    searcher: Searcher,
    printer: Printer<Vec<u8>>,
    is_mapped: bool,
    path: Vec<u8>,
    /// Error messages.
    errors: Vec<String>,
}

impl Visitor for Search {
    fn entry(&mut self, file: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
        file.path_into(&mut self.path);
        if let Err(error) = self.search(file) {
            self.errors.push(error.to_string());
        }
        ControlFlow::Continue(())
    }

    fn error(&mut self, error: Error) {
        self.errors.push(error.to_string());
    }

    fn problem(&mut self, problem: Problem) {
        self.errors.push(problem.to_string());
    }
}

impl Search {
    fn search(&mut self, file: &Entry<'_>) -> io::Result<()> {
        let opened = file.open()?;
        let end = if opened.short_read_is_eof { End::ShortRead } else { End::EmptyRead };
        let binary = BinaryPolicy::Quit;
        let mut sink = self.printer.sink(Some(&self.path), binary);
        let mapped = if self.is_mapped { MappedFile::new(&opened.file) } else { None };
        if let Some(reader) = mapped {
            let source = Source { reader, end: End::EmptyRead };
            return self.searcher.search(&mut self.finder, source, &mut sink);
        }
        let source = Source { reader: opened.file, end };
        self.searcher.search(&mut self.finder, source, &mut sink)
    }
}

/// Patterns that find `gem`, each with another strategy.
const PATTERNS: [(&str, Engine, Case, bool); 7] = [
    ("gem", Engine::Default, Case::Sensitive, false),
    ("GEM", Engine::Default, Case::Insensitive, false),
    (r"\w{3}$", Engine::Default, Case::Sensitive, false),
    (r"gem\b|nowhere|neither", Engine::Default, Case::Sensitive, false),
    (r"gem\n", Engine::Default, Case::Sensitive, true),
    ("ge(?=m)", Engine::Pcre2, Case::Sensitive, false),
    (r"[ef]m\s*$", Engine::Auto, Case::Smart, false),
];

/// Searches `tree` with random settings and checks the result.
pub(crate) fn search(tree: &Path, rng: &mut Rng) {
    let (pattern, engine, case, multiline) = rng.pick(&PATTERNS);
    let config = heist_matcher::MatcherConfig { engine, case, multiline, ..Default::default() };
    let matcher = Matcher::new(&[pattern.to_string()], &config).expect("a pattern");
    let filter = heist_filter::FilterConfig { cwd: tree.into(), dot: true, ..Default::default() };
    let filter = Filter::new(filter).expect("a filter without globs and types");
    let walk = WalkConfig {
        roots: vec![Root::Path(tree.into())],
        workers: 1 + rng.usize(..8),
        queue: rng.pick(QueueKind::ALL),
        idle: rng.pick(IdleKind::ALL),
        sharing: rng.pick(Sharing::ALL),
        reader: rng.pick(&[Reader::Native, Reader::Portable]),
        follow: rng.usize(..4) == 0,
        slice: 1 + rng.usize(..16),
        ..WalkConfig::default()
    };
    let is_mapped = rng.usize(..4) == 0;
    let (mode, after) = rng.pick(&[
        (None, ":1:a gem"),
        (Some(Mode::Count), ":1"),
        (Some(Mode::FilesWithMatches), ""),
    ]);
    let report = heist_walk::walk(&walk, &filter, |_| Search {
        finder: matcher.finder(),
        searcher: Searcher::new(heist_searcher::SearchConfig {
            line_numbers: mode.is_none(),
            max_matches: mode.is_none().then_some(3),
            ..Default::default()
        }),
        printer: printer(mode),
        is_mapped,
        path: Vec::new(),
        errors: Vec::new(),
    });
    let report = report.unwrap_or_else(|panicked| panic!("{:?}: {walk:?}", panicked.message()));
    let mut output = Vec::new();
    for mut worker in report.visitors {
        output.append(worker.printer.output());
        let stray = worker.errors.iter().find(|error| !is_expected_error(error));
        assert!(stray.is_none(), "{stray:?}");
    }
    let before = format!("{}/", tree.display());
    assert_found(&output, &Expected { before: &before, after, times: 1 }, &|| {
        format!("{pattern} {walk:?}")
    });
}

fn printer(mode: Option<Mode>) -> Printer<Vec<u8>> {
    let config =
        heist_printer::PrinterConfig { with_path: true, line_numbers: true, ..Default::default() };
    match mode {
        None => Printer::lines(&config, Vec::new()),
        Some(mode) => Printer::summary(mode, &config, Vec::new()),
    }
}
