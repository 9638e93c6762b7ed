//! `heist-mcp`: a server for the Model Context Protocol, over standard input and output. Its tools
//! search directories with the program `hs`.
//!
//! ```text
//! client ─► server (rmcp) ─► params ─► the arguments of hs ─► hs ─► messages ─► answer ─► client
//! ```
//!
//! | module | purpose |
//! |---|---|
//! | `transport` | messages of the protocol, one a line |
//! | `server` | the tools, and the calls of them |
//! | `param` | a parameter of a tool, and its schema |
//! | `params` | what each tool takes, and the flags that it becomes |
//! | `arguments` | the values of a call, as clients really send them |
//! | `places` | the directories that no path leads out of, and paths in them |
//! | `hs` | the program `hs`, and its runs |
//! | `messages` | the output of `hs --json` |
//! | `file_list` | the files that `hs` has listed |
//! | `reports` | what `hs` reports on standard error, in terms of parameters |
//! | `listing` | results below their paths, up to a number of bytes |
//! | `answer` | what each tool returns: text for a model, and values for programs |
//! | `changes` | patches that were shown, and what is written of them |
//!
//! The server cannot search itself: every parameter of a tool is a flag of `hs`, except
//! `max_bytes`, which bounds an answer.

#![forbid(unsafe_code)]

mod answer;
mod arguments;
mod changes;
mod file_list;
mod hs;
mod listing;
mod messages;
mod param;
mod params;
mod places;
mod reports;
mod server;
mod skipped;
mod transport;

use std::{env, ffi::OsString, path::PathBuf, process::ExitCode};

use rmcp::{ServiceExt, transport::stdio_pipes};

use crate::{hs::Hs, places::AllowedDirs, server::Server, transport::LineTransport};

const USAGE_TEXT: &str = "\
heist-mcp searches directories for programs that speak the Model Context Protocol on its standard
input and output.

Usage: heist-mcp [--hs PROGRAM] [--allow-write] [DIRECTORY...]

  DIRECTORY      what may be searched, by default the client's roots, or the current directory if
                 it has none
  --hs PROGRAM   the hs to run, by default the one beside heist-mcp, or in PATH
  --allow-write  offers the tools replace and undo: what replace_preview has shown can be written
  --help         this text
  --version      the version
";

/// What the command line requests.
enum Command {
    Serve { program: Option<PathBuf>, dirs: Vec<PathBuf>, may_write: bool },
    Print(String),
}

fn main() -> ExitCode {
    let result = parse(env::args_os().skip(1)).and_then(|command| match command {
        Command::Print(text) => {
            print!("{text}");
            Ok(())
        }
        Command::Serve { program, dirs, may_write } => {
            let places = if dirs.is_empty() { None } else { Some(AllowedDirs::new(&dirs)?) };
            serve(Hs::find(program)?, places, may_write)
        }
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("heist-mcp: {message}");
            ExitCode::from(2)
        }
    }
}

fn parse(mut args: impl Iterator<Item = OsString>) -> Result<Command, String> {
    let (mut program, mut dirs, mut are_flags) = (None, Vec::new(), true);
    let mut may_write = false;
    while let Some(arg) = args.next() {
        match arg.to_str().filter(|_| are_flags) {
            Some("--help" | "-h") => return Ok(Command::Print(USAGE_TEXT.to_owned())),
            Some("--version" | "-V") => {
                return Ok(Command::Print(format!("heist-mcp {}\n", env!("CARGO_PKG_VERSION"))));
            }
            Some("--hs") => {
                let value = args.next().ok_or("missing value for --hs")?;
                program = Some(PathBuf::from(value));
            }
            Some("--allow-write") => may_write = true,
            Some("--") => are_flags = false,
            Some(flag) if flag.starts_with('-') => return Err(format!("unknown flag {flag}")),
            _ => dirs.push(PathBuf::from(arg)),
        }
    }
    Ok(Command::Serve { program, dirs, may_write })
}

/// Serves one client, until it closes standard input, reads no more, or a signal ends the program.
fn serve(hs: Hs, places: Option<AllowedDirs>, may_write: bool) -> Result<(), String> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build().map_err(|error| error.to_string())?;
    let ended = runtime.block_on(async {
        let signals = Signals::new().map_err(|error| error.to_string())?;
        let runs = hs.clone();
        // Calls go on until their runs have ended, and been waited for.
        let mut served = std::pin::pin!(serve_client(hs, places, may_write));
        let ended = tokio::select! {
            served = &mut served => served.map(|()| None),
            signal = signals.first() => Ok(Some(signal)),
        };
        runs.ended().await;
        ended
    });
    // A read of standard input may never end.
    runtime.shutdown_background();
    if let Some(signal) = ended? {
        end_by(signal);
    }
    Ok(())
}

async fn serve_client(hs: Hs, places: Option<AllowedDirs>, may_write: bool) -> Result<(), String> {
    let (reader, writer) = stdio_pipes();
    let runs = hs.clone();
    let lines = LineTransport::new(reader, writer, move || runs.end_all());
    let served =
        Server::new(hs, places, may_write).serve(lines).await.map_err(|error| error.to_string())?;
    served.waiting().await.map(drop).map_err(|error| error.to_string())
}

/// The signals that end the program.
#[cfg(unix)]
struct Signals(Vec<(i32, tokio::signal::unix::Signal)>);

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()];
        let signals = kinds.into_iter().map(|kind| Ok((kind.as_raw_value(), signal(kind)?)));
        signals.collect::<std::io::Result<_>>().map(Signals)
    }

    /// The first signal that comes.
    async fn first(self) -> i32 {
        let mut signals = self.0;
        std::future::poll_fn(|context| {
            let come = signals.iter_mut().find_map(|(number, signal)| {
                signal.poll_recv(context).is_ready().then_some(*number)
            });
            come.map_or(std::task::Poll::Pending, std::task::Poll::Ready)
        })
        .await
    }
}

/// Ends the program as the signal would have, so that who has sent it learns of it.
#[cfg(unix)]
fn end_by(signal: i32) {
    // If that fails, the program ends by itself.
    let _ = signal_hook::low_level::emulate_default_handler(signal);
}

/// The end by Ctrl-C.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Signals> {
        Ok(Signals)
    }

    async fn first(self) -> i32 {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        2
    }
}

#[cfg(not(unix))]
fn end_by(_: i32) {}
