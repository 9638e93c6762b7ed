//! Byte order marks and encodings: a search finds what ripgrep's searcher finds in a haystack that
//! it decodes.

#![cfg_attr(fuzzing, no_main)]

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, GB18030, ISO_2022_JP, ISO_8859_2, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE,
    WINDOWS_1252, X_USER_DEFINED,
};
use heist_fuzz::{Input, Search, haystack_of};
use heist_searcher::Encoding;

const ENCODINGS: [&encoding_rs::Encoding; 12] = [
    UTF_8,
    UTF_16LE,
    UTF_16BE,
    WINDOWS_1252,
    ISO_8859_2,
    SHIFT_JIS,
    EUC_JP,
    ISO_2022_JP,
    EUC_KR,
    BIG5,
    GB18030,
    X_USER_DEFINED,
];

const MARKS: [&[u8]; 5] = [b"", b"\xEF\xBB\xBF", b"\xFF\xFE", b"\xFE\xFF", b"\xEF\xBB"];

fn check(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let encoding = match input.below(16) {
        0..=2 => Encoding::Auto,
        3 => Encoding::None,
        chosen => Encoding::Always(ENCODINGS[chosen - 4]),
    };
    let mark = input.pick(&MARKS);
    let most = 1 + input.below(64);
    let Some(mut search) = Search::of_lines(&mut input) else { return };
    search.config.encoding = encoding;
    search.check_lines(&[mark, haystack_of(&input)].concat(), most);
}

heist_fuzz::target!(check);
