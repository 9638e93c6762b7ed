//! The decoder beside `encoding_rs`, which decodes the whole text at once, and `encoding_rs_io`,
//! with which ripgrep reads.

use std::io::{self, Read};

use encoding_rs::{SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use encoding_rs_io::DecodeReaderBytesBuilder;
use fastrand::Rng;

use super::decoder::{Decoder, Sizes};
use crate::{Encoding, SearchConfig, aligned::AlignedBytes};

/// Returns at most `most` bytes at a time.
struct Short<'a> {
    bytes: &'a [u8],
    most: usize,
}

impl Read for Short<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = self.most.min(buffer.len());
        self.bytes.read(&mut buffer[..most])
    }
}

fn config(encoding: Option<&'static encoding_rs::Encoding>) -> SearchConfig {
    let encoding = encoding.map_or(Encoding::Auto, Encoding::Always);
    SearchConfig { encoding, ..SearchConfig::default() }
}

/// The reads of `reader` into buffers of `room` bytes.
fn reads(mut reader: impl Read, room: usize) -> Vec<Vec<u8>> {
    let mut reads = Vec::new();
    let mut buffer = vec![0; room];
    loop {
        let got = reader.read(&mut buffer).unwrap();
        if got == 0 {
            return reads;
        }
        reads.push(buffer[..got].to_vec());
    }
}

/// Units of UTF-16, or bytes, of runs of ASCII and of everything that may be malformed.
fn random_bytes(rng: &mut Rng) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mark: &[u8] =
        rng.choice([&b""[..], b"", b"\xFF\xFE", b"\xFE\xFF", b"\xEF\xBB\xBF"]).unwrap();
    bytes.extend(mark);
    let odd: &[u16] = &[0xD83D, 0xDCA9, 0xFEFF, 0xFFFE, 0x434, 0x65E5, 0xE9, 0x80, 0x7F, 0];
    let (is_big, is_narrow) = (rng.bool(), rng.u8(..4) == 0);
    let rate = if rng.bool() { 250 } else { 6 };
    for _ in 0..rng.usize(..12) {
        let most = if rng.bool() { 4 } else { 200 };
        for _ in 0..rng.usize(..most) {
            let unit = match (rng.u8(..rate), rng.u8(..8)) {
                (0, 0) => rng.u16(..),
                (0, _) => odd[rng.usize(..odd.len())],
                _ => u16::from(rng.u8(b'a'..b'f')),
            };
            match (is_narrow, is_big) {
                (true, _) => bytes.push(unit as u8),
                (false, true) => bytes.extend(unit.to_be_bytes()),
                (false, false) => bytes.extend(unit.to_le_bytes()),
            }
        }
        if rng.u8(..20) == 0 {
            bytes.push(rng.u8(..));
        }
    }
    bytes
}

/// What ripgrep's decoder strips, then what the decoder of the text does.
fn whole(encoding: Option<&'static encoding_rs::Encoding>, bytes: &[u8]) -> Vec<u8> {
    let mark = encoding_rs::Encoding::for_bom(bytes);
    let rest = &bytes[mark.map_or(0, |(_, len)| len)..];
    let marked = mark.map(|(encoding, _)| encoding).filter(|_| bytes.len() >= 3);
    let encoding = marked.filter(|marked| *marked != UTF_8).or(encoding);
    encoding.map_or(Vec::new(), |encoding| {
        encoding.decode_with_bom_removal(rest).0.into_owned().into_bytes()
    })
}

#[test]
fn reads_are_those_of_ripgrep_where_nul_bytes_are() {
    let mut rng = Rng::with_seed(16);
    let (mut raw, mut joined) = (AlignedBytes::default(), 0);
    for round in 0..8_000 {
        let bytes = random_bytes(&mut rng);
        let marks_utf16 =
            bytes.len() > 2 && (bytes[..2] == [0xFF, 0xFE] || bytes[..2] == [0xFE, 0xFF]);
        let label = match rng.u8(..8) {
            _ if marks_utf16 && rng.bool() => None,
            0 => Some(UTF_8),
            1 => Some(WINDOWS_1252),
            2 => Some(SHIFT_JIS),
            3..6 => Some(UTF_16LE),
            _ => Some(UTF_16BE),
        };
        let config = config(label);
        let sizes = *rng.choice(&[(8, 8), (8, 64), (61, 305), (128, 1024)]).unwrap();
        let sizes = Sizes { piece: sizes.0, step: sizes.1 };
        let room = *rng.choice(&[4, 5, 7, 30, 100, 1000, 100_000]).unwrap();
        let most = if rng.bool() { usize::MAX } else { rng.usize(1..200) };

        let source = Short { bytes: &bytes, most };
        let ours = reads(Decoder::with_sizes(&config, None, source, &mut raw, sizes), room);
        let message = || format!("round {round}: {label:?}, {sizes:?}, {room}, {most}: {bytes:x?}");
        assert_eq!(ours.concat(), whole(label, &bytes), "{}", message());

        if most < usize::MAX {
            // A read that returns less ends a piece; which ones do depends on their length.
            continue;
        }
        let mut buffer = vec![0; sizes.piece];
        let theirs = DecodeReaderBytesBuilder::new()
            .encoding(label)
            .utf8_passthru(true)
            .strip_bom(true)
            .bom_override(true)
            .build_with_buffer(&bytes[..], &mut buffer[..])
            .unwrap();
        let mut theirs = reads(theirs, room).into_iter();
        for read in ours {
            let mut same = theirs.next().unwrap();
            if read.contains(&0) {
                assert_eq!(read, same, "{}", message());
            }
            while same.len() < read.len() {
                same.extend(theirs.next().unwrap());
                joined += 1;
            }
            assert_eq!(read, same, "{}", message());
        }
        assert_eq!(theirs.next(), None);
    }
    assert!(joined > 5_000, "{joined}");
}

#[test]
fn nothing_is_lost_in_small_buffers() {
    let (config, mut raw) = (config(Some(UTF_16LE)), AlignedBytes::default());
    // Half a character at the end becomes U+FFFD, of three bytes.
    let decoder = Decoder::new(&config, None, &b"a\0\xE5\x65b"[..], &mut raw);
    let text = reads(decoder, 1).concat();
    assert_eq!(String::from_utf8(text).unwrap(), "a日\u{FFFD}");
}
