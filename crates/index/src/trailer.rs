//! The end of a file in pages: the pages' checksums, and a trailer that states where the file's
//! parts are.
//!
//! ```text
//! trailer: magic 8 │ version 4 │ 0 4 │ ranges of the parts 16 each │ that of the checksums 16
//!          │ checksum of the checksums 8 │ checksum of all that 8
//! ```
//!
//! The manifest has the trailer's checksum, so that nothing is trusted that another file with the
//! same name contains.

use std::{
    fs::File,
    io::{self, Write},
    ops::Range,
    path::Path,
};

use xxhash_rust::xxh3::xxh3_64;

use crate::{
    error::{AtPath, Error},
    numbers::{u32_at, u64_at},
    pages::{PageReader, PageWriter, read_exact_at},
};

/// The format of a file that has `PARTS` parts.
pub(crate) struct FileFormat<const PARTS: usize> {
    pub(crate) magic: [u8; 8],
    /// To be increased with any change in the format, and the manifest's with it.
    pub(crate) version: u32,
}

/// By what a manifest recognizes a file.
pub(crate) struct Written {
    pub(crate) len: u64,
    /// The trailer's checksum. The trailer covers all else.
    pub(crate) checksum: u64,
}

struct Trailer<const PARTS: usize> {
    /// Where the parts are.
    parts: [Range<u64>; PARTS],
    /// These are not in pages themselves.
    checksums: Range<u64>,
    checksum_of_checksums: u64,
}

impl<const PARTS: usize> FileFormat<PARTS> {
    const ENCODED_LEN: usize = 8 + 4 + 4 + PARTS * 16 + 16 + 8 + 8;

    /// Opens the file at `path`, which has this length, and a trailer with this checksum. Returns
    /// its pages and where its parts are.
    pub(crate) fn open(
        &self,
        path: &Path,
        len: u64,
        checksum: u64,
    ) -> Result<(PageReader, [Range<u64>; PARTS]), Error> {
        let file = File::open(path)?;
        let size = file.metadata().at(path)?.len();
        let Some(end) = size.checked_sub(Self::ENCODED_LEN as u64).filter(|_| size == len) else {
            return Err(Error::Damaged("its length").at(path));
        };
        let mut bytes = vec![0; Self::ENCODED_LEN];
        read_exact_at(&file, &mut bytes, end).at(path)?;
        if xxh3_64(&bytes) != checksum {
            return Err(Error::Damaged("its end").at(path));
        }
        let Trailer { parts, checksums, checksum_of_checksums } =
            self.trailer_of(&bytes).at(path)?;
        if checksums.end != end || checksums.start > end {
            return Err(Error::Damaged("its length").at(path));
        }
        let mut sums = vec![0; (end - checksums.start) as usize];
        read_exact_at(&file, &mut sums, checksums.start).at(path)?;
        if xxh3_64(&sums) != checksum_of_checksums {
            return Err(Error::Damaged("the checksum of the checksums").at(path));
        }
        Ok((PageReader::new(file, path, checksums.start, sums).at(path)?, parts))
    }

    /// Ends a file. Its pages have these parts.
    pub(crate) fn finish<W: Write>(
        &self,
        pages: &mut PageWriter<W>,
        parts: [Range<u64>; PARTS],
    ) -> io::Result<Written> {
        let start = pages.position();
        let sums = pages.finish()?;
        let checksums = start..start + sums.len() as u64;
        let len = checksums.end + Self::ENCODED_LEN as u64;
        let trailer = Trailer { parts, checksums, checksum_of_checksums: xxh3_64(&sums) };
        let bytes = self.bytes_of(&trailer);
        pages.out().write_all(&sums)?;
        pages.out().write_all(&bytes)?;
        Ok(Written { len, checksum: xxh3_64(&bytes) })
    }

    fn bytes_of(&self, trailer: &Trailer<PARTS>) -> Vec<u8> {
        let mut bytes = self.magic.to_vec();
        bytes.extend(self.version.to_le_bytes());
        bytes.extend([0; 4]);
        for range in trailer.parts.iter().chain([&trailer.checksums]) {
            bytes.extend(range.start.to_le_bytes());
            bytes.extend(range.end.to_le_bytes());
        }
        bytes.extend(trailer.checksum_of_checksums.to_le_bytes());
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        debug_assert_eq!(bytes.len(), Self::ENCODED_LEN);
        bytes
    }

    fn trailer_of(&self, bytes: &[u8]) -> Result<Trailer<PARTS>, Error> {
        if bytes[..8] != self.magic {
            return Err(Error::Damaged("its end"));
        }
        let version = u32_at(bytes, 8);
        if version != self.version {
            return Err(Error::Version(version));
        }
        let (content, checksum) = bytes.split_at(Self::ENCODED_LEN - 8);
        if xxh3_64(content).to_le_bytes() != checksum {
            return Err(Error::Damaged("the checksum of its end"));
        }
        let range = |at: usize| u64_at(bytes, at)..u64_at(bytes, at + 8);
        Ok(Trailer {
            parts: std::array::from_fn(|index| range(16 + 16 * index)),
            checksums: range(Self::ENCODED_LEN - 32),
            checksum_of_checksums: u64_at(bytes, Self::ENCODED_LEN - 16),
        })
    }
}
