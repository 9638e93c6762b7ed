//! Functions around matches, against `git grep -p` and `git grep -W`, in random files of languages
//! about which git and `hs` agree.

use std::fmt::Write;

use crate::harness::{
    self, Hs, TempTree, has_git, process,
    random::{Choose, Rng, env_number},
};

/// How functions begin, and lines of their bodies. `git grep` takes the nearest function line above
/// for the function of a match, so that both agree about functions that are not nested.
const C: [&str; 5] = [
    "int one(void)\n{",
    "static struct hoard *two(struct hoard *a,\n    int b)\n{",
    "void three(const char *a) {",
    "SYSCALL_DEFINE1(four, int, a)\n{",
    "static const struct hoard five = {",
];

const C_LINES: [&str; 12] = [
    "\tgem();",
    "\treturn rock;",
    "\tif (gem) {\n\t\trock(\"}\");\n\t} else {\n\t\tgem();\n\t}",
    "",
    "out:",
    "#define GEM rock",
    "#ifdef GEM\n\tgem();\n#endif",
    "\t/* a gem */",
    "\tfor (;;)\n\t\tgem();",
    "\tchar c = '{';",
    "\tswitch (a) {\n\tcase rock:\n\t\tgem();\n\t}",
    "\trock(a,\n\t     gem);",
];

const PYTHON: [&str; 4] = [
    "def one():",
    "async def two(a,\n              b=\"x\"):",
    "class Three:",
    "def four(*a, **b) -> Dict[str, int]:",
];

const PYTHON_LINES: [&str; 9] = [
    "    gem()",
    "    rock = [\n        gem,\n    ]",
    "    if gem:\n        return rock\n    elif rock:\n        gem()",
    "",
    "    # a gem",
    "    for rock in gem:\n        pass",
    "    with gem as rock:\n        gem()",
    "    return rock",
    "    \"\"\"A gem.\n\n    rock\n    \"\"\"",
];

/// A file of random functions, with a blank line between two of them.
fn random_file(rng: &mut Rng, begins: &[&str], lines: &[&str], end: &str) -> String {
    let mut functions = Vec::new();
    for _ in 0..1 + rng.usize(..8) {
        let mut text = rng.pick(begins).to_owned();
        for _ in 0..1 + rng.usize(..6) {
            write!(text, "\n{}", rng.pick(lines)).expect("writing to memory");
        }
        // The last line is not blank: git shows blank lines at the end of a file.
        functions.push(format!("{text}\n{}\n{end}", lines[0]));
    }
    functions.join("\n")
}

/// Runs git with `arguments` in `tree`, without any configuration; returns what it prints.
fn git(tree: &TempTree, arguments: &str) -> Vec<u8> {
    let outcome = process::run(harness::git(tree, "").args(arguments.split(' ')), None);
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
            tree.file(format!("f{index}.c"), random_file(&mut rng, &C, &C_LINES, "}\n"));
            tree.file(format!("f{index}.py"), random_file(&mut rng, &PYTHON, &PYTHON_LINES, ""));
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
            let pattern = rng.pick(&["gem", "rock", "return", "gem();", "GEM", "case", "out:"]);
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
