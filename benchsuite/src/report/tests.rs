//! The page as a whole, made of records that are made up.

use std::collections::BTreeSet;

use super::charts::{Charts, Slots};
#[cfg(feature = "png")]
use super::png::pngs;
use super::{headline, page::html};
use crate::record::{Comparison, Figures, Kind, Outcome, Record, Row, VERSION};

/// A row with three runs around a time and a cost of each kind.
fn row(tool: &str, queue: Option<&str>, threads: Option<usize>, wall: f64) -> Row {
    let run = |factor: f64| {
        Figures::of([("wall", wall * factor), ("user", wall / 2.0), ("system", wall / 2.0)])
    };
    let cost = [("peak_bytes", f64::from(6 << 20)), ("voluntary", 40.0), ("involuntary", 2.0)];
    Row {
        tool: tool.into(),
        queue: queue.map(str::to_owned),
        threads,
        command: format!("{tool} --files ./"),
        result: Some(Outcome { lines: 1000, digest: 1, code: 0 }),
        agrees: (tool != "floor").then_some(true),
        runs: [0.99, 1.0, 1.01].map(run).into(),
        costs: vec![Figures::of(cost)],
        ..Row::default()
    }
}

fn comparison(task: &str, rows: Vec<Row>) -> Comparison {
    let word = |text: &str| text.to_owned();
    Comparison {
        corpus: word("linux"),
        task: word(task),
        about: word("."),
        cache: word("warm"),
        rows,
    }
}

fn record(comparisons: Vec<Comparison>) -> Record {
    let mut record =
        Record { version: VERSION, kind: Kind::Walk, comparisons, ..Record::default() };
    record.machine.cores = 2;
    record
}

/// Two queues with some numbers of threads, two rivals and the floor.
fn walk() -> Comparison {
    let mut rows = vec![row("hs", None, Some(1), 0.05)];
    for (queue, factor) in [("deque", 1.0), ("channel", 1.5)] {
        for threads in [2, 8, 32] {
            rows.push(row("hs", Some(queue), Some(threads), 0.028 * factor));
        }
    }
    rows.push(row("rg", None, None, 0.064));
    rows.push(row("fd", None, None, 0.084));
    rows.push(row("floor", None, Some(2), 0.026));
    comparison("list-all", rows)
}

fn page(record: &Record) -> String {
    let page = html(record).unwrap();
    for wrong in ["NaN", "inf ", "width=\"-"] {
        assert!(!page.contains(wrong), "{wrong}");
    }
    assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
    assert_eq!(page.matches("<g ").count(), page.matches("</g>").count());
    assert_eq!(page.matches("<tr").count(), page.matches("</tr>").count());
    page
}

#[test]
fn every_plot_has_its_points() {
    let record = record(vec![walk()]);
    let charts = Charts::of(&record.comparisons[0], 2, &Slots::of(&record));
    let titles: Vec<&str> = charts.lines.iter().map(|chart| chart.title.as_str()).collect();
    assert_eq!(titles, ["Time", "Speed-up over -j1", "Peak memory", "Context switches"]);
    for chart in &charts.lines {
        // One worker uses no queue, so that it is the beginning of both lines.
        let threads = |index: usize| -> Vec<usize> {
            chart.series[index].points.iter().map(|point| point.threads).collect()
        };
        assert_eq!((threads(0), threads(1)), (vec![1, 2, 8, 32], vec![1, 2, 8, 32]));
    }
    let speed = &charts.lines[1].series[0].points;
    assert!((speed[0].value - 1.0).abs() < 1e-9 && (speed[1].value - 0.05 / 0.028).abs() < 1e-9);
    let labels: Vec<&str> = charts.bars[0].bars.iter().map(|bar| bar.label.as_str()).collect();
    assert_eq!(labels, ["hs deque -j2", "rg", "fd"]);
    assert!((charts.lines[0].floor.as_ref().unwrap().value - 0.026).abs() < 1e-9);

    let page = page(&record);
    assert_eq!(page.matches("<figure>").count(), 1 + 6, "the overview comes first");
    assert_eq!(page.matches("class=\"dot\"").count(), 3, "hs, rg and fd against the floor");
    assert_eq!(page.matches("class=\"point\"").count(), 4 * 2 * 4);
    assert_eq!(page.matches("<rect class=\"value\"").count(), 2 * 3);
    assert_eq!(page.matches("<code>").count(), record.comparisons[0].rows.len());
}

#[test]
fn findings_say_who_is_faster_and_by_how_much() {
    let found = headline::of_comparison(&walk());
    assert_eq!(
        found,
        [
            "Fastest of 2 queues: hs deque -j2 at 28.0 ms, 50 % before hs channel -j2 at 42.0 ms. \
             The slowest, \
             hs channel -j2, takes 1.50 times as long.",
            "hs deque -j2 (28.0 ms): 2.29 times as fast as rg (64.0 ms); 3.00 times as fast as fd \
             (84.0 ms).",
            "hs deque -j2 is 7.7 % above the floor, floor -j2 at 26.0 ms.",
        ]
    );
    let slower = comparison("x", vec![row("hs", None, None, 0.2), row("rg", None, None, 0.1)]);
    let level = comparison("y", vec![row("hs", None, None, 0.1), row("rg", None, None, 0.1001)]);
    let found = headline::of_record(&record(vec![walk(), slower, level]));
    let against = "hs against rg: faster in 1 of 3 (2.29 times as fast), level in 1 of 3, slower \
        in 1 of 3 \
                   (2.00 times as long).";
    assert!(found.iter().any(|finding| finding == against), "{found:?}");
}

#[test]
fn nothing_of_a_record_is_markup() {
    let evil = "<script>alert('1')</script>\" onload=\"x";
    let mut record = record(vec![walk()]);
    record.machine.cpu = Some(evil.into());
    record.warnings.push(evil.into());
    record.date = evil.into();
    record.method.timer = evil.into();
    record.tools.push(crate::record::Tool { name: evil.into(), version: evil.into() });
    record.corpora.push(crate::record::Corpus { name: evil.into(), ..Default::default() });
    let comparison = &mut record.comparisons[0];
    comparison.corpus = evil.into();
    comparison.about = evil.into();
    let rows = &mut comparison.rows;
    rows[1].queue = Some(evil.into());
    rows[1].command = evil.into();
    rows.push(Row { fault: Some(evil.into()), ..row(evil, None, None, 0.1) });
    let page = page(&record);
    assert_eq!(page.matches("<script").count(), 1, "there is one script, and it is ours");
    assert!(!page.contains("\" onload"));
    assert!(page.contains("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot; onload=&quot;x"));
}

#[test]
fn nothing_is_loaded() {
    let page = page(&record(vec![walk()]));
    for outside in ["http:", "https:", "src=", "@import", "url(", "<link"] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn records_without_a_comparison_are_refused_and_partial_ones_say_so() {
    assert!(html(&record(Vec::new())).unwrap_err().contains("no comparison"));
    let empty = record(vec![comparison("list-all", Vec::new())]);
    assert!(page(&empty).contains("no time of hs"));
    let partial = Record { is_partial: true, ..record(vec![walk()]) };
    assert!(page(&partial).contains("stopped before everything was measured"));
}

#[test]
fn what_failed_is_shown_with_its_reason_and_not_ranked() {
    let mut walk = walk();
    let hung = Row {
        fault: Some("hung".into()),
        runs: Vec::new(),
        costs: Vec::new(),
        ..walk.rows[2].clone()
    };
    walk.rows[2] = hung;
    let liar = row("ag", None, None, 0.001);
    walk.rows.push(Row { agrees: Some(false), ..liar });
    let missing = row("ugrep", None, None, 0.0);
    walk.rows.push(Row { fault: Some("is not installed".into()), runs: Vec::new(), ..missing });
    let page = page(&record(vec![walk]));
    for words in [
        "Not drawn: hs deque -j8 (hung).",
        "Not ranked: ag (other output: 1,000 lines).",
        "Not ranked: ugrep (is not installed).",
        "3 of 12 rows failed",
        "<td class=\"bad\">hung</td>",
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert!(page.contains("<g class=\"bar unranked\""));
    assert!(!page.contains("times as fast as ag"));
}

#[test]
fn one_number_of_threads_or_rivals_alone_are_enough() {
    let queues = ["deque", "channel"].map(|queue| row("hs", Some(queue), Some(2), 0.03));
    let page_of = |rows: Vec<Row>| page(&record(vec![comparison("list-all", rows)]));
    let one = page_of(queues.to_vec());
    // Without -j1 there is no speed-up.
    assert_eq!((one.matches("<figure>").count(), one.matches("class=\"point\"").count()), (3, 6));
    let rivals = page_of(vec![row("rg", None, None, 0.06), row("fd", None, None, 0.08)]);
    assert_eq!(rivals.matches("<figure>").count(), 2);
    assert!(rivals.contains("There is no time of hs"));
    let search = page_of(vec![row("hs", None, None, 0.02), row("rg", None, Some(2), 0.06)]);
    assert!(search.contains("2.9") || search.contains("3.00 times as fast as rg -j2"), "{search}");
    assert!(!search.contains("class=\"legend\""));
}

#[test]
fn more_queues_than_can_be_told_apart_are_in_the_table_alone() {
    let names: Vec<String> = (0..12).map(|number| format!("queue-{number}")).collect();
    let rows = names.iter().flat_map(|name| {
        [1, 2].map(|threads| row("hs", Some(name), Some(threads), 0.1 / threads as f64))
    });
    let page = page(&record(vec![comparison("list-all", rows.collect())]));
    assert_eq!(page.matches("<li data-series=").count(), 10);
    assert!(page.contains("can be told apart: queue-10, queue-11."));
    let slots: BTreeSet<&str> = page
        .split("<li data-series=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    assert_eq!(slots.len(), 10);
}

#[test]
fn caveats_name_what_is_doubtful() {
    let mut noisy = walk();
    noisy.rows[1].runs = [0.02, 0.03, 0.04].map(|wall| Figures::of([("wall", wall)])).into();
    let mut record = record(vec![noisy]);
    let busy = "the machine was not idle when it began: a load of 1.9 on 2 cores";
    record.warnings = vec![busy.into()];
    let page = page(&record);
    for words in [
        "4 rows are oversubscribed",
        "1 of 10 rows are noisy",
        "hs deque -j2 in linux, list-all, warm with 33 %",
        "a load of 1.9 on 2 cores",
    ] {
        assert!(page.contains(words), "{words}");
    }
}

#[test]
#[cfg(feature = "png")]
fn pictures_are_pictures_or_say_what_is_missing() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("new");
    match pngs(&record(vec![walk(), walk()]), &dir) {
        Ok(paths) => {
            let names: BTreeSet<_> = paths.iter().filter_map(|path| path.file_name()).collect();
            assert_eq!(names.len(), 4, "no picture replaces another: {paths:?}");
            for path in &paths {
                let bytes = std::fs::read(path).unwrap();
                assert!(bytes.starts_with(b"\x89PNG"), "{}", path.display());
                let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
                assert_eq!(number(16), 1440, "twice as wide as the drawing");
            }
        }
        // A machine without fonts can still make pages.
        Err(error) => assert!(error.to_string().contains("no font was found"), "{error}"),
    }
}
