//! Hits that are kept.

use std::{borrow::Cow, ops::Range, path::Path, sync::Arc};

use bstr::ByteSlice as _;

use crate::hit::{Hit, HitKind};

/// A reported line that does not borrow from the search; see [`Hit`](crate::Hit), which
/// [`to_owned_hit`](crate::Hit::to_owned_hit) copies.
///
/// ```
/// use heist::Search;
///
/// for hit in Search::new("fn main")?.root("examples").sorted() {
///     let hit = hit?;
///     println!("{}:{}: {}", hit.path.display(), hit.line_number, hit.text());
/// }
/// # Ok::<(), heist::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OwnedHit {
    /// The file, as it would be printed.
    pub path: Arc<Path>,
    /// The number of the line, or of the first of several; the first line of a file is 1.
    pub line_number: u64,
    /// Where the line begins, in bytes from the start of the decoded file.
    pub offset: u64,
    /// Whether the line matches or is context.
    pub kind: HitKind,
    /// The line without its terminator.
    pub bytes: Vec<u8>,
    /// The byte ranges of the matches in `bytes`, in order. None overlap.
    pub matches: Vec<Range<usize>>,
    /// The line with every match replaced, if the search has a
    /// [`replacement`](crate::Search::replacement).
    pub replaced: Option<Vec<u8>>,
}

impl Hit<'_> {
    /// A copy that outlives the call of the closure. The copies of a file's hits share its path.
    ///
    /// ```
    /// use heist::{OwnedHit, Search};
    ///
    /// let mut hits: Vec<OwnedHit> = Vec::new();
    /// Search::new("fn main")?.root("examples").run(|hit| hits.push(hit.to_owned_hit()))?;
    /// hits.sort_by_key(|hit| (hit.path.clone(), hit.line_number));
    /// assert!(hits[0].text().contains("fn main"));
    /// # Ok::<(), heist::Error>(())
    /// ```
    #[must_use]
    pub fn to_owned_hit(&self) -> OwnedHit {
        OwnedHit {
            path: Arc::clone(self.shared_path()),
            line_number: self.line_number(),
            offset: self.offset(),
            kind: self.kind(),
            bytes: self.bytes().to_vec(),
            matches: self.matches().to_vec(),
            replaced: self.replaced().map(<[u8]>::to_vec),
        }
    }
}

impl OwnedHit {
    /// The line as text. Bytes that are not UTF-8 become U+FFFD.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        self.bytes.to_str_lossy()
    }

    /// The line with every match replaced, or the line if nothing replaces them, as text.
    #[must_use]
    pub fn replaced_text(&self) -> Cow<'_, str> {
        self.replaced.as_ref().unwrap_or(&self.bytes).to_str_lossy()
    }
}
