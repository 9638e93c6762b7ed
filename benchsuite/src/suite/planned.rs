//! The rows of command lines, for the cases in text.

use std::path::Path;
use std::{fs, io, iter};

use clap::Parser;

use crate::record::{Corpus, RecordKind};
use crate::suite::plan::Choice;
use crate::suite::tools::{Installed, Rival, heist, indexed, rivals};
use crate::{Command, Typed};

/// The rows that a command line measures on a machine with the number of cores that it begins with,
/// and with every rival: a line each, in which `*` marks rows with counted system calls. The corpus
/// is a tree with an index of each rival that has one; with `--path`, a file.
pub(crate) fn planned_rows(command: &str) -> io::Result<String> {
    let (cores, arguments) = command.split_once(' ').expect("a number of cores, and arguments");
    let cores = cores.parse().expect("a number of cores");
    let words = shlex::split(arguments).expect("quotes are paired");
    let typed = Typed::try_parse_from(iter::once("benchsuite".to_owned()).chain(words));
    let first_line = |error: clap::Error| {
        let text = error.to_string();
        io::Error::other(text.lines().next().unwrap_or_default().trim_start_matches("error: "))
    };
    let (options, kind) = match typed.map_err(first_line)?.command {
        Some(Command::Walk(options)) => (options, RecordKind::Walk),
        Some(Command::Search(options)) => (options, RecordKind::Search),
        Some(Command::Index(options)) => (options, RecordKind::Index),
        _ => panic!("{command} plans nothing"),
    };
    let home = tempfile::tempdir()?;
    let path = home.path().join("tree");
    if options.path.is_empty() {
        fs::create_dir(&path)?;
        let indexes = rivals().iter().filter_map(|rival| rival.index.as_ref());
        indexes.map(|index| path.join(&index.file)).try_for_each(|file| fs::write(file, ""))?;
    }
    let installed = |rival: &'static Rival| Installed {
        rival,
        program: Path::new("/opt").join(&rival.name),
        version: String::new(),
        environment: Vec::new(),
    };
    let states = if kind == RecordKind::Index { indexed().to_vec() } else { Vec::new() };
    let rivals = states.into_iter().chain(options.rivals(kind)?).map(installed).collect();
    let choice = Choice {
        floor: Some("/opt/benchsuite".into()),
        words: "/tmp/x/words".into(),
        ..options.choice(kind, cores, installed(heist()), rivals)
    };
    let mut corpus = Corpus { path, ..Corpus::default() };
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
