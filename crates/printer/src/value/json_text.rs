//! Bytes in JSON: UTF-8 as escaped text, anything else in base64.
//!
//! Only what has to be escaped is, with the short escapes where they exist, as in `serde_json` and
//! so in ripgrep. Most bytes need none, so text is checked eight bytes at a time and copied in
//! runs.

/// Appends `bytes` to `out` as in JSON messages: an object with `text`, or with `bytes` if they are
/// not UTF-8.
///
/// ```
/// let mut out = Vec::new();
/// heist_printer::append_json_data(&mut out, b"a \"b\"");
/// assert_eq!(out, br#"{"text":"a \"b\""}"#);
/// ```
pub fn append_data(out: &mut Vec<u8>, bytes: &[u8]) {
    match std::str::from_utf8(bytes) {
        Ok(text) => append_text_data(out, text),
        Err(_) => append_bytes_data(out, bytes),
    }
}

/// Appends the object for `text` to `out`.
pub(crate) fn append_text_data(out: &mut Vec<u8>, text: &str) {
    // Few bytes need an escape: one allocation at most.
    out.reserve(text.len() + 32);
    out.extend_from_slice(br#"{"text":""#);
    append_escaped(out, text.as_bytes());
    out.extend_from_slice(b"\"}");
}

/// Appends `text` to `out` as a string.
pub(crate) fn append_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    append_escaped(out, text.as_bytes());
    out.push(b'"');
}

#[cold]
fn append_bytes_data(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(br#"{"bytes":""#);
    append_base64(out, bytes);
    out.extend_from_slice(b"\"}");
}

/// Appends `bytes` in base64 (RFC 4648): four digits of six bits for three bytes, padded with `=`.
fn append_base64(out: &mut Vec<u8>, bytes: &[u8]) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    out.reserve(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |index: usize| u32::from(three.get(index).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        let digits = [18, 12, 6, 0].map(|shift| DIGITS[(bits >> shift & 63) as usize]);
        out.extend_from_slice(&digits[..=three.len()]);
        out.extend(std::iter::repeat_n(b'=', 3 - three.len()));
    }
}

fn append_escaped(out: &mut Vec<u8>, text: &[u8]) {
    let mut rest = text;
    loop {
        let plain = plain_len(rest);
        out.extend_from_slice(&rest[..plain]);
        let Some(&byte) = rest.get(plain) else {
            return;
        };
        append_escape(out, byte);
        rest = &rest[plain + 1..];
    }
}

/// How many bytes at the beginning of `text` need no escape.
fn plain_len(text: &[u8]) -> usize {
    let (words, tail) = text.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let found = special_bytes(u64::from_le_bytes(*word));
        if found != 0 {
            return index * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    let start = words.len() * 8;
    start + tail.iter().position(|b| is_special(*b)).unwrap_or(tail.len())
}

fn is_special(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

/// The highest bit of each byte in `word` that needs an escape, and possibly of bytes above the
/// lowest such byte. A byte is zero if subtracting one borrows from its highest bit, which was not
/// set (A. Mycroft's test). Borrows propagate upwards, so the lowest bit is exact.
fn special_bytes(word: u64) -> u64 {
    const LOW_BITS: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH_BITS: u64 = LOW_BITS << 7;
    let below = |word: u64, limit: u8| word.wrapping_sub(LOW_BITS * u64::from(limit)) & !word;
    let equals = |byte: u8| below(word ^ (LOW_BITS * u64::from(byte)), 1);
    (below(word, b' ') | equals(b'"') | equals(b'\\')) & HIGH_BITS
}

fn append_escape(out: &mut Vec<u8>, byte: u8) {
    const HEX_DIGITS: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        b'\n' => b'n',
        b'\t' => b't',
        b'\r' => b'r',
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x0c => b'f',
        _ => {
            out.extend_from_slice(b"\\u00");
            return out.extend_from_slice(&[
                HEX_DIGITS[usize::from(byte >> 4)],
                HEX_DIGITS[usize::from(byte & 15)],
            ]);
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use base64::{Engine as _, engine::general_purpose::STANDARD};

    use super::*;

    fn data(bytes: &[u8]) -> String {
        let mut out = b"x".to_vec();
        append_data(&mut out, bytes);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn escapes_are_those_of_serde_json() {
        // Verified against ripgrep 15.2.
        assert_eq!(
            data(b"\x00\x01\x07\x08\t\n\x0b\x0c\r\x1b\x1f !\"#/\\\x7f"),
            concat!(
                r##"x{"text":"\u0000\u0001\u0007\b\t\n\u000b\f\r\u001b\u001f !\"#/\\"##,
                "\x7f\"}"
            )
        );
        assert_eq!(data("é€\u{2028}😀".as_bytes()), "x{\"text\":\"é€\u{2028}😀\"}");
        assert_eq!(data(b""), r#"x{"text":""}"#);
    }

    #[test]
    fn every_byte_is_seen_at_every_place() {
        for special in (0..=255u8).filter(|b| is_special(*b)) {
            for plain in [b' ', b'!', b'#', b'[', b']', 0x7f, 0x80, 0xff, b'a'] {
                for len in 1..26 {
                    for at in 0..len {
                        let mut text = vec![plain; len];
                        assert_eq!(plain_len(&text), len);
                        text[at] = special;
                        assert_eq!(plain_len(&text), at, "{special} at {at} of {len} {plain}");
                        text[at..].fill(special);
                        assert_eq!(plain_len(&text), at);
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_not_text_is_base64() {
        // The examples of RFC 4648, made invalid by their last byte.
        for (bytes, expected) in [
            (&b"\xff"[..], "/w=="),
            (b"f\xff", "Zv8="),
            (b"fo\xff", "Zm//"),
            (b"foo\xff", "Zm9v/w=="),
            (b"foob\xff", "Zm9vYv8="),
        ] {
            assert_eq!(data(bytes), format!("x{{\"bytes\":\"{expected}\"}}"));
        }
        let mut random = fastrand::Rng::with_seed(1);
        for len in 0..200 {
            let bytes: Vec<u8> = (0..len).map(|_| random.u8(..)).collect();
            let mut out = Vec::new();
            append_base64(&mut out, &bytes);
            assert_eq!(out, STANDARD.encode(&bytes).into_bytes());
        }
    }
}
