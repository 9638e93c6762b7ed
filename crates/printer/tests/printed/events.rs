//! The calls that an output receives, and the results of a sink: the contracts, not the bytes.

use std::ops::ControlFlow::{Break, Continue};

use heist_matcher::{Matcher, MatcherConfig as Patterns};
use heist_printer::{
    Admission, Admits, Limit, Limited, Mode, Output, Printer, PrinterConfig, Stats,
};
use heist_searcher::{BinaryPolicy, Finish, Flow, Line, LineKind, MatchBlock, Sink};

use crate::driver::finder;

/// Records its calls.
#[derive(Debug, Default)]
struct Record {
    calls: Vec<String>,
    buffer: Vec<u8>,
    /// The output is closed after this many commits.
    patience: usize,
}

impl Record {
    fn take(&mut self, what: &str) {
        let text = String::from_utf8(std::mem::take(&mut self.buffer)).unwrap();
        self.calls.push(format!("{what}({text:?})"));
    }
}

impl Output for Record {
    fn begin_file(&mut self, separator: &[u8]) {
        assert!(self.buffer.is_empty());
        self.calls.push(format!("begin({:?})", String::from_utf8_lossy(separator)));
    }

    fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    fn commit(&mut self) -> Flow {
        self.take("commit");
        self.patience = self.patience.saturating_sub(1);
        if self.patience == 0 { Break(()) } else { Continue(()) }
    }

    fn end_file(&mut self) -> Flow {
        self.take("end");
        Continue(())
    }
}

/// Emits two matches with a line and a gap between them.
fn emit(sink: &mut dyn Sink) -> Flow {
    let mut finder = finder("foo", b'\n');
    let line = |kind, bytes| Line { kind, bytes, block: None, offset: 0, number: None };
    sink.begin()?;
    sink.matched_with(&mut finder, &line(LineKind::Match, b"foo foo\n"))?;
    sink.context_with(&mut finder, &line(LineKind::After, b"x\n"))?;
    sink.gap()?;
    sink.matched_with(&mut finder, &line(LineKind::Match, b"foo"))
}

fn patient() -> Record {
    Record { patience: usize::MAX, ..Record::default() }
}

fn config() -> PrinterConfig {
    PrinterConfig { with_path: true, heading: true, context: true, ..PrinterConfig::default() }
}

#[test]
fn lines_are_committed_whole_within_one_file() {
    let mut printer = Printer::lines(&config(), patient());
    for path in [b"a", b"b"] {
        let mut sink = printer.sink(Some(path), BinaryPolicy::Quit);
        assert_eq!(emit(&mut sink), Continue(()));
        sink.finish(&Finish::default());
        assert!(sink.has_match());
    }
    let of = |path| {
        let first = format!("commit(\"{path}\\nfoo foo\\n\")");
        let rest = ["commit(\"x\\n\")", "commit(\"--\\nfoo\\n\")", "end(\"\")"];
        ["begin(\"\\n\")", &first].iter().chain(&rest).map(|s| (*s).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(printer.into_output().calls, [of("a"), of("b")].concat());
}

#[test]
fn a_haystack_without_output_is_no_file() {
    let mut printer = Printer::lines(&config(), patient());
    let mut sink = printer.sink(Some(b"a"), BinaryPolicy::Quit);
    assert!(sink.begin().is_continue());
    sink.finish(&Finish::default());
    assert!(!sink.has_match());
    let mut printer = Printer::summary(Mode::FilesWithMatches, &config(), printer.into_output());
    printer.sink(Some(b"a"), BinaryPolicy::Quit).finish(&Finish::default());
    assert_eq!(printer.output().calls, [""; 0]);
}

#[test]
fn a_sink_stops_when_the_output_is_closed() {
    for patience in 1..=3 {
        let output = Record { patience, ..Record::default() };
        let mut printer = Printer::lines(&config(), output);
        let mut sink = printer.sink(None, BinaryPolicy::Quit);
        assert_eq!(emit(&mut sink), Break(()));
        sink.finish(&Finish::default());
        let calls = &printer.output().calls;
        assert_eq!(calls.iter().filter(|t| t.starts_with("commit")).count(), patience);
        assert_eq!(calls.last().unwrap(), "end(\"\")");
    }
}

#[test]
fn a_line_that_is_printed_once_per_match_is_committed_as_often() {
    let line = |bytes, block| Line { kind: LineKind::Match, bytes, block, offset: 0, number: None };
    let bytes = b"foo foo foo\n";
    let block = MatchBlock {
        haystack: bytes,
        origin: 0,
        start: 0,
        searched_from: 0,
        matches: &[0..3, 4..7, 8..11],
    };
    for (pattern, block) in [("foo", None), ("foo|\\n", Some(block))] {
        for (per_match, only_matching) in [(true, false), (false, true)] {
            for patience in 1..=3 {
                let config = PrinterConfig { per_match, only_matching, ..PrinterConfig::default() };
                let output = Record { patience, ..Record::default() };
                let mut printer = Printer::lines(&config, output);
                let mut sink = printer.sink(None, BinaryPolicy::Quit);
                let patterns = Patterns { multiline: block.is_some(), ..Patterns::default() };
                let matcher = Matcher::new(&[pattern.to_owned()], &patterns).unwrap();
                let mut finder = matcher.finder();
                assert_eq!(sink.matched_with(&mut finder, &line(bytes, block)), Break(()));
                sink.finish(&Finish::default());
                let text = if per_match { "foo foo foo\n" } else { "foo\n" };
                let commits = vec![format!("commit({text:?})"); patience];
                assert_eq!(printer.output().calls[1..=patience], commits);
            }
        }
    }
}

#[test]
fn summaries_print_one_file_at_the_end() {
    let mut printer = Printer::summary(Mode::CountMatches, &config(), patient());
    let mut sink = printer.sink(Some(b"a"), BinaryPolicy::Quit);
    assert_eq!(emit(&mut sink), Continue(()));
    sink.finish(&Finish::default());
    assert_eq!(printer.into_output().calls, ["begin(\"\")", "end(\"a:3\\n\")"]);
}

#[test]
fn messages_are_committed_line_by_line_and_counted() {
    let mut printer = Printer::json(&config(), patient());
    let mut sink = printer.sink(None, BinaryPolicy::Quit);
    assert!(sink.wants().unmatched);
    assert_eq!(emit(&mut sink), Continue(()));
    sink.finish(&Finish { bytes_searched: 20, binary_offset: Some(9), ..Finish::default() });
    assert!(sink.has_match());
    let stats = *printer.stats().unwrap();
    let Stats { elapsed, bytes_printed, .. } = stats;
    assert_eq!(stats, Stats { elapsed, bytes_printed, ..counted() });
    let calls = printer.into_output().calls;
    let kinds = ["begin(\"\")", "commit(", "commit(", "commit(", "end("];
    assert_eq!(calls.len(), kinds.len());
    assert!(calls.iter().zip(kinds).all(|(calls, kind)| calls.starts_with(kind)), "{calls:?}");
    assert!(
        calls[1].contains(r#"\"begin\",\"data\":{\"path\":null}}\n{\"type\":\"match\""#),
        "{}",
        calls[1]
    );
    assert!(calls[4].contains(r#"\"binary_offset\":9,"#), "{}", calls[4]);
}

#[test]
fn a_haystack_without_message_counts_as_searched() {
    let mut printer = Printer::json(&config(), patient());
    printer.sink(Some(b"a"), BinaryPolicy::Quit).finish(&Finish::default());
    assert_eq!(printer.stats().unwrap().searches, 1);
    assert_eq!(printer.stats().unwrap().searches_with_match, 0);
    assert_eq!(printer.output().calls, [""; 0]);
}

/// The statistics of the lines of [`emit`].
fn counted() -> Stats {
    Stats {
        searches: 1,
        searches_with_match: 1,
        bytes_searched: 20,
        matched_lines: 2,
        matches: 3,
        ..Stats::default()
    }
}

#[test]
fn what_counts_never_stops_early() {
    let config = PrinterConfig { stats: true, ..PrinterConfig::default() };
    let summary = |mode| Printer::summary(mode, &config, Vec::new());
    let printers = [
        (Printer::lines(&config, Vec::new()), 17),
        (summary(Mode::Count), 0),
        (summary(Mode::CountMatches), 0),
        (summary(Mode::FilesWithMatches), 0),
        (summary(Mode::FilesWithoutMatch), 0),
        (summary(Mode::Quiet), 0),
        (summary(Mode::QuietWithoutMatch), 0),
    ];
    for (mut printer, bytes_printed) in printers {
        let mut sink = printer.sink(None, BinaryPolicy::Text);
        assert!(sink.wants().unmatched);
        assert_eq!(emit(&mut sink), Continue(()));
        sink.finish(&Finish { bytes_searched: 20, ..Finish::default() });
        let stats = printer.stats().copied().unwrap();
        let elapsed = stats.elapsed;
        assert_eq!(stats, Stats { elapsed, bytes_printed, ..counted() }, "{printer:?}");
    }
}

#[test]
fn nothing_is_counted_without_statistics() {
    let mut printer = Printer::lines(&config(), Vec::new());
    assert_eq!(emit(&mut printer.sink(None, BinaryPolicy::Text)), Continue(()));
    assert_eq!(printer.stats(), None);
}

/// Decides about results in this order, and has this much room for each.
struct Chooser {
    decisions: Vec<(Admission, usize)>,
    buffer: Vec<u8>,
    /// Where the last result begins, and its room.
    result: (usize, usize),
}

impl Output for Chooser {
    fn begin_file(&mut self, separator: &[u8]) {
        self.buffer.begin_file(separator);
    }

    fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    fn commit(&mut self) -> Flow {
        Continue(())
    }

    fn end_file(&mut self) -> Flow {
        Continue(())
    }
}

impl Limit for Chooser {
    fn admit(&mut self) -> Admission {
        let (decision, room) = self.decisions.remove(0);
        self.result = (self.buffer.len(), room);
        decision
    }

    fn settle(&mut self) -> bool {
        let (start, room) = self.result;
        let fits = self.buffer.len() - start <= room;
        if !fits {
            self.buffer.truncate(start);
        }
        fits
    }
}

#[test]
fn results_are_left_out_with_their_context_unless_they_are_admitted() {
    use Admission::{Omit, Print, PrintLast, Stop};
    let (ample, scarce) = (usize::MAX, 3);
    let (go, stop) = (Continue(()), Break(()));
    for (decisions, expected, flow) in [
        (vec![(Print, ample), (Print, ample)], "a\nfoo foo\nx\n--\nfoo\n", go),
        (vec![(Omit, ample), (Print, ample)], "a\nfoo\n", go),
        (vec![(Print, ample), (Omit, ample)], "a\nfoo foo\nx\n", go),
        (vec![(Print, ample), (Stop, ample)], "a\nfoo foo\nx\n", stop),
        (vec![(PrintLast, ample)], "a\nfoo foo\n", stop),
        (vec![(Stop, ample)], "", stop),
        // A result for which there is no room leaves no heading behind.
        (vec![(Print, scarce), (Print, ample)], "a\nfoo\n", go),
        (vec![(Print, ample), (Print, scarce)], "a\nfoo foo\nx\n", go),
    ] {
        let output = Chooser { decisions, buffer: Vec::new(), result: (0, 0) };
        let mut printer = Printer::lines(&config(), output);
        let mut sink = Limited::new(printer.sink(Some(b"a"), BinaryPolicy::Quit), Admits::Results);
        assert_eq!(emit(&mut sink), flow, "{expected}");
        sink.finish(&Finish::default());
        assert!(sink.sink().has_match(), "{expected}");
        assert_eq!(String::from_utf8_lossy(&printer.into_output().buffer), expected);
    }
}
