//! Files that a search may decode: their bytes have other grams than their text, so that they are
//! not covered.
//!
//! A search decodes UTF-16 with a byte order mark, and also UTF-16 and UTF-32 without one if its
//! searcher recognizes them. This crate does not know how; a file is not covered either if it only
//! may be such a text. The conditions here hold for every file that is recognized.

use memchr::memchr;

/// How many bytes of a file determine whether it is recognized.
const WINDOW_BYTES: usize = 4 << 10;

/// No text has a character before the tab.
const MIN_CHAR: u32 = 0x09;

/// Whether a search may decode a file that begins with `start`.
pub(super) fn is_decoded(start: &[u8]) -> bool {
    start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff") || may_be_wide(start)
}

/// Whether a file that begins with `start` may be UTF-16 or UTF-32 without a byte order mark.
fn may_be_wide(start: &[u8]) -> bool {
    let window = &start[..start.len().min(WINDOW_BYTES)];
    if memchr(0, window).is_none() || is_narrow(window) {
        return false;
    }
    let (units, _) = window.as_chunks::<2>();
    let (wide, _) = window.as_chunks::<4>();
    let are_units =
        |of: fn([u8; 2]) -> u16| units.iter().all(|unit| u32::from(of(*unit)) >= MIN_CHAR);
    let are_chars = |of: fn([u8; 4]) -> u32| {
        wide.iter().all(|char| (MIN_CHAR..=u32::from(char::MAX)).contains(&of(*char)))
    };
    are_units(u16::from_le_bytes)
        || are_units(u16::from_be_bytes)
        || are_chars(u32::from_le_bytes)
        || are_chars(u32::from_be_bytes)
}

/// Whether `window` is UTF-8 with a few NUL bytes. In texts of UTF-16 that are also UTF-8, at least
/// 3 of 8 characters come before U+2000, so that one of their bytes is smaller than a space.
fn is_narrow(window: &[u8]) -> bool {
    let is_utf8 = str::from_utf8(window).err().is_none_or(|error| error.error_len().is_none());
    let low = window.iter().filter(|byte| **byte < b' ').count();
    is_utf8 && 16 * low < 3 * window.len()
}

#[cfg(test)]
mod tests {
    use super::is_decoded;

    #[test]
    fn wide_texts_are_decoded() {
        let le = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
        let be = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>();
        let wide =
            |text: &str| text.chars().flat_map(|char| u32::from(char).to_le_bytes()).collect();
        for text in
            ["the key\n", "Schlüssel\r\n", "ключ от двери\n", "钥匙在门后面的地毯下\n", "鍵は か\n"]
        {
            let all: [Vec<u8>; 3] = [le(text), be(text), wide(text)];
            assert!(all.iter().all(|bytes| is_decoded(bytes)), "{text}");
        }
        assert!(is_decoded(b"\xff\xfea\0") && is_decoded(b"\xfe\xff\0a"));
    }

    #[test]
    fn other_files_are_not() {
        for bytes in [
            &b"the key\n"[..],
            b"",
            b"the key is under the mat\0 behind the door\n",
            b"HOME=/root\0TERM=dumb\0PATH=/bin\0",
            b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0\x01\0\0\0",
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\0\0\0\x02\0\x08",
            b"PK\x03\x04\x14\0\0\0\x08\0",
        ] {
            assert!(!is_decoded(bytes), "{}", bytes.escape_ascii());
        }
    }
}
