//! GUIDE.md and README.md tell the truth: every command they show is run in the tree they describe, and prints what they show.
//!
//! Blocks that begin with three backquotes and `console` are sessions: lines that begin with `$ ` are given to a shell, in
//! which `hs` is the program; a line that ends in a backslash goes on in the next. What stands below is its output, errors
//! included, and ends before the next command. `HS_TEST_WRITE_GUIDE=1` writes the output into the guide instead, for whoever
//! changes it to look at.

use std::{env, fs, io::Write, path::Path};

use flate2::{Compression, write::GzEncoder};

use crate::harness::{Hs, TempTree};

/// The top of the repository.
const TOP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const BEGIN: &str = "```console\n";
const END: &str = "```\n";

/// Makes `hs` in the shell the program under test, whose path is its first argument.
const SESSION: &str =
    r#"PATH=$HOME/bin:$PATH; mkdir -p "$HOME/bin"; ln -sf "$1" "$HOME/bin/hs"; eval "$2" 2>&1"#;

#[test]
fn the_guide_shows_what_happens() {
    check("GUIDE.md");
}

#[test]
fn the_readme_shows_what_happens() {
    check("README.md");
}

fn check(name: &str) {
    if crate::harness::process::oracle().is_some() {
        eprintln!("skipped: {name} is about hs");
        return;
    }
    let tree = TempTree::new("guide");
    plant(&tree);
    let path = Path::new(TOP).join(name);
    let shown = fs::read_to_string(&path).expect("the document");
    let told = retell(&shown, |command| answer(&tree, command));
    if env::var_os("HS_TEST_WRITE_GUIDE").is_some() {
        fs::write(path, told).expect("the document can be written");
        return;
    }
    for (number, (shown, printed)) in shown.lines().zip(told.lines()).enumerate() {
        assert_eq!(
            shown,
            printed,
            "{name}:{}: shown on the left, printed on the right",
            number + 1
        );
    }
    assert_eq!(
        shown.lines().count(),
        told.lines().count(),
        "{name} shows more or less than is printed"
    );
}

/// The tree that the guide describes.
fn plant(tree: &TempTree) {
    fs::create_dir(tree.join(".git")).expect("a repository");
    tree
        .file(".gitignore", "target/\n*.log\n!keep.log\n")
        .file(".github/ci.yml", "run: cargo test  # open the door\n")
        .file("README.md", "# Vault\n\nHow to open the door:\n\n    vault open --door 3\n")
        .file(
            "src/main.rs",
            "mod door;\nmod key;\n\nfn main() {\n    let key = key::find();\n    door::open(key);\n}\n",
        )
        .file(
            "src/door.rs",
            "use crate::key::Key;\n\n/// Open the door.\npub fn open(key: Key) {\n    \
             if key.fits() {\n        println!(\"open\");\n    } else {\n        \
             panic!(\"TODO: the door is shut\");\n    }\n}\n",
        )
        .file(
            "src/key.rs",
            "pub struct Key {\n    teeth: u8,\n}\n\nimpl Key {\n    \
             pub fn fits(&self) -> bool {\n        self.teeth == 7\n    }\n}\n\n\
             // TODO: look for it\npub fn find() -> Key {\n    Key { teeth: 7 }\n}\n",
        )
        .file("notes/plan.txt", "open the door\r\ntake the gold\r\nclose the door\r\n")
        .file("notes/café.txt", b"le caf\xe9 est ouvert\n")
        .file("notes/old.txt.gz", gzip(b"the old door\nthe old key\n"))
        .file("logo.bin", b"door\0\x01\x02")
        .file("target/debug/out.txt", "door\n")
        .file("build.log", "door built\n")
        .file("keep.log", "door kept\n");
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

/// `guide` with what each command prints, as `answer` says, below it.
fn retell(guide: &str, mut answer: impl FnMut(&str) -> String) -> String {
    let mut told = String::new();
    let mut rest = guide;
    while let Some(begin) = rest.find(BEGIN) {
        let (before, block) = rest.split_at(begin + BEGIN.len());
        told.push_str(before);
        let end = block.find(&format!("\n{END}")).expect("a block ends") + 1;
        for (index, command) in commands(&block[..end]).iter().enumerate() {
            if index > 0 {
                told.push('\n');
            }
            told.push_str("$ ");
            told.push_str(command);
            told.push_str(&answer(command));
        }
        rest = &block[end..];
    }
    told + rest
}

/// The commands of a session, each with the line feed that ends it.
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

/// What `command` prints in the tree.
fn answer(tree: &TempTree, command: &str) -> String {
    let printed = Hs::new(tree).args([command]).through_sh(SESSION).stdout();
    let text = String::from_utf8(printed).unwrap_or_else(|e| panic!("{command} prints bytes: {e}"));
    assert!(text.is_empty() || text.ends_with('\n'), "{command} prints an unended line");
    text
}
