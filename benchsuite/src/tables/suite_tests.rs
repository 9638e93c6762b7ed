//! Tables: the shapes of the documents, figures that can be checked by hand, and rows that went
//! wrong.

use super::print;
use super::suite::report;
use crate::corpora::Shape;
use crate::machine::Machine;
use crate::record::{
    Comparison, Corpus, FLOOR, Figures, HEIST, Kind, Method, Outcome, Record, Row, Tool,
};

const RIGHT: Outcome = Outcome { lines: 12, digest: 7, code: 0 };

/// A row whose runs took so many milliseconds.
fn row(tool: &str, queue: Option<&str>, threads: Option<usize>, ms: &[f64]) -> Row {
    let run =
        |ms: &f64| Figures::of([("wall", ms / 1e3), ("user", ms / 2e3), ("system", ms / 4e3)]);
    let queue = queue.map(str::to_owned);
    Row {
        tool: tool.to_owned(),
        command: format!("{tool} --files"),
        result: Some(RIGHT),
        agrees: (tool != FLOOR).then_some(true),
        runs: ms.iter().map(run).collect(),
        queue,
        threads,
        ..Row::default()
    }
}

fn hs(queue: &str, threads: usize, ms: &[f64]) -> Row {
    row(HEIST, Some(queue), Some(threads), ms)
}

fn comparison(rows: Vec<Row>) -> Comparison {
    Comparison {
        corpus: "linux".into(),
        task: "list-all".into(),
        about: "Print every file's path".into(),
        cache: "warm".into(),
        rows,
    }
}

fn record(rows: Vec<Row>) -> Record {
    let shape = Shape {
        files: 1_200,
        directories: 290,
        symlinks: 10,
        bytes: 5_000_000,
        ..Shape::default()
    };
    Record {
        kind: Kind::Walk,
        date: "2026-03-02 14:05".into(),
        machine: Machine { cores: 2, kernel: Some("6.18".into()), ..Machine::default() },
        method: Method {
            repeats: 7,
            cost_runs: 3,
            seed: 42,
            timer: "hyperfine 1.19.0".into(),
            quick: false,
        },
        tools: vec![Tool { name: "rg".into(), version: "ripgrep 15.1.0".into() }],
        corpora: vec![Corpus {
            name: "linux".into(),
            shape,
            file_system: Some("ext4".into()),
            ..Corpus::default()
        }],
        comparisons: vec![comparison(rows)],
        ..Record::default()
    }
}

fn text(rows: Vec<Row>) -> String {
    report(&comparison(rows), 2)
}

/// The first line that has all of these.
fn line<'a>(text: &'a str, parts: &[&str]) -> &'a str {
    let found = text.lines().find(|line| parts.iter().all(|part| line.contains(part)));
    found.unwrap_or_else(|| panic!("{parts:?} in\n{text}"))
}

#[test]
fn a_comparison_reads_as_document_4_does() {
    let rows = vec![
        row(FLOOR, None, Some(2), &[5.0, 5.0]),
        row("rg", None, None, &[20.0, 20.0]),
        hs("stack", 8, &[18.0, 22.0]),
        row(HEIST, None, Some(1), &[30.0, 30.0]),
        hs("deque", 8, &[14.0, 14.0]),
        hs("deque", 2, &[10.0, 10.0]),
    ];
    let expected = "\
## linux, list-all, warm

Print every file's path.

| Command          |  Mean [ms] | Min [ms] | Max [ms] |    Relative |
| ---------------- | ---------: | -------: | -------: | ----------: |
| `hs -j1`         | 30.0 ± 0.0 |     30.0 |     30.0 | 3.00 ± 0.00 |
| `hs stack -j8`\\* | 20.0 ± 2.8 |     18.0 |     22.0 | 2.00 ± 0.28 |
| `hs deque -j2`   | 10.0 ± 0.0 |     10.0 |     10.0 |        1.00 |
| `hs deque -j8`\\* | 14.0 ± 0.0 |     14.0 |     14.0 | 1.40 ± 0.00 |
| `rg`             | 20.0 ± 0.0 |     20.0 |     20.0 | 2.00 ± 0.00 |
| `floor -j2`      |  5.0 ± 0.0 |      5.0 |      5.0 | 0.50 ± 0.00 |

\\* more threads than the machine's 2 cores

Medians in ms, the best queue for each number of threads in bold:

| Queue |  -j1 |  -j2 |    -j8\\* |
| ----- | ---: | ---: | -------: |
| none  | 30.0 |      |          |
| stack |      |      |     20.0 |
| deque |      | 10.0 | **14.0** |
";
    let text = text(rows);
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn the_verdict_is_in_words() {
    let noisy = |middle: f64| vec![middle - 1.0, middle, middle + 1.0];
    let mut slow = row("grep", None, None, &[9.0]);
    slow.fault = Some("hung".into());
    let rows = vec![
        row(HEIST, None, Some(1), &[30.0; 3]),
        hs("deque", 2, &noisy(10.2)),
        hs("deque", 32, &noisy(15.3)),
        hs("stack", 2, &noisy(10.0)),
        hs("stack", 32, &noisy(11.0)),
        hs("mutex", 2, &[20.0; 3]),
        row("rg", None, None, &noisy(11.5)),
        row("rg", None, Some(2), &noisy(15.0)),
        row("fd", None, None, &[5.0; 3]),
        row("find", None, None, &[40.0; 3]),
        slow,
        row(FLOOR, None, Some(1), &[8.0; 3]),
        row(FLOOR, None, Some(2), &[4.0; 3]),
    ];
    let expected = "
Verdict:

- best: `fd`, 5.0 ± 0.0 ms (median ± MAD)
- best backend: stack (`hs stack -j2`); the best of the others: `hs deque -j2` level (+2.0 %), \
`hs mutex -j2` +100.0 %
- what hs does on its own: `hs deque -j2`, within 3 % of the best it can do: level (+2.0 %)
- -j32 against -j2: deque +50.0 %, stack level (+10.0 %)
- against `rg`: level (1.15)
- against `fd`: hs takes 2.00 times as long
- against `find`: hs is 4.00 times as fast
- against the least possible work, `floor -j2`: hs takes 2.50 times as long
- not ranked: `grep` (fault)

Commands, for instance:

- `hs --files`
- `rg --files`
";
    let text = text(rows);
    assert!(text.contains(expected), "{text}");
}

#[test]
fn the_default_is_found_wherever_it_is() {
    let says = |rows: Vec<Row>| {
        let text = text(rows);
        line(&text, &["on its own"]).trim_start_matches("- what hs does on its own: ").to_owned()
    };
    let best = hs("stack", 2, &[10.0; 3]);
    let far = says(vec![best.clone(), hs("deque", 2, &[10.5; 3])]);
    assert_eq!(far, "`hs deque -j2`, not within 3 % of the best it can do: +5.0 %");
    let itself = says(vec![best.clone(), hs("deque", 2, &[9.0; 3])]);
    assert_eq!(itself, "`hs deque -j2`, the best it can do");
    assert_eq!(says(vec![best.clone(), hs("deque", 4, &[9.0; 3])]), "not measured");
    let liar = Row { agrees: Some(false), ..hs("deque", 2, &[9.0; 3]) };
    assert_eq!(says(vec![best.clone(), liar]), "not ranked");
    assert_eq!(says(vec![best, row(HEIST, None, None, &[9.0; 3])]), "`hs`, the best it can do");
    let alone = text(vec![row(HEIST, None, None, &[9.0; 3])]);
    assert!(!alone.contains("on its own") && !alone.contains("-j32"), "{alone}");
    // The twelve that hs starts at most.
    let many = comparison(vec![hs("deque", 12, &[9.0; 3]), hs("deque", 24, &[9.5; 3])]);
    assert!(report(&many, 24).contains("on its own: `hs deque -j12`, the best"));
}

#[test]
fn many_threads_are_compared_with_one_where_there_is_one_core() {
    let rows = vec![row(HEIST, None, Some(1), &[10.0; 2]), hs("deque", 32, &[12.0; 2])];
    let one = report(&comparison(rows.clone()), 1);
    assert!(one.contains("- -j32 against -j1: deque +20.0 %\n"), "{one}");
    assert!(one.contains("\\* more threads than the machine's core\n"), "{one}");
    assert!(text(rows.clone()).contains("- -j32 against -j2: not measured\n"));
    assert!(!report(&comparison(rows), 32).contains("against -j32"), "nothing is crowded there");
}

#[test]
fn a_row_that_disagrees_is_shown_and_not_ranked() {
    let with = |lines: u64, digest: u64| Row {
        agrees: Some(false),
        result: Some(Outcome { lines, digest, code: 0 }),
        ..row("rg", None, None, &[1.0, 1.0])
    };
    for (liar, note) in [
        (with(13, 7), "DIFFERS: 1 line more than hs"),
        (with(2, 7), "DIFFERS: 10 lines fewer than hs"),
        (with(12, 8), "DIFFERS: as many lines as hs, but others"),
        (Row { result: None, ..with(0, 0) }, "DIFFERS: not what hs prints"),
    ] {
        let text = text(vec![row(HEIST, None, None, &[10.0, 10.0]), liar]);
        let shown = line(&text, &["| `rg` ", note]);
        assert!(
            shown.contains("|  1.0 ± 0.0 |      1.0 |      1.0 |          |"),
            "no rank: {shown}"
        );
        assert!(line(&text, &["- best: "]).contains("`hs`"), "{text}");
        assert!(text.contains("- not ranked: `rg` (differs)\n") && !text.contains("- against"));
    }
}

#[test]
fn a_fault_stays_in_its_cell() {
    let dead = Row { fault: Some("exit code 2:\na | b".into()), ..hs("stack", 2, &[]) };
    let liar = Row { agrees: Some(false), ..hs("mutex", 2, &[1.0, 1.0]) };
    let rows = vec![
        hs("deque", 2, &[5.0, 5.0]),
        hs("deque", 8, &[6.0, 6.0]),
        dead,
        hs("stack", 8, &[]),
        liar,
    ];
    let text = text(rows);
    let first = line(&text, &["| Command", "Note"]);
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    let shown = line(&text, &["FAULT: exit code 2: a \\| b"]);
    assert_eq!(cells(shown), cells(first), "{text}");
    line(&text, &["| `hs stack -j8`\\*", "| not timed"]);
    // Nothing is bold: each column has a single ranked row.
    line(&text, &["| deque |     5.0 |   6.0 |"]);
    line(&text, &["| stack |   fault |       |"]);
    line(&text, &["| mutex | differs |       |"]);
    assert!(text.contains("- not ranked: `hs stack -j2` (fault), `hs stack -j8`\\* (not timed), "));
}

#[test]
fn ties_are_all_in_bold() {
    let rows = ["deque", "stack", "mutex"].into_iter().zip([5.0, 5.0, 6.0]);
    let rows = rows.flat_map(|(queue, ms)| [2, 4].map(|threads| hs(queue, threads, &[ms, ms])));
    let text = text(rows.collect());
    for tied in ["deque", "stack"] {
        assert_eq!(line(&text, &[&format!("| {tied} |")]).matches("**5.0**").count(), 2);
    }
    assert!(line(&text, &["- best backend"]).contains("`hs stack -j2` level (+0.0 %)"), "{text}");
    line(&text, &["| `hs stack -j2`   | 5.0 ± 0.0 |      5.0 |      5.0 |        1.00 |"]);
}

#[test]
fn one_sample_is_not_more_than_it_is() {
    let text = text(vec![row(HEIST, None, None, &[10.0]), row("rg", None, None, &[20.0])]);
    line(&text, &["| `hs`    |      10.0 |     10.0 |     10.0 |     1.00 |"]);
    line(&text, &["| `rg`    |      20.0 |     20.0 |     20.0 |     2.00 |"]);
    assert!(text.contains("- with a single run"), "{text}");
}

#[test]
fn without_a_sample_there_is_nothing_to_say() {
    let text = text(vec![row(HEIST, None, None, &[]), row("rg", None, None, &[])]);
    assert!(text.contains("| `hs`    |           |"), "{text}");
    assert!(text.contains("- nothing could be ranked\n- not ranked: `hs` (not timed), `rg` (not"));
    assert!(!text.contains("Memory"), "{text}");
    assert!(report(&comparison(vec![]), 2).ends_with("\n\nNothing was measured.\n"));
    // Times of nothing make no ratios.
    let zeros = [HEIST, "rg"].map(|tool| row(tool, None, None, &[0.0; 2]));
    let nothing = report(&comparison(zeros.into()), 2);
    assert!(!nothing.contains("NaN") && !nothing.contains("inf"), "{nothing}");
}

#[test]
fn costs_are_medians_and_what_was_not_counted_has_no_column() {
    let cost = |n: u32| {
        let n = f64::from(n);
        Figures::of([
            ("peak_bytes", n * f64::from(1 << 20)),
            ("voluntary", n * 10.0),
            ("involuntary", n),
            ("minor_faults", n * 1000.0),
            ("major_faults", 0.0),
        ])
    };
    let mut counted = row(HEIST, None, None, &[10.0, 20.0, 40.0]);
    counted.costs = vec![cost(5), cost(1), cost(3)];
    counted.costs.push(Figures::of([("calls_per_file", 1.256)]));
    let table = text(vec![counted.clone(), row("rg", None, None, &[8.0])]);
    let expected = [
        "| Command | Peak [MiB] | User [ms] | System [ms] | Voluntary | Involuntary ",
        "| Minor faults | Major faults | Calls/file |\n",
        "| `hs`    |        3.0 |      10.0 |         5.0 |        30 |           3 ",
        "|         3000 |            0 |       1.26 |\n",
        "| `rg`    |            |       4.0 |         2.0 |           |             ",
        "|              |              |            |\n",
    ];
    let parts = |lines: &[&str]| lines.concat();
    for expected in expected.chunks(2).map(parts) {
        assert!(table.contains(&expected), "{expected} in\n{table}");
    }
    for (cost, migrations) in counted.costs.iter_mut().skip(1).zip([4.0, 6.0]) {
        cost.0.insert("migrations".to_owned(), migrations);
    }
    let table = text(vec![counted]);
    line(&table, &["Migrations"]);
    line(&table, &["| `hs`    |        3.0 |", "|          5 |"]);
}

#[test]
fn the_facts_come_first() {
    let mut record = record(vec![
        row(HEIST, None, Some(1), &[3000.0; 2]),
        hs("deque", 2, &[1500.0; 2]),
        row("rg", None, None, &[100.0; 2]),
    ]);
    record.warnings = vec!["the machine\nwas busy".into()];
    record.is_partial = true;
    let text = print(&record, false);
    let expected = "\
# Walks

- date: 2026-03-02 14:05 UTC
- machine: 2 cores, unknown processor
- kernel: 6.18
- method: 7 timed runs of each command by hyperfine 1.19.0, in turns (seed 42); 3 further runs \
for memory and switches; medians, MAD = median distance from the median
- tools: rg (ripgrep 15.1.0)

Stopped before everything was measured.

Before you trust a figure:

- the machine was busy

## Corpora

| Corpus | Directories | Files | Symlinks |     Bytes | File system |
| ------ | ----------: | ----: | -------: | --------: | ----------- |
| linux  |         290 | 1,200 |       10 | 5,000,000 | ext4        |

The fastest walk of all entries by hs:

| Corpus | Cache | Best           | Mean [ms] |       Throughput | Speedup vs -j1 |
| ------ | ----- | -------------- | --------: | ---------------: | -------------: |
| linux  | warm  | `hs deque -j2` |    1500.0 | ~1,000 entries/s |         ~2.00x |

## linux, list-all, warm
";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn rates_are_of_walks_that_see_everything() {
    let mut other = record(vec![row(HEIST, None, None, &[1.0; 2])]);
    other.kind = Kind::Search;
    other.comparisons[0].task = "literal".into();
    let text = print(&other, false);
    assert!(text.starts_with("# Searches\n") && !text.contains("entries/s"), "{text}");
    let mut unknown = record(vec![row(HEIST, None, None, &[1.0; 2])]);
    unknown.corpora.clear();
    assert!(!print(&unknown, false).contains("entries/s"), "of how many?");
    let lies = record(vec![Row { agrees: Some(false), ..row(HEIST, None, None, &[1.0; 2]) }]);
    assert!(!print(&lies, false).contains("entries/s"));
}
