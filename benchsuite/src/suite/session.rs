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
use crate::suite::check::{Checked, check};
use crate::suite::costs::{self, CALLS, MIGRATIONS, Perf};
use crate::suite::hyperfine::{Hyperfine, Job};
use crate::suite::plan::{Choice, Means, Planned};
use crate::suite::tasks::Task;
use crate::turns::{Progress, Run, Stopped, Turns, attempt};

/// How long the first run of a command may take. Only a hang takes longer.
const PATIENCE: Duration = Duration::from_secs(600);

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
    output: &'static str,
    planned: Vec<Planned>,
    /// How long one run of each row takes, roughly.
    took: Vec<Duration>,
    /// Files of the corpus.
    files: u64,
    warnings: Vec<String>,
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
    pub(crate) fn run(mut self, corpora: &[Corpus], tasks: &[&Task]) -> io::Result<Record> {
        let pairs = corpora.iter().flat_map(|corpus| tasks.iter().map(move |&task| (corpus, task)));
        let pairs = pairs.filter(|(corpus, task)| !corpus.is_file() || task.work.is_search());
        let pairs: Vec<_> = pairs.collect();
        let perf = Perf::find();
        let mut progress = Progress::new(pairs.len());
        for (number, &(corpus, task)) in pairs.iter().enumerate() {
            let mut comparison = Comparison {
                corpus: corpus.name.clone(),
                task: task.name.clone(),
                about: task.about.clone(),
                cache: self.cache.name().to_owned(),
                rows: Vec::new(),
            };
            let name = comparison.name();
            progress.begin(number, name.clone());
            let (rows, warnings) = self.compare(corpus, task, &perf, &mut progress);
            let warnings = warnings.into_iter().map(|warning| format!("{name}: {warning}"));
            self.record.warnings.extend(warnings);
            if !rows.is_empty() {
                comparison.rows = rows;
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

    /// The rows of a comparison as far as they are finished, and warnings.
    fn compare(
        &self,
        corpus: &Corpus,
        task: &Task,
        perf: &Perf,
        progress: &mut Progress,
    ) -> (Vec<Row>, Vec<String>) {
        let before = Ticks::now();
        let (directory, target) = match (corpus.is_file(), corpus.path.parent()) {
            (true, Some(parent)) => (parent, corpus.path.file_name()),
            _ => (corpus.path.as_path(), None),
        };
        let target = target.map(|name| name.to_string_lossy().into_owned());
        let mut bench = Bench {
            session: self,
            perf,
            directory,
            output: if task.work.is_search() { Job::PIPE } else { Job::NULL },
            planned: self.choice.rows(task, &corpus.path, target.as_deref()),
            took: Vec::new(),
            files: corpus.shape.files,
            warnings: Vec::new(),
        };
        let mut rows = Vec::new();
        // What is finished counts even if the user stops the session.
        let _ = bench
            .check(&mut rows, progress)
            .and_then(|()| bench.time(&mut rows, progress))
            .and_then(|()| bench.count(&mut rows, progress));
        let after = Ticks::now();
        let mut warnings = bench.warnings;
        if after.is_stolen_since(before) {
            let percent = after.stolen_since(before) * 100.0;
            warnings.push(format!("the hypervisor gave {percent:.0} % of the time to others"));
        }
        (rows, warnings)
    }
}

impl Bench<'_> {
    /// Runs each row once: what it prints is its result, which has to be that of the first row of
    /// `hs`, or of the walker.
    fn check(&mut self, rows: &mut Vec<Row>, progress: &mut Progress) -> Result<(), Stopped> {
        let mut references: [Option<Outcome>; 2] = [None, None];
        for index in 0..self.planned.len() {
            let what = format!("result {} of {}", index + 1, self.planned.len());
            progress.step(&what, None);
            let mut row = self.planned[index].row.clone();
            let checked = attempt(&mut row, self.result(index))?;
            let means = &self.planned[index].means;
            row.command = means.shown();
            if let Some(Checked { outcome, .. }) = checked {
                row.result = Some(outcome);
                let reference = &mut references[usize::from(row.is_walker())];
                if row.is_house() || row.is_walker() {
                    reference.get_or_insert(outcome);
                }
                if let Means::Command { compared: None, arguments, .. } = means {
                    let is_short = arguments[1] == "list" && outcome.lines < self.files;
                    let least = self.files;
                    let why = || format!("{} entries, at least {least} expected", outcome.lines);
                    row.fault = is_short.then(why);
                } else {
                    row.agrees = reference.map(|known| known.agrees(&outcome));
                }
            }
            self.took.push(checked.map(|checked| checked.took).unwrap_or_default());
            rows.push(row);
        }
        Ok(())
    }

    fn result(&mut self, index: usize) -> Result<Checked, Failure> {
        let walk = match &self.planned[index].means {
            Means::Walk(walk) => walk,
            Means::Command { program, arguments, compared } => {
                let mut command = Command::new(program);
                command.args(arguments).current_dir(self.directory);
                return check(command, compared.unwrap_or_default(), PATIENCE);
            }
        };
        let sample = child::measure(&child::Task::Walk(walk.clone()), PATIENCE)?;
        if let Some(error) = sample.note {
            let errors = sample.columns.get("errors").copied().unwrap_or_default();
            let warning = format!("{errors:.0} paths not walked or read, as {error}");
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        let outcome = sample.result.ok_or_else(|| Failure::of("a walk without result"))?;
        Ok(Checked { outcome, took: Duration::from_nanos(sample.wall_ns) })
    }

    /// The command of a row; `None` for a walk in this program.
    fn job(&self, index: usize) -> Option<Job<'_>> {
        let Means::Command { program, arguments, .. } = &self.planned[index].means else {
            return None;
        };
        let limit = self.took[index] * 20 + Duration::from_secs(60);
        Some(Job { program, arguments, directory: self.directory, output: self.output, limit })
    }

    /// Times the rows in turns.
    fn time(&self, rows: &mut [Row], progress: &mut Progress) -> Result<(), Stopped> {
        let Session { cache, hyperfine, record, .. } = self.session;
        let turns = self.turns(record.method.repeats, 0);
        let runs_per_cost = if self.perf.has(MIGRATIONS) { 2 } else { 1 };
        let mut begin = |round: usize| {
            let later = turns.repeats - round.min(turns.repeats) + 1;
            let later = later + record.method.cost_runs * runs_per_cost;
            let one: Duration = self.took.iter().sum();
            progress.step(&format!("round {round} of {}", turns.repeats), Some(one * later as u32));
        };
        turns.take(rows, &mut begin, &mut |index, row| {
            if let Means::Walk(walk) = &self.planned[index].means {
                cache.prepare().map_err(Failure::of)?;
                return child::run(&child::Task::Walk(walk.clone()), PATIENCE);
            }
            let timed = self.job(index).map(|job| hyperfine.time(job, code(row), *cache));
            Ok(Run { figures: timed.transpose()?.unwrap_or_default(), ..Run::default() })
        })
    }

    /// Measures everything but time. A walk has measured that as well.
    fn count(&self, rows: &mut [Row], progress: &mut Progress) -> Result<(), Stopped> {
        if self.session.cache == Cache::Cold {
            return Ok(());
        }
        let rounds = self.session.record.method.cost_runs;
        let without_runs = |row: &Row| Row { runs: Vec::new(), ..row.clone() };
        let mut counted: Vec<Row> = rows.iter().map(without_runs).collect();
        let mut begin = |round: usize| {
            progress.step(&format!("memory and switches {round} of {rounds}"), None);
        };
        let measured = self.turns(rounds, 1).take(&mut counted, &mut begin, &mut |index, row| {
            let Some(job) = self.job(index) else { return Ok(Run::default()) };
            let mut figures = costs::measure(job, code(row))?;
            let migrations = self.perf.count(MIGRATIONS, job);
            figures.0.extend(migrations.map(|count| (MIGRATIONS.to_owned(), count)));
            Ok(Run { figures, ..Run::default() })
        });
        for (row, counted) in rows.iter_mut().zip(counted) {
            row.costs = counted.runs;
            row.costs.retain(|figures| !figures.0.is_empty());
            row.fault = row.fault.take().or(counted.fault);
        }
        measured?;
        for (index, row) in rows.iter_mut().enumerate() {
            let job = self.job(index).filter(|_| self.planned[index].counts_calls);
            let calls = job.and_then(|job| self.perf.count(CALLS, job));
            let per_file = calls.map(|calls| calls / self.files.max(1) as f64);
            row.costs.extend(per_file.map(|each| Figures::of([("calls_per_file", each)])));
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
}

/// The exit code that every run of a row must have.
fn code(row: &Row) -> i32 {
    row.result.map_or(0, |result| result.code)
}
