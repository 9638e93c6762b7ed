//! The manifest: which segments an index has, and which files in them are up to date.
//!
//! It is replaced as a whole, so that a reader sees one state or the next one.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use xxhash_rust::xxh3::xxh3_64;

use crate::{
    bit_set::BitSet,
    error::{AtPath, Error},
};

const MANIFEST_MAGIC: [u8; 8] = *b"heistman";
/// Increase it with any change in the format, also in the format of segments and snapshots: a
/// reader that expects more or fewer parts looks for the trailer elsewhere, and the version that it
/// finds there means nothing. Increase it also if what an index covers was wrong: in version 3, an
/// index may cover files on other devices, and in version 5 UTF-16 without a byte order mark.
const MANIFEST_VERSION: u32 = 6;
pub(crate) const NAME: &str = "manifest";
const NEW_NAME: &str = "manifest-new";
const SEGMENT_PREFIX: &str = "segment-";
const RUN_PREFIX: &str = "run-";
const SNAPSHOT_PREFIX: &str = "snapshot-";

/// What belongs to an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Manifest {
    /// The directory that is covered.
    pub(crate) root: PathBuf,
    /// From the oldest to the newest.
    pub(crate) segments: Vec<SegmentInfo>,
    /// The directories, if they are known.
    pub(crate) snapshot: Option<FileInfo>,
}

/// A file of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileInfo {
    /// The number in the file's name, such as `snapshot-7`.
    pub(crate) number: u64,
    /// How many bytes the file has.
    pub(crate) len: u64,
    /// The checksum of the file's trailer, which holds checksums of all else.
    pub(crate) checksum: u64,
}

/// A segment of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SegmentInfo {
    /// The number in the name of the segment's file, such as `segment-7`.
    pub(crate) number: u64,
    /// How many bytes the segment's file has.
    pub(crate) len: u64,
    /// The checksum of the segment's trailer, which holds checksums of all else.
    pub(crate) checksum: u64,
    /// How many bytes the files have that were as indexed at the last update.
    pub(crate) text: u64,
    /// These files.
    pub(crate) live: BitSet,
}

/// The name of a segment's file.
pub(crate) fn segment_name(number: u64) -> String {
    format!("{SEGMENT_PREFIX}{number}")
}

/// The name of a snapshot's file.
pub(crate) fn snapshot_name(number: u64) -> String {
    format!("{SNAPSHOT_PREFIX}{number}")
}

/// The name of the file with the runs that have this number.
pub(crate) fn run_name(number: u32) -> String {
    format!("{RUN_PREFIX}{}-{number}", std::process::id())
}

/// Whether [`run_name`] returns such names.
fn is_run(name: &str) -> bool {
    let numbers = name.strip_prefix(RUN_PREFIX).and_then(|rest| rest.split_once('-'));
    numbers.is_some_and(|(process, number)| {
        [process, number].map(number_of).iter().all(Option::is_some)
    })
}

/// The number that is written like this: neither `07` nor `+7`.
fn number_of(text: &str) -> Option<u64> {
    text.parse().ok().filter(|number: &u64| number.to_string() == text)
}

impl Manifest {
    /// Reads the manifest in an index's directory. Returns it with its size.
    ///
    /// # Errors
    /// [`Error::Absent`] if there is none.
    pub(crate) fn read(dir: &Path) -> Result<(Manifest, u64), Error> {
        let path = dir.join(NAME);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) => return Err(Error::from(error).at(&path)),
        };
        Ok((Manifest::from_bytes(&bytes).at(&path)?, bytes.len() as u64))
    }

    /// Replaces the manifest in `dir` by this one. Its segments must be on the disk.
    pub(crate) fn publish(&self, dir: &Path) -> Result<u64, Error> {
        let new = dir.join(NEW_NAME);
        let bytes = self.to_bytes();
        let written = File::create(&new).and_then(|mut file| {
            file.write_all(&bytes)?;
            file.sync_all()
        });
        let published = written.at(&new).and_then(|()| {
            // The segments' names last before the manifest that mentions them does.
            sync_dir(dir).at(dir)?;
            fs::rename(&new, dir.join(NAME)).at(&new)?;
            sync_dir(dir).at(dir)
        });
        if published.is_err() {
            let _ = fs::remove_file(&new);
        }
        published.map(|()| bytes.len() as u64)
    }

    /// Removes what an interrupted update has left in `dir`, and files of other manifests; without
    /// a manifest that can be used, all. Returns a number that no file has.
    pub(crate) fn clean(dir: &Path, current: Option<&Manifest>) -> io::Result<u64> {
        let mut next = current.map_or(0, |manifest| {
            let segments = manifest.segments.iter().map(|segment| segment.number);
            segments.chain(manifest.snapshot.map(|info| info.number)).max().map_or(0, |max| max + 1)
        });
        for entry in fs::read_dir(dir)? {
            let name = entry?.file_name();
            let Some(name) = name.to_str() else { continue };
            let number = [SEGMENT_PREFIX, SNAPSHOT_PREFIX]
                .iter()
                .find_map(|prefix| number_of(name.strip_prefix(prefix)?));
            next = next.max(number.map_or(0, |number| number.saturating_add(1)));
            let is_old = number.is_some() && !current.is_some_and(|current| current.uses(name));
            let is_old = is_old || (name == NAME && current.is_none());
            if is_old || name == NEW_NAME || is_run(name) {
                fs::remove_file(dir.join(name))?;
            }
        }
        Ok(next)
    }

    /// A number that other manifests are not expected to have.
    pub(crate) fn identity(&self) -> u64 {
        xxh3_64(&self.to_bytes())
    }

    /// How many bytes all files but the manifest itself have.
    pub(crate) fn files_len(&self) -> u64 {
        let segments: u64 = self.segments.iter().map(|segment| segment.len).sum();
        segments + self.snapshot.map_or(0, |info| info.len)
    }

    /// Whether a file has this name.
    fn uses(&self, name: &str) -> bool {
        self.segments.iter().any(|segment| segment_name(segment.number) == name)
            || self.snapshot.is_some_and(|info| snapshot_name(info.number) == name)
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MANIFEST_MAGIC.to_vec();
        bytes.extend(MANIFEST_VERSION.to_le_bytes());
        let root = self.root.as_os_str().as_encoded_bytes();
        bytes.extend((root.len() as u32).to_le_bytes());
        bytes.extend(root);
        bytes.extend((self.segments.len() as u32).to_le_bytes());
        for SegmentInfo { number, len, checksum, text, live } in &self.segments {
            for number in [number, len, checksum, text] {
                bytes.extend(number.to_le_bytes());
            }
            bytes.extend(live.limit().to_le_bytes());
            bytes.extend(live.bytes());
        }
        bytes.push(self.snapshot.is_some().into());
        if let Some(FileInfo { number, len, checksum }) = self.snapshot {
            [number, len, checksum].iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        }
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Result<Manifest, Error> {
        let damaged = || Error::Damaged("its manifest");
        let (content, checksum) = bytes.split_last_chunk::<8>().ok_or_else(damaged)?;
        let mut fields = Fields { rest: content };
        if fields.bytes(8) != Some(&MANIFEST_MAGIC) {
            return Err(damaged());
        }
        let version = fields.u32().ok_or_else(damaged)?;
        if version != MANIFEST_VERSION {
            return Err(Error::Version(version));
        }
        if xxh3_64(content) != u64::from_le_bytes(*checksum) {
            return Err(damaged());
        }
        fields.manifest().ok_or_else(damaged)
    }
}

/// Makes the names in `dir` last.
fn sync_dir(dir: &Path) -> io::Result<()> {
    // Windows has no such thing.
    if cfg!(unix) { File::open(dir)?.sync_all() } else { Ok(()) }
}

struct Fields<'b> {
    rest: &'b [u8],
}

impl<'b> Fields<'b> {
    fn bytes(&mut self, len: usize) -> Option<&'b [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(*self.bytes(4)?.first_chunk()?))
    }

    fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(*self.bytes(8)?.first_chunk()?))
    }

    fn manifest(&mut self) -> Option<Manifest> {
        let root = self.u32()? as usize;
        let root = path_of(self.bytes(root)?);
        let count = self.u32()?;
        let segments = (0..count).map(|_| self.segment()).collect::<Option<_>>()?;
        let snapshot = match self.bytes(1)? {
            [0] => None,
            _ => {
                let (number, len, checksum) = (self.u64()?, self.u64()?, self.u64()?);
                Some(FileInfo { number, len, checksum })
            }
        };
        Some(Manifest { root, segments, snapshot })
    }

    fn segment(&mut self) -> Option<SegmentInfo> {
        let (number, len, checksum, text) = (self.u64()?, self.u64()?, self.u64()?, self.u64()?);
        let files = self.u32()?;
        let mut live = BitSet::none(files);
        let is_whole = live.set_bytes(self.bytes(files.div_ceil(8) as usize)?);
        is_whole.then_some(SegmentInfo { number, len, checksum, text, live })
    }
}

fn path_of(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        std::ffi::OsStr::from_bytes(bytes).into()
    }
    #[cfg(not(unix))]
    String::from_utf8_lossy(bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Manifest {
        let live = BitSet::all(77);
        let segment = |number| SegmentInfo {
            number,
            len: 1 << 40,
            checksum: u64::MAX - number,
            text: 12,
            live: live.clone(),
        };
        Manifest {
            root: "/srv/ä".into(),
            segments: vec![segment(3), segment(9)],
            snapshot: Some(FileInfo { number: 12, len: 77, checksum: 5 }),
        }
    }

    #[test]
    fn a_manifest_is_read_as_written_or_not_at_all() {
        let temp = tempfile::tempdir().unwrap();
        assert!(matches!(Manifest::read(temp.path()), Err(Error::Absent)));
        let manifest = sample();
        let size = manifest.publish(temp.path()).unwrap();
        assert_eq!(Manifest::read(temp.path()).unwrap(), (manifest.clone(), size));
        let bytes = manifest.to_bytes();
        for len in 0..bytes.len() {
            assert!(Manifest::from_bytes(&bytes[..len]).is_err());
        }
        for bit in 0..8 * bytes.len() {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(Manifest::from_bytes(&changed).is_err());
        }
    }

    #[test]
    fn a_manifest_of_another_version_is_known_by_that_alone() {
        for version in [0, MANIFEST_VERSION - 1, MANIFEST_VERSION + 1, u32::MAX] {
            let mut bytes = MANIFEST_MAGIC.to_vec();
            bytes.extend(version.to_le_bytes());
            bytes.extend(*b"what this version does not know");
            let error = Manifest::from_bytes(&bytes).unwrap_err();
            assert!(matches!(error, Error::Version(found) if found == version), "{error}");
        }
    }

    #[test]
    fn leftovers_are_removed() {
        let temp = tempfile::tempdir().unwrap();
        for name in [
            "segment-3",
            "segment-4",
            "segment-9",
            "snapshot-12",
            "snapshot-3",
            "manifest-new",
            "run-3-0",
            "lock",
        ] {
            fs::write(temp.path().join(name), "").unwrap();
        }
        assert_eq!(Manifest::clean(temp.path(), Some(&sample())).unwrap(), 13);
        let names = || {
            let names = fs::read_dir(temp.path()).unwrap();
            let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
            names.sort_unstable();
            names
        };
        assert_eq!(names(), ["lock", "segment-3", "segment-9", "snapshot-12"]);
        assert_eq!(Manifest::clean(temp.path(), None).unwrap(), 13);
        assert_eq!(names(), ["lock"]);
    }

    #[test]
    fn only_names_of_this_program_are_removed() {
        let temp = tempfile::tempdir().unwrap();
        let others = [
            "run-tests",
            "run-parts",
            "run-1",
            "run-1-",
            "run--1",
            "run-1-2-3",
            "run-1-x",
            "run-01-2",
            "segment-07",
            "segment-+7",
            "segment-",
            "segment-7.rs",
            "snapshot-x",
            "manifest-newer",
        ];
        for name in others.iter().chain(&["run-1-2", "segment-7", "manifest", "manifest-new"]) {
            fs::write(temp.path().join(name), "").unwrap();
        }
        assert_eq!(Manifest::clean(temp.path(), None).unwrap(), 8);
        let left = fs::read_dir(temp.path()).unwrap();
        let mut left: Vec<_> =
            left.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
        left.sort_unstable();
        let mut others = others.map(str::to_owned);
        others.sort_unstable();
        assert_eq!(left, others);
    }
}
