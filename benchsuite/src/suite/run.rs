//! `benchsuite walk`, `search` and `index`: from the command line to record, tables and page.

use std::env;
use std::io::{self, Write};
use std::iter;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::thread;

use crate::files::notice;
use crate::machine::Machine;
use crate::process;
use crate::record::{Corpus, Record, RecordKind, Row, WALKER, default_path};
use crate::report;
use crate::suite::cache::Cache;
use crate::suite::costs;
use crate::suite::indexes::Indexes;
use crate::suite::options::SuiteOptions;
use crate::suite::plan::Choice;
use crate::suite::session::Session;
use crate::suite::tasks::{QUERIES, queries, tasks_of, words};
use crate::suite::timer::Timer;
use crate::suite::tools::{Installed, find_heist, rivals};
use crate::tables;

/// Measures, writes the record and the report, prints the tables. The exit code is 1 if a command
/// failed or `hs` disagrees with itself, and 130 if the user stopped the session. An unknown name,
/// a missing corpus, and a record that cannot be written are errors.
pub(crate) fn run(options: &SuiteOptions, kind: RecordKind) -> io::Result<ExitCode> {
    process::catch_interrupts()?;
    if options.list {
        return list(kind).map(|()| ExitCode::SUCCESS);
    }
    let tasks = options.tasks(kind)?;
    let (mut rivals, mut warnings) = (Vec::new(), Vec::new());
    for rival in options.rivals(kind)? {
        match rival.find() {
            Some(installed) => rivals.push(installed),
            None if options.tools.is_empty() => {}
            None => warnings.push(format!("{} is not installed", rival.name)),
        }
    }
    let (timer, timer_name) = Timer::choose();
    let cache = Cache::choose(options.cold)?;
    let mut heist = find_heist(options.hs.as_deref())?;
    let indexes = match kind {
        RecordKind::Index => Some(Indexes::of(&heist)?),
        _ => None,
    };
    if let Some(indexes) = &indexes {
        let [without, with, watched] = indexes.tools();
        heist = without;
        rivals.splice(..0, [with, watched]);
    }
    let corpora = options.corpora()?;
    if !options.tools.is_empty() {
        warnings.extend(missing_indexes(&rivals, &corpora));
    }
    rivals.retain(|tool| corpora.iter().any(|corpus| tool.rival.is_ready_for(&corpus.path)));
    let words = words_file()?;
    let cores = thread::available_parallelism()?.get();
    let choice = Choice {
        // For many searches of the same files the floor is the same.
        floor: (cfg!(target_os = "linux")
            && kind != RecordKind::Index
            && options.task != [QUERIES])
        .then_some(env::current_exe()?),
        words: words.path().to_owned(),
        ..options.choice(kind, cores, heist, rivals)
    };
    let record = Record::begin(kind, options.method(timer_name));
    let mut record = Record {
        tools: iter::once(&choice.heist).chain(&choice.rivals).map(Installed::described).collect(),
        corpora,
        is_partial: true,
        ..record
    };
    if choice.rivals.iter().any(|rival| rival.rival.name == "git grep") {
        record.corpora.iter().try_for_each(|corpus| track(&corpus.path))?;
    }
    warnings.extend(doubts(&record.machine));
    record.warnings = warnings;
    let path = options.record.clone().unwrap_or_else(|| default_path(kind, &record.date));
    record.write(&path)?;
    let countable_events = costs::countable_events();
    if timer == Timer::Own {
        notice(&format!("timer: {}", record.method.timer))?;
    }
    let session =
        Session { record, path: path.clone(), choice, indexes, timer, cache, countable_events };
    let record = session.run(&tasks)?;
    let html = options.html.clone().unwrap_or_else(|| path.with_extension("html"));
    tables::show(&record, false)?;
    report::write_html(&record, &html)?;
    notice(&format!("record in {}, report in {}", path.display(), html.display()))?;
    // A row that makes the rest unbelievable.
    let is_bad = |row: &Row| {
        let is_own = !row.is_rival() || row.is_indexed();
        row.fault.is_some() || (is_own && row.agrees == Some(false))
    };
    Ok(process::exit_code(record.rows().any(|(_, row)| is_bad(row))))
}

/// A warning for each rival and each corpus without the index that it searches with.
fn missing_indexes(rivals: &[Installed], corpora: &[Corpus]) -> Vec<String> {
    let pairs = rivals.iter().flat_map(|tool| corpora.iter().map(move |corpus| (tool, corpus)));
    let missing = pairs.filter(|(tool, corpus)| !tool.rival.is_ready_for(&corpus.path));
    let warnings = missing.filter_map(|(tool, corpus)| {
        let (name, index) = (&tool.rival.name, tool.rival.index.as_ref()?);
        let (corpus, file, hint) = (&corpus.name, &index.file, &index.hint);
        Some(format!("{name} takes no part on {corpus}, which has no {file}: {hint}"))
    });
    warnings.collect()
}

fn list(kind: RecordKind) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "tasks:")?;
    for task in tasks_of(kind) {
        writeln!(out, "  {:14} {}", task.name, task.about)?;
    }
    if kind == RecordKind::Search {
        writeln!(out, "  {QUERIES:14} {} searches by readers of a kernel", queries().len())?;
    }
    writeln!(out, "tools:")?;
    for rival in rivals() {
        let version = rival.find().map_or("not installed".to_owned(), |found| found.version);
        writeln!(out, "  {:14} {version}", rival.name)?;
    }
    writeln!(out, "  {WALKER:14} heist's walker alone, in this program")
}

/// Adds every file that ignore rules leave to git's index if a repository has none, as in a corpus:
/// `git grep` searches the files that git tracks. Nothing else in the repository changes.
fn track(tree: &Path) -> io::Result<()> {
    let git = tree.join(".git");
    if !git.is_dir() || git.join("index").exists() {
        return Ok(());
    }
    notice(&format!("adding the files of {} to git's index, for git grep", tree.display()))?;
    let add = "git ls-files -z --others --exclude-standard |
        git update-index -z --add --info-only --stdin";
    let status = Command::new("sh").args(["-c", add]).current_dir(tree).status()?;
    let failed = || io::Error::other(format!("{}: git's index: {status}", tree.display()));
    status.success().then_some(()).ok_or_else(failed)
}

fn words_file() -> io::Result<tempfile::NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix("words").suffix(".txt").tempfile()?;
    for word in words() {
        writeln!(file, "{word}")?;
    }
    file.flush()?;
    Ok(file)
}

/// Reasons to doubt all figures, known before the first is measured.
fn doubts(machine: &Machine) -> Vec<String> {
    let mut doubts = Vec::new();
    let cores = machine.cores;
    if let Some(load) = machine.load_before().filter(|&load| load > cores as f64 / 4.0) {
        let idle = "the machine was not idle when it began";
        doubts.push(format!("{idle}: a load of {load:.1} on {cores} cores"));
    }
    if cfg!(debug_assertions) {
        doubts.push("this is a debug build: so may hs and the floor be".to_owned());
    }
    if machine.governor.as_deref().is_some_and(|governor| governor != "performance") {
        doubts.push("the clock rate is not fixed (governor)".to_owned());
    }
    doubts
}
