//! Each decision has an area, and `docs/decisions/README.md` lists all of them.
//!
//! `HS_TEST_WRITE_GUIDE=1` writes the list anew.

use std::{env, fmt::Write as _, fs};

use crate::{check, files, top};

/// What a decision can be about, in the order of the list.
const AREAS: [&str; 14] = [
    "program",
    "queue",
    "walk",
    "filter",
    "matcher",
    "searcher",
    "printer",
    "functions",
    "index",
    "command line",
    "programs and agents",
    "systems and releases",
    "tests",
    "benchsuite",
];

const PAGE: &str = "docs/decisions/README.md";
const BEGIN: &str = "<!-- decisions -->\n";
const END: &str = "<!-- /decisions -->\n";

/// A file such as `docs/decisions/0044-chunk-sizes.md`.
struct Decision {
    file: String,
    number: String,
    title: String,
    area: String,
}

#[test]
fn the_page_of_decisions_lists_all() {
    let decisions = decisions();
    assert!(decisions.len() > 50, "the decisions were not found");
    let page = fs::read_to_string(top().join(PAGE)).expect("the page");
    let (before, rest) = page.split_once(BEGIN).expect("where the list begins");
    let (_, after) = rest.split_once(END).expect("where the list ends");
    let actual = format!("{before}{BEGIN}{}{END}{after}", list(&decisions));
    if env::var_os("HS_TEST_WRITE_GUIDE").is_some() {
        fs::write(top().join(PAGE), actual).expect("the page is writable");
        return;
    }
    assert_eq!(page, actual, "{PAGE}: the page on the left, the decisions right");
}

#[test]
fn each_decision_has_a_number_and_an_area() {
    let mut faults = Vec::new();
    for Decision { file, number, title, area } in decisions() {
        if !file.starts_with(&format!("{number}-")) || title.is_empty() {
            faults.push(format!("{file}: the first line is not `# NUMBER: TITLE`"));
        }
        if !AREAS.contains(&area.as_str()) {
            faults.push(format!("{file}: the third line is not `Area: ` and one of {AREAS:?}"));
        }
    }
    check(faults);
}

fn decisions() -> Vec<Decision> {
    let mut decisions = Vec::new();
    for file in files() {
        let Some(name) = file.name.strip_prefix("docs/decisions/") else { continue };
        if name == "README.md" {
            continue;
        }
        let mut lines = file.text.lines();
        let heading = lines.next().and_then(|line| line.strip_prefix("# "));
        let (number, title) = heading.and_then(|line| line.split_once(": ")).unwrap_or_default();
        let area = lines.nth(1).and_then(|line| line.strip_prefix("Area: ")).unwrap_or_default();
        decisions.push(Decision {
            file: name.to_owned(),
            number: number.to_owned(),
            title: title.to_owned(),
            area: area.to_owned(),
        });
    }
    decisions.sort_by(|a, b| a.number.cmp(&b.number));
    decisions
}

/// A table for each area.
fn list(decisions: &[Decision]) -> String {
    let mut list = String::new();
    for area in AREAS {
        write!(list, "\n## {area}\n\n| number | title |\n|---|---|\n").expect("a string");
        for Decision { file, number, title, .. } in decisions.iter().filter(|d| d.area == area) {
            writeln!(list, "| [{number}]({file}) | {title} |").expect("a string");
        }
    }
    list + "\n"
}
