//! All configurations of one tree and mode, in turns, and whether they agree.

use crate::{
    random::Random,
    stats::{Spread, median},
    walker::{
        plan::{Configuration, System},
        sample::Outcome,
        tally::Counts,
    },
};

/// What came of one configuration.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// Which.
    pub(crate) configuration: Configuration,
    /// Its samples, those that agreed with the reference.
    pub(crate) outcomes: Vec<Outcome>,
    /// What was wrong with a sample, if anything: the line is then INVALID and is sampled no more.
    pub(crate) invalid: Option<String>,
}

impl Line {
    fn new(configuration: Configuration) -> Line {
        Line { configuration, outcomes: Vec::new(), invalid: None }
    }

    /// Wall time in milliseconds, unless the line is invalid.
    pub(crate) fn wall(&self) -> Option<Spread> {
        if self.invalid.is_some() {
            return None;
        }
        let walls: Vec<f64> =
            self.outcomes.iter().map(|outcome| outcome.sample.wall_ns as f64 / 1e6).collect();
        Spread::of(&walls)
    }

    /// The median of a figure of its samples.
    pub(crate) fn median(&self, figure: impl Fn(&Outcome) -> f64) -> f64 {
        median(self.outcomes.iter().map(figure))
    }

    /// The median of a further column, or 0 where it has none.
    pub(crate) fn column(&self, name: &str) -> f64 {
        self.median(|outcome| outcome.sample.columns.get(name).copied().unwrap_or(0.0))
    }
}

/// What came of one tree and mode.
#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    /// What the reference saw, with its time: the first walk of all.
    pub(crate) reference: Outcome,
    /// One per configuration.
    pub(crate) lines: Vec<Line>,
}

impl Comparison {
    /// The lines of walks, which can win; the floor cannot.
    pub(crate) fn walks(&self) -> impl Iterator<Item = (&Line, Spread)> {
        self.lines
            .iter()
            .filter(|line| line.configuration.system != System::Floor)
            .filter_map(|line| line.wall().map(|wall| (line, wall)))
    }

    /// The walk with the smallest median.
    pub(crate) fn best(&self) -> Option<(&Line, Spread)> {
        self.walks().min_by(|one, other| one.1.median.total_cmp(&other.1.median))
    }

    /// The line of a configuration, if it was measured and is valid.
    pub(crate) fn line(&self, configuration: Configuration) -> Option<(&Line, Spread)> {
        let line = self.lines.iter().find(|line| line.configuration == configuration)?;
        line.wall().map(|wall| (line, wall))
    }

    /// Whether every line is valid.
    pub(crate) fn is_valid(&self) -> bool {
        self.lines.iter().all(|line| line.invalid.is_none())
    }
}

/// How a configuration is sampled once. An error makes its line INVALID.
pub(crate) type Sampler<'a> = &'a mut dyn FnMut(&Configuration) -> Result<Outcome, String>;

/// Samples every configuration `repeats` times, in rounds, each round in another order. `round` is
/// told the number of each round before it begins, from 1.
///
/// # Errors
///
/// The reference cannot be walked, so there is nothing to compare with.
pub(crate) fn compare(
    configurations: &[Configuration],
    repeats: usize,
    shuffler: &mut Random,
    sampler: Sampler<'_>,
    round: &mut dyn FnMut(usize),
) -> Result<Comparison, String> {
    let reference = sampler(&Configuration::REFERENCE)?;
    let mut lines: Vec<Line> = configurations.iter().copied().map(Line::new).collect();
    let mut order: Vec<usize> = (0..lines.len()).collect();
    for number in 1..=repeats {
        round(number);
        shuffler.shuffle(&mut order);
        for &index in &order {
            let line = &mut lines[index];
            if line.invalid.is_some() {
                continue;
            }
            match sampler(&line.configuration) {
                Ok(outcome) => judge(line, outcome, &reference.counts),
                Err(error) => line.invalid = Some(error),
            }
        }
    }
    Ok(Comparison { reference, lines })
}

/// Adds a sample to its line if it saw what the reference saw.
fn judge(line: &mut Line, mut outcome: Outcome, reference: &Counts) {
    let fault = match line.configuration.system {
        System::Floor => floor_fault(&outcome.counts, reference),
        System::Alone | System::Crew(..) => outcome.counts.difference(reference),
    };
    outcome.sample.expected = reference.entries();
    outcome.sample.completed = outcome.counts.entries();
    match fault {
        Some(fault) => line.invalid = Some(fault),
        None => line.outcomes.push(outcome),
    }
}

/// The floor counts everything that is no directory as a file, pipes and devices too, and knows no
/// more.
fn floor_fault(floor: &Counts, reference: &Counts) -> Option<String> {
    let least = reference.files + reference.symlinks;
    (floor.files < least).then(|| format!("{} entries instead of {least}", floor.files))
}

#[cfg(test)]
mod tests {
    use heist_queue::{IdleKind, QueueKind};

    use super::*;
    use crate::walker::samples::{fake, outcome};

    fn crew(threads: usize) -> Configuration {
        let system = System::Crew(QueueKind::Deque, IdleKind::default());
        Configuration { system, threads }
    }

    #[test]
    fn everything_is_sampled_as_often_and_in_rounds() {
        let configurations = [Configuration::REFERENCE, crew(2), crew(4)];
        let mut seen = Vec::new();
        let mut sampler = |configuration: &Configuration| {
            seen.push(*configuration);
            Ok(outcome(1.0))
        };
        let mut rounds = Vec::new();
        let mut shuffler = Random::new(7);
        let comparison = compare(&configurations, 5, &mut shuffler, &mut sampler, &mut |round| {
            rounds.push(round);
        })
        .unwrap();
        assert_eq!(rounds, [1, 2, 3, 4, 5]);
        assert!(comparison.is_valid());
        assert!(comparison.lines.iter().all(|line| line.outcomes.len() == 5));
        assert_eq!(seen[0], Configuration::REFERENCE, "the reference comes first");
        let orders: Vec<Vec<usize>> =
            seen[1..].chunks(3).map(|round| round.iter().map(|c| c.threads).collect()).collect();
        for order in &orders {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [1, 2, 4], "each once in a round");
        }
        assert!(orders.iter().any(|order| order != &orders[0]), "{orders:?}");
    }

    #[test]
    fn whoever_disagrees_is_invalid_from_then_on() {
        let mut calls = 0;
        let comparison = fake(&[Configuration::REFERENCE, crew(2)], 3, &mut |configuration| {
            let mut outcome = outcome(1.0);
            if *configuration == crew(2) {
                calls += 1;
                outcome.counts.files -= u64::from(calls == 2);
            }
            Ok(outcome)
        });
        assert!(!comparison.is_valid());
        assert_eq!(comparison.lines[0].invalid, None);
        let liar = &comparison.lines[1];
        assert_eq!(liar.invalid.as_deref(), Some("9 files instead of 10"));
        assert_eq!((calls, liar.wall()), (2, None));
    }

    #[test]
    fn a_sample_that_fails_makes_its_line_invalid() {
        let comparison = fake(&[crew(2)], 3, &mut |configuration| {
            if configuration.threads == 2 { Err("hung".to_owned()) } else { Ok(outcome(1.0)) }
        });
        assert_eq!(comparison.lines[0].invalid.as_deref(), Some("hung"));
        let error = compare(&[], 1, &mut Random::new(1), &mut |_| Err("no".into()), &mut |_| ());
        assert_eq!(error.unwrap_err(), "no");
    }

    #[test]
    fn the_floor_cannot_win_and_need_not_know_directories() {
        let floor = Configuration { system: System::Floor, threads: 1 };
        let mut files = 12;
        let mut sampler = |configuration: &Configuration| {
            let mut outcome = outcome(5.0);
            if configuration.system == System::Floor {
                outcome = crate::walker::samples::outcome(1.0);
                outcome.counts = Counts { files, ..Counts::default() };
            }
            Ok(outcome)
        };
        let comparison = fake(&[Configuration::REFERENCE, floor], 1, &mut sampler);
        assert!(comparison.is_valid());
        assert_eq!(comparison.best().unwrap().0.configuration, Configuration::REFERENCE);
        files = 11;
        let mut sampler = |configuration: &Configuration| {
            let mut outcome = outcome(5.0);
            if configuration.system == System::Floor {
                outcome.counts = Counts { files, ..Counts::default() };
            }
            Ok(outcome)
        };
        let comparison = fake(&[floor], 1, &mut sampler);
        assert_eq!(comparison.lines[0].invalid.as_deref(), Some("11 entries instead of 12"));
    }
}
