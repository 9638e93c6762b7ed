//! The drivers of `.gitattributes` and of git's configuration, against `git grep -p`.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use crate::harness::{
    Hs, TempTree, has_git, process,
    random::{Choose, Rng, env_number},
};

/// The file that is searched. Which of its lines is the function line shows which rule applies.
const TEXT: &str = "class A\n  one\n  two\n    needle\n";

/// The number of the line that git's usual rule, and each driver, takes for one.
const USUAL: usize = 1;
const ONE: usize = 2;
const TWO: usize = 3;

/// The drivers of the user.
const CONFIG: &str = "[diff \"one\"]\nxfuncname = \"^ *(one)\"\n\
                      [diff \"two\"]\n\tfuncname = ^ *\\\\(two\\\\)$\n";

/// Files, the one that is searched, and the number of its function line. `~` is the user's home.
type Case = (&'static [(&'static str, &'static str)], &'static str, usize);

const CASES: &[Case] = &[
    // The values of the attribute.
    (&[], "a.x", USUAL),
    (&[(".gitattributes", "*.x diff=one")], "a.x", ONE),
    (&[(".gitattributes", "*.x diff=two")], "a.x", TWO),
    (&[(".gitattributes", "*.x diff")], "a.x", USUAL),
    (&[(".gitattributes", "*.x -diff")], "a.x", USUAL),
    (&[(".gitattributes", "*.x diff=one\n*.x !diff")], "a.x", USUAL),
    (&[(".gitattributes", "*.x diff=one !diff")], "a.x", USUAL),
    (&[(".gitattributes", "*.x -diff diff=one")], "a.x", ONE),
    (&[(".gitattributes", "*.x diff=nosuch")], "a.x", USUAL),
    (&[(".gitattributes", "*.x diff=ONE")], "a.x", USUAL),
    (&[(".gitattributes", "*.x diff=")], "a.x", USUAL),
    (&[(".gitattributes", "*.x -diff=one")], "a.x", USUAL),
    (&[(".gitattributes", "*.x text eol=lf diff=one -merge")], "a.x", ONE),
    (&[(".gitattributes", "*.x diff=one\n*.x text")], "a.x", ONE),
    // Patterns.
    (&[(".gitattributes", "* diff=one\n*.x diff=two")], "a.x", TWO),
    (&[(".gitattributes", "*.x diff=two\n* diff=one")], "a.x", ONE),
    (&[(".gitattributes", "\u{feff}  a.x\tdiff=one \r")], "a.x", ONE),
    (&[(".gitattributes", "#a.x diff=one")], "a.x", USUAL),
    (&[(".gitattributes", "/a.x diff=one")], "s/a.x", USUAL),
    (&[(".gitattributes", "a.x diff=one")], "s/a.x", ONE),
    (&[(".gitattributes", "s/a.x diff=one")], "t/s/a.x", USUAL),
    (&[(".gitattributes", "**/s/*.x diff=one")], "t/s/a.x", ONE),
    (&[(".gitattributes", "t/** diff=one")], "t/s/a.x", ONE),
    (&[(".gitattributes", "t/**/a.x diff=one")], "t/a.x", ONE),
    (&[(".gitattributes", "t/*.x diff=one")], "t/s/a.x", USUAL),
    // Unlike .gitignore, a pattern for a directory is not one for what is in it.
    (&[(".gitattributes", "s diff=one")], "s/a.x", USUAL),
    (&[(".gitattributes", "s/ diff=one")], "s/a.x", USUAL),
    (&[(".gitattributes", "s/* diff=one")], "s/a.x", ONE),
    (&[(".gitattributes", "*.x diff=one\n!a.x diff=two")], "a.x", ONE),
    (&[(".gitattributes", "\\!a.x diff=two")], "!a.x", TWO),
    (&[(".gitattributes", "[a-c].x diff=one")], "b.x", ONE),
    (&[(".gitattributes", "[!a-c].x diff=one")], "b.x", USUAL),
    (&[(".gitattributes", "\"a b.x\" diff=one")], "a b.x", ONE),
    (&[(".gitattributes", "\"a\\040b.x\" diff=one")], "a b.x", ONE),
    (&[(".gitattributes", "a[[:space:]]b.x diff=one")], "a b.x", ONE),
    (&[(".gitattributes", "a b.x diff=one")], "a b.x", USUAL),
    (&[(".gitattributes", "A.x diff=one")], "a.x", USUAL),
    (&[(".gitattributes", "A.[X] diff=one"), (".git/config", "[core]\nignorecase")], "a.x", USUAL),
    (&[(".gitattributes", "A.X diff=one"), (".git/config", "[core]\nignorecase")], "a.x", ONE),
    (&[(".gitattributes", "S/A.* diff=one"), (".git/config", "[core]\nignorecase")], "s/a.x", ONE),
    (
        &[("S/.gitattributes", "T/*.X diff=one"), (".git/config", "[core]\nignorecase")],
        "S/t/a.x",
        ONE,
    ),
    // A line with a mistake has no effect.
    (&[(".gitattributes", "*.x diff=one bad@name")], "a.x", USUAL),
    (&[(".gitattributes", "\"a.x diff=one")], "a.x", USUAL),
    // Macros.
    (&[(".gitattributes", "*.x diff=one\n*.x binary")], "a.x", USUAL),
    (&[(".gitattributes", "*.x binary diff=one")], "a.x", ONE),
    (&[(".gitattributes", "*.x diff=one\n*.x -binary")], "a.x", ONE),
    (&[(".gitattributes", "[attr]m diff=one text\n*.x m")], "a.x", ONE),
    (&[(".gitattributes", "*.x m\n[attr]m diff=one")], "a.x", ONE),
    (&[(".gitattributes", "[attr]m diff=one\n[attr]n m\n*.x n")], "a.x", ONE),
    (&[(".gitattributes", "[attr]m n\n[attr]n m\n*.x n")], "a.x", USUAL),
    (&[(".gitattributes", "[attr]m diff=one\n*.x !m")], "a.x", USUAL),
    (&[(".gitattributes", "[attr]m diff=one\n*.x m=1")], "a.x", USUAL),
    (&[(".gitattributes", "[attr]m diff=one\n[attr]m diff=two\n*.x m")], "a.x", TWO),
    (&[(".gitattributes", "[attr]binary diff=two\n*.x binary")], "a.x", TWO),
    (&[("s/.gitattributes", "[attr]m diff=one\n*.x m")], "s/a.x", USUAL),
    (&[(".gitattributes", "[attr]m diff=one"), ("s/.gitattributes", "*.x m")], "s/a.x", ONE),
    (
        &[
            (".gitattributes", "[attr]m diff=one\n*.x m"),
            (".git/info/attributes", "[attr]m diff=two"),
        ],
        "a.x",
        TWO,
    ),
    // A macro whose state is known already is not looked into.
    (
        &[(".gitattributes", "[attr]m diff=one\n*.x m"), ("s/.gitattributes", "* -m")],
        "s/a.x",
        USUAL,
    ),
    // Places.
    (&[(".gitattributes", "*.x diff=one"), ("s/.gitattributes", "a.x diff=two")], "s/a.x", TWO),
    (
        &[(".gitattributes", "*.x diff=one"), ("s/.gitattributes", "/t/a.x diff=two")],
        "s/t/a.x",
        TWO,
    ),
    (&[(".gitattributes", "*.x diff=one"), ("s/.gitattributes", "a.x !diff")], "s/a.x", USUAL),
    (&[(".gitattributes", "*.x diff=one"), ("s/.gitattributes", "a.y diff=two")], "s/a.x", ONE),
    (&[("s/.gitattributes", "*.x diff=one")], "a.x", USUAL),
    (
        &[("s/.gitattributes", "*.x diff=two"), (".git/info/attributes", "a.x diff=one")],
        "s/a.x",
        ONE,
    ),
    (&[(".git/info/attributes", "/s/*.x diff=one")], "s/a.x", ONE),
    (&[("~/.config/git/attributes", "*.x diff=one")], "a.x", ONE),
    (&[("~/.config/git/attributes", "/s/*.x diff=one")], "s/a.x", ONE),
    (&[("~/.config/git/attributes", "*.x diff=one"), (".gitattributes", "* diff=two")], "a.x", TWO),
    (
        &[
            ("~/.config/git/attributes", "*.x diff=one"),
            ("~/mine", "*.x diff=two"),
            (".git/config", "[core]\nattributesFile = ~/mine"),
        ],
        "a.x",
        TWO,
    ),
    (&[("mine", "*.x diff=two"), (".git/config", "[core]\nattributesfile = mine")], "a.x", TWO),
    // The configuration.
    (
        &[(".gitattributes", "*.x diff=n"), (".git/config", "[diff \"n\"]\nxfuncname = two")],
        "a.x",
        TWO,
    ),
    (&[(".gitattributes", "*.x diff=n"), (".git/config", "[diff.N]\nxfuncname = two")], "a.x", TWO),
    (
        &[(".gitattributes", "*.x diff=n"), (".git/config", "[diff \"N\"]\nxfuncname = two")],
        "a.x",
        USUAL,
    ),
    (
        &[(".gitattributes", "*.x diff=one"), (".git/config", "[diff \"one\"]\nxfuncname = two")],
        "a.x",
        TWO,
    ),
    (
        &[(".gitattributes", "*.x diff=one"), (".git/config", "[diff \"one\"]\nfuncname = two")],
        "a.x",
        TWO,
    ),
    (
        &[(".gitattributes", "*.x diff=one"), (".git/config", "[diff \"one\"]\nbinary = no")],
        "a.x",
        ONE,
    ),
    (
        &[
            (".gitattributes", "*.x diff=n"),
            (".git/config", "[include]\npath = other"),
            (".git/other", "[diff \"n\"]\nxfuncname = two"),
        ],
        "a.x",
        TWO,
    ),
    (
        &[
            (".gitattributes", "*.x diff=python"),
            (".git/config", "[diff \"python\"]\nxfuncname = \"^ *one\""),
        ],
        "a.x",
        ONE,
    ),
    // `default` is for files without a driver, and for drivers that do not exist.
    (&[(".git/config", "[diff \"default\"]\nxfuncname = two")], "a.x", TWO),
    (
        &[
            (".gitattributes", "*.x diff=no"),
            (".git/config", "[diff \"default\"]\nxfuncname = two"),
        ],
        "a.x",
        TWO,
    ),
    (
        &[(".gitattributes", "*.x diff"), (".git/config", "[diff \"default\"]\nxfuncname = two")],
        "a.x",
        USUAL,
    ),
    (
        &[
            (".gitattributes", "*.x diff=one"),
            (".git/config", "[diff \"default\"]\nxfuncname = two"),
        ],
        "a.x",
        ONE,
    ),
    // Several regexes: the first that matches decides.
    (&[(".git/config", "[diff \"default\"]\nxfuncname = \"!two\\n^ \"")], "a.x", ONE),
    (&[(".git/config", "[diff \"default\"]\nxfuncname = \"two\\n!^ \\nA\"")], "a.x", TWO),
    (&[(".git/config", "[diff \"default\"]\nxfuncname = \"!^ \\nA|one\"")], "a.x", USUAL),
    (
        &[(".git/config", "[diff \"default\"]\nfuncname = \"^ \\\\(one\\\\|two\\\\)\\n^ \\\\+o\"")],
        "a.x",
        ONE,
    ),
    (&[(".git/config", "[diff \"default\"]\nxfuncname = \"[[:blank:]]{2}t\\\\w+$\"")], "a.x", TWO),
];

/// The number of the first function line in what a program prints with `-n`.
fn function_line(output: &[u8]) -> usize {
    let text = String::from_utf8_lossy(output);
    let line = text.lines().find_map(|line| line.split_once('='));
    line.and_then(|(number, _)| number.parse().ok()).unwrap_or_else(|| panic!("{text}"))
}

/// Runs git in `dir` with nothing but the user's configuration.
fn git(tree: &TempTree, dir: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new("git");
    command.current_dir(dir).env("HOME", tree.home()).args(arguments);
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_ATTR_NOSYSTEM", "1").env("LC_ALL", "C");
    for name in ["XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_DIR", "GIT_CONFIG_COUNT"] {
        command.env_remove(name);
    }
    command.output().expect("git runs")
}

/// Fails unless `hs` and git take this line for the function line of the match in `file`, which is
/// in a directory of the repository at `top`.
fn check(tree: &TempTree, top: &str, file: &str, expected: usize, title: &str) {
    let dir = tree.join(top);
    let below = Path::new(file).strip_prefix(top).expect("a file in the repository");
    let below = below.to_str().expect("a path of ASCII");
    // -a: what is not to be compared is binary for git.
    let arguments = ["grep", "-a", "-h", "-n", "-p", "--untracked", "needle", "--", below];
    assert_eq!(function_line(&git(tree, &dir, &arguments).stdout), expected, "git: {title}");
    let parent = Path::new(file).parent().expect("a file");
    let up: String = parent.components().map(|_| "../").collect();
    for (cwd, path) in [
        ("", file.to_owned()),
        ("", format!("./{file}")),
        (parent.to_str().expect("a path of ASCII"), format!("{up}{file}")),
    ] {
        let run = Hs::new(tree).args(["--show-function", "-n", "-a", "needle", &path]).cwd(cwd);
        let run = run.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_ATTR_NOSYSTEM", "1");
        let lines: Vec<&str> = TEXT.lines().collect();
        let expected = format!("{expected}={}\n4:    needle\n", lines[expected - 1]);
        println!("{title}: hs in '{cwd}', {path}");
        run.differs_from_ripgrep("ripgrep knows no functions").prints(expected);
    }
}

/// Writes a file; in the user's home if its name begins with `~`.
fn write(tree: &TempTree, name: &str, text: &str) {
    match name.strip_prefix("~/") {
        Some(name) => {
            let path = tree.home().join(name);
            fs::create_dir_all(path.parent().expect("a file")).expect("a directory");
            fs::write(path, text).expect("a file");
        }
        None => drop(tree.file(name, text)),
    }
}

/// A tree that is a repository, with the drivers of the user; `None` if nothing can be compared.
fn repository() -> Option<TempTree> {
    if process::oracle().is_some() || !has_git() {
        return None;
    }
    let tree = TempTree::new("attributes");
    let made = git(&tree, &tree.path(), &["init", "--quiet", "--template="]);
    assert!(made.status.success(), "{made:?}");
    write(&tree, "~/.gitconfig", CONFIG);
    Some(tree)
}

#[test]
fn drivers_are_those_of_git_grep() {
    for (files, file, expected) in CASES {
        let Some(tree) = repository() else { return };
        tree.file(file, TEXT);
        for (name, text) in *files {
            write(&tree, name, &format!("{text}\n"));
        }
        check(&tree, "", file, *expected, &format!("{files:?}"));
    }
}

#[test]
fn nested_repositories_have_attributes_of_their_own() {
    let Some(tree) = repository() else { return };
    tree.file(".gitattributes", "*.x diff=one\n").file(".git/info/attributes", "*.y diff=one\n");
    for file in ["sub/a.x", "sub/dir/a.x", "sub/a.y", "other/a.x", "other/a.y"] {
        tree.file(file, TEXT);
    }
    assert!(git(&tree, &tree.path(), &["init", "--quiet", "--template=", "sub"]).status.success());
    tree.file("sub/dir/.gitattributes", "a.x diff=two\n");
    for (top, file, expected) in [
        ("sub", "sub/a.x", USUAL),
        ("sub", "sub/a.y", USUAL),
        ("sub", "sub/dir/a.x", TWO),
        ("", "other/a.x", ONE),
        ("", "other/a.y", ONE),
    ] {
        check(&tree, top, file, expected, file);
    }
}

#[test]
fn worktrees_have_the_attributes_and_the_configuration_of_their_repository() {
    let Some(tree) = repository() else { return };
    let git = |arguments: &[&str]| {
        let outcome = git(&tree, &tree.path(), arguments);
        assert!(outcome.status.success(), "{outcome:?}");
    };
    tree.file("a.x", TEXT)
        .file("a.y", TEXT)
        .file("a.z", TEXT)
        .file(".gitattributes", "*.x diff=n\n");
    git(&["add", "."]);
    git(&["-c", "user.name=a", "-c", "user.email=a", "commit", "--quiet", "--message=a"]);
    git(&["config", "diff.n.xfuncname", "two"]);
    tree.file(".git/info/attributes", "*.y diff=one\n*.z diff=w\n");
    git(&["worktree", "add", "--quiet", "--detach", "tree"]);
    git(&["config", "extensions.worktreeConfig", "true"]);
    let of_worktree = tree.join(".git/worktrees/tree/config.worktree");
    fs::write(of_worktree, "[diff \"w\"]\nxfuncname = one\n").expect("a file");
    for (file, expected) in [("tree/a.x", TWO), ("tree/a.y", ONE), ("tree/a.z", ONE)] {
        check(&tree, "tree", file, expected, file);
    }
    check(&tree, "", "a.z", USUAL, "the main worktree");
}

/// What random patterns consist of. Versions of git differ about a `**` behind a letter, which is
/// always behind a slash here.
const PATTERN_PARTS: [&str; 20] = [
    "a",
    "b",
    "x",
    "*",
    "?",
    "/",
    ".",
    "s",
    "t",
    "S",
    "*.x",
    "/**/",
    "/**",
    "[ab]",
    "[!a]",
    "[[:alpha:]]",
    "\\a",
    " ",
    "A",
    "y",
];

const STATES: [&str; 19] = [
    "diff=one", "diff=two", "diff=one", "diff=two", "diff", "-diff", "!diff", "diff=no", "m", "-m",
    "!m", "n", "!n", "binary", "-binary", "text", "m=1", "b@d", "eol=lf",
];

/// A line of a random file of attributes, which may define a macro at the top.
fn random_line(rng: &mut Rng, is_top: bool) -> String {
    let mut pattern: String = (0..1 + rng.usize(..4)).map(|_| rng.pick(&PATTERN_PARTS)).collect();
    pattern = pattern.trim_start_matches("/**/").replace("//", "/");
    if rng.usize(..4) == 0 {
        pattern = rng.pick(&["*", "*.x", "a.x", "s/*", "/t/a.x", "**/b.x"]).to_owned();
    }
    if pattern.contains(' ') {
        pattern = format!("\"{}\"", pattern.replace('\\', "\\\\"));
    }
    if is_top && rng.usize(..4) == 0 {
        pattern = rng.pick(&["[attr]m", "[attr]n", "[attr]binary"]).to_owned();
    }
    let states: Vec<&str> = (0..1 + rng.usize(..3)).map(|_| rng.pick(&STATES)).collect();
    format!("{pattern} {}\n", states.join(" "))
}

/// The lines that git prints, in the order of paths by their components.
fn in_order(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let path = |line: &str| line.split(['=', ':']).next().unwrap_or_default().to_owned();
    lines.sort_by_key(|line| path(line).split('/').map(str::to_owned).collect::<Vec<_>>());
    lines.concat()
}

#[test]
fn random_attributes_are_those_of_git_grep() {
    let mut rng = Rng::with_seed(env_number("HS_TEST_SEED", 45));
    for _ in 0..env_number("HS_TEST_TREES", 30) {
        let Some(tree) = repository() else { return };
        let mut files = String::new();
        for (dir, likelihood) in [("", 3), ("s/", 2), ("s/t/", 2), ("S/", 1), ("t/", 1)] {
            for name in ["a.x", "b.x", "A.x", "a b.x", "ab", "a", "a.y"] {
                tree.file(format!("{dir}{name}"), TEXT);
            }
            if rng.usize(..4) < likelihood {
                let text: String = (0..1 + rng.usize(..5))
                    .map(|_| random_line(&mut rng, dir.is_empty()))
                    .collect();
                files += &format!("{dir}.gitattributes\n{text}");
                tree.file(format!("{dir}.gitattributes"), text);
            }
        }
        for name in [".git/info/attributes", "~/.config/git/attributes"] {
            if rng.bool() {
                let text = random_line(&mut rng, true) + &random_line(&mut rng, true);
                write(&tree, name, &text);
                files += &format!("{name}\n{text}");
            }
        }
        let ignores_case = rng.bool();
        write(&tree, ".git/config", if ignores_case { "[core]\nignoreCase\n" } else { "" });
        let arguments = ["grep", "-a", "-n", "-p", "--untracked", "^    needle$"];
        let expected = git(&tree, &tree.path(), &arguments).stdout;
        let run = Hs::new(&tree).args(["--show-function", "-a", "-n", "-H", "--sort=path"]);
        let run = run.args(["--dotfiles", "^    needle$"]);
        let run = run.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_ATTR_NOSYSTEM", "1");
        println!("ignoreCase {ignores_case}\n{files}");
        run.differs_from_ripgrep("ripgrep knows no functions").prints(in_order(&expected));
    }
}
