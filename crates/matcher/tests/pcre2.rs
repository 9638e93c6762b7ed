//! PCRE2: what patterns mean under it, and the law of the crate against the library itself, line by
//! line.
#![cfg(feature = "pcre2")]

mod random;

use std::ops::Range;

use heist_matcher::{
    Boundary, Case, Engine, ErrorKind, Finder, Matcher, MatcherConfig, pcre2_version,
};
use pcre2::bytes::{Regex, RegexBuilder};
use random::{Dice, Oracle, WORDS, block, found, lines, pattern, times};

fn pcre2() -> MatcherConfig {
    MatcherConfig { engine: Engine::Pcre2, ..MatcherConfig::default() }
}

fn finder(patterns: &[&str], config: &MatcherConfig) -> Finder {
    Matcher::new(patterns, config).unwrap().finder()
}

#[test]
fn whole_haystacks_are_searched_across_lines() {
    let config = MatcherConfig { multiline: true, ..pcre2() };
    let mut lines = finder(&[r"b\nc"], &config);
    assert!(lines.matcher().spans_lines());
    assert!(!lines.can_match(b"a\nb\nb c\n") && lines.can_match(b"ab\ncd\n"));
    assert_eq!(lines.find_at(b"ab\ncd\nb\nc", 0), Some(1..4));
    assert_eq!(lines.find_at(b"ab\ncd\nb\nc", 4), Some(6..9));
    assert_eq!(finder(&["a.b"], &config).find_at(b"a\nb", 0), None);
    let dotall = MatcherConfig { dot_matches_new_line: true, ..config };
    assert_eq!(finder(&["a.b"], &dotall).find_at(b"a\nb", 0), Some(0..3));
    assert_eq!(finder(&["(?<=foo\n)x"], &dotall).find_at(b"foo\nx", 4), Some(4..5));
}

#[test]
fn auto_turns_to_pcre2_where_it_must() {
    let auto = MatcherConfig { engine: Engine::Auto, ..MatcherConfig::default() };
    assert!(finder(&["foo(?=bar)"], &auto).is_match(b"foobar"));
    // Both can compile this, but only the default engine takes it for one letter.
    assert!(finder(&[r"^\u{61}$"], &auto).is_match(b"a"));
    assert!(!finder(&[r"a\nb"], &auto).can_match(b"a\nb\n"));
}

#[test]
fn patterns_are_told_apart_with_groups_of_their_own() {
    let patterns = ["(a)x", r"(b)\1", "(?<=é)c", r"d\Ke", "dE", "E(?!f)"];
    for (case, last) in [(Case::Sensitive, false), (Case::Insensitive, true)] {
        let config = MatcherConfig { case, ..pcre2() };
        let matcher = Matcher::new(patterns, &config).unwrap();
        let mut finder = matcher.finder();
        let mut set = matcher.pattern_set(patterns, &config).unwrap().finder();
        let line = "ax bb b éc de".as_bytes();
        let found = matches(&mut finder, line);
        let starts: Vec<usize> = found.iter().map(|span| span.start).collect();
        assert_eq!(starts, [0, 3, 10, 13]);
        assert_eq!(set.patterns_of(line, 0, &found), [Some(0), Some(1), Some(2), Some(3)]);
        let all: &[usize] = if last { &[0, 1, 2, 3, 4, 5] } else { &[0, 1, 2, 3] };
        assert_eq!(set.patterns_in(line, 0..line.len()), all);
    }
    let config = MatcherConfig { case: Case::Smart, boundary: Boundary::Word, ..pcre2() };
    let patterns = ["ab", "a", r"\w(?=b)", "B"];
    let set = Matcher::new(patterns, &config).unwrap().pattern_set(patterns, &config);
    assert_eq!(set.unwrap().finder().patterns_in(b"a ab b", 0..6), [0, 1]);
}

/// All matches, by successive searches.
fn matches(finder: &mut Finder, line: &[u8]) -> Vec<Range<usize>> {
    let (mut at, mut found) = (0, Vec::new());
    while let Some(span) = finder.find_at(line, at) {
        at = span.end;
        found.push(span);
    }
    found
}

/// Case may fold in a part of a pattern only. What its ASCII outline excludes must not.
#[test]
fn negated_classes_exclude_no_other_case() {
    for (pattern, line) in [
        ("(?i:x)[^a]", "xA"),
        (r"(?i:class) [^a-z]\w+(?! x)", "class Foo {"),
        ("(?:(?i)class|struct) [^a-z]", "struct Bar;"),
    ] {
        assert!(finder(&[pattern], &pcre2()).is_match(line.as_bytes()), "{pattern}");
    }
    let folded = MatcherConfig { case: Case::Insensitive, ..pcre2() };
    assert!(!finder(&["x[^a]"], &folded).is_match(b"xA"));
}

/// PCRE2 compiles each of them at once; to write all copies out would take minutes.
#[test]
fn nested_repetitions_of_what_is_not_known_are_compiled_at_once() {
    for pattern in [r"(?:\h{65535}){4000}x", r"(?:\pL{65535}){1000}", r"(?:\R{9999}){300}x"] {
        assert!(!finder(&[pattern], &pcre2()).is_match(b"a x"), "{pattern}");
    }
}

/// A search to the end of the line for each match would take minutes.
#[test]
fn a_rare_pattern_is_searched_for_once() {
    let patterns = ["z", "a", "b"];
    let matcher = Matcher::new(patterns, &pcre2()).unwrap();
    let line = "ab ".repeat(1 << 17);
    let found = matches(&mut matcher.finder(), line.as_bytes());
    let mut set = matcher.pattern_set(patterns, &pcre2()).unwrap().finder();
    let of = set.patterns_of(line.as_bytes(), 0, &found);
    assert!(of.len() == 2 << 17 && of.chunks(2).all(|pair| pair == [Some(1), Some(2)]));
}

/// Needles in every line make the finder give up looking for them, and return to it; the lines must
/// not depend on which way it goes.
#[test]
fn common_needles_change_the_way_but_not_the_lines() {
    let text = "my_init\nx_initial\n\n_init é\n_init!\n".repeat(3000);
    for pattern in [r"_init(?!ial)", r"(?<=\w)_init", r"_init(?= é)", r"_init\b(?!.)"] {
        let mut finder = finder(&[pattern], &pcre2());
        let oracle = Regex::new(pattern).unwrap();
        let lines = lines(text.as_bytes(), &pcre2());
        let is_match =
            |line: &Range<usize>| oracle.is_match(&text.as_bytes()[line.clone()]).unwrap();
        let expected = lines.iter().filter(|line| is_match(line)).count();
        assert_eq!(found(&mut finder, text.as_bytes(), &lines).len(), expected, "{pattern}");
    }
}

#[test]
fn a_failure_is_remembered_until_it_is_asked_for() {
    let mut finder = finder(&["(?:(?:a|aa)*)*(?=[cd])y|ok"], &pcre2());
    let block = [b"ok\n".as_slice(), &[b'a'; 60], b"y\nok\n"].concat();
    let lines = lines(&block, &pcre2());
    assert_eq!(found(&mut finder, &block, &lines), vec![lines[0].clone()]);
    assert!(!finder.is_match(b"ok"), "the engine has given up");
    assert!(finder.can_match(b"ok\n"), "nothing is certain");
    let failure = finder.take_failure().unwrap();
    assert!(matches!(failure.kind(), ErrorKind::Match(_)));
    assert_eq!(failure.to_string(), "PCRE2: error matching: match limit exceeded");
    assert_eq!(finder.take_failure(), None);
    assert!(finder.is_match(b"ok"));
}

#[test]
fn groups_are_numbered_in_each_pattern() {
    for engine in [Engine::Default, Engine::Pcre2] {
        let config = MatcherConfig { engine, ..MatcherConfig::default() };
        let mut finder = finder(&["(?P<x>a)", "b(c)?(d)"], &config);
        let x = finder.matcher().group_index("x").unwrap();
        assert_eq!(finder.matcher().group_index("y"), None);
        assert_eq!(finder.matcher().group_names(), [None, None, None]);
        let mut captures = finder.matcher().captures();
        let mut groups = |haystack: &[u8], at| {
            assert!(finder.captures_at(haystack, at, &mut captures));
            [0, 1, 2, x, 9].map(|i| captures.get(i))
        };
        assert_eq!(groups(b"xabd", 0), [Some(1..2), Some(1..2), None, Some(1..2), None]);
        assert_eq!(groups(b"xabd", 2), [Some(2..4), None, Some(3..4), None, None]);
        assert!(!finder.captures_at(b"abd", 4, &mut captures));
        assert!(!finder.captures_at(b"x", 0, &mut captures));
        assert_eq!(captures.get(0), None);
    }
}

#[test]
fn room_of_another_matcher_stays_empty() {
    let default = finder(&["(a)"], &MatcherConfig::default());
    let mut captures = default.matcher().captures();
    assert!(!finder(&["(a)"], &pcre2()).captures_at(b"a", 0, &mut captures));
    assert_eq!(captures.get(1), None);
}

#[test]
fn the_version_is_told_as_ripgrep_tells_it() {
    let version = pcre2_version();
    assert!(version.starts_with("PCRE2 10."), "{version}");
    assert!(
        version.ends_with("is available (JIT is available)") || version.ends_with("unavailable)")
    );
}

/// The oracle: the library itself. It compiles to machine code where the crate has it do so, as on
/// invalid UTF-8 it finds other empty matches without that.
fn oracle(patterns: &[String], config: &MatcherConfig) -> Option<Regex> {
    let alternatives = patterns
        .iter()
        .map(|p| if config.fixed_strings { pcre2::escape(p) } else { p.clone() })
        .map(|p| format!("(?:{p})"));
    let joined = alternatives.collect::<Vec<_>>().join("|");
    let joined = match config.boundary {
        Boundary::None => joined,
        Boundary::Word => format!(r"(?<!\w)(?:{joined})(?!\w)"),
        Boundary::Line => format!("^(?:{joined})$"),
    };
    RegexBuilder::new()
        .multi_line(true)
        .caseless(config.case == Case::Insensitive)
        .utf(config.unicode)
        .ucp(config.unicode)
        .crlf(config.crlf)
        .jit_if_available(cfg!(target_pointer_width = "64"))
        .build(&joined)
        .ok()
}

impl Oracle for Regex {
    fn find(&mut self, haystack: &[u8], at: usize) -> Option<Range<usize>> {
        self.find_at(haystack, at).unwrap().map(|m| m.start()..m.end())
    }
}

#[test]
fn random_patterns_find_what_each_line_alone_finds() {
    let extras: Vec<&str> = include_str!("random/pcre2.txt").lines().collect();
    let mut dice = Dice::new(0x5EED_0011);
    let mut compiled = 0;
    for _ in 0..900 * times() {
        let config = MatcherConfig {
            case: dice.pick(&[Case::Sensitive, Case::Sensitive, Case::Insensitive]),
            boundary: dice.pick(&[Boundary::None, Boundary::None, Boundary::Word, Boundary::Line]),
            unicode: !dice.once_in(5),
            fixed_strings: dice.once_in(5),
            line_terminator: if dice.once_in(5) { 0 } else { b'\n' },
            crlf: dice.once_in(3),
            ..pcre2()
        };
        let config = MatcherConfig { crlf: config.crlf && config.line_terminator != 0, ..config };
        let patterns: Vec<String> = match config.fixed_strings {
            true => vec![dice.pick(WORDS).into(), dice.pick(WORDS).into()],
            false => vec![pattern(&mut dice, 2, &extras)],
        };
        let Some(oracle) = oracle(&patterns, &config) else { continue };
        let Ok(mut case) = random::Case::new(&patterns, config, |_, _| oracle.clone()) else {
            continue;
        };
        compiled += 1;
        for _ in 0..4 {
            case.check(&block(&mut dice, &case.config));
        }
    }
    assert!(compiled > 500, "only {compiled} patterns were tried");
}

/// Checks each of `patterns` with every boundary in random texts. Returns how many lines match.
fn check_in_texts(
    patterns: &[&str],
    seed: u64,
    config: impl Fn(&mut Dice) -> MatcherConfig,
    text: impl Fn(&mut Dice, usize) -> String,
) -> usize {
    let mut dice = Dice::new(seed);
    let mut matched = 0;
    for pattern in patterns {
        for boundary in [Boundary::None, Boundary::Word, Boundary::Line] {
            let config = MatcherConfig { boundary, ..config(&mut dice) };
            let patterns = [(*pattern).to_owned()];
            let oracle = oracle(&patterns, &config).unwrap();
            let mut case = random::Case::new(&patterns, config, |_, _| oracle.clone()).unwrap();
            for round in 0..60 * times() {
                let text = text(&mut dice, round);
                matched += case.expected(text.as_bytes()).1.len();
                case.check(text.as_bytes());
            }
        }
    }
    matched
}

/// In texts of few characters, what a pattern looks for is often there, and often elsewhere.
#[test]
fn what_stands_around_a_match_is_looked_for() {
    const PATTERNS: [&str; 14] = [
        r"(?<=b){2}-",
        r"(?<=ab){2,}[b_]|(?<=-){3}\w",
        r"\w+(?=-ab)",
        r"[ab]+(?= ?é|--)",
        r"(?<=b-)\w+",
        r"(?<=ab)(?<=a.)-(?=b)(?=ba)",
        r"(?=ab)\w(?=b_|-)|(?<=_-)b",
        r"(?<=a)?_{2}(?=b)",
        r"(?<=(ab))-\1",
        r"(\w+)-(?=\1b)",
        r"(?i)\w(?=-AB)",
        r"\b(?<=a-)b+(?!a)",
        r"(?:a(?=b-))+|_(?=(?=b)b)",
        r"^(?=.*ab--)|(?<![^-])(?=ab$)",
    ];
    let config = |dice: &mut Dice| MatcherConfig { crlf: dice.once_in(3), ..pcre2() };
    let matched = check_in_texts(&PATTERNS, 0x5EED_0032, config, |dice, round| {
        let alphabet = if round % 4 == 0 { "aabb_-é\r\n" } else { "aabb_--\n" };
        let alphabet: Vec<char> = alphabet.chars().collect();
        (0..400).map(|_| dice.pick(&alphabet)).collect()
    });
    assert!(matched > 2000, "{matched}");
}

/// In texts of few characters, what stands before a reference is repeated often, and often almost.
#[test]
fn references_match_what_stands_before_them() {
    const PATTERNS: [&str; 12] = [
        r"(\w{2,})_\1",
        r"(\w{4,})-\1",
        r"(ab)\1",
        r"([ab]{2,3})-\1b",
        r"([ab]+b)\1",
        r"x?((\w{2})a)\b(?=-)-\2-\2",
        r"(?<name>[^b]{2,5})\1$",
        r"(?:(a.)|-)(b{2})\2",
        r"(a\w+)__\1\w*",
        r"(?>(_{2,}))a\1",
        r"(?<!a)(.{3,})\1",
        r"(ab)(?i)_\1",
    ];
    let matched = check_in_texts(
        &PATTERNS,
        0x5EED_0031,
        |_| pcre2(),
        |dice, round| {
            let alphabet = if round % 4 == 0 { "aaabbb_-é\n" } else { "aaabbb__--\n" };
            let alphabet: Vec<char> = alphabet.chars().collect();
            // Some lines are longer than a piece, others than what is looked at.
            let rare = [0, 0, 300, 4200][round % 4];
            let mut text = String::new();
            while text.len() < 400 {
                match dice.pick(&alphabet) {
                    '\n' if dice.once_in(20) => {
                        text += &dice.pick(&["a", "b_", "ab-"]).repeat(rare);
                    }
                    c => text.push(c),
                }
            }
            text
        },
    );
    assert!(matched > 500, "{matched}");
}
