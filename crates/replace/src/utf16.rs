//! Edits of a text in UTF-16, which is searched as UTF-8.

use std::io::{self, Read};

use heist_searcher::Endian;

use crate::Edit;

/// The order of the bytes in a file that begins with `head`, and the length of its mark. `unmarked`
/// is the encoding that the search has recognized without a mark. `None` if it is not UTF-16.
pub(crate) fn order_of(head: &[u8], unmarked: Option<&str>) -> Option<(Endian, u64)> {
    match (unmarked, head.get(..2)) {
        (Some("UTF-16LE"), _) => Some((Endian::Little, 0)),
        (Some("UTF-16BE"), _) => Some((Endian::Big, 0)),
        (None, Some(b"\xff\xfe")) => Some((Endian::Little, 2)),
        (None, Some(b"\xfe\xff")) => Some((Endian::Big, 2)),
        _ => None,
    }
}

/// The bytes of a text: `a` becomes 61 00 or 00 61.
fn encoded(text: &str, order: Endian) -> Vec<u8> {
    text.encode_utf16().flat_map(|unit| order.bytes(unit)).collect()
}

/// Turns edits of a text as UTF-8 into edits of the bytes of `file`, which is at the beginning of
/// the text, behind a mark of `mark_bytes`. In `"é b"` without a mark, the edit of `b` at 3 becomes
/// one at 4. Bytes outside of edits stay as they are, also where they are no UTF-16.
///
/// Returns `None` if an edit begins or ends within a character, or if its new text is no UTF-8.
///
/// # Errors
/// Reading fails.
pub(crate) fn byte_edits(
    file: &mut impl Read,
    order: Endian,
    mark_bytes: u64,
    edits: &[Edit],
) -> io::Result<Option<Vec<Edit>>> {
    let mut text = Text { file, order, next: None, at: mark_bytes, utf8_at: 0 };
    let mut converted = Vec::with_capacity(edits.len());
    for edit in edits {
        let Ok(new) = str::from_utf8(&edit.new) else { return Ok(None) };
        if !text.advance(edit.at, None)? {
            return Ok(None);
        }
        let (at, mut old) = (text.at, Vec::new());
        if !text.advance(edit.end(), Some(&mut old))? {
            return Ok(None);
        }
        converted.push(Edit { at, old, new: encoded(new, order) });
    }
    Ok(Some(converted))
}

/// A text that is read a character at a time.
struct Text<'f, R> {
    file: &'f mut R,
    order: Endian,
    /// A unit that was read ahead.
    next: Option<[u8; 2]>,
    /// How many bytes of the file were passed.
    at: u64,
    /// How many bytes they have as UTF-8.
    utf8_at: u64,
}

impl<R: Read> Text<'_, R> {
    /// Passes characters up to the offset `end` of the text as UTF-8, and appends their bytes.
    /// Returns whether a character ends there.
    fn advance(&mut self, end: u64, mut passed: Option<&mut Vec<u8>>) -> io::Result<bool> {
        while self.utf8_at < end {
            let Some(first) = self.unit()? else { return Ok(false) };
            let mut bytes = first.to_vec();
            if self.order.is_high_surrogate(first) {
                self.next = self.unit()?;
                let low =
                    self.next.filter(|next| (0xdc00..0xe000).contains(&self.order.unit(*next)));
                if let Some(low) = low {
                    self.next = None;
                    bytes.extend(low);
                }
            }
            self.at += bytes.len() as u64;
            // Half a pair is read as U+FFFD, which has three bytes, too.
            self.utf8_at += match self.order.unit(first) {
                0..0x80 => 1,
                0x80..0x800 => 2,
                _ if bytes.len() == 4 => 4,
                _ => 3,
            };
            if let Some(passed) = &mut passed {
                passed.extend(bytes);
            }
        }
        Ok(self.utf8_at == end)
    }

    /// The next unit; `None` at the end, and for a single last byte.
    fn unit(&mut self) -> io::Result<Option<[u8; 2]>> {
        if let Some(next) = self.next.take() {
            return Ok(Some(next));
        }
        let mut bytes = [0; 2];
        match self.file.read_exact(&mut bytes) {
            Ok(()) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(order: Endian, text: &str, edits: &[(u64, &str, &str)]) -> Option<Vec<Edit>> {
        let edit = |&(at, old, new): &(u64, &str, &str)| Edit {
            at,
            old: old.as_bytes().to_vec(),
            new: new.as_bytes().to_vec(),
        };
        let edits: Vec<Edit> = edits.iter().map(edit).collect();
        byte_edits(&mut &encoded(text, order)[..], order, 2, &edits).expect("no error")
    }

    #[test]
    fn offsets_are_those_of_the_units() {
        for order in [Endian::Little, Endian::Big] {
            let text = "é\u{1f600}b\u{20ac}c";
            // In UTF-8: é at 0, the face at 2, b at 6, the sign at 7, c at 10.
            let edits =
                converted(order, text, &[(2, "\u{1f600}", "x"), (6, "b", ""), (10, "c", "ü")]);
            let edits = edits.expect("whole characters");
            let places: Vec<(u64, usize, usize)> =
                edits.iter().map(|edit| (edit.at, edit.old.len(), edit.new.len())).collect();
            assert_eq!(places, [(4, 4, 2), (8, 2, 0), (12, 2, 2)]);
            assert_eq!(edits[0].old, encoded("\u{1f600}", order));
            assert_eq!(converted(order, text, &[(1, "", "x")]), None, "within a character");
            assert_eq!(converted(order, text, &[(11, "", "x")]).map(|edits| edits[0].at), Some(14));
            assert_eq!(converted(order, text, &[(12, "", "x")]), None, "behind the end");
        }
    }

    #[test]
    fn what_is_no_text_stays() {
        // Half a pair, then "ab".
        let bytes = [0x00, 0xd8, b'a', 0, b'b', 0];
        let edit = Edit { at: 4, old: b"b".to_vec(), new: b"c".to_vec() };
        let edits = byte_edits(&mut &bytes[..], Endian::Little, 0, &[edit]).expect("no error");
        assert_eq!(edits, Some(vec![Edit { at: 4, old: vec![b'b', 0], new: vec![b'c', 0] }]));
    }
}
