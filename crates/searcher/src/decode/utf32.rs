//! Decodes UTF-32, which `encoding_rs` does not have.

use super::utf16::Endian;

/// The longest character of UTF-8, in bytes.
const MAX_CHAR_BYTES: usize = 4;

/// Decodes UTF-32 to UTF-8. A byte order mark at the start is removed, and what is no character
/// becomes U+FFFD.
pub(super) struct Utf32Decoder {
    endian: Endian,
    /// The bytes of a character that is not complete yet.
    unit: [u8; 4],
    len: usize,
    has_begun: bool,
}

impl Utf32Decoder {
    pub(super) fn new(endian: Endian) -> Utf32Decoder {
        Utf32Decoder { endian, unit: [0; 4], len: 0, has_begun: false }
    }

    /// Returns how many bytes the text of `len` bytes has, at most.
    pub(super) fn max_text_len(len: usize) -> Option<usize> {
        (len / 4 + 1).checked_mul(MAX_CHAR_BYTES)
    }

    /// Decodes `bytes` into `to`, as many as fit. Returns how many were read and written.
    pub(super) fn decode(&mut self, bytes: &[u8], to: &mut [u8]) -> (usize, usize) {
        let (mut read, mut written) = (0, 0);
        while read < bytes.len() && to.len() - written >= MAX_CHAR_BYTES {
            let got = (self.unit.len() - self.len).min(bytes.len() - read);
            self.unit[self.len..][..got].copy_from_slice(&bytes[read..][..got]);
            (self.len, read) = (self.len + got, read + got);
            if self.len == self.unit.len() {
                self.len = 0;
                written += self.write_char(&mut to[written..]);
            }
        }
        (read, written)
    }

    /// Writes the character in `unit` to `to`. Returns its length.
    fn write_char(&mut self, to: &mut [u8]) -> usize {
        let code = match self.endian {
            Endian::Little => u32::from_le_bytes(self.unit),
            Endian::Big => u32::from_be_bytes(self.unit),
        };
        let char = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        let is_mark = char == '\u{FEFF}' && !self.has_begun;
        self.has_begun = true;
        if is_mark { 0 } else { char.encode_utf8(to).len() }
    }

    /// Decodes the end of the text into `to`, which has room for a character. Returns how many
    /// bytes were written.
    pub(super) fn end(&mut self, to: &mut [u8]) -> usize {
        match std::mem::take(&mut self.len) {
            0 => 0,
            _ => char::REPLACEMENT_CHARACTER.encode_utf8(to).len(),
        }
    }
}
