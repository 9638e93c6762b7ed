//! Guesses the encoding of a haystack that is not UTF-8 (`--encoding guess`).

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};

use super::unmarked::is_utf8;

/// How many bytes of a haystack the guess depends on, at most.
pub(crate) const GUESSED_BYTES: usize = 128 << 10;

/// The byte with which ISO-2022-JP begins Japanese characters.
const ESCAPE: u8 = 0x1B;

/// Returns the most probable encoding of a haystack that begins with `head`; `None` if it is UTF-8
/// so far.
///
/// ```text
/// caf\xE9            windows-1252
/// \xCA\xE0\xF4\xE5   windows-1251 (Кафе)
/// caf\xC3\xA9        None
/// ```
#[cold]
pub(super) fn guess(head: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let head = &head[..head.len().min(GUESSED_BYTES)];
    if is_utf8(head) && memchr::memchr(ESCAPE, head).is_none() {
        return None;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    // The head may end within a character.
    detector.feed(head, false);
    let encoding = detector.guess(None, Utf8Detection::Allow);
    (encoding != encoding_rs::UTF_8).then_some(encoding)
}
