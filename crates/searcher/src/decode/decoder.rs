//! A reader that decodes what another reader returns.
//!
//! The blocks in which ripgrep searches decoded text show where it contains NUL bytes (see
//! `line_buffer`). They end where its decoder ends a read: after *pieces* of 8 KiB of input, which
//! follow a read of three bytes. So a piece that may contain a NUL byte is decoded by its own read;
//! all others are decoded together, as many as the caller has room for.
//!
//! ```text
//! input    |bom|piece|piece|piece|pi‥|     one read of the source
//! text         |a…               |b…0|c…|  three reads of the decoder; `b…0` has a NUL byte
//! ```

use std::{
    io::{self, Read},
    ops::Range,
};

use encoding_rs::{CoderResult, Encoding};
use memchr::memchr;

use super::{
    detected::{Detected, TextEncoding},
    utf16::{self, Endian},
    utf32::Utf32Decoder,
};
use crate::{
    Encoding as Requested, SearchConfig,
    aligned::AlignedBytes,
    source::{PEEK, read_some},
};

/// The length of a piece, in bytes.
const PIECE_BYTES: usize = 8 << 10;

/// How many bytes are read from the source at once.
///
/// Perf: what is read, decoded and searched stays in the second-level cache.
const READ_BYTES: usize = 16 * PIECE_BYTES;

/// The longest character of UTF-8, in bytes.
const CARRY: usize = 4;

/// The number of bytes after which decoding tries again whether ASCII follows. Doubles each time
/// that it does not.
const TRY: usize = 64;

/// Decodes everything that `reader` returns, which must start at the first byte of a haystack.
pub(crate) struct Decoder<'b, R> {
    reader: R,
    requested: Option<&'static Encoding>,
    /// The encoding that the first bytes show. Then they are no byte order mark of UTF-16.
    detected: Option<TextEncoding>,
    /// `None` before the first read, and if the haystack is no more than a byte order mark.
    text: Option<Text>,
    /// The bytes read: first those that may be a byte order mark, then at [`PEEK`] a step. So the
    /// addresses differ from the positions in the file by a multiple of a cache line.
    raw: &'b mut AlignedBytes,
    /// The part of `raw` that is not decoded yet.
    pending: Range<usize>,
    sizes: Sizes,
    has_begun: bool,
    has_ended: bool,
    /// A character that a caller with too small a buffer receives byte by byte.
    carry: [u8; CARRY],
    /// The part of `carry` that has not been returned yet.
    left: Range<usize>,
}

/// The sizes of a decoder's reads; smaller in tests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) piece: usize,
    /// A multiple of `piece`.
    pub(super) step: usize,
}

impl<'b, R: Read> Decoder<'b, R> {
    /// `detected` is what the first bytes show about the encoding, `raw` the buffer of the bytes to
    /// decode.
    pub(crate) fn new(
        config: &SearchConfig,
        detected: Option<Detected>,
        reader: R,
        raw: &'b mut AlignedBytes,
    ) -> Decoder<'b, R> {
        let sizes = Sizes { piece: PIECE_BYTES, step: READ_BYTES };
        Decoder::with_sizes(config, detected, reader, raw, sizes)
    }

    pub(super) fn with_sizes(
        config: &SearchConfig,
        detected: Option<Detected>,
        reader: R,
        raw: &'b mut AlignedBytes,
        sizes: Sizes,
    ) -> Decoder<'b, R> {
        let requested = match config.encoding {
            Requested::Always(encoding) => Some(encoding),
            Requested::Auto | Requested::Marked | Requested::None | Requested::Guess => None,
        };
        raw.grow(PEEK + sizes.step);
        Decoder {
            reader,
            requested,
            detected: detected.map(|detected| detected.encoding),
            text: None,
            raw,
            pending: 0..0,
            sizes,
            has_begun: false,
            has_ended: false,
            carry: [0; CARRY],
            left: 0..0,
        }
    }

    /// Reads the bytes that may be a byte order mark, and determines the encoding.
    fn begin(&mut self) -> io::Result<()> {
        while self.pending.end < PEEK {
            let got = read_some(&mut self.reader, &mut self.raw[self.pending.end..PEEK])?;
            if got == 0 {
                break;
            }
            self.pending.end += got;
        }
        self.has_begun = true;
        if let Some(detected) = self.detected {
            self.text = Some(Text::new(detected));
            return Ok(());
        }
        let head = &self.raw[self.pending.clone()];
        let mark = Encoding::for_bom(head);
        self.pending.start = mark.map_or(0, |(_, len)| len);
        // ripgrep's decoder strips a mark that is the whole haystack, but does not obey it.
        let marked = mark.filter(|_| head.len() == PEEK).map(|(encoding, _)| encoding);
        let encoding = marked.filter(|marked| *marked != encoding_rs::UTF_8).or(self.requested);
        self.text = encoding.map(TextEncoding::Standard).map(Text::new);
        Ok(())
    }

    /// Decodes what is pending into `buffer`, which has room for a character, and reads on if that
    /// is nothing. Returns 0 at the end.
    fn decode(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.has_begun {
            self.begin()?;
        }
        loop {
            let Some(text) = self.text.as_mut().filter(|_| !self.has_ended) else {
                return Ok(0);
            };
            let pieces = Pieces { raw: self.raw, len: self.sizes.piece };
            let written = pieces.decode(text, &mut self.pending, buffer);
            if written > 0 {
                return Ok(written);
            }
            let got = read_some(&mut self.reader, &mut self.raw[PEEK..][..self.sizes.step])?;
            self.pending = PEEK..PEEK + got;
            if got == 0 {
                self.has_ended = true;
                return Ok(text.end(buffer));
            }
        }
    }
}

impl<R: Read> Read for Decoder<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left.is_empty() {
            if buffer.len() >= CARRY {
                return self.decode(buffer);
            }
            let mut carry = self.carry;
            self.left = 0..self.decode(&mut carry)?;
            self.carry = carry;
        }
        let len = buffer.len().min(self.left.len());
        buffer[..len].copy_from_slice(&self.carry[self.left.start..][..len]);
        self.left.start += len;
        Ok(len)
    }
}

/// The bytes that the last read returned.
struct Pieces<'a> {
    raw: &'a [u8],
    /// The length of a piece.
    len: usize,
}

impl Pieces<'_> {
    /// Decodes `pending` bytes into `buffer` as far as one read may, and removes them. Returns the
    /// length of the text.
    fn decode(&self, text: &mut Text, pending: &mut Range<usize>, buffer: &mut [u8]) -> usize {
        let mut written = 0;
        while pending.start < pending.end {
            let room = &mut buffer[written..];
            let mut end = pending.start;
            while end < pending.end {
                let next = self.end(end).min(pending.end);
                let fits = text.fits(next - pending.start, room.len());
                if !fits || text.may_have_nul(&self.raw[pending.start..next], end - pending.start) {
                    break;
                }
                end = next;
            }
            if end > pending.start {
                written += text.decode_all(&self.raw[pending.start..end], room);
                pending.start = end;
            } else if written > 0 {
                break;
            } else {
                end = self.end(end).min(pending.end);
                let (read, got) = text.decode(&self.raw[pending.start..end], room);
                pending.start += read;
                if got > 0 {
                    return got;
                }
            }
        }
        written
    }

    /// The end of the piece that contains `at`.
    fn end(&self, at: usize) -> usize {
        match at.checked_sub(PEEK) {
            None => PEEK,
            Some(at) => PEEK + (at / self.len + 1) * self.len,
        }
    }
}

/// The state of a text between its pieces.
struct Text {
    decoder: AnyDecoder,
    /// `None` if this is not UTF-16.
    wide: Option<Wide>,
}

enum AnyDecoder {
    Standard(encoding_rs::Decoder),
    Utf32(Utf32Decoder),
}

/// What has been decoded of UTF-16.
#[derive(Clone, Copy)]
struct Wide {
    endian: Endian,
    /// An odd number of bytes.
    is_split: bool,
    /// The last two bytes.
    last: [u8; 2],
    /// The decoder's state does not show in what follows.
    is_neutral: bool,
}

impl Text {
    fn new(encoding: TextEncoding) -> Text {
        let new = |endian| Wide { endian, is_split: false, last: [0; 2], is_neutral: false };
        match encoding {
            TextEncoding::Standard(encoding) => Text {
                decoder: AnyDecoder::Standard(encoding.new_decoder_with_bom_removal()),
                wide: Endian::of(encoding).map(new),
            },
            TextEncoding::Utf32(endian) => {
                Text { decoder: AnyDecoder::Utf32(Utf32Decoder::new(endian)), wide: None }
            }
        }
    }

    /// Whether the text that `len` bytes are decoded to always fits into `room` bytes.
    fn fits(&self, len: usize, room: usize) -> bool {
        let most = match &self.decoder {
            AnyDecoder::Standard(decoder) => decoder.max_utf8_buffer_length(len),
            AnyDecoder::Utf32(_) => Utf32Decoder::max_text_len(len),
        };
        most.is_some_and(|most| most <= room)
    }

    /// Whether the text of `bytes` may contain a NUL byte behind the first `from` bytes.
    fn may_have_nul(&self, bytes: &[u8], from: usize) -> bool {
        if let AnyDecoder::Utf32(_) = self.decoder {
            // ripgrep does not decode it, so that no blocks are to be replayed.
            return false;
        }
        let Some(Wide { is_split, last, .. }) = self.wide else {
            // No encoding but UTF-16 has NUL bytes in other characters than U+0000.
            return memchr(0, &bytes[from..]).is_some();
        };
        let is_begun = is_split && from == 0 && [last[1], bytes[0]] == [0, 0];
        // A unit may have begun before `from`.
        let first = match (from + usize::from(is_split)) % 2 {
            0 => from,
            _ if from > 0 => from - 1,
            _ => 1,
        };
        is_begun || utf16::has_nul(&bytes[first..])
    }

    /// Decodes `bytes` into `to`, as many as fit. Returns how many were read and written.
    fn decode(&mut self, bytes: &[u8], to: &mut [u8]) -> (usize, usize) {
        let decoder = match &mut self.decoder {
            AnyDecoder::Standard(decoder) => decoder,
            AnyDecoder::Utf32(decoder) => return decoder.decode(bytes, to),
        };
        let (result, read, written, _) = decoder.decode_to_utf8(bytes, to, false);
        if let (Some(wide), Some(last)) = (&mut self.wide, bytes[..read].last()) {
            let last_but_one = if read > 1 { bytes[read - 2] } else { wide.last[1] };
            wide.last = [last_but_one, *last];
            wide.is_split ^= read % 2 == 1;
            wide.is_neutral = result == CoderResult::InputEmpty
                && !wide.is_split
                && !wide.endian.is_high_surrogate(wide.last);
        }
        (read, written)
    }

    /// Decodes all of `bytes`, which [fit](Text::fits) into `to`. Returns how long their text is.
    fn decode_all(&mut self, bytes: &[u8], to: &mut [u8]) -> usize {
        let (mut read, mut written, mut run) = (0, 0, TRY);
        while read < bytes.len() {
            if let Some(wide) = self.wide.filter(|wide| wide.is_neutral) {
                let units = utf16::narrow(wide.endian, &bytes[read..], &mut to[written..]);
                read += 2 * units;
                written += units;
                run = if units > 0 { TRY } else { run };
            }
            let rest = &bytes[read..];
            let most = self.wide.map_or(rest.len(), |wide| run - usize::from(wide.is_split));
            let (got, more) = self.decode(&rest[..most.min(rest.len())], &mut to[written..]);
            read += got;
            written += more;
            run *= 2;
        }
        written
    }

    /// Decodes the end of the text, which is malformed if a character is incomplete.
    fn end(&mut self, to: &mut [u8]) -> usize {
        match &mut self.decoder {
            AnyDecoder::Standard(decoder) => decoder.decode_to_utf8(&[], to, true).2,
            AnyDecoder::Utf32(decoder) => decoder.end(to),
        }
    }
}
