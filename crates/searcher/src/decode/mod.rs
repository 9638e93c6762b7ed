//! How the bytes of a haystack become text: a byte order mark is detected, and encoded text goes
//! through a decoder.
//!
//! The rules are ripgrep's (read in grep-searcher 0.1.17 and confirmed by running it): a UTF-16
//! mark takes precedence over the requested encoding; a UTF-8 mark is only stripped, and the rest
//! is decoded as requested. Every decoder replaces malformed bytes by U+FFFD, even the one from
//! UTF-8 to UTF-8.

mod decoder;
#[cfg(test)]
mod tests;
mod utf16;

use memchr::memchr;

pub(crate) use self::decoder::Decoder;

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
    /// Through a decoder.
    Decoded,
}

impl Form {
    /// The form of a haystack that begins with `head`: three bytes, or all if there are fewer.
    pub(crate) fn of(config: &SearchConfig, head: &[u8]) -> Form {
        match (config.encoding, head) {
            (Encoding::None, _) => Form::Raw,
            (Encoding::Always(_), _) | (_, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]) => Form::Decoded,
            (Encoding::Auto, _) if head.starts_with(UTF8_BOM) => Form::Marked,
            (Encoding::Auto, _) => Form::Raw,
        }
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
            Form::Decoded => Head { bytes: head, peek: 0 },
        }
    }
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
