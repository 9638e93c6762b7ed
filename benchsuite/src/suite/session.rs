//! A session: every comparison from its first command to its last, and the record after each.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::child;
use crate::corpora::Corpus;
use crate::machine::Ticks;
use crate::process::{self, Failure};
use crate::record::{self, Comparison, Figures, Outcome, Record, Row};
use crate::suite::cache::Cache;
use crate::suite::check;
use crate::suite::costs::{self, Event, Perf};
use crate::suite::hyperfine::{Hyperfine, Output, Setting};
use crate::suite::plan::{Choice, Means, Planned};
use crate::suite::tasks::{Compared, Task};
use crate::turns::{Progress, Run, Stopped, Turns};

/// How long the first run of a command may take. Only a hang takes longer.
const PATIENCE: Duration = Duration::from_secs(600);

/// Above this share of stolen time the figures of a comparison are doubtful.
const STOLEN: f64 = 0.05;

/// What is needed from the first comparison to the last.
pub(crate) struct Session {
    pub(crate) record: Record,
    /// Where the record is written.
    pub(crate) path: PathBuf,
    pub(crate) hyperfine: Hyperfine,
    pub(crate) choice: Choice,
    pub(crate) cache: Cache,
}

/// One comparison while it is measured.
struct Bench<'a> {
    session: &'a Session,
    perf: &'a Perf,
    directory: &'a Path,
    output: Output,
    planned: Vec<Planned>,
    /// Each row's command as hyperfine takes it, and how long one run takes, roughly.
    commands: Vec<(String, Duration)>,
    /// Files of the corpus.
    files: u64,
}

/// A corpus as the record describes it.
pub(crate) fn describe(corpus: &Corpus) -> record::Corpus {
    record::Corpus {
        name: corpus.name.clone(),
        shape: corpus.shape.clone(),
        file_system: corpus.file_system.clone(),
        ..record::Corpus::default()
    }
}

impl Session {
    /// Measures `tasks` on `corpora` until the user stops it, and returns the record, which is
    /// written after each comparison.
    pub(crate) fn run(mut self, corpora: &[Corpus], tasks: &[Task]) -> io::Result<Record> {
        let pairs = corpora.iter().flat_map(|corpus| tasks.iter().map(move |task| (corpus, task)));
        let pairs = pairs.filter(|(corpus, task)| !(corpus.is_file() && task.work.is_walk()));
        let pairs: Vec<_> = pairs.collect();
        let perf = Perf::find();
        let mut progress = Progress::new(pairs.len());
        for (number, &(corpus, task)) in pairs.iter().enumerate() {
            let comparison = self.compare(corpus, task, &perf, (&mut progress, number));
            if !comparison.rows.is_empty() {
                self.record.comparisons.push(comparison);
            }
            self.record.write(&self.path)?;
            if process::interrupted() {
                progress.report("stopped; what is finished is kept");
                return Ok(self.record);
            }
        }
        self.record.is_partial = false;
        self.record.write(&self.path)?;
        Ok(self.record)
    }

    fn compare(
        &mut self,
        corpus: &Corpus,
        task: &Task,
        perf: &Perf,
        (progress, number): (&mut Progress, usize),
    ) -> Comparison {
        let before = Ticks::now();
        let (directory, target) = match (corpus.is_file(), corpus.path.parent()) {
            (true, Some(parent)) => (parent, corpus.path.file_name()),
            _ => (corpus.path.as_path(), None),
        };
        let target = target.map(|name| name.to_string_lossy().into_owned());
        let mut comparison = Comparison {
            corpus: corpus.name.clone(),
            task: task.name.to_owned(),
            about: task.about.to_owned(),
            cache: self.cache.name().to_owned(),
            rows: Vec::new(),
        };
        progress.begin(number, comparison.name());
        let mut bench = Bench {
            session: self,
            perf,
            directory,
            output: if task.work.is_walk() { Output::Null } else { Output::Pipe },
            planned: self.choice.rows(task, &corpus.path, target.as_deref()),
            commands: Vec::new(),
            files: corpus.shape.files,
        };
        let mut warnings = Vec::new();
        // What is finished counts even if the user stops the session.
        let rows = &mut comparison.rows;
        let _ = bench
            .check(rows, progress, &mut warnings)
            .and_then(|()| bench.time(rows, progress))
            .and_then(|()| bench.count(rows, progress));
        let stolen = Ticks::now().stolen_since(before) * 100.0;
        if stolen > STOLEN * 100.0 {
            warnings.push(format!("the hypervisor gave {stolen:.0} % of the time to others"));
        }
        let name = comparison.name();
        let warnings = warnings.into_iter().map(|warning| format!("{name}: {warning}"));
        self.record.warnings.extend(warnings);
        comparison
    }
}

impl Bench<'_> {
    /// Runs each row once: what it prints is its result, which has to be that of the first row of
    /// `hs`, or of the walker.
    fn check(
        &mut self,
        rows: &mut Vec<Row>,
        progress: &mut Progress,
        warnings: &mut Vec<String>,
    ) -> Result<(), Stopped> {
        let mut references: [Option<Outcome>; 2] = [None, None];
        for (index, planned) in self.planned.iter().enumerate() {
            progress.step(&format!("result {} of {}", index + 1, self.planned.len()), None);
            let mut row = planned.row.clone();
            let mut took = Duration::ZERO;
            match self.result(&planned.means, warnings) {
                Ok((result, seconds)) => {
                    took = seconds;
                    row.result = Some(result);
                    let reference = &mut references[usize::from(row.is_walker())];
                    if (row.is_house() || row.is_walker()) && reference.is_none() {
                        *reference = Some(result);
                    }
                    let is_compared =
                        !matches!(planned.means, Means::Command { compared: None, .. });
                    let known = reference.filter(|_| is_compared);
                    row.agrees = known.map(|known| known.agrees(&result));
                    let counts = matches!(&planned.means, Means::Command { arguments, .. }
                        if arguments.get(1).is_some_and(|mode| mode == "list"));
                    if row.is_floor() && counts && result.lines < self.files {
                        let least = self.files;
                        row.fail(format!("{} entries, at least {least} expected", result.lines));
                    }
                }
                Err(Failure::Interrupted) => return Err(Stopped),
                Err(failure) => row.fail(failure.to_string()),
            }
            let command = planned.means.quoted(false).unwrap_or_else(|why| {
                row.fail(why);
                String::new()
            });
            row.command = planned.means.quoted(true).unwrap_or_default();
            self.commands.push((command, took));
            rows.push(row);
        }
        Ok(())
    }

    fn result(
        &self,
        means: &Means,
        warnings: &mut Vec<String>,
    ) -> Result<(Outcome, Duration), Failure> {
        match means {
            Means::Command { program, arguments, compared } => {
                let mut command = Command::new(program);
                command.args(arguments).current_dir(self.directory);
                let compared = compared.unwrap_or(Compared::Lines);
                let checked = check::check(command, compared, PATIENCE)?;
                Ok((checked.outcome, checked.took))
            }
            Means::Walk(walk) => {
                let sample = child::measure(&child::Task::Walk(walk.clone()), PATIENCE)?;
                if let Some(error) = sample.note {
                    let errors = sample.columns.get("errors").copied().unwrap_or_default();
                    let warning = format!("{errors:.0} paths not walked or read, as {error}");
                    if !warnings.contains(&warning) {
                        warnings.push(warning);
                    }
                }
                let result = sample.result.ok_or_else(|| Failure::of("a walk without result"))?;
                Ok((result, Duration::from_nanos(sample.wall_ns)))
            }
        }
    }

    /// Times the rows in turns.
    fn time(&self, rows: &mut [Row], progress: &mut Progress) -> Result<(), Stopped> {
        let turns = self.turns(self.session.record.method.repeats, 0);
        let cache = self.session.cache;
        let mut begin = |round: usize| {
            let later = turns.repeats - round.min(turns.repeats) + 1 + self.other_runs();
            let one: Duration = self.commands.iter().map(|(_, took)| *took).sum();
            let what = format!("round {round} of {}", turns.repeats);
            progress.step(&what, Some(one * later as u32));
        };
        turns.take(rows, &mut begin, &mut |index, row| match &self.planned[index].means {
            Means::Walk(walk) => {
                cache.prepare().map_err(Failure::of)?;
                child::run(&child::Task::Walk(walk.clone()), PATIENCE)
            }
            Means::Command { .. } => {
                let prepare = (cache == Cache::Cold).then_some(Cache::FORGET);
                let (command, code) = (&self.commands[index].0, code(row));
                let figures =
                    self.session.hyperfine.time(command, code, self.setting(index, prepare))?;
                Ok(Run { figures, ..Run::default() })
            }
        })
    }

    /// Measures everything but time. A walk has measured that as well.
    fn count(&self, rows: &mut [Row], progress: &mut Progress) -> Result<(), Stopped> {
        if self.session.cache == Cache::Cold {
            return Ok(());
        }
        let commands = |index: usize| match &self.planned[index].means {
            Means::Command { program, arguments, .. } => Some((program, arguments)),
            Means::Walk(_) => None,
        };
        let rounds = self.session.record.method.cost_runs;
        let mut counted: Vec<Row> = rows.iter().map(without_runs).collect();
        let mut begin = |round: usize| {
            progress.step(&format!("memory and switches {round} of {rounds}"), None);
        };
        let measured = self.turns(rounds, 1).take(&mut counted, &mut begin, &mut |index, row| {
            let Some((program, arguments)) = commands(index) else { return Ok(Run::default()) };
            let setting = self.setting(index, None);
            let mut figures = costs::measure(program, arguments, code(row), setting)?;
            let migrations = self.perf.count(Event::Migrations, program, arguments, setting);
            figures.0.extend(migrations.map(|count| ("migrations".to_owned(), count as f64)));
            Ok(Run { figures, ..Run::default() })
        });
        for (row, counted) in rows.iter_mut().zip(counted) {
            row.costs = counted.runs;
            row.costs.retain(|figures| !figures.0.is_empty());
            row.fault = row.fault.take().or(counted.fault);
        }
        measured?;
        for (index, row) in rows.iter_mut().enumerate() {
            if let (true, Some((program, arguments))) =
                (self.planned[index].counts_calls, commands(index))
            {
                let setting = self.setting(index, None);
                let calls = self.perf.count(Event::Calls, program, arguments, setting);
                let per_file = calls.map(|calls| calls as f64 / self.files.max(1) as f64);
                row.costs.extend(per_file.map(|each| Figures::of([("calls_per_file", each)])));
            }
            if process::interrupted() {
                return Err(Stopped);
            }
        }
        Ok(())
    }

    fn turns(&self, repeats: usize, salt: u64) -> Turns {
        let seed = self.session.record.method.seed.wrapping_add(salt);
        Turns { repeats, seed, deadline: None, repeats_disturbed: false }
    }

    fn setting<'a>(&'a self, index: usize, prepare: Option<&'a str>) -> Setting<'a> {
        let limit = self.commands[index].1 * 20 + Duration::from_secs(60);
        Setting { directory: self.directory, prepare, output: self.output, limit }
    }

    /// How many runs follow the timed ones.
    fn other_runs(&self) -> usize {
        let each = if self.perf.has(Event::Migrations) { 2 } else { 1 };
        self.session.record.method.cost_runs * each
    }
}

/// The exit code that every run of a row must have.
fn code(row: &Row) -> i32 {
    row.result.map_or(0, |result| result.code)
}

fn without_runs(row: &Row) -> Row {
    Row { runs: Vec::new(), ..row.clone() }
}
