//! A hint where a search on a terminal finds nothing, and a file that was left out matches.

use std::{
    io::{self, IsTerminal},
    ops::ControlFlow,
    path::PathBuf,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use heist_filter::{Filter, FilterConfig};
use heist_matcher::{Finder, Matcher};
use heist_searcher::{BinaryPolicy, Searcher};
use heist_walk::{Entry, Error, Fate, Helpers, Root, Visitor, WalkConfig, why};

use super::{file_pass::visit_files, first_match::FirstMatch, why::reason};
use crate::{contents::Contents, resolved::ResolvedArgs, texts::messages::Messages};

/// How long to look for such a file.
const MAX_LOOK_TIME: Duration = Duration::from_millis(300);

/// The most bytes of a file that is looked into, which bounds how late the end is noticed.
const MAX_SIZE: u64 = 4 << 20;

/// Names one file that was left out and matches, with the reason, if there is a person to read it.
pub(crate) fn hint(args: &ResolvedArgs, filter: &Filter, matcher: &Matcher, messages: &Messages) {
    let is_read = io::stdout().is_terminal() && io::stderr().is_terminal();
    let is_plain = matches!(args.contents, Contents::Plain) && args.walk.more_roots.is_none();
    let is_timed = args.limits.is_some_and(|limits| limits.time.is_some());
    if !is_read || !is_plain || is_timed || args.quiet || args.searcher.invert {
        return;
    }
    let Some((root, below)) = find(args, matcher) else { return };
    let root = &args.walk.roots[root];
    let (fate, _) = why(&args.walk, filter, root, &below);
    let Ok(Fate::LeftOut { path, why }) = fate else { return };
    let see = if why.starts_with("ignored by ") { " (see -u)" } else { "" };
    let why = reason(&path, &below, root, &why) + see;
    let found = match root {
        Root::Path(root) => root.join(below),
        Root::Here | Root::Stdin => below,
    };
    let found = found.display();
    messages.warn(format_args!("nothing was found, but {found} matches, and was left out: {why}"));
}

/// Searches what the walk leaves out, for a moment. Returns a root's index and the path of a file
/// below it that matches.
fn find(args: &ResolvedArgs, matcher: &Matcher) -> Option<(usize, PathBuf)> {
    let config = FilterConfig {
        dotfiles: true,
        dot: false,
        vcs: false,
        exclude: false,
        global: false,
        ignore_files: Vec::new(),
        ..args.filter.clone()
    };
    let filter = Filter::new(config).ok()?;
    let deadline = Instant::now() + MAX_LOOK_TIME;
    let found = Mutex::new(None);
    for (index, root) in args.walk.roots.iter().enumerate() {
        let below = match root {
            Root::Path(path) => path.clone(),
            Root::Here => PathBuf::new(),
            Root::Stdin => continue,
        };
        let config = WalkConfig { roots: vec![root.clone()], order: None, ..args.walk.clone() };
        let max_filesize = Some(config.max_filesize.unwrap_or(MAX_SIZE).min(MAX_SIZE));
        let config = WalkConfig { on_skip: None, max_deferred_files: 0, max_filesize, ..config };
        let visitor = || {
            let mut searcher = Searcher::new(args.searcher.clone());
            searcher.set_binary(BinaryPolicy::Quit);
            Look { deadline, searcher, finder: matcher.finder(), found: &found }
        };
        visit_files(&config, &filter, visitor).ok()?;
        let path = found.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(path) = path {
            let path: PathBuf = path;
            return Some((index, path.strip_prefix(&below).ok()?.to_path_buf()));
        }
    }
    None
}

/// Searches files until one matches.
struct Look<'a> {
    deadline: Instant,
    searcher: Searcher,
    finder: Finder,
    found: &'a Mutex<Option<PathBuf>>,
}

impl Visitor for Look<'_> {
    fn entry(&mut self, file: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
        if Instant::now() > self.deadline {
            return ControlFlow::Break(());
        }
        // What was named has been searched, and a file that cannot be read is nothing to look at.
        let Ok(opened) = file.open().map(|opened| opened.file) else {
            return ControlFlow::Continue(());
        };
        let mut any = FirstMatch::default();
        let searched = self.searcher.search_file(&mut self.finder, &opened, &mut any);
        if file.is_explicit() || searched.is_err() || !any.is_found {
            return ControlFlow::Continue(());
        }
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = Some(file.path());
        ControlFlow::Break(())
    }

    fn error(&mut self, _: Error) {}
}
