//! [`ResolvedArgs`]: what was typed, resolved.

use std::{path::PathBuf, sync::Arc};

use heist_filter::{PathGlobs, TypeDefinition};
use heist_index::Home;
use heist_matcher::{Condition, Matcher, MatcherConfig};
use heist_printer::Template;
use heist_walk::{KnownDirs, Root, RootSource};

use super::{
    absence::{self, AccountUse},
    changes,
    contradictions::{self, Inputs},
    inputs,
    limits::{resolve_file_limits, resolve_limits},
    pager, printer,
    search::{self, BinaryRules},
    sort::{self, Sorting},
    surroundings, types, walk,
};
use crate::{
    contents::{Contents, Preprocessor},
    error::Error,
    functions::Functions,
    index::{self, Coverage, KnownTree, OpenIndexes},
    output::PagerConfig,
    run::{here::Here, progress::Progress, recorded_roots::RecordedRoots},
    setup::SetupAction,
    typed::{
        GroupBy, IndexAction, IndexUse, Limits, Mode, Names, ProgressUse, Rewriting, SearchMode,
        TypedArgs,
    },
};

/// How a run is configured.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedArgs {
    /// Which kind of results there are.
    pub(crate) mode: Mode,
    /// What results are counted by, if they are.
    pub(crate) count_by: Option<GroupBy>,
    /// The patterns without duplicates; empty in a mode that does not search.
    pub(crate) patterns: Vec<String>,
    /// Each pattern's label, if it has one.
    pub(crate) labels: Vec<Option<String>>,
    /// What a line must meet, unless one of the patterns suffices.
    pub(crate) condition: Option<Condition>,
    /// Whether files, not lines, must meet the condition.
    pub(crate) per_file: bool,
    /// Whether results state which pattern matches.
    pub(crate) which: bool,
    /// What patterns are searched for in besides contents.
    pub(crate) names: Option<Names>,
    /// How patterns are compiled.
    pub(crate) matcher: heist_matcher::MatcherConfig,
    /// How haystacks are searched.
    pub(crate) searcher: heist_searcher::SearchConfig,
    /// Whether to search through memory maps where possible.
    pub(crate) mmap: bool,
    /// What NUL bytes mean.
    pub(crate) binary: BinaryRules,
    /// What definitions look like, if files are sorted by relevance.
    pub(crate) definitions: Option<Arc<Functions>>,
    /// Where files' contents come from.
    pub(crate) contents: Contents,
    /// Whether standard input is searched because no path is given.
    pub(crate) stdin_is_implicit: bool,
    /// Which files are selected.
    pub(crate) filter: heist_filter::FilterConfig,
    /// The flags that select and exclude types, such as `-t js`.
    pub(crate) type_flags: Vec<String>,
    /// Whether `-r` was typed, not `--replace`.
    pub(crate) replaces_by_letter: bool,
    /// Where and how to walk.
    pub(crate) walk: heist_walk::WalkConfig,
    /// When results are sorted.
    pub(crate) sorting: Sorting,
    /// How results are formatted.
    pub(crate) printer: heist_printer::PrinterConfig,
    /// What is printed in place of lines, if something is.
    pub(crate) format: Option<Template>,
    /// The file types to list; none in other modes.
    pub(crate) types: Vec<TypeDefinition>,
    /// The paths to explain; none in other modes.
    pub(crate) why: Vec<PathBuf>,
    /// Whether `--json` is given, to a mode that does not search as well.
    pub(crate) json: bool,
    /// Whether to print nothing and stop at the first match.
    pub(crate) quiet: bool,
    /// Whether results are coloured on a terminal.
    pub(crate) colors_terminal: bool,
    /// Whether every line is flushed.
    pub(crate) line_buffered: bool,
    /// Whether a single file, or standard input, is searched.
    pub(crate) has_one_input: bool,
    /// Whether only one worker prints.
    pub(crate) one_writes: bool,
    /// Whether statistics state what an index has spared (`--stats`, which `--json` does not imply
    /// here).
    pub(crate) states_index: bool,
    /// Whether `--index-update` starts a process that watches (`--watch`).
    pub(crate) watches: bool,
    /// What `--agent-setup` does.
    pub(crate) setup: SetupAction,
    /// What replacing matches in files means.
    pub(crate) rewriting: Rewriting,
    /// Which change `--undo` puts back.
    pub(crate) undo: String,
    /// Whether a program or an agent reads the results (`--agent`).
    pub(crate) is_agent: bool,
    /// What limits results, if anything does.
    pub(crate) limits: Option<Limits>,
    /// When the run gives an account of what it left out.
    pub(crate) account: AccountUse,
    /// The roots that lists of paths have named so far, if there may be an account.
    pub(crate) listed: Option<Arc<RecordedRoots>>,
    /// When a search uses an index.
    pub(crate) index: IndexUse,
    /// How many files are visited before an index is looked for.
    pub(crate) index_after: usize,
    /// The directory with indexes; `None` if there is no place for it.
    pub(crate) index_home: Option<Home>,
    /// The indexes that a search or a list may use, if there can be any.
    pub(crate) indexes: Option<Arc<OpenIndexes>>,
    /// What an index answers to the walk, if there can be one.
    pub(crate) coverage: Option<Arc<Coverage>>,
    /// How far the run is, if that is shown.
    pub(crate) progress: Option<Arc<Progress>>,
    /// The pager for results, if they may go through one.
    pub(crate) pager: Option<PagerConfig>,
}

impl ResolvedArgs {
    /// Resolves `typed` in the environment `here`. Reads the files that `-f` names, with `--sort`
    /// or `--spread` also those that `--files-from` names, and no others.
    ///
    /// # Errors
    /// There is no pattern, a pattern is not UTF-8, or its file cannot be read; a list of paths
    /// cannot be opened; a file type is unknown or its definition invalid; flags contradict each
    /// other; a program is to be run or a file to be written although `--safe` forbids it.
    pub(crate) fn new(typed: TypedArgs, here: &Here) -> Result<ResolvedArgs, Error> {
        let mut typed = typed;
        if typed.safe {
            contradictions::check_safe(&typed)?;
        }
        resolve_file_limits(&mut typed, here)?;
        let mode = search::mode(&typed);
        let searches = matches!(mode, Mode::Search(_));
        let count_by = typed.count_by.filter(|_| searches && !typed.quiet);
        if count_by.is_some() {
            // Groups are sorted by their counts.
            typed.sort = None;
        }
        if let Mode::Index(_) = mode {
            // An index has no order, and covers one file system.
            typed.sort = None;
            typed.walk.same_file_system = true;
        }
        let inputs = inputs::resolve(&mut typed, here)?;
        let mut roots = inputs.roots;
        let one_file = match inputs.has_lists {
            true => None,
            false => walk::len_of_one_file(&roots, here),
        };
        let lists = inputs.lists.map(|lists| lists as Arc<dyn RootSource>);
        let account = absence::account(&typed, mode);
        let listed = lists.clone().filter(|_| account != AccountUse::Never);
        let listed = listed.map(|lists| Arc::new(RecordedRoots::new(lists)));
        typed.walk.more_roots = match &listed {
            Some(listed) => Some(Arc::clone(listed) as Arc<dyn RootSource>),
            None => lists,
        };
        (typed.walk.confined, typed.filter.confined) = (typed.safe, typed.safe);
        contradictions::check(&typed, Inputs { roots: &roots, one_file: one_file.is_some() })?;
        let limits = resolve_limits(&mut typed, mode, one_file.is_some());
        let (sorting, order) = sort::resolve(&typed, &mut roots, one_file.is_some())?;
        let (types, selection) = types::resolve(&typed)?;
        let contents = contents(&typed, mode, here)?;
        let mut printer = printer::config(&typed, mode, &roots, one_file.is_some(), here);
        let mut walk = walk::walk(&typed, &contents, roots, one_file, order, here);
        walk.changes = changes::resolve(&typed, &walk, here);
        if limits.is_some_and(|limits| !limits.spread) && sorting == Sorting::WhileWalking {
            // Results are claimed in order.
            (walk.workers, walk.extra_workers) = (1, 0);
        }
        let mut searcher = search::searcher(&typed, mode, printer.line_numbers);
        let shows_lines = search::shows_lines(&typed, mode);
        searcher.surroundings = surroundings::resolve(&typed, &searcher, shows_lines, here)?;
        printer.context |=
            searcher.surroundings.as_ref().is_some_and(|surroundings| surroundings.has_context());
        if let Some(changes) = walk.changes.as_ref().filter(|_| typed.changed_lines) {
            let around = searcher.surroundings.take();
            searcher.surroundings = Some(changes::only_added(changes, around));
        }
        let is_ranked = sorting.is_by_relevance() && matches!(mode, Mode::Search(_));
        let definitions = is_ranked
            .then(|| surroundings::definitions(&typed, &searcher, here).map(Arc::new))
            .transpose()?;
        let mut resolved = ResolvedArgs {
            mode,
            count_by,
            patterns: inputs.patterns,
            labels: inputs.labels,
            per_file: typed.per_file && inputs.condition.is_some(),
            condition: inputs.condition,
            which: printer::which(&typed, mode),
            names: typed.names,
            matcher: search::matcher(&typed),
            format: typed.format.clone(),
            searcher,
            mmap: typed.mmap,
            index: typed.index,
            index_after: typed.index_after,
            index_home: index::home(here),
            indexes: None,
            coverage: None,
            progress: progress(&typed, mode, here),
            pager: pager::resolve(&typed, here),
            binary: search::binary(&typed),
            definitions,
            contents,
            stdin_is_implicit: inputs.stdin_is_implicit,
            colors_terminal: here.stdout_is_terminal && printer.colors.is_some(),
            printer,
            why: inputs.why,
            json: typed.json,
            quiet: typed.quiet,
            // When the time is up, results must not wait in a buffer.
            line_buffered: printer::line_buffered(&typed, here)
                || limits.is_some_and(|limits| limits.time.is_some()),
            setup: typed.setup,
            rewriting: typed.rewriting,
            undo: typed.undo.clone().unwrap_or_default(),
            states_index: typed.printer.stats,
            watches: typed.watch,
            is_agent: typed.agent == Some(true),
            limits,
            account,
            listed,
            types,
            type_flags: types::flags(&typed),
            replaces_by_letter: typed.replaces_by_letter,
            sorting,
            has_one_input: one_file.is_some(),
            one_writes: one_file.is_some() || walk.workers == 1,
            filter: walk::filter(typed, selection, &walk, here),
            walk,
        };
        resolved.use_indexes();
        Ok(resolved)
    }

    /// Compiles the patterns of lines under `config`.
    ///
    /// # Errors
    /// If a pattern cannot be compiled.
    pub(crate) fn compile(&self, config: &MatcherConfig) -> Result<Matcher, heist_matcher::Error> {
        match &self.condition {
            Some(condition) if !self.per_file => Matcher::meeting(condition, config),
            _ => Matcher::new(&self.patterns, config),
        }
    }

    /// Prepares to use indexes in a mode that gains by them, unless there are certainly none.
    fn use_indexes(&mut self) {
        let is_update = self.mode == Mode::Index(IndexAction::Update);
        let is_status = self.mode == Mode::Index(IndexAction::Status);
        let is_of_use = is_update || matches!(self.mode, Mode::Search(_) | Mode::Files);
        // A description is about the index, however it is used.
        if is_status || self.index != IndexUse::Never && is_of_use {
            // What keeps or describes an index takes stamps itself. Roots may be named long after
            // the process was consulted.
            let is_watched = !is_update
                && !is_status
                && self.index != IndexUse::Strict
                && self.walk.more_roots.is_none();
            let open = |home| OpenIndexes::new(home, is_watched);
            self.indexes = self.index_home.as_ref().and_then(open).map(Arc::new);
        }
        let counts = is_status || log::log_enabled!(log::Level::Debug);
        let proves_rules = self.index != IndexUse::Strict;
        let tree = |indexes| Arc::new(KnownTree::new(indexes, counts, proves_rules));
        self.cover(self.indexes.clone().map(tree).map(Coverage::new));
        // Verdicts are stored with the fingerprints of the rules.
        self.filter.fingerprints = is_update || self.coverage.is_some();
    }

    /// Sets what an index answers to the walk.
    pub(crate) fn cover(&mut self, coverage: Option<Coverage>) {
        self.coverage = coverage.map(Arc::new);
        self.walk.known_dirs = self.coverage.clone().map(|known| known as Arc<dyn KnownDirs>);
    }

    /// Whether results are counted in advance, because a limit is shared among files.
    pub(crate) fn spreads(&self) -> bool {
        self.limits.is_some_and(|limits| limits.spread)
    }

    /// Whether the current directory is searched because no path is given.
    pub(crate) fn path_is_implicit(&self) -> bool {
        self.walk.roots == [Root::Here]
    }

    /// Whether standard output has messages for programs.
    pub(crate) fn prints_messages(&self) -> bool {
        match self.mode {
            Mode::Search(mode) => mode == SearchMode::Json,
            Mode::Files | Mode::Why => self.json,
            Mode::TypeList
            | Mode::IndexList
            | Mode::Index(_)
            | Mode::Generate(_)
            | Mode::AgentSetup
            | Mode::Undo => false,
        }
    }

    /// Whether a search can have results. Otherwise no file is opened.
    pub(crate) fn can_match(&self) -> bool {
        let all_lines = self.searcher.invert;
        let has_results = self.searcher.max_matches != Some(0) || self.names.is_some();
        (all_lines || !self.patterns.is_empty()) && has_results
    }
}

/// Where files' contents come from. Invalid globs are errors even without `--pre`, and so is a
/// program that does not exist, if files are searched.
fn contents(typed: &TypedArgs, mode: Mode, here: &Here) -> Result<Contents, Error> {
    let globs = PathGlobs::new(&here.cwd, typed.pre_globs.iter().map(String::as_str))?;
    Ok(match &typed.pre {
        Some(command) => {
            let command = match mode {
                Mode::Search(_) => {
                    (here.program)(command).map_err(|why| Error::new(why.to_string()))?
                }
                _ => command.clone(),
            };
            Contents::Preprocessed(Preprocessor::new(command, globs))
        }
        None if typed.search_zip => Contents::Decompressed,
        None => Contents::Plain,
    })
}

/// The progress to show, if any is wanted and there is something to show in `mode`.
fn progress(typed: &TypedArgs, mode: Mode, here: &Here) -> Option<Arc<Progress>> {
    let default = match mode {
        // Building an index takes long.
        Mode::Index(IndexAction::Update | IndexAction::Verify) if !typed.quiet => ProgressUse::Auto,
        Mode::Index(IndexAction::Update | IndexAction::Verify) | Mode::Search(_) | Mode::Files => {
            ProgressUse::Never
        }
        Mode::Index(_)
        | Mode::IndexList
        | Mode::Why
        | Mode::TypeList
        | Mode::Generate(_)
        | Mode::AgentSetup
        | Mode::Undo => {
            return None;
        }
    };
    let is_wanted = match typed.progress.unwrap_or(default) {
        ProgressUse::Never => false,
        ProgressUse::Always => true,
        // Results would erase it all the time; a report comes at the end.
        ProgressUse::Auto => {
            let is_disturbed = here.stdout_is_terminal && !matches!(mode, Mode::Index(_));
            (here.stderr_is_terminal)() && !is_disturbed
        }
    };
    is_wanted.then(|| Arc::new(Progress::new(here.stdout_is_terminal)))
}
