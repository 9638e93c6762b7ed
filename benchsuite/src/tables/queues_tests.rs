//! Tables of `queues`: aligned, complete, with the columns of the documents.

use std::collections::BTreeMap;

use super::print;
use crate::machine::Machine;
use crate::record::{Comparison, Corpus, Figures, Kind, Method, Record, Row, Tool, VERSION};

fn row(system: &str, threads: usize) -> Row {
    Row { tool: system.into(), threads: Some(threads), ..Row::default() }
}

/// A run of 1000 items with these further figures.
fn run(wall_ns: u32, further: &[(&str, f64)]) -> Figures {
    let wall = f64::from(wall_ns) / 1e9;
    let fixed = [("wall", wall), ("cpu", 2.0 * wall), ("expected", 1e3), ("completed", 1e3)];
    Figures::of(fixed.into_iter().chain(further.iter().copied()))
}

fn record(setups: Vec<(&str, Vec<Row>)>) -> Record {
    let comparison = |(task, rows): (&str, Vec<Row>)| Comparison {
        corpus: "tree".into(),
        task: task.into(),
        rows,
        ..Comparison::default()
    };
    let tool = |name: &str, version: &str| Tool { name: name.into(), version: version.into() };
    Record {
        version: VERSION,
        kind: Kind::Queues,
        date: "2026-03-02 14:05".into(),
        machine: Machine { cores: 2, kernel: Some("6.18".into()), ..Machine::default() },
        tools: vec![tool("heist", "0.1.0"), tool("st3", "0.4.1")],
        method: Method { quick: true, repeats: 3, seed: 1, ..Method::default() },
        corpora: vec![Corpus {
            name: "tree".into(),
            about: "What it shows.".into(),
            as_published: Some("They counted twice.".into()),
            ..Corpus::default()
        }],
        comparisons: setups.into_iter().map(comparison).collect(),
        ..Record::default()
    }
}

/// The cells of the row of `system`, by the heads of their columns.
fn cells(text: &str, system: &str) -> BTreeMap<String, String> {
    let split = |line: &str| -> Vec<String> {
        line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_string()).collect()
    };
    let starting = |start: &str| {
        let found = text.lines().find(|line| line.starts_with(start));
        split(found.unwrap_or_else(|| panic!("{start} in\n{text}")))
    };
    starting("| system").into_iter().zip(starting(&format!("| {system} "))).collect()
}

#[test]
fn a_table_is_aligned_whatever_is_in_it() {
    let long = Row { runs: vec![run(3_456_789_000, &[])], ..row("a-long-name", 2) };
    let fault = Some("FAILED: exit code 1:\na | b".into());
    let short = Row { runs: vec![run(10, &[])], fault, ..row("µ", 16) };
    let text = print(&record(vec![("flat", vec![long, short])]), false);
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(lines.len(), 4);
    let bars = |line: &str| -> Vec<usize> {
        let chars: Vec<char> = line.chars().collect();
        let is_bar = |&i: &usize| chars[i] == '|' && (i == 0 || chars[i - 1] != '\\');
        (0..chars.len()).filter(is_bar).collect()
    };
    for line in &lines {
        assert_eq!(bars(line), bars(lines[0]), "{text}");
    }
    assert!(lines[1].starts_with("| ----------- | --: |"), "{text}");
    assert!(text.contains("INVALID: FAILED: exit code 1: a \\| b, oversubscribed"), "{text}");
}

#[test]
fn derived_columns_are_those_of_the_documents() {
    let runs = [3_000, 1_000, 2_500].into_iter().zip([5.0, 7.0, 9.0]).zip([0.0, 1.0, 2.0]);
    let runs = runs.map(|((wall, voluntary), migrations)| {
        let further = [
            ("voluntary", voluntary),
            ("migrations", migrations),
            ("peak_bytes", f64::from(3 << 19)),
            ("zeal", 0.5),
            ("steals", 4.0),
            ("overflowed", 0.0),
            ("lost", 0.0),
            ("hit_rate", 2.0),
        ];
        run(wall, &further)
    });
    let deque = Row { runs: runs.collect(), ..row("deque", 2) };
    let text = print(&record(vec![("flat", vec![deque])]), false);
    let cells = cells(&text, "deque");
    let expected = [
        ("j", "2"),
        ("n", "3"),
        ("wall ms", "0.003"),
        ("min ms", "0.001"),
        ("ns/op", "2.5"),
        ("CPU ns/op", "5.0"),
        ("Mops/s", "400.000"),
        ("completed", "1000"),
        ("voluntary", "7"),
        ("migrations", "1"),
        ("peak MiB", "1.5"),
        ("steals", "4"),
        ("zeal", "0.50"),
        ("lost", "0"),
        ("hit rate", "2"),
    ];
    for (head, cell) in expected {
        assert_eq!(cells.get(head).map(String::as_str), Some(cell), "{head} in\n{text}");
    }
    assert!(!cells.contains_key("overflowed"), "what never happened has no column");
    assert!(!cells.contains_key("note"), "nothing to note, no column");
    let position = |head: &str| text.find(&format!(" {head} ")).unwrap();
    assert!(position("steals") < position("hit rate") && position("hit rate") < position("zeal"));
}

#[test]
fn each_setup_has_a_table_and_the_head_names_the_machine() {
    let timed = |system| Row { runs: vec![run(1000, &[])], ..row(system, 2) };
    let first = Row { discarded: 2, ..timed("a") };
    let setups = vec![("flat", vec![first, timed("b")]), ("deep", vec![timed("a")])];
    let text = print(&record(setups), false);
    let facts = [
        "- date: 2026-03-02 14:05 UTC\n",
        "- machine: 2 cores, unknown processor\n",
        "- kernel: 6.18\n",
        "- versions: heist 0.1.0, st3 0.4.1\n",
        "- discarded: 2 runs",
        "\n## tree\n\nWhat it shows.\n",
    ];
    for fact in facts {
        assert!(text.contains(fact), "{fact} in\n{text}");
    }
    assert!(!text.contains("governor"), "what is not known is not mentioned");
    let (flat, deep) = (text.find("### flat").unwrap(), text.find("### deep").unwrap());
    assert!(flat < deep);
    assert_eq!(text[flat..deep].lines().filter(|line| line.starts_with('|')).count(), 4);
    assert_eq!(cells(&text, "a")["note"], "2 discarded");
}

#[test]
fn what_was_published_is_explained_on_request() {
    let runs = vec![run(1000, &[("completed", 900.0), ("as_published", 1500.0)])];
    let fault = Some("completed 900 of 1000".into());
    let record = record(vec![("flat", vec![Row { runs, fault, ..row("st3", 2) }])]);
    let plain = print(&record, false);
    assert!(!plain.contains("They counted twice.") && !plain.contains("1500"), "{plain}");
    let explained = print(&record, true);
    assert!(explained.contains("As published: They counted twice."));
    let cells = cells(&explained, "st3");
    assert_eq!(
        (cells["as published"].as_str(), cells["completed"].as_str()),
        ("1500", "900 of 1000")
    );
    assert_eq!(cells["note"], "INVALID: completed 900 of 1000");
}
