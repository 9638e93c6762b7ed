//! Several patterns against each of them alone: what one finds, all find.

use std::collections::BTreeMap;
use std::fs;

use super::random::{Choose as _, Rng};
use super::temp_tree::TempTree;
use super::words;
use super::{command, process, seeds, stdout};

/// Patterns that would mean something else if they shared groups, names, references or flags with
/// their neighbours.
const PATTERNS: [&str; 8] = [
    "(gem)s",
    "(?<n>foo)(bar)?",
    "(a)|(?<n>b)",
    "(?i)GEM",
    "(?x) f (o+) # o",
    "(?<m>[a-f])(?<n>.)",
    "(?-u)(\\w)",
    "(?s)(.)x",
];
const PCRE2_PATTERNS: [&str; 8] = [
    r"(.)\1",
    r"(?<n>\w)\k<n>",
    "(*COMMIT)f",
    "(*UCP)gem(*SKIP)(*FAIL)",
    r"\Qgem",
    "(o(?1)?)b",
    r"(?<n>a)?(?(n)b|\d)",
    "(?J)(?<n>a)|(?<n>b)",
];

/// Lines by their numbers.
type Lines = BTreeMap<u64, Vec<u8>>;

/// Compares `hs` with several patterns and with each alone, on a random file under random flags.
/// Returns the arguments and both results if they differ.
fn failure(rng: &mut Rng) -> Option<String> {
    let tree = TempTree::new("several");
    let words = words::words();
    let mut text = Vec::new();
    for _ in 0..rng.usize(1..40) {
        (0..rng.usize(..6)).for_each(|_| text.extend_from_slice(rng.pick(&words)));
        text.extend_from_slice(b"\n");
    }
    fs::write(tree.path().join("hoard"), text).expect("the tree is writable");
    let is_pcre2 = rng.chance(50);
    let own: &[&str] = if is_pcre2 { &PCRE2_PATTERNS } else { &PATTERNS };
    let mut flags = vec!["--no-config", "-a", if is_pcre2 { "-P" } else { "--engine=default" }];
    let some = ["-w", "-x", "-i", "-F", "-U", "--crlf", "--no-unicode"];
    flags.extend(some.into_iter().filter(|_| rng.chance(20)));
    let general = words::patterns();
    let patterns: Vec<&str> = (0..rng.usize(2..5))
        .map(|_| if rng.chance(70) { rng.pick(own) } else { rng.pick(&general) })
        .collect();
    let search = |patterns: &[&str], more: &[&str]| {
        let mut command = command(&tree, process::program().as_os_str(), &tree.path());
        command.args(&flags).args(more);
        command.args(patterns.iter().flat_map(|pattern| ["-e", pattern]));
        command.arg("hoard");
        let outcome = process::run_in_time(&mut command, None);
        (outcome.status.code() != Some(2)).then(|| stdout(&mut command, &[0, 1]))
    };
    let alone: Option<Vec<_>> = patterns.iter().map(|p| search(&[p], &["-n"])).collect();
    let all = search(&patterns, &["-n"]);
    let shown = format!("{flags:?} {patterns:?}");
    let (Some(alone), Some(all)) = (alone.as_ref(), all.as_ref()) else {
        // One that is no pattern is none beside others.
        return (alone.is_some() != all.is_some()).then(|| format!("{shown}: only one is refused"));
    };
    let (all, mut each) = (lines(all), Lines::new());
    alone.iter().for_each(|found| each.extend(lines(found)));
    if flags.contains(&"-U") {
        // Of matches that overlap, only the first counts.
        let differs = all.is_empty() != each.is_empty();
        return differs.then(|| format!("{shown}: {all:?}, but each {each:?}"));
    }
    let count = search(&patterns, &["-c", "--include-zero", "--no-filename"])?;
    let count = String::from_utf8_lossy(&count).trim().to_owned();
    let matches = search(&patterns, &["-no", "-r$0"])?;
    let is_of_line = |(number, _): (&u64, _)| all.contains_key(number);
    let differs =
        all != each || count != each.len().to_string() || !lines(&matches).iter().all(is_of_line);
    differs.then(|| format!("{shown}: {all:?} and {count}, but each {each:?}"))
}

/// The lines of `output`, which begin with their numbers.
fn lines(output: &[u8]) -> Lines {
    let line = |line: &[u8]| {
        let colon = line.iter().position(|byte| *byte == b':')?;
        let number = std::str::from_utf8(&line[..colon]).ok()?.parse().ok()?;
        Some((number, line[colon + 1..].to_vec()))
    };
    output.split(|byte| *byte == b'\n').filter_map(line).collect()
}

#[test]
fn what_one_pattern_finds_all_find() {
    let seeds: Vec<u64> = seeds().collect();
    super::assert_none(&super::in_parallel(&seeds, |&seed| {
        let mut rng = Rng::with_seed(seed);
        (0..4).find_map(|_| failure(&mut rng)).map(|failure| format!("case {seed}: {failure}"))
    }));
}
