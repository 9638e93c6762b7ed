//! The same tests for every format: a whole file, several files in a row, a file truncated at every
//! byte, and a file damaged at every byte.

use std::io::Write;

use super::*;

/// A compressed file that contains `line 0` to `line 199`.
struct Sample {
    format: &'static str,
    bytes: Vec<u8>,
    /// Whether several of them in a row are a valid file.
    repeats: bool,
    /// Whether a file of zero bytes is valid.
    may_be_empty: bool,
}

/// Made by xz 5.4: `xz -9e`.
const XZ: &str = "fd377a585a000004e6d6b446020021011c00000010cf58cce0069900c75d00361a4a1f08a025c1de94ba90cc3b2b1f353af2\
    5fd59e7e73b2deeaf7c22d0427315bca0c47fc95d21d5b7ca448f8da9ab6863d2e725fca810fa304994fb44c4af3ecb419175825640a74dd1f\
    aa8465dc03eac2fb04969f50f73f40339198ce7b4ca1c7d81288a49c746858b166cccaaa7b7d0f648137fce71b00cb8c6817f8f24046116748\
    2575a4748da56375f9f3ea7cfa6dcc27e86885c2c93b424324e42208beef61c5394ffc4e4f57f89a82f60079dfeb6ec75e70bbbb1524912d54\
    38022e235fb480840000001a4e41ca14d1920a0001e3019a0d0000d206c0b4b1c467fb020000000004595a";

/// Made by xz 5.4: `xz --format=lzma -9e`.
const LZMA: &str = "5d00000004ffffffffffffffff00361a4a1f08a025c1de94ba90cc3b2b1f353af25fd59e7e73b2deeaf7c22d0427315bca0c\
    47fc95d21d5b7ca448f8da9ab6863d2e725fca810fa304994fb44c4af3ecb419175825640a74dd1faa8465dc03eac2fb04969f50f73f403391\
    98ce7b4ca1c7d81288a49c746858b166cccaaa7b7d0f648137fce71b00cb8c6817f8f240461167482575a4748da56375f9f3ea7cfa6dcc27e8\
    6885c2c93b424324e42208beef61c5394ffc4e4f57f89a82f60079dfeb6ec75e70bbbb1524912d5438022e235fc9554df1fffc13b000";

/// Made by brotli 1.0: `brotli -q 11 -w 16`.
const BROTLI: &str = "22d300932254ba1b8c7ddf9232a8a28304996abb0584f70f249e08d405122c30e233fc75398cd3bc6cb6bbfd0fe68b90588c\
    75fbc706241663ddfea90189c558b77f6e406231d6ed5f1a90588c75fb370d482cc6bafddb06241663ddfe5d03128bb16effbe0189c558b7ff\
    473721a65c9ab6f3870e31e5d2b49d3f76882997a6edfca9434cb9346de7cf1d62caa5693b7fe910532e4ddbf99b0e31e5d2b49dbfed10532e\
    4ddbf9bb0e31e5d2b49dbfef10532e4ddbfd7e01";

fn text() -> Vec<u8> {
    (0..200).flat_map(|number| format!("line {number}\n").into_bytes()).collect()
}

fn from_hex(digits: &str) -> Vec<u8> {
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.as_bytes().chunks(2).map(byte).collect()
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn lz4(text: &[u8]) -> Vec<u8> {
    let info = lz4_flex::frame::FrameInfo::new().content_checksum(true);
    let mut encoder = lz4_flex::frame::FrameEncoder::with_frame_info(info, Vec::new());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(text: &[u8]) -> Vec<u8> {
    let mut encoder = ::bzip2::write::BzEncoder::new(Vec::new(), ::bzip2::Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(text, ruzstd::encoding::CompressionLevel::Fastest)
}

fn samples() -> Vec<Sample> {
    let sample = |format, bytes, repeats| Sample { format, bytes, repeats, may_be_empty: false };
    vec![
        sample("gzip", gzip(&text()), true),
        sample("bzip2", bzip2(&text()), true),
        sample("xz", from_hex(XZ), true),
        sample("lzma", from_hex(LZMA), false),
        Sample { may_be_empty: true, ..sample("lz4", lz4(&text()), true) },
        sample("brotli", from_hex(BROTLI), false),
        sample("zstd", zstd(&text()), true),
    ]
}

fn file(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    io::Seek::rewind(&mut file).unwrap();
    file
}

fn named(name: &str) -> &'static Format {
    FORMATS.iter().find(|format| format.name == name).unwrap()
}

/// Decodes `bytes`. Returns the contents before the first error, and the error.
fn decode(decoders: &mut Decoders, format: &str, bytes: &[u8]) -> (Vec<u8>, Option<String>) {
    let mut decoder = decoders.open(named(format), file(bytes)).unwrap();
    let mut decoded = Vec::new();
    let fault = decoder.read_to_end(&mut decoded).err().map(|error| error.to_string());
    let again = decoder.read(&mut [0; 10]).map_err(|error| error.to_string());
    assert_eq!(again, fault.clone().map_or(Ok(0), Err), "a further read repeats the end");
    decoders.keep(decoder);
    (decoded, fault)
}

#[test]
fn names_determine_formats() {
    for (name, format) in [
        ("a.gz", Some("gzip")),
        ("dir/a.tar.gz", Some("gzip")),
        (".tgz", Some("gzip")),
        ("a.zstd", Some("zstd")),
        ("a.Z", Some("compress")),
        ("a.z", None),
        ("a.GZ", None),
        ("gz", None),
        ("a.gz.txt", None),
    ] {
        assert_eq!(Format::of(name.as_bytes()).map(|format| format.name), format, "{name}");
    }
}

#[test]
fn files_may_consist_of_several() {
    let mut decoders = Decoders::default();
    for Sample { format, bytes, repeats, .. } in samples() {
        for _ in 0..2 {
            assert_eq!(decode(&mut decoders, format, &bytes), (text(), None), "{format}");
        }
        let (decoded, fault) = decode(&mut decoders, format, &bytes.repeat(3));
        let times = if repeats { 3 } else { 1 };
        assert!(decoded == text().repeat(times), "{format}");
        assert_eq!(fault.is_none(), repeats, "{format}: {fault:?}");
    }
}

#[test]
fn a_truncated_file_is_decoded_up_to_its_end() {
    let mut decoders = Decoders::default();
    for Sample { format, bytes, may_be_empty, .. } in samples() {
        for length in 0..bytes.len() {
            let (decoded, fault) = decode(&mut decoders, format, &bytes[..length]);
            assert!(text().starts_with(&decoded), "{format} cut after {length}");
            let is_whole = length == 0 && may_be_empty;
            assert_eq!(fault.is_none(), is_whole, "{format} cut after {length}: {fault:?}");
        }
        assert_eq!(decode(&mut decoders, format, &bytes), (text(), None), "{format} afterwards");
    }
}

#[test]
fn contents_can_be_read_byte_by_byte() {
    let mut decoders = Decoders::default();
    for Sample { format, bytes, .. } in samples() {
        let mut decoder = decoders.open(named(format), file(&bytes)).unwrap();
        let mut decoded = Vec::new();
        let mut byte = [0];
        while decoder.read(&mut byte).unwrap() > 0 {
            decoded.push(byte[0]);
        }
        assert!(decoded == text(), "{format}");
    }
}

#[test]
fn damaged_files_cause_no_panic() {
    let mut decoders = Decoders::default();
    for Sample { format, bytes, .. } in samples() {
        for at in 0..bytes.len() {
            for flip in [0x01, 0x10, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                let (decoded, fault) = decode(&mut decoders, format, &damaged);
                assert!(decoded.len() < 1 << 24, "{format} with {flip:#x} at {at}");
                let panicked = fault.is_some_and(|fault| fault.ends_with("the decoder failed"));
                assert!(!panicked, "{format} with {flip:#x} at {at}");
            }
        }
        assert_eq!(decode(&mut decoders, format, &bytes), (text(), None), "{format} afterwards");
    }
}

#[test]
fn bytes_behind_the_end() {
    let mut decoders = Decoders::default();
    let garbage = b"What is this?";
    for Sample { format, bytes, .. } in samples() {
        let (decoded, fault) = decode(&mut decoders, format, &[&bytes, &garbage[..]].concat());
        assert!(decoded == text(), "{format}");
        assert_eq!(fault.is_none(), format == "bzip2", "{format}: {fault:?}");
        let (decoded, fault) = decode(&mut decoders, format, garbage);
        let fault = fault.unwrap_or_default();
        assert!(decoded.is_empty(), "{format}");
        assert_eq!(fault.matches(&format!("{format}: ")).count(), 1, "{fault}");
    }
    let padded = [gzip(b"a gem\n"), vec![0; 100_000]].concat();
    assert_eq!(decode(&mut decoders, "gzip", &padded), (b"a gem\n".to_vec(), None));
    let padded = [from_hex(XZ), vec![0; 8], from_hex(XZ)].concat();
    assert_eq!(decode(&mut decoders, "xz", &padded), (text().repeat(2), None));
}

/// Bytes behind a stream are garbage, which is ignored, or another stream, which may be damaged, as
/// for the program bzip2.
#[test]
fn bytes_like_another_bzip2_stream() {
    let mut decoders = Decoders::default();
    let cases: [(&[u8], Option<&str>); 9] = [
        (b"BZhello gem\n", None),
        (b"BZh0", None),
        (b"BZip", None),
        (b"Bz", None),
        (b"B", Some("bzip2: unexpected end of file")),
        (b"BZh", Some("bzip2: unexpected end of file")),
        (b"BZh9", Some("bzip2: unexpected end of file")),
        (b"BZh91AY&S", Some("bzip2: unexpected end of file")),
        (b"BZh9 and more of that", Some("bzip2: invalid data")),
    ];
    for (rest, expected) in cases {
        let bytes = [&bzip2(b"a gem\n")[..], rest].concat();
        let (decoded, fault) = decode(&mut decoders, "bzip2", &bytes);
        assert_eq!(decoded, b"a gem\n");
        assert_eq!(fault.as_deref(), expected, "{}", rest.escape_ascii());
    }
    let empty = [bzip2(b""), bzip2(b"a gem\n"), bzip2(b"")].concat();
    assert_eq!(decode(&mut decoders, "bzip2", &empty), (b"a gem\n".to_vec(), None));
}

#[test]
fn other_text_is_distinguished_from_a_truncated_file() {
    let mut decoders = Decoders::default();
    let formats: [(&str, &[u8]); 2] = [("gzip", &gzip(b"a gem\n")), ("xz", &from_hex(XZ))];
    for (format, bytes) in formats {
        let unlike = Some(format!("{format}: not in {format} format"));
        for text in [&b"x"[..], b"a gem\n", b"a gem among many words\n", &bytes[1..]] {
            let (decoded, fault) = decode(&mut decoders, format, text);
            assert_eq!((decoded, &fault), (Vec::new(), &unlike), "{}", text.escape_ascii());
        }
        for length in 0..6 {
            let (decoded, fault) = decode(&mut decoders, format, &bytes[..length]);
            let cut = Some(format!("{format}: unexpected end of file"));
            assert_eq!((decoded, fault), (Vec::new(), cut), "{length}");
        }
    }
}

#[test]
fn frames_may_be_skipped() {
    let skipped = [&[0x5e, 0x2a, 0x4d, 0x18, 6, 0, 0, 0][..], b"a gem\n"].concat();
    let mut decoders = Decoders::default();
    for (format, bytes) in [("lz4", lz4(&text())), ("zstd", zstd(&text()))] {
        let several = [skipped.clone(), skipped.clone(), bytes.clone(), skipped.clone(), bytes];
        let (decoded, fault) = decode(&mut decoders, format, &several.concat());
        assert_eq!((decoded == text().repeat(2), fault), (true, None), "{format}");
        assert_eq!(decode(&mut decoders, format, &skipped), (Vec::new(), None), "{format}");
        let empty = [0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0];
        assert_eq!(decode(&mut decoders, format, &empty), (Vec::new(), None), "{format}");
        let (_, fault) = decode(&mut decoders, format, &skipped[..10]);
        assert_eq!(fault, Some(format!("{format}: unexpected end of file")));
    }
}

#[test]
fn large_contents_are_complete() {
    let mut decoders = Decoders::default();
    let large = text().repeat(2000);
    type Encode = fn(&[u8]) -> Vec<u8>;
    let encoders: [(&str, Encode); 4] =
        [("gzip", gzip), ("bzip2", bzip2), ("lz4", lz4), ("zstd", zstd)];
    for (format, encode) in encoders {
        let bytes = encode(&large);
        let (decoded, fault) = decode(&mut decoders, format, &bytes);
        assert_eq!((decoded == large, fault), (true, None), "{format}");
        let (decoded, fault) = decode(&mut decoders, format, &bytes[..bytes.len() - 1]);
        assert!(large.starts_with(&decoded) && fault.is_some(), "{format}");
    }
    assert!(decoders.kept.len() <= encoders.len());
}
