//! A hunt as Markdown: the slowest command lines for each rival, and those that print other lines.

use std::fmt::Write;

use crate::markdown::{Column, Side, code, number, one_line, render};
use crate::record::{Comparison, Record, Row};
use crate::stats::Spread;

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

/// How many times the processor time of `hs` a tool took, if both have a result.
pub(crate) fn ratio(case: &Comparison, tool: &str) -> Option<f64> {
    let valid = |tool| row(case, tool).filter(|row| row.fault.is_none());
    valid("hs").and(valid(tool))?;
    Some(seconds(case, tool)? / seconds(case, "hs")?)
}

/// The whole record.
pub(super) fn print(record: &Record) -> String {
    let mut out = String::new();
    let tree = record.corpora.first().map_or("", |corpus| corpus.name.as_str());
    // Writing to a string cannot fail.
    let _ = writeln!(out, "# hunt in {tree}, seed {}\n", record.method.seed);
    let _ = writeln!(out, "{}; {}\n", record.date, record.machine.sentence());
    for tool in &record.tools {
        let _ = writeln!(out, "- {}: {}", tool.name, tool.version);
    }
    for tool in record.tools.iter().skip(1) {
        rival(&mut out, record, &tool.name);
    }
    out
}

fn rival(out: &mut String, record: &Record, name: &str) {
    let cases = || record.comparisons.iter();
    let mut ranked: Vec<(f64, &Comparison)> =
        cases().filter_map(|case| Some((ratio(case, name)?, case))).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    let slower = ranked.iter().filter(|(ratio, _)| *ratio < 1.0).count();
    let ratios: Vec<f64> = ranked.iter().map(|(ratio, _)| *ratio).collect();
    let middle = Spread::of(&ratios).map_or(0.0, |ratios| ratios.median);
    let count = ranked.len();
    let _ = writeln!(out, "\n## {name}\n");
    let _ = writeln!(
        out,
        "Processor time of {name} in times of hs: {middle:.2} in the median of {count} command \
         lines, less than once in {slower}.\n"
    );
    ranked.truncate(WORST);
    let ms = |case: &Comparison, tool: &str| number(seconds(case, tool).map(|s| s * 1e3), 0);
    let lines = |case: &Comparison| {
        number(row(case, "hs").and_then(|row| row.result).map(|result| result.lines as f64), 0)
    };
    out.push_str(&render(&[
        Column::of("times", Side::Right, &ranked, |(ratio, _)| number(Some(*ratio), 2)),
        Column::of("hs ms", Side::Right, &ranked, |(_, case)| ms(case, "hs")),
        Column::of(format!("{name} ms"), Side::Right, &ranked, |(_, case)| ms(case, name)),
        Column::of("lines", Side::Right, &ranked, |(_, case)| lines(case)),
        Column::of("arguments", Side::Left, &ranked, |(_, case)| one_line(&code(&case.task))),
    ]));
    let odd = cases().filter_map(|case| {
        let found = row(case, name).filter(|found| found.agrees == Some(false))?;
        Some((case, found.fault.as_deref().unwrap_or("prints something else")))
    });
    for (index, (case, why)) in odd.enumerate() {
        if index == 0 {
            let _ = writeln!(out, "\nIt does not print what hs prints:\n");
        }
        let _ = writeln!(out, "- {}: {}", code(&case.task), one_line(why));
    }
}
