//! Reads whole haystacks into memory.

use std::{
    fs,
    io::{self, Read},
};

use crate::mmap::prefer_large_pages;

/// A buffer for whole haystacks that grew beyond this many bytes is freed after the search.
pub(crate) const MAX_KEPT_WHOLE_BYTES: usize = 4 << 20;

/// A file that contains a haystack. The haystack begins at `start`.
#[derive(Clone, Copy)]
pub(crate) struct InFile<'a> {
    pub(crate) file: &'a fs::File,
    pub(crate) start: u64,
}

impl InFile<'_> {
    /// Where in the file the bytes after those in `whole` are.
    fn position(&self, whole: &[u8]) -> u64 {
        self.start + whole.len() as u64
    }
}

/// Reads everything into `whole`: from `reader`, and what follows the first
/// [`MAX_KEPT_WHOLE_BYTES`] bytes from the file if there is one.
///
/// # Errors
/// The operating system's error, or that there is not enough memory.
pub(crate) fn read_whole<R: Read>(
    mut reader: R,
    file: Option<InFile<'_>>,
    whole: &mut Vec<u8>,
) -> io::Result<()> {
    whole.clear();
    let got = reader.by_ref().take(MAX_KEPT_WHOLE_BYTES as u64).read_to_end(whole)?;
    match file {
        _ if got < MAX_KEPT_WHOLE_BYTES => Ok(()),
        Some(file) => read_rest(reader, file, whole),
        None => reader.read_to_end(whole).map(drop),
    }
}

/// Reads what follows the bytes in `whole`.
///
/// The buffer is allocated once, and not filled with zeros first: pages that are written to for the
/// first time cost more than everything else here, so they should be large, and written to once.
/// See docs/decisions/0140-whole-haystacks.md.
fn read_rest<R: Read>(reader: R, file: InFile<'_>, whole: &mut Vec<u8>) -> io::Result<()> {
    let left = file.file.metadata()?.len().saturating_sub(file.position(whole));
    // One more, so that the end of the file is seen without a larger buffer.
    let left = usize::try_from(left).ok().and_then(|left| left.checked_add(1));
    whole.try_reserve_exact(left.ok_or(io::ErrorKind::OutOfMemory)?)?;
    prefer_large_pages(whole.spare_capacity_mut());
    fill(reader, file, whole)
}

#[cfg(unix)]
fn fill<R: Read>(_: R, file: InFile<'_>, whole: &mut Vec<u8>) -> io::Result<()> {
    use rustix::{
        buffer::spare_capacity,
        io::{Errno, pread},
    };

    loop {
        whole.try_reserve(1)?;
        let position = file.position(whole);
        match pread(file.file, spare_capacity(whole), position) {
            Ok(0) => return Ok(()),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(not(unix))]
fn fill<R: Read>(mut reader: R, _: InFile<'_>, whole: &mut Vec<u8>) -> io::Result<()> {
    reader.read_to_end(whole).map(drop)
}

#[cfg(test)]
mod tests {
    use std::io::{Seek, SeekFrom, Write};

    use super::*;

    #[test]
    fn all_bytes_are_read_from_a_reader_and_a_file() {
        const START: usize = 3;
        for len in [
            0,
            1,
            MAX_KEPT_WHOLE_BYTES - 1,
            MAX_KEPT_WHOLE_BYTES,
            MAX_KEPT_WHOLE_BYTES + 1,
            2 * MAX_KEPT_WHOLE_BYTES + 12_345,
        ] {
            let bytes: Vec<u8> = (0..START + len).map(|i| (i / 7) as u8).collect();
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&bytes).unwrap();
            file.seek(SeekFrom::Start(START as u64)).unwrap();
            // What was read before is neither kept nor a reason to stop early.
            let mut whole = vec![7; 100];
            let in_file = InFile { file: &file, start: START as u64 };
            read_whole(&file, Some(in_file), &mut whole).unwrap();
            assert_eq!((whole.len(), whole == bytes[START..]), (len, true));
            read_whole(&bytes[..], None, &mut whole).unwrap();
            assert_eq!((whole.len(), whole == bytes), (START + len, true));
        }
    }
}
