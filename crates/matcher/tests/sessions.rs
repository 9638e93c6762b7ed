//! Command lines beside the lines that they match, or the error: `cases/*.txt`. Clients of ripgrep
//! expect these results and look for these messages.
//!
//! A command line follows `$ `: flags as those of `hs`, then patterns, of which those with spaces
//! or a leading `-` are quoted. Each line that it searches follows `> ` if it matches, else `| `.
//! In lines, `\n`, `\r`, `\t`, `\0`, `\\` and `\u{212A}` stand for characters, and a last line
//! that ends in `\` has no terminator. The matches of the line before, or with `-U` of all lines as
//! one haystack, follow `@ `. Instead, an error message follows `! `. Comments follow `# `.

use std::ops::Range;

use heist_matcher::{BlockScan, Boundary, Case, Engine, Finder, LineHit, Matcher, MatcherConfig};

const TABLES: &[&str] = &[
    include_str!("cases/lines.txt"),
    include_str!("cases/spans.txt"),
    include_str!("cases/refusals.txt"),
    #[cfg(feature = "pcre2")]
    include_str!("cases/pcre2.txt"),
    #[cfg(not(feature = "pcre2"))]
    include_str!("cases/without_pcre2.txt"),
];

/// A command line and its result.
struct Session<'t> {
    command: &'t str,
    lines: Vec<Line>,
    error: Vec<&'t str>,
}

#[derive(Debug)]
struct Line {
    matches: bool,
    text: String,
    is_terminated: bool,
    /// Where its matches are, if the session has that.
    spans: Option<Vec<Range<usize>>>,
}

fn sessions() -> Vec<Session<'static>> {
    let mut sessions: Vec<Session<'_>> = Vec::new();
    for row in TABLES.iter().flat_map(|table| table.lines()).filter(|row| !row.is_empty()) {
        let (mark, rest) = row.split_at(1);
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        match (mark, sessions.last_mut()) {
            ("#", _) => {}
            ("$", _) => {
                sessions.push(Session { command: rest, lines: Vec::new(), error: Vec::new() });
            }
            (">" | "|", Some(session)) => {
                let (text, is_terminated) = unescape(rest);
                let matches = mark == ">";
                session.lines.push(Line { matches, text, is_terminated, spans: None });
            }
            ("@", Some(Session { lines, .. })) => {
                let span = |word: &str| {
                    let (start, end) = word.split_once("..")?;
                    Some(start.parse().ok()?..end.parse().ok()?)
                };
                let line = lines.last_mut().expect("a line before its matches");
                line.spans = rest.split_whitespace().map(span).collect();
            }
            ("!", Some(session)) => session.error.push(rest),
            _ => panic!("not a row of a session: {row}"),
        }
    }
    sessions
}

/// The text of a line, and whether its terminator follows.
fn unescape(row: &str) -> (String, bool) {
    let mut text = String::new();
    let mut parts = row.split('\\');
    text.push_str(parts.next().expect("at least one part"));
    while let Some(part) = parts.next() {
        let (escaped, rest) = match part.chars().next() {
            Some('n') => ('\n', &part[1..]),
            Some('r') => ('\r', &part[1..]),
            Some('t') => ('\t', &part[1..]),
            Some('0') => ('\0', &part[1..]),
            Some(_) => ('\u{212A}', part.strip_prefix("u{212A}").expect("a known escape")),
            None => match parts.next() {
                Some(rest) => ('\\', rest),
                None => return (text, false),
            },
        };
        text.push(escaped);
        text.push_str(rest);
    }
    (text, true)
}

/// The settings and patterns of a command line.
fn arguments(command: &str) -> (MatcherConfig, Vec<String>) {
    let (mut config, mut patterns) = (MatcherConfig::default(), Vec::new());
    for (i, part) in command.split('\'').enumerate() {
        if i % 2 == 1 {
            patterns.push(part.to_owned());
            continue;
        }
        for word in part.split_whitespace() {
            match word {
                "-F" => config.fixed_strings = true,
                "-P" => config.engine = Engine::Pcre2,
                "-U" => config.multiline = true,
                "-S" => config.case = Case::Smart,
                "-i" => config.case = Case::Insensitive,
                "-w" => config.boundary = Boundary::Word,
                "-x" => config.boundary = Boundary::Line,
                "--crlf" => config.crlf = true,
                "--engine=auto" => config.engine = Engine::Auto,
                "--no-unicode" => config.unicode = false,
                "--null-data" => (config.line_terminator, config.ban_nul) = (0, false),
                _ => match word.strip_prefix("--size-limit=") {
                    Some(limit) => config.size_limit = limit.parse().expect("a number"),
                    None if word.starts_with('-') => panic!("unknown flag: {command}"),
                    None => patterns.push(word.to_owned()),
                },
            }
        }
    }
    (config, patterns)
}

fn check(Session { command, lines, error }: &Session<'_>) {
    let (config, patterns) = arguments(command);
    let matcher = match Matcher::new(&patterns, &config) {
        Ok(matcher) if error.is_empty() => matcher,
        Ok(_) => panic!("accepted: {command}"),
        Err(refusal) => return assert_eq!(refusal.to_string(), error.join("\n"), "{command}"),
    };
    assert!(!lines.is_empty(), "{command}");
    let mut block = String::new();
    for Line { text, is_terminated, .. } in lines {
        block.push_str(text);
        block.extend(is_terminated.then_some(char::from(config.line_terminator)));
    }
    let block = block.as_bytes();
    let mut finder = matcher.finder();
    if matcher.spans_lines() {
        let expected = lines.iter().find_map(|line| line.spans.as_ref()).expect("matches");
        assert_eq!(spans(&mut finder, block), *expected, "{command}");
        assert_eq!(finder.can_match(block), !expected.is_empty(), "{command}");
        let first = expected.first().map(|span| LineHit::Confirmed(span.start));
        return assert_eq!(finder.find_candidate_line(block, 0), first, "{command}");
    }
    assert!(finder.can_match(block) || lines.iter().all(|line| !line.matches), "{command}");
    let (mut scan, mut start, mut passed) = (BlockScan::new(block), 0, 0);
    for Line { matches, text, is_terminated, spans: expected } in lines {
        let has_cr = config.crlf && *is_terminated;
        let content = if has_cr { text.strip_suffix('\r').unwrap_or(text) } else { text };
        assert_eq!(finder.is_match(content.as_bytes()), *matches, "{command}: {text:?} alone");
        if let Some(expected) = expected {
            assert_eq!(spans(&mut finder, content.as_bytes()), *expected, "{command}: {text:?}");
        }
        for hit in [finder.find_candidate_line(block, start), finder.next_line(&mut scan, start)] {
            passed = passed.max(hit.map_or(usize::MAX, LineHit::offset));
            match hit.filter(|hit| hit.offset() <= start + text.len()) {
                Some(LineHit::Candidate(_)) => {}
                hit => assert_eq!(hit.is_some(), *matches, "{command}: {text:?} in {lines:?}"),
            }
        }
        assert!(!matches || passed <= start + text.len(), "{command}: {text:?} was passed over");
        start += text.len() + usize::from(*is_terminated);
    }
}

/// All matches in `haystack`, each behind the one before.
fn spans(finder: &mut Finder, haystack: &[u8]) -> Vec<Range<usize>> {
    let (mut spans, mut at) = (Vec::new(), 0);
    while let Some(span) = finder.find_at(haystack, at) {
        at = span.end + usize::from(span.is_empty());
        spans.push(span);
    }
    spans
}

#[test]
fn every_session_has_its_result() {
    let sessions = sessions();
    assert_eq!(sessions.len(), if cfg!(feature = "pcre2") { 185 } else { 134 });
    sessions.iter().for_each(check);
}

#[test]
fn many_texts_are_found_like_few() {
    let words: String = (0..5000).map(|i| format!(" word{:05}", i * 7 % 9973)).collect();
    for flags in ["-F", "-F -i", "-F -w", "-F -i -w"] {
        let lines = [
            (false, "none"),
            (true, "xx word00007 yy"),
            (false, "word99999"),
            (true, "--word00014--"),
            (!flags.contains("-w"), "word00021x"),
        ];
        let lines = lines.map(|(matches, text)| (matches, text.to_owned()));
        let lines = lines
            .map(|(matches, text)| Line { matches, text, is_terminated: true, spans: None })
            .into();
        check(&Session { command: &format!("{flags}{words}"), lines, error: Vec::new() });
    }
}
