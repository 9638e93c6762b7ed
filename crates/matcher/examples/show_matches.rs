//! Shows the matches in a file as the matcher finds them, to compare it with other tools without
//! the rest: `show_matches [-i|-S] [-w|-x] [-F] [-P] [-U [--dotall]] [--crlf] [--null-data]
//! [--no-unicode] -e PATTERN... FILE`.
//!
//! A line of output is the offset of a matching line and the spans of its matches relative to it,
//! or with matches that span lines each span.

use std::fs;
use std::ops::Range;

use heist_matcher::{Boundary, Case, Config, Engine, Finder, LineHit, Matcher};
use memchr::{memchr, memrchr};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut config = Config::default();
    let mut patterns = Vec::new();
    let mut words = Vec::new();
    let mut groups = false;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "-i" => config.case = Case::Insensitive,
            "-S" => config.case = Case::Smart,
            "-w" => config.boundary = Boundary::Word,
            "-x" => config.boundary = Boundary::Line,
            "-F" => config.fixed_strings = true,
            "-P" => config.engine = Engine::Pcre2,
            "--auto" => config.engine = Engine::Auto,
            "-U" => config.multiline = true,
            "--dotall" => config.dot_matches_new_line = true,
            "--crlf" => config.crlf = true,
            "--null-data" => (config.line_terminator, config.ban_nul) = (0, false),
            "--text" => config.ban_nul = false,
            "--no-unicode" => config.unicode = false,
            "--size-limit" => config.size_limit = args.next().ok_or("no size")?.parse()?,
            "--dfa-size-limit" => config.dfa_size_limit = args.next().ok_or("no size")?.parse()?,
            "--groups" => groups = true,
            "-e" => patterns.push(args.next().ok_or("-e needs a pattern")?),
            _ => words.push(arg),
        }
    }
    let text = fs::read(words.pop().ok_or("no file")?)?;
    let matcher = match Matcher::new(&patterns, &config) {
        Ok(matcher) => matcher,
        Err(e) => {
            println!("{e}");
            return Ok(());
        }
    };
    let mut finder = matcher.finder();
    if groups {
        return show_groups(&mut finder, &text);
    }
    if matcher.spans_lines() {
        println!("whole: {:?}", spans(&mut finder, &text, text.len()));
    } else {
        show_lines(&mut finder, &text, &config);
    }
    if let Some(failure) = finder.take_failure() {
        println!("{failure}");
    }
    Ok(())
}

fn show_lines(finder: &mut Finder, text: &[u8], config: &Config) {
    let terminator = config.line_terminator;
    let mut at = 0;
    while let Some(hit) = finder.find_candidate_line(text, at) {
        let (LineHit::Confirmed(offset) | LineHit::Candidate(offset)) = hit;
        let start = memrchr(terminator, &text[at..offset]).map_or(at, |n| at + n + 1);
        let stop = memchr(terminator, &text[offset..]).map(|n| offset + n);
        let full = &text[start..stop.unwrap_or(text.len())];
        let has_cr = config.crlf && stop.is_some() && full.ends_with(b"\r");
        let line = &full[..full.len() - usize::from(has_cr)];
        if matches!(hit, LineHit::Confirmed(_)) || finder.is_match(line) {
            // An empty match past the last line counts only if something ends the line.
            let limit = line.len() + usize::from(stop.is_some());
            println!("{start}: {:?}", spans(finder, line, limit));
        }
        at = stop.map_or(text.len(), |n| n + 1);
    }
}

/// The first nine groups, and one called `x`, of the first match.
fn show_groups(finder: &mut Finder, text: &[u8]) -> Result<(), Box<dyn std::error::Error>> {
    let mut captures = finder.matcher().captures();
    let named = finder.matcher().group_index("x").unwrap_or(usize::MAX);
    if finder.captures_at(text, 0, &mut captures) {
        let group = |n| captures.get(n).map_or(&b""[..], |range| &text[range]);
        let groups: Vec<&[u8]> = (0..10).chain([named]).map(group).collect();
        println!("<{}>", std::str::from_utf8(&groups.join(&b'|'))?);
    }
    Ok(())
}

/// The matches that begin before `limit`.
fn spans(finder: &mut Finder, haystack: &[u8], limit: usize) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while let Some(span) = finder.find_at(haystack, at) {
        if span.start >= limit {
            break;
        }
        at = span.end + usize::from(span.is_empty());
        if !(span.is_empty() && spans.last().is_some_and(|last| last.end == span.end)) {
            spans.push(span);
        }
    }
    spans
}
