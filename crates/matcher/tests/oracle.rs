//! The law of the crate against a naive oracle: random patterns on random blocks must find the
//! lines and spans that a `PikeVM` finds in each line alone, without literals, DFAs or blocks.

mod random;

use std::ops::Range;

use heist_matcher::{BlockScan, Boundary, Case, Config, ErrorKind, Finder, LineHit, Matcher};
use random::{Dice, WORDS, block, found, lines, pattern, spans, times};
use regex_automata::Input;
use regex_automata::nfa::thompson::{self, pikevm};
use regex_automata::util::syntax;

const BOUNDARIES: &[Boundary] = &[Boundary::None, Boundary::None, Boundary::Word, Boundary::Line];

/// The oracle: the pattern as text around text, run by the slowest and simplest engine.
fn oracle(patterns: &[String], config: &Config) -> pikevm::PikeVM {
    let alternatives: Vec<String> = patterns
        .iter()
        .map(|p| if config.fixed_strings { regex_syntax::escape(p) } else { p.clone() })
        .map(|p| format!("(?:{p})"))
        .collect();
    let joined = alternatives.join("|");
    let joined = match config.boundary {
        Boundary::None => joined,
        Boundary::Word => format!(r"\b{{start-half}}(?:{joined})\b{{end-half}}"),
        Boundary::Line => format!("^(?:{joined})$"),
    };
    pikevm::Builder::new()
        .syntax(
            syntax::Config::new()
                .multi_line(true)
                .utf8(false)
                .crlf(config.crlf)
                .dot_matches_new_line(config.multiline && config.dot_matches_new_line)
                .unicode(config.unicode)
                .case_insensitive(config.case == Case::Insensitive),
        )
        .thompson(thompson::Config::new().utf8(false))
        .build(&joined)
        .unwrap()
}

fn matching(
    lines: &[Range<usize>],
    mut is_match: impl FnMut(Range<usize>) -> bool,
) -> Vec<Range<usize>> {
    lines.iter().filter(|line| is_match((*line).clone())).cloned().collect()
}

/// Compares everything on one block. `name` describes the case.
fn check(finder: &mut Finder, oracle: &pikevm::PikeVM, block: &[u8], config: &Config, name: &str) {
    let mut cache = oracle.create_cache();
    let shown = block.escape_ascii();
    let lines = lines(block, config);
    let expected = matching(&lines, |line| oracle.is_match(&mut cache, &block[line]));
    assert_eq!(found(finder, block, &lines), expected, "lines of {name} in \"{shown}\"");
    let counted = finder.count_lines(&mut BlockScan::new(block), 0);
    assert_eq!(counted, expected.len() as u64, "number of lines of {name} in \"{shown}\"");
    if !finder.can_match(block) {
        assert!(expected.is_empty(), "can_match of {name} in \"{shown}\"");
    }
    for range in lines {
        check_haystack(finder, oracle, &block[range], name);
    }
}

/// Compares everything on one haystack that is searched as a whole: a line, or all of it.
fn check_haystack(finder: &mut Finder, oracle: &pikevm::PikeVM, haystack: &[u8], name: &str) {
    let mut cache = oracle.create_cache();
    let shown = haystack.escape_ascii();
    let matches = oracle.is_match(&mut cache, haystack);
    assert_eq!(finder.is_match(haystack), matches, "{name} in \"{shown}\"");
    let ours = spans(|at| finder.find_at(haystack, at), haystack.len());
    let theirs = spans(
        |at| oracle.find(&mut cache, Input::new(haystack).range(at..)).map(|m| m.range()),
        haystack.len(),
    );
    assert_eq!(ours, theirs, "spans of {name} in \"{shown}\"");
    let mut groups = finder.matcher().captures();
    let mut expected = oracle.create_captures();
    for span in ours {
        let input = Input::new(haystack).range(span.start..);
        assert!(finder.captures_at(haystack, span.start, &mut groups));
        oracle.captures(&mut cache, input, &mut expected);
        for group in 0..=expected.group_len() {
            let theirs = expected.get_group(group).map(|g| g.range());
            assert_eq!(groups.get(group), theirs, "group {group} of {name} in \"{shown}\"");
        }
    }
}

/// Let `finder` search so much text that it does what is only worth it then.
fn warm(finder: &mut Finder) {
    let block = [finder.line_terminator()].repeat(300 << 10);
    let mut scan = BlockScan::new(&block);
    let mut at = 0;
    while let Some(LineHit::Confirmed(hit) | LineHit::Candidate(hit)) =
        finder.next_line(&mut scan, at)
    {
        // Empty lines that match would be crowded; seen one by one they would also be many.
        at = hit + (8 << 10);
    }
}

/// Compares everything on random blocks, for some matchers after much other text.
fn check_blocks(
    dice: &mut Dice,
    matcher: &Matcher,
    patterns: &[String],
    config: &Config,
    name: &str,
) {
    let oracle = oracle(patterns, config);
    let mut finder = matcher.finder();
    if !matcher.spans_lines() && dice.once_in(2) {
        warm(&mut finder);
    }
    for _ in 0..4 {
        let block = block(dice, config);
        check(&mut finder, &oracle, &block, config, name);
    }
}

fn config(dice: &mut Dice) -> Config {
    Config {
        case: dice.pick(&[Case::Sensitive, Case::Sensitive, Case::Insensitive]),
        boundary: dice.pick(BOUNDARIES),
        unicode: !dice.once_in(5),
        line_terminator: if dice.once_in(5) { 0 } else { b'\n' },
        ban_nul: false,
        ..Config::default()
    }
}

/// The same with more ways to end lines.
fn config_of_lines(dice: &mut Dice) -> Config {
    let crlf = dice.once_in(2);
    let config = config(dice);
    Config {
        line_terminator: if crlf { b'\n' } else { config.line_terminator },
        crlf,
        multiline: dice.once_in(2),
        dot_matches_new_line: dice.once_in(3),
        ..config
    }
}

#[test]
fn random_regexes_find_what_each_line_alone_finds() {
    let mut dice = Dice::new(0x5EED_0001);
    let mut compiled = 0;
    for case in 0..600 * times() {
        let config = config(&mut dice);
        let patterns: Vec<String> =
            (0..1 + dice.below(3) / 2).map(|_| pattern(&mut dice, 2, &[])).collect();
        let name = format!("case {case}: {patterns:?} {config:?}");
        let matcher = match Matcher::new(&patterns, &config) {
            Ok(matcher) => matcher,
            // Some classes do not exist without Unicode.
            Err(e) if !config.unicode && matches!(e.kind(), ErrorKind::Syntax(_)) => continue,
            Err(e) => panic!("{name}: {e}"),
        };
        compiled += 1;
        check_blocks(&mut dice, &matcher, &patterns, &config, &name);
    }
    assert!(compiled > 500, "only {compiled} patterns were tried");
}

#[test]
fn random_regexes_know_how_lines_end() {
    let mut dice = Dice::new(0x5EED_0003);
    let (mut spanning, mut refused) = (0, 0);
    for case in 0..900 * times() {
        let config = config_of_lines(&mut dice);
        let mut patterns = vec![pattern(&mut dice, 2, &[])];
        if config.multiline && dice.once_in(2) {
            patterns.push(dice.pick(&[r"a\s*b", r"\nfoo", r"[^a]b$", "a$.^b", r"o\x00?x"]).into());
        }
        let name = format!("case {case}: {patterns:?} {config:?}");
        let Ok(matcher) = Matcher::new(&patterns, &config) else {
            refused += 1;
            continue;
        };
        let oracle = oracle(&patterns, &config);
        let mut finder = matcher.finder();
        spanning += usize::from(matcher.spans_lines());
        for _ in 0..4 {
            let block = block(&mut dice, &config);
            if matcher.spans_lines() {
                check_haystack(&mut finder, &oracle, &block, &name);
            } else if !(config.multiline && config.crlf) {
                check(&mut finder, &oracle, &block, &config, &name);
            }
        }
    }
    assert!(spanning > 100, "only {spanning} patterns span lines");
    assert!(refused < 150 * times(), "{refused} patterns were refused");
}

#[test]
fn random_texts_find_what_each_line_alone_finds() {
    let mut dice = Dice::new(0x5EED_0002);
    for case in 0..600 * times() {
        let config = Config { fixed_strings: true, ..config(&mut dice) };
        let patterns: Vec<String> = (0..1 + dice.below(4))
            .map(|_| (0..dice.below(4)).map(|_| dice.pick(WORDS)).collect())
            .collect();
        let name = format!("case {case}: {patterns:?} {config:?}");
        let matcher = Matcher::new(&patterns, &config).unwrap_or_else(|e| panic!("{name}: {e}"));
        check_blocks(&mut dice, &matcher, &patterns, &config, &name);
    }
}

/// A literal in the middle, and behind it a repetition that the literal's last byte ends.
#[test]
fn repetitions_of_bytes_end_at_the_next_byte() {
    let mut dice = Dice::new(0x5EED_0005);
    for case in 0..300 * times() {
        let config = Config { unicode: false, crlf: false, ..config(&mut dice) };
        let last = dice.pick(&["%", "\"", ";", ":", "b"]);
        let text = format!(
            "{}{}{last}[^{last}]{}{}",
            dice.pick(&[r"\w+", "[A-Z]+", r"\s", "[^;]*", "a*"]),
            dice.pick(&["", "=", "%", "ab"]),
            dice.pick(&["*", "+", "*?", "{2,}"]),
            dice.pick(&["", "$", last, ";", r"\b", "x"]),
        );
        let name = format!("case {case}: {text:?} {config:?}");
        let patterns = [text];
        let matcher = Matcher::new(&patterns, &config).unwrap_or_else(|e| panic!("{name}: {e}"));
        let oracle = oracle(&patterns, &config);
        let mut finder = matcher.finder();
        for _ in 0..20 {
            let mut block = Vec::new();
            for _ in 0..8 {
                for _ in 0..dice.below(9) {
                    let piece = ["A", "a", "XY", "ab", "=", last, last, ";", " ", "\u{e9}"];
                    block.extend_from_slice(dice.pick(&piece).as_bytes());
                }
                block.push(config.line_terminator);
            }
            check(&mut finder, &oracle, &block, &config, &name);
        }
    }
}

/// Lists of words are looked for in ways of their own, in either case too, in which `k` and `s`
/// have spellings that are not ASCII.
#[test]
fn lists_of_words_find_what_each_line_alone_finds() {
    let mut dice = Dice::new(0x5EED_0004);
    for case in 0..150 * times() {
        let config = Config { crlf: false, ..config(&mut dice) };
        let syllables = ["ka", "S", "_", "si", "x1", "foo", "K", "ab", "é"];
        let least = 1 + dice.below(4);
        let mut word =
            || -> String { (0..least + dice.below(3)).map(|_| dice.pick(&syllables)).collect() };
        let patterns: Vec<String> = (0..[3, 20, 90, 300][case % 4]).map(|_| word()).collect();
        let name = format!("case {case}: {patterns:?} {config:?}");
        let matcher = Matcher::new(&patterns, &config).unwrap_or_else(|e| panic!("{name}: {e}"));
        let oracle = oracle(&patterns, &config);
        let mut finder = matcher.finder();
        let mut block = Vec::new();
        for _ in 0..40 {
            for _ in 0..dice.below(6) {
                let piece =
                    dice.pick(&["ka", "KA", "s", "Sı", "SI", "x", "X1", "Foo", "_", " ", "k", "É"]);
                let piece = match dice.below(40) {
                    0 => "\u{212A}a",
                    1 => "ſi",
                    _ => piece,
                };
                block.extend_from_slice(piece.as_bytes());
            }
            block.push(config.line_terminator);
        }
        check(&mut finder, &oracle, &block, &config, &name);
    }
}

/// Needles in every line make the finder hand over to the engine and back; the lines it finds must
/// not depend on which of them is at work.
#[test]
fn common_needles_change_the_way_but_not_the_lines() {
    let mut block = Vec::new();
    for i in 0..20_000 {
        let line: &[u8] = match i % 7 {
            0 => b"my_init\n",
            1 => b"_init\n",
            2 => "é_init \n".as_bytes(),
            3 => b"\n",
            _ => b"x_initial\n",
        };
        block.extend_from_slice(line);
    }
    for pattern in [r"\w_init\b", r"\b\w+_init$", r"\w_init(ial)?$", r"\w_init\s"] {
        let patterns = [pattern.to_string()];
        let config = Config::default();
        let mut finder = Matcher::new(&patterns, &config).unwrap().finder();
        let oracle = oracle(&patterns, &config);
        let mut cache = oracle.create_cache();
        let lines = lines(&block, &config);
        let expected = matching(&lines, |line| oracle.is_match(&mut cache, &block[line]));
        let mut at = 0;
        let mut ours = Vec::new();
        for line in &lines {
            if line.start < at {
                continue;
            }
            let Some(hit) = finder.find_candidate_line(&block, line.start) else {
                break;
            };
            let (LineHit::Confirmed(offset) | LineHit::Candidate(offset)) = hit;
            let index = lines.partition_point(|l| l.end < offset);
            at = lines[index].end + 1;
            if matches!(hit, LineHit::Confirmed(_)) || finder.is_match(&block[lines[index].clone()])
            {
                ours.push(lines[index].clone());
            }
        }
        assert_eq!(ours, expected, "{pattern}");
    }
}

/// A block of many lines, most of them ASCII, some empty, some long.
fn large_block(dice: &mut Dice, terminator: u8) -> Vec<u8> {
    const PIECES: &[&str] =
        &["a", "bc", " ", "\t", "7", "42", "_", "x1", "foo", "(", "Z", "é", "κόσμος", "\u{212A}"];
    let mut block = Vec::new();
    let ascii = if dice.once_in(2) { PIECES.len() - 3 } else { PIECES.len() };
    let size = 1 << (6 + dice.below(12));
    while block.len() < size {
        let rare = dice.once_in(40);
        let words = if rare { 2000 } else { dice.below(12) };
        for _ in 0..words {
            let common = dice.once_in(30);
            let piece = PIECES[dice.below(if common { ascii } else { PIECES.len() - 3 })];
            block.extend_from_slice(piece.as_bytes());
        }
        block.push(terminator);
    }
    if dice.once_in(2) {
        block.pop();
    }
    block
}

/// Searches that start only with enough text, take several places of it at once or look ahead find
/// the lines that match alone.
#[test]
fn large_blocks_are_searched_in_parts() {
    let mut dice = Dice::new(0x5EED_0009);
    let patterns = [
        r"\w{3}\s\w{2}",
        r"\d\d\s",
        r"[^a]\d$",
        r"^\s*$",
        r"\w+",
        r"\bfo+\b|\d_",
        r"\p{Greek}",
        r"(?i)[k-l]",
        r"^[a-c]+\s?[a-z]*$",
        r"\B\d",
        r"[[:^ascii:]]",
        r"\w\b{end}[ (]",
        r"x*",
        r"$",
        r"(\d|[A-Z])\t",
    ];
    for round in 0..20 * times() {
        for pattern in patterns {
            let terminator = if dice.once_in(6) { 0 } else { b'\n' };
            let config = Config {
                line_terminator: terminator,
                ban_nul: false,
                crlf: terminator == b'\n' && dice.once_in(6),
                boundary: dice.pick(BOUNDARIES),
                unicode: !dice.once_in(4)
                    || pattern.contains("Greek")
                    || pattern.contains("^ascii"),
                ..Config::default()
            };
            let matcher = Matcher::new([pattern], &config).unwrap();
            let mut finder = matcher.finder();
            warm(&mut finder);
            let mut alone = matcher.finder();
            for _ in 0..2 {
                let block = large_block(&mut dice, terminator);
                let lines = lines(&block, &config);
                let expected = matching(&lines, |line| alone.is_match(&block[line]));
                let ours = found(&mut finder, &block, &lines);
                assert!(
                    ours == expected,
                    "round {round}: {pattern} {config:?} in {} bytes",
                    block.len()
                );
            }
        }
    }
}
