//! Lines with so many matches that nothing may be done for each that takes the time of the line.

use std::ops::Range;

use heist_matcher::{Matcher, MatcherConfig as Patterns};
use heist_printer::{ColorSpecs, Excerpt, Printer, PrinterConfig};
use heist_searcher::{BinaryPolicy, Line, LineKind, MatchBlock, Sink as _};

/// The output for `line`, which matches `pattern`.
fn print(config: &PrinterConfig, pattern: &str, line: &str) -> String {
    print_block(config, pattern, line, None)
}

/// The output for `line`, which matches `pattern`. If `matches` are given, the search is one with
/// matches that may span lines.
fn print_block(
    config: &PrinterConfig,
    pattern: &str,
    line: &str,
    matches: Option<&[Range<usize>]>,
) -> String {
    let mut printer = Printer::lines(config, Vec::new());
    let mut sink = printer.sink(None, BinaryPolicy::Text);
    let patterns = Patterns { multiline: matches.is_some(), ..Patterns::default() };
    let mut finder = Matcher::new(&[pattern.to_owned()], &patterns).unwrap().finder();
    let bytes = line.as_bytes();
    let (origin, start, searched_from) = (0, 0, 0);
    let block = matches.map(|matches| MatchBlock {
        haystack: bytes,
        origin,
        start,
        searched_from,
        matches,
    });
    let line = Line { kind: LineKind::Match, bytes, block, offset: 0, number: None };
    assert!(sink.matched_with(&mut finder, &line).is_continue());
    String::from_utf8(printer.into_output()).unwrap()
}

#[test]
fn excerpts_have_their_colors() {
    // Were all matches before a window passed for each, 2 * 10^10 would be.
    let count = 200_000;
    let colors = Some(ColorSpecs::default());
    let config = PrinterConfig {
        colors,
        excerpt: Some(Excerpt { reach: 2, ..Excerpt::default() }),
        ..PrinterConfig::default()
    };
    let line = "abc defghijkl ".repeat(count) + "\n";
    let text = print(&config, "abc", &line);
    let open = text.split("abc").next().unwrap();
    let close = text[open.len() + 3..].split(" d").next().unwrap();
    let windows = format!("{open}abc{close} d…l ").repeat(count);
    assert!(text == windows.trim_end_matches("l ").to_owned() + "\n", "all of the line is shown");

    let text = print(&PrinterConfig { longest_excerpt: Some(2048), ..config }, "abc", &line);
    // Of 5 bytes, then of 7, and the rest of 6.
    let (first, rest) = (format!("{open}abc{close} d"), format!("l {open}abc{close} "));
    let others = format!("…l {open}abc{close} d").repeat((2048 - 5) / 7);
    assert_eq!(text, format!("{first}{others}…{rest}…\n"));
}

#[test]
fn blanks_are_trimmed_once() {
    // Were the blanks of the line counted for each match, 2 * 10^10 would be.
    let count = 100_000;
    let blanks = 2 * count;
    let line = " ".repeat(blanks) + &"ab ".repeat(count) + "\n";
    let matches: Vec<_> = (0..count).map(|n| blanks + 3 * n..blanks + 3 * n + 1).collect();
    let trimmed = PrinterConfig { trim: true, per_match: true, ..PrinterConfig::default() };
    for (preview, expected) in [(false, "[Omitted long line with 100000"), (true, "ab ab [... ")] {
        for (pattern, matches) in [("a", None), ("a|\n", Some(matches.as_slice()))] {
            let (max_columns, max_columns_preview) = (Some(5), preview);
            let config = PrinterConfig { max_columns, max_columns_preview, ..trimmed.clone() };
            let text = print_block(&config, pattern, &line, matches);
            assert_eq!(text.lines().count(), count);
            assert!(text.lines().all(|line| line.starts_with(expected)), "{expected}");
        }
    }
}
