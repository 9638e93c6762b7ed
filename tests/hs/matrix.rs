//! Each flag of our own against each other flag, ripgrep's and ours: a pair is either an error that
//! names both, or what an obvious way to do the same prints.
//!
//! | flags of our own | the obvious way |
//! |---|---|
//! | any, with a value that leaves nothing out | without it |
//! | those that choose files | a tree without the other files |
//! | `--max-results` and its relatives | the beginning of what is printed without them |
//! | `--offset` | the end of it |
//! | `--which` | what is printed without it, behind the labels |
//! | `--compact`, `--dotfiles`, `--files-from` | the flags and paths that they stand for |
//! | `--why`, `--json` of a list | `--files` |
//! | `--agent` | the flags of its preset, unless one of them is refused |

use std::{collections::BTreeMap, fs, sync::Mutex};

use serde_json::Value;

use crate::harness::{
    Hs, TempTree,
    flags::{FLAGS, Flag, OWN},
    git, has_git,
};

/// A tree in which most flags make a difference: matches, none, long lines, NUL bytes, ignored and
/// hidden files, links, and two names of one file.
const FILES: [(&str, &str); 10] = [
    (".gitignore", "*.log\n"),
    ("a.c", "gem\nrock\n  gem gem\nGEM\n"),
    ("b.rs", "a gem\nénd\n"),
    ("deep/c.c", "rock\ngem\r\n"),
    ("deep/d.txt", "none\n"),
    ("deep/lower/e.rs", "gem\ngem\ngem\n"),
    ("x.log", "gem\n"),
    (".hid", "gem\n"),
    ("nul", "gem\n\0gem\n"),
    (
        "wide.txt",
        "it is a long way from here, over the hills, to the first gem, and to the next gem\n",
    ),
];

fn write(tree: &TempTree, is_kept: impl Fn(&str, &str) -> bool) {
    tree.dir(".git");
    for (path, text) in FILES {
        if path == ".gitignore" || is_kept(path, text) {
            tree.file(path, text);
        }
    }
}

/// What a run prints, apart from what depends on time.
#[derive(Debug, PartialEq, Eq)]
struct Printed {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

fn printed(hs: &Hs<'_>, flags: &[&str]) -> Option<Printed> {
    let args = ["--sort=path"].iter().chain(flags).chain(&["--regexp=gem"]);
    let outcome = hs.args(args).differs_from_ripgrep("flags of our own").outcome()?;
    let stdout = String::from_utf8_lossy(&outcome.stdout);
    let stdout = stdout.split_inclusive('\n').filter_map(timeless).collect();
    let stderr = String::from_utf8_lossy(&outcome.stderr).into_owned();
    Some(Printed { status: outcome.status.code(), stdout, stderr })
}

/// A line, unless it reports times or limits.
fn timeless(line: &str) -> Option<String> {
    if line.contains(" seconds") {
        return None;
    }
    let Ok(Value::Object(message)) = serde_json::from_str(line) else {
        return Some(line.to_owned());
    };
    let is_result =
        ["begin", "match", "context", "file"].iter().any(|kind| message["type"] == *kind);
    is_result.then(|| line.to_owned())
}

/// The arguments of a flag.
fn arguments(flag: &'static Flag) -> Vec<&'static str> {
    let long = flag.spellings().find(|name| name.starts_with("--"));
    let name = long.or_else(|| flag.spellings().next()).expect("a spelling");
    [Some(name), flag.good()].into_iter().flatten().collect()
}

/// The flags, and their negations.
fn all() -> Vec<Vec<&'static str>> {
    let flags = || FLAGS.iter().chain(OWN);
    let negations = flags().filter_map(|flag| flag.negation()).map(|name| vec![name]);
    // Without an order, results cannot be compared. `--spread` needs `--max-results`, and
    // `--shard-by` needs `--shard`, with which they stand on the other side.
    let all = flags().map(arguments).chain(negations);
    all.filter(|old| !["--no-sort-files", "--spread", "--shard-by"].contains(&old[0])).collect()
}

/// Whether `old` is a mode that keeps an index. What it reports depends on the modes before.
fn keeps_index(old: &[&str]) -> bool {
    old[0].starts_with("--index-")
}

/// Whether `old` limits results.
fn is_limit(old: &[&str]) -> bool {
    ["--max-results", "--max-files", "--max-output", "--offset"].contains(&old[0])
}

/// Whether one of two flags is the other, or its negation.
fn is_same(one: &str, other: &str) -> bool {
    let without_sign =
        |flag: &str| flag.trim_start_matches("--").trim_start_matches("no-").to_owned();
    without_sign(one) == without_sign(other)
}

/// Runs `ours` with each other flag and passes what it prints to `check`, unless it is an error
/// that names both flags.
fn with_each(
    tree: &TempTree,
    ours: &[&str],
    mut check: impl FnMut(&[&str], &Printed) -> Result<(), String>,
) {
    let hs = Hs::new(tree);
    let (mut faults, mut refused) = (Vec::new(), Vec::new());
    for old in all() {
        let names = || ours.iter().filter_map(|flag| flag.split('=').next());
        if names().any(|name| is_same(name, old[0])) {
            continue;
        }
        let Some(found) = printed(&hs, &[ours, &old].concat()) else { return };
        if keeps_index(&old) {
            let has_reason = found.status == Some(0) || found.stderr.contains("index");
            assert!(has_reason, "{ours:?} {old:?}: {found:?}");
            continue;
        }
        let names_both =
            names().any(|name| found.stderr.contains(name)) && found.stderr.contains(old[0]);
        if found.status == Some(2) && names_both {
            refused.push(old[0]);
        } else if let Err(fault) = check(&old, &found) {
            faults.push(format!("{old:?}: {fault}"));
        }
    }
    assert!(faults.is_empty(), "{ours:?}\n{}", faults.join("\n"));
    // Most flags can be combined.
    assert!(refused.len() <= 9, "{ours:?} excludes {refused:?}");
}

fn equal(found: &Printed, expected: &Printed) -> Result<(), String> {
    match (found.status, &found.stdout) == (expected.status, &expected.stdout) {
        true => Ok(()),
        false => Err(format!("{found:?} in place of {expected:?}")),
    }
}

/// What each flag prints alone, in one tree.
fn alone(tree: &TempTree) -> BTreeMap<Vec<&'static str>, Printed> {
    let hs = Hs::new(tree);
    all().into_iter().filter_map(|old| Some((old.clone(), printed(&hs, &old)?))).collect()
}

hs_test!(values_that_leave_nothing_out_change_nothing, |tree, _| {
    write(tree, |_, _| true);
    let alone = alone(tree);
    if alone.is_empty() {
        return;
    }
    for ours in [
        &["--max-results=999"][..],
        &["--max-results=999", "--count-rest"],
        &["--max-results=999", "--spread"],
        &["--max-files=999"],
        &["--max-output=9M"],
        &["--timeout=1h"],
        &["--offset=0"],
        &["--excerpt=999"],
        &["--only=*"],
        &["--exclude=nothing"],
        &["--newer=1990-01-01"],
        &["--older=2999-01-01"],
        &["--min-filesize=1"],
        &["--unique"],
        &["--follow=files"],
        &["--no-stdin"],
        &["--index=never"],
        &["--safe"],
        &["--no-agent"],
        &["--no-tracked"],
        &["--no-dotfiles"],
        &["--shard=1/1"],
        &["--shard=1/1", "--shard-by=directory"],
        &["--pager"],
        &["--progress"],
        &["--progress=always"],
        &["--names"],
        &["--names=path"],
    ] {
        with_each(tree, ours, |old, found| match (ours, old) {
            // It sets the length of the excerpts.
            (["--excerpt=999"], ["--compact"]) => Ok(()),
            // A part of a tree may be empty.
            (["--shard=1/1", ..], _) if alone[old].stderr.contains("No files were searched") => {
                Ok(())
            }
            _ => equal(found, &alone[old]),
        });
    }
});

/// The number of the part that `--shard` assigns a file to, of `count`.
fn shard_of(path: &str, count: u64) -> u64 {
    let step = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    path.bytes().fold(0xcbf2_9ce4_8422_2325, step) % count + 1
}

hs_test!(flags_that_choose_files_leave_out_the_others, |tree, _| {
    write(tree, |_, _| true);
    let is_c = |path: &str, _: &str| path.ends_with(".c");
    let is_deep = |path: &str, _: &str| path.starts_with("deep");
    /// Whether a file with this path and text is chosen.
    type IsKept<'a> = &'a dyn Fn(&str, &str) -> bool;
    // `.gitignore` is in every tree.
    let shard = format!("--shard={}/2", shard_of(".gitignore", 2));
    let is_in_shard = |path: &str, _: &str| shard_of(path, 2) == shard_of(".gitignore", 2);
    let choices: [(&[&str], IsKept<'_>); 7] = [
        (&[&shard], &is_in_shard),
        (&["--only=*.c"], &is_c),
        (&["--only=deep"], &is_deep),
        (&["--exclude=*.c"], &|path, text| !is_c(path, text)),
        (&["--exclude=/deep"], &|path, text| !is_deep(path, text)),
        (&["--min-filesize=10"], &|_, text| text.len() >= 10),
        (&["--newer=2020-01-01"], &|path, _| path != "b.rs"),
    ];
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    let age = |tree: &TempTree| {
        // In some trees there is no such file.
        if let Ok(file) = fs::File::options().write(true).open(tree.join("b.rs")) {
            file.set_modified(old).expect("a file system with times");
        }
    };
    age(tree);
    for (ours, is_kept) in choices {
        let kept = TempTree::new("kept");
        write(&kept, is_kept);
        age(&kept);
        let alone = alone(&kept);
        if alone.is_empty() {
            return;
        }
        with_each(tree, ours, |old, found| {
            // A part of a tree may be empty.
            match ours[0] == shard && alone[old].stderr.contains("No files were searched") {
                true => Ok(()),
                false => equal(found, &alone[old]),
            }
        });
    }
});

hs_test!(limits_show_the_beginning, |tree, _| {
    write(tree, |_, _| true);
    let alone = alone(tree);
    if alone.is_empty() {
        return;
    }
    let cut = Mutex::new(0);
    for ours in ["--max-results=2", "--max-files=2", "--max-output=20"] {
        with_each(tree, &[ours], |old, found| {
            let Printed { status, stdout: whole, .. } = &alone[old];
            if found.status == Some(2) && *status != Some(2) {
                return Err(found.stderr.clone());
            }
            *cut.lock().expect("no panic") += usize::from(found.stdout.len() < whole.len());
            // Statistics are those of what was searched, and the last line is not JSON's alone.
            let is_part = whole.starts_with(&found.stdout) || old == ["--stats"];
            is_part.then_some(()).ok_or(format!("{} is not the beginning of {whole}", found.stdout))
        });
    }
    assert!(*cut.lock().expect("no panic") > 200);
});

/// Compares each flag behind `ours` with it behind `theirs`, except some.
fn stand_for(tree: &TempTree, ours: &[&str], theirs: &[&str], except: &[&str]) {
    let hs = Hs::new(tree);
    with_each(tree, ours, |old, found| {
        let expected = printed(&hs, &[theirs, old].concat());
        match expected.filter(|_| !except.contains(&old[0])) {
            Some(expected) => equal(found, &expected),
            None => Ok(()),
        }
    });
}

hs_test!(dotfiles_are_hidden_files_but_git, |tree, _| {
    write(tree, |_, _| true);
    tree.file(".git/config", "gem\n");
    tree.file(".github/ci", "gem\n");
    // Of these, the last one wins.
    let others = ["--hidden", "--no-hidden"];
    stand_for(tree, &["--dotfiles"], &["--hidden", "--glob=!.git"], &others);
});

/// What `--agent` stands for.
const PRESET: [&str; 8] = [
    "--no-config",
    "--no-stdin",
    "--safe",
    "--no-worktrees",
    "--compact",
    "--sort=path",
    "--max-results=100",
    "--timeout=10s",
];

hs_test!(agent_stands_for_its_preset_and_refuses_nothing, |tree, hs| {
    write(tree, |_, _| true);
    let alone = alone(tree);
    if alone.is_empty() {
        return;
    }
    let yielded = Mutex::new(0);
    with_each(tree, &["--agent"], |old, found| {
        if found.status == Some(2) && alone[old].status != Some(2) {
            return Err(found.stderr.clone());
        }
        match printed(hs, &[&PRESET, old].concat()) {
            Some(expected) if expected.status != Some(2) => equal(found, &expected),
            _ => {
                *yielded.lock().expect("no panic") += 1;
                Ok(())
            }
        }
    });
    assert!(*yielded.lock().expect("no panic") > 6);
});

hs_test!(lists_of_paths_are_paths, |tree, _| {
    write(tree, |_, _| true);
    tree.file("../list", "deep\nb.rs\nx.log\n");
    tree.file("../list0", "deep\0b.rs\0x.log");
    for ours in ["--files-from=../list", "--files0-from=../list0"] {
        stand_for(tree, &[ours], &["deep", "b.rs", "x.log"], &[]);
    }
});

hs_test!(a_file_with_two_names_is_searched_once, |tree, _| {
    write(tree, |_, _| true);
    let alone = alone(tree);
    fs::hard_link(tree.join("a.c"), tree.join("z.c")).expect("a file system with links");
    with_each(tree, &["--unique"], |old, found| match old {
        // The other name is the first one.
        ["--sortr", _] => Ok(()),
        _ => equal(found, &alone[old]),
    });
});

hs_test!(links_to_files_are_files, |tree, _| {
    if crate::harness::run::is_for_windows() {
        return;
    }
    let copies = TempTree::new("copies");
    for tree in [tree, &copies] {
        write(tree, |_, _| true);
    }
    tree.symlink("a.c", "linked.c").symlink("deep", "other");
    copies.file("linked.c", fs::read(copies.join("a.c")).expect("a file"));
    let alone = alone(&copies);
    with_each(tree, &["--follow=files"], |old, found| match old {
        // These replace it.
        ["--follow" | "--no-follow"] => Ok(()),
        // A link leads to a file that is searched already.
        ["--unique"] => Ok(()),
        _ => equal(found, &alone[old]),
    });
});

hs_test!(tracked_files_are_all_that_is_searched, |tree, _| {
    if !has_git() {
        return;
    }
    let tracked = ["a.c", "x.log", ".hid", "deep/c.c", "nul"];
    write(tree, |_, _| true);
    for args in [vec!["init", "-q"], [&["add", "-f"][..], &tracked].concat()] {
        assert!(git(tree, "").args(args).status().expect("git").success());
    }
    let only = TempTree::new("tracked");
    for (path, text) in FILES.iter().filter(|(path, _)| tracked.contains(path)) {
        only.file(path, text);
    }
    let hs = Hs::new(&only);
    with_each(tree, &["--tracked"], |old, found| match old {
        // A tracked file is searched if it is hidden.
        ["--no-hidden"] => Ok(()),
        // This replaces it.
        ["--tracked-or-unignored"] => Ok(()),
        // The other tree is no repository.
        [flag, ..] if flag.starts_with("--changed") => Ok(()),
        _ => printed(&hs, &[&["--hidden"], old].concat())
            .map_or(Ok(()), |expected| equal(found, &expected)),
    });
});

hs_test!(changed_files_are_all_that_is_searched, |tree, _| {
    if !has_git() {
        return;
    }
    let unchanged = |path: &str| matches!(path, "a.c" | "x.log" | "deep/c.c");
    write(tree, |_, _| true);
    let tracked = FILES.iter().map(|(path, _)| *path).filter(|path| unchanged(path));
    for args in [vec!["init", "-q"], ["add", "-f"].into_iter().chain(tracked).collect()] {
        assert!(git(tree, "").args(args).status().expect("git").success());
    }
    let only = TempTree::new("changed");
    write(&only, |path, _| !unchanged(path));
    only.dir(".git");
    let alone = alone(&only);
    for ours in [&["--changed"][..], &["--changed-lines"]] {
        with_each(tree, ours, |old, found| match old {
            // What the repository is, is searched as well.
            ["--no-ignore-vcs" | "-uuu" | "--hidden"] => Ok(()),
            // These name a commit that is not there, or the repository that is missing.
            [flag, ..] if flag.starts_with("--changed") => Ok(()),
            // That nothing has changed is no error.
            _ if alone[old].stderr.contains("No files were searched") => Ok(()),
            // These are about single lines.
            _ if found.status == Some(2) && ours == ["--changed-lines"] => Ok(()),
            _ => equal(found, &alone[old]),
        });
    }
});

hs_test!(the_next_page_is_the_rest, |tree, _| {
    write(tree, |_, _| true);
    let alone = alone(tree);
    let Some(all) = printed(&Hs::new(tree), &[]) else { return };
    with_each(tree, &["--offset=2"], |old, found| {
        let Printed { status, stdout: whole, .. } = &alone[old];
        if found.status == Some(2) && *status != Some(2) {
            return Err(found.stderr.clone());
        }
        let is_rest = match is_limit(old) {
            true => all.stdout.contains(&*found.stdout),
            false => whole.ends_with(&found.stdout) || old == ["--stats"],
        };
        is_rest.then_some(()).ok_or(format!("{} is not the end of {whole}", found.stdout))
    });
});

hs_test!(why_explains_what_is_not_listed, |tree, hs| {
    write(tree, |_, _| true);
    let paths = FILES.map(|(path, _)| path);
    // A limit leaves files out of the list, a list of paths names what is explained, and other
    // modes have no list.
    let lists = |old: &[&str]| ["--files-from", "--files0-from"].contains(&old[0]);
    // These are refused without the flag that they belong to, or with this mode.
    let belongs = |old: &[&str]| {
        ["--watch", "--undo", "--yes", "--per-file", "--dry-run", "--if-patch", "--no-journal"]
            .contains(&old[0])
    };
    // Outside of a repository, the error takes the place of the first answer.
    let has_error = |old: &[&str]| old[0].starts_with("--changed");
    let is_fit = |old: &[&str]| !is_limit(old) && !keeps_index(old) && !lists(old) && !belongs(old);
    for old in all().into_iter().filter(|old| is_fit(old) && !has_error(old)) {
        let run = |args: &[&str]| {
            let args = old.iter().chain(args);
            let run = hs.args(args).differs_from_ripgrep("flags of our own").outcome()?;
            Some(String::from_utf8_lossy(&run.stdout).into_owned())
        };
        let explained = run(&[&["--why", "--"][..], &paths].concat());
        let (Some(explained), Some(listed)) = (explained, run(&["--files"])) else { return };
        // Some flags print a text about the program, nothing, or lists of another form.
        let is_list = |text: &str| text.lines().all(|line| !line.contains(['\0', '~']));
        let forms = ["--quiet", "--json", "--null", "--path-separator", "--pretty", "--help", "-h"];
        let forms = forms.iter().chain(&["-V", "--version", "--pcre2-version"]);
        if forms.into_iter().any(|form| old[0] == *form) || !is_list(&listed) {
            continue;
        }
        assert_eq!(explained.lines().count(), paths.len(), "{old:?}: {explained}");
        for (path, line) in paths.iter().zip(explained.lines()) {
            let is_searched = line.starts_with(&format!("{path}: searched"));
            let is_listed = listed.lines().any(|listed| listed == *path);
            assert_eq!(is_searched, is_listed, "{old:?}: {line}");
        }
    }
});

/// The paths in the messages of a list.
fn listed_paths(messages: &str) -> Result<Vec<String>, String> {
    let mut paths = Vec::new();
    for line in messages.lines() {
        let message: Value =
            serde_json::from_str(line).map_err(|error| format!("{error}: {line}"))?;
        match (message["type"].as_str(), message["data"]["path"]["text"].as_str()) {
            (Some("file"), Some(path)) => paths.push(path.to_owned()),
            (Some("shown" | "skipped" | "summary"), None) => {}
            _ => return Err(format!("no message of a list: {line}")),
        }
    }
    Ok(paths)
}

hs_test!(a_list_in_json_has_the_paths_of_the_list, |tree, _| {
    write(tree, |_, _| true);
    let hs = Hs::new(tree);
    // What changes how a path looks changes no message.
    let looks = ["--null", "--path-separator", "--pretty", "--color", "--colors"];
    // Messages have other lengths than paths, and reasons messages of their own.
    let others = ["--max-output", "--why"];
    with_each(tree, &["--files", "--json"], |old, found| {
        let old = if looks.contains(&old[0]) { &[] } else { old };
        let Some(list) = printed(&hs, &[&["--files"], old].concat()) else { return Ok(()) };
        if old.first().is_some_and(|old| others.contains(old)) || list == *found {
            // Some flags print a text about the program, or nothing.
            return Ok(());
        }
        let paths: Vec<&str> = list.stdout.lines().collect();
        match listed_paths(&found.stdout)? == paths && list.status == found.status {
            true => Ok(()),
            false => Err(format!("{found:?} in place of {list:?}")),
        }
    });
});

fn without_empty_lines(printed: &Printed) -> Printed {
    let lines = printed.stdout.split_inclusive('\n').filter(|line| *line != "\n");
    let stdout = lines.collect::<String>().replace("\0\n", "\0");
    Printed { stdout, stderr: String::new(), status: printed.status }
}

hs_test!(compact_is_what_it_stands_for, |tree, _| {
    write(tree, |_, _| true);
    let hs = Hs::new(tree);
    with_each(tree, &["--compact"], |old, found| {
        let long = [&["--heading", "--line-number", "--excerpt=80,200"], old].concat();
        let Some(expected) = printed(&hs, &long) else { return Ok(()) };
        // It has no empty lines between files.
        equal(&without_empty_lines(found), &without_empty_lines(&expected))
    });
});

/// A line of output without the labels of patterns, which `separator` ends.
fn without_labels(line: &str, separator: &str) -> String {
    if let Ok(Value::Object(mut message)) = serde_json::from_str(line) {
        if let Some(Value::Object(data)) = message.get_mut("data") {
            data.remove("patterns");
            let submatches = data.get_mut("submatches").and_then(Value::as_array_mut);
            for submatch in submatches.into_iter().flatten().filter_map(Value::as_object_mut) {
                if let Some(pattern) = submatch.remove("pattern") {
                    assert_eq!(pattern["label"], "<1>");
                }
            }
        }
        return Value::Object(message).to_string();
    }
    let styled = ["\u{1b}[0m\u{1b}[1m\u{1b}[31m", "\u{1b}[0m"];
    let labels = ["<1>,gem", "<1>"];
    let spellings = labels.into_iter().flat_map(|label| {
        [styled, ["", ""]].map(|[open, close]| format!("{open}{label}{close}{separator}"))
    });
    let found = spellings.into_iter().find(|label| line.contains(label.as_str()));
    found.map_or(line.to_owned(), |label| line.replacen(&label, "", 1))
}

hs_test!(labels_stand_before_what_is_printed_without_them, |tree, _| {
    write(tree, |_, _| true);
    let alone = alone(tree);
    // The pattern has two labels: its own, and the text of the same pattern.
    with_each(tree, &["--which", "--pattern=<1>:gem"], |old, found| {
        let separator = if old[0] == "--field-match-separator" { old[1] } else { ":" };
        let lines = |printed: &Printed| -> Vec<String> {
            let lines = printed.stdout.lines().filter(|line| !line.ends_with(" bytes printed"));
            lines.map(|line| without_labels(line, separator)).collect()
        };
        // Of a line that is left out, the number of matches is known.
        let is_known = old[0] == "--max-columns" || lines(found) == lines(&alone[old]);
        match found.status == alone[old].status && is_known {
            true => Ok(()),
            false => Err(format!("{found:?} in place of {:?}", alone[old])),
        }
    });
});
