//! How the bytes of a haystack become text: a byte order mark is looked at, and what needs decoding goes through a
//! decoder.
//!
//! The rules are ripgrep's, by the options it gives to the same crate (read in grep-searcher 0.1.17 and confirmed by running
//! it): the mark of UTF-16 overrides an encoding that was asked for; that of UTF-8 is only stripped, and what follows
//! is decoded as asked. Malformed bytes become U+FFFD wherever there is a decoder, even from UTF-8 to UTF-8.

use std::{
    io::{self, Read},
    ops::Range,
};

use encoding_rs_io::{DecodeReaderBytes, DecodeReaderBytesBuilder};
use memchr::memchr;

use crate::{BinaryPolicy, Encoding, SearchConfig, source::PEEK};

/// The buffer that is decoded from, in bytes; its size shows in the blocks of a haystack with NUL bytes.
const DECODE: usize = 8 << 10;

const UTF8_BOM: &[u8] = b"\xEF\xBB\xBF";

/// How the bytes of one haystack are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// As they are.
    Raw,
    /// Without the first ones, a UTF-8 byte order mark.
    Marked,
    /// Through a decoder.
    Decoded,
}

impl Form {
    /// Decide by `head`, the first bytes of a haystack, at least three if it has as many.
    pub(crate) fn of(config: &SearchConfig, head: &[u8]) -> Form {
        match (config.encoding, head) {
            (Encoding::None, _) => Form::Raw,
            (Encoding::Always(_), _) | (_, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]) => Form::Decoded,
            (Encoding::Auto, _) if head.starts_with(UTF8_BOM) => Form::Marked,
            (Encoding::Auto, _) => Form::Raw,
        }
    }

    /// The same for a haystack of which all `bytes` are known: most of those that would be decoded are ASCII, which
    /// most encodings leave as it is.
    pub(crate) fn of_whole(config: &SearchConfig, bytes: &[u8], binary: BinaryPolicy) -> Form {
        let form = Form::of(config, bytes);
        let Encoding::Always(encoding) = config.encoding else {
            return form;
        };
        let text = bytes.strip_prefix(UTF8_BOM).unwrap_or(bytes);
        // What NUL bytes do depends on the pieces the decoder gives.
        let is_same = is_unchanged(encoding, text)
            && (binary == BinaryPolicy::Text || memchr(0, text).is_none());
        match is_same {
            true if text.len() < bytes.len() => Form::Marked,
            true => Form::Raw,
            false => form,
        }
    }

    /// What follows `head`'s byte order mark, and how many bytes of that make the first block (see `source`).
    pub(crate) fn unmarked(self, head: &[u8]) -> (&[u8], usize) {
        match self {
            Form::Raw => (head, PEEK),
            Form::Marked => (&head[UTF8_BOM.len()..], 0),
            Form::Decoded => (head, 0),
        }
    }
}

/// Whether decoding `text` gives the same bytes.
fn is_unchanged(encoding: &'static encoding_rs::Encoding, text: &[u8]) -> bool {
    if encoding == encoding_rs::UTF_8 {
        encoding_rs::Encoding::utf8_valid_up_to(text) == text.len()
    } else {
        encoding.is_ascii_compatible()
            && encoding_rs::Encoding::ascii_valid_up_to(text) == text.len()
    }
}

/// Gives the decoded bytes of `reader`, which gives a haystack from its first byte on. `raw` is room for bytes to decode.
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

/// Decodes a haystack. Unlike what it is made of (`encoding_rs_io` 0.1.8) it loses nothing of a last character that is asked
/// for in a buffer too small for it.
pub(crate) struct Decoder<'b, R> {
    decoder: DecodeReaderBytes<R, &'b mut [u8]>,
    carry: [u8; CARRY],
    /// What of `carry` is still to be given.
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
        let given = buffer.len().min(self.left.len());
        buffer[..given].copy_from_slice(&self.carry[self.left.start..][..given]);
        self.left.start += given;
        Ok(given)
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
