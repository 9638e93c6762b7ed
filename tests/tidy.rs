//! The house rules, as tests: what a reader may rely on without looking.
//!
//! They read manifests and source text, and do not run the code. A change that needs an exception
//! to a rule changes the rule here, with the reason, in a commit of its own.

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

#[path = "tidy/circles.rs"]
mod circles;
#[path = "tidy/decisions.rs"]
mod decisions;
#[path = "tidy/dependencies.rs"]
mod dependencies;
#[path = "tidy/links.rs"]
mod links;
#[path = "tidy/paths.rs"]
mod paths;
#[path = "tidy/promises.rs"]
mod promises;
#[path = "tidy/words.rs"]
mod words;

/// Which crate may use which: the table of `ARCHITECTURE.md`. `cli` may use all.
const EDGES: [(&str, &[&str]); 16] = [
    ("ebr", &[]),
    ("queue", &["ebr"]),
    ("filter", &[]),
    ("walk", &["queue", "filter"]),
    ("matcher", &[]),
    ("searcher", &["matcher"]),
    ("printer", &["searcher", "matcher"]),
    ("index", &[]),
    ("watch", &["index"]),
    ("replace", &["matcher", "searcher", "printer"]),
    ("heist", &["filter", "walk", "matcher", "searcher", "printer", "index", "replace"]),
    (
        "cli",
        &[
            "ebr", "queue", "filter", "walk", "matcher", "searcher", "printer", "index", "watch",
            "replace",
        ],
    ),
    ("mcp", &[]),
    ("python", &[]),
    ("node", &[]),
    ("benchsuite", &["ebr", "queue", "filter", "walk", "matcher", "searcher", "printer"]),
];

/// Words that the sources of a crate must not contain, because its job does not include them.
const UNKNOWN: [(&str, &[&str]); 10] = [
    ("queue", &["std::fs", "std::path", "PathBuf", "rustix::fs"]),
    ("filter", &["std::thread", "thread::spawn", "Mutex<Vec", "crossbeam"]),
    ("walk", &["regex", "termcolor", "heist_matcher", "heist_printer"]),
    ("matcher", &["std::fs", "std::path", "std::env", "std::thread"]),
    ("searcher", &["termcolor", "std::env", "read_dir"]),
    ("index", &["IsTerminal", "std::env", "heist_walk"]),
    ("watch", &["IsTerminal", "std::env", "heist_walk"]),
    ("replace", &["IsTerminal", "std::env", "regex"]),
    ("heist", &["IsTerminal", "termcolor", "clap"]),
    ("printer", &["IsTerminal", "std::env", "std::fs", "clap"]),
];

/// Lines a file may have, not counting its unit tests.
const MOST_LINES: usize = 800;

/// Words that no file of the repository may contain, each in two parts so that this file does not.
const FORBIDDEN: [(&str, &str); 6] = [
    // Paths on an author's machine.
    ("/wo", "rk/"),
    ("/ro", "ot/"),
    ("/home/", "user"),
    // Registries and mirrors: cargo knows where crates come from.
    ("index.crates", ".io"),
    ("static.crates", ".io"),
    ("crates.io", "-mirror"),
];

/// One file of the repository.
struct File {
    /// The file's path from the top, with `/`.
    name: String,
    text: String,
}

#[test]
fn crates_use_only_the_crates_they_may() {
    let mut faults = Vec::new();
    for (name, allowed) in EDGES {
        let dir = if name == "benchsuite" { name.to_string() } else { format!("crates/{name}") };
        let Ok(manifest) = fs::read_to_string(top().join(&dir).join("Cargo.toml")) else {
            continue;
        };
        for used in house_dependencies(&manifest) {
            // The tests of a crate may enable its own features.
            if used != name && !allowed.contains(&used.as_str()) {
                faults.push(format!("{dir}/Cargo.toml: {name} may not use {used}"));
            }
        }
    }
    check(faults);
}

#[test]
fn every_crate_is_in_the_table() {
    let known: BTreeSet<String> = EDGES.iter().map(|(name, _)| (*name).to_string()).collect();
    let entries = fs::read_dir(top().join("crates")).expect("crates can be listed");
    let crates = entries.map(|entry| entry.expect("an entry").file_name());
    let faults = crates
        .map(|name| name.to_string_lossy().into_owned())
        .filter(|name| top().join("crates").join(name).join("Cargo.toml").exists())
        .filter(|name| !known.contains(name) || ["util", "common", "core"].contains(&name.as_str()))
        .map(|name| format!("crates/{name}: not in the table of edges"));
    check(faults);
}

#[test]
fn crates_keep_to_their_job() {
    let mut faults = Vec::new();
    for file in rust_files() {
        for (name, words) in UNKNOWN {
            if !file.name.starts_with(&format!("crates/{name}/src/")) || is_test_file(&file.name) {
                continue;
            }
            for (number, line) in code_lines(&file.text) {
                if let Some(word) = words.iter().find(|word| line.contains(**word)) {
                    faults.push(format!("{}:{number}: {name} may not know `{word}`", file.name));
                }
            }
        }
    }
    check(faults);
}

#[test]
fn only_the_program_prints_and_exits() {
    let words = ["println!(", "print!(", "process::exit("];
    let mut faults = Vec::new();
    for file in rust_files() {
        let is_program = |name| file.name.starts_with(&format!("crates/{name}/"));
        let library =
            file.name.starts_with("crates/") && !["cli", "mcp"].into_iter().any(is_program);
        if !library || !file.name.contains("/src/") || is_test_file(&file.name) {
            continue;
        }
        for (number, line) in code_lines(&file.text) {
            if let Some(word) = words.iter().find(|word| line.contains(**word)) {
                faults.push(format!("{}:{number}: `{word}` in a library", file.name));
            }
        }
    }
    check(faults);
}

#[test]
fn every_file_has_a_head() {
    let files = rust_files().into_iter().filter(|file| !file.text.starts_with("//! "));
    check(files.map(|file| format!("{}: does not begin with a //! head", file.name)));
}

#[test]
fn no_file_is_too_long() {
    let long = rust_files()
        .into_iter()
        .filter(|file| lines_without_tests(&file.text).count() > MOST_LINES);
    check(long.map(|file| format!("{}: over {MOST_LINES} lines", file.name)));
}

#[test]
fn every_unsafe_block_has_a_safety_comment() {
    let mut faults = Vec::new();
    for file in rust_files().into_iter().filter(|file| !file.name.starts_with("tests/")) {
        let lines: Vec<&str> = file.text.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            let before = &lines[index.saturating_sub(12)..index];
            let argued = before.iter().any(|l| l.contains("SAFETY:") || l.contains("# Safety"));
            if has_unsafe_code(line) && !argued {
                faults.push(format!("{}:{}: unsafe without SAFETY", file.name, index + 1));
            }
        }
    }
    check(faults);
}

#[test]
fn nothing_is_left_for_later() {
    let words = ["todo!(", "unimplemented!(", "dbg!(", "FIXME", "XXX", "#[ignore]"];
    let mut faults = Vec::new();
    for file in rust_files().into_iter().filter(|file| file.name != "tests/tidy.rs") {
        for (index, line) in file.text.lines().enumerate() {
            if let Some(word) = words.iter().find(|word| line.contains(**word)) {
                faults.push(format!("{}:{}: `{word}`", file.name, index + 1));
            }
        }
    }
    check(faults);
}

#[test]
fn no_file_names_an_author_s_machine() {
    let mut faults = Vec::new();
    for file in files() {
        for (first, second) in FORBIDDEN {
            let word = format!("{first}{second}");
            // The lock file names the registry; cargo writes it.
            if file.name != "Cargo.lock" && file.text.contains(&word) {
                faults.push(format!("{}: `{word}`", file.name));
            }
        }
    }
    check(faults);
}

#[test]
fn lines_end_cleanly() {
    // Expected output of tests and inputs of fuzzers are bytes rather than text.
    let is_text = |file: &File| !["/data/", "/corpus/"].iter().any(|dir| file.name.contains(dir));
    let mut faults = Vec::new();
    for file in files().into_iter().filter(is_text) {
        let blank = file.text.lines().position(|line| line.ends_with([' ', '\t', '\r']));
        if let Some(index) = blank {
            faults.push(format!("{}:{}: blanks at the end of a line", file.name, index + 1));
        }
        if !file.text.is_empty() && !file.text.ends_with('\n') {
            faults.push(format!("{}: no newline at the end", file.name));
        }
    }
    check(faults);
}

#[track_caller]
fn check(faults: impl IntoIterator<Item = String>) {
    let faults: Vec<String> = faults.into_iter().collect();
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

fn top() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.ancestors().nth(2).expect("this crate lies two levels down").to_path_buf()
}

/// The crates of this house that a manifest names in any table of dependencies.
fn house_dependencies(manifest: &str) -> Vec<String> {
    let mut in_dependencies = false;
    let mut found = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if let Some(table) = line.strip_prefix('[') {
            in_dependencies = table.contains("dependencies");
            // The long form, a table for one dependency.
            found.extend(table.split("dependencies.heist-").nth(1).map(crate_name));
        } else if in_dependencies {
            found.extend(line.strip_prefix("heist-").map(crate_name));
        }
    }
    found
}

fn crate_name(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// Every text file under version control that exists; every text file at all where there is no git.
fn files() -> Vec<File> {
    let tracked = Command::new("git").args(["ls-files", "-z"]).current_dir(top()).output();
    let names: Vec<String> = match tracked {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout)
            .split('\0')
            .filter(|name| !name.is_empty())
            .map(str::to_string)
            .collect(),
        _ => below(&top(), ""),
    };
    assert!(names.len() > 20, "the repository's files were not found");
    let read = |name: String| {
        let text = fs::read(top().join(&name)).ok().and_then(|b| String::from_utf8(b).ok())?;
        Some(File { name, text })
    };
    names.into_iter().filter_map(read).collect()
}

fn below(dir: &Path, prefix: &str) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).expect("a directory can be listed").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        if entry.path().is_file() {
            names.push(path);
        } else if name != "target" && name != ".git" {
            names.extend(below(&entry.path(), &format!("{path}/")));
        }
    }
    names
}

fn rust_files() -> Vec<File> {
    let mut files = files();
    files.retain(|file| file.name.ends_with(".rs"));
    files
}

fn is_test_file(name: &str) -> bool {
    name.ends_with("/tests.rs") || name.contains("/tests/")
}

/// The lines of a file that come before its unit tests.
fn lines_without_tests(text: &str) -> impl Iterator<Item = &str> {
    let mut lines = text.lines().peekable();
    std::iter::from_fn(move || {
        let line = lines.next()?;
        let next_is_module =
            lines.peek().is_some_and(|next| next.starts_with("mod ") && next.ends_with('{'));
        (line != "#[cfg(test)]" || !next_is_module).then_some(line)
    })
}

/// The lines before the unit tests that are code, with their numbers.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = lines_without_tests(text).zip(1..).map(|(line, number)| (number, line));
    numbered.filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// The parts of a document outside of its code blocks.
fn outside_code_blocks(text: &str) -> impl Iterator<Item = &str> {
    text.split("```").step_by(2)
}

fn has_unsafe_code(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    code.contains("unsafe {") || code.contains("unsafe impl") || code.contains("unsafe fn ")
}
