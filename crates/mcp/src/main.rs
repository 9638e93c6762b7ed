//! `heist-mcp`: a server of the Model Context Protocol, over standard input and output, whose tools
//! search a directory with the program `hs`.
//!
//! ```text
//! client ─► server (rmcp) ─► params ─► the arguments of hs ─► hs ─► messages ─► answer ─► client
//! ```
//!
//! | module | purpose |
//! |---|---|
//! | `server` | the tools, and the calls of them |
//! | `params` | what each tool takes, and the flags that it becomes |
//! | `hs` | the program `hs`, run in a directory that no path leads out of |
//! | `messages` | the output of `hs --json` |
//! | `answer` | what each tool returns: text for a model, and values for programs |
//!
//! It has no search of its own: every parameter of a tool is a flag of `hs`, except `max_bytes`,
//! which bounds the text of an answer.

#![forbid(unsafe_code)]

mod answer;
mod hs;
mod messages;
mod params;
mod server;

use std::{env, ffi::OsString, path::PathBuf, process::ExitCode};

use rmcp::{ServiceExt, transport::stdio};

use crate::{hs::Hs, server::Server};

const USAGE: &str = "\
heist-mcp searches a directory for programs that speak the Model Context Protocol on its standard
input and output.

Usage: heist-mcp [--hs PROGRAM] [DIRECTORY]

  DIRECTORY      what may be searched, by default the current directory
  --hs PROGRAM   the hs to run, by default the one beside heist-mcp, or in PATH
  --help         this text
  --version      the version
";

/// What the command line requests.
enum Command {
    Serve { program: Option<PathBuf>, dir: PathBuf },
    Print(String),
}

fn main() -> ExitCode {
    let result = parse(env::args_os().skip(1)).and_then(|command| match command {
        Command::Print(text) => {
            print!("{text}");
            Ok(())
        }
        Command::Serve { program, dir } => serve(Hs::find(program, &dir)?),
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
    let (mut program, mut dir) = (None, None);
    while let Some(arg) = args.next() {
        match arg.to_str() {
            Some("--help" | "-h") => return Ok(Command::Print(USAGE.to_owned())),
            Some("--version" | "-V") => {
                return Ok(Command::Print(format!("heist-mcp {}\n", env!("CARGO_PKG_VERSION"))));
            }
            Some("--hs") => {
                let value = args.next().ok_or("missing value for --hs")?;
                program = Some(PathBuf::from(value));
            }
            Some(flag) if flag.starts_with('-') => return Err(format!("unknown flag {flag}")),
            _ if dir.is_some() => return Err("only one directory can be served".to_owned()),
            _ => dir = Some(PathBuf::from(arg)),
        }
    }
    Ok(Command::Serve { program, dir: dir.unwrap_or_else(|| PathBuf::from(".")) })
}

/// Serves one client, until it closes standard input.
fn serve(hs: Hs) -> Result<(), String> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build().map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let service = Server::new(hs).serve(stdio()).await.map_err(|error| error.to_string())?;
        service.waiting().await.map(drop).map_err(|error| error.to_string())
    })
}
