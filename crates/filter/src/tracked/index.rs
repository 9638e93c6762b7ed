//! Git's index, as far as it names files: versions 2 to 4, with hashes of 20 or 32 bytes, and also
//! one half of a split index. The entries' times, sizes and hashes are skipped.
//!
//! ```text
//! DIRC version count | entries | extensions: name, length, contents | checksum
//! entry:  40 bytes of stat with the mode in 24 to 27; hash; flags; 2 more flags; name
//!   2, 3: name, then NUL bytes up to a multiple of 8 bytes of the entry
//!   4:    how many bytes of the previous name to drop, what to append, NUL
//! ```
//!
//! An index may come from anywhere, so each read is checked, and what names take is limited.

use super::{
    bitmap::Bitmap,
    input::{Malformed, UnreadBytes},
};

/// The entries of one index file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct IndexFile {
    pub(super) entries: Vec<TrackedEntry>,
    /// What makes it one half of a split index.
    pub(super) link: Option<Link>,
}

/// A path that git tracks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TrackedEntry {
    /// The path from the top of the repository. Empty if the entry replaces one in the shared
    /// index. A directory in a sparse index ends in a slash.
    pub(super) name: Box<[u8]>,
    pub(super) mode: u32,
}

/// The other half of a split index, and what changes in it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Link {
    /// The hash in the name of the shared index; all zero if there is none.
    pub(super) base: Box<[u8]>,
    /// Where entries stand in the shared index that are gone.
    pub(super) deleted: Bitmap,
    /// Where entries stand in the shared index that the first entries of this file replace, in
    /// order.
    pub(super) replaced: Bitmap,
}

/// An index's names may take this many times its size, which only hostile ones exceed: in version
/// 4, a name can repeat the one before as a whole.
const MAX_EXPANSION: usize = 16;

/// Reads an index file.
pub(super) fn parse(bytes: &[u8]) -> Result<IndexFile, Malformed> {
    // No field has the kind of hash. With the wrong one, the extensions do not end at the checksum.
    parse_with(bytes, 20).or_else(|error| parse_with(bytes, 32).map_err(|_| error))
}

fn parse_with(bytes: &[u8], hash_len: usize) -> Result<IndexFile, Malformed> {
    let (rest, _checksum) =
        bytes.split_at_checked(bytes.len().wrapping_sub(hash_len)).ok_or("it is too short")?;
    let mut input = UnreadBytes(rest);
    if input.take(4)? != b"DIRC" {
        return Err("it does not begin with DIRC");
    }
    let version = input.u32()?;
    if !(2..=4).contains(&version) {
        return Err("its version is unknown");
    }
    let count = input.u32()? as usize;
    let mut file = IndexFile::default();
    let mut name = Vec::new();
    let mut names_len = 0;
    for _ in 0..count {
        let mode = read_entry(&mut input, version, hash_len, &mut name)?;
        names_len += name.len();
        if names_len > bytes.len().saturating_mul(MAX_EXPANSION) {
            return Err("its names are too long");
        }
        file.entries.push(TrackedEntry { name: name.as_slice().into(), mode });
    }
    while !input.0.is_empty() {
        let extension = input.take(4)?;
        let len = input.u32()? as usize;
        let contents = input.take(len)?;
        match extension {
            b"link" => file.link = Some(link(contents, hash_len)?),
            // It marks an index with directories.
            b"sdir" => {}
            // What begins with a capital letter may be ignored.
            [b'A'..=b'Z', ..] => {}
            _ => return Err("it has an unknown extension"),
        }
    }
    Ok(file)
}

fn link(contents: &[u8], hash_len: usize) -> Result<Link, Malformed> {
    let mut input = UnreadBytes(contents);
    let base = Box::from(input.take(hash_len)?);
    let mut bitmap = || match input.0 {
        [] => Ok(Bitmap::default()),
        _ => Bitmap::read(&mut input),
    };
    let (deleted, replaced) = (bitmap()?, bitmap()?);
    Ok(Link { base, deleted, replaced })
}

/// Reads an entry: turns `name`, the previous entry's name, into its own, and returns its mode.
fn read_entry(
    input: &mut UnreadBytes<'_>,
    version: u32,
    hash_len: usize,
    name: &mut Vec<u8>,
) -> Result<u32, Malformed> {
    let before = input.0.len();
    input.take(24)?;
    let mode = input.u32()?;
    input.take(12 + hash_len)?;
    let flags = input.take(2)?;
    let flags = u16::from_be_bytes([flags[0], flags[1]]);
    if flags & 0x4000 != 0 {
        if version == 2 {
            return Err("an entry of version 2 has more flags");
        }
        input.take(2)?;
    }
    if version == 4 {
        let dropped = input.offset()?;
        let kept = name.len().checked_sub(dropped).ok_or("a name drops too much")?;
        name.truncate(kept);
    } else {
        name.clear();
    }
    let end = memchr::memchr(0, input.0).ok_or("a name has no end")?;
    name.extend_from_slice(input.take(end)?);
    if version == 4 {
        input.take(1)?;
    } else {
        // At least one NUL.
        let len = before - input.0.len();
        let padding = 8 - len % 8;
        if input.take(padding)?.iter().any(|byte| *byte != 0) {
            return Err("a name is longer than its entry");
        }
    }
    // The length that the flags hold has 12 bits.
    if usize::from(flags & 0xfff) != name.len().min(0xfff) {
        return Err("the length of a name is wrong");
    }
    Ok(mode)
}
