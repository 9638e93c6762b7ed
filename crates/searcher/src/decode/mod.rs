//! How the bytes of a haystack become text: a byte order mark is detected, and encoded text goes
//! through a decoder.
//!
//! The rules are ripgrep's (read in grep-searcher 0.1.17 and confirmed by running it): a UTF-16
//! mark takes precedence over the requested encoding; a UTF-8 mark is only stripped, and the rest
//! is decoded as requested. Every decoder replaces malformed bytes by U+FFFD, even the one from
//! UTF-8 to UTF-8.
//!
//! Beyond that, UTF-16 and UTF-32 are recognized without a mark (`unmarked`), where ripgrep sees
//! binary data, and other encodings are guessed if the settings request it (`guess`).

mod decoder;
mod detected;
mod guess;
#[cfg(test)]
mod guess_tests;
#[cfg(test)]
mod tests;
mod unmarked;
#[cfg(test)]
mod unmarked_tests;
mod utf16;
mod utf32;

use memchr::memchr;

pub use self::utf16::Endian;
pub(crate) use self::{
    decoder::Decoder,
    detected::{Detected, TextEncoding},
    guess::GUESSED_BYTES,
};

use self::guess::guess;
use crate::{
    BinaryPolicy, Encoding, SearchConfig,
    source::{Head, PEEK},
};

const UTF8_BOM: &[u8] = b"\xEF\xBB\xBF";

/// How the bytes of one haystack become text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// As they are.
    Raw,
    /// Without a byte order mark of UTF-8 at the front.
    Marked,
    /// Through a decoder, from the encoding that a mark of UTF-16 or the settings state.
    Decoded,
    /// Through a decoder, from the encoding that the first bytes show.
    Detected(Detected),
}

impl Form {
    /// The form of a haystack that begins with `head`: at least three bytes, or all if there are
    /// fewer.
    pub(crate) fn of(config: &SearchConfig, head: &[u8]) -> Form {
        match (config.encoding, head) {
            (Encoding::None, _) => Form::Raw,
            (Encoding::Always(_), _) => Form::Decoded,
            (Encoding::Auto | Encoding::Guess, [0xFF, 0xFE, 0, 0, ..]) => {
                Form::wide(config, head).unwrap_or(Form::Decoded)
            }
            (_, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]) => Form::Decoded,
            _ if head.starts_with(UTF8_BOM) => Form::Marked,
            (Encoding::Auto, _) if unmarked::is_plain(head) => Form::Raw,
            (Encoding::Auto, _) => Form::wide(config, head).unwrap_or(Form::Raw),
            (Encoding::Guess, _) => Form::guessed(config, head),
            (Encoding::Marked, _) => Form::Raw,
        }
    }

    /// The form of a haystack that begins with `head`, if that is UTF-16 or UTF-32.
    #[cold]
    fn wide(config: &SearchConfig, head: &[u8]) -> Option<Form> {
        let encoding = unmarked::recognize(head).filter(|_| config.detects_nul())?;
        Some(Form::Detected(Detected { encoding, is_guess: false }))
    }

    /// The probable form of a haystack that begins with `head`.
    #[cold]
    fn guessed(config: &SearchConfig, head: &[u8]) -> Form {
        if let Some(wide) = Form::wide(config, head) {
            return wide;
        }
        let first = &head[..head.len().min(GUESSED_BYTES)];
        let is_binary = config.detects_nul() && memchr(0, first).is_some();
        let guess = if is_binary { None } else { guess(first) };
        guess.map_or(Form::Raw, |encoding| {
            Form::Detected(Detected { encoding: TextEncoding::Standard(encoding), is_guess: true })
        })
    }

    /// The form of a haystack that consists of `bytes` and no more. Most haystacks that would be
    /// decoded are ASCII, which most encodings leave unchanged.
    pub(crate) fn of_whole(config: &SearchConfig, bytes: &[u8]) -> Form {
        let form = Form::of(config, bytes);
        let Encoding::Always(encoding) = config.encoding else {
            return form;
        };
        let text = bytes.strip_prefix(UTF8_BOM).unwrap_or(bytes);
        // The effect of NUL bytes depends on the pieces that the decoder returns.
        let is_same = is_unchanged(encoding, text)
            && (config.binary == BinaryPolicy::Text || memchr(0, text).is_none());
        match is_same {
            true if text.len() < bytes.len() => Form::Marked,
            true => Form::Raw,
            false => form,
        }
    }

    /// The text after the byte order mark in `head`; see `source` for how long its first block is.
    pub(crate) fn text(self, head: &[u8]) -> Head<'_> {
        match self {
            Form::Raw => Head { bytes: head, peek: PEEK },
            Form::Marked => Head { bytes: &head[UTF8_BOM.len()..], peek: 0 },
            Form::Decoded | Form::Detected(_) => Head { bytes: head, peek: 0 },
        }
    }

    /// Whether a decoder stands between the bytes and the search.
    pub(crate) fn is_decoded(self) -> bool {
        matches!(self, Form::Decoded | Form::Detected(_))
    }

    /// What the first bytes show about the encoding.
    pub(crate) fn detected(self) -> Option<Detected> {
        match self {
            Form::Detected(detected) => Some(detected),
            Form::Raw | Form::Marked | Form::Decoded => None,
        }
    }
}

/// Whether the form of a stream depends on more than its first bytes, `head`.
#[cold]
pub(crate) fn is_undecided(config: &SearchConfig, head: &[u8]) -> bool {
    match config.encoding {
        Encoding::Auto => config.detects_nul() && unmarked::is_undecided(head),
        Encoding::Guess => head.len() < GUESSED_BYTES,
        Encoding::Marked | Encoding::None | Encoding::Always(_) => false,
    }
}

/// Returns the name of the encoding, such as `UTF-16LE`, if a haystack that begins with `head` is
/// UTF-16 or UTF-32 without a byte order mark.
///
/// # Examples
///
/// ```
/// use heist_searcher::unmarked_encoding;
///
/// let text: Vec<u8> = "the key\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
/// assert_eq!(unmarked_encoding(&text), Some("UTF-16LE"));
/// assert_eq!(unmarked_encoding(b"\x7FELF\x02\x01\x01\0\0\0\0\0\0\0\0\0"), None);
/// ```
#[must_use]
pub fn unmarked_encoding(head: &[u8]) -> Option<&'static str> {
    unmarked::recognize(head).map(TextEncoding::name)
}

/// Whether decoding `text`, which follows a byte order mark if there is one, yields the same bytes.
fn is_unchanged(encoding: &'static encoding_rs::Encoding, text: &[u8]) -> bool {
    if encoding == encoding_rs::UTF_8 {
        // The decoder removes a second mark.
        !text.starts_with(UTF8_BOM) && encoding_rs::Encoding::utf8_valid_up_to(text) == text.len()
    } else {
        encoding.is_ascii_compatible()
            && encoding_rs::Encoding::ascii_valid_up_to(text) == text.len()
    }
}
