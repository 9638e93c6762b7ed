//! How the bytes of a haystack become text: a byte order mark is detected, and encoded text goes
//! through a decoder.
//!
//! The rules are those of ripgrep, which configures the same crate (read in grep-searcher 0.1.17
//! and confirmed by running it): a mark of UTF-16 takes precedence over the requested encoding; the
//! mark of UTF-8 is only stripped, and the rest is decoded as requested. Every decoder replaces
//! malformed bytes by U+FFFD, even the one from UTF-8 to UTF-8.

use std::{
    io::{self, Read},
    ops::Range,
};

use encoding_rs_io::{DecodeReaderBytes, DecodeReaderBytesBuilder};
use memchr::memchr;

use crate::{
    BinaryPolicy, Encoding, SearchConfig,
    source::{Head, PEEK},
};

/// The size of the decoder's input buffer in bytes. It shows in the blocks of a haystack with NUL
/// bytes.
const DECODE: usize = 8 << 10;

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

    /// The form of a haystack whose `bytes` are all known. Most haystacks that would be decoded are
    /// ASCII, which most encodings leave unchanged.
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

    /// The text after the byte order mark of `head`; see `source` for the length of its first
    /// block.
    pub(crate) fn text(self, head: &[u8]) -> Head<'_> {
        match self {
            Form::Raw => Head { bytes: head, peek: PEEK },
            Form::Marked => Head { bytes: &head[UTF8_BOM.len()..], peek: 0 },
            Form::Decoded => Head { bytes: head, peek: 0 },
        }
    }
}

/// Whether decoding `text` yields the same bytes.
fn is_unchanged(encoding: &'static encoding_rs::Encoding, text: &[u8]) -> bool {
    if encoding == encoding_rs::UTF_8 {
        encoding_rs::Encoding::utf8_valid_up_to(text) == text.len()
    } else {
        encoding.is_ascii_compatible()
            && encoding_rs::Encoding::ascii_valid_up_to(text) == text.len()
    }
}

/// Returns a reader of the decoded bytes of `reader`, which must start at the first byte of a
/// haystack. `raw` is the buffer of the bytes to decode.
pub(crate) fn decoder<'b, R: Read>(
    config: &SearchConfig,
    reader: R,
    raw: &'b mut Vec<u8>,
) -> io::Result<Decoder<'b, R>> {
    let encoding = match config.encoding {
        Encoding::Always(encoding) => Some(encoding),
        Encoding::Auto | Encoding::None => None,
    };
    raw.resize(DECODE, 0);
    let decoder = DecodeReaderBytesBuilder::new()
        .encoding(encoding)
        .utf8_passthru(true)
        .strip_bom(true)
        .bom_override(true)
        .build_with_buffer(reader, raw.as_mut_slice())?;
    Ok(Decoder { decoder, carry: [0; CARRY], left: 0..0 })
}

/// The longest character of UTF-8, in bytes.
const CARRY: usize = 4;

/// Decodes a haystack. Unlike the decoder within (`encoding_rs_io` 0.1.8) it loses nothing of a
/// last character that is read into a buffer too small for it.
pub(crate) struct Decoder<'b, R> {
    decoder: DecodeReaderBytes<R, &'b mut [u8]>,
    carry: [u8; CARRY],
    /// The part of `carry` that has not been returned yet.
    left: Range<usize>,
}

impl<R: Read> Read for Decoder<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left.is_empty() {
            if buffer.len() >= CARRY {
                return self.decoder.read(buffer);
            }
            self.left = 0..self.decoder.read(&mut self.carry)?;
        }
        let len = buffer.len().min(self.left.len());
        buffer[..len].copy_from_slice(&self.carry[self.left.start..][..len]);
        self.left.start += len;
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_in_small_buffers() {
        let config = SearchConfig {
            encoding: Encoding::Always(encoding_rs::UTF_16LE),
            ..SearchConfig::default()
        };
        let (mut raw, mut text) = (Vec::new(), Vec::new());
        // Half a character at the end becomes U+FFFD, of three bytes.
        let mut decoder = decoder(&config, &b"a\0\xE5\x65b"[..], &mut raw).unwrap();
        let mut buffer = [0; 1];
        while decoder.read(&mut buffer).unwrap() == 1 {
            text.push(buffer[0]);
        }
        assert_eq!(String::from_utf8(text).unwrap(), "a日\u{FFFD}");
    }
}
