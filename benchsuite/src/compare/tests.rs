//! Records side by side: every verdict, every reason not to compare, and the exit codes.

use super::changes::*;
use super::page::{markdown, summary};
use crate::corpora::Shape;
use crate::machine::Machine;
use crate::record::{Comparison, Corpus, Figures, Kind, Method, Outcome, Record, Row, Tool};

const RESULT: Outcome = Outcome { lines: 12, digest: 7, code: 0 };

fn wall(seconds: f64) -> Figures {
    Figures::of([("wall", seconds)])
}

/// Seven runs around so many milliseconds, half a percent to either side.
fn row(tool: &str, ms: f64) -> Row {
    let noise = [-0.005, 0.0, 0.005, -0.002, 0.002, 0.001, -0.001];
    let runs = noise.map(|noise| wall(ms * (1.0 + noise) / 1e3));
    Row { tool: tool.into(), result: Some(RESULT), runs: runs.into(), ..Row::default() }
}

fn hs(queue: &str, threads: usize, ms: f64) -> Row {
    Row { queue: Some(queue.into()), threads: Some(threads), ..row("hs", ms) }
}

fn record(rows: Vec<Row>) -> Record {
    let tool = |name: &str, version: &str| Tool { name: name.into(), version: version.into() };
    let comparison = Comparison {
        corpus: "linux".into(),
        task: "list-all".into(),
        about: String::new(),
        cache: "warm".into(),
        rows,
    };
    Record {
        kind: Kind::Walk,
        date: "2026-03-02 14:05".into(),
        machine: Machine { cores: 2, memory_kib: Some(1 << 20), ..Machine::default() },
        method: Method { repeats: 7, ..Method::default() },
        tools: vec![tool("hs", "hs 0.1.0"), tool("rg", "ripgrep 15.1.0")],
        corpora: vec![Corpus {
            name: "linux".into(),
            shape: Shape { files: 10, ..Shape::default() },
            file_system: Some("ext4".into()),
            ..Corpus::default()
        }],
        comparisons: vec![comparison],
        ..Record::default()
    }
}

/// The verdict on a single row, and the exit code.
fn judged(old: Row, new: Row) -> (Verdict, u8) {
    let (old, new) = (record(vec![old]), record(vec![new]));
    let changes = compare(&old, &new);
    assert_eq!(changes.changes.len(), 1);
    (changes.changes[0].verdict.clone(), changes.exit_code())
}

#[test]
fn what_is_certain_and_large_is_faster_or_slower() {
    for (ms, verdict, code) in [
        (120.0, Verdict::Slower, 1),
        (80.0, Verdict::Faster, 0),
        (100.0, Verdict::Level, 0),
        // Certain, and below 3 %.
        (102.0, Verdict::Level, 0),
        (98.0, Verdict::Level, 0),
    ] {
        assert_eq!(judged(row("hs", 100.0), row("hs", ms)), (verdict, code), "{ms}");
    }
    let mut noisy = row("hs", 110.0);
    let walls = [0.05, 0.06, 0.07, 0.11, 0.12, 0.13, 0.14];
    noisy.runs = walls.map(wall).into();
    // Ten percent more, but within the noise.
    assert_eq!(judged(row("hs", 100.0), noisy), (Verdict::Level, 0));
}

#[test]
fn ties_are_level() {
    let tied = Row { runs: vec![wall(0.1); 7], ..row("hs", 1.0) };
    assert_eq!(judged(tied.clone(), tied), (Verdict::Level, 0));
}

#[test]
fn few_samples_or_none_are_not_compared() {
    let short = |runs: usize| {
        let mut row = row("hs", 900.0);
        row.runs.truncate(runs);
        row
    };
    for runs in [0, 1, 4] {
        let why = format!("7 and {runs} runs are too few, 5 are needed");
        let expected = (Verdict::NotComparable(why), 2);
        assert_eq!(judged(row("hs", 100.0), short(runs)), expected);
    }
    assert_eq!(judged(row("hs", 100.0), short(5)), (Verdict::Slower, 1));
    let nothing = Row { runs: vec![wall(0.0); 7], ..row("hs", 1.0) };
    let expected = Verdict::NotComparable("a run took no time".into());
    assert_eq!(judged(nothing, row("hs", 1.0)).0, expected);
}

#[test]
fn who_works_no_more_is_broken() {
    let dead = Row { fault: Some("hung".into()), ..row("hs", 100.0) };
    assert_eq!(judged(row("hs", 100.0), dead.clone()), (Verdict::Broken("hung".into()), 1));
    let before = Verdict::NotComparable("fault before: hung".into());
    assert_eq!(judged(dead.clone(), row("hs", 100.0)), (before.clone(), 2));
    assert_eq!(judged(dead.clone(), dead), (before, 2));
}

#[test]
fn another_result_is_no_change_of_time() {
    let with = |lines: u64, digest: u64| Row {
        result: Some(Outcome { lines, digest, code: 0 }),
        ..row("hs", 200.0)
    };
    let differs = |how: &str| (Verdict::ResultDiffers(how.into()), 2);
    let old = || row("hs", 100.0);
    assert_eq!(judged(old(), with(11, 7)), differs("11 lines instead of 12"));
    assert_eq!(judged(old(), with(12, 8)), differs("as many lines, but others"));
    // An exit code is no result, and what is not known does not differ.
    let other_code = Row { result: Some(Outcome { code: 2, ..RESULT }), ..row("hs", 200.0) };
    assert_eq!(judged(old(), other_code), (Verdict::Slower, 1));
    let unknown = Row { result: None, ..row("hs", 200.0) };
    assert_eq!(judged(old(), unknown), (Verdict::Slower, 1));
}

/// Why the only row cannot be compared after `change`, if it cannot.
fn obstacle(tool: &str, change: impl Fn(&mut Record)) -> Option<String> {
    let (old, mut new) = (record(vec![row(tool, 100.0)]), record(vec![row(tool, 200.0)]));
    change(&mut new);
    let changes = compare(&old, &new);
    match &changes.changes[0].verdict {
        Verdict::NotComparable(why) => {
            assert_eq!((changes.exit_code(), changes.changes[0].estimate), (2, None));
            Some(why.clone())
        }
        verdict => {
            assert_eq!(*verdict, Verdict::Slower);
            None
        }
    }
}

#[test]
fn another_machine_or_tree_or_rival_is_not_compared() {
    let kernel = obstacle("hs", |record| record.machine.kernel = Some("6.19".into()));
    assert_eq!(kernel.as_deref(), Some("machine: kernel 6.19 instead of unknown"));
    let several = obstacle("hs", |record| {
        record.machine.cores = 8;
        record.machine.cpu = Some("Fast".into());
        record.machine.memory_kib = Some(1 << 21);
    });
    let why = "machine: cores 8 instead of 2; machine: processor Fast instead of unknown; \
               machine: 2048 MiB instead of 1024";
    assert_eq!(several.as_deref(), Some(why));
    let little = obstacle("hs", |record| record.machine.memory_kib = Some((1 << 20) - 9000));
    assert_eq!(little, None, "memory that the kernel keeps");
    assert_eq!(obstacle("hs", |record| record.machine.load = Some("9 9 9".into())), None);
    let tree = obstacle("hs", |record| record.corpora[0].shape.files = 11);
    assert_eq!(tree.as_deref(), Some("corpus: 11 files instead of 10"));
    let disk = obstacle("hs", |record| record.corpora[0].file_system = Some("tmpfs".into()));
    assert_eq!(disk.as_deref(), Some("corpus: on tmpfs instead of ext4"));
    let unknown = obstacle("hs", |record| record.corpora.clear());
    assert_eq!(unknown.as_deref(), Some("corpus: a record does not say what linux holds"));
}

#[test]
fn only_hs_may_have_another_version() {
    let newer = |record: &mut Record| {
        for tool in &mut record.tools {
            tool.version += " beta";
        }
    };
    assert_eq!(obstacle("hs", newer), None);
    let rival = obstacle("rg", newer);
    assert_eq!(rival.as_deref(), Some("version: ripgrep 15.1.0 beta instead of ripgrep 15.1.0"));
    let gone = obstacle("rg", |record| record.tools.clear());
    assert_eq!(gone.as_deref(), Some("version: unknown instead of ripgrep 15.1.0"));
    assert_eq!(obstacle("floor", newer), None, "the floor has no version");
}

#[test]
fn rows_are_matched_by_what_they_do_and_sorted_by_how_much_they_changed() {
    let old = record(vec![
        hs("deque", 2, 100.0),
        hs("deque", 8, 100.0),
        hs("stack", 2, 100.0),
        hs("mutex", 2, 100.0),
        row("fd", 100.0),
    ]);
    let mut new = record(vec![
        row("rg", 100.0),
        hs("mutex", 2, 104.0),
        hs("stack", 2, 50.0),
        hs("deque", 8, 100.0),
        hs("deque", 2, 180.0),
    ]);
    let changes = compare(&old, &new);
    let told: Vec<(&str, &Verdict)> =
        changes.changes.iter().map(|change| (change.name.as_str(), &change.verdict)).collect();
    let expected = [
        ("linux, list-all, warm: hs stack -j2", &Verdict::Faster),
        ("linux, list-all, warm: hs deque -j2", &Verdict::Slower),
        ("linux, list-all, warm: hs mutex -j2", &Verdict::Slower),
        ("linux, list-all, warm: hs deque -j8", &Verdict::Level),
        ("linux, list-all, warm: rg", &Verdict::Added),
        ("linux, list-all, warm: fd", &Verdict::Gone),
    ];
    assert_eq!(told, expected);
    assert_eq!(
        summary(&changes),
        "Something got slower: of 6 rows 2 slower, 1 faster, 1 level, 1 only old, 1 only new \
         (beyond 3 %, and certainly)."
    );
    new.comparisons[0].cache = "cold".into();
    let changes = compare(&old, &new);
    assert_eq!((changes.changes.len(), changes.exit_code()), (10, 2), "cold is not warm");
    assert!(
        summary(&changes).starts_with("Nothing could be compared: of 10 rows 0 slower, 5 only")
    );
}

#[test]
fn equal_rows_are_matched_one_to_one() {
    let old = record(vec![row("hs", 100.0), row("hs", 200.0)]);
    let changes = compare(&old, &old);
    assert_eq!(changes.changes.len(), 2);
    assert!(changes.changes.iter().all(|change| change.verdict == Verdict::Level));
    assert_eq!(compare(&Record::default(), &Record::default()).exit_code(), 2);
}

#[test]
fn memory_and_switches_are_told_beyond_ten_percent() {
    let with = |peaks: [u64; 3], switches: u64| {
        let cost = |peak: u64| {
            Figures::of([
                ("peak_bytes", (peak << 20) as f64),
                ("voluntary", switches as f64),
                ("involuntary", (switches / 2) as f64),
            ])
        };
        Row { costs: peaks.map(cost).into(), ..row("hs", 100.0) }
    };
    let told = |old: Row, new: Row| -> Vec<(&'static str, f64, f64, bool)> {
        let (old, new) = (record(vec![old]), record(vec![new]));
        let costs = compare(&old, &new).costs;
        costs.iter().map(|cost| (cost.figure, cost.old, cost.new, cost.overlaps)).collect()
    };
    assert_eq!(told(with([9, 10, 11], 100), with([10, 11, 12], 108)), []);
    assert_eq!(
        told(with([9, 10, 11], 100), with([10, 12, 13], 200)),
        [("switches", 150.0, 300.0, false), ("peak [MiB]", 10.0, 12.0, true)]
    );
    assert_eq!(
        told(with([9, 10, 11], 0), with([8, 8, 8], 2)),
        [("switches", 0.0, 3.0, false), ("peak [MiB]", 10.0, 8.0, false)]
    );
    assert_eq!(told(with([9, 10, 11], 0), row("hs", 100.0)), [], "not counted is not nothing");
    let dead = Row { fault: Some("hung".into()), ..with([90, 90, 90], 9) };
    assert_eq!(told(with([9, 10, 11], 1), dead), []);
}

#[test]
fn the_page_says_all_of_it() {
    let cost = |peak: u64| Figures::of([("peak_bytes", (peak << 20) as f64)]);
    let mut old = record(vec![hs("deque", 2, 100.0), row("rg", 50.0)]);
    let mut new = record(vec![hs("deque", 2, 150.0), row("rg", 50.0)]);
    old.comparisons[0].rows[0].costs = vec![cost(10)];
    new.comparisons[0].rows[0].costs = vec![cost(15)];
    new.comparisons[0].rows[1].fault = Some("exit code 2:\na | b".into());
    new.warnings = vec!["busy".into()];
    new.is_partial = true;
    new.tools[0].version = "hs 0.2.0".into();
    let text = markdown(&compare(&old, &new));
    for part in [
        "- old: 2026-03-02 14:05 UTC, hs: hs 0.1.0, 7 runs\n",
        "- new: 2026-03-02 14:05 UTC, hs: hs 0.2.0, 7 runs, stopped early\n",
        "- new, beware: busy\n",
        "\nSomething got slower: of 2 rows 1 slower, 1 broken (beyond 3 %, and certainly).\n",
        "|    Old [ms] |    New [ms] | Ratio |           95 % | Verdict ",
        "| linux, list-all, warm: hs deque -j2 | 100.0 ± 0.2 | 150.0 ± 0.3 | 1.500 | 1.4",
        "| SLOWER                      |\n",
        "|       |                | BROKEN: exit code 2: a \\| b |\n",
        "changed by more than 10 %:\n",
        "| linux, list-all, warm: hs deque -j2 | peak [MiB] |  10 |  15 | +50.0 % |\n",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    new.kind = Kind::Search;
    assert!(markdown(&compare(&old, &new)).contains("of `walk` and the new one of `search`."));
}
