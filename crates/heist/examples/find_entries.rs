//! Lists files and directories with a name that matches, as `fd` does: `cargo run --example
//! find_entries -- [-H] [-I] [-d DEPTH] [-e EXTENSION] [-t f|d|l] [PATTERN [PATH]]`.
//!
//! `-H` includes hidden entries, `-I` ignored ones. Without capital letters in it the pattern
//! matches in either case.

use std::process::ExitCode;

use heist::{Case, FileType, Matcher, MatcherConfig, Walk};

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("find_entries: {error}");
            ExitCode::from(2)
        }
    }
}

/// Returns whether every path could be read.
fn run() -> Result<bool, Box<dyn std::error::Error>> {
    let mut walk = Walk::default().directories(true).symlinks(true);
    let (mut suffix, mut file_type, mut pattern) = (String::new(), None, None);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "-H" => walk = walk.hidden(true),
            "-I" => walk = walk.ignore_files(false),
            "-d" => walk = walk.max_depth(value()?.parse()?),
            "-e" => suffix = format!(".{}", value()?),
            "-t" => {
                file_type = Some(match value()?.as_str() {
                    "f" => FileType::File,
                    "d" => FileType::Dir,
                    "l" => FileType::Symlink,
                    other => return Err(format!("{other} is no type: use f, d or l").into()),
                });
            }
            _ if pattern.is_none() => pattern = Some(arg),
            _ => walk = walk.root(arg),
        }
    }
    let config = MatcherConfig { case: Case::Smart, ..MatcherConfig::default() };
    // The empty pattern matches every name.
    let names = Matcher::new([pattern.unwrap_or_default()], &config)?;
    let (_, summary) = walk.run_with_state(
        || names.finder(),
        |finder, entry| {
            // The root itself is not an entry of its tree.
            if entry.depth() > 0
                && entry.name().ends_with(suffix.as_bytes())
                && file_type.is_none_or(|file_type| file_type == entry.file_type())
                && finder.is_match(entry.name())
            {
                println!("{}", entry.path().display());
            }
        },
    )?;
    summary.errors.iter().for_each(|error| eprintln!("find_entries: {error}"));
    Ok(summary.errors.is_empty())
}
