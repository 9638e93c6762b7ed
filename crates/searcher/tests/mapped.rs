//! Files searched through a memory map: what is told is what reading tells, and a file that becomes shorter is an error
//! and nothing worse.

#![cfg(unix)]

use std::{
    fs::File,
    io::{ErrorKind, Write},
    os::unix::process::ExitStatusExt,
    process::Command,
};

use heist_matcher::{Finder, Matcher};
use heist_searcher::{
    BinaryPolicy, Config, Encoding, End, Finish, Flow, Line, Searcher, Sink, Source,
};

/// Writes down what it is told, and calls `at_line` with the number of lines before each.
struct Notes<F> {
    text: String,
    lines: usize,
    at_line: F,
}

impl<F: FnMut(usize)> Notes<F> {
    fn new(at_line: F) -> Notes<F> {
        Notes { text: String::new(), lines: 0, at_line }
    }

    fn line(&mut self, line: &Line<'_>) -> Flow {
        (self.at_line)(self.lines);
        self.lines += 1;
        let Line { kind, bytes, offset, number, .. } = line;
        self.text += &format!("{kind:?} {number:?} {offset} {}\n", bytes.escape_ascii());
        Flow::Continue(())
    }
}

impl<F: FnMut(usize)> Sink for Notes<F> {
    fn matched(&mut self, _: &mut Finder, line: &Line<'_>) -> Flow {
        self.line(line)
    }

    fn context(&mut self, _: &mut Finder, line: &Line<'_>) -> Flow {
        self.line(line)
    }

    fn binary(&mut self, offset: u64) -> Flow {
        self.text += &format!("binary {offset}\n");
        Flow::Continue(())
    }

    fn finish(&mut self, finish: &Finish) {
        self.text += &format!("{finish:?}\n");
    }

    fn abandon(&mut self) {
        self.text += "abandoned\n";
    }
}

fn finder(pattern: &str, multiline: bool) -> Finder {
    let config = heist_matcher::Config { multiline, ban_nul: false, ..Default::default() };
    Matcher::new(&[pattern.to_owned()], &config).unwrap().finder()
}

fn file_of(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file
}

/// Lines of 16 bytes.
fn lines(count: usize) -> Vec<u8> {
    (0..count).flat_map(|i| format!("line {i:010}\n").into_bytes()).collect()
}

#[test]
fn what_cannot_be_mapped_tells_nothing() {
    let mut notes = Notes::new(|_| {});
    let mut searcher = Searcher::new(Config::default());
    let mut finder = finder("x", false);
    let directory = File::open(".").unwrap();
    for file in [file_of(b""), directory] {
        let searched =
            searcher.search_file_mapped(&mut finder, &file, BinaryPolicy::Quit, &mut notes);
        assert!(searched.is_none());
    }
    assert_eq!(notes.text, "");
}

#[test]
fn maps_tell_what_reading_tells() {
    let mut late_nul = lines(20_000);
    late_nul[200_000] = 0;
    let mut early_nul = lines(100);
    early_nul[50] = 0;
    let utf16: Vec<u8> = "\u{FEFF}line 7\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let haystacks =
        [lines(20_000), late_nul, early_nul, utf16, b"\xEF\xBB\xBFline 7".to_vec(), b"7".to_vec()];
    for (bytes, multiline) in haystacks.iter().flat_map(|bytes| [(bytes, false), (bytes, true)]) {
        for binary in [BinaryPolicy::Text, BinaryPolicy::Quit, BinaryPolicy::Convert] {
            for encoding in [Encoding::Auto, Encoding::Always(encoding_rs::WINDOWS_1252)] {
                let config =
                    Config { encoding, line_numbers: true, before_context: 1, ..Config::default() };
                let mut finder =
                    finder(if multiline { "[07]77\nl|7" } else { "777|^l.*7$" }, multiline);
                let mut searcher = Searcher::new(config);
                let mut mapped = Notes::new(|_| {});
                let file = file_of(bytes);
                let searched = searcher.search_file_mapped(&mut finder, &file, binary, &mut mapped);
                searched.expect("it can be mapped").unwrap();
                let mut read = Notes::new(|_| {});
                let source = Source { reader: &bytes[..], binary, end: End::EmptyRead };
                searcher.search(&mut finder, source, &mut read).unwrap();
                assert_eq!(mapped.text, read.text, "{binary:?} {encoding:?} {multiline}");
            }
        }
    }
}

/// Search 2 MiB and make them shorter when the first line is told. Gives how many lines were told.
fn search_while_cutting(left: u64, config: Config, pattern: &str, multiline: bool) -> usize {
    let bytes = lines(128 << 10);
    let file = file_of(&bytes);
    let mut notes = Notes::new(|told| {
        if told == 0 {
            file.set_len(left).unwrap();
        }
    });
    let mut searcher = Searcher::new(config);
    let mut finder = finder(pattern, multiline);
    let searched = searcher.search_file_mapped(&mut finder, &file, BinaryPolicy::Text, &mut notes);
    let error = searched.expect("it can be mapped").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
    assert!(error.to_string().contains(&format!("{left} of {} bytes", bytes.len())), "{error}");
    assert!(notes.text.ends_with("abandoned\n"));
    notes.lines
}

#[test]
fn a_file_that_becomes_shorter_is_searched_to_its_new_end() {
    let inverted = Config { invert: true, ..Config::default() };
    let passthru = Config { passthru: true, ..Config::default() };
    for _ in 0..2 {
        assert_eq!(search_while_cutting(256 << 10, Config::default(), "line", false), 16 << 10);
        // Of the lines whose number ends in 5 the last one has none behind it any more.
        assert_eq!(search_while_cutting(256 << 10, Config::default(), "5\\nl", true), 1638);
        assert_eq!(search_while_cutting(256 << 10, inverted.clone(), "nothing", false), 16 << 10);
        assert_eq!(search_while_cutting(256 << 10, passthru.clone(), "nothing", false), 16 << 10);
        assert_eq!(search_while_cutting(0, Config::default(), "line", false), 1);
    }
    // The last page behind the end is zeros without a signal.
    let len = 16 * (128 << 10);
    let told = search_while_cutting(len - 16, Config::default(), "^line", false);
    assert_eq!(told, (128 << 10) - 1);
}

#[test]
fn many_threads_each_survive_their_own_file() {
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| search_while_cutting(4096, Config::default(), "line", false));
        }
    });
}

/// Set for the process that is to die.
const VICTIM: &str = "HEIST_TEST_SIGBUS_VICTIM";

#[test]
fn a_signal_that_is_none_of_ours_does_what_it_did_before() {
    if std::env::var_os(VICTIM).is_some() {
        let told = search_while_cutting(256 << 10, Config::default(), "line", false);
        assert_eq!(told, 16 << 10);
        let me = std::process::id().to_string();
        // The handler of Rust's own, which was there before, takes the first one for a fault: it goes away and lets the
        // instruction be tried again, which here goes on. The next signal meets nobody.
        for _ in 0..2 {
            Command::new("kill").args(["-BUS", &me]).status().unwrap();
            std::thread::sleep(std::time::Duration::from_secs(1));
        }
        return;
    }
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_signal_that_is_none_of_ours_does_what_it_did_before"])
        .env(VICTIM, "1")
        .output()
        .unwrap()
        .status;
    assert_eq!(status.signal(), Some(libc::SIGBUS), "{status}");
}
