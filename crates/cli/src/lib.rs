//! The library behind the program `hs`: from arguments to an exit code.
//!
//! Its only entry point is [`main`]. Some modules are public for the fuzz targets; no other program
//! may use them.
//!
//! | module | purpose |
//! |---|---|
//! | `flags` | the flags as data, and the parser that reads them |
//! | `typed` | the arguments as typed |
//! | `setup` | the lines that make an agent search with `hs` |
//! | `config_file` | arguments from the configuration file |
//! | `preset` | the flags that `--agent` stands for |
//! | `quantities` | sizes, durations and points in time, as flags take them |
//! | `resolved` | the meaning of the arguments in this environment |
//! | `error` | errors in the arguments, and the exit codes |
//! | `run` | a run from its first thread to its last line: environment, inputs, progress, end |
//! | `visit` | every wanted file is searched or listed |
//! | `index` | when a search uses an index, and the modes that keep one |
//! | `contents` | the contents of a file: its bytes, decompressed, or preprocessed |
//! | `functions` | which lines begin functions, by the type of the file |
//! | `ranking` | the order of files by use, for `--sort relevance` |
//! | `output` | standard output, shared by workers, and sorted if required |
//! | `texts` | what the program prints about itself: help, completions, messages |
//! | `sys` | everything in which operating systems differ |

#![forbid(unsafe_code)]
// Nothing here but `main` is documentation for others.
#![allow(rustdoc::private_intra_doc_links)]

#[cfg(test)]
mod cases;
#[doc(hidden)]
pub mod config_file;
mod contents;
mod error;
#[doc(hidden)]
pub mod flags;
mod functions;
mod index;
mod output;
mod preset;
mod quantities;
mod ranking;
mod resolved;
mod run;
mod setup;
mod sys;
mod texts;
mod typed;
mod visit;

use std::{
    env,
    error::Error,
    ffi::OsString,
    process::ExitCode,
    time::{Duration, Instant},
};

use heist_filter::Filter;
use heist_index::Home;
use heist_matcher::Matcher;

use crate::{
    error::{FAILED_CODE, FOUND_CODE, exit_code},
    output::print,
    resolved::{ResolvedArgs, check_flags},
    run::{deadline::Deadline, here::Here, results::Results, rewrite, running},
    texts::{
        generate, help, hints,
        messages::{self, Messages},
        name,
        refusal::Refusal,
    },
    typed::{IndexAction, Mode, TypedArgs},
};

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
    if is_agent(&typed) && typed.early.is_none() {
        messages::log_up_to(typed.logging);
        typed = preset::before(args)?;
    }
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
    let found = run_mode(&mut resolved, &messages, started, deadline)?;
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

/// Whether the preset of `--agent` holds. Programs that call `rg` rely on what ripgrep prints, so
/// that only the flag has an effect under this name.
fn is_agent(typed: &TypedArgs) -> bool {
    typed.agent.unwrap_or_else(|| {
        !name::stands_in_for_ripgrep() && is_set(env::var_os(preset::AGENT_VARIABLE))
    })
}

/// Parses the arguments of the configuration file and then `args`, so that the command line
/// overrides the file.
fn with_config_file(typed: TypedArgs, args: &[OsString]) -> Result<TypedArgs, error::Error> {
    let messages = Messages::new(typed.no_messages, false);
    let config = config_file::Config::load(&messages);
    if config.is_empty() {
        return Ok(typed);
    }
    let mut all: Vec<_> = config.arguments().chain(args.iter().cloned()).collect();
    let mut with_file = flags::parse(all.clone()).map_err(|error| config.locate(error))?;
    if check_flags(&with_file).is_err() && check_flags(&typed).is_ok() {
        all = config.yielding_to(args, check_flags)?;
        with_file = flags::parse(all.clone())?;
    }
    let typed = if is_agent(&with_file) { preset::before(&all)? } else { with_file };
    config.warn(&messages);
    messages::log_up_to(typed.logging);
    Ok(typed)
}

/// Runs the mode. Returns whether there were results.
fn run_mode(
    args: &mut ResolvedArgs,
    messages: &Messages,
    started: Instant,
    deadline: Deadline,
) -> Result<bool, Box<dyn Error>> {
    let results = Results::begin(args, started, deadline, messages);
    match args.mode {
        Mode::Search(_) if args.rewriting.write => results.rewrite(args, messages),
        Mode::Undo => rewrite::take_back(args, messages),
        Mode::Search(mode) => results.search(args, mode, messages),
        Mode::Files => results.list(args, messages),
        Mode::Why => explain(args, messages),
        Mode::Index(action) => keep_index(args, action, messages),
        Mode::IndexList => list_indexes(args, messages),
        Mode::TypeList => list_types(args),
        Mode::AgentSetup => set_up_agent(args),
        Mode::Generate(what) => print(&generate::text(what)?).map(|()| true),
    }
}

/// Runs `--index-list`. Returns whether an index is listed.
fn list_indexes(args: &ResolvedArgs, messages: &Messages) -> Result<bool, Box<dyn Error>> {
    let text = index::list(home(args)?, &args.walk.roots, args.printer.visible, messages)?;
    if !args.quiet {
        print(text.as_bytes())?;
    }
    Ok(!text.is_empty())
}

/// Runs `--agent-setup`. There always is a report.
fn set_up_agent(args: &ResolvedArgs) -> Result<bool, Box<dyn Error>> {
    let report = setup::run(&setup::place()?, &args.walk.roots, args.setup)?;
    if !args.quiet {
        print(report.as_bytes())?;
    }
    Ok(true)
}

/// The directory for indexes.
fn home(args: &ResolvedArgs) -> Result<&Home, &'static str> {
    args.index_home.as_ref().ok_or(
        "there is no directory for indexes: neither HOME nor XDG_CACHE_HOME is an absolute path",
    )
}

/// Runs `--type-list`. Returns whether there are types.
fn list_types(args: &ResolvedArgs) -> Result<bool, Box<dyn Error>> {
    print(help::type_list(&args.types).as_bytes())?;
    Ok(!args.types.is_empty())
}

/// Does something with an index, and prints the report of it.
fn keep_index(
    args: &ResolvedArgs,
    action: IndexAction,
    messages: &Messages,
) -> Result<bool, Box<dyn Error>> {
    let home = home(args)?;
    if action == IndexAction::DropGone {
        return drop_gone_indexes(args, home, messages);
    }
    let root = match action {
        IndexAction::Drop => index::root_or_gone(&args.walk)?,
        _ => index::root(&args.walk)?,
    };
    let escapes = args.printer.visible;
    let filter = Filter::new(args.filter.clone())?;
    let report = match action {
        IndexAction::Update => {
            let started = Instant::now();
            messages.ignore_problems(&filter);
            let (built, unsettled) = visit::update_index(home, &root, args, &filter, messages)?;
            let report = index::update_report(&root, &built, unsettled, started.elapsed(), escapes);
            if !args.watches {
                report
            } else if args.quiet {
                index::watch(home, &root, escapes)?
            } else {
                // What was built remains, even if no process can watch.
                print(report.as_bytes())?;
                index::watch(home, &root, escapes)?
            }
        }
        IndexAction::Verify => {
            let verified = visit::verify_index(home, &root, args, &filter, messages)?;
            index::verify_report(&root, &verified, escapes)
        }
        IndexAction::Status => {
            let unchanged = || visit::compare_with_index(&root, args, &filter);
            index::status(home, &root, unchanged, escapes)?
        }
        IndexAction::Drop | IndexAction::DropGone => index::drop_index(home, &root, escapes)?,
        IndexAction::Watch => index::watch(home, &root, escapes)?,
        IndexAction::Unwatch => index::unwatch(home, &root, escapes)?,
        IndexAction::BeWatcher { idle } => {
            index::be_watcher(home, &root, Duration::from_secs(idle));
            String::new()
        }
    };
    if !args.quiet {
        print(report.as_bytes())?;
    }
    Ok(true)
}

/// Runs `--index-drop=gone`. Returns whether an index was removed.
fn drop_gone_indexes(
    args: &ResolvedArgs,
    home: &Home,
    messages: &Messages,
) -> Result<bool, Box<dyn Error>> {
    if args.walk.roots != [heist_walk::Root::Here] || args.walk.more_roots.is_some() {
        return Err("--index-drop=gone is about all indexes, and a path is given".into());
    }
    let report = index::drop_gone(home, args.printer.visible, messages)?;
    if !args.quiet {
        print(report.as_bytes())?;
    }
    Ok(!report.is_empty())
}

/// Runs `--why`. Returns whether a path is left out.
fn explain(args: &ResolvedArgs, messages: &Messages) -> Result<bool, Box<dyn Error>> {
    let matcher = match args.patterns.is_empty() {
        true => Matcher::new([""], &args.matcher),
        false => args.compile(&args.matcher),
    };
    let matcher = matcher.map_err(|error| Refusal::new(&error, args.matcher.engine))?;
    let filter = Filter::new(args.filter.clone())?;
    messages.ignore_problems(&filter);
    let (text, any_left_out) = visit::explain(args, &filter, &matcher, messages);
    if !args.quiet {
        print(&text)?;
    }
    Ok(any_left_out)
}

#[cfg(doctest)]
skipped_tests_summary::report!();
