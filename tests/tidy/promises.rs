//! The tests that SECURITY.md names for its promises exist.

use std::fs;

use crate::{check, files, top};

#[test]
fn each_promise_of_security_names_tests_that_exist() {
    let page = fs::read_to_string(top().join("SECURITY.md")).expect("SECURITY.md");
    let (_, promised) = page.split_once("## Promised").expect("promises");
    let (promised, _) = promised.split_once("## Not promised").expect("what is not promised");
    let (mut titles, mut sources) = (Vec::new(), String::new());
    for file in files() {
        if file.name.starts_with("tests/sessions/") {
            let found = file.text.lines().filter_map(|line| line.strip_prefix("== "));
            titles.extend(found.map(str::to_owned));
        } else if file.name.ends_with(".rs") {
            sources += &file.text;
        }
    }
    let mut faults = Vec::new();
    for promise in promised.split("\n- ").skip(1) {
        let promise = promise.split_whitespace().collect::<Vec<_>>().join(" ");
        let begin: String = promise.chars().take(60).collect();
        // The last one: files of a repository may have tests, too.
        let Some((_, tests)) = promise.rsplit_once("Tests: ") else {
            faults.push(format!("SECURITY.md: no tests are named: {begin}"));
            continue;
        };
        for title in tests.split('*').skip(1).step_by(2) {
            if !titles.iter().any(|known| known == title) {
                faults.push(format!("SECURITY.md: there is no session *{title}*"));
            }
        }
        for name in tests.split('`').skip(1).step_by(2) {
            let is_test = [format!("fn {name}("), format!("hs_test!({name},")];
            if !is_test.iter().any(|text| sources.contains(text.as_str())) {
                faults.push(format!("SECURITY.md: there is no test `{name}`"));
            }
        }
        if !tests.contains(['*', '`']) {
            faults.push(format!("SECURITY.md: no test is named: {begin}"));
        }
    }
    check(faults);
}
