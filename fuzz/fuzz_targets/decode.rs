//! Byte order marks and encodings: a search finds what ripgrep's searcher finds in a haystack that
//! it decodes.

#![cfg_attr(fuzzing, no_main)]

use heist_fuzz::{Input, Search, haystack_of};
use heist_searcher::Encoding;

/// The labels of the encodings.
const ENCODINGS: &str = "utf-8 utf-16le utf-16be windows-1252 iso-8859-2 shift_jis euc-jp
    iso-2022-jp euc-kr big5 gb18030 x-user-defined";

const MARKS: [&[u8]; 5] = [b"", b"\xEF\xBB\xBF", b"\xFF\xFE", b"\xFE\xFF", b"\xEF\xBB"];

fn check(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let encoding = match input.below(16) {
        0..=2 => Encoding::Marked,
        3 => Encoding::None,
        chosen => {
            let label = ENCODINGS.split_whitespace().nth(chosen - 4).expect("12 labels");
            Encoding::Always(encoding_rs::Encoding::for_label(label.as_bytes()).expect("a label"))
        }
    };
    let mark = input.pick(&MARKS);
    let most = 1 + input.below(64);
    let Some(mut search) = Search::of_lines(&mut input) else { return };
    search.config.encoding = encoding;
    search.check_lines(&[mark, haystack_of(&input)].concat(), most);
}

heist_fuzz::target!(check);
