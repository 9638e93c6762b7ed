//! The library behind the program `hs`: from arguments to an exit code.
//!
//! Its only entry point is [`main`]. Some modules are public for the fuzz targets; no other program
//! may use them.
//!
//! | module | purpose |
//! |---|---|
//! | `flags` | the flags as data, and the parser that reads them |
//! | `typed` | the arguments as typed |
//! | `config_file` | arguments from the configuration file |
//! | `here` | facts about the environment: directory, terminal, cores |
//! | `resolved` | the meaning of the arguments in this environment |
//! | `help` | `-h`, `--help`, `-V`, `--version`, out of the flags |
//! | `generate` | the man page and completions, out of the flags |
//! | `name` | the name that the program was started by |
//! | `sys` | everything in which operating systems differ |
//! | `refusal` | the message for patterns that cannot be compiled |
//! | `messages` | errors and debug lines on standard error |
//! | `type_list` | `--type-list` |
//! | `index` | when a search uses an index, and the modes that keep one |
//! | `visit` | the run: every wanted file is searched or listed |
//! | `haystack` | standard input, pipes, and files that are not in memory |
//! | `functions` | which lines begin functions, by the type of the file |
//! | `path_lists` | the paths of `--files-from` |
//! | `progress` | how far a run is, as a line on a terminal |
//! | `programs` | where the programs of `--pre`, `--hostname-bin` and `-z` are |
//! | `running` | the programs that run, and how they end |
//! | `contents` | the contents of a file: its bytes, decompressed, or preprocessed |
//! | `output` | standard output, shared by workers, and sorted if required |
//! | `exit` | the exit codes |
//! | `deadline` | how a run ends if its results or its time are limited |
//! | `quantities` | sizes, durations and points in time, as flags take them |
//! | `stdin_hint` | the hint shown while standard input gives nothing |

#![forbid(unsafe_code)]
// Nothing here but `main` is documentation for others.
#![allow(rustdoc::private_intra_doc_links)]

#[cfg(test)]
mod cases;
#[doc(hidden)]
pub mod config_file;
mod contents;
mod deadline;
mod error;
mod exit;
#[doc(hidden)]
pub mod flags;
mod functions;
mod generate;
mod haystack;
mod help;
mod here;
mod hints;
mod index;
mod messages;
mod name;
mod output;
mod path_lists;
mod programs;
mod progress;
mod quantities;
mod refusal;
mod resolved;
mod running;
mod similar;
mod stdin_hint;
mod sys;
mod type_list;
mod typed;
mod visit;

use std::{
    env,
    error::Error,
    ffi::OsString,
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use heist_filter::Filter;
use heist_matcher::Matcher;
use heist_printer::{FileMessages, PatternLabel, PatternLabels, Stats};

use crate::{
    deadline::Deadline,
    exit::{FAILED_CODE, FOUND_CODE, exit_code},
    here::Here,
    index::LazyOracle,
    messages::Messages,
    output::{Budget, FlushMode, Stdout, print, unwritable},
    progress::Drawing,
    refusal::Refusal,
    resolved::{ResolvedArgs, check_flags},
    typed::{IndexAction, Mode, SearchMode, TypedArgs},
    visit::Found,
};

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

/// Runs the program on the arguments of the process, and returns its exit code: 0 if something was
/// found, 1 if nothing was, 2 if there was an error.
pub fn main() -> ExitCode {
    let started = Instant::now();
    let mut args = env::args_os();
    name::take_from(args.next().as_ref());
    let args: Vec<_> = args.collect();
    let code = run(&args, started).unwrap_or_else(|err| {
        if let Some(err) = err.downcast_ref::<error::Error>() {
            messages::report_in_lines(hints::without_crate(&err.message), err.advice());
        } else if err.is::<Refusal>() {
            // Where a pattern is wrong is shown below it.
            messages::report_in_lines("", err);
        } else {
            messages::report(err);
        }
        FAILED_CODE
    });
    output::finish_paging();
    running::dismiss_guardian();
    ExitCode::from(code)
}

/// Runs the program, which was started at `started`. An error has kept the run from starting.
fn run(args: &[OsString], started: Instant) -> Result<u8, Box<dyn Error>> {
    let mut typed = flags::parse(args.to_owned())?;
    typed.safe |= is_set(env::var_os("HEIST_RESTRICT"));
    if let Some(early) = typed.early {
        print(help::early(early).as_bytes())?;
        return Ok(FOUND_CODE);
    }
    if matches!(typed.mode, Mode::Index(IndexAction::BeWatcher { .. })) {
        sys::close_inherited();
    }
    messages::log_up_to(typed.logging);
    if typed.no_config || typed.safe {
        log::debug!("no configuration file is read");
    } else {
        typed = with_config_file(typed, args)?;
    }
    typed.no_stdin |= is_set(env::var_os("HEIST_NO_STDIN"));
    let messages = Messages::new(typed.no_messages, typed.no_ignore_messages);
    let quiet = typed.quiet;
    let mut deadline = Deadline::new(&typed, started);
    if typed.reads_lists() || typed.hostname_bin.is_some() {
        deadline.watch();
    }
    if typed.pre.is_some() || typed.hostname_bin.is_some() {
        sys::clean_up_when_ended(sys::CleanUp {
            resets_style: false,
            first: running::end_programs,
            finally: || (),
        });
    }
    let mut resolved = ResolvedArgs::new(typed, &Here::look()?)?;
    hints::check_globs(&resolved.filter.globs, &resolved.walk.roots, &messages);
    let found = dispatch(&mut resolved, &messages, started, deadline)?;
    messages.summarize();
    if messages.has_failed() {
        hints::explain_missing(&resolved, &messages);
    }
    Ok(exit_code(found, quiet, messages.has_failed()))
}

/// Whether an environment variable with this value turns something on.
fn is_set(value: Option<OsString>) -> bool {
    value.is_some_and(|value| !value.is_empty() && value != "0")
}

/// Parses the arguments of the configuration file and then `args`, so that the command line
/// overrides the file.
fn with_config_file(typed: TypedArgs, args: &[OsString]) -> Result<TypedArgs, error::Error> {
    let messages = Messages::new(typed.no_messages, false);
    let config = config_file::Config::load(&messages);
    if config.is_empty() {
        return Ok(typed);
    }
    let all = config.arguments().chain(args.iter().cloned()).collect();
    let mut all = flags::parse(all).map_err(|error| config.locate(error))?;
    if check_flags(&all).is_err() && check_flags(&typed).is_ok() {
        all = config.yielding_to(args, check_flags)?;
    }
    let typed = all;
    config.warn(&messages);
    messages::log_up_to(typed.logging);
    Ok(typed)
}

/// Runs the mode. Returns whether there were results.
fn dispatch(
    resolved: &mut ResolvedArgs,
    messages: &Messages,
    started: Instant,
    deadline: Deadline,
) -> Result<bool, Box<dyn Error>> {
    let flush_mode = if resolved.line_buffered { FlushMode::Line } else { FlushMode::Block };
    let budget = resolved.limits.map(|limits| Arc::new(Budget::new(limits)));
    let mut stdout = Stdout::new(flush_mode, resolved.one_writes, visit::ledger(resolved))
        .limited_by(budget.clone());
    stdout.set_prompt(resolved.walk.more_roots.is_some());
    let drawing = start_threads(resolved, &stdout, deadline, messages);
    let found = match resolved.mode {
        Mode::TypeList => {
            print(type_list::text(&resolved.types).as_bytes())?;
            return Ok(!resolved.types.is_empty());
        }
        Mode::Generate(what) => {
            print(&generate::text(what)?)?;
            return Ok(true);
        }
        Mode::Index(action) => {
            let report = keep_index(action, resolved, messages)?;
            if !resolved.quiet {
                print(report.as_bytes())?;
            }
            return Ok(true);
        }
        Mode::Files => {
            let filter = Filter::new(resolved.filter.clone())?;
            report_problems(&filter, messages);
            index::check_list(resolved)?;
            visit::list(resolved, &filter, &stdout, messages)
        }
        Mode::Why => return explain(resolved, messages),
        Mode::Search(mode) => search(resolved, mode, &stdout, messages)?,
    };
    drop(drawing);
    if let Some(tree) = &resolved.known_tree {
        tree.log();
    }
    match stdout.into_failure() {
        // The reader has what it wanted.
        Some(error) if sys::is_closed_pipe(&error) => return Ok(found.any_match),
        Some(error) => return Err(unwritable(&error)),
        None => {}
    }
    print_total(resolved, found.total)?;
    let mut listed = found.total.unwrap_or(0);
    if let Some(budget) = budget {
        budget.end();
        deadline::report(&budget, resolved, messages)?;
        // Paths that exceeded a limit were withdrawn.
        listed = budget.shown().shown.files;
    }
    if let Some(stats) = found.stats {
        print(&statistics(resolved.mode, &stats, started.elapsed()))?;
    }
    if resolved.mode == Mode::Files && resolved.prints_messages() && !resolved.quiet {
        let mut summary = Vec::new();
        FileMessages::append_summary(&mut summary, listed, started.elapsed());
        print(&summary)?;
    }
    Ok(found.any_match)
}

/// Searches. If nothing can match, no file is opened.
fn search(
    resolved: &mut ResolvedArgs,
    mode: SearchMode,
    stdout: &Stdout,
    messages: &Messages,
) -> Result<Found, Box<dyn Error>> {
    let matcher = Matcher::new(&resolved.patterns, &resolved.matcher)
        .map_err(|error| Refusal::new(&error, resolved.matcher.engine))?;
    log::debug!("plan: {}", matcher.plan());
    resolved.printer.patterns = pattern_labels(resolved, &matcher)?;
    hints::check_replacement(resolved, &matcher, messages);
    let filter = Filter::new(resolved.filter.clone())?;
    if !resolved.can_match() {
        return Ok(Found::default());
    }
    report_problems(&filter, messages);
    let oracle = LazyOracle::new(resolved, mode, &matcher, messages)?;
    let found = visit::search(resolved, mode, &filter, &matcher, &oracle, stdout, messages);
    let tree = resolved.known_tree.as_ref();
    let has_left_out = tree.is_some_and(|tree| tree.has_left_out());
    if !found.any_file && !has_left_out && resolved.path_is_implicit() {
        match messages.are_shown() {
            true => messages.error_in_lines(no_files(resolved)),
            false => messages.fail(),
        }
    } else if !found.any_match && mode != SearchMode::FilesWithoutMatch {
        hints::explain_nothing(resolved, found.any_file || has_left_out, messages);
        visit::hint(resolved, &filter, &matcher, messages);
    }
    Ok(found)
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

/// Does something with an index. Returns the report of it.
fn keep_index(
    action: IndexAction,
    args: &ResolvedArgs,
    messages: &Messages,
) -> Result<String, Box<dyn Error>> {
    let Some(home) = &args.index_home else {
        return Err("there is no directory for indexes: neither HOME nor XDG_CACHE_HOME is an \
                    absolute path"
            .into());
    };
    let root = match action {
        IndexAction::Drop => index::root_or_gone(&args.walk)?,
        _ => index::root(&args.walk)?,
    };
    let escapes = args.printer.visible;
    let filter = Filter::new(args.filter.clone())?;
    match action {
        IndexAction::Update => {
            let started = Instant::now();
            report_problems(&filter, messages);
            let (built, unsettled) = visit::update_index(home, &root, args, &filter, messages)?;
            Ok(index::update_report(&root, &built, unsettled, started.elapsed(), escapes))
        }
        IndexAction::Verify => {
            let verified = visit::verify_index(home, &root, args, &filter, messages)?;
            Ok(index::verify_report(&root, &verified, escapes))
        }
        IndexAction::Status => {
            let unchanged = || visit::compare_with_index(&root, args, &filter);
            Ok(index::status(home, &root, unchanged, escapes)?)
        }
        IndexAction::Drop => Ok(index::drop_index(home, &root, escapes)?),
        IndexAction::Watch => Ok(index::watch(home, &root, escapes)?),
        IndexAction::Unwatch => Ok(index::unwatch(home, &root, escapes)?),
        IndexAction::BeWatcher { idle } => {
            index::be_watcher(home, &root, Duration::from_secs(idle));
            Ok(String::new())
        }
    }
}

/// Runs `--why`. Returns whether a path is left out.
fn explain(resolved: &ResolvedArgs, messages: &Messages) -> Result<bool, Box<dyn Error>> {
    let any_line = [String::new()];
    let patterns = if resolved.patterns.is_empty() { &any_line[..] } else { &resolved.patterns };
    let matcher = Matcher::new(patterns, &resolved.matcher)
        .map_err(|error| Refusal::new(&error, resolved.matcher.engine))?;
    let filter = Filter::new(resolved.filter.clone())?;
    report_problems(&filter, messages);
    let (text, any_left_out) = visit::explain(resolved, &filter, &matcher, messages);
    if !resolved.quiet {
        print(&text)?;
    }
    Ok(any_left_out)
}

/// The statistics to print after all results, at the time `total` after the start.
fn statistics(mode: Mode, stats: &Stats, total: Duration) -> Vec<u8> {
    let mut text = Vec::new();
    if mode == Mode::Search(SearchMode::Json) {
        stats.append_json_summary(&mut text, total);
    } else {
        stats.append_text(&mut text, total);
    }
    text
}

/// Reports the problems of the ignore files that `filter` has read already.
fn report_problems(filter: &Filter, messages: &Messages) {
    for problem in filter.problems() {
        messages.ignore_problem(problem);
    }
}

#[cfg(doctest)]
skipped_tests_summary::report!();
