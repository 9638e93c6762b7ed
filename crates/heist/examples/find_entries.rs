//! Lists files and directories whose name matches, as `fd` does: `cargo run --example find_entries
//! -- [-H] [-I] [-d DEPTH] [-e EXTENSION] [-t f|d|l] [PATTERN [PATH]]`.
//!
//! `-H` includes hidden entries, `-I` ignored ones. Without capital letters in it the pattern
//! matches in either case.

use std::process::ExitCode;

use heist::{Case, Entry, FileType, Matcher, MatcherConfig, Walk};

/// What the command line selects.
struct Selection {
    names: Matcher,
    extension: Option<String>,
    file_type: Option<FileType>,
}

impl Selection {
    fn matches(&self, entry: &Entry<'_>) -> bool {
        let name = entry.name();
        let has_extension = |extension: &String| {
            name.strip_suffix(extension.as_bytes()).is_some_and(|stem| stem.ends_with(b"."))
        };
        self.file_type.is_none_or(|file_type| file_type == entry.file_type())
            && self.extension.as_ref().is_none_or(has_extension)
            && self.names.finder().is_match(name)
    }
}

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
    let (mut extension, mut file_type, mut names) = (None, None, Vec::new());
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "-H" => walk = walk.hidden(true),
            "-I" => walk = walk.ignore_files(false),
            "-d" => walk = walk.max_depth(value()?.parse()?),
            "-e" => extension = Some(value()?),
            "-t" => {
                file_type = Some(match value()?.as_str() {
                    "f" => FileType::File,
                    "d" => FileType::Dir,
                    "l" => FileType::Symlink,
                    other => return Err(format!("{other} is no type: use f, d or l").into()),
                });
            }
            _ if names.is_empty() => names.push(arg),
            _ => walk = walk.root(arg),
        }
    }
    let config = MatcherConfig { case: Case::Smart, ..MatcherConfig::default() };
    let names = Matcher::new(names_or_everything(names), &config)?;
    let selection = Selection { names, extension, file_type };
    let summary = walk.run(|entry| {
        // The root itself is not an entry of its tree.
        if entry.depth() > 0 && selection.matches(entry) {
            println!("{}", entry.path().display());
        }
    })?;
    summary.errors.iter().for_each(|error| eprintln!("find_entries: {error}"));
    Ok(summary.errors.is_empty())
}

/// The empty pattern matches every name.
fn names_or_everything(names: Vec<String>) -> Vec<String> {
    if names.is_empty() { vec![String::new()] } else { names }
}
