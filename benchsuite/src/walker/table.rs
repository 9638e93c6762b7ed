//! Tables of one comparison, in Markdown.

use std::fmt::{self, Display, Write};

use crate::markdown::{grouped, relative};
use crate::stats::Spread;
use crate::walker::{
    compare::{Comparison, Line},
    plan::{Configuration, System},
};

/// What a table has to know besides the figures.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About<'a> {
    /// What was walked, how and with what in memory: `linux, all, warm`.
    pub(crate) title: &'a str,
    /// How many cores there are.
    pub(crate) cores: usize,
    /// Whether the system was made to forget the tree before each walk.
    pub(crate) is_cold: bool,
}

/// Everything there is to say of a comparison but the verdict.
pub(crate) fn report(comparison: &Comparison, about: About<'_>) -> String {
    let mut text = format!("## {}\n\n", about.title);
    text += &summary(comparison, about);
    text.push('\n');
    text += &times(comparison, about);
    text.push('\n');
    text += &costs(comparison, about);
    if let Some(error) = &comparison.reference.first_error {
        let errors = grouped(comparison.reference.counts.errors);
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "\nNot walked or read: {errors}, for instance {error}");
    }
    text
}

/// In the shape of document 3 (Phanes): the tree, and the best configuration's figures.
fn summary(comparison: &Comparison, about: About<'_>) -> String {
    let counts = &comparison.reference.counts;
    let mut table = Table::new(&["", ""], "-|-:");
    table.row([&"Directories", &grouped(counts.directories)]);
    table.row([&"Files", &grouped(counts.files)]);
    table.row([&"Symlinks", &grouped(counts.symlinks)]);
    if counts.bytes > 0 {
        table.row([&"Bytes read", &grouped(counts.bytes)]);
    }
    let first = grouped((comparison.reference.sample.wall_ns as f64 / 1e6).round() as u64);
    if !about.is_cold {
        table.row([&"First run, -j1", &format!("{first} ms")]);
    }
    let state = if about.is_cold { "Cold" } else { "Warm" };
    if let Some((line, wall)) = comparison.best() {
        table.row([&"Best configuration", &named(line.configuration, about)]);
        table.row([&format!("{state} mean"), &format!("{:.1} ms", wall.mean)]);
        let rate = per_second(counts.entries(), wall.mean);
        table.row([&format!("{state} throughput"), &format!("~{} entries/s", grouped(rate))]);
        if let Some((_, alone)) = comparison.line(Configuration::REFERENCE) {
            table.row([&"Speedup vs -j1", &format!("~{:.2}x", alone.mean / wall.mean)]);
        }
    }
    table.0
}

/// In the shape of document 4 (hyperfine's): means, relative to the smallest mean of a walk.
fn times(comparison: &Comparison, about: About<'_>) -> String {
    let header = ["Configuration", "Mean [ms]", "Min [ms]", "Max [ms]", "Relative"];
    let mut table = Table::new(&header, ":-|-:|-:|-:|-:");
    let best = comparison.walks().map(|walk| walk.1).min_by(|a, b| a.mean.total_cmp(&b.mean));
    for line in &comparison.lines {
        let name = named(line.configuration, about);
        match (line.wall(), best) {
            (Some(wall), Some(best)) => table.row([
                &name,
                &format!("{:.1} ± {:.1}", wall.mean, wall.deviation),
                &format!("{:.1}", wall.min),
                &format!("{:.1}", wall.max),
                &relative(wall, best),
            ]),
            _ => table.row([&name, &invalid(line), &"", &"", &""]),
        }
    }
    table.0
}

/// What it took: medians over the samples.
fn costs(comparison: &Comparison, about: About<'_>) -> String {
    let header = [
        "Configuration",
        "Directories",
        "Files",
        "Symlinks",
        "Entries/s",
        "Median ± MAD [ms]",
        "Min [ms]",
        "Relative",
        "User+system [ms]",
        "Voluntary",
        "Involuntary",
        "Peak [MiB]",
        "Steals",
        "Parks",
        "Started",
    ];
    let mut table = Table::new(&header, &format!(":-{}", "|-:".repeat(header.len() - 1)));
    let best = comparison.best().map(|best| best.1.median);
    for line in &comparison.lines {
        let name = named(line.configuration, about);
        match (line.wall(), best) {
            (Some(wall), Some(best)) => table.cells(&cost_cells(line, name, wall, best)),
            _ => {
                let mut cells = vec![name, invalid(line)];
                cells.resize(header.len(), String::new());
                table.cells(&cells);
            }
        }
    }
    table.0
}

fn cost_cells(line: &Line, name: String, wall: Spread, best: f64) -> Vec<String> {
    let is_floor = line.configuration.system == System::Floor;
    // The floor counts no directories, and has nothing to steal or to park.
    let of_walks = |text: String| if is_floor { "–".to_owned() } else { text };
    let count = |figure: f64| grouped(figure.round() as u64);
    let counts = line.outcomes.last().map(|outcome| outcome.counts.clone()).unwrap_or_default();
    let peak = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    vec![
        name,
        of_walks(grouped(counts.directories)),
        grouped(counts.files),
        of_walks(grouped(counts.symlinks)),
        of_walks(grouped(per_second(counts.entries(), wall.median))),
        format!("{:.1} ± {:.1}", wall.median, wall.mad),
        format!("{:.1}", wall.min),
        format!("{:.2}", wall.median / best),
        format!("{:.1}", line.median(|outcome| outcome.sample.cpu_ns as f64 / 1e6)),
        count(line.median(|outcome| outcome.sample.voluntary as f64)),
        count(line.median(|outcome| outcome.sample.involuntary as f64)),
        format!("{:.1}", line.median(|outcome| outcome.sample.peak_bytes.map_or(0.0, peak))),
        of_walks(count(line.column("steals"))),
        of_walks(count(line.column("parks"))),
        count(line.column("threads_started")),
    ]
}

/// A configuration with what has to be known to read its line.
pub(crate) fn named(configuration: Configuration, about: About<'_>) -> String {
    let is_over = configuration.threads > about.cores;
    format!("`{configuration}`{}", if is_over { " (oversubscribed)" } else { "" })
}

fn invalid(line: &Line) -> String {
    match &line.invalid {
        // A bar would begin another cell.
        Some(why) => format!("INVALID: {}", why.replace('|', "/").replace('\n', " ")),
        None => "not measured".to_owned(),
    }
}

fn per_second(entries: u64, milliseconds: f64) -> u64 {
    if milliseconds > 0.0 { (entries as f64 / milliseconds * 1e3).round() as u64 } else { 0 }
}

/// A table that grows by rows.
struct Table(String);

impl Table {
    /// An empty one; `rule` is its second line.
    fn new(header: &[&str], rule: &str) -> Table {
        let mut table = Table(String::new());
        table.cells(header);
        let _ = writeln!(table.0, "|{rule}|");
        table
    }

    fn row<const COLUMNS: usize>(&mut self, cells: [&dyn Display; COLUMNS]) {
        self.cells(&cells);
    }

    fn cells<T: fmt::Display>(&mut self, cells: &[T]) {
        for cell in cells {
            let _ = write!(self.0, "| {cell} ");
        }
        self.0.push_str("|\n");
    }
}

#[cfg(test)]
mod tests {
    use heist_queue::{IdleKind, QueueKind};

    use super::*;
    use crate::walker::{
        samples::{fake, outcome},
        tally::Counts,
    };

    const ABOUT: About<'_> = About { title: "a tree, all, warm", cores: 2, is_cold: false };

    fn crew(threads: usize) -> Configuration {
        Configuration { system: System::Crew(QueueKind::Stack, IdleKind::default()), threads }
    }

    fn comparison() -> Comparison {
        let floor = Configuration { system: System::Floor, threads: 1 };
        let all = [Configuration::REFERENCE, crew(2), crew(4), floor];
        fake(&all, 2, &mut |configuration| {
            let ms = match configuration.system {
                System::Floor => 1.5,
                System::Alone => 30.0,
                System::Crew(..) => 10.0,
            };
            let mut outcome = outcome(ms);
            if configuration.threads == 4 {
                outcome.counts.symlinks = 1;
            }
            if configuration.system == System::Floor {
                outcome.counts = Counts { files: 12, ..Counts::default() };
            }
            Ok(outcome)
        })
    }

    #[test]
    fn the_report_reads_as_the_documents_do() {
        let expected = "\
## a tree, all, warm

|  |  |
|-|-:|
| Directories | 3 |
| Files | 10 |
| Symlinks | 2 |
| First run, -j1 | 30 ms |
| Best configuration | `stack biased-event -j2` |
| Warm mean | 10.0 ms |
| Warm throughput | ~1,500 entries/s |
| Speedup vs -j1 | ~3.00x |

| Configuration | Mean [ms] | Min [ms] | Max [ms] | Relative |
|:-|-:|-:|-:|-:|
| `no queue -j1` | 30.0 ± 0.0 | 30.0 | 30.0 | 3.00 ± 0.00 |
| `stack biased-event -j2` | 10.0 ± 0.0 | 10.0 | 10.0 | 1.00 |
| `stack biased-event -j4` (oversubscribed) | INVALID: 1 symlinks instead of 2 |  |  |  |
| `floor -j1` | 1.5 ± 0.0 | 1.5 | 1.5 | 0.15 ± 0.00 |
";
        let report = report(&comparison(), ABOUT);
        assert!(report.starts_with(expected), "{report}");
    }

    #[test]
    fn the_costs_are_medians_and_the_floor_has_few() {
        let costs = costs(&comparison(), ABOUT);
        let lines: Vec<&str> = costs.lines().collect();
        assert_eq!(
            lines[3],
            "| `stack biased-event -j2` | 3 | 10 | 2 | 1,500 | 10.0 ± 0.0 | 10.0 | 1.00 | 20.0 | 6 \
             | 7 | 3.0 | 4 | 5 | 1 |"
        );
        assert!(lines[4].contains("| INVALID: 1 symlinks instead of 2 |"), "{}", lines[4]);
        assert!(lines[5].starts_with("| `floor -j1` | – | 12 | – | – | 1.5"), "{}", lines[5]);
        let columns = |line: &str| line.matches('|').count();
        assert!(lines.iter().all(|line| columns(line) == columns(lines[0])), "{costs}");
    }

    #[test]
    fn what_could_not_be_walked_is_told() {
        let comparison = fake(&[Configuration::REFERENCE], 1, &mut |_| {
            let mut outcome = outcome(1.0);
            outcome.counts.errors = 1200;
            outcome.first_error = Some("a/b: Permission denied".to_owned());
            Ok(outcome)
        });
        let report = report(&comparison, ABOUT);
        let note = "\nNot walked or read: 1,200, for instance a/b: Permission denied\n";
        assert!(report.ends_with(note), "{report}");
    }

    #[test]
    fn a_cold_walk_has_no_warm_figures() {
        let about = About { is_cold: true, ..ABOUT };
        let summary = summary(&comparison(), about);
        assert!(summary.contains("| Cold mean | 10.0 ms |"), "{summary}");
        assert!(!summary.contains("First run"), "{summary}");
    }
}
