//! A session: every comparison from its first command to its last, and the record after each.

use std::io;
use std::mem;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::child;
use crate::files::notice;
use crate::machine::Ticks;
use crate::process::{self, Failure, Job};
use crate::record::{Comparison, Corpus, Figures, INDEXED, Outcome, Record, Row, WATCHED};
use crate::suite::cache::Cache;
use crate::suite::check::check;
use crate::suite::costs::{self, CALLS, MIGRATIONS};
use crate::suite::edits;
use crate::suite::indexes::Indexes;
use crate::suite::plan::{Choice, Means, RowPlan};
use crate::suite::suspect;
use crate::suite::tasks::{Compared, Task, Work};
use crate::suite::timer::Timer;
use crate::turns::{Run, SessionProgress, Stopped, Turns, attempt};

/// How long the first run of a command may take. Only a hang takes longer.
const RUN_TIMEOUT: Duration = Duration::from_secs(600);

/// How long a quick session takes times. Each command is timed once, however long that takes.
const QUICK_TIME: Duration = Duration::from_secs(60);

/// What is needed from the first comparison to the last.
pub(crate) struct Session {
    pub(crate) record: Record,
    /// Where the record is written.
    pub(crate) path: PathBuf,
    pub(crate) choice: Choice,
    /// Where `hs` is measured with an index.
    pub(crate) indexes: Option<Indexes>,
    pub(crate) timer: Timer,
    pub(crate) cache: Cache,
    /// What `perf` can count here.
    pub(crate) countable_events: Vec<&'static str>,
}

/// One comparison while it is measured.
struct Bench<'a> {
    session: &'a Session,
    plans: Vec<RowPlan>,
    /// When the last row should have been timed.
    deadline: Option<Instant>,
    /// How long one run of each row takes, roughly.
    took: Vec<Duration>,
    task: &'a Task,
    corpus: &'a Corpus,
    warnings: Vec<String>,
}

impl Session {
    /// Measures `tasks` on the corpora of the record until the user stops it, and returns the
    /// record, which is written after each comparison.
    pub(crate) fn run(mut self, tasks: &[&Task]) -> io::Result<Record> {
        let corpora = self.record.corpora.clone();
        let pairs = corpora.iter().flat_map(|corpus| tasks.iter().map(move |&task| (corpus, task)));
        let pairs = pairs.filter(|(corpus, task)| !corpus.is_file() || task.work.is_search());
        let pairs: Vec<_> = pairs.collect();
        let mut progress = SessionProgress::new(pairs.len());
        let mut left = QUICK_TIME;
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
            let share = left / (pairs.len() - number) as u32;
            let share = Some(share).filter(|_| self.record.method.quick);
            let begun = Instant::now();
            let (rows, warnings) = match task.work {
                Work::Edit => (Vec::new(), self.edit(corpus)),
                _ => self.compare(corpus, task, share, &mut progress),
            };
            left = left.saturating_sub(begun.elapsed());
            let warnings = warnings.into_iter().map(|warning| format!("{name}: {warning}"));
            self.record.warnings.extend(warnings);
            if !rows.is_empty() {
                comparison.rows = rows;
                self.record.comparisons.push(comparison);
            }
            self.record.write(&self.path)?;
            if process::interrupted() {
                let _ = notice("stopped; what is finished is kept");
                return Ok(self.record);
            }
        }
        self.record.is_partial = false;
        self.record.write(&self.path)?;
        Ok(self.record)
    }

    /// Adds what [`edits`] finds to the record, and returns warnings.
    fn edit(&mut self, corpus: &Corpus) -> Vec<String> {
        match edits::compare(&self.choice.heist, corpus, self.record.method.quick) {
            Ok((comparisons, tools)) => {
                self.record.comparisons.extend(comparisons);
                self.record.tools.extend(tools);
                Vec::new()
            }
            Err(Failure::Interrupted) => Vec::new(),
            Err(failure) => vec![failure.to_string()],
        }
    }

    /// The rows of a comparison as far as they are finished, and warnings.
    fn compare(
        &self,
        corpus: &Corpus,
        task: &Task,
        share: Option<Duration>,
        progress: &mut SessionProgress,
    ) -> (Vec<Row>, Vec<String>) {
        let deadline = share.map(|share| Instant::now() + share);
        let before = Ticks::now();
        let mut planned = self.choice.rows(task, corpus);
        let (took, mut warnings) = (Vec::new(), Vec::new());
        if let Some(indexes) = self.indexes.as_ref().filter(|_| task.work != Work::UpdateIndex) {
            progress.step("index", None);
            match indexes.prepare(&corpus.path) {
                Ok(None) => {}
                // Not every system has a way to watch a tree.
                Ok(Some(why)) => {
                    planned.retain(|(row, _)| row.tool != WATCHED);
                    warnings.push(why);
                }
                Err(Failure::Interrupted) => return (Vec::new(), warnings),
                Err(failure) => {
                    let why = failure.to_string();
                    let rows = planned.iter_mut().filter(|(row, _)| row.is_indexed());
                    rows.for_each(|(row, _)| row.fail(&why));
                }
            }
        }
        let (mut rows, plans): (Vec<Row>, Vec<RowPlan>) = planned.into_iter().unzip();
        let mut bench = Bench { session: self, plans, deadline, took, task, corpus, warnings };
        // What is finished counts even if the user stops the session.
        let _ = bench
            .check(&mut rows, progress)
            .and_then(|()| bench.time(&mut rows, progress))
            .and_then(|()| bench.measure_costs(&mut rows, progress));
        // Without optimization, the floor is no limit of programs that were optimized.
        if !cfg!(debug_assertions) {
            suspect::check_times(&mut rows, task.work);
        }
        let after = Ticks::now();
        if after.is_stolen_since(before) {
            let percent = after.stolen_since(before) * 100.0;
            let warning = format!("the hypervisor gave {percent:.0} % of the time to others");
            bench.warnings.push(warning);
        }
        (rows, bench.warnings)
    }
}

impl Bench<'_> {
    /// Runs each row once: what it prints is its result, and has to equal the first result of `hs`,
    /// or of the walker. If the user stops it, only the rows that have been run are left.
    fn check(
        &mut self,
        rows: &mut Vec<Row>,
        progress: &mut SessionProgress,
    ) -> Result<(), Stopped> {
        let mut references: [Option<Outcome>; 2] = [None, None];
        for (index, plan) in self.plans.iter().enumerate() {
            progress.step(&format!("result {} of {}", index + 1, rows.len()), None);
            let run = match &plan.means {
                Means::Program(job) => self
                    .prepare(index)
                    .and_then(|()| check(&mut job.command(), plan.compared, RUN_TIMEOUT)),
                Means::Walk(walk) => child::run(&child::ChildTask::Walk(walk.clone()), RUN_TIMEOUT),
            };
            let row = &mut rows[index];
            let Ok(run) = attempt(row, run) else {
                rows.truncate(index);
                return Err(Stopped);
            };
            let Run { figures, result, note, .. } = run.unwrap_or_default();
            self.took.push(Duration::from_secs_f64(figures.get("wall").unwrap_or_default()));
            let errors = figures.get("errors").unwrap_or_default();
            let warning =
                note.map(|error| format!("{errors:.0} paths not walked or read, as {error}"));
            self.warnings.extend(warning.filter(|warning| !self.warnings.contains(warning)));
            let Some(outcome) = result else {
                // A run that failed has left its fault in the row, which stays.
                row.fail("a walk without result");
                continue;
            };
            row.result = result;
            if outcome.lines < plan.least {
                row.fail(format!("{} entries, at least {} expected", outcome.lines, plan.least));
            }
            let reference = &mut references[usize::from(row.is_walker())];
            if row.is_house() || row.is_walker() {
                reference.get_or_insert(outcome);
            }
            row.agrees = reference.filter(|_| !row.is_floor()).map(|known| known.agrees(&outcome));
        }
        Ok(())
    }

    /// Does what comes before a run of a row.
    fn prepare(&self, index: usize) -> Result<(), Failure> {
        match (&self.plans[index], &self.session.indexes) {
            (RowPlan { means: Means::Program(job), before: Some(before), .. }, Some(indexes)) => {
                indexes.before(*before, &job.directory)
            }
            _ => Ok(()),
        }
    }

    /// How long a run of a row may take: never less than the first one, which found files in the
    /// cache that a later run may have to read from a slow disk.
    fn limit(&self, index: usize) -> Duration {
        RUN_TIMEOUT.max(self.took[index] * 20)
    }

    /// Times the rows in turns.
    fn time(&self, rows: &mut [Row], progress: &mut SessionProgress) -> Result<(), Stopped> {
        let Session { timer, cache, countable_events, record, .. } = self.session;
        let turns = self.turns(record.method.repeats, 0);
        let most_repeats = record.method.most_repeats;
        let turns = Turns { most_repeats, deadline: self.deadline, ..turns };
        let runs_per_cost = if countable_events.contains(&MIGRATIONS) { 2 } else { 1 };
        let mut begin = |round: usize| {
            let later = (turns.repeats + 1).saturating_sub(round);
            let later = later + record.method.cost_runs * runs_per_cost;
            let one: Duration = self.took.iter().sum();
            let noisy = if round > turns.repeats { " (noisy rows again)" } else { "" };
            let what = format!("round {round} of {}{noisy}", turns.repeats.max(round));
            progress.step(&what, Some(one * later as u32));
        };
        turns.take(rows, &mut begin, &mut |index, row| match &self.plans[index].means {
            Means::Program(job) => {
                self.prepare(index)?;
                let figures = timer.time(job, code(row), *cache, self.limit(index))?;
                Ok(Run { figures, ..Run::default() })
            }
            Means::Walk(walk) => {
                cache.prepare().map_err(Failure::of)?;
                child::run(&child::ChildTask::Walk(walk.clone()), self.limit(index))
            }
        })
    }

    /// Measures everything but time. A walk has measured that as well.
    fn measure_costs(
        &self,
        rows: &mut [Row],
        progress: &mut SessionProgress,
    ) -> Result<(), Stopped> {
        if self.session.cache == Cache::Cold {
            return Ok(());
        }
        let rounds = self.session.record.method.cost_runs;
        let mut begin = |round: usize| {
            progress.step(&format!("memory and switches {round} of {rounds}"), None);
        };
        // Turns collect what they measure in `runs`, so they get copies.
        let copy = |row: &Row| Row { runs: Vec::new(), ..row.clone() };
        let mut copies: Vec<Row> = rows.iter().map(copy).collect();
        let measured = self.turns(rounds, 1).take(&mut copies, &mut begin, &mut |index, row| {
            let Means::Program(job) = &self.plans[index].means else { return Ok(Run::default()) };
            self.prepare(index)?;
            let mut figures = costs::measure(job, code(row), self.limit(index))?;
            figures.0.retain(|name, _| !child::TIMES.contains(&&**name));
            let migrations = self.event_count(MIGRATIONS, job, index);
            figures.0.extend(migrations.map(|count| (MIGRATIONS.to_owned(), count)));
            Ok(Run { figures, ..Run::default() })
        });
        for (row, copy) in rows.iter_mut().zip(copies) {
            let (runs, mut costs) = (mem::take(&mut row.runs), copy.runs);
            costs.retain(|figures| !figures.0.is_empty());
            *row = Row { runs, costs, ..copy };
        }
        measured?;
        let mut counted = Vec::new();
        for (index, row) in rows.iter_mut().enumerate() {
            if let RowPlan { means: Means::Program(job), counts_calls: true, .. } =
                &self.plans[index]
                && let Some(calls) = self.event_count(CALLS, job, index)
            {
                let per_file = calls / self.corpus.shape.files.max(1) as f64;
                row.costs.push(Figures::of([("calls_per_file", per_file)]));
                counted.push((row.tool.clone(), calls));
            }
            if let (Some(_), Some(indexes)) = (self.plans[index].before, &self.session.indexes)
                && let Ok(bytes) = indexes.size()
            {
                row.costs.push(Figures::of([("index_bytes", bytes as f64)]));
            }
            if process::interrupted() {
                return Err(Stopped);
            }
        }
        let rivals = &self.session.choice.rivals;
        let has_index = |tool: &str| {
            let mut own = rivals.iter().filter(|rival| rival.rival.index.is_some());
            [INDEXED, WATCHED].contains(&tool) || own.any(|rival| rival.rival.name == tool)
        };
        counted.retain(|(tool, _)| !has_index(tool));
        let least = if counted.is_empty() { 0 } else { self.least_calls() };
        for (tool, calls) in counted {
            suspect::check_calls(rows, &tool, calls, least);
        }
        Ok(())
    }

    /// The least number of system calls that the task takes on the corpus.
    fn least_calls(&self) -> u64 {
        let Corpus { path, shape, .. } = self.corpus;
        let mut listed = 0;
        if self.task.work == Work::SearchIgnore && !self.corpus.is_file() {
            let arguments = ["--index", "never", "--files", "./"].map(str::to_owned).into();
            let (program, directory) = (self.session.choice.heist.program.clone(), path.clone());
            let job = Job { program, arguments, directory, ..Job::default() };
            let run = check(&mut job.command(), Compared::Lines, RUN_TIMEOUT);
            listed = run.ok().and_then(|run| run.result).map_or(0, |result| result.lines);
        }
        suspect::least_calls(self.task.work, shape, listed)
    }

    /// How often the event happens in a run of a row's command, if it can be counted.
    fn event_count(&self, event: &str, job: &Job, index: usize) -> Option<f64> {
        if !self.session.countable_events.contains(&event) {
            return None;
        }
        let counted =
            self.prepare(index).and_then(|()| costs::count_event(event, job, self.limit(index)));
        counted.ok()
    }

    fn turns(&self, repeats: usize, salt: u64) -> Turns {
        let seed = self.session.record.method.seed.wrapping_add(salt);
        Turns { repeats, most_repeats: 0, seed, deadline: None, repeats_disturbed: false }
    }
}

/// The exit code that every run of a row must have.
fn code(row: &Row) -> i32 {
    row.result.map_or(0, |result| result.code)
}
