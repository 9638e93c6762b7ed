//! The modes that print results, from the first thread to the last line: a search, and a list of
//! files.

use std::{
    error::Error,
    sync::Arc,
    time::{Duration, Instant},
};

use heist_filter::Filter;
use heist_matcher::Matcher;
use heist_printer::{FileMessages, PatternLabel, PatternLabels, Stats};
use heist_walk::Root;

use crate::{
    index::{self, EarlyOracle, LazyOracle, Spared},
    output::{self, Budget, FlushMode, Stdout, print, unwritable},
    resolved::{AccountUse, ResolvedArgs},
    run::{
        deadline::{self, Deadline},
        progress::{self, Drawing},
        rewrite,
    },
    sys,
    texts::{hints, messages::Messages, name, refusal::Refusal},
    typed::{Mode, SearchMode},
    visit::{self, Account, FileCondition, Found, RunTime, Sought},
};

/// What gets the results of a run, and what runs beside its workers.
pub(crate) struct Results {
    started: Instant,
    stdout: Stdout,
    budget: Option<Arc<Budget>>,
    /// Draws how far the run is, until it is dropped.
    drawing: Option<Drawing>,
    /// What an index has spared, once that is known.
    spared: Option<Spared>,
}

impl Results {
    /// Prepares standard output, and starts what runs beside the workers: what cleans the terminal
    /// up, what ends the run when its time is up, and what draws how far it is.
    pub(crate) fn begin(
        args: &ResolvedArgs,
        started: Instant,
        deadline: Deadline,
        messages: &Messages,
    ) -> Results {
        let flush_mode = if args.line_buffered { FlushMode::Line } else { FlushMode::Block };
        let budget = args.limits.map(|limits| Arc::new(Budget::new(limits)));
        let mut stdout = Stdout::new(flush_mode, args.one_writes, visit::ledger(args))
            .limited_by(budget.clone());
        stdout.set_prompt(args.walk.more_roots.is_some());
        let drawing = start_threads(args, &stdout, deadline, messages);
        Results { started, stdout, budget, drawing, spared: None }
    }

    /// Lists files. Returns whether there were any.
    pub(crate) fn list(
        self,
        args: &mut ResolvedArgs,
        messages: &Messages,
    ) -> Result<bool, Box<dyn Error>> {
        let filter = Filter::new(args.filter.clone())?;
        messages.ignore_problems(&filter);
        index::check_list(args)?;
        index::cover_list(args);
        let found = visit::list(args, &filter, &self.stdout, messages);
        let account = self.gives_account(args, found).map(|run| {
            self.end_budget();
            visit::account_of_list(args, &filter, run)
        });
        self.end(args, found, account, messages)
    }

    /// Searches. If nothing can match, no file is opened. Returns whether something was found.
    pub(crate) fn search(
        mut self,
        args: &mut ResolvedArgs,
        mode: SearchMode,
        messages: &Messages,
    ) -> Result<bool, Box<dyn Error>> {
        let matcher = compile(args)?;
        args.printer.patterns = pattern_labels(args, &matcher)?;
        hints::check_replacement(args, &matcher, messages);
        let filter = Filter::new(args.filter.clone())?;
        if !args.can_match() {
            return self.end(args, Found::default(), None, messages);
        }
        messages.ignore_problems(&filter);
        let early = EarlyOracle::consult(args, mode, &matcher, messages)?;
        let oracle = LazyOracle::new(args, mode, &matcher, messages, early);
        let sought = Sought { matcher: &matcher, per_file: file_condition(args)? };
        let found = visit::search(args, mode, &filter, &sought, &oracle, &self.stdout, messages);
        self.spared = oracle.spared();
        let has_skipped = args.coverage.as_ref().is_some_and(|coverage| coverage.has_skipped());
        // That nothing has changed is an answer, and a part of a tree may be empty.
        let needs_file = args.walk.changes.is_none() && args.walk.shard.is_none();
        if !found.any_file && !has_skipped && args.path_is_implicit() && needs_file {
            match messages.are_shown() {
                true => messages.error_in_lines(no_files(args)),
                false => messages.fail(),
            }
        } else if !found.any_match && mode != SearchMode::FilesWithoutMatch {
            hints::explain_nothing(args, found.any_file || has_skipped, messages);
            // An account has what the hint would have.
            if args.account == AccountUse::Never {
                visit::hint(args, &filter, &matcher, messages);
            }
        }
        let account = self.gives_account(args, found).map(|run| {
            self.end_budget();
            visit::account(args, &filter, &matcher, run)
        });
        self.end(args, found, account, messages)
    }

    /// Replaces matches in files, or prints the patch that would. Returns whether there was one.
    pub(crate) fn rewrite(
        self,
        args: &mut ResolvedArgs,
        messages: &Messages,
    ) -> Result<bool, Box<dyn Error>> {
        let matcher = compile(args)?;
        hints::check_replacement(args, &matcher, messages);
        let sought = Sought { matcher: &matcher, per_file: file_condition(args)? };
        let files = rewrite::edits(args, &sought, &self.stdout, messages)?;
        // Questions have the terminal to themselves.
        drop(self.drawing);
        if let Some(budget) = self.budget {
            budget.end();
            deadline::report(&budget, args, messages)?;
        }
        rewrite::rewrite(args, files, messages)
    }

    /// What an account is about, if one is given of a run that has `found` this.
    fn gives_account(&self, args: &ResolvedArgs, found: Found) -> Option<RunTime> {
        let is_given = match args.account {
            AccountUse::Never => false,
            AccountUse::OnNothing => !found.any_match,
            AccountUse::Always => true,
        };
        let has_files = args.walk.roots != [Root::Stdin];
        let run = RunTime { started: self.started, any_match: found.any_match };
        (is_given && has_files).then_some(run)
    }

    /// Notes that the search has ended. What follows ends in time by itself.
    fn end_budget(&self) {
        if let Some(budget) = &self.budget {
            budget.end();
        }
    }

    /// Ends the output, and prints what follows all results. Returns whether something was found.
    fn end(
        self,
        args: &ResolvedArgs,
        found: Found,
        account: Option<Account>,
        messages: &Messages,
    ) -> Result<bool, Box<dyn Error>> {
        drop(self.drawing);
        if let Some(spared) = &self.spared {
            log::debug!("index: {spared}");
        }
        if let Some(coverage) = &args.coverage {
            coverage.tree().log();
        }
        match self.stdout.into_failure() {
            // The reader has what it wanted.
            Some(error) if sys::is_closed_pipe(&error) => return Ok(found.any_match),
            Some(error) => return Err(unwritable(&error)),
            None => {}
        }
        print_total(args, found.total)?;
        if let Some(account) = account {
            report_account(&account, args, messages)?;
        }
        let mut listed = found.total.unwrap_or(0);
        if let Some(budget) = self.budget {
            budget.end();
            deadline::report(&budget, args, messages)?;
            // Paths that exceeded a limit were withdrawn.
            listed = budget.shown().shown.files;
        }
        if let Some(stats) = found.stats {
            let spared = self.spared.filter(|_| args.states_index);
            print(&statistics(args.mode, &stats, spared, self.started.elapsed()))?;
        }
        if args.mode == Mode::Files && args.prints_messages() && !args.quiet {
            let mut summary = Vec::new();
            FileMessages::append_summary(&mut summary, listed, self.started.elapsed());
            print(&summary)?;
        }
        Ok(found.any_match)
    }
}

/// The error if no path was given and the current directory contains no file to search.
fn no_files(resolved: &ResolvedArgs) -> String {
    if std::fs::read_dir(".").is_ok_and(|mut entries| entries.next().is_none()) {
        return "No files were searched: the current directory is empty.".to_owned();
    }
    if let Some(cause) = visit::cause(resolved) {
        return format!("No files were searched: {cause}.");
    }
    let name = name::in_words();
    let advice = match log::log_enabled!(log::Level::Debug) {
        true => "",
        false => "\nRunning with --debug will show why files are being skipped.",
    };
    format!(
        "No files were searched, which means {name} probably applied a filter you didn't \
         expect.{advice}"
    )
}

/// Compiles the patterns of lines, after their case was decided.
fn compile(args: &mut ResolvedArgs) -> Result<Matcher, Refusal> {
    if let Some(condition) = &args.condition {
        let case = condition.case(&args.matcher);
        args.matcher.case = case.map_err(|error| Refusal::new(&error, args.matcher.engine))?;
    }
    let matcher =
        args.compile(&args.matcher).map_err(|error| Refusal::new(&error, args.matcher.engine))?;
    log::debug!("plan: {}", matcher.plan());
    Ok(matcher)
}

/// What whole files must meet, if they have to.
fn file_condition(args: &ResolvedArgs) -> Result<Option<FileCondition<'_>>, Refusal> {
    let condition = args.condition.as_ref().filter(|_| args.per_file);
    let condition = condition.map(|it| FileCondition::new(it, &args.matcher)).transpose();
    condition.map_err(|error| Refusal::new(&error, args.matcher.engine))
}

/// Prints an account: among messages as one, and otherwise as a line.
fn report_account(
    account: &Account,
    args: &ResolvedArgs,
    messages: &Messages,
) -> Result<(), Box<dyn Error>> {
    if args.prints_messages() {
        return print(&account.json(args.printer.visible));
    }
    messages.warn(account.line());
    Ok(())
}

/// Starts what runs beside the workers: what cleans the terminal up, what ends the run when its
/// time is up, and what draws how far it is, until that is dropped.
fn start_threads(
    resolved: &ResolvedArgs,
    stdout: &Stdout,
    mut deadline: Deadline,
    messages: &Messages,
) -> Option<Drawing> {
    let uses_terminal =
        resolved.colors_terminal || resolved.progress.is_some() || resolved.pager.is_some();
    let budget = stdout.budget();
    if !uses_terminal && budget.is_none() {
        deadline.begin(None, resolved, messages);
        return None;
    }
    // Before threads start, the table of descriptors has to be enlarged.
    heist_walk::reserve_descriptors(&resolved.walk);
    if let Some(pager) = &resolved.pager {
        output::page(pager.clone(), stdout.stop_flag());
    }
    if uses_terminal {
        sys::clean_up_when_ended(sys::CleanUp {
            resets_style: resolved.colors_terminal,
            first: output::leave_to_pager,
            finally: output::status_line::end,
        });
    }
    deadline.begin(budget, resolved, messages);
    // An index counts all files first.
    let is_index = matches!(resolved.mode, Mode::Index(_));
    let progress = resolved.progress.as_ref().filter(|_| !is_index)?;
    Some(progress.draw(progress::PROGRESS_DELAY))
}

/// The patterns of `matcher` and their labels, if results have them.
fn pattern_labels(
    args: &ResolvedArgs,
    matcher: &Matcher,
) -> Result<Option<PatternLabels>, Refusal> {
    if !args.which {
        return Ok(None);
    }
    let set = matcher
        .pattern_set(&args.patterns, &args.matcher)
        .map_err(|error| Refusal::new(&error, args.matcher.engine))?;
    let labels = args.patterns.iter().zip(&args.labels);
    let labels =
        labels.map(|(text, label)| PatternLabel { label: label.clone(), text: text.clone() });
    Ok(Some(PatternLabels::new(set, labels.collect())))
}

/// Prints the sum of all counts, if it is wanted; `None` if no file was searched.
fn print_total(resolved: &ResolvedArgs, total: Option<u64>) -> Result<(), Box<dyn Error>> {
    if resolved.printer.total {
        let end = resolved.printer.terminator.as_bytes();
        print(&[total.unwrap_or(0).to_string().as_bytes(), end].concat())?;
    }
    Ok(())
}

/// The statistics to print after all results, at the time `total` after the start.
fn statistics(mode: Mode, stats: &Stats, spared: Option<Spared>, total: Duration) -> Vec<u8> {
    let mut text = Vec::new();
    if mode == Mode::Search(SearchMode::Json) {
        // The summary is the last message.
        spared.inspect(|spared| spared.append_json(&mut text));
        stats.append_json_summary(&mut text, total);
    } else {
        stats.append_text(&mut text, total);
        spared.inspect(|spared| spared.append_text(&mut text));
    }
    text
}
