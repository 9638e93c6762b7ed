//! The program `hs`: from arguments to an exit code.
//!
//! | module | what it is for |
//! |---|---|
//! | `flags` | the flags as data, and the parser that is made of them |
//! | `typed` | what was typed |
//! | `config_file` | arguments from the configuration file |
//! | `resolved` | what was typed, and what it means here |
//! | `help` | `-h`, `--help`, `-V`, `--version`, out of the flags |
//! | `messages` | errors and debug lines on standard error |
//! | `type_list` | `--type-list` |
//! | `search` | the search: walk, searcher and printer joined |
//! | `list` | `--files` |
//! | `output` | standard output, shared by workers |

#![forbid(unsafe_code)]

mod config_file;
mod flags;
mod help;
mod messages;
mod resolved;
mod type_list;
mod typed;

use std::{
    env,
    error::Error,
    ffi::OsString,
    io::{self, Write},
    process::ExitCode,
};

use crate::{
    messages::Messages,
    resolved::{Here, ResolvedArgs},
    typed::{Mode, TypedArgs},
};

/// Something was found.
const FOUND: u8 = 0;
/// Nothing was found, and nothing went wrong.
const NOTHING: u8 = 1;
/// Something went wrong.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    let args = env::args_os().skip(1).collect();
    ExitCode::from(run(args).unwrap_or_else(|err| {
        messages::tell(err);
        FAILED
    }))
}

/// The whole run. An error is one that kept it from starting.
fn run(args: Vec<OsString>) -> Result<u8, Box<dyn Error>> {
    let mut typed = flags::parse(args.clone())?;
    if let Some(early) = typed.early {
        return print(&help::early(early));
    }
    messages::log_up_to(typed.logging);
    if !typed.no_config {
        typed = with_config_file(typed, args)?;
    }
    let messages = Messages::new(typed.no_messages, typed.no_ignore_messages);
    let quiet = typed.quiet;
    let resolved = ResolvedArgs::new(typed, &Here::look()?)?;
    let found = dispatch(&resolved, &messages)?;
    Ok(exit_code(found, quiet, messages.has_failed()))
}

/// Parse again with the configuration file's arguments before `args`, so that the command line has the last word.
fn with_config_file(typed: TypedArgs, args: Vec<OsString>) -> Result<TypedArgs, flags::Error> {
    let mut all = config_file::arguments(&Messages::new(typed.no_messages, false));
    if all.is_empty() {
        return Ok(typed);
    }
    all.extend(args);
    let typed = flags::parse(all)?;
    messages::log_up_to(typed.logging);
    Ok(typed)
}

/// Do what is asked. Whether anything was found.
fn dispatch(resolved: &ResolvedArgs, messages: &Messages) -> Result<bool, Box<dyn Error>> {
    match resolved.mode {
        Mode::TypeList => {
            print(&type_list::text(&resolved.types))?;
            Ok(!resolved.types.is_empty())
        }
        Mode::Search(_) | Mode::Files => {
            let _ = (resolved.can_match(), resolved.path_is_implicit(), messages);
            Err("not wired yet".into())
        }
    }
}

/// Errors count even if something was found, except where the question was only whether there is anything.
fn exit_code(found: bool, quiet: bool, failed: bool) -> u8 {
    match (found, failed) {
        (true, true) if quiet => FOUND,
        (_, true) => FAILED,
        (true, false) => FOUND,
        (false, false) => NOTHING,
    }
}

/// Print all of `text`. Nobody reading any more is no failure.
fn print(text: &str) -> Result<u8, Box<dyn Error>> {
    let mut stdout = io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(err) if err.kind() != io::ErrorKind::BrokenPipe => Err(err.into()),
        _ => Ok(FOUND),
    }
}
