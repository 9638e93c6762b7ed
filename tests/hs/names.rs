//! Names of files that match: what is printed is a list of the files, whose names are searched with
//! other means, and the lines of each.

use std::fmt::Write;

use crate::harness::{
    Hs, TempTree,
    random::{Choose, Rng, env_number},
};

const NAMES: [&str; 6] = ["gem", "gem.txt", "a gem", "Gem", "rock", "gems"];
const DIRS: [&str; 4] = ["", "gem.d/", "cave/", "cave/gems.d/"];

/// A pattern, and whether a name matches it.
type Case = (&'static str, fn(&str) -> bool);

const CASES: [Case; 5] = [
    ("gem", |name| name.contains("gem")),
    ("^gem", |name| name.starts_with("gem")),
    ("gem$", |name| name.ends_with("gem")),
    ("-xgem", |name| name == "gem"),
    ("-igem", |name| name.to_lowercase().contains("gem")),
];

fn random_tree(tree: &TempTree, rng: &mut Rng) {
    for _ in 0..rng.usize(1..8) {
        let mut text = String::new();
        for _ in 0..rng.usize(..4) {
            writeln!(text, "{}", rng.pick(&NAMES)).expect("writing to memory");
        }
        tree.file(format!("{}{}", rng.pick(&DIRS), rng.pick(&NAMES)), text);
    }
}

/// Runs `hs` with results in a fixed order; returns what it prints.
fn run(hs: &Hs<'_>, args: &[&str]) -> Option<String> {
    let args = ["--sort=path"].iter().chain(args);
    let run = hs.args(args).differs_from_ripgrep("ripgrep does not search names");
    let out = run.exits_with_one_of(&[0, 1]).outcome()?;
    Some(String::from_utf8(out.stdout).expect("text"))
}

/// The pattern of a case as arguments.
fn pattern(case: &str) -> Vec<&str> {
    match case.strip_prefix('-') {
        Some(rest) => vec![if rest.starts_with('x') { "-x" } else { "-i" }, "-e", &rest[1..]],
        None => vec!["-e", case],
    }
}

fn check(hs: &Hs<'_>, whole: bool, (case, is_match): Case) -> Option<()> {
    let names = if whole { "--names=path" } else { "--names" };
    let files = run(hs, &["--files"])?;
    let searched = |path: &str| match whole {
        true => is_match(path),
        false => is_match(path.rsplit('/').next().expect("a name")),
    };
    let (mut expected, mut list, mut counts) = (String::new(), String::new(), String::new());
    for path in files.lines() {
        let lines = run(hs, &[&["-nH"][..], &pattern(case), &[path]].concat())?;
        if searched(path) {
            writeln!(expected, "{path}").expect("writing to memory");
        }
        expected.push_str(&lines);
        if searched(path) || !lines.is_empty() {
            writeln!(list, "{path}").expect("writing to memory");
            let count = lines.lines().count();
            writeln!(counts, "{path}:{count}").expect("writing to memory");
        }
    }
    for (flag, expected) in [("-n", expected), ("-l", list), ("-c", counts)] {
        for threads in ["-j1", "-j4"] {
            let args = [&[names, flag, threads][..], &pattern(case)].concat();
            assert_eq!(run(hs, &args)?, expected, "{args:?}");
        }
    }
    Some(())
}

hs_test!(names_are_printed_among_the_lines, |_, _| {
    let mut rng = Rng::with_seed(env_number("HS_TEST_SEED", 13));
    for _ in 0..env_number("HS_TEST_TREES", 6) {
        let tree = TempTree::new("names");
        random_tree(&tree, &mut rng);
        let hs = Hs::new(&tree);
        for case in CASES {
            if check(&hs, rng.chance(50), case).is_none() {
                return;
            }
        }
    }
});
