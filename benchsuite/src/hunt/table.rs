//! The worst of a hunt, as Markdown.

use std::fmt::Write;

use crate::markdown::{Column, Side, code, number, one_line, render};
use crate::stats::median;

use super::record::{Case, Record};

/// Command lines that are shown for each rival.
const WORST: usize = 10;

/// Everything that is worth telling of `record`.
pub(super) fn print(record: &Record) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(out, "# hunt in {}, seed {}\n", record.tree, record.seed);
    let _ = writeln!(out, "{}; {}\n", record.date, record.machine.sentence());
    for (name, version) in &record.tools {
        let _ = writeln!(out, "- {name}: {version}");
    }
    for (name, _) in record.tools.iter().skip(1) {
        rival(&mut out, record, name);
    }
    out
}

fn rival(out: &mut String, record: &Record, name: &str) {
    let mut ranked: Vec<(f64, &Case)> =
        record.cases.iter().filter_map(|case| Some((case.ratio(name)?, case))).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    let slower = ranked.iter().filter(|(ratio, _)| *ratio < 1.0).count();
    let middle = number(Some(median(ranked.iter().map(|(ratio, _)| *ratio))), 2);
    let count = ranked.len();
    let _ = writeln!(out, "\n## {name}\n");
    let _ = writeln!(
        out,
        "Processor time of {name} in times of hs: {middle} in the median of {count} command lines, less than once in {slower}.\n"
    );
    ranked.truncate(WORST);
    let seconds = |case: &Case, tool: &str| {
        let found = case.results.iter().find(|found| found.tool == tool);
        number(found.map(|found| found.seconds * 1e3), 0)
    };
    let cell = |case: &Case| one_line(&code(&case.arguments));
    out.push_str(&render(&[
        Column::of("times", Side::Right, &ranked, |(ratio, _)| number(Some(*ratio), 2)),
        Column::of("hs ms", Side::Right, &ranked, |(_, case)| seconds(case, "hs")),
        Column::of(&format!("{name} ms"), Side::Right, &ranked, |(_, case)| seconds(case, name)),
        Column::of("lines", Side::Right, &ranked, |(_, case)| case.lines.to_string()),
        Column::of("arguments", Side::Left, &ranked, |(_, case)| cell(case)),
    ]));
    let odd = record.cases.iter().filter_map(|case| {
        let found = case.results.iter().find(|found| found.tool == name && !found.agrees)?;
        Some((case, found.fault.as_deref().unwrap_or("prints something else")))
    });
    for (index, (case, why)) in odd.enumerate() {
        if index == 0 {
            let _ = writeln!(out, "\nIt does not print what hs prints:\n");
        }
        let _ = writeln!(out, "- {}: {}", code(&case.arguments), one_line(why));
    }
}
