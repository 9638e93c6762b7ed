//! Links: printed paths and places that a terminal can open.
//!
//! A link is an escape sequence (OSC 8) around a text; what stands in it is made of a format of the user's. The place a
//! path leads to is found by the caller, because that takes a look at the file system.

use crate::{PrinterConfig, decimal, hyperlink::Piece};

/// A piece of a link, as far as it does not change from path to path.
#[derive(Clone, Debug)]
enum Part {
    Text(Box<[u8]>),
    Path,
    Line,
    Column,
}

/// Makes links.
#[derive(Clone, Debug)]
pub(crate) struct Linker {
    parts: Vec<Part>,
    /// Encode what is not ASCII as well: some of it ends the link in the eyes of a terminal.
    is_ascii: bool,
    locate: fn(&[u8]) -> Option<Vec<u8>>,
}

const OPEN: &[u8] = b"\x1b]8;;";
const END: &[u8] = b"\x1b\\";

impl Linker {
    /// What follows the text of a link.
    pub(crate) const CLOSE: &[u8] = b"\x1b]8;;\x1b\\";

    /// None if there are no links.
    pub(crate) fn new(config: &PrinterConfig) -> Option<Linker> {
        let link = config.hyperlink.as_ref()?;
        if config.colors.is_none() || link.format.is_empty() {
            return None;
        }
        let text = |bytes: &[u8]| Part::Text(bytes.into());
        let part = |piece: &Piece| match piece {
            Piece::Text(bytes) => text(bytes.as_bytes()),
            Piece::Host => text(link.host.as_bytes()),
            Piece::WslPrefix => text(link.wsl_prefix.as_bytes()),
            Piece::Path => Part::Path,
            Piece::Line => Part::Line,
            Piece::Column => Part::Column,
        };
        Some(Linker {
            parts: link.format.pieces().iter().map(part).collect(),
            is_ascii: config.visible,
            locate: link.locate,
        })
    }

    /// Whether links lead to lines.
    pub(crate) fn has_lines(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Line))
    }

    /// What stands for the path at `path` in links to it.
    pub(crate) fn target(&self, path: &[u8]) -> Option<Vec<u8>> {
        (self.locate)(path).map(|place| encode(&place, self.is_ascii))
    }

    /// Append the begin of a link to `out`. Its text and [`CLOSE`](Linker::CLOSE) follow.
    pub(crate) fn open(
        &self,
        out: &mut Vec<u8>,
        target: &[u8],
        line: Option<u64>,
        column: Option<u64>,
    ) {
        out.extend_from_slice(OPEN);
        for part in &self.parts {
            match part {
                Part::Text(text) => out.extend_from_slice(text),
                Part::Path => out.extend_from_slice(target),
                // Programs that are told of no place go to the beginning.
                Part::Line => decimal::append(out, line.unwrap_or(1)),
                Part::Column => decimal::append(out, column.unwrap_or(1)),
            }
        }
        out.extend_from_slice(END);
    }
}

/// `path` as it stands in an address: what RFC 3986 calls reserved is encoded, but for what makes paths; what is not
/// ASCII stays unless `is_ascii`, as RFC 8089 allows.
fn encode(path: &[u8], is_ascii: bool) -> Vec<u8> {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut encoded = Vec::with_capacity(path.len());
    for &byte in path {
        match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => encoded.push(byte),
            b'/' | b':' | b'-' | b'.' | b'_' | b'~' => encoded.push(byte),
            128.. if !is_ascii => encoded.push(byte),
            b'\\' if cfg!(windows) => encoded.push(b'/'),
            _ => {
                let digits = [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
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
