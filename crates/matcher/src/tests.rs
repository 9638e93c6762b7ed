//! What is found out about patterns, as rows of text: `tests/facts.txt` and `tests/plans.txt`.
//!
//! A heading in brackets names a fact, and has flags as those of `hs`. In the rows below it, a
//! pattern, or a pattern and a text in quotes, stands before ` -> ` and the fact behind it. In
//! texts, `\n` and `\t` stand for characters. Comments follow `# `.

use regex_syntax::{ParserBuilder, ast, hir::Hir};

#[cfg(feature = "pcre2")]
use crate::backreference::Backreference;
use crate::{
    Boundary, Case, Engine, Matcher, MatcherConfig, Reach,
    compile::smart_case,
    compiled::Mode,
    literals::{case_fold::CaseFolded, required::Literals},
    strategies::{
        bit_parallel::{Bits, is_fast},
        line_finder::LineFinder,
        strategy::Strategy,
    },
};

fn hir(pattern: &str, unicode: bool) -> Hir {
    let mut parser = ParserBuilder::new();
    parser.utf8(false).multi_line(true).unicode(unicode).build().parse(pattern).unwrap()
}

/// Literals in one word.
fn joined(set: Option<&[Vec<u8>]>) -> String {
    let Some(set) = set else { return "-".into() };
    if set.is_empty() {
        return "nothing".into();
    }
    set.iter().map(|literal| String::from_utf8_lossy(literal)).collect::<Vec<_>>().join("|")
}

fn best(required: &Literals) -> String {
    joined(required.best().as_ref().map(|(set, _)| set.as_slice()))
}

fn yes(is_so: bool) -> String {
    if is_so { "yes" } else { "no" }.into()
}

fn folds(is_so: bool) -> String {
    if is_so { "either case" } else { "as typed" }.into()
}

fn config(flags: &str) -> MatcherConfig {
    let mut config = MatcherConfig::default();
    for flag in flags.split_whitespace() {
        match flag {
            "-F" => config.fixed_strings = true,
            "-S" => config.case = Case::Smart,
            "-U" => config.multiline = true,
            "-i" => config.case = Case::Insensitive,
            "-w" => config.boundary = Boundary::Word,
            "-x" => config.boundary = Boundary::Line,
            "--multiline-dotall" => config.dot_matches_new_line = true,
            "-P" => config.engine = Engine::Pcre2,
            "--crlf" => config.crlf = true,
            "--no-unicode" => config.unicode = false,
            "--null-data" => (config.line_terminator, config.ban_nul) = (0, false),
            _ => panic!("unknown flag: {flag}"),
        }
    }
    config
}

/// The fact called `name` about `pattern`, and a text for some of them.
fn fact(name: &str, flags: &str, pattern: &str, text: &[u8]) -> String {
    let config = &config(flags);
    let matcher = |patterns: &[&str]| Matcher::new(patterns, config);
    let reach = || {
        let hir = hir(pattern, true);
        Reach::of(&hir, &Literals::of(&hir), b'\n')
    };
    match name {
        "needles" => best(&Literals::of(&hir(pattern, true))),
        "exact literals" => joined(Literals::of(&hir(pattern, true)).exact()),
        "impossible" => yes(Literals::of(&hir(pattern, true)).is_impossible()),
        "lower case" => match CaseFolded::of(&hir(pattern, config.unicode)) {
            None => "-".into(),
            Some(CaseFolded { hir, is_same, non_ascii_folds }) => {
                let folds: Vec<_> = non_ascii_folds.into_iter().map(<[u8]>::to_vec).collect();
                let same = if is_same { "same" } else { "other" };
                let digits = self::hir(r"\d", true).to_string();
                let shown = hir.to_string().replace(&digits, r"\d");
                format!("{shown}, {same}, {}", joined(Some(&folds)))
            }
        },
        "smart case" => {
            folds(smart_case::folds_ast(&ast::parse::Parser::new().parse(pattern).unwrap()))
        }
        "smart case of text" => folds(smart_case::folds_literals(pattern.split_whitespace())),
        #[cfg(feature = "pcre2")]
        "smart case of PCRE2" => folds(crate::compile::pcre2::folds(pattern, Case::Smart)),
        #[cfg(feature = "pcre2")]
        "outline" => match crate::compile::pcre2_outline::of(&[pattern], config) {
            None => "unknown".into(),
            Some(outline) => best(&Literals::of(&outline)),
        },
        #[cfg(feature = "pcre2")]
        "reference" => {
            let outline = crate::compile::pcre2_outline::of_ascii(&[pattern], config);
            match outline.and_then(|hir| Backreference::of(&hir, config.line_terminator)) {
                None => "-".into(),
                Some((_, Backreference { len, gap, .. })) => format!("{len} behind {gap}"),
            }
        }
        #[cfg(not(feature = "pcre2"))]
        "smart case of PCRE2" | "outline" | "reference" => String::new(),
        // What is chosen depends on the processor.
        "strategy" | "strategy of words" | "plan" | "plan of words" | "beginning in"
            if !is_fast() =>
        {
            String::new()
        }
        "plan" | "plan of words" if flags.contains("-P") && !cfg!(feature = "pcre2") => {
            String::new()
        }
        "strategy" | "strategy of words" => {
            let words: Vec<&str> = pattern.split(' ').collect();
            let is_list = name == "strategy of words";
            let matcher = if is_list { matcher(&words) } else { matcher(&[pattern]) }.unwrap();
            let Mode::Lines(levels) = &matcher.compiled.mode else { return "whole".into() };
            let strategy = format!("{:?}", levels.first());
            let strategy = strategy.split(['(', ' ']).next().unwrap();
            let kind = if levels.first().traits().is_exact { "exact" } else { "candidates" };
            format!("{strategy}, {kind}")
        }
        "plan" | "plan of words" => {
            let words: Vec<&str> = pattern.split(' ').collect();
            let patterns = if name == "plan" { &[pattern][..] } else { &words };
            planned(&matcher(patterns).unwrap())
        }
        "bits" => yes(Bits::new(&hir(pattern, false), config.line_terminator).is_some()),
        "spans lines" => yes(matcher(&[pattern]).is_ok_and(|matcher| matcher.spans_lines())),
        "over-approximated" | "whole needles" => {
            let matcher = matcher(&[pattern]).unwrap();
            let Mode::Whole(whole) = &matcher.compiled.mode else { return "lines".into() };
            yes(if name == "whole needles" {
                whole.has_needles()
            } else {
                whole.over_approx.is_some()
            })
        }
        "end of matches" => match reach().and_then(|reach| reach.end(text)) {
            Some(end) => end.to_string(),
            None => "-".into(),
        },
        "has an end" => yes(reach().is_some_and(|reach| reach.has_end())),
        "beginning in" => reach().map_or("-".into(), |reach| yes(reach.may_begin_in(text))),
        _ => panic!("unknown fact: {name}"),
    }
}

/// The name and the strategies of a matcher's plan, in the order in which one gives way to the
/// next. Those that find candidates have a question mark.
fn planned(matcher: &Matcher) -> String {
    let mark = |strategy: &Strategy| if strategy.traits().is_exact { "" } else { "?" };
    let named = |strategy: &Strategy| format!("{}{}", strategy.name(), mark(strategy));
    match &matcher.compiled.mode {
        Mode::Lines(levels) => {
            let strategies: Vec<_> = levels.strategies().map(named).collect();
            format!("{}: {}", levels.plan, strategies.join(", "))
        }
        Mode::Query(_) => panic!("no pattern is a condition"),
        Mode::Whole(whole) => {
            let needles = whole.needles().map_or("no needles", Strategy::name);
            let has_end = whole.reach.as_deref().is_some_and(Reach::has_end);
            format!("whole, {needles}, {}", if has_end { "known ends" } else { "unknown ends" })
        }
    }
}

#[test]
fn every_pattern_has_its_facts() {
    check(include_str!("tests/facts.txt"), 282);
}

#[test]
fn every_pattern_has_its_plan() {
    check(include_str!("tests/plans.txt"), 319);
}

fn check(table: &str, rows: usize) {
    let (mut name, mut flags, mut count, mut faults) = ("", "", 0, String::new());
    for row in table.lines().filter(|row| !row.is_empty()) {
        if row.starts_with("# ") {
            continue;
        }
        if let Some(heading) = row.strip_prefix('[').and_then(|row| row.strip_suffix(']')) {
            (name, flags) = heading.split_at(heading.find(" -").unwrap_or(heading.len()));
            continue;
        }
        let (left, expected) = row.rsplit_once("->").unwrap_or_else(|| panic!("no fact: {row}"));
        let (left, text) = match left.trim_end().strip_suffix('\'').and_then(|l| l.split_once(" '"))
        {
            Some((pattern, text)) => (pattern, text),
            None => (left, ""),
        };
        let text = text.replace("\\n", "\n").replace("\\t", "\t");
        let found = fact(name, flags, left.trim().trim_matches('\''), text.as_bytes());
        if !found.is_empty() && found != expected.trim() {
            faults += &format!("[{name}{flags}] {row}, but is {found}\n");
        }
        count += 1;
    }
    assert!(faults.is_empty(), "\n{faults}");
    assert_eq!(count, rows);
}

#[test]
fn many_words_in_either_case_are_not_left_to_the_engine() {
    if !is_fast() {
        return;
    }
    let letter = |n: usize| char::from(b'a' + (n % 26) as u8);
    let word =
        |n: usize| -> String { (0..4 + n % 9).map(|i| letter((n * 7919) >> (2 * i))).collect() };
    let words: Vec<String> = (0..20_000).map(word).collect();
    let matcher = crate::Matcher::new(&words, &config("-i")).unwrap();
    let Mode::Lines(levels) = &matcher.compiled.mode else { panic!("not searched by lines") };
    assert!(format!("{:?}", levels.first()).starts_with("Many"));
}
