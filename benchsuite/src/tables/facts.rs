//! The facts before the first figure: where, when and how it was measured, and on what.

use std::fmt::Write;

use crate::machine::Machine;
use crate::markdown::{Column, Side, grouped, items, number, one_line, render, render_filled};
use crate::record::{Comparison, Corpus, Kind, Record, Row, fastest};
use crate::verdict::{caveats, of_record};

/// The task that visits every entry, so that entries per second are meaningful.
const WALK_OF_ALL: &str = "list-all";

/// The title and all facts.
pub(super) fn facts(record: &Record) -> String {
    let title = if record.kind == Kind::Search { "Searches" } else { "Walks" };
    let mut text = format!("# {title}\n\n");
    // Writing to a string cannot fail, here and below.
    for (name, fact) in list(record) {
        let _ = writeln!(text, "- {name}: {}", one_line(&fact));
    }
    let parts = [("Findings", of_record(record)), ("Before you trust a figure", caveats(record))];
    for (head, found) in parts.iter().filter(|(_, found)| !found.is_empty()) {
        let _ = write!(text, "\n{head}:\n\n{}", items(found));
    }
    if !record.corpora.is_empty() {
        let _ = write!(text, "\n## Corpora\n\n{}", corpora(&record.corpora));
    }
    if let Some(rates) = rates(record) {
        let _ = write!(text, "\nThe fastest walk of all entries by hs:\n\n{rates}");
    }
    text
}

/// The facts about the machine that are known.
pub(super) fn of_system(machine: &Machine) -> impl Iterator<Item = (&'static str, String)> + use<> {
    let known = [
        ("kernel", machine.kernel.clone()),
        ("governor", machine.governor.clone()),
        ("load before", machine.load.clone()),
    ];
    known.into_iter().filter_map(|(name, fact)| Some((name, fact?)))
}

fn list(record: &Record) -> Vec<(&'static str, String)> {
    let machine = &record.machine;
    let mut facts = vec![("date", format!("{} UTC", record.date))];
    let mut place = vec![format!("{} cores", machine.cores)];
    place.push(machine.cpu.clone().unwrap_or_else(|| "unknown processor".to_owned()));
    place.extend(machine.memory_kib.map(|kib| format!("{} MiB", grouped(kib / 1024))));
    if !machine.system.is_empty() {
        place.push(machine.system.clone());
    }
    facts.push(("machine", place.join(", ")));
    facts.extend(of_system(machine));
    let method = &record.method;
    let timer = if method.timer.is_empty() { "unknown timer" } else { &method.timer };
    facts.push((
        "method",
        format!(
            "{} timed runs of each command by {timer}, in turns (seed {}); {} further runs for \
             memory and switches; medians, MAD = median distance from the median",
            method.repeats, method.seed, method.cost_runs
        ),
    ));
    let tools = record.tools.iter().map(|tool| format!("{} ({})", tool.name, tool.version));
    let tools: Vec<String> = tools.collect();
    if !tools.is_empty() {
        facts.push(("tools", tools.join(", ")));
    }
    facts
}

fn corpora(corpora: &[Corpus]) -> String {
    let count = |figure: fn(&Corpus) -> u64| move |corpus: &Corpus| grouped(figure(corpus));
    let columns = [
        Column::of("Corpus", Side::Left, corpora, |corpus| one_line(&corpus.name)),
        Column::of("Directories", Side::Right, corpora, count(|corpus| corpus.shape.directories)),
        Column::of("Files", Side::Right, corpora, count(|corpus| corpus.shape.files)),
        Column::of("Symlinks", Side::Right, corpora, count(|corpus| corpus.shape.symlinks)),
        Column::of("Bytes", Side::Right, corpora, count(|corpus| corpus.shape.bytes)),
        Column::of("File system", Side::Left, corpora, |corpus| {
            corpus.file_system.as_deref().map(one_line).unwrap_or_default()
        }),
    ];
    render(&columns)
}

/// The fastest row of `hs` in a walk of all entries.
struct Rate<'a> {
    comparison: &'a Comparison,
    row: &'a Row,
    /// The mean in seconds.
    mean: f64,
    /// Directories, files and symbolic links.
    entries: u64,
    /// The mean of one thread, in seconds, if that was measured.
    alone: Option<f64>,
}

/// The figures of document 3: mean, throughput and speedup of the best walk of each corpus.
/// Throughput is the number of directories, files and symbolic links by the mean, as there.
fn rates(record: &Record) -> Option<String> {
    let walks = record.comparisons.iter().filter(|comparison| comparison.task == WALK_OF_ALL);
    let rates: Vec<Rate<'_>> = walks.filter_map(|comparison| rate(record, comparison)).collect();
    if rates.is_empty() {
        return None;
    }
    let per_second = |rate: &Rate<'_>| (rate.entries as f64 / rate.mean).round() as u64;
    let speedup = |rate: &Rate<'_>| {
        let times = rate.alone.map(|alone| alone / rate.mean);
        times.map(|times| format!("~{}x", number(Some(times), 2))).unwrap_or_default()
    };
    let columns = vec![
        Column::of("Corpus", Side::Left, &rates, |rate| one_line(&rate.comparison.corpus)),
        Column::of("Cache", Side::Left, &rates, |rate| rate.comparison.cache.clone()),
        Column::of("Best", Side::Left, &rates, |rate| format!("`{}`", rate.row.name())),
        Column::of("Mean [ms]", Side::Right, &rates, |rate| number(Some(rate.mean * 1e3), 1)),
        Column::of("Throughput", Side::Right, &rates, |rate| {
            format!("~{} entries/s", grouped(per_second(rate)))
        }),
        Column::of("Speedup vs -j1", Side::Right, &rates, speedup),
    ];
    Some(render_filled(columns, |_| false))
}

fn rate<'a>(record: &'a Record, comparison: &'a Comparison) -> Option<Rate<'a>> {
    let corpus = record.corpora.iter().find(|corpus| corpus.name == comparison.corpus)?;
    let shape = &corpus.shape;
    let own = || comparison.rows.iter().filter(|row| row.is_house());
    let row = fastest(own())?;
    let mean = row.ranked()?.mean;
    let alone = own().filter(|row| row.threads == Some(1)).find_map(Row::ranked);
    (mean > 0.0).then_some(Rate {
        comparison,
        row,
        mean,
        entries: shape.directories + shape.files + shape.symlinks,
        alone: alone.map(|wall| wall.mean),
    })
}
