//! A session: every comparison from its first command to its last, the record written after each, progress told.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::corpora::Corpus;
use crate::machine::Ticks;
use crate::process;
use crate::random::Random;
use crate::suite::check::{self, Refusal};
use crate::suite::costs::{self, Event, Perf};
use crate::suite::hyperfine::{Hyperfine, Output, Setting};
use crate::suite::plan::{Choice, Planned};
use crate::suite::record::{self, Comparison, Outcome, Record};
use crate::suite::tasks::{Compared, Task, Work};
use crate::walker::Cache;

/// How long the first run of a command may take. Only a hang takes longer.
const PATIENCE: Duration = Duration::from_secs(600);

/// What has to happen before a cold run, as hyperfine takes it.
const FORGET: &str = "sh -c 'sync; echo 3 > /proc/sys/vm/drop_caches'";

/// Above this share of stolen time a comparison's figures are doubtful.
const STOLEN: f64 = 0.05;

/// What is needed from the first comparison to the last.
pub(crate) struct Session {
    record: Record,
    path: PathBuf,
    hyperfine: Hyperfine,
    choice: Choice,
    cache: Cache,
    perf: Perf,
    random: Random,
    progress: Progress,
}

/// A command of the comparison that is measured now.
struct Runner {
    planned: Planned,
    row: record::Row,
    /// As hyperfine takes it.
    command: String,
    /// How long one run takes, about.
    took: Duration,
}

/// A corpus as the record tells of it.
pub(crate) fn describe(corpus: &Corpus) -> record::Corpus {
    record::Corpus {
        name: corpus.name.clone(),
        shape: corpus.shape.clone(),
        file_system: corpus.file_system.clone(),
    }
}

impl Session {
    /// One that has measured nothing, and will write `record` to `path`.
    pub(crate) fn new(
        record: Record,
        path: PathBuf,
        hyperfine: Hyperfine,
        choice: Choice,
        cache: Cache,
    ) -> Session {
        let random = Random::new(record.method.seed);
        let perf = Perf::find();
        Session { record, path, hyperfine, choice, cache, perf, random, progress: Progress::new() }
    }

    /// Measures `tasks` on `corpora`, until the user stops it.
    ///
    /// # Errors
    ///
    /// The record cannot be written.
    pub(crate) fn run(&mut self, corpora: &[Corpus], tasks: &[Task]) -> io::Result<()> {
        let is_list = |task: &Task| matches!(task.work, Work::ListAll | Work::ListIgnore);
        let pairs = corpora.iter().flat_map(|corpus| tasks.iter().map(move |task| (corpus, task)));
        // A file cannot be listed.
        let pairs: Vec<_> =
            pairs.filter(|(corpus, task)| !(corpus.is_file() && is_list(task))).collect();
        self.progress.comparisons = pairs.len();
        for (corpus, task) in pairs {
            let comparison = self.compare(corpus, task);
            self.record.comparisons.push(comparison);
            self.record.write(&self.path)?;
            self.progress.done += 1;
            if process::interrupted() {
                self.progress.tell("stopped; what is finished is kept");
                return Ok(());
            }
        }
        self.record.is_partial = false;
        Ok(())
    }

    /// The record, written for the last time.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub(crate) fn finish(self) -> io::Result<Record> {
        self.record.write(&self.path)?;
        Ok(self.record)
    }

    fn compare(&mut self, corpus: &Corpus, task: &Task) -> Comparison {
        let before = Ticks::now();
        let (directory, target) = match (corpus.is_file(), corpus.path.parent()) {
            (true, Some(parent)) => (parent.to_owned(), corpus.path.file_name()),
            _ => (corpus.path.clone(), None),
        };
        let target = target.map(|name| name.to_string_lossy().into_owned());
        let mut comparison = Comparison {
            corpus: corpus.name.clone(),
            task: task.name.to_owned(),
            about: task.about.to_owned(),
            cache: self.cache.name().to_owned(),
            rows: Vec::new(),
        };
        self.progress.title = comparison.name();
        let planned = self.choice.commands(task, target.as_deref());
        let mut runners = self.check(planned, &directory);
        let output = match task.work {
            Work::ListAll | Work::ListIgnore => Output::Null,
            Work::SearchIgnore(_) | Work::SearchAll(_) => Output::Pipe,
        };
        // What is finished counts, whatever the user stops.
        let _ = self
            .time(&mut runners, &directory, output)
            .and_then(|()| self.count(&mut runners, &directory, output, corpus.shape.files));
        comparison.rows = runners.into_iter().map(|runner| runner.row).collect();
        let stolen = Ticks::now().stolen_since(before);
        if stolen > STOLEN {
            let percent = stolen * 100.0;
            let name = comparison.name();
            let warning =
                format!("{name}: the hypervisor gave {percent:.0} % of the time to others");
            self.record.warnings.push(warning);
        }
        comparison
    }

    /// Runs each command once: what it prints is its result.
    fn check(&mut self, planned: Vec<Planned>, directory: &Path) -> Vec<Runner> {
        let mut reference: Option<Outcome> = None;
        let number = planned.len();
        let mut runners = Vec::new();
        for (index, planned) in planned.into_iter().enumerate() {
            self.progress.step(&format!("result {} of {number}", index + 1), None);
            let mut row = planned.row.clone();
            let mut took = Duration::ZERO;
            let mut command = Command::new(&planned.program);
            command.args(&planned.arguments).current_dir(directory);
            let compared = planned.compared.unwrap_or(Compared::Lines);
            match check::check(command, compared, PATIENCE) {
                Ok(checked) => {
                    took = checked.took;
                    row.result = Some(checked.outcome);
                    if row.is_house() && reference.is_none() {
                        reference = Some(checked.outcome);
                    }
                    let known = reference.filter(|_| planned.compared.is_some());
                    row.agrees = known.map(|known| check::agree(&known, &checked.outcome));
                }
                Err(Refusal::Fault(why)) => row.fault = Some(why),
                Err(Refusal::Interrupted) => break,
            }
            match (planned.quoted(false), planned.quoted(true)) {
                (Ok(command), Ok(shown)) => {
                    row.command = shown;
                    runners.push(Runner { planned, row, command, took });
                }
                (Err(why), _) | (_, Err(why)) => {
                    row.fault = Some(why);
                    runners.push(Runner { planned, row, command: String::new(), took });
                }
            }
        }
        runners
    }

    /// Times the commands in turns, a new order each time.
    fn time(
        &mut self,
        runners: &mut [Runner],
        directory: &Path,
        output: Output,
    ) -> Result<(), Stopped> {
        let rounds = self.record.method.repeats;
        for round in 1..=rounds {
            let later = rounds - round + 1 + self.other_runs();
            let left = runners.iter().map(|runner| runner.took).sum::<Duration>() * later as u32;
            self.progress.step(&format!("round {round} of {rounds}"), Some(left));
            self.in_turn(runners, |session, runner, code| {
                let prepare = (session.cache == Cache::Cold).then_some(FORGET);
                let setting = Setting { directory, prepare, output, limit: limit(runner.took) };
                let run = session.hyperfine.time(&runner.command, code, setting)?;
                runner.row.runs.push(run);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Everything but time.
    fn count(
        &mut self,
        runners: &mut [Runner],
        directory: &Path,
        output: Output,
        files: u64,
    ) -> Result<(), Stopped> {
        if self.cache == Cache::Cold {
            return Ok(());
        }
        let rounds = self.record.method.cost_runs;
        for round in 1..=rounds {
            self.progress.step(&format!("memory and switches {round} of {rounds}"), None);
            self.in_turn(runners, |session, runner, code| {
                let Planned { program, arguments, .. } = &runner.planned;
                let limit = limit(runner.took);
                let setting = Setting { directory, prepare: None, output, limit };
                let mut cost = costs::measure(program, arguments, code, setting)?;
                let event = Event::Migrations;
                cost.migrations = session.perf.count(event, program, arguments, directory, limit);
                runner.row.costs.push(cost);
                Ok(())
            })?;
        }
        for runner in runners.iter_mut().filter(|runner| runner.planned.counts_calls) {
            let Planned { program, arguments, .. } = &runner.planned;
            let limit = limit(runner.took);
            let calls = self.perf.count(Event::Calls, program, arguments, directory, limit);
            runner.row.calls_per_file = calls.map(|calls| calls as f64 / files.max(1) as f64);
            if process::interrupted() {
                return Err(Stopped);
            }
        }
        Ok(())
    }

    /// One run of each command that works so far, in a new order; `measure` is told the exit code it should have.
    fn in_turn(
        &mut self,
        runners: &mut [Runner],
        measure: impl Fn(&Session, &mut Runner, i32) -> Result<(), Refusal>,
    ) -> Result<(), Stopped> {
        for index in self.order(runners.len()) {
            let runner = &mut runners[index];
            if let (None, Some(result)) = (&runner.row.fault, runner.row.result)
                && let Err(refusal) = measure(self, runner, result.code)
            {
                runner.refuse(refusal)?;
            }
        }
        Ok(())
    }

    /// How many runs follow the timed ones.
    fn other_runs(&self) -> usize {
        let each = if self.perf.has(Event::Migrations) { 2 } else { 1 };
        self.record.method.cost_runs * each
    }

    fn order(&mut self, len: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..len).collect();
        self.random.shuffle(&mut order);
        order
    }
}

/// The user wants to stop.
struct Stopped;

impl Runner {
    /// Marks the row, or passes on the user's wish.
    fn refuse(&mut self, refusal: Refusal) -> Result<(), Stopped> {
        match refusal {
            Refusal::Interrupted => Err(Stopped),
            Refusal::Fault(why) => {
                self.row.fault = Some(why);
                Ok(())
            }
        }
    }
}

/// How long a command that took so long may take.
fn limit(took: Duration) -> Duration {
    took * 20 + Duration::from_secs(60)
}

/// What runs, and how long it will take.
struct Progress {
    comparisons: usize,
    done: usize,
    title: String,
    begun: Instant,
    told: Option<Instant>,
}

impl Progress {
    fn new() -> Progress {
        Progress {
            comparisons: 0,
            done: 0,
            title: String::new(),
            begun: Instant::now(),
            told: None,
        }
    }

    /// Tells what is done now, at most once a second; `left` is what remains of this comparison.
    fn step(&mut self, what: &str, left: Option<Duration>) {
        if self.told.is_some_and(|told| told.elapsed() < Duration::from_secs(1)) {
            return;
        }
        self.told = Some(Instant::now());
        let left = left.map(|left| self.left(left)).unwrap_or_default();
        let (number, all) = (self.done + 1, self.comparisons);
        self.tell(&format!("{number} of {all}: {}: {what}{left}", self.title));
    }

    /// In words, how long the rest takes if the comparisons to come are like those that are done.
    fn left(&self, this: Duration) -> String {
        let begun = self.begun.elapsed() + this;
        let each = begun / (self.done as u32 + 1);
        let later = self.comparisons.saturating_sub(self.done + 1) as u32;
        format!("; about {} left", in_words(this + each * later))
    }

    fn tell(&self, text: &str) {
        // Progress is worth no failure.
        let _ = writeln!(io::stderr(), "benchsuite: {text}");
    }
}

fn in_words(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..100 => format!("{seconds} s"),
        seconds @ 100..6000 => format!("{} min", seconds.div_ceil(60)),
        seconds => format!("{:.1} h", seconds as f64 / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_fitting_units() {
        let told = [5, 99, 100, 3600, 7200].map(|s| in_words(Duration::from_secs(s)));
        assert_eq!(told, ["5 s", "99 s", "2 min", "60 min", "2.0 h"]);
    }
}
