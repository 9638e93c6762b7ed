//! Lines and files that meet several conditions, against `git grep` in random files.

use std::fmt::Write;

use crate::harness::{
    self, Hs, TempTree, has_git, process,
    random::{Choose, Rng, env_number},
};

const WORDS: [&str; 8] = ["gem", "Gem", "gemstone", "rock", "ro", "a", "x.y", " "];
const TEXTS: [&str; 7] = ["gem", "stone", "rock", "o", "GEM", "x.y", "nosuch"];

/// A condition, as arguments of both programs.
#[derive(Default)]
struct Arguments {
    ours: Vec<String>,
    gits: Vec<String>,
}

impl Arguments {
    fn both(&mut self, arguments: &[&str]) {
        self.ours.extend(arguments.iter().map(|&argument| argument.to_owned()));
        self.gits.extend(arguments.iter().map(|&argument| argument.to_owned()));
    }

    /// A line with one of some texts, all of others, and none of others yet.
    fn about_lines(rng: &mut Rng) -> Arguments {
        let mut arguments = Arguments::default();
        arguments.gits.push("(".to_owned());
        for number in 0..rng.usize(1..3) {
            if number > 0 {
                arguments.gits.push("--or".to_owned());
            }
            arguments.both(&["-e", rng.pick(&TEXTS)]);
        }
        arguments.gits.push(")".to_owned());
        for _ in 0..rng.usize(..3) {
            let (text, not) = (rng.pick(&TEXTS), rng.bool());
            arguments.ours.extend([if not { "--not" } else { "--and" }, text].map(str::to_owned));
            let negation = ["--not"].into_iter().filter(|_| not);
            let gits = ["--and"].into_iter().chain(negation).chain(["-e", text]);
            arguments.gits.extend(gits.map(str::to_owned));
        }
        arguments
    }

    /// A file with all of some texts.
    fn about_files(rng: &mut Rng) -> Arguments {
        let mut arguments = Arguments::default();
        let first = rng.pick(&TEXTS);
        arguments.ours.extend(["-e", first, "--per-file"].map(str::to_owned));
        arguments.gits.extend(["--all-match", "-e", first].map(str::to_owned));
        for _ in 0..rng.usize(1..3) {
            let text = rng.pick(&TEXTS);
            arguments.ours.extend(["--and", text].map(str::to_owned));
            arguments.gits.extend(["-e", text].map(str::to_owned));
        }
        arguments
    }
}

/// What git prints.
fn git(tree: &TempTree, arguments: &[String]) -> String {
    let outcome = process::run(harness::git(tree, "").args(arguments), None);
    assert!(matches!(outcome.status.code(), Some(0 | 1)), "git {arguments:?}: {outcome:?}");
    String::from_utf8(outcome.stdout).expect("text")
}

fn ours(hs: &Hs<'_>, arguments: &[String]) -> Option<String> {
    let hs = hs.args(["--sort", "path", "-F", "-n"]).args(arguments);
    let run = hs.differs_from_ripgrep("ripgrep's patterns are alternatives");
    let out = run.exits_with_one_of(&[0, 1]).outcome()?;
    Some(String::from_utf8(out.stdout).expect("text"))
}

hs_test!(lines_and_files_meet_conditions_as_git_grep_says, |tree, hs| {
    if process::oracle().is_some() || !has_git() {
        return;
    }
    git(tree, &["init", "--quiet"].map(str::to_owned));
    let mut rng = Rng::with_seed(env_number("HS_TEST_SEED", 49));
    for _ in 0..env_number("HS_TEST_TREES", 25) {
        for name in ["a", "b", "c"] {
            let mut text = String::new();
            for _ in 0..rng.usize(..9) {
                let words: Vec<&str> = (0..rng.usize(..5)).map(|_| rng.pick(&WORDS)).collect();
                writeln!(text, "{}", words.concat()).expect("writing to memory");
            }
            tree.file(name, text);
        }
        let mut arguments = match rng.chance(70) {
            true => Arguments::about_lines(&mut rng),
            false => Arguments::about_files(&mut rng),
        };
        let flag = rng.pick(&["-i", "-w", "-c", "-l", "-o", "-C1", "-v"]);
        let is_plain = rng.bool() || flag == "-v" && arguments.gits[0] == "--all-match";
        if !is_plain {
            // Flags of git precede the condition.
            arguments.ours.push(flag.to_owned());
            arguments.gits.insert(0, flag.to_owned());
        }
        let Some(found) = ours(hs, &arguments.ours) else { return };
        let grep = ["grep", "--untracked", "-F", "-n"].map(str::to_owned);
        let expected = git(tree, &[&grep[..], &arguments.gits].concat());
        assert_eq!(found, expected, "{:?}", arguments.ours);
    }
});
