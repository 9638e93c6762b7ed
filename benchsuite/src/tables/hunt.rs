//! A hunt as Markdown: the slowest command lines for each rival, and those that print other lines.

use minijinja::value::Serde;
use minijinja::{Value, context};

use crate::markdown::code;
use crate::record::{Comparison, Record, Row};
use crate::stats::Spread;
use crate::template;

/// Command lines that are shown for each rival.
const WORST: usize = 10;

/// The row of a tool, if it has a result.
fn row<'a>(case: &'a Comparison, tool: &str) -> Option<&'a Row> {
    case.rows.iter().find(|row| row.tool == tool)
}

/// The processor time of the fastest run, in seconds.
fn seconds(case: &Comparison, tool: &str) -> Option<f64> {
    row(case, tool)?.spread("cpu").map(|cpu| cpu.min)
}

/// How long the fastest run took, in seconds.
fn wall(case: &Comparison, tool: &str) -> Option<f64> {
    row(case, tool)?.wall().map(|wall| wall.min)
}

/// How many times the processor time of `hs` a tool took, if both have a result.
pub(crate) fn ratio(case: &Comparison, tool: &str) -> Option<f64> {
    let valid = |tool| row(case, tool).filter(|row| row.fault.is_none());
    valid("hs").and(valid(tool))?;
    Some(seconds(case, tool)? / seconds(case, "hs")?)
}

/// The whole record.
pub(super) fn print(record: &Record) -> String {
    let filling = context! {
        tree => record.corpora.first().map_or("", |corpus| corpus.name.as_str()),
        machine => record.machine.sentence(),
        rivals => record.tools.iter().skip(1).map(|tool| rival(record, &tool.name)).collect::<Value>(),
        record => Serde(record),
    };
    template::fill("hunt.md.jinja", include_str!("hunt.md.jinja"), filling)
}

fn rival(record: &Record, name: &str) -> Value {
    let cases = || record.comparisons.iter();
    let mut ranked: Vec<(f64, &Comparison)> =
        cases().filter_map(|case| Some((ratio(case, name)?, case))).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ratios: Vec<f64> = ranked.iter().map(|(ratio, _)| *ratio).collect();
    let worst = ranked.iter().take(WORST).map(|(times, case)| {
        let result = row(case, "hs").and_then(|row| row.result);
        context! {
            times,
            wall => wall(case, name).zip(wall(case, "hs")).map(|(rival, hs)| rival / hs),
            hs => seconds(case, "hs"),
            rival => seconds(case, name),
            lines => result.map(|result| result.lines),
            arguments => code(&case.task),
        }
    });
    let odd = cases().filter_map(|case| {
        let found = row(case, name).filter(|found| found.agrees == Some(false))?;
        Some((code(&case.task), found.fault.as_deref().unwrap_or("prints something else")))
    });
    context! {
        name,
        middle => Spread::of(&ratios).map_or(0.0, |ratios| ratios.median),
        count => ratios.len(),
        slower => ratios.iter().filter(|ratio| **ratio < 1.0).count(),
        worst => worst.collect::<Value>(),
        odd => Serde(odd.collect::<Vec<_>>()),
    }
}
