//! What the program prints of records: records in a short notation, and beside them their tables,
//! pages and comparisons.
//!
//! A test prints every file of `tests/cases` anew and fails where the output has changed; with
//! `BENCHSUITE_REWRITE=1` it writes the files instead, so that a change can be read as a diff.
//!
//! ```text
//! # A comment.
//! record walk                        begins a record; `record new like walk` begins as a copy
//! /machine/kernel "6.18"             sets a field of it, as JSON
//! linux, list-all, warm: List all.   begins a comparison: corpus, task, cache and a sentence
//! hs deque -j2 10 11 10              a row: its name, and the milliseconds of its runs
//! rg 20~7 lines=13 differs           seven runs near 20 ms; see `Row` in [`row`]
//! $ report walk                      prints the tables; its output follows in lines with `|`
//! $ published queues                 prints them with what the documents' harnesses would report
//! $ page walk / level                prints those lines of the page's text that contain `level`
//! $ source walk                      prints the page's source
//! $ plan 8 search --tools rg         prints the rows that a command line measures on 8 cores
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::record::{Comparison, FLOOR, Figures, Outcome, RECORD_VERSION, Record, Row};
use crate::{compare, findings, report, suite, tables};

#[test]
fn every_case_prints_its_output() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    for entry in fs::read_dir(cases).expect("the cases") {
        let path = entry.expect("a file").path();
        let old = fs::read_to_string(&path).expect("a text");
        let new = printed(&old);
        if std::env::var_os("BENCHSUITE_REWRITE").is_some() {
            fs::write(&path, new).expect("the file can be written");
            continue;
        }
        for (number, (old, new)) in old.lines().zip(new.lines()).enumerate() {
            assert_eq!(new, old, "{}:{}", path.display(), number + 1);
        }
        assert_eq!(new.len(), old.len(), "{} ends early", path.display());
    }
}

/// The text of a case file with today's output.
fn printed(text: &str) -> String {
    let mut records: BTreeMap<&str, Record> = BTreeMap::new();
    let mut name = "";
    let mut out = String::new();
    for line in text.lines().filter(|line| !line.starts_with('|')) {
        out += line;
        out.push('\n');
        if line.is_empty() || line.starts_with("# ") {
            continue;
        }
        if let Some(head) = line.strip_prefix("record ") {
            let (new, old) = head.split_once(" like ").unwrap_or((head, ""));
            let record = records.get(old).cloned().unwrap_or_else(empty);
            records.insert(new, record);
            name = new;
        } else if let Some(command) = line.strip_prefix("$ ") {
            for line in output(command, &records).lines() {
                out += format!("|{line}").trim_end();
                out.push('\n');
            }
        } else {
            let record = records.get_mut(name).unwrap_or_else(|| panic!("no record for {line}"));
            extend(record, line);
        }
    }
    out
}

fn empty() -> Record {
    let mut record = Record { version: RECORD_VERSION, ..Record::default() };
    record.machine.cores = 2;
    record
}

/// Takes over a line of a record: a field, a comparison or a row.
fn extend(record: &mut Record, line: &str) {
    let (head, about) = line.split_once(": ").unwrap_or((line, ""));
    if line.starts_with('/') {
        let (path, json) = line.split_once(' ').expect("a path and a value");
        let (parent, key) = path.rsplit_once('/').expect("a path");
        let mut value = serde_json::to_value(&*record).expect("a value");
        let parent = value.pointer_mut(parent).unwrap_or_else(|| panic!("no {path}"));
        let json: Value = serde_json::from_str(json).unwrap_or_else(|why| panic!("{why}: {line}"));
        match key.parse::<usize>() {
            Ok(index) => parent[index] = json,
            Err(_) => parent[key] = json,
        }
        *record = serde_json::from_value(value).unwrap_or_else(|why| panic!("{why}: {line}"));
    } else if let [corpus, task, cache] = *head.split(',').map(str::trim).collect::<Vec<_>>() {
        let [corpus, task, cache, about] = [corpus, task, cache, about].map(str::to_owned);
        let rows = Vec::new();
        record.comparisons.push(Comparison { corpus, task, about, cache, rows });
    } else {
        record.comparisons.last_mut().expect("a comparison").rows.push(row(line));
    }
}

/// The row that a line describes, in words that are quoted as in a shell: the tool, then in any
/// order
///
/// - `deque`, `-j2`: a queue, a number of threads;
/// - `10.5`, `10~7`: a run that takes 10.5 milliseconds; seven runs within half a percent of 10;
/// - `differs`: that its result is another one; `result=none`: that it is unknown;
/// - `lines=12`, `digest=7`, `code=0`, `command=…`, `fault=…`, `queue=…`, `idle=…`: that field;
/// - `each.completed=9`: a figure of every run;
/// - `voluntary=5,7`: a figure of each run for costs.
fn row(line: &str) -> Row {
    let words = shlex::split(line).expect("quotes are paired");
    let tool = words[0].clone();
    let mut row = Row { command: format!("{tool} --files"), tool, ..Row::default() };
    let mut result = Some(Outcome { lines: 12, digest: 7, code: 0 });
    row.agrees = (row.tool != FLOOR).then_some(true);
    for word in &words[1..] {
        let number = |text: &str| -> f64 { text.parse().unwrap_or_else(|_| panic!("{line}")) };
        if let Some((ms, runs)) = word.split_once('~') {
            let noise = [-0.005, 0.0, 0.005, -0.002, 0.002, 0.001, -0.001];
            let times = noise.iter().cycle().map(|noise| number(ms) * (1.0 + noise));
            row.runs.extend(times.take(number(runs) as usize).map(run));
        } else if let Some((key, value)) = word.split_once('=') {
            let known = result.get_or_insert_default();
            match key {
                "result" => result = None,
                "lines" => known.lines = number(value) as u64,
                "digest" => known.digest = number(value) as u64,
                "code" => known.code = number(value) as i32,
                "command" => row.command = value.to_owned(),
                "fault" => row.fault = Some(value.to_owned()),
                "queue" => row.queue = Some(value.to_owned()),
                "idle" => row.idle = Some(value.to_owned()),
                _ => match key.strip_prefix("each.") {
                    Some(figure) => row.runs.iter_mut().for_each(|run| {
                        run.0.insert(figure.to_owned(), number(value));
                    }),
                    None => add_costs(&mut row.costs, key, value.split(',').map(number)),
                },
            }
        } else if let Some(threads) = word.strip_prefix("-j") {
            row.threads = Some(number(threads) as usize);
        } else if let Ok(ms) = word.parse() {
            row.runs.push(run(ms));
        } else if word == "differs" {
            row.agrees = Some(false);
        } else {
            row.queue = Some(word.clone());
        }
    }
    Row { result, ..row }
}

/// A run that takes `ms` milliseconds, with time on cores.
fn run(ms: f64) -> Figures {
    Figures::of([("wall", ms / 1e3), ("user", ms / 2e3), ("system", ms / 4e3)])
}

fn add_costs(costs: &mut Vec<Figures>, figure: &str, values: impl Iterator<Item = f64>) {
    for (index, value) in values.enumerate() {
        if costs.len() == index {
            costs.push(Figures::default());
        }
        costs[index].0.insert(figure.to_owned(), value);
    }
}

/// What a command prints, or the lines that contain the text after ` / `.
fn output(command: &str, records: &BTreeMap<&str, Record>) -> String {
    let (command, part) = command.split_once(" / ").unwrap_or((command, ""));
    let (verb, rest) = command.split_once(' ').expect("a verb and a record");
    let fields: Vec<&str> = rest.split(" | ").collect();
    let names: Vec<&str> = fields[0].split(' ').collect();
    let record = |index: usize| {
        records.get(names[index]).unwrap_or_else(|| panic!("no record {}", names[index]))
    };
    let result = match verb {
        "report" => Ok(tables::print(record(0), false)),
        "published" => Ok(tables::print(record(0), true)),
        "page" => report::html(record(0)).map(|page| outline(&page)),
        "source" => report::html(record(0)).map(|page| body(&page).to_owned()),
        "compare" => {
            let (text, code) = compare::print(record(0), record(1));
            Ok(format!("{text}exit code {code}\n"))
        }
        "table" => findings::table_of(findings::TableKind::Rows, record(0), &fields),
        "ratios" => findings::table_of(findings::TableKind::Ratios, record(0), &fields),
        "tools" => findings::table_of(findings::TableKind::Tools, record(0), &fields),
        "groups" => findings::table_of(findings::TableKind::Groups, record(0), &fields),
        "plan" => suite::planned::planned_rows(rest).map_err(|error| error.to_string()),
        _ => panic!("{verb} is no command"),
    };
    let text = result.unwrap_or_else(|why| format!("error: {why}\n"));
    text.lines()
        .filter(|line| line.contains(part))
        .fold(String::new(), |all, line| all + line + "\n")
}

/// A page's text without style and script, a line per element, with bars between cells. Panics if
/// the page is not well formed, or could load or run something from a record.
fn outline(page: &str) -> String {
    for wrong in ["NaN", "inf ", "width=\"-", "http:", "https:", "src=", "@import", "url(", "<link"]
    {
        assert!(!page.contains(wrong), "{wrong} in {page}");
    }
    assert_eq!(page.matches("<script").count(), 1, "there is one script, and it is ours");
    assert!(page.contains("default-src 'none'") && !page.contains("\" onload"));
    for tag in ["svg", "g", "tr", "table", "section", "figure", "ul", "li", "div", "title", "text"]
    {
        let opened = [format!("<{tag}>"), format!("<{tag} ")].map(|tag| page.matches(&tag).count());
        let closed = page.matches(&format!("</{tag}>")).count();
        assert_eq!(opened[0] + opened[1], closed, "{tag} in {page}");
    }
    let body = body(page).replace("</th><t", "</th> | <t").replace("</td><t", "</td> | <t");
    let mut out = String::new();
    for line in body.lines() {
        let mut text = String::new();
        for part in line.split('<') {
            text += part.split_once('>').map_or(part, |(_, text)| text);
        }
        if !text.trim().is_empty() {
            out += text.trim();
            out.push('\n');
        }
    }
    out
}

/// A page without its style and script.
fn body(page: &str) -> &str {
    let (_, body) = page.split_once("<body>").expect("a body");
    body.split_once("<script>").expect("a script").0
}
