//! Messages about haystacks with a NUL byte.
//!
//! The outputs are those of ripgrep 15.2 on files whose blocks lead to the same events, unless a
//! test states otherwise.

use std::ops::ControlFlow::{Break, Continue};

use heist_printer::{ColorSpecs, Json, Mode, PrinterConfig, Standard, Summary};
use heist_searcher::{BinaryPolicy, Finish, Flow, Line, LineKind, Sink};

use crate::driver::{finder, fold};

/// One event of a search for `foo`, next to the result it must return.
enum Event {
    Match(&'static [u8]),
    After(&'static [u8]),
    Before(&'static [u8]),
    Gap,
    Nul,
}

use Event::{After, Before, Gap, Match, Nul};

/// The position of the NUL byte in all haystacks here.
const NUL_AT: u64 = 128_075;

/// Passes `events` to `sink`, and a finish because of the NUL byte if there was one.
fn feed(sink: &mut dyn Sink, events: &[(Event, Flow)]) {
    let mut finder = finder("foo", b'\n');
    let mut binary_offset = None;
    for (event, expected) in events {
        let line = |kind, bytes| Line { kind, bytes, block: None, offset: 0, number: None };
        let answer = match *event {
            Match(bytes) => sink.matched_with(&mut finder, &line(LineKind::Match, bytes)),
            After(bytes) => sink.context_with(&mut finder, &line(LineKind::After, bytes)),
            Before(bytes) => sink.context_with(&mut finder, &line(LineKind::Before, bytes)),
            Gap => sink.gap(),
            Nul => {
                binary_offset = Some(NUL_AT);
                sink.binary(NUL_AT)
            }
        };
        assert_eq!(answer, *expected);
    }
    sink.finish(&Finish { bytes_searched: 0, binary_offset });
}

/// The output for two haystacks with the same events.
fn twice(config: &PrinterConfig, policy: BinaryPolicy, events: &[(Event, Flow)]) -> String {
    let mut printer = Standard::new(config, Vec::new());
    for path in [b"w/a", b"w/b"] {
        feed(&mut printer.sink(Some(path), policy), events);
    }
    fold(&printer.into_output())
}

fn with_path() -> PrinterConfig {
    PrinterConfig { with_path: true, ..PrinterConfig::default() }
}

fn with_context() -> PrinterConfig {
    PrinterConfig { context: true, ..with_path() }
}

const WARNING: &str = "WARNING: stopped searching binary file after match \
    (found \"\\0\" byte around offset 128075)\n";
const NOTICE: &str = "binary file matches (found \"\\0\" byte around offset 128075)\n";

/// Lines of an earlier block, then a block with a NUL byte.
const LATE: &[(Event, Flow)] =
    &[(Match(b"foo\n"), Continue(())), (After(b"x\n"), Continue(())), (Nul, Continue(()))];

#[test]
fn quitting_in_the_first_block_is_silent() {
    let events = &[(Nul, Continue(()))];
    assert_eq!(twice(&with_context(), BinaryPolicy::Quit, events), "");
    assert_eq!(twice(&with_context(), BinaryPolicy::Convert, events), "");
}

#[test]
fn quitting_after_a_match_warns() {
    let printed = twice(&with_context(), BinaryPolicy::Quit, LATE);
    let of = |p: &str| format!("w/{p}:foo\nw/{p}-x\nw/{p}: {WARNING}");
    assert_eq!(printed, format!("{}--\n{}", of("a"), of("b")));
    let printed = twice(&PrinterConfig::default(), BinaryPolicy::Quit, LATE);
    assert_eq!(printed, format!("foo\nx\n{WARNING}foo\nx\n{WARNING}"));
}

#[test]
fn the_path_of_a_warning_has_colour_and_separator_but_no_nul() {
    let colors = Some(ColorSpecs::default());
    let config = PrinterConfig { null: true, path_separator: Some(b'+'), colors, ..with_path() };
    let printed =
        twice(&config, BinaryPolicy::Quit, &[(Match(b"foo\n"), Continue(())), (Nul, Continue(()))]);
    let of =
        |p: &str| format!("{{path}}w+{p}{{}}{{0}}{{match}}foo{{}}\n{{path}}w+{p}{{}}: {WARNING}");
    assert_eq!(printed, of("a") + &of("b"));
}

#[test]
fn a_warning_follows_a_heading() {
    let config = PrinterConfig { heading: true, ..with_context() };
    let printed = twice(&config, BinaryPolicy::Quit, LATE);
    let of = |p: &str| format!("w/{p}\nfoo\nx\nw/{p}: {WARNING}");
    assert_eq!(printed, format!("{}\n{}", of("a"), of("b")));
}

#[test]
fn converting_prints_no_line_after_the_nul() {
    let events = &[(Nul, Continue(())), (Match(b"foo\n"), Break(()))];
    let printed = twice(&with_path(), BinaryPolicy::Convert, events);
    assert_eq!(printed, format!("w/a: {NOTICE}w/b: {NOTICE}"));
    let printed = twice(&PrinterConfig::default(), BinaryPolicy::Convert, events);
    assert_eq!(printed, [NOTICE, NOTICE].concat());
}

#[test]
fn a_notice_alone_has_no_heading_but_is_set_apart() {
    // The output of ripgrep's threads; a single thread omits the empty line.
    let config = PrinterConfig { heading: true, ..with_path() };
    let events = &[(Nul, Continue(())), (Match(b"foo\n"), Break(()))];
    let printed = twice(&config, BinaryPolicy::Convert, events);
    assert_eq!(printed, format!("w/a: {NOTICE}\nw/b: {NOTICE}"));
}

#[test]
fn converting_after_a_match_reports_the_nul_without_another() {
    let printed = twice(&with_context(), BinaryPolicy::Convert, LATE);
    let of = |p: &str| format!("w/{p}:foo\nw/{p}-x\nw/{p}: {NOTICE}");
    assert_eq!(printed, format!("{}--\n{}", of("a"), of("b")));
}

#[test]
fn a_gap_before_the_muted_match_is_not_printed() {
    let events = &[
        (Match(b"foo\n"), Continue(())),
        (After(b"x\n"), Continue(())),
        (Nul, Continue(())),
        (Gap, Continue(())),
        (Match(b"foo\n"), Break(())),
    ];
    let printed = twice(
        &PrinterConfig { context: true, ..PrinterConfig::default() },
        BinaryPolicy::Convert,
        events,
    );
    assert_eq!(printed, format!("foo\nx\n{NOTICE}--\nfoo\nx\n{NOTICE}"));
}

#[test]
fn a_muted_context_line_does_not_hide_the_match_behind_it() {
    // Unlike ripgrep 15.2, which reports nothing for this haystack.
    let events =
        &[(Nul, Continue(())), (Before(b"a\n"), Continue(())), (Match(b"foo\n"), Break(()))];
    let printed = twice(&with_context(), BinaryPolicy::Convert, events);
    assert_eq!(printed, format!("w/a: {NOTICE}--\nw/b: {NOTICE}"));
}

/// The output of a summary for a haystack, and whether it satisfies the mode.
fn summary(mode: Mode, policy: BinaryPolicy, events: &[(Event, Flow)]) -> (String, bool) {
    let config = PrinterConfig { include_zero: true, ..with_path() };
    let mut printer = Summary::new(mode, &config, Vec::new());
    let mut sink = printer.sink(Some(b"f"), policy);
    feed(&mut sink, events);
    let has_match = sink.has_match();
    (fold(&printer.into_output()), has_match)
}

#[test]
fn summaries_drop_what_was_quit() {
    // ripgrep exits as if a dropped haystack had no match; it was not searched, so it neither has a
    // match nor lacks one.
    for mode in [Mode::Count, Mode::CountMatches] {
        let events = &[(Match(b"foo\n"), Continue(())), (Nul, Continue(()))];
        assert_eq!(summary(mode, BinaryPolicy::Quit, events), (String::new(), false));
    }
    for mode in
        [Mode::FilesWithMatches, Mode::FilesWithoutMatch, Mode::Quiet, Mode::QuietWithoutMatch]
    {
        let answer = summary(mode, BinaryPolicy::Quit, &[(Nul, Continue(()))]);
        assert_eq!(answer, (String::new(), false));
    }
}

#[test]
fn summaries_stop_before_a_late_nul() {
    let events = &[(Match(b"foo\n"), Break(()))];
    let answer = |mode| summary(mode, BinaryPolicy::Quit, events);
    assert_eq!(answer(Mode::FilesWithMatches), ("f\n".to_owned(), true));
    assert_eq!(answer(Mode::FilesWithoutMatch), (String::new(), false));
    assert_eq!(answer(Mode::Quiet), (String::new(), true));
    assert_eq!(answer(Mode::QuietWithoutMatch), (String::new(), false));
}

#[test]
fn summaries_count_everything_that_is_converted() {
    let events = &[
        (Match(b"foo\n"), Continue(())),
        (Nul, Continue(())),
        (Match(b"foo foo\0"), Continue(())),
    ];
    let answer = |mode| summary(mode, BinaryPolicy::Convert, events);
    assert_eq!(answer(Mode::Count), ("f:2\n".to_owned(), true));
    assert_eq!(answer(Mode::CountMatches), ("f:3\n".to_owned(), true));
    let nothing = &[(Nul, Continue(()))];
    let answer = |mode| summary(mode, BinaryPolicy::Convert, nothing);
    assert_eq!(answer(Mode::Count), ("f:0\n".to_owned(), false));
    assert_eq!(answer(Mode::FilesWithoutMatch), ("f\n".to_owned(), true));
    assert_eq!(answer(Mode::QuietWithoutMatch), (String::new(), true));
}

#[test]
fn messages_continue_after_a_nul_and_report_it_at_the_end() {
    let mut printer = Json::new(&PrinterConfig::default(), Vec::new());
    let events = &[
        (Match(b"foo\n"), Continue(())),
        (Nul, Continue(())),
        (After(b"x\n"), Continue(())),
        (Match(b"foo\n"), Continue(())),
    ];
    feed(&mut printer.sink(Some(b"f"), BinaryPolicy::Convert), events);
    let printed = String::from_utf8(printer.into_output()).unwrap();
    let kinds = ["begin", "match", "context", "match", "end"];
    assert_eq!(printed.lines().count(), kinds.len());
    for (line, kind) in printed.lines().zip(kinds) {
        assert!(line.starts_with(&format!("{{\"type\":\"{kind}\"")), "{line}");
    }
    // Printed bytes are counted up to the last message, which contains their number.
    let end = printed.lines().last().unwrap();
    let bytes_printed = printed.len() - end.len() - 1;
    assert!(end.contains(r#""binary_offset":128075,"stats":"#), "{end}");
    assert!(
        end.ends_with(&format!(
            r#""bytes_printed":{bytes_printed},"matched_lines":2,"matches":2}}}}}}"#
        )),
        "{end}"
    );
}

#[test]
fn a_binary_message_counts_as_printed_and_the_match_behind_it_as_found() {
    let config = PrinterConfig { stats: true, colors: Some(ColorSpecs::default()), ..with_path() };
    let mut printer = Standard::new(&config, Vec::new());
    let events = &[(Nul, Continue(())), (Match(b"foo foo\n"), Break(()))];
    feed(&mut printer.sink(Some(b"w/a"), BinaryPolicy::Convert), events);
    let stats = printer.stats().copied().unwrap();
    assert_eq!((stats.matches, stats.matched_lines), (2, 1));
    assert_eq!(stats.bytes_printed, format!("w/a: {NOTICE}").len() as u64);
}
