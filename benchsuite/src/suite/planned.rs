//! The rows of command lines, for the cases in text.

use std::iter;
use std::path::Path;

use clap::Parser;

use crate::record::{Corpus, Kind};
use crate::suite::plan::Choice;
use crate::suite::tools::{Installed, Rival, heist};
use crate::{Command, Typed};

/// The rows that a command line measures on a machine with so many cores and every rival: a line
/// each, in which `*` marks those whose system calls are counted. The corpus is a tree; with
/// `--path`, a file.
pub(crate) fn planned_rows(command: &str) -> Result<String, String> {
    let (cores, arguments) = command.split_once(' ').expect("a number of cores, and arguments");
    let cores = cores.parse().expect("a number of cores");
    let words = shlex::split(arguments).expect("quotes are paired");
    let typed = Typed::try_parse_from(iter::once("benchsuite".to_owned()).chain(words));
    let (options, kind) = match typed.map_err(|error| first_line(&error))?.command {
        Some(Command::Walk(options)) => (options, Kind::Walk),
        Some(Command::Search(options)) => (options, Kind::Search),
        _ => panic!("{command} plans nothing"),
    };
    let installed = |rival: &'static Rival| Installed {
        rival,
        program: Path::new("/opt").join(&rival.name),
        version: String::new(),
    };
    let rivals = options.rivals()?.into_iter().map(installed).collect();
    let choice = Choice {
        floor: Some("/opt/benchsuite".into()),
        words: "/tmp/x/words".into(),
        ..options.choice(kind, cores, installed(heist()), rivals)
    };
    let mut corpus = Corpus { path: "/home/tree".into(), ..Corpus::default() };
    corpus.shape.directories = u64::from(options.path.is_empty());
    let mut text = String::new();
    for task in options.tasks(kind)? {
        for (row, plan) in choice.rows(task, &corpus) {
            let mark = if plan.counts_calls { " *" } else { "" };
            text += &format!("{}: {}{mark}: {}\n", task.name, row.name(), row.command);
        }
    }
    Ok(text)
}

fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.trim_start_matches("error: ").to_owned()
}
