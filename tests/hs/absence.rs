//! The files that an account names as left out although they would match, against a look at every
//! file of random trees, without what the search has found.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::Value;

use crate::harness::{
    Hs, TempTree,
    random::{Choose, Rng, env_number},
};

const DIRS: [&str; 6] = ["", "src/", "src/deep/", ".hid/", "out/", "out/.hid/"];
const NAMES: [&str; 7] = ["a.rs", "b.txt", ".dot", "skip.log", "keep.log", "data", "Makefile"];
const RULES: [&str; 6] = ["*.log\n", "*.log\n!keep.log\n", "out/\n", "/src\n", "a.rs\n", ".hid\n"];
const RULE_FILES: [&str; 4] = [".ignore", ".gitignore", "src/.ignore", ".rgignore"];
const LITERALS: [&str; 4] = ["gem", "rock", "gem one", "nowhere"];
const TEXTS: [&str; 6] = ["gem\n", "rock\n", "gem one\n", "a\0b\n", "Gem\n", "\n"];
const FLAGS: [&[&str]; 9] = [
    &[],
    &["--hidden"],
    &["-u"],
    &["-uu"],
    &["-t", "rust"],
    &["-g", "!*.rs"],
    &["--only", "src"],
    &["--max-depth", "2"],
    &["--max-filesize", "6"],
];

fn random_tree(tree: &TempTree, rng: &mut Rng) {
    for _ in 0..rng.usize(1..12) {
        let text: String = (0..rng.usize(..4)).map(|_| rng.pick(&TEXTS)).collect();
        tree.file(format!("{}{}", rng.pick(&DIRS), rng.pick(&NAMES)), text);
    }
    for _ in 0..rng.usize(..3) {
        tree.file(rng.pick(&RULE_FILES), rng.pick(&RULES));
    }
}

/// Adds the paths of all files below `dir` that contain `literal`.
fn containing(top: &Path, dir: &Path, literal: &str, into: &mut BTreeSet<String>) {
    for entry in fs::read_dir(dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            containing(top, &path, literal, into);
            continue;
        }
        let text = fs::read(&path).expect("a file");
        if text.windows(literal.len()).any(|part| part == literal.as_bytes()) {
            let path = path.strip_prefix(top).expect("a path below");
            into.insert(path.to_str().expect("text").replace('\\', "/"));
        }
    }
}

/// The account among `messages`.
fn account(messages: &str) -> Value {
    let messages = messages.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    let mut accounts = messages.filter(|message: &Value| message["type"] == "skipped");
    accounts.next().expect("an account")["data"].take()
}

fn check(hs: &Hs<'_>, top: &Path, literal: &str, flags: &[&str]) -> Option<()> {
    let run = |form: &[&str]| {
        let args = [&["--no-require-git", "--path-separator", "/"], flags, form].concat();
        let run = hs.args(args).arg("--").arg(literal);
        let run = run.differs_from_ripgrep("ripgrep gives no account");
        let out =
            run.exits_with_one_of(&[0, 1, 2]).stderr_satisfies("a line", |_| true).outcome()?;
        Some(String::from_utf8(out.stdout).expect("text"))
    };
    let found = run(&["-l", "--no-tell-skipped"])?;
    let account = account(&run(&["--json", "--tell-skipped"])?);
    let mut expected = BTreeSet::new();
    containing(top, top, literal, &mut expected);
    found.lines().for_each(|path| assert!(expected.remove(path), "{path} has no {literal}"));
    let would_match = account["would_match"].as_array().expect("a list");
    let paths = would_match.iter().map(|file| file["path"]["text"].as_str().expect("text"));
    let paths: BTreeSet<String> = paths.map(|path| path.replace('\\', "/")).collect();
    assert_eq!(paths, expected, "{literal} {flags:?}: {account}");
    assert_eq!(account["matching"], expected.len(), "{literal} {flags:?}: {account}");
    assert_eq!(account["complete"], true, "{literal} {flags:?}: {account}");
    Some(())
}

hs_test!(an_account_names_what_a_look_at_every_file_finds, |_, _| {
    let (trees, seed) = (env_number("HS_TEST_TREES", 6), env_number("HS_TEST_SEED", 0));
    for seed in seed..seed + trees {
        let mut rng = Rng::with_seed(seed);
        let tree = TempTree::new("absence");
        random_tree(&tree, &mut rng);
        for _ in 0..4 {
            let (literal, flags) = (rng.pick(&LITERALS), rng.pick(&FLAGS));
            if check(&Hs::new(&tree), &tree.path(), literal, flags).is_none() {
                return;
            }
        }
    }
});
