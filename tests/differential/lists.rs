//! Complete lists: file types, encodings, formats of links, and the messages about misused flags.
//! Each entry has to be ripgrep's; the types that are newer than ripgrep 15.2 are listed.

use std::{ffi::OsStr, path::Path};

use crate::{
    answer::{Answer, Order},
    assert_none,
    flags::FLAGS,
    in_parallel, oracle,
    process::{self, Outcome},
    temp_tree::TempTree,
};

/// Every label of the Encoding Standard.
const LABELS: &str = include_str!("words/encodings.txt");

/// Unknown labels, and unusual spellings of known ones.
const ODD_LABELS: &str = "| |utf-32|utf-7|utf_8|latin-1|cp437|AUTO|None| utf-8 |UTF-8|Latin1|utf-8\t|utf-16 le|\
    ebcdic|binary|utf-8,latin1";

/// Formats of links: every alias, and formats with every variable.
const LINKS: &str = include_str!("words/links.txt");

/// What `rg --type-list` of ripgrep 15.2.0 prints.
const RIPGREPS_TYPES: &str = include_str!("../../crates/filter/src/types/ripgrep-15.2.0.txt");

/// The lines of [`RIPGREPS_TYPES`] that heist does not print, behind a `-`, and others that it
/// prints, behind a `+`.
const SINCE_RIPGREP: &str = include_str!("../../crates/filter/src/types/since-ripgrep-15.2.0.txt");

fn run(tree: &TempTree, program: &OsStr, args: &[&str]) -> Outcome {
    let mut command = crate::command(tree, program, &tree.path());
    process::run(command.arg("--no-config").args(args), None)
}

/// Runs both programs and describes the first difference, in messages too.
fn compare(tree: &TempTree, oracle: &Path, args: &[&str], order: Order) -> Option<String> {
    difference(tree, args, &run(tree, oracle.as_os_str(), args), order)
}

/// Runs `hs` and describes the first difference from ripgrep's outcome.
fn difference(tree: &TempTree, args: &[&str], theirs: &Outcome, order: Order) -> Option<String> {
    let ours = run(tree, process::program().as_os_str(), args);
    let answers = [&ours, theirs].map(Answer::of);
    if !answers[0].agrees(&answers[1], order) {
        return Some(format!("{args:?}\n{}", answers[0].diff(&answers[1])));
    }
    let [ours, theirs] = [&ours, theirs].map(|outcome| message(&outcome.stderr));
    (ours != theirs).then(|| format!("{args:?}\nhs: {ours}\nripgrep: {theirs}"))
}

/// The messages without the program's name.
fn message(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let text = text.strip_prefix("hs: ").or_else(|| text.strip_prefix("rg: ")).unwrap_or(&text);
    // The advice for Windows is ripgrep's; similar names come in another order; the accepted values
    // and other advice are heist's. What is wrong with a number ripgrep states twice.
    let not_compared = [
        "\nIn some shells on Windows",
        "\n\n",
        " (accepted: ",
        ": invalid size: ",
        ": invalid digit found in string",
        ": cannot parse integer from empty string",
        ": number too large to fit in target type",
        ": missing argument for option ",
    ];
    let end = not_compared.iter().filter_map(|words| text.find(words)).min().unwrap_or(text.len());
    text[..end].trim_end().to_string()
}

#[track_caller]
fn check<T: Sync>(cases: &[T], differs: impl Fn(&T) -> Option<String> + Sync) {
    assert_none(&in_parallel(cases, differs));
}

/// Replaces the types in ripgrep's list by those that heist has since.
fn with_newer_types(list: &str) -> String {
    let mut lines: Vec<&str> = list.lines().collect();
    for line in SINCE_RIPGREP.lines() {
        if let Some(old) = line.strip_prefix("- ") {
            let at = lines.iter().position(|line| *line == old);
            lines.remove(at.unwrap_or_else(|| panic!("ripgrep does not print {old:?}")));
        }
        lines.extend(line.strip_prefix("+ "));
    }
    lines.sort_by_key(|line| line.split(':').next());
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn file_types_are_those_of_ripgrep_15_2_0_and_the_listed_ones() {
    let Some(oracle) = oracle() else { return };
    let tree = TempTree::new("types");
    let lines: [&[&str]; 6] = [
        &["--type-list"],
        &["--type-list", "--type-add=odd:*.odd", "--type-add=odd:*.{b,a}"],
        &["--type-list", "--type-add=all2:include:rust,c", "--type-clear=rust"],
        &["--type-list", "--type-clear=rust", "--type-add=rust:*.x", "--type-clear=nosuch"],
        &["--type-list", "--type-add=é:*.é"],
        &["--type-list", "-trust"],
    ];
    let theirs = |line: &[&str]| run(&tree, oracle.as_os_str(), line);
    assert_eq!(String::from_utf8_lossy(&theirs(lines[0]).stdout), RIPGREPS_TYPES);
    check(&lines, |line| {
        let mut theirs = theirs(line);
        let list = String::from_utf8_lossy(&theirs.stdout);
        theirs.stdout = with_newer_types(&list).into_bytes();
        difference(&tree, line, &theirs, Order::Exact)
    });
}

#[test]
fn encodings_are_ripgreps() {
    let Some(oracle) = oracle() else { return };
    let tree = TempTree::new("encodings");
    let mut bytes: Vec<u8> = (0x20..=0xff).collect();
    bytes.extend(b"\ngem \x1b$B$3$s\x1b(B \x81\x30\x81\x30 \xfe\xfe\n");
    // A whole number of characters of two and of four bytes.
    bytes.resize(bytes.len().next_multiple_of(4), b'.');
    tree.file("bytes", bytes);
    let labels: Vec<&str> = LABELS.lines().chain(ODD_LABELS.split('|')).collect();
    check(&labels, |label| {
        compare(&tree, &oracle, &["--no-mmap", "-anb", ".", "-E", label, "bytes"], Order::Exact)
    });
}

#[test]
fn links_are_ripgreps() {
    let Some(oracle) = oracle() else { return };
    let tree = TempTree::new("links");
    tree.file("a gem/h+o%ä~rd", "a gem\nno luck\ngem gem\n");
    let outputs: [&[&str]; 7] = [
        &["-l"],
        &["-c"],
        &["-n", "--column"],
        &["--heading", "-n"],
        &["--vimgrep", "-b"],
        &["-H", "-A1"],
        &["--files-without-match"],
    ];
    let links = LINKS.lines().chain([""]);
    let cases: Vec<(&str, &[&str])> =
        links.flat_map(|link| outputs.map(|output| (link, output))).collect();
    check(&cases, |(link, output)| {
        let format = format!("--hyperlink-format={link}");
        let mut args = vec!["--color=always", "-j1", "--hostname-bin=echo", &format];
        args.extend(*output);
        args.extend(["gem", "."]);
        compare(&tree, &oracle, &args, Order::Exact)
    });
}

/// Command lines that misuse a flag: without its value, with a bad value, with a value for a
/// switch, misspelled.
fn misuses() -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    for flag in FLAGS {
        for name in flag.spellings() {
            let is_long = name.starts_with("--");
            if flag.good().is_some() {
                lines.push(vec![name.to_string()]);
            } else if is_long {
                lines.extend(["x", "", "a\"b"].map(|value| vec![format!("{name}={value}")]));
            }
            for value in flag.bad() {
                lines.push(vec![name.to_string(), value.to_string()]);
                if is_long {
                    lines.push(vec![format!("{name}={value}")]);
                }
            }
        }
        lines.extend(flag.negation().map(|name| vec![format!("{name}=x")]));
        let long = flag.spellings().find(|name| name.starts_with("--"));
        lines.extend(long.map(|name| vec![name[..name.len() - 1].to_string()]));
    }
    lines
}

#[test]
fn messages_about_misused_flags_are_ripgreps() {
    let Some(oracle) = oracle() else { return };
    let tree = TempTree::new("misuses");
    tree.file("hoard", "gem\n");
    check(&misuses(), |line| {
        // Ripgrep has other words for engines than for other choices; heist has the same words for
        // all. Only heist has a choice for --follow.
        if ["--engine", "--follow=", "-L="].iter().any(|start| line[0].starts_with(start)) {
            return None;
        }
        let args: Vec<&str> =
            ["gem", "hoard"].into_iter().chain(line.iter().map(String::as_str)).collect();
        compare(&tree, &oracle, &args, Order::Exact)
    });
}
