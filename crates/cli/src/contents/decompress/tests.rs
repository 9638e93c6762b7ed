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

/// Made by a few lines of Python, and decoded by gzip 1.12.
const COMPRESS: &str = "1f9d906cd2b82903028682800341c4382890a00c8609674024486322881a166d58bc611187c51c166318444830c642920a1f\
    a28c217165c59518576a5cc971a5c7952051ca18d910848c933d65a80cda32e8cba03183ce0c5a33e8cda0397bcee0191168\
    c4a1118b463c1a3169c4a5119b467c1a316a421a54295aa58895a2568a5c297aa50896a2588a64299a255823edc5b517db5e\
    7c7b31eec5b917eb5ebc7b31efc5bd206cf8b501d886601b846d18b681d886621b8c6d38b601f986df1b806f08be41f886e1\
    1b886f28bec1f886e31b9071f8c5011887601c847118c6811887621c8c7138c6013987df1c807308ce413887e11c887328ce\
    c13887e31c9045fa150958a4609184451a168958a462918c453a16195e644893f7cfb3bcbf3e46fb18efc5105f0cf3c510de\
    4e21fd94e07932a427c37a32b427c37b32c427c37c3284375548339437c37933a437c37a33b437c37b33c437c37c33848756\
    48349447c37934a447c37a34b447c37b34c447c37c3484d75748359457c37935a457c37a35b457c37b35c457c37c35842759\
    489461791e6658aec71996ef8186e57ca485649a99e5a966667aae99d99e6c66c6679b99e1e916126f779e07dc9deb1177e7\
    7bc8dd391f732139576879d2159a9e7585b6a75da1f179572848";

/// The first 700 bytes of that text, in codes of at most 10 bits and with tables that are cleared.
const CLEARED: &str = "1f9d8a6cd2b82903028682800341c4382890a00c8609674024486322881a166d58bc611187c51c166318444830c642920a1f\
    a28c217165c59518576a5cc971a5c7952051ca1899062000006eca80901143019b340107ca308850a08c190c13caa011d161\
    8d8a036d60947163238e8d3930ce8021b2e0c18433169e143803e24a103328be9c7171a6c6991d677e9c99032000000ad8a4\
    715306040d18010716a41123214183321c2e9c21d1208d8a346a60b481f106461c187354ac8150e0c31a0d4d16ac11512588\
    1a145dd6b82853a34c8e323dca04c90620000069dc940151238702360107da80713021081b311a0a7c2843a2c219161fd2c8\
    68a306471b1c6f70c4c1d120c28937189e1c7823e24a10372abebc8171e6c6991e67829c79032000000ad8a4715306c40d1c\
    010716bc91232141103860382c8823c64488322ee298a19186c61a1a6d68bca111";

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

fn named(name: &str) -> &'static CompressionFormat {
    FORMATS.iter().find(|format| format.name == name).unwrap()
}

/// Decodes `bytes`. Returns the contents before the first error, and the error.
fn decode(decoders: &mut Decoders, format: &str, bytes: &[u8]) -> (Vec<u8>, Option<String>) {
    let mut decoder = decoders.open(named(format), file(bytes), &[]);
    let mut decoded = Vec::new();
    let fault = decoder.read_to_end(&mut decoded).err().map(|error| error.to_string());
    let again = decoder.read(&mut [0; 10]).map_err(|error| error.to_string());
    assert_eq!(again, fault.clone().map_or(Ok(0), Err), "a further read repeats the end");
    decoders.keep(decoder);
    (decoded, fault)
}

/// A file of each format.
fn known_files() -> Vec<(&'static str, Vec<u8>)> {
    let samples = samples().into_iter().map(|sample| (sample.format, sample.bytes));
    samples.chain([("compress", from_hex(COMPRESS))]).collect()
}

/// The format of a file at `path` with these bytes.
fn format_of(path: &str, bytes: &[u8]) -> Option<&'static str> {
    let start = &bytes[..bytes.len().min(START)];
    CompressionFormat::of(path.as_bytes(), start).map(|format| format.name)
}

#[test]
fn the_start_of_a_file_determines_its_format() {
    let known = known_files();
    for (name, bytes) in &known {
        let is_told_by_name = named(name).magic.is_empty();
        for path in ["log.1", "a", "a.txt", "a.gz", "a.ZST", "a.bz2", "a.Z"] {
            let expected = (!is_told_by_name).then_some(*name);
            assert_eq!(format_of(path, bytes), expected, "{name} as {path}");
        }
        let ends = named(name).ends;
        assert_eq!(format_of(&format!("dir/a.tar{}", ends[0]), bytes), Some(*name));
        // What is cut off within its first bytes is damaged.
        assert_eq!(format_of(&format!("a{}", ends[0]), &bytes[..1]), Some(*name));
        assert_eq!(format_of(ends[0], b""), Some(*name));
        let upper = format!("a{}", ends[0].to_uppercase());
        assert_eq!(format_of(&upper, b""), Some(*name));
        assert_eq!(format_of("a", &bytes[..1]), None);
    }
    for text in [
        &b"a gem\n"[..],
        b"",
        b"BZh",
        b"BZh9 is what it begins with",
        b"\x1f\x8b is a control character",
        b"\x1f\x9d is too",
        b"\x1f\x8b\x08\xff",
        b"\x28\xb5",
        b"7zXZ\0",
        b"\x50\x2a\x4d\x18",
    ] {
        for path in ["a", "a.txt", "gz", "a.gz.txt", "a.z"] {
            assert_eq!(format_of(path, text), None, "{}", text.escape_ascii());
        }
    }
    assert_eq!(format_of("a.gz", b"a gem\n"), None);
    assert_eq!(format_of("a.br", b"a gem\n"), Some("brotli"));
    assert_eq!(format_of("a.lz4", b"\x50\x2a\x4d\x18"), Some("lz4"));
    assert_eq!(format_of("a.zst", b"\x51\x2a\x4d\x18"), Some("zstd"));
}

#[test]
fn what_is_concatenated_or_damaged_has_the_same_format_under_any_name() {
    let known = known_files();
    for (name, bytes) in known.iter().filter(|(name, _)| !named(name).magic.is_empty()) {
        let right = format!("a{}", named(name).ends[0]);
        let mut variants = vec![bytes.repeat(2), [bytes, &b"garbage"[..]].concat()];
        variants.extend((START..bytes.len()).map(|len| bytes[..len].to_vec()));
        variants.extend((START..bytes.len()).map(|at| {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            damaged
        }));
        for bytes in &variants {
            assert_eq!(format_of(&right, bytes), Some(*name));
            for path in ["<stdin>", "", "log.1", "A.GZ", "a.Zst", "a.xz", "a.txt", "a.Z"] {
                assert_eq!(format_of(path, bytes), Some(*name), "{name} as {path}");
            }
        }
    }
}

#[test]
fn plain_text_has_no_format() {
    let mut rng = fastrand::Rng::with_seed(49);
    let starts = ["", "B", "BZ", "BZh", "BZh9", "\u{1f}", "(", "PK", "7zXZ", "é"];
    for _ in 0..1_000_000 {
        let mut text = starts[rng.usize(..starts.len())].to_owned();
        while text.len() < START {
            text.push(match rng.u8(..8) {
                0 => rng.char('\u{a0}'..='\u{2fff}'),
                1 => '\n',
                _ => rng.char(' '..='~'),
            });
        }
        // A text that begins with `BZh` is a damaged file if its name ends in `.bz2`.
        for path in ["a", "a.gz", "a.ZST", "a.lz4", "a.Z", "a.xz"] {
            assert_eq!(format_of(path, text.as_bytes()), None, "{text:?} as {path}");
        }
    }
}

#[test]
fn no_more_of_a_file_is_read_than_its_format_takes() {
    for (bytes, len) in [
        (&b"a gem\n"[..], 6),
        (b"", 0),
        (b"BZh91AY&SY and more", START),
        (b"\x1f", 1),
        (b"\x1f\x8b\x08\0\0\0\0\0\0\0\0", START),
    ] {
        let mut file = file(bytes);
        let start = Start::read(&mut file).unwrap();
        assert_eq!(start.bytes(), &bytes[..len]);
        let mut decoders = Decoders::default();
        if let Some(format) = CompressionFormat::of(b"a", start.bytes()) {
            // What was read is decoded too.
            let mut decoder = decoders.open(format, file, start.bytes());
            let fault = decoder.read_to_end(&mut Vec::new()).unwrap_err().to_string();
            assert!(!fault.contains("not in"), "{fault}");
        }
    }
}

#[test]
fn compress_has_codes_of_any_width() {
    let mut decoders = Decoders::default();
    for _ in 0..2 {
        assert_eq!(decode(&mut decoders, "compress", &from_hex(COMPRESS)), (text(), None));
        let (decoded, fault) = decode(&mut decoders, "compress", &from_hex(CLEARED));
        assert_eq!((&decoded[..], fault), (&text()[..700], None));
    }
    let corrupt = Some("compress: corrupt input".to_owned());
    // The first code stands for nothing yet, and a later one for a string that is still to come.
    for codes in [&[0x01, 0x01][..], &[0x61, 0xfe, 0x03]] {
        let (_, fault) = decode(&mut decoders, "compress", &[&[0x1f, 0x9d, 0x90], codes].concat());
        assert_eq!(fault, corrupt);
    }
    for flags in [0x80, 0x88, 0x91 | 0x20, 0x9f] {
        let (_, fault) = decode(&mut decoders, "compress", &[0x1f, 0x9d, flags, 0]);
        assert_eq!(fault.as_deref(), Some("compress: unsupported format"));
    }
    let whole = from_hex(COMPRESS);
    for length in 0..whole.len() {
        let (decoded, fault) = decode(&mut decoders, "compress", &whole[..length]);
        assert!(text().starts_with(&decoded), "cut after {length}");
        assert_eq!(fault.is_some(), length < 3, "cut after {length}: {fault:?}");
    }
    for at in 0..whole.len() {
        for flip in [0x01, 0x10, 0x80, 0xff] {
            let mut damaged = whole.clone();
            damaged[at] ^= flip;
            let (_, fault) = decode(&mut decoders, "compress", &damaged);
            assert!(!fault.is_some_and(|fault| fault.ends_with("the decoder failed")), "{at}");
        }
    }
}

/// A hole in a file takes no room on the disk, and any time to read.
#[test]
fn a_file_in_which_nothing_is_comes_to_an_end() {
    let mut decoders = Decoders::default();
    let frame = [&[0x50, 0x2a, 0x4d, 0x18][..], &[0xff; 4]].concat();
    for (format, start, expected) in [
        ("gzip", gzip(b"a gem\n"), &b"a gem\n"[..]),
        ("xz", from_hex(XZ), &text()),
        ("zstd", frame.clone(), b""),
        ("lz4", frame, b""),
    ] {
        let sparse = file(&start);
        sparse.set_len(start.len() as u64 + (1 << 33)).unwrap();
        let mut decoder = decoders.open(named(format), sparse, &[]);
        let mut decoded = Vec::new();
        let fault = decoder.read_to_end(&mut decoded).unwrap_err().to_string();
        assert_eq!(
            (&decoded[..], fault),
            (expected, format!("{format}: nothing is in 16 MiB of it"))
        );
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
        let mut decoder = decoders.open(named(format), file(&bytes), &[]);
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
