//! Which pattern matches, against a run with each pattern alone.

use std::{collections::BTreeMap, fmt::Write};

use crate::harness::{
    Hs,
    random::{Choose, Rng, env_number},
};

const WORDS: [&str; 9] = ["gem", "Gem", "gemstone", "rock", "ro", "a", "é", "x.y", " "];
const TEXTS: [&str; 8] = ["gem", "gemstone", "rock", "o", "GEM", "x.y", "a ", "é"];
const REGEXES: [&str; 9] =
    ["gem", "g.m", r"gem\w+", "^rock", "(ro|a)$", r"\bgem\b", "(?i)GEM", "x.y", "[[:upper:]]"];

/// Runs `hs` with `flags` and the patterns; returns the lines that it prints, without their ends.
fn lines(hs: &Hs<'_>, flags: &[&str], patterns: &[String]) -> Option<Vec<String>> {
    let args = flags.iter().copied().chain(patterns.iter().map(String::as_str)).chain(["hoard"]);
    let run = hs.args(args).differs_from_ripgrep("ripgrep has no labels");
    let out = run.exits_with_one_of(&[0, 1]).outcome()?;
    let text = String::from_utf8(out.stdout).expect("text");
    Some(text.lines().map(str::to_owned).collect())
}

/// The number before the first colon, and the rest.
fn split(line: &str) -> (u64, &str) {
    let (number, rest) = line.split_once(':').expect("a field");
    (number.parse().expect("a number"), rest)
}

/// Checks lines and matches with `flags`. Smart case is decided before: it considers all patterns.
fn check(hs: &Hs<'_>, flags: &[&str], patterns: &[&str]) -> Option<()> {
    let labeled: Vec<String> = patterns
        .iter()
        .enumerate()
        .map(|(index, pattern)| format!("--pattern={index}:{pattern}"))
        .collect();
    let mut expected = BTreeMap::<u64, (Vec<String>, String)>::new();
    for (index, pattern) in labeled.iter().enumerate() {
        for line in lines(hs, &[flags, &["-n"]].concat(), std::slice::from_ref(pattern))? {
            let (number, text) = split(&line);
            let (labels, _) = expected.entry(number).or_insert((Vec::new(), text.to_owned()));
            labels.push(index.to_string());
        }
    }
    let expected: Vec<String> = expected
        .into_iter()
        .map(|(number, (labels, text))| format!("{number}:{}:{text}", labels.join(",")))
        .collect();
    let name = format!("{flags:?} {patterns:?}");
    assert_eq!(lines(hs, &[flags, &["-n", "--which"]].concat(), &labeled)?, expected, "{name}");

    let by_match = [flags, &["-o", "-b"]].concat();
    let found = lines(hs, &[&by_match[..], &["--which"]].concat(), &labeled)?;
    let mut stripped = Vec::new();
    for line in found {
        let (offset, rest) = split(&line);
        let (label, text) = split(rest);
        stripped.push(format!("{offset}:{text}"));
        // The pattern matches this text wherever it is searched for alone.
        let alone = lines(hs, &by_match, &labeled[label as usize..=label as usize])?;
        let overlaps = alone.iter().any(|other| {
            let (other, found) = split(other);
            other < offset + text.len() as u64 && offset < other + found.len() as u64
        });
        assert!(overlaps || text.is_empty(), "{line} of {name}");
    }
    assert_eq!(stripped, lines(hs, &by_match, &labeled)?, "{name}");
    Some(())
}

hs_test!(labels_are_those_of_the_patterns_that_match_alone, |tree, hs| {
    let mut rng = Rng::with_seed(env_number("HS_TEST_SEED", 11));
    for _ in 0..env_number("HS_TEST_TREES", 25) {
        let mut text = String::new();
        for _ in 0..rng.usize(1..9) {
            let words: Vec<&str> = (0..rng.usize(..5)).map(|_| rng.pick(&WORDS)).collect();
            writeln!(text, "{}", words.concat()).expect("writing to memory");
        }
        tree.file("hoard", text);
        let is_text = rng.chance(30);
        let mut flags = vec![rng.pick(&["-s", "-i", "-w", "-x", "--no-unicode", "--crlf", "-P"])];
        flags.extend(is_text.then_some("-F"));
        let choose = |rng: &mut Rng| if is_text { rng.pick(&TEXTS) } else { rng.pick(&REGEXES) };
        let mut patterns: Vec<&str> = (0..rng.usize(1..5)).map(|_| choose(&mut rng)).collect();
        patterns.dedup();
        if check(hs, &flags, &patterns).is_none() {
            return;
        }
    }
});
