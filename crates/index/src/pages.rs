//! Bytes in pages, each with a checksum, so that whatever is read has been checked.
//!
//! A file is written once, from its beginning to its end. A reader reads the pages that it needs;
//! nothing is mapped, so that another process that cuts the file short causes an error and no
//! signal.

use std::{
    cell::Cell,
    fs::File,
    io::{self, Write},
    ops::{Deref, Range},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use xxhash_rust::xxh3::xxh3_64;

use crate::error::{AtPath, Error};

/// How many bytes a page has. Its checksum takes a microsecond.
const PAGE_BYTES: usize = 16 << 10;

/// Writes bytes, and collects their pages' checksums.
pub(crate) struct PageWriter<W> {
    out: W,
    page: Vec<u8>,
    checksums: Vec<u64>,
}

impl<W: Write> PageWriter<W> {
    pub(crate) fn new(out: W) -> PageWriter<W> {
        PageWriter { out, page: Vec::with_capacity(PAGE_BYTES), checksums: Vec::new() }
    }

    /// How many bytes have been written.
    pub(crate) fn position(&self) -> u64 {
        (self.checksums.len() * PAGE_BYTES + self.page.len()) as u64
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(PAGE_BYTES - self.page.len()));
            self.page.extend_from_slice(now);
            if self.page.len() == PAGE_BYTES {
                self.end_page()?;
            }
            rest = later;
        }
        Ok(())
    }

    fn end_page(&mut self) -> io::Result<()> {
        self.checksums.push(xxh3_64(&self.page));
        self.out.write_all(&self.page)?;
        self.page.clear();
        Ok(())
    }

    /// Ends the last page. Returns all checksums as bytes.
    pub(crate) fn finish(&mut self) -> io::Result<Vec<u8>> {
        if !self.page.is_empty() {
            self.end_page()?;
        }
        Ok(self.checksums.iter().flat_map(|sum| sum.to_le_bytes()).collect())
    }

    /// What the pages are written to.
    pub(crate) fn out(&mut self) -> &mut W {
        &mut self.out
    }
}

thread_local! {
    /// Memory for a few pages at a time, if only a little from them is wanted. That is copied: to
    /// keep the pages would take new memory each time, which the system has to provide.
    static SCRATCH: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Reads what a [`PageWriter`] wrote.
#[derive(Debug)]
pub(crate) struct PageReader {
    file: File,
    /// For messages.
    path: PathBuf,
    /// How many bytes were written.
    len: u64,
    checksums: Vec<u8>,
}

/// Bytes from pages.
#[derive(Debug, Default)]
pub(crate) struct PageBytes {
    pages: Vec<u8>,
    wanted: Range<usize>,
}

impl PageBytes {
    /// No bytes, with room for `len`. The system provides the memory as it is used.
    pub(crate) fn with_room(len: usize) -> PageBytes {
        PageBytes { pages: Vec::with_capacity(len), wanted: 0..0 }
    }
}

impl Deref for PageBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.pages[self.wanted.clone()]
    }
}

#[cfg(test)]
impl PageBytes {
    /// These bytes, as if they had been read.
    pub(crate) fn of(pages: Vec<u8>) -> PageBytes {
        let wanted = 0..pages.len();
        PageBytes { pages, wanted }
    }
}

impl PageReader {
    /// Reads the first `len` bytes of `file` at `path`. Its pages have these checksums.
    pub(crate) fn new(
        file: File,
        path: &Path,
        len: u64,
        checksums: Vec<u8>,
    ) -> Result<PageReader, Error> {
        if checksums.len() as u64 != len.div_ceil(PAGE_BYTES as u64) * 8 {
            return Err(Error::Damaged("the number of checksums"));
        }
        Ok(PageReader { file, path: path.to_owned(), len, checksums })
    }

    /// Checks every page.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let step = 64 * PAGE_BYTES as u64;
        let mut starts = (0..self.len).step_by(step as usize);
        starts.try_for_each(|at| self.read(at..self.len.min(at + step)).map(drop))
    }

    /// The bytes of `range`.
    ///
    /// # Errors
    /// Such as [`Error::Damaged`], with the file's path.
    pub(crate) fn read(&self, range: Range<u64>) -> Result<PageBytes, Error> {
        self.read_again(range, PageBytes::default())
    }

    /// The bytes of `range`, in the memory of `old` if that is large enough.
    ///
    /// # Errors
    /// Likewise.
    pub(crate) fn read_again(&self, range: Range<u64>, old: PageBytes) -> Result<PageBytes, Error> {
        self.read_pages(range, old.pages).at(&self.path)
    }

    fn read_pages(&self, range: Range<u64>, mut pages: Vec<u8>) -> Result<PageBytes, Error> {
        if range.start > range.end || range.end > self.len {
            return Err(Error::Damaged("an offset beyond its end"));
        }
        let first = range.start / PAGE_BYTES as u64;
        let start = first * PAGE_BYTES as u64;
        let end = range.end.next_multiple_of(PAGE_BYTES as u64).min(self.len);
        let len = usize::try_from(end - start).map_err(|_| Error::Damaged("a length"))?;
        let wanted = (range.start - start) as usize..(range.end - start) as usize;
        if pages.capacity() == 0 && 2 * wanted.len() <= len {
            let mut scratch = SCRATCH.take();
            let copied = self.fill(&mut scratch, len, start).map(|()| scratch[wanted].to_vec());
            SCRATCH.set(scratch);
            let pages = copied?;
            return Ok(PageBytes { wanted: 0..pages.len(), pages });
        }
        self.fill(&mut pages, len, start)?;
        Ok(PageBytes { pages, wanted })
    }

    /// Replaces `pages` by `len` bytes, from the page that begins at `start` on.
    fn fill(&self, pages: &mut Vec<u8>, len: usize, start: u64) -> Result<(), Error> {
        if pages.capacity() < len {
            // Zeros that the system has already.
            *pages = vec![0; len];
        }
        pages.resize(len, 0);
        read_exact_at(&self.file, pages, start)?;
        let checksums = self.checksums.chunks_exact(8).skip((start / PAGE_BYTES as u64) as usize);
        let are_right = pages
            .chunks(PAGE_BYTES)
            .zip(checksums)
            .all(|(page, sum)| xxh3_64(page).to_le_bytes() == sum);
        are_right.then_some(()).ok_or(Error::Damaged("a checksum"))
    }
}

/// A part of a file. Its pages are read when a thread first needs them.
#[derive(Debug)]
pub(crate) struct LazyPart {
    pages: Arc<PageReader>,
    part: Range<u64>,
    /// The part's pages; `None` stands for one that cannot be read.
    read: Box<[OnceLock<Option<PageBytes>>]>,
}

impl LazyPart {
    /// The bytes of `part`. None is read yet.
    pub(crate) fn new(pages: &Arc<PageReader>, part: Range<u64>) -> Result<LazyPart, Error> {
        if part.start > part.end || part.end > pages.len {
            return Err(Error::Damaged("an offset beyond its end").at(&pages.path));
        }
        let count = part.end.div_ceil(PAGE_BYTES as u64) - part.start / PAGE_BYTES as u64;
        let read = (0..count).map(|_| OnceLock::new()).collect();
        Ok(LazyPart { pages: Arc::clone(pages), part, read })
    }

    /// How many bytes there are.
    pub(crate) fn len(&self) -> usize {
        (self.part.end - self.part.start) as usize
    }

    /// Reads what has not been read.
    ///
    /// # Errors
    /// Such as [`Error::Damaged`].
    pub(crate) fn read_all(&self) -> Result<(), Error> {
        match (0..self.read.len()).all(|page| self.page(page).is_some()) {
            true => Ok(()),
            // The error once more.
            false => self.pages.read(self.part.clone()).map(drop),
        }
    }

    /// The bytes at `at`; `None` if they lie beyond the end or cannot be read.
    pub(crate) fn get<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        if at.checked_add(N)? > self.len() {
            return None;
        }
        // From where the first page starts.
        let at = at + (self.part.start % PAGE_BYTES as u64) as usize;
        let (page, start) = (at / PAGE_BYTES, at % PAGE_BYTES);
        // Almost always it is one page, and the compiler knows how many bytes are copied.
        if let Some(bytes) = self.page(page)?.get(start..)?.first_chunk() {
            return Some(*bytes);
        }
        let mut bytes = [0; N];
        let (head, tail) = bytes.split_at_mut(N.min(PAGE_BYTES - start));
        head.copy_from_slice(self.page(page)?.get(start..start + head.len())?);
        if !tail.is_empty() {
            tail.copy_from_slice(self.page(page + 1)?.get(..tail.len())?);
        }
        Some(bytes)
    }

    /// The `N` bytes at `at`, or the reason why there are none.
    ///
    /// # Errors
    /// Such as [`Error::Damaged`].
    pub(crate) fn read<const N: usize>(&self, at: usize) -> Result<[u8; N], Error> {
        self.get(at).ok_or_else(|| {
            let start = self.part.start + at as u64;
            let is_beyond = at.checked_add(N).is_none_or(|end| end > self.len());
            let again =
                if is_beyond { None } else { self.pages.read(start..start + N as u64).err() };
            again.unwrap_or_else(|| Error::Damaged("an offset beyond its end").at(&self.pages.path))
        })
    }

    fn page(&self, page: usize) -> Option<&PageBytes> {
        let read = || {
            let start = (self.part.start / PAGE_BYTES as u64 + page as u64) * PAGE_BYTES as u64;
            self.pages.read(start..self.pages.len.min(start + PAGE_BYTES as u64)).ok()
        };
        self.read.get(page)?.get_or_init(read).as_ref()
    }
}

/// The first number in `range` that is not before what is looked for, or its end. The numbers stand
/// for sorted records; `is_before` reads one.
///
/// # Errors
/// What `is_before` returns if a record cannot be read.
pub(crate) fn partition_point<E>(
    range: Range<usize>,
    is_before: impl Fn(usize) -> Result<bool, E>,
) -> Result<usize, E> {
    let Range { mut start, mut end } = range;
    while start < end {
        let middle = start + (end - start) / 2;
        match is_before(middle)? {
            true => start = middle + 1,
            false => end = middle,
        }
    }
    Ok(start)
}

/// Fills `into` from `offset` on, and leaves the position of `file` alone.
pub(crate) fn read_exact_at(file: &File, into: &mut [u8], offset: u64) -> io::Result<()> {
    #[cfg(unix)]
    {
        std::os::unix::fs::FileExt::read_exact_at(file, into, offset)
    }
    #[cfg(windows)]
    {
        let mut done = 0;
        while done < into.len() {
            let at = offset + done as u64;
            match std::os::windows::fs::FileExt::seek_read(file, &mut into[done..], at)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => done += read,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn ranges_are_read_as_written_and_changes_are_noticed() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("pages");
        let mut rng = fastrand::Rng::with_seed(5);
        for len in [0, 1, PAGE_BYTES - 1, PAGE_BYTES, 3 * PAGE_BYTES + 17] {
            let bytes: Vec<_> = (0..len).map(|_| rng.u8(..)).collect();
            let mut writer = PageWriter::new(File::create(&path).unwrap());
            for piece in bytes.chunks(1000) {
                writer.write(piece).unwrap();
            }
            assert_eq!(writer.position(), len as u64);
            let checksums = writer.finish().unwrap();
            let open = || {
                PageReader::new(File::open(&path).unwrap(), &path, len as u64, checksums.clone())
            };
            let reader = open().unwrap();
            let mut again = PageBytes::default();
            for _ in 0..50 {
                let start = rng.usize(..=len);
                let end = rng.usize(start..=len);
                let range = start as u64..end as u64;
                let read = reader.read(range.clone()).unwrap();
                assert_eq!(*read, bytes[start..end]);
                again = reader.read_again(range, again).unwrap();
                assert_eq!(*again, bytes[start..end]);
            }
            assert!(reader.read(0..len as u64 + 1).is_err());
            if len > 0 {
                let mut changed = bytes.clone();
                changed[rng.usize(..len)] ^= 1 << rng.u8(..8);
                fs::write(&path, changed).unwrap();
                assert!(open().unwrap().read(0..len as u64).is_err());
                fs::write(&path, &bytes[..len - 1]).unwrap();
                assert!(open().unwrap().read(0..len as u64).is_err());
            }
        }
    }

    #[test]
    fn a_part_is_read_when_it_is_needed() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("pages");
        let mut rng = fastrand::Rng::with_seed(6);
        let bytes: Vec<_> = (0..5 * PAGE_BYTES + 100).map(|_| rng.u8(..)).collect();
        let mut writer = PageWriter::new(File::create(&path).unwrap());
        writer.write(&bytes).unwrap();
        let checksums = writer.finish().unwrap();
        let mut damaged = bytes.clone();
        damaged[3 * PAGE_BYTES] ^= 1;
        fs::write(&path, damaged).unwrap();
        let len = bytes.len() as u64;
        let reader = PageReader::new(File::open(&path).unwrap(), &path, len, checksums).unwrap();
        let start = 1000;
        let part = LazyPart::new(&Arc::new(reader), start as u64..len - 50).unwrap();
        assert_eq!(part.len(), bytes.len() - 50 - start);
        for at in (0..part.len() + 10).step_by(7) {
            let whole = start + at..start + at + 12;
            let is_damaged = whole.start / PAGE_BYTES == 3 || (whole.end - 1) / PAGE_BYTES == 3;
            let expected = bytes.get(whole).filter(|_| at + 12 <= part.len() && !is_damaged);
            assert_eq!(part.get::<12>(at).as_ref().map(|found| &found[..]), expected, "{at}");
        }
        assert!(part.read_all().is_err());
    }
}
