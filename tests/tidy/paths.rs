//! The files that ARCHITECTURE.md and the pages of the crates name exist.

use std::path::PathBuf;

use crate::{check, files, outside_code_blocks, top};

#[test]
fn architecture_names_files_that_exist() {
    let mut faults = Vec::new();
    for page in files().iter().filter(|file| is_architecture(&file.name)) {
        for name in paths(&page.text) {
            if !places(&page.name, &name).iter().any(|place| place.exists()) {
                faults.push(format!("{}: `{name}` does not exist", page.name));
            }
        }
    }
    check(faults);
}

#[test]
fn paths_are_what_looks_like_one() {
    let text = "a `b/c.rs` d `e.rs` `f/` `--g/h` `x | y` `i`\n```text\n`j.rs`\n```\n[k](l.md)";
    assert_eq!(paths(text), ["b/c.rs", "e.rs", "f/"]);
}

fn is_architecture(name: &str) -> bool {
    name == "ARCHITECTURE.md" || name.starts_with("docs/crates/")
}

/// The words between backticks that end in `.rs`, `.md` or a slash. Code blocks are skipped.
fn paths(text: &str) -> Vec<String> {
    let words = outside_code_blocks(text).flat_map(|part| part.split('`').skip(1).step_by(2));
    let is_path = |word: &&str| {
        let is_word = word.chars().all(|c| c.is_alphanumeric() || "_./-".contains(c));
        is_word
            && !word.starts_with('-')
            && [".rs", ".md", "/"].iter().any(|end| word.ends_with(end))
    };
    words.filter(is_path).map(str::to_string).collect()
}

/// Where `path`, which the page called `page` names, may be: from the top, from the crates, and on
/// a crate's page from the crate.
fn places(page: &str, path: &str) -> Vec<PathBuf> {
    let mut bases = vec![top(), top().join("crates")];
    if let Some(name) = page.strip_prefix("docs/crates/") {
        let name = name.trim_end_matches(".md");
        let dir =
            if name == "benchsuite" { top().join(name) } else { top().join("crates").join(name) };
        bases.extend([dir.join("src"), dir]);
    }
    bases.into_iter().map(|base| base.join(path)).collect()
}
