//! Tables: aligned, complete, and with the words people look for.

use std::collections::BTreeMap;

use super::*;
use crate::machine::Machine;
use crate::queues::report::{About, Fault, Options, VERSION};
use crate::queues::row::Row;

fn row(setup: &str, system: &str, threads: usize) -> RowRecord {
    RowRecord::new(Row {
        scenario: "tree".into(),
        setup: setup.into(),
        system: system.into(),
        policy: None,
        threads,
        size: 1000,
        numbers: BTreeMap::new(),
    })
}

fn sample(wall_ns: u64) -> Sample {
    Sample { wall_ns, cpu_ns: 2 * wall_ns, expected: 1000, completed: 1000, ..Sample::default() }
}

fn record(rows: Vec<RowRecord>) -> Record {
    Record {
        version: VERSION,
        date: "2026-03-02 14:05".into(),
        machine: Machine { cores: 2, kernel: Some("6.18".into()), ..Machine::default() },
        versions: vec![("heist".into(), "0.1.0".into()), ("st3".into(), "0.4.1".into())],
        options: Options { quick: true, repeats: 3, seed: 1 },
        scenarios: vec![About {
            name: "tree".into(),
            about: "What it shows.".into(),
            as_published: Some("They counted twice.".into()),
        }],
        rows,
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
    let mut long = row("flat", "a-long-name", 2);
    long.samples = vec![sample(123_456_789_000)];
    let mut short = row("flat", "µ", 16);
    short.samples = vec![sample(10)];
    short.faults = vec![Fault::Failed("exit code 1:\na | b".into())];
    let text = print(&record(vec![long, short]), false);
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
    let mut deque = row("flat", "deque", 2);
    deque.samples = [3_000, 1_000, 2_500].map(sample).to_vec();
    for (i, sample) in deque.samples.iter_mut().enumerate() {
        sample.voluntary = [5, 7, 9][i];
        sample.migrations = Some(i as u64);
        sample.peak_bytes = Some(3 << 19);
        sample.columns = BTreeMap::from([
            ("zeal".into(), 0.5),
            ("steals".into(), 4.0),
            ("overflowed".into(), 0.0),
            ("lost".into(), 0.0),
            ("hit_rate".into(), 2.0),
        ]);
    }
    let text = print(&record(vec![deque]), false);
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
fn each_setup_has_a_table_and_the_head_says_where_it_was() {
    let mut rows = vec![row("flat", "a", 2), row("deep", "a", 2), row("flat", "b", 2)];
    for row in &mut rows {
        row.samples = vec![sample(1000)];
    }
    rows[0].discarded = 2;
    let text = print(&record(rows), false);
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
    let mut wrong = row("flat", "st3", 2);
    wrong.samples = vec![Sample { completed: 900, as_published: Some(1500), ..sample(1000) }];
    let record = record(vec![wrong]);
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
