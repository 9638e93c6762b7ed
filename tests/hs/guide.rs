//! The sessions in README.md, in GUIDE.md and in its pages in `docs` are run, and their output is
//! compared with the documents.
//!
//! A session is a block that begins with three backquotes and `console`. Its lines that begin with
//! `$ ` are commands for a shell in which `hs` is the program under test; a command that ends in a
//! backslash continues on the next line. The lines below a command are its output, including
//! errors. The sessions run in the repository that `docs/vault.sh` creates.
//!
//! `HS_TEST_WRITE_GUIDE=1` replaces the output in the documents, to be reviewed before a commit.

use std::{env, fs, path::Path};

use crate::harness::{Hs, TempTree, run};

/// The top of the repository.
pub(crate) const TOP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const SESSION: &str = "```console\n";
const END: &str = "```\n";

/// The directory that the script creates.
pub(crate) const REPOSITORY: &str = "vault";

#[test]
fn the_guide_shows_what_happens() {
    check("GUIDE.md");
}

#[test]
fn the_readme_shows_what_happens() {
    check("README.md");
}

#[test]
fn the_pages_of_the_guide_show_what_happens() {
    let pages = fs::read_dir(Path::new(TOP).join("docs")).expect("the pages");
    let mut names: Vec<_> = pages
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .filter(|name| name.ends_with(".md"))
        .collect();
    names.sort();
    assert!(names.len() > 10, "docs has only {names:?}");
    for name in names {
        check(&format!("docs/{name}"));
    }
}

fn check(name: &str) {
    let path = Path::new(TOP).join(name);
    let expected = fs::read_to_string(&path).expect("the document");
    if !expected.contains(SESSION) || is_left_out(name) {
        return;
    }
    let tree = TempTree::new("guide");
    create_repository(&tree);
    let actual = rewrite(&expected, |command| output(&tree, command));
    if env::var_os("HS_TEST_WRITE_GUIDE").is_some() {
        fs::write(path, actual).expect("the document is writable");
        return;
    }
    for (index, (expected, actual)) in expected.lines().zip(actual.lines()).enumerate() {
        assert_eq!(expected, actual, "{name}:{}: document on the left, output right", index + 1);
    }
    assert_eq!(expected.lines().count(), actual.lines().count(), "{name}: lines of output");
}

/// Whether the program under test cannot print what `document` shows. Reports why.
pub(crate) fn is_left_out(document: &str) -> bool {
    if crate::harness::process::oracle().is_some() {
        eprintln!("left out: {document} is about hs");
        return true;
    }
    if run::is_for_windows() {
        eprintln!("left out: {document}: it hands the paths of hs to programs of Unix");
        return true;
    }
    false
}

/// Runs the script of the guide in `tree`.
pub(crate) fn create_repository(tree: &TempTree) {
    let script = fs::read_to_string(Path::new(TOP).join("docs/vault.sh")).expect("the script");
    Hs::new(tree).line(&script).prints("");
}

/// `document` with the output of each command below it, as returned by `output`.
fn rewrite(document: &str, mut output: impl FnMut(&str) -> String) -> String {
    let mut rewritten = String::new();
    let mut rest = document;
    while let Some(begin) = rest.find(SESSION) {
        let (before, block) = rest.split_at(begin + SESSION.len());
        rewritten.push_str(before);
        let end = block.find(&format!("\n{END}")).expect("a block ends") + 1;
        for (index, command) in commands(&block[..end]).iter().enumerate() {
            if index > 0 {
                rewritten.push('\n');
            }
            rewritten.push_str("$ ");
            rewritten.push_str(command);
            rewritten.push_str(&output(command));
        }
        rest = &block[end..];
    }
    rewritten + rest
}

/// The commands of a session, including their line terminators.
fn commands(session: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    for line in session.split_inclusive('\n') {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push(command.to_owned()),
            (None, Some(last)) if last.ends_with("\\\n") => last.push_str(line),
            _ => {}
        }
    }
    commands
}

/// The output of `command` in the repository, without carriage returns at the ends of lines.
fn output(tree: &TempTree, command: &str) -> String {
    let line = format!("exec 2>&1\n{command}");
    let printed = Hs::new(tree).line(&line).cwd(REPOSITORY).stdout();
    let text = String::from_utf8(printed).unwrap_or_else(|e| panic!("{command} prints bytes: {e}"));
    assert!(text.is_empty() || text.ends_with('\n'), "{command} prints an unterminated line");
    text.replace("\r\n", "\n")
}
