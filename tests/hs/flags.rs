//! Properties of every flag, checked for ripgrep's flags and those in the program's own help.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use crate::harness::{
    flags::{FLAGS, Flag, OWN},
    process, session,
};

/// Every flag of the program that is tested, ripgrep's first.
fn all() -> impl Iterator<Item = &'static Flag> {
    let own = if process::oracle().is_some() { &[] } else { OWN };
    FLAGS.iter().chain(own)
}

/// Whether the flag `-letter` takes a value, which can follow the letter in the same argument.
fn takes_value(letter: char) -> bool {
    all().any(|flag| {
        flag.good().is_some() && flag.spellings().any(|name| name == format!("-{letter}"))
    })
}

/// Every spelling, including negations, with a valid value.
fn spellings() -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
    all().flat_map(spellings_of)
}

fn spellings_of(flag: &'static Flag) -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
    let own = flag.spellings().map(|name| (name, flag.good()));
    own.chain(flag.negation().map(|name| (name, None)))
}

/// The spellings in the headings of `--help`, and the negations that the text below a heading
/// names: `--no-x` below `--x`, and `--x` below `--no-x`.
fn spellings_of_help() -> BTreeSet<String> {
    let mut command = Command::new(process::program());
    let text = process::run_in_time(command.arg("--help"), None).stdout;
    let text = String::from_utf8(text).expect("help is text");
    let (mut found, mut headings) = (BTreeSet::new(), Vec::new());
    for line in text.lines() {
        let line = line.strip_prefix("    ").unwrap_or(line);
        if line.starts_with('-') {
            let names = line.split(", ").map(|name| name.split(['=', '[']).next().unwrap_or(name));
            headings = names.map(str::to_string).collect();
            found.extend(headings.iter().cloned());
        } else {
            let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
            let negates = |word: &str, name: &str| {
                word.strip_prefix("--no").is_some_and(|rest| name == format!("-{rest}"))
            };
            let is_negation = |word: &&str| {
                headings.iter().any(|name| negates(word, name) || negates(name, word))
            };
            found.extend(words.filter(is_negation).map(str::to_string));
        }
    }
    assert!(found.len() > 100, "the help names flags");
    found
}

hs_test!(every_spelling_is_accepted, |_, hs| {
    for (name, value) in spellings() {
        // The version is printed after all flags have been parsed.
        let args = [Some(name), value].into_iter().flatten();
        hs.args(args.chain(["-V"]))
            .stdout_satisfies("it is a help text or a version", |stdout| !stdout.is_empty());
        if let Some(value) = value.filter(|_| name.starts_with("--")) {
            hs.args([&format!("{name}={value}"), "-V"])
                .stdout_satisfies("it is a version", |stdout| !stdout.is_empty());
        }
    }
});

#[test]
fn the_help_names_ripgreps_flags_and_our_own() {
    let ours = spellings_of_help();
    let known = FLAGS.iter().chain(OWN).flat_map(spellings_of);
    let known: BTreeSet<&str> = known.map(|(name, _)| name).collect();
    let unknown: Vec<&String> = ours.iter().filter(|name| !known.contains(name.as_str())).collect();
    assert!(unknown.is_empty(), "add them to the list of flags: {unknown:?}");
    // Deprecated flags are not in the help.
    let hidden = "--auto-hybrid-regex --no-auto-hybrid-regex --no-pcre2-unicode --pcre2-unicode
        --sort-files --no-sort-files";
    let missing: Vec<&str> = known
        .into_iter()
        .filter(|name| {
            !ours.contains(*name) && !hidden.split_whitespace().any(|hidden| hidden == *name)
        })
        .collect();
    assert!(missing.is_empty(), "the help does not name {missing:?}");
}

/// The flags in the string literals of the end-to-end tests, and in the sessions.
fn flags_in_tests() -> BTreeSet<String> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("two levels down");
    let mut found = BTreeSet::new();
    let files = [top.join("tests"), top.join("tests/hs"), session::directory()]
        .map(|dir| fs::read_dir(dir).expect("tests"));
    for entry in files.into_iter().flatten() {
        let path = entry.expect("an entry").path();
        let is_list = path.ends_with("flags.rs") || path.ends_with("differential.rs");
        if is_list || path.extension().is_none_or(|ext| ext != "rs" && ext != "txt") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("source text");
        // Neither comments nor expected messages.
        let is_use = |line: &&str| !["//", "#", "!", "~"].iter().any(|mark| line.starts_with(mark));
        for line in text.lines().map(str::trim_start).filter(is_use) {
            for word in line.split(|c: char| c.is_whitespace() || "\"'`,()[]&|".contains(c)) {
                collect_flags(word, &mut found);
            }
        }
    }
    found
}

/// Adds the flags in an argument: `-nA2` contains `-n` and `-A`.
fn collect_flags(word: &str, found: &mut BTreeSet<String>) {
    if word.starts_with("--") {
        found.insert(word.split('=').next().unwrap_or(word).to_string());
    } else if let Some(cluster) = word.strip_prefix('-') {
        for letter in cluster.chars() {
            found.insert(format!("-{letter}"));
            if takes_value(letter) {
                break;
            }
        }
    }
}

#[test]
fn every_spelling_is_used_by_a_test() {
    let used = flags_in_tests();
    let named: BTreeSet<String> = spellings().map(|(name, _)| name.to_string()).collect();
    let all = named.union(&spellings_of_help()).cloned().collect::<BTreeSet<_>>();
    let unused: Vec<&String> = all.difference(&used).collect();
    assert!(unused.is_empty(), "no end-to-end test uses {unused:?}");
}

hs_test!(bad_values_are_rejected_before_the_search, |tree, hs| {
    tree.file("hoard", "gem\n");
    for (flag, name) in all().flat_map(|flag| flag.spellings().map(move |name| (flag, name))) {
        for value in flag.bad() {
            let attached = if name.starts_with("--") { "=" } else { "" };
            let mut forms = vec![vec![name.to_string(), value.to_string()]];
            if flag.is_optional() {
                forms.clear();
            }
            if !value.is_empty() {
                forms.push(vec![format!("{name}{attached}{value}")]);
            }
            for form in forms {
                // Messages about globs and types do not name the flag.
                hs.args(form.iter().map(String::as_str).chain(["-egem", "--color=never", "hoard"]))
                    .prints("")
                    .stderr_lines_are("messages about the flag or its value", |line| {
                        let about = [
                            name,
                            value,
                            "path separator",
                            "invalid definition",
                            "In some shells",
                            "ncodings",
                        ];
                        // A mark below the place of a mistake.
                        let is_mark = line.trim() == "^";
                        line.is_empty() || is_mark || about.iter().any(|text| line.contains(text))
                    })
                    .exits(2);
            }
        }
    }
});

hs_test!(missing_values_are_reported_for_every_flag, |tree, hs| {
    tree.file("hoard", "gem\n");
    for flag in all().filter(|flag| flag.good().is_some()) {
        for name in flag.spellings() {
            hs.args(["gem", "hoard", name]).refuses(&format!("missing value for flag {name}"));
        }
    }
});

hs_test!(optional_values_follow_an_equals_sign, |tree, hs| {
    tree.file("hoard", "gem\n");
    // `--undo` is a mode without a pattern.
    let searches = all().filter(|flag| flag.names != "--undo");
    for (flag, good) in searches.filter_map(|flag| Some((flag, flag.optional()?))) {
        for name in flag.spellings() {
            hs.args([name, "gem", "hoard"]).prints("gem\n");
            hs.args([&format!("{name}={good}"), "gem", "hoard"]).prints("gem\n");
        }
    }
});

hs_test!(no_switch_takes_a_value, |tree, hs| {
    tree.file("hoard", "gem\n");
    let is_optional =
        |name: &str| all().any(|flag| flag.is_optional() && flag.names.contains(name));
    // They take a word of ours: `--follow=files`, `--index-drop=gone`.
    let is_extended =
        |name: &str| ["--follow", "--index-drop"].contains(&name) && process::oracle().is_none();
    let switches = spellings().filter(|(name, value)| {
        let is_switch = value.is_none() && name.starts_with("--");
        is_switch && !is_optional(name) && !is_extended(name)
    });
    for (name, _) in switches {
        for value in ["x", ""] {
            hs.args([&format!("{name}={value}"), "gem", "hoard"]).refuses(&format!(
                "invalid CLI arguments: unexpected argument for option '{name}': \"{value}\""
            ));
        }
    }
});

hs_test!(reserved_names_are_rejected, |tree, hs| {
    tree.file("hoard", "gem\n");
    for name in ["-X", "--x-crud", "--x-force", "--x-path"] {
        hs.args([name, "gem", "hoard"]).refuses(&format!("flag {name}"));
    }
});
