//! Links: printed paths and locations that a terminal can open.
//!
//! A link is an escape sequence (OSC 8) around a text, with an address made from the user's format.
//! The caller finds the target of a path, because that requires a look at the file system.

use crate::{PrinterConfig, path::hyperlink::FormatPiece, value::decimal};

/// A part of a link, with everything resolved that is the same for all paths.
#[derive(Clone, Debug)]
enum LinkPart {
    Text(Box<[u8]>),
    Path,
    Line,
    Column,
}

/// Makes links.
#[derive(Clone, Debug)]
pub(crate) struct Linker {
    parts: Vec<LinkPart>,
    /// Also encode bytes that are not ASCII: terminals take some for the end of the link.
    is_ascii: bool,
    locate: fn(&[u8]) -> Option<Vec<u8>>,
}

const LINK_START: &[u8] = b"\x1b]8;;";
const TARGET_END: &[u8] = b"\x1b\\";

impl Linker {
    /// The bytes after a link's text.
    pub(crate) const LINK_END: &[u8] = b"\x1b]8;;\x1b\\";

    /// `None` if there are no links.
    pub(crate) fn new(config: &PrinterConfig) -> Option<Linker> {
        let link = config.hyperlink.as_ref()?;
        if config.colors.is_none() || link.format.is_empty() {
            return None;
        }
        let text = |bytes: &[u8]| LinkPart::Text(bytes.into());
        let part = |piece: &FormatPiece| match piece {
            FormatPiece::Text(bytes) => text(bytes.as_bytes()),
            FormatPiece::Host => text(link.host.as_bytes()),
            FormatPiece::WslPrefix => text(link.wsl_prefix.as_bytes()),
            FormatPiece::Path => LinkPart::Path,
            FormatPiece::Line => LinkPart::Line,
            FormatPiece::Column => LinkPart::Column,
        };
        Some(Linker {
            parts: link.format.pieces().iter().map(part).collect(),
            is_ascii: config.visible,
            locate: link.locate,
        })
    }

    /// Whether links lead to lines.
    pub(crate) fn has_lines(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, LinkPart::Line))
    }

    /// The encoded target for links to `path`.
    pub(crate) fn target(&self, path: &[u8]) -> Option<Vec<u8>> {
        (self.locate)(path).map(|place| encode(&place, self.is_ascii))
    }

    /// Appends to `out` what a link starts with. Its text and [`LINK_END`](Linker::LINK_END) must
    /// follow.
    pub(crate) fn open(
        &self,
        out: &mut Vec<u8>,
        target: &[u8],
        line: Option<u64>,
        column: Option<u64>,
    ) {
        out.extend_from_slice(LINK_START);
        for part in &self.parts {
            match part {
                LinkPart::Text(text) => out.extend_from_slice(text),
                LinkPart::Path => out.extend_from_slice(target),
                // Without a location, programs open the file at its beginning.
                LinkPart::Line => decimal::append(out, line.unwrap_or(1)),
                LinkPart::Column => decimal::append(out, column.unwrap_or(1)),
            }
        }
        out.extend_from_slice(TARGET_END);
    }
}

/// Encodes `path` for an address: the reserved characters of RFC 3986 except those that structure
/// paths. Other characters than ASCII are kept unless `is_ascii`, as RFC 8089 allows.
fn encode(path: &[u8], is_ascii: bool) -> Vec<u8> {
    const HEX_DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut encoded = Vec::with_capacity(path.len());
    for &byte in path {
        match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => encoded.push(byte),
            b'/' | b':' | b'-' | b'.' | b'_' | b'~' => encoded.push(byte),
            128.. if !is_ascii => encoded.push(byte),
            b'\\' if cfg!(windows) => encoded.push(b'/'),
            _ => {
                let digits =
                    [HEX_DIGITS[usize::from(byte >> 4)], HEX_DIGITS[usize::from(byte & 15)]];
                encoded.extend_from_slice(&[b'%', digits[0], digits[1]]);
            }
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_reserved_is_encoded() {
        // Verified against ripgrep 15.2.
        assert_eq!(
            encode("/a b/c%d:é#?&~_-.+".as_bytes(), false),
            "/a%20b/c%25d:é%23%3F%26~_-.%2B".as_bytes()
        );
        assert_eq!(encode(b"/\xff\x01\x7f", false), b"/\xff%01%7F");
        assert_eq!(encode("/\u{9b}".as_bytes(), true), b"/%C2%9B");
    }
}
