//! Texts of many languages in UTF-16 and UTF-32, which are recognized, and data that is no text,
//! which is not.

use fastrand::Rng;

use super::{
    TextEncoding,
    unmarked::{is_plain, is_undecided, recognize},
};

/// The first article of the Universal Declaration of Human Rights, or a part of it.
const WIDE_TEXTS: &[&str] = &[
    "All human beings are born free and equal in dignity and rights.\n",
    "Alle Menschen sind frei und gleich an Würde und Rechten geboren.\r\n",
    "Tous les êtres humains naissent libres et égaux en dignité et en droits.\n",
    "Všichni lidé se rodí svobodní a sobě rovní co do důstojnosti a práv.\n",
    "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar.\n",
    "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền.\n",
    "Все люди рождаются свободными и равными в своем достоинстве и правах.\n",
    "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια.\n",
    "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם.\n",
    "يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق.\n",
    "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता प्राप्त है।\n",
    "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ\n",
    "ყველა ადამიანი იბადება თავისუფალი და თანასწორი თავისი ღირსებითა და უფლებებით.\n",
    "Բոլոր մարդիկ ծնվում են ազատ ու հավասար։\n",
    "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.\n",
    "人人生而自由，在尊严和权利上一律平等。\n他们赋有理性和良心。\n",
    "人人生而自由,在尊嚴和權利上一律平等。他們賦有理性和良心。\n",
    "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。\n",
    "{\"id\":1,\"name\":\"door\",\"open\":true}",
    "1,2,3\r\n4,5,6\r\n",
    "😀 smile\n",
    "gem\n",
    "[key]\r\n",
];

/// `text` in each encoding, with its name.
fn encoded(text: &str) -> [(&'static str, Vec<u8>); 4] {
    let chars = || text.chars().map(u32::from);
    [
        ("UTF-16LE", text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        ("UTF-16BE", text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
        ("UTF-32LE", chars().flat_map(u32::to_le_bytes).collect()),
        ("UTF-32BE", chars().flat_map(u32::to_be_bytes).collect()),
    ]
}

fn name(head: &[u8]) -> Option<&'static str> {
    // What is plain at first sight is not examined.
    recognize(head).filter(|_| !is_plain(head)).map(TextEncoding::name)
}

#[test]
fn texts_are_recognized() {
    for text in WIDE_TEXTS {
        for times in [1, 2, 50, 1000] {
            for (encoding, bytes) in encoded(&text.repeat(times)) {
                assert_eq!(name(&bytes), Some(encoding), "{times} times {text:?}");
            }
        }
    }
}

#[test]
fn texts_are_recognized_wherever_the_first_read_ends() {
    for text in WIDE_TEXTS.iter().filter(|text| text.chars().count() > 20) {
        for (encoding, bytes) in encoded(text) {
            let line = text.char_indices().position(|(_, char)| char.is_ascii()).unwrap();
            let unit = bytes.len() / text.chars().count();
            for end in (line + 8) * unit * 2..bytes.len() {
                assert_eq!(name(&bytes[..end]), Some(encoding), "{end} bytes of {text:?}");
            }
        }
    }
}

#[test]
fn streams_are_read_until_their_encoding_is_certain() {
    for text in WIDE_TEXTS {
        for (encoding, bytes) in encoded(text) {
            let is_latin = text.is_ascii() || encoding.starts_with("UTF-32");
            for end in (4..=bytes.len()).filter(|_| is_latin) {
                assert!(is_undecided(&bytes[..end]), "{end} bytes of {text:?} in {encoding}");
            }
            assert!(!is_undecided(&bytes.repeat(1000)));
        }
        assert!(!is_undecided(text.as_bytes()), "{text:?}");
    }
    assert!(!is_undecided(b"\x7fELF\x02\x01\x01\0\0\0\0\0") && !is_undecided(b"a gem\0"));
}

#[test]
fn texts_of_one_byte_per_character_are_not() {
    for text in WIDE_TEXTS {
        assert_eq!(name(text.as_bytes()), None, "{text:?}");
        for at in 0..text.len().min(40) {
            let mut bytes = text.as_bytes().to_vec();
            bytes.insert(at, 0);
            assert_eq!(name(&bytes), None, "{text:?}, a NUL byte at {at}");
        }
    }
    // Two bytes make an ideograph, or a Hangul syllable.
    for encoding in [
        encoding_rs::WINDOWS_1252,
        encoding_rs::WINDOWS_1251,
        encoding_rs::KOI8_R,
        encoding_rs::GBK,
        encoding_rs::SHIFT_JIS,
        encoding_rs::EUC_KR,
    ] {
        for text in WIDE_TEXTS {
            let (bytes, _, is_lossy) = encoding.encode(text);
            for at in (0..bytes.len().min(40)).filter(|_| !is_lossy) {
                let bytes = [&bytes[..at], b"\0", &bytes[at..], b"\0 x\0y"].concat();
                assert_eq!(name(&bytes), None, "{text:?} in {encoding:?}, a NUL byte at {at}");
            }
        }
    }
}

#[test]
fn data_is_not() {
    for bytes in [
        &b""[..],
        b"\0",
        b"a\0",
        b"a\0b\0",
        b"a\0b\0c\0d\0",
        b"a gem\0",
        b"a\0gem\0\n\0",
        b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0\x01\0\0\0",
        b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\0\0\0\x02\0\x08",
        b"PK\x03\x04\x14\0\0\0\x08\0\x21\x4d",
        b"\x1f\x8b\x08\0\0\0\0\0\x02\xff+\xca",
        b"HOME=/root\0TERM=dumb\0PATH=/bin\0",
        b"\x41\0\0\0\x42\0\0\0",
        b"RIFF\x24\x08\0\0WAVEfmt \x10\0\0\0\x01\0\x02\0",
    ] {
        assert_eq!(name(bytes), None, "{}", bytes.escape_ascii());
    }
}

/// `units` in either byte order.
fn in_both_orders(units: impl Iterator<Item = u16> + Clone) -> [Vec<u8>; 2] {
    [units.clone().flat_map(u16::to_le_bytes).collect(), units.flat_map(u16::to_be_bytes).collect()]
}

#[test]
fn numbers_are_not() {
    let mut rng = Rng::with_seed(49);
    for round in 0..60_000_usize {
        let len = [16, 24, 32, 64, 256, 2048][round % 6];
        // Random bytes, with and without zeros.
        let rate = rng.u8(0..4);
        let bytes: Vec<u8> =
            (0..len).map(|_| if rng.u8(0..4) < rate { 0 } else { rng.u8(..) }).collect();
        assert_eq!(name(&bytes), None, "{}", bytes.escape_ascii());
        // Samples: each is close to the last one.
        let (mut sample, step) = (i32::from(rng.u16(..)), rng.i32(0..3));
        let samples: Vec<u16> = (0..len)
            .map(|_| {
                sample += rng.i32(-step..=step);
                sample as u16
            })
            .collect();
        for bytes in in_both_orders(samples.iter().copied()) {
            assert_eq!(name(&bytes), None, "{}", bytes.escape_ascii());
        }
        // Small numbers, and numbers that grow.
        let most = if len < 64 { 5000 } else { *rng.choice(&[200, 1000, 5000]).unwrap() };
        let small: Vec<u16> = (0..len).map(|_| rng.u16(..most)).collect();
        let rising: Vec<u16> = (0..len).map(|n| (n * usize::from(most) / 97) as u16).collect();
        for units in [small, rising] {
            for bytes in in_both_orders(units.iter().copied()) {
                assert_eq!(name(&bytes), None, "{units:?}");
            }
            let wide: Vec<u8> =
                units.iter().flat_map(|unit| u32::from(*unit).to_le_bytes()).collect();
            assert_eq!(name(&wide), None, "{units:?}");
        }
    }
}

#[test]
fn plain_text_is_seen_at_first_sight() {
    assert!(is_plain(b"") && is_plain(b"fn main() {}\n") && is_plain(&[b'x'; 100]));
    assert!(!is_plain(b"a\0") && !is_plain("é".as_bytes()) && !is_plain(b"\x7fELF"));
    for at in 0..32 {
        let mut bytes = [b'x'; 40];
        bytes[at] = 0;
        assert!(!is_plain(&bytes), "{at}");
    }
}
