//! A match implies the plan: strings made from random expressions, and from those of other
//! projects, meet the condition, alone and in text that is cut into blocks.
//!
//! `HEIST_ORACLE_TIMES=100` tries a hundred times as many, `HEIST_ORACLE_SEED=7` others, and
//! `HEIST_PLAN_PATTERNS=DIR` takes every string literal of the files in DIR as a pattern.

use std::{collections::HashSet, env, fs, path::Path};

use regex_syntax::{
    ParserBuilder,
    hir::{Class, Hir, HirKind},
};

use super::super::{Condition, Plan, RARE_FOLDS};
use crate::{blocks::BlockCutter, gram::Gram};

/// Strings of one expression.
const STRINGS: usize = 20;
/// Strings of an expression of another project.
const STRINGS_OF_OTHERS: usize = 200;

impl Condition {
    /// Whether a text with these grams meets the condition.
    fn is_met(&self, grams: &HashSet<u32>) -> bool {
        match self {
            Condition::Always => true,
            Condition::Never => false,
            Condition::Gram(gram) => grams.contains(&gram.number()),
            Condition::All(parts) => parts.iter().all(|part| part.is_met(grams)),
            Condition::Any(parts) => parts.iter().any(|part| part.is_met(grams)),
        }
    }
}

fn number(name: &str, default: u64) -> u64 {
    env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// A string that matches `hir`, its assertions left aside; `None` if there is none, or a long one.
fn string(hir: &Hir, rng: &mut fastrand::Rng, to: &mut Vec<u8>) -> Option<()> {
    if to.len() > 4000 {
        return None;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => to.extend_from_slice(&literal.0),
        HirKind::Class(Class::Unicode(class)) => {
            let range = rng.choice(class.ranges())?;
            // Often an end of the range, where mistakes are.
            let member = match rng.u8(..3) {
                0 => range.start(),
                1 => range.end(),
                _ => rng.char(range.start()..=range.end()),
            };
            to.extend_from_slice(member.encode_utf8(&mut [0; 4]).as_bytes());
        }
        HirKind::Class(Class::Bytes(class)) => {
            let range = rng.choice(class.ranges())?;
            to.push(rng.u8(range.start()..=range.end()));
        }
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX).min(repetition.min.saturating_add(3));
            for _ in 0..rng.u32(repetition.min..=most) {
                string(&repetition.sub, rng, to)?;
            }
        }
        HirKind::Capture(capture) => string(&capture.sub, rng, to)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| string(part, rng, to))?,
        HirKind::Alternation(parts) => string(rng.choice(parts)?, rng, to)?,
    }
    Some(())
}

/// A random expression.
fn pattern(rng: &mut fastrand::Rng, depth: u8) -> String {
    const PARTS: [&str; 40] = [
        "a",
        "k",
        "s",
        "S",
        "ab",
        "abc",
        "kelvin",
        "Class",
        "_",
        "0x",
        " ",
        "é",
        "ſ",
        "\u{212a}",
        "日本",
        "ß",
        r"\n",
        r"\t",
        ".",
        r"\w",
        r"\d",
        r"\s",
        r"\W",
        "[a-c]",
        "[ks]",
        "[^a]",
        "[A-Z]",
        "[a-z0-9_]",
        r"[\d_]",
        "[é-ü]",
        r"\b",
        "^",
        "$",
        r"(?-u:\xff)",
        r"(?-u:[\x80-\xff])",
        r"(?s:.)",
        r"\pL",
        r"\p{Greek}",
        "[[:punct:]]",
        "",
    ];
    if depth == 0 || rng.u8(..8) == 0 {
        return (*rng.choice(PARTS).unwrap()).to_owned();
    }
    let mut sub = || pattern(rng, depth - 1);
    let (a, b, c) = (sub(), sub(), sub());
    match rng.u8(..16) {
        0 => format!("(?:{a}|{b})"),
        1 => format!("(?:{a}|{b}|{c})"),
        2 => format!("(?:{a})?{b}"),
        3 => format!("(?:{a})*{b}"),
        4 => format!("(?:{a})+{b}"),
        5 => format!("{a}(?:{b}){{{}}}", rng.u8(..6)),
        6 => format!("{a}(?:{b}){{{},}}{c}", rng.u8(..4)),
        7 => format!("(?:{a}){{1,{}}}", rng.u8(1..5)),
        8 => format!("(?i:{a}{b})"),
        9 => format!("({a})(?P<n{}>{b})", rng.u32(..)),
        10 => format!("(?i){a}(?-i:{b}){c}"),
        _ => format!("{a}{b}{c}"),
    }
}

/// What the test looks at.
struct Proof {
    rng: fastrand::Rng,
    cutter: BlockCutter,
    /// Strings, and of these those that a plan could have excluded.
    strings: u64,
    excludable: u64,
    blocks: u64,
}

impl Proof {
    fn new(seed: u64) -> Proof {
        let rng = fastrand::Rng::with_seed(seed);
        Proof { rng, cutter: BlockCutter::new(), strings: 0, excludable: 0, blocks: 0 }
    }

    /// Tests `pattern` with so many strings, if it is one.
    fn test(&mut self, pattern: &str, strings: usize) {
        let mut parser = ParserBuilder::new();
        parser.utf8(false).multi_line(true).case_insensitive(self.rng.bool());
        let Ok(hir) = parser.build().parse(pattern) else { return };
        let plan = Plan::of(&hir);
        for index in 0..strings {
            let mut text = Vec::new();
            if string(&hir, &mut self.rng, &mut text).is_none() {
                continue;
            }
            self.strings += 1;
            self.excludable += u64::from(!plan.is_anything());
            let has_rare_fold = RARE_FOLDS.iter().any(|(rare, _)| {
                let mut bytes = [0; 4];
                let bytes = rare.encode_utf8(&mut bytes).as_bytes();
                text.windows(bytes.len()).any(|window| window == bytes)
            });
            if plan.leaves_out_rare_folds && has_rare_fold {
                continue;
            }
            let grams: HashSet<_> = Gram::all_in(&text).map(Gram::number).collect();
            assert!(
                plan.condition.is_met(&grams),
                "{pattern}: {plan} is not met by {:?}",
                text.escape_ascii().to_string()
            );
            if index < 2 && !plan.is_anything() {
                self.test_blocks(pattern, &plan, &text);
            }
        }
    }

    /// Tests a text that contains `found` close to a border of blocks.
    fn test_blocks(&mut self, pattern: &str, plan: &Plan, found: &[u8]) {
        let rng = &mut self.rng;
        let mut text = Vec::new();
        let before = (8 << 10) - rng.usize(..found.len() + 40);
        while text.len() < before {
            let line = rng.usize(..90).min(before - text.len() - 1);
            text.extend((0..line).map(|_| rng.u8(b' '..b'~')));
            text.push(b'\n');
        }
        if rng.bool() {
            // So the match does not begin its line.
            text.pop();
        }
        text.extend_from_slice(found);
        for _ in 0..rng.usize(..3) {
            text.extend_from_slice(b"\nand so on");
        }
        let (mut met, mut all) = (false, HashSet::new());
        let mut emit = |_, grams: &[u32]| {
            let grams: HashSet<_> = grams.iter().copied().collect();
            met |= plan.condition.is_met(&grams) || grams.contains(&Gram::UNLISTED.number());
            all.extend(grams);
        };
        for piece in text.chunks(rng.usize(1..10_000)) {
            assert!(self.cutter.add(piece, &mut emit));
        }
        assert!(self.cutter.finish(&mut emit));
        self.blocks += 1;
        let spans_lines = found.contains(&b'\n');
        let met = met || (spans_lines && plan.condition.is_met(&all));
        assert!(
            met,
            "{pattern}: {plan} is not met by a block with {:?}",
            found.escape_ascii().to_string()
        );
    }
}

#[test]
fn matches_of_random_expressions_meet_the_plan() {
    let mut proof = Proof::new(number("HEIST_ORACLE_SEED", 5));
    for _ in 0..1500 * number("HEIST_ORACLE_TIMES", 1) {
        let depth = proof.rng.u8(1..5);
        let pattern = pattern(&mut proof.rng, depth);
        proof.test(&pattern, STRINGS);
    }
    let Proof { strings, excludable, blocks, .. } = proof;
    println!("{strings} strings, {excludable} of plans that can fail, {blocks} in blocks");
    assert!(excludable > strings / 5 && blocks > 100);
}

#[test]
fn matches_of_the_expressions_of_others_meet_the_plan() {
    let mut proof = Proof::new(number("HEIST_ORACLE_SEED", 5));
    let mut patterns = HashSet::new();
    if let Some(dirs) = env::var_os("HEIST_PLAN_PATTERNS") {
        env::split_paths(&dirs).for_each(|dir| add_literals(&dir, &mut patterns));
        assert!(patterns.len() > 100, "{} patterns in {dirs:?}", patterns.len());
    } else {
        add_literals(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("../matcher/tests"),
            &mut patterns,
        );
    }
    let mut patterns: Vec<_> = patterns.into_iter().collect();
    patterns.sort_unstable();
    for _ in 0..number("HEIST_ORACLE_TIMES", 1) {
        for pattern in &patterns {
            proof.test(pattern, STRINGS_OF_OTHERS / 10);
        }
    }
    let Proof { strings, excludable, blocks, .. } = proof;
    println!(
        "{} literals, {strings} strings, {excludable} of plans that can fail, {blocks} in blocks",
        patterns.len()
    );
    assert!(patterns.is_empty() || excludable > 0);
}

/// Adds every string literal of the files in `dir` and below.
fn add_literals(dir: &Path, to: &mut HashSet<String>) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            add_literals(&path, to);
        } else if let Ok(text) = fs::read_to_string(&path) {
            for quote in ['"', '\''] {
                let literals = text.lines().flat_map(|line| line.split(quote).skip(1).step_by(2));
                let usable = literals.filter(|literal| (1..200).contains(&literal.len()));
                // As written, and with the escapes of Rust and TOML undone.
                to.extend(
                    usable.flat_map(|literal| [literal.to_owned(), literal.replace(r"\\", r"\")]),
                );
            }
        }
    }
}
