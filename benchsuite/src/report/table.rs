//! The rows of a comparison as a table of HTML.

use std::fmt::Write as _;

use super::format::{Unit, escape};
use crate::reading::{by_time, reason};
use crate::record::{Comparison, Row};
use crate::stats::Spread;

/// The heads of its columns, and what they mean where that is not plain.
const COLUMNS: [(&str, &str); 12] = [
    ("Command", ""),
    ("Mean ± σ", "Wall time of all timed runs: mean and standard deviation"),
    ("Min", "The shortest run"),
    ("Max", "The longest run"),
    (
        "Relative",
        "Median time against that of the fastest; ≈: the two are no further apart than both vary",
    ),
    ("CPU", "Time on cores, in the program and in the kernel, mean"),
    ("Memory", "The most memory it had, median"),
    ("Switches", "Context switches, voluntary and involuntary, median"),
    ("Faults", "Page faults, minor and major, median"),
    ("Migrations", "Times a thread went on another core, median"),
    ("Calls / file", "System calls per file of the corpus"),
    ("Agrees", "Whether it printed what hs did"),
];

/// The table.
pub(super) fn table(comparison: &Comparison, cores: usize) -> String {
    let mut rows: Vec<&Row> = comparison.rows.iter().collect();
    rows.sort_by(|one, other| by_time(one, other));
    let best = comparison.best().and_then(Row::wall);
    let mut html = String::from("<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>");
    for (name, about) in COLUMNS {
        let title = if about.is_empty() { String::new() } else { format!(" title=\"{about}\"") };
        let _ = write!(html, "<th scope=\"col\"{title}>{name}</th>");
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        write_row(&mut html, row, best.as_ref(), cores);
    }
    html.push_str("</tbody></table></div>\n");
    html
}

fn write_row(html: &mut String, row: &Row, best: Option<&Spread>, cores: usize) {
    let mut classes = Vec::new();
    if row.is_house() {
        classes.push("house");
    }
    if row.is_floor() {
        classes.push("limit");
    }
    if !row.is_ranked() {
        classes.push("unranked");
    }
    let _ = write!(html, "<tr class=\"{}\">", classes.join(" "));
    let crowd = if row.is_crowded(cores) {
        " <abbr title=\"more threads than cores\">oversubscribed</abbr>"
    } else {
        ""
    };
    let _ = write!(
        html,
        "<th scope=\"row\"><span class=\"name\">{}</span>{crowd}<code>{}</code></th>",
        escape(&row.name()),
        escape(&row.command)
    );
    for cell in figures(row, best) {
        let _ = write!(html, "<td>{}</td>", escape(&cell));
    }
    let (class, word) = agreement(row);
    let _ = writeln!(html, "<td class=\"{class}\">{}</td></tr>", escape(&word));
}

/// The cells between the command and the agreement.
fn figures(row: &Row, best: Option<&Spread>) -> Vec<String> {
    let none = || "–".to_owned();
    let wall = row.wall();
    let show = |figure: fn(&Spread) -> f64| {
        wall.as_ref().map_or_else(none, |wall| Unit::Time.show(figure(wall)))
    };
    let relative = match (best, row.ranked()) {
        (Some(best), Some(wall)) => {
            let near = if best.is_near(&wall) && *best != wall { " ≈" } else { "" };
            format!("{:.2}{near}", wall.median / best.median)
        }
        _ => none(),
    };
    let median =
        |figure: &str, unit: Unit| row.median(figure).map_or_else(none, |figure| unit.show(figure));
    vec![
        wall.as_ref().map_or_else(none, |wall| Unit::Time.around(wall.mean, wall.deviation)),
        show(|wall| wall.min),
        show(|wall| wall.max),
        relative,
        row.spread("cpu").map_or_else(none, |cpu| Unit::Time.show(cpu.mean)),
        median("peak_bytes", Unit::Memory),
        median("switches", Unit::Count),
        median("faults", Unit::Count),
        median("migrations", Unit::Count),
        row.median("calls_per_file").map_or_else(none, |calls| format!("{calls:.2}")),
    ]
}

fn agreement(row: &Row) -> (&'static str, String) {
    match (reason(row), row.agrees) {
        (Some(reason), _) => ("bad", reason),
        (None, Some(true)) => ("good", "yes".to_owned()),
        (None, _) => ("", "–".to_owned()),
    }
}
