//! Turns a command line into a configuration of a printer and of a simple search.

use std::time::Duration;

use heist_matcher::{Finder, Matcher, MatcherConfig as Patterns};
use heist_printer::{ColorSpecs, Hyperlink, Mode, Printer, PrinterConfig, Terminator};
use heist_searcher::{BinaryPolicy, Finish, Flow, Line, LineKind, Sink};

use self::search::search;

mod search;

/// The haystacks that command lines name.
pub(crate) const FILES: &[(&str, &[u8])] = &[
    ("a", b"foo bar foo\nxyz\n  foo end\n"),
    ("b", b"foo\n"),
    ("c", "é\n".as_bytes()),
    ("d", b"foo"),
    ("e", b""),
    ("g", b"1 foo\n2\n3\n4\n5 foo\n6 foofoo\n7\n8\n9\n10\n11 foo\n12\n"),
    ("i", b"\t \x0b\x0c foo\n\n \n\r\n  foo foo foo bar\n"),
    ("j", b"\"foo\" \\ \x01\x08\t/\x7f\nfoo \xff foo\nxyz\n\xffbar"),
    ("m", b"foo 1\n\n  bar foo 2\n foo 3 bar\nxyz\nbar\n\t foo 4 foo 5\n\nfoo"),
    ("r", b"foo\nfoo\r\nbar foo\r\n\r\n"),
    ("u", "αβγ foo δεζηθ foo\ne\u{301}e\u{301}e\u{301} foo e\u{301}e\u{301}\n".as_bytes()),
    ("z", b"foo\nbar\0foo bar\nx\0last"),
    ("dir/f", b"foo\nbar\n"),
];

/// The contents of one of [`FILES`].
pub(crate) fn file(name: &str) -> Option<&'static [u8]> {
    FILES.iter().find(|(n, _)| *n == name).map(|(_, contents)| *contents)
}

/// Escape sequences and NUL bytes, and their names in expected output.
const TOKENS: &[(&str, &str)] = &[
    ("{path}", if cfg!(windows) { "\x1b[0m\x1b[36m" } else { "\x1b[0m\x1b[35m" }),
    ("{line}", "\x1b[0m\x1b[32m"),
    ("{match}", "\x1b[0m\x1b[1m\x1b[31m"),
    ("{blue}", "\x1b[0m\x1b[44m"),
    ("{}", "\x1b[0m"),
    ("{0}", "\0"),
    ("{end}", "\x1b]8;;\x1b\\"),
    ("{link ", "\x1b]8;;"),
    ("}", "\x1b\\"),
];

/// Replaces escape sequences and NUL bytes by names, and what differs from run to run by T: times,
/// and the number of bytes searched, which depends on how a haystack is read.
pub(crate) fn fold(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output).into_owned();
    let text = TOKENS.iter().fold(text, |text, (name, bytes)| text.replace(bytes, name));
    text.split_inclusive('\n').map(forget).collect()
}

/// Replaces what differs from run to run in a line of statistics.
fn forget(line: &str) -> String {
    for end in [" seconds spent searching\n", " seconds total\n", " bytes searched\n"] {
        if line.ends_with(end) {
            return format!("T{end}");
        }
    }
    if !line.contains("\"stats\"") {
        return line.to_owned();
    }
    let is_value = |c: char| c.is_ascii_digit() || c == '.' || c == 's';
    ["\"nanos\":", "\"human\":\"", "\"bytes_searched\":"].iter().fold(
        line.to_owned(),
        |line, key| {
            let mut pieces = line.split(key);
            let first = pieces.next().unwrap_or_default().to_owned();
            pieces.fold(first, |line, rest| {
                format!("{line}{key}T{}", rest.trim_start_matches(is_value))
            })
        },
    )
}

/// The meaning of a command line.
struct Plan {
    config: PrinterConfig,
    mode: Option<Mode>,
    pattern: String,
    files: Vec<String>,
    before: usize,
    after: usize,
    passthru: bool,
    max_count: u64,
    json: bool,
    multiline: bool,
    dotall: bool,
}

/// The directory of the files in links.
pub(crate) const VAULT: &str = "/vault";

fn locate(path: &[u8]) -> Option<Vec<u8>> {
    let path = path.strip_prefix(b"./").unwrap_or(path);
    Some([VAULT.as_bytes(), b"/", path].concat())
}

/// The output of `hs COMMAND`. Words are separated by single spaces; `''` is the empty word, and
/// `_` within a word a space.
pub(crate) fn run(command: &str) -> Vec<u8> {
    let plan = parse(&words(command));
    let terminator = *plan.config.terminator.as_bytes().last().unwrap();
    let mut finder = Matcher::new(
        std::slice::from_ref(&plan.pattern),
        &Patterns {
            line_terminator: terminator,
            ban_nul: false,
            multiline: plan.multiline,
            crlf: plan.config.terminator == Terminator::CrLf,
            dot_matches_new_line: plan.dotall,
            ..Patterns::default()
        },
    )
    .unwrap()
    .finder();
    let mut printer = plan.printer();
    for name in &plan.files {
        let contents = file(name.trim_start_matches("./")).unwrap();
        let mut sink = printer.sink(Some(name.as_bytes()), BinaryPolicy::Text);
        search(&plan, &mut finder, contents, &mut sink);
    }
    plan.output(printer)
}

/// What sequences of events lead to.
pub(crate) struct Run {
    pub(crate) output: Vec<u8>,
    /// Whether the last file satisfies the search.
    pub(crate) has_match: bool,
    pub(crate) wants_unmatched: bool,
}

/// Runs `hs COMMAND` as if the search of each file led to these events: `quit: match foo, NUL`.
pub(crate) fn run_events(command: &str, events: &str) -> Run {
    let plan = parse(&words(command));
    let (mut printer, mut has_match, mut wants_unmatched) = (plan.printer(), false, false);
    let (policy, events) = events.split_once(": ").unwrap();
    let policy = match policy {
        "quit" => BinaryPolicy::Quit,
        "convert" => BinaryPolicy::Convert,
        "text" => BinaryPolicy::Text,
        other => panic!("no policy {other}"),
    };
    for name in &plan.files {
        let mut sink = printer.sink(Some(name.as_bytes()), policy);
        wants_unmatched = sink.wants().unmatched;
        assert!(!sink.has_match());
        feed(&mut sink, &plan.pattern, events);
        has_match = sink.has_match();
    }
    Run { output: plan.output(printer), has_match, wants_unmatched }
}

/// The position of the NUL byte in all sequences of events.
const NUL_AT: u64 = 128_075;

/// Passes `events` to `sink`, and a finish because of the NUL byte if there was one.
fn feed(sink: &mut dyn Sink, pattern: &str, events: &str) {
    let mut finder = finder(pattern, b'\n');
    let mut binary_offset = None;
    for event in events.split(", ") {
        let (event, expected) = match event.strip_suffix('!') {
            Some(event) => (event, Flow::Break(())),
            None => (event, Flow::Continue(())),
        };
        let (what, text) = event.split_once(' ').unwrap_or((event, ""));
        let text = text.replace('_', " ") + "\n";
        let text = text.replace("{0}\n", "\0");
        let line =
            |kind| Line { kind, bytes: text.as_bytes(), block: None, offset: 0, number: None };
        let answer = match what {
            "begin" => sink.begin(),
            "match" => sink.matched_with(&mut finder, &line(LineKind::Match)),
            "after" => sink.context_with(&mut finder, &line(LineKind::After)),
            "before" => sink.context_with(&mut finder, &line(LineKind::Before)),
            "gap" => sink.gap(),
            "NUL" => sink.binary(*binary_offset.insert(NUL_AT)),
            other => panic!("no event {other}"),
        };
        assert_eq!(answer, expected, "{event} of {events}");
    }
    sink.finish(&Finish { bytes_searched: 0, binary_offset, ..Finish::default() });
}

impl Plan {
    fn printer(&self) -> Printer<Vec<u8>> {
        match self.mode {
            None if self.json => Printer::json(&self.config, Vec::new()),
            None => Printer::lines(&self.config, Vec::new()),
            Some(mode) => Printer::summary(mode, &self.config, Vec::new()),
        }
    }

    /// The output of `printer`, with statistics if they are wanted.
    fn output(&self, printer: Printer<Vec<u8>>) -> Vec<u8> {
        let stats = printer.stats().copied();
        let mut output = printer.into_output();
        match stats {
            Some(stats) if self.json => stats.append_json_summary(&mut output, Duration::ZERO),
            Some(stats) => stats.append_text(&mut output, Duration::ZERO),
            None => {}
        }
        output
    }
}

/// Finds `pattern` in lines that `line_terminator` ends.
pub(crate) fn finder(pattern: &str, line_terminator: u8) -> Finder {
    let config = Patterns { line_terminator, ban_nul: false, ..Patterns::default() };
    Matcher::new(&[pattern.to_owned()], &config).unwrap().finder()
}

/// The words of a command line.
pub(crate) fn words(command: &str) -> Vec<String> {
    let word = |w: &str| {
        if w == "''" { String::new() } else { w.replace('_', " ") }
    };
    command.split(' ').map(word).collect()
}

fn parse(words: &[String]) -> Plan {
    let mut plan = Plan {
        config: PrinterConfig::default(),
        mode: None,
        pattern: String::new(),
        files: Vec::new(),
        before: 0,
        after: 0,
        passthru: false,
        max_count: u64::MAX,
        json: false,
        multiline: false,
        dotall: false,
    };
    let mut positionals = Vec::new();
    let (mut with_path, mut numbers) = (None, None);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let config = &mut plan.config;
        let mut value = || words.next().unwrap().clone();
        match word.as_str() {
            "-H" => with_path = Some(true),
            "-I" => with_path = Some(false),
            "-n" => numbers = Some(true),
            "-N" => numbers = Some(false),
            "-A" => plan.after = value().parse().unwrap(),
            "-B" => plan.before = value().parse().unwrap(),
            "-C" => {
                plan.before = value().parse().unwrap();
                plan.after = plan.before;
            }
            "--passthru" => plan.passthru = true,
            "-m" => plan.max_count = value().parse().unwrap(),
            "-c" => plan.mode = Some(Mode::Count),
            "--count-matches" => plan.mode = Some(Mode::CountMatches),
            "-l" => plan.mode = Some(Mode::FilesWithMatches),
            "--files-without-match" => plan.mode = Some(Mode::FilesWithoutMatch),
            "-q" if plan.mode == Some(Mode::FilesWithoutMatch) => {
                plan.mode = Some(Mode::QuietWithoutMatch);
            }
            "-q" => plan.mode = Some(Mode::Quiet),
            "--color=always" => config.colors = Some(ColorSpecs::default()),
            "--colors" => {
                let rule = value().parse().unwrap();
                if let Some(colors) = &mut config.colors {
                    colors.apply(&rule);
                }
            }
            "--vimgrep" => {
                (config.per_match, config.column) = (true, true);
                with_path = with_path.or(Some(true));
            }
            "-r" => config.replacement = Some(value().into_bytes()),
            "--json" => (plan.json, plan.mode) = (true, None),
            "-U" => plan.multiline = true,
            "--multiline-dotall" => plan.dotall = true,
            "--hyperlink-format" => {
                let format = value().parse().unwrap();
                let (host, wsl_prefix) = (String::new(), String::new());
                config.hyperlink = Some(Hyperlink { format, host, wsl_prefix, locate });
            }
            "--crlf" => config.terminator = Terminator::CrLf,
            "--null-data" => config.terminator = Terminator::Nul,
            "-M" => config.max_columns = Some(value().parse().unwrap()),
            "--path-separator" => config.path_separator = value().bytes().next(),
            "--field-match-separator" => config.field_match_separator = value().into_bytes(),
            "--field-context-separator" => config.field_context_separator = value().into_bytes(),
            "--context-separator" => config.context_separator = Some(value().into_bytes()),
            "--no-context-separator" => config.context_separator = None,
            _ if word.starts_with('-') => set_switch(config, word),
            _ => positionals.push(word.clone()),
        }
    }
    plan.pattern = positionals.remove(0);
    plan.files = positionals;
    settle(&mut plan, with_path, numbers);
    plan
}

/// Resolves settings that depend on others, as the program does.
fn settle(plan: &mut Plan, with_path: Option<bool>, numbers: Option<bool>) {
    let config = &mut plan.config;
    if config.only_matching && plan.mode == Some(Mode::Count) {
        plan.mode = Some(Mode::CountMatches);
    }
    config.context = plan.before + plan.after > 0;
    config.heading &= !config.per_match;
    config.line_numbers = numbers.unwrap_or(config.column || plan.json);
    config.with_path = with_path.unwrap_or(plan.files.len() > 1);
}

fn set_switch(config: &mut PrinterConfig, word: &str) {
    let switch = match word {
        "-b" => &mut config.byte_offset,
        "-o" => &mut config.only_matching,
        "-v" => &mut config.invert,
        "-0" => &mut config.null,
        "--column" => &mut config.column,
        "--heading" => &mut config.heading,
        "--trim" => &mut config.trim,
        "--max-columns-preview" => &mut config.max_columns_preview,
        "--stats" => &mut config.stats,
        "--include-zero" => &mut config.include_zero,
        _ => panic!("the driver does not know {word}"),
    };
    *switch = true;
}
