//! Functions around matches, against `git grep -p` and `git grep -W`, in random files of languages
//! about which git and `hs` agree.

use std::{fmt::Write, process::Command};

use crate::harness::{
    Hs, TempTree, has_git, process,
    random::{Choose, Rng, env_number},
};

const C: [&str; 14] = [
    "int gem(void)",
    "static int",
    "struct rock {",
    "{",
    "}",
    "",
    "  ",
    "\tgem();",
    "\treturn rock;",
    "out:",
    "public: // gem",
    "/* a gem",
    " */",
    "#define GEM",
];

const PYTHON: [&str; 9] = [
    "def gem():",
    "    async def rock():",
    "class Gem:",
    "    gem = 1",
    "# a comment",
    "@gem",
    "",
    "    \"\"\"",
    "rock",
];

/// A file of random lines, the last of which is not blank: git shows blank lines there.
fn random_file(rng: &mut Rng, lines: &[&str]) -> String {
    let mut text = String::new();
    for _ in 0..rng.usize(..40) {
        writeln!(text, "{}", rng.pick(lines)).expect("writing to memory");
    }
    text.push_str("end\n");
    text
}

/// Runs git with `arguments` in `tree`, without any configuration; returns what it prints.
fn git(tree: &TempTree, arguments: &str) -> Vec<u8> {
    let mut command = Command::new("git");
    command.current_dir(tree.path()).env("HOME", tree.home()).args(arguments.split(' '));
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    let outcome = process::run(&mut command, None);
    assert!(matches!(outcome.status.code(), Some(0 | 1)), "git {arguments}: {outcome:?}");
    outcome.stdout
}

hs_test!(functions_are_those_of_git_grep, |_, _| {
    if process::oracle().is_some() || !has_git() {
        return;
    }
    let mut rng = Rng::with_seed(env_number("HS_TEST_SEED", 27));
    for _ in 0..env_number("HS_TEST_TREES", 12) {
        let tree = TempTree::new("around");
        git(&tree, "init --quiet");
        tree.file(".gitattributes", "*.c diff=cpp\n*.py diff=python\n");
        for index in 0..6 {
            tree.file(format!("f{index}.c"), random_file(&mut rng, &C));
            tree.file(format!("f{index}.py"), random_file(&mut rng, &PYTHON));
        }
        for (ours, gits) in [
            ("--show-function", "-p"),
            ("--function-context", "-W"),
            ("--show-function --function-context", "-p -W"),
            ("--show-function -C2", "-p -C2"),
            ("--show-function -B1", "-p -B1"),
            ("--function-context -B3", "-W -B3"),
            ("--function-context -A4", "-W -A4"),
        ] {
            let pattern = rng.pick(&["gem", "rock", "return", "gem();", "def", "^}", "end"]);
            let expected = git(&tree, &format!("grep --untracked -n {gits} -F -e {pattern}"));
            let threads = rng.pick(&["-j1", "-j3"]);
            let line = format!("{ours} {threads} --sort=path -n -F -e {pattern}");
            Hs::new(&tree)
                .args(line.split(' '))
                .differs_from_ripgrep("ripgrep knows no functions")
                .prints(expected)
                .exits_with_one_of(&[0, 1]);
        }
    }
});
