//! A hunt as Markdown: the slowest command lines for each rival, and those that print other lines.

use minijinja::value::Serde;
use minijinja::{Value, context};

use crate::markdown::code;
use crate::record::{Comparison, Record, Row};
use crate::stats::Spread;
use crate::template;

/// Command lines that are shown for each rival.
const WORST: usize = 10;

/// How many times as long as `hs` a rival takes, and how many times its processor time, in the
/// fastest runs; `None` unless both are valid and print the same.
fn ratios(rival: &Row, hs: &Row) -> Option<[f64; 2]> {
    let ratio = |figure: &str| Some(rival.spread(figure)?.min / hs.spread(figure)?.min);
    (rival.is_ranked() && hs.is_ranked()).then_some([ratio("wall")?, ratio("cpu")?])
}

/// The lesser of both.
pub(crate) fn least_ratio(rival: &Row, hs: &Row) -> Option<f64> {
    ratios(rival, hs).map(|[wall, cpu]| wall.min(cpu))
}

/// The whole record.
pub(super) fn print(record: &Record) -> String {
    let trees: Vec<&str> = record.corpora.iter().map(|corpus| &*corpus.name).collect();
    let filling = context! {
        trees => trees.join(", "),
        machine => record.machine.sentence(),
        rivals => record.tools.iter().skip(1).map(|tool| rival(record, &tool.name)).collect::<Value>(),
        record => Serde(record),
    };
    template::fill("hunt.md.jinja", include_str!("hunt.md.jinja"), filling)
}

fn rival(record: &Record, name: &str) -> Value {
    let of_rival = |case: &Comparison| case.rows.iter().position(|row| row.tool == name);
    let cases: Vec<(&Comparison, &Row, &Row)> = record
        .comparisons
        .iter()
        .filter_map(|case| Some((case, case.rows.first()?, &case.rows[of_rival(case)?])))
        .collect();
    let mut ranked: Vec<_> = cases
        .iter()
        .filter_map(|&(case, hs, row)| Some((ratios(row, hs)?, case, hs, row)))
        .collect();
    ranked.sort_by(|a, b| a.0[0].min(a.0[1]).total_cmp(&b.0[0].min(b.0[1])));
    let figure = |of: usize| {
        let all: Vec<f64> = ranked.iter().map(|(ratios, ..)| ratios[of]).collect();
        let median = Spread::of(&all).map_or(0.0, |all| all.median);
        context! { median, below => all.iter().filter(|ratio| **ratio < 1.0).count() }
    };
    let least = |row: &Row, figure: &str| row.spread(figure).map(|spread| spread.min);
    let worst = ranked.iter().take(WORST).map(|&([wall, cpu], case, hs, row)| {
        context! {
            wall,
            cpu,
            hs => least(hs, "wall"),
            rival => least(row, "wall"),
            runs => row.runs.len(),
            lines => hs.result.map(|result| result.lines),
            place => code(&case.corpus),
            arguments => code(&case.task),
        }
    });
    let odd = cases.iter().filter(|(.., row)| row.fault.is_some() || row.agrees == Some(false));
    let odd: Vec<_> = odd
        .map(|(case, _, row)| {
            let why = row.fault.as_deref().unwrap_or("prints something else");
            (code(&case.task), code(&case.corpus), why)
        })
        .collect();
    context! {
        name,
        count => ranked.len(),
        foreign => record.comparisons.len() - cases.len(),
        wall => figure(0),
        cpu => figure(1),
        worst => worst.collect::<Value>(),
        differing => odd.len(),
        odd => Serde(odd.into_iter().take(2 * WORST).collect::<Vec<_>>()),
    }
}
