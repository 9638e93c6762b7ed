//! Lines with so many matches that nothing may be done for each that takes the time of the line.

use heist_matcher::{Matcher, MatcherConfig as Patterns};
use heist_printer::{ColorSpecs, Printer, PrinterConfig};
use heist_searcher::{BinaryPolicy, Line, LineKind, Sink as _};

/// The output for `line`, which matches `pattern`.
fn print(config: &PrinterConfig, pattern: &str, line: &str) -> String {
    let mut printer = Printer::lines(config, Vec::new());
    let mut sink = printer.sink(None, BinaryPolicy::Text);
    let mut finder = Matcher::new(&[pattern.to_owned()], &Patterns::default()).unwrap().finder();
    let bytes = line.as_bytes();
    let line = Line { kind: LineKind::Match, bytes, block: None, offset: 0, number: None };
    assert!(sink.matched_with(&mut finder, &line).is_continue());
    String::from_utf8(printer.into_output()).unwrap()
}

#[test]
fn excerpts_have_their_colors() {
    // Were all matches before a window passed for each, 2 * 10^10 would be.
    let count = 200_000;
    let colors = Some(ColorSpecs::default());
    let config = PrinterConfig { colors, excerpt: Some(2), ..PrinterConfig::default() };
    let text = print(&config, "abc", &("abc defghijkl ".repeat(count) + "\n"));
    let open = text.split("abc").next().unwrap();
    let close = text[open.len() + 3..].split(" d").next().unwrap();
    let window = format!("{open}abc{close} d…l ");
    let windows = window.repeat(count);
    assert!(text == windows.trim_end_matches("l ").to_owned() + "\n", "{window}");
}
