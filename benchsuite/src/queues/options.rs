//! The command line of `benchsuite queues`, and which cases it selects.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use crate::queues::case::Case;
use crate::queues::catalogue::{self, Scenario};

/// The command line.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Options {
    /// The scenarios [default: all; see --list]
    #[arg(value_name = "SCENARIO")]
    pub(crate) scenarios: Vec<String>,

    /// Fewer and smaller rows, 3 repeats, and no more of them than fit into two minutes
    #[arg(long)]
    pub(crate) quick: bool,

    /// Only these queues and other systems
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) queue: Vec<String>,

    /// Only these idle policies
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) idle: Vec<String>,

    /// Only rows with so many threads
    #[arg(short = 'j', long, value_name = "N", value_delimiter = ',')]
    pub(crate) threads: Vec<usize>,

    /// Runs of each row that count [default: 11, or 3 if quick]
    #[arg(long, value_name = "N")]
    pub(crate) repeats: Option<NonZeroUsize>,

    /// Seeds tried by rows that try seeds [default: 1000, or 20 if quick]
    #[arg(long, value_name = "N")]
    pub(crate) seeds: Option<NonZeroUsize>,

    /// What the order of runs is derived from
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) order_seed: u64,

    /// Also print what the document's own harness would have reported, and why
    #[arg(long)]
    pub(crate) as_published: bool,

    /// Write a record of everything measured to FILE, after each group of rows
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    /// Write the tables to FILE instead of stdout, which is `-`
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,

    /// Measure nothing: print the tables of a record made with --json
    #[arg(long, value_name = "RECORD", conflicts_with_all = ["json", "list", "repeats", "seeds"])]
    pub(crate) from: Option<PathBuf>,

    /// List the scenarios; of those that are named, the rows too
    #[arg(long)]
    pub(crate) list: bool,
}

impl Options {
    /// Runs of each row that count.
    pub(crate) fn repeats(&self) -> usize {
        self.repeats.map_or(if self.quick { 3 } else { 11 }, NonZeroUsize::get)
    }

    /// The scenarios that were named, or all that are listed.
    pub(crate) fn scenarios(&self) -> Result<Vec<&'static Scenario>, String> {
        if self.scenarios.is_empty() {
            return Ok(catalogue::listed().collect());
        }
        let known = || catalogue::listed().map(|scenario| scenario.name.as_str());
        let find = |name: &String| {
            catalogue::by_name(name).ok_or_else(|| unknown("scenario", name, known()))
        };
        self.scenarios.iter().map(find).collect()
    }

    /// The wanted cases. An unknown scenario, queue or idle policy is an error, and so is an empty
    /// selection.
    pub(crate) fn cases(&self) -> Result<Vec<Case>, String> {
        let scenarios = self.scenarios()?;
        let cases = scenarios.iter().flat_map(|scenario| scenario.cases(self.quick)).collect();
        let mut cases = self.select(cases)?;
        if let Some(seeds) = self.seeds {
            let tried = cases.iter_mut().filter_map(|case| case.load.get_mut("seeds"));
            tried.for_each(|number| *number = seeds.get().into());
        }
        Ok(cases)
    }

    fn select(&self, mut cases: Vec<Case>) -> Result<Vec<Case>, String> {
        let names = |case: &Case| (case.system.clone(), case.policy.clone());
        self.check_names(&cases.iter().map(names).collect::<Vec<_>>())?;
        cases.retain(|case| {
            self.wants(&case.scenario, &case.system, case.policy.as_deref(), case.threads)
        });
        if cases.is_empty() {
            return Err("no row is selected; see --list SCENARIO".to_string());
        }
        Ok(cases)
    }

    /// Fails if a queue or idle policy was named that none of these systems has.
    pub(crate) fn check_names(&self, systems: &[(String, Option<String>)]) -> Result<(), String> {
        let policies: BTreeSet<&str> =
            systems.iter().filter_map(|(_, policy)| policy.as_deref()).collect();
        let systems: BTreeSet<&str> = systems.iter().map(|(system, _)| system.as_str()).collect();
        for name in &self.queue {
            if !systems.iter().any(|system| is_called(system, name)) {
                return Err(unknown("queue", name, systems.into_iter()));
            }
        }
        match self.idle.iter().find(|name| !policies.contains(name.as_str())) {
            Some(name) => Err(unknown("idle policy", name, policies.into_iter())),
            None => Ok(()),
        }
    }

    /// Whether such a row is wanted.
    pub(crate) fn wants(
        &self,
        scenario: &str,
        system: &str,
        policy: Option<&str>,
        threads: usize,
    ) -> bool {
        let any = |list: &[String], test: &dyn Fn(&String) -> bool| {
            list.is_empty() || list.iter().any(test)
        };
        any(&self.scenarios, &|name| name == scenario)
            && any(&self.queue, &|name| is_called(system, name))
            && any(&self.idle, &|name| policy == Some(name))
            && (self.threads.is_empty() || self.threads.contains(&threads))
    }
}

/// Whether `name` selects a system: by its own name, or by that of which it is a variant, as
/// `deque` selects `deque eager`.
fn is_called(system: &str, name: &str) -> bool {
    system.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.collect();
    format!("unknown {what} '{name}', expected one of: {}", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(system: &str, policy: Option<&str>, threads: usize) -> Case {
        let policy = policy.map(str::to_owned);
        Case { scenario: "tree".into(), system: system.into(), policy, threads, ..Case::default() }
    }

    fn selected(options: &Options) -> Result<Vec<String>, String> {
        let cases = vec![
            case("deque", Some("poll"), 2),
            case("deque eager", Some("event"), 2),
            case("deque-fifo", Some("event"), 4),
            case("rayon", None, 2),
        ];
        let cases = options.select(cases)?;
        Ok(cases.into_iter().map(|case| format!("{} {}", case.system, case.threads)).collect())
    }

    #[test]
    fn filters_select_rows() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_string()).collect();
        let all = Options::default();
        assert_eq!(selected(&all).unwrap().len(), 4);
        let deque = Options { queue: names(&["deque"]), ..Options::default() };
        assert_eq!(selected(&deque).unwrap(), ["deque 2", "deque eager 2"]);
        let both = Options { queue: names(&["rayon", "deque-fifo"]), ..Options::default() };
        assert_eq!(selected(&both).unwrap(), ["deque-fifo 4", "rayon 2"]);
        let event = Options { idle: names(&["event"]), ..Options::default() };
        assert_eq!(selected(&event).unwrap(), ["deque eager 2", "deque-fifo 4"]);
        let four = Options { threads: vec![4, 8], ..Options::default() };
        assert_eq!(selected(&four).unwrap(), ["deque-fifo 4"]);
        let elsewhere = Options { scenarios: names(&["walk"]), ..Options::default() };
        assert!(selected(&elsewhere).unwrap_err().contains("no row"));
    }

    #[test]
    fn names_that_nothing_has_are_errors() {
        let queue = Options { queue: vec!["dequ".into()], ..Options::default() };
        let error = selected(&queue).unwrap_err();
        assert_eq!(
            error,
            "unknown queue 'dequ', expected one of: deque, deque eager, deque-fifo, rayon"
        );
        let idle = Options { idle: vec!["sleep".into()], ..Options::default() };
        assert!(selected(&idle).unwrap_err().contains("expected one of: event, poll"));
        let none = Options { scenarios: vec!["tre".into()], ..Options::default() };
        assert!(none.cases().unwrap_err().starts_with("unknown scenario 'tre', expected one of: "));
    }

    #[test]
    fn the_number_of_seeds_reaches_the_cases() {
        let typed = Options {
            scenarios: vec!["fault".into()],
            seeds: NonZeroUsize::new(7),
            quick: true,
            ..Options::default()
        };
        let cases = typed.cases().unwrap();
        assert!(cases.iter().all(|case| case.number("seeds") == 7));
    }
}
