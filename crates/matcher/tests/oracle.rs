//! The law of the crate against a naive oracle: random patterns on random blocks must find the
//! lines and spans that a `PikeVM` finds in each line alone, without literals, DFAs or blocks.

mod random;

use std::ops::Range;

use heist_matcher::{
    self as matcher, BlockScan, Boundary, Error, ErrorKind, Finder, LineHit, Matcher, MatcherConfig,
};
use random::{Case, Dice, Oracle, WORDS, block, found, found_by, lines, pattern, times};
use regex_automata::Input;
use regex_automata::nfa::thompson::{self, pikevm};
use regex_automata::util::syntax;

const BOUNDARIES: &[Boundary] = &[Boundary::None, Boundary::None, Boundary::Word, Boundary::Line];

/// Bytes from which on a line is searched in another way.
const LONG: usize = 4 << 10;

/// The oracle: the pattern as text around text, run by the slowest and simplest engine.
fn oracle(patterns: &[String], config: &MatcherConfig) -> Naive {
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
    let engine = pikevm::Builder::new()
        .syntax(
            syntax::Config::new()
                .multi_line(true)
                .utf8(false)
                .crlf(config.crlf)
                .dot_matches_new_line(config.multiline && config.dot_matches_new_line)
                .unicode(config.unicode)
                .case_insensitive(config.case == matcher::Case::Insensitive),
        )
        .thompson(thompson::Config::new().utf8(false))
        .build(&joined)
        .unwrap();
    let cache = engine.create_cache();
    let groups_of = |pattern: &String| {
        let hir = regex_syntax::ParserBuilder::new().utf8(false).build().parse(pattern);
        hir.map_or(0, |hir| hir.properties().explicit_captures_len())
    };
    let groups =
        if config.fixed_strings { Vec::new() } else { patterns.iter().map(groups_of).collect() };
    Naive { engine, cache, groups }
}

/// The oracle with its scratch space.
struct Naive {
    engine: pikevm::PikeVM,
    cache: pikevm::Cache,
    /// The number of groups of each pattern.
    groups: Vec<usize>,
}

impl Oracle for Naive {
    fn find(&mut self, haystack: &[u8], at: usize) -> Option<Range<usize>> {
        self.engine.find(&mut self.cache, Input::new(haystack).range(at..)).map(|m| m.range())
    }

    fn groups(&mut self, haystack: &[u8], at: usize) -> Option<Vec<Option<Range<usize>>>> {
        let mut groups = self.engine.create_captures();
        self.engine.captures(&mut self.cache, Input::new(haystack).range(at..), &mut groups);
        let groups: Vec<_> = groups.iter().map(|group| group.map(|span| span.range())).collect();
        // The engine numbers the groups of all patterns; only those of one can be set.
        let (mut own, mut from) = (vec![groups[0].clone()], 1);
        for len in &self.groups {
            let of_pattern = &groups[from..from + len];
            own.resize(own.len().max(len + 1), None);
            for (own, group) in own[1..].iter_mut().zip(of_pattern) {
                *own = own.take().or(group.clone());
            }
            from += len;
        }
        Some(own)
    }
}

fn case(patterns: &[String], config: MatcherConfig) -> Result<Case<Naive>, Error> {
    Case::new(patterns, config, oracle)
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
fn check_blocks(dice: &mut Dice, case: &mut Case<Naive>) {
    if !case.finder.matcher().spans_lines() && dice.once_in(2) {
        warm(&mut case.finder);
    }
    for _ in 0..4 {
        case.check(&block(dice, &case.config));
    }
    if dice.once_in(8) {
        let mut block = block(dice, &case.config);
        let at = dice.below(block.len() + 1);
        block.splice(at..at, dice.pick(&["#", "o ", "é"]).repeat(LONG).into_bytes());
        case.check(&block);
    }
}

fn config(dice: &mut Dice) -> MatcherConfig {
    MatcherConfig {
        case: dice.pick(&[
            matcher::Case::Sensitive,
            matcher::Case::Sensitive,
            matcher::Case::Insensitive,
        ]),
        boundary: dice.pick(BOUNDARIES),
        unicode: !dice.once_in(5),
        line_terminator: if dice.once_in(5) { 0 } else { b'\n' },
        ban_nul: false,
        ..MatcherConfig::default()
    }
}

/// A random configuration with more ways to end lines.
fn config_of_lines(dice: &mut Dice) -> MatcherConfig {
    let crlf = dice.once_in(2);
    let config = config(dice);
    MatcherConfig {
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
    for _ in 0..600 * times() {
        let config = config(&mut dice);
        let unicode = config.unicode;
        let patterns: Vec<String> =
            (0..1 + dice.below(3) / 2).map(|_| pattern(&mut dice, 2, &[])).collect();
        let mut case = match case(&patterns, config) {
            Ok(case) => case,
            // Some classes do not exist without Unicode.
            Err(e) if !unicode && matches!(e.kind(), ErrorKind::Syntax(_)) => continue,
            Err(e) => panic!("{patterns:?}: {e}"),
        };
        compiled += 1;
        check_blocks(&mut dice, &mut case);
    }
    assert!(compiled > 500, "only {compiled} patterns were tried");
}

#[test]
fn random_regexes_know_how_lines_end() {
    let mut dice = Dice::new(0x5EED_0003);
    let (mut spanning, mut refused) = (0, 0);
    for _ in 0..900 * times() {
        let config = config_of_lines(&mut dice);
        let mut patterns = vec![pattern(&mut dice, 2, &[])];
        if config.multiline && dice.once_in(2) {
            patterns.push(dice.pick(&[r"a\s*b", r"\nfoo", r"[^a]b$", "a$.^b", r"o\x00?x"]).into());
        }
        let Ok(mut case) = case(&patterns, config) else {
            refused += 1;
            continue;
        };
        let spans_lines = case.finder.matcher().spans_lines();
        spanning += usize::from(spans_lines);
        for _ in 0..4 {
            let block = block(&mut dice, &case.config);
            if spans_lines {
                case.check_haystack(&block);
            } else if !(case.config.multiline && case.config.crlf) {
                case.check(&block);
            }
        }
    }
    assert!(spanning > 100, "only {spanning} patterns span lines");
    assert!(refused < 150 * times(), "{refused} patterns were refused");
}

/// The pattern of each match, and all patterns that match in a line, against each pattern alone.
#[test]
fn random_patterns_are_told_apart() {
    let mut dice = Dice::new(0x5EED_0006);
    let (mut told, mut overlapping) = (0, 0);
    for round in 0..400 * times() {
        let config = MatcherConfig { fixed_strings: dice.once_in(3), ..config(&mut dice) };
        let mut patterns: Vec<String> = (0..1 + dice.below(4))
            .map(|_| match config.fixed_strings || dice.once_in(3) {
                true => (0..1 + dice.below(2)).map(|_| dice.pick(WORDS)).collect(),
                false => pattern(&mut dice, 1, &[]),
            })
            .collect();
        if dice.once_in(4) {
            patterns.push(patterns[0].clone());
        }
        // Without Unicode, some classes do not exist.
        let Ok(matcher) = Matcher::new(&patterns, &config) else { continue };
        let alone = |p| Matcher::new([p], &config).expect("it compiles with others").finder();
        let mut alone: Vec<Finder> = patterns.iter().map(alone).collect();
        let mut set = matcher.pattern_set(&patterns, &config).unwrap().finder();
        let mut finder = matcher.finder();
        let block = block(&mut dice, &config);
        for line in lines(&block, &config).into_iter().map(|line| &block[line]) {
            let name = format!("{round}: {patterns:?} {config:?} in {}", line.escape_ascii());
            let matching: Vec<usize> =
                (0..alone.len()).filter(|&index| alone[index].is_match(line)).collect();
            assert_eq!(set.patterns_in(line, 0..line.len()), matching, "{name}");
            overlapping += usize::from(matching.len() > 1);
            let (mut at, mut found, mut expected) = (0, Vec::new(), Vec::new());
            while let Some(span) = finder.find_at(line, at) {
                let of = alone.iter_mut().position(|one| {
                    one.find_at(line, span.start).is_some_and(|found| found == span)
                });
                assert!(of.is_some(), "{span:?} of {name}");
                at = span.end + usize::from(span.is_empty());
                expected.push(of);
                found.push(span);
                told += 1;
            }
            assert_eq!(set.patterns_of(line, 0, &found), expected, "{name}");
        }
    }
    assert!(told > 1000 && overlapping > 50, "{told} matches, {overlapping} lines of several");
}

#[test]
fn random_texts_find_what_each_line_alone_finds() {
    let mut dice = Dice::new(0x5EED_0002);
    for _ in 0..600 * times() {
        let config = MatcherConfig { fixed_strings: true, ..config(&mut dice) };
        let patterns: Vec<String> = (0..1 + dice.below(4))
            .map(|_| (0..dice.below(4)).map(|_| dice.pick(WORDS)).collect())
            .collect();
        check_blocks(&mut dice, &mut case(&patterns, config).unwrap());
    }
}

/// A literal in the middle, and behind it a repetition that the literal's last byte ends.
#[test]
fn repetitions_of_bytes_end_at_the_next_byte() {
    let mut dice = Dice::new(0x5EED_0005);
    for _ in 0..300 * times() {
        let config = MatcherConfig { unicode: false, crlf: false, ..config(&mut dice) };
        let last = dice.pick(&["%", "\"", ";", ":", "b"]);
        let text = format!(
            "{}{}{last}[^{last}]{}{}",
            dice.pick(&[r"\w+", "[A-Z]+", r"\s", "[^;]*", "a*"]),
            dice.pick(&["", "=", "%", "ab"]),
            dice.pick(&["*", "+", "*?", "{2,}"]),
            dice.pick(&["", "$", last, ";", r"\b", "x"]),
        );
        let pieces = ["A", "a", "XY", "ab", "=", last, last, ";", " ", "\u{e9}"];
        let mut case = case(&[text], config).unwrap();
        for _ in 0..20 {
            case.check(&block_of(&mut dice, &case.config, (8, 9), |dice| dice.pick(&pieces)));
        }
    }
}

/// Lists of words are looked for in ways of their own, in either case too, in which `k` and `s`
/// have spellings that are not ASCII.
#[test]
fn lists_of_words_find_what_each_line_alone_finds() {
    let pieces = ["ka", "KA", "s", "Sı", "SI", "x", "X1", "Foo", "_", " ", "k", "É"];
    let piece = |dice: &mut Dice| {
        let piece = dice.pick(&pieces);
        match dice.below(40) {
            0 => "\u{212A}a",
            1 => "ſi",
            _ => piece,
        }
    };
    let mut dice = Dice::new(0x5EED_0004);
    for number in 0..150 * times() {
        let config = MatcherConfig { crlf: false, ..config(&mut dice) };
        let syllables = ["ka", "S", "_", "si", "x1", "foo", "K", "ab", "é"];
        let least = 1 + dice.below(4);
        let mut word =
            || -> String { (0..least + dice.below(3)).map(|_| dice.pick(&syllables)).collect() };
        let patterns: Vec<String> = (0..[3, 20, 90, 300][number % 4]).map(|_| word()).collect();
        let mut case = case(&patterns, config).unwrap();
        case.check(&block_of(&mut dice, &case.config, (40, 6), piece));
    }
}

/// So many lines of less than so many pieces.
fn block_of(
    dice: &mut Dice,
    config: &MatcherConfig,
    (lines, pieces): (usize, usize),
    piece: impl Fn(&mut Dice) -> &'static str,
) -> Vec<u8> {
    let mut block = Vec::new();
    for _ in 0..lines {
        for _ in 0..dice.below(pieces) {
            block.extend_from_slice(piece(dice).as_bytes());
        }
        block.push(config.line_terminator);
    }
    block
}

/// Needles in every line make the finder hand over to the engine and back; the lines it finds must
/// not depend on which of them is at work.
#[test]
fn common_needles_change_the_way_but_not_the_lines() {
    let lines = ["my_init", "_init", "é_init ", "", "x_initial", "x_initial", "x_initial"];
    let block = (lines.join("\n") + "\n").repeat(20_000 / 7).into_bytes();
    for pattern in [r"\w_init\b", r"\b\w+_init$", r"\w_init(ial)?$", r"\w_init\s"] {
        let mut case = case(&[pattern.to_string()], MatcherConfig::default()).unwrap();
        let (lines, expected) = case.expected(&block);
        let alone = |finder: &mut Finder, at| finder.find_candidate_line(&block, at);
        let ours = found_by(&mut case.finder, &block, &lines, alone);
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
            let config = MatcherConfig {
                line_terminator: terminator,
                ban_nul: false,
                crlf: terminator == b'\n' && dice.once_in(6),
                boundary: dice.pick(BOUNDARIES),
                unicode: !dice.once_in(4)
                    || pattern.contains("Greek")
                    || pattern.contains("^ascii"),
                ..MatcherConfig::default()
            };
            let matcher = Matcher::new([pattern], &config).unwrap();
            let mut finder = matcher.finder();
            warm(&mut finder);
            let mut alone = matcher.finder();
            for _ in 0..2 {
                let block = large_block(&mut dice, terminator);
                let lines = lines(&block, &config);
                let is_match = |line: &&Range<usize>| alone.is_match(&block[(*line).clone()]);
                let expected: Vec<_> = lines.iter().filter(is_match).cloned().collect();
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
