//! Files searched through a memory map: the events are those of reading, and truncation of the file
//! is an error and nothing worse.

use std::{
    fs::File,
    io::{self, ErrorKind, Read},
    os::unix::process::ExitStatusExt,
    process::Command,
};

use heist_matcher::{Finder, Matcher, MatcherConfig};

use super::file_of;
use crate::{
    BinaryPolicy, Encoding, End, MappedFile, SearchConfig, Searcher, Source,
    trial::{Event, Record},
};

fn finder(pattern: &str, multiline: bool) -> Finder {
    let config = MatcherConfig { multiline, ban_nul: false, ..MatcherConfig::default() };
    Matcher::new([pattern], &config).unwrap().finder()
}

/// Lines of 16 bytes.
fn lines(count: usize) -> Vec<u8> {
    (0..count).flat_map(|i| format!("line {i:010}\n").into_bytes()).collect()
}

fn map(file: &File) -> MappedFile<'_> {
    MappedFile::new(file).expect("it can be mapped")
}

/// Searches all of a map.
fn search(
    config: &SearchConfig,
    mut finder: Finder,
    reader: impl Read,
    record: &mut Record,
) -> io::Result<()> {
    let source = Source { reader, end: End::EmptyRead };
    Searcher::new(config.clone()).search(&mut finder, source, record)
}

/// Settings under which NUL bytes are text.
fn text() -> SearchConfig {
    SearchConfig { line_numbers: false, binary: BinaryPolicy::Text, ..SearchConfig::default() }
}

#[test]
fn what_cannot_be_mapped() {
    assert!(MappedFile::new(&file_of(b"")).is_none());
    assert!(MappedFile::new(&File::open(".").unwrap()).is_none());
}

#[test]
fn maps_emit_the_events_of_reading() {
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
                    SearchConfig { encoding, binary, before_context: 1, ..SearchConfig::default() };
                let pattern = if multiline { "[07]77\nl|7" } else { "777|^l.*7$" };
                let [mut mapped, mut read] = [(); 2].map(|()| Record::new(false));
                let file = file_of(bytes);
                let finder = || finder(pattern, multiline);
                search(&config, finder(), map(&file), &mut mapped).unwrap();
                search(&config, finder(), &bytes[..], &mut read).unwrap();
                assert_eq!(mapped.events, read.events, "{binary:?} {encoding:?} {multiline}");
            }
        }
    }
}

/// Searches 2 MiB and truncates the file when the first line is emitted. Returns the number of
/// emitted lines.
fn search_while_cutting(left: u64, config: &SearchConfig, pattern: &str) -> usize {
    let bytes = lines(128 << 10);
    let file = file_of(&bytes);
    let finder = finder(pattern, false);
    let reader = map(&file);
    let mut record = Record { cuts: Some((file.try_clone().unwrap(), left)), ..Record::new(false) };
    let error = search(config, finder, reader, &mut record).unwrap_err();
    assert_cut(&error, left, bytes.len());
    assert_eq!(record.events.last(), Some(&Event::Abandon));
    let has_nul = |line: &&[u8]| line.contains(&0);
    assert_eq!(record.lines().find(has_nul), None, "what got lost is emitted");
    record.lines().count()
}

fn assert_cut(error: &io::Error, left: u64, len: usize) {
    assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
    assert!(error.to_string().contains(&format!("{left} of {len} bytes")), "{error}");
}

#[test]
fn a_file_that_becomes_shorter_is_searched_to_its_new_end() {
    let inverted = SearchConfig { invert: true, ..text() };
    let passthru = SearchConfig { passthru: true, ..text() };
    let len = 16 * (128 << 10);
    // The rest of the last page, after an end within the file, consists of zeros without a signal.
    for (left, emitted) in [(256 << 10, 16 << 10), (len - 16, (128 << 10) - 1), (300_008, 18_750)] {
        assert_eq!(search_while_cutting(left, &text(), "line|\\x00"), emitted);
        assert_eq!(search_while_cutting(left, &inverted, "nothing"), emitted);
        assert_eq!(search_while_cutting(left, &passthru, "nothing"), emitted);
    }
    // What was read before is emitted.
    assert_eq!(search_while_cutting(0, &text(), "line"), (128 << 10) / 16);
}

#[test]
fn a_truncated_file_that_is_needed_whole_is_searched_to_its_new_end() {
    let bytes = lines(128 << 10);
    for left in [0, 256 << 10, 300_008] {
        let file = file_of(&bytes);
        let mapped = map(&file);
        file.set_len(left).unwrap();
        let mut record = Record::new(false);
        let error = search(&text(), finder("5\nl", true), mapped, &mut record).unwrap_err();
        assert_cut(&error, left, bytes.len());
        // Lines have 16 bytes, and every tenth match begins a block of two.
        let whole_lines = left as usize / 16;
        let blocks = (0..whole_lines).filter(|line| line % 10 == 5 && line + 1 < whole_lines);
        assert_eq!(record.lines().count(), blocks.count());
        assert!(record.events.last().is_none_or(|event| *event == Event::Abandon));
    }
}

#[test]
fn reads_give_what_is_left_and_then_errors() {
    let bytes = lines(4096);
    // Ends on a page, within one, within the last one, before the bytes already returned, and at 0.
    for left in [32 << 10, 40_005, (64 << 10) - 5, 10, 0] {
        for read in [4096, 1000, 64 << 10] {
            let file = file_of(&bytes);
            let mut mapped = map(&file);
            let (mut given, mut buffer) = (vec![0; 4096], vec![1; read]);
            mapped.read_exact(&mut given).unwrap();
            file.set_len(left as u64).unwrap();
            let error = loop {
                match mapped.read(&mut buffer) {
                    Ok(got) => given.extend_from_slice(&buffer[..got]),
                    Err(error) => break error,
                }
            };
            assert!(given == bytes[..left.max(4096)], "{left} {read}: {}", given.len());
            assert_cut(&error, left as u64, bytes.len());
            assert_cut(&mapped.read(&mut buffer).unwrap_err(), left as u64, bytes.len());
            // After extension the rest stays lost, because the map has zeros there.
            file.set_len(bytes.len() as u64).unwrap();
            assert_eq!(mapped.read(&mut buffer).unwrap_err().kind(), ErrorKind::Other);
            assert_eq!(mapped.read(&mut []).unwrap(), 0);
        }
    }
}

/// Counts the bytes read.
struct Counted<'c, R> {
    reader: R,
    bytes: &'c mut usize,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer).inspect(|got| *self.bytes += got)
    }
}

#[test]
fn what_is_not_searched_is_not_read() {
    let file = file_of(&lines(128 << 10));
    for binary in [BinaryPolicy::Text, BinaryPolicy::Quit, BinaryPolicy::Convert] {
        let mut bytes = 0;
        let reader = Counted { reader: map(&file), bytes: &mut bytes };
        let mut record = Record::new(false);
        let config = SearchConfig { max_matches: Some(1), binary, ..text() };
        search(&config, finder("line", false), reader, &mut record).unwrap();
        assert_eq!(record.lines().count(), 1);
        // The first read, and as much again.
        assert!(bytes <= 256 << 10, "{binary:?}: {bytes}");
    }
}

#[test]
fn many_threads_each_survive_their_own_file() {
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| search_while_cutting(4096, &text(), "line"));
        }
    });
}

/// Set for the process that is to be killed.
const VICTIM: &str = "HEIST_TEST_SIGBUS_VICTIM";

#[test]
fn a_signal_from_elsewhere_has_its_previous_effect() {
    if std::env::var_os(VICTIM).is_some() {
        let emitted = search_while_cutting(256 << 10, &text(), "line");
        assert_eq!(emitted, 16 << 10);
        let me = std::process::id().to_string();
        // Rust's own handler, which was there before, takes the first signal for a fault: it
        // removes itself and repeats the instruction, which here continues. The next signal has no
        // handler.
        for _ in 0..2 {
            Command::new("sh").args(["-c", &format!("kill -BUS {me}")]).status().unwrap();
            std::thread::sleep(std::time::Duration::from_secs(1));
        }
        return;
    }
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tests::mmap::a_signal_from_elsewhere_has_its_previous_effect"])
        .env(VICTIM, "1")
        .output()
        .unwrap()
        .status;
    if std::env::var_os("HS_TEST_SANITIZED").is_some() {
        // The previous handler is the sanitizer's, which reports a fault and exits.
        assert_eq!(status.code(), Some(1), "{status}");
    } else {
        assert_eq!(status.signal(), Some(libc::SIGBUS), "{status}");
    }
}
