//! Parts of a tree that walks in several processes, or on several machines, have between them.

use std::{fmt, num::NonZeroU32, str::FromStr};

/// One of several parts that the files of a tree are divided into, so that each file is in exactly
/// one of them.
///
/// Which one depends only on the file's path below its root, or on the path by which the user named
/// it, and never on the machine, the system, what else is in the tree, or the version of this
/// crate: the hash is [FNV-1a] with 64 bits, of names with `/` between them, modulo the number of
/// parts.
///
/// [FNV-1a]: http://www.isthe.com/chongo/tech/comp/fnv/
///
/// ```
/// use heist_walk::Shard;
///
/// let shards = ["1/3", "2/3", "3/3"].map(|text| text.parse::<Shard>().unwrap());
/// let holders = |path: &[u8]| shards.map(|shard| shard.has_file(path));
/// assert_eq!(holders(b"src/lib.rs"), [false, true, false]);
/// assert_eq!(holders(b"src/main.rs"), [true, false, false]);
/// assert!("4/3".parse::<Shard>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 1.
    number: NonZeroU32,
    count: NonZeroU32,
    by: ShardBy,
}

/// What stays together when files are divided into parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShardBy {
    /// Nothing: each file goes by its own path. Parts are about as large as each other, and every
    /// walk lists all directories.
    #[default]
    File,
    /// A directory at this depth below the root, with all that is below it. A walk lists only the
    /// directories above that depth and its own ones. The files in a directory above stay together.
    Directory {
        /// At least 1.
        depth: NonZeroU32,
    },
}

impl Shard {
    /// Returns the part with this number, from 1, of `count`. `None` if there is none.
    #[must_use]
    pub fn new(number: u32, count: u32) -> Option<Shard> {
        let (number, count) = (NonZeroU32::new(number)?, NonZeroU32::new(count)?);
        (number <= count).then_some(Shard { number, count, by: ShardBy::File })
    }

    /// Returns the part with the same number if files are divided in this way.
    ///
    /// ```
    /// use heist_walk::{Shard, ShardBy};
    ///
    /// let by = "directory:1".parse::<ShardBy>().unwrap();
    /// let shards = [1, 2].map(|number| Shard::new(number, 2).unwrap().by(by));
    /// let holders = |path: &[u8]| shards.map(|shard| shard.has_file(path));
    /// assert_eq!(holders(b"src/lib.rs"), holders(b"src/bin/tool/main.rs"));
    /// ```
    #[must_use]
    pub fn by(self, by: ShardBy) -> Shard {
        Shard { by, ..self }
    }

    /// Returns whether the file at `path` below its root is in this part. Names in `path` have `/`
    /// between them.
    #[must_use]
    pub fn has_file(self, path: &[u8]) -> bool {
        match path.iter().rposition(|byte| *byte == b'/') {
            Some(slash) => self.has_entry(&path[..slash], &path[slash + 1..]),
            None => self.has_entry(b"", path),
        }
    }

    /// Returns whether a file is in this part that the user has named by `path`.
    #[must_use]
    pub fn has_root(self, path: &[u8]) -> bool {
        self.is_mine(hash(OFFSET_BASIS, path))
    }

    /// Returns whether the file `name` is in this part, in the directory `dir` below its root.
    pub(crate) fn has_entry(self, dir: &[u8], name: &[u8]) -> bool {
        match self.by {
            ShardBy::File => self.is_mine(hash_of_entry(dir, name)),
            ShardBy::Directory { .. } => self.has_dir(dir),
        }
    }

    /// Returns whether the directory `dir` below its root is in this part, as an entry that is
    /// visited.
    pub(crate) fn has_dir(self, dir: &[u8]) -> bool {
        let dir = match self.by {
            ShardBy::File => dir,
            ShardBy::Directory { depth } => first_names(dir, depth),
        };
        self.is_mine(hash(OFFSET_BASIS, dir))
    }

    /// Returns whether anything in the directory `name` may be in this part, which is an entry at
    /// this depth of the directory `dir` below the root.
    pub(crate) fn enters(self, dir: &[u8], name: &[u8], entry_depth: usize) -> bool {
        match self.by {
            // What is deeper is in this part, since the walk has got there.
            ShardBy::Directory { depth } if entry_depth == depth.get() as usize => {
                self.is_mine(hash_of_entry(dir, name))
            }
            _ => true,
        }
    }

    fn is_mine(self, hash: u64) -> bool {
        hash % u64::from(self.count.get()) == u64::from(self.number.get() - 1)
    }
}

impl fmt::Display for Shard {
    /// Such as `3/64`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

impl FromStr for Shard {
    type Err = String;

    /// Reads `3/64`.
    fn from_str(text: &str) -> Result<Shard, String> {
        let numbers = text.split_once('/');
        let shard = numbers
            .and_then(|(number, count)| Shard::new(number.parse().ok()?, count.parse().ok()?));
        shard.ok_or_else(|| {
            format!("'{text}' is no shard (accepted: I/N with numbers from 1, such as 3/64)")
        })
    }
}

impl FromStr for ShardBy {
    type Err = String;

    /// Reads `file`, `directory` or `directory:3`.
    fn from_str(text: &str) -> Result<ShardBy, String> {
        let depth = match text {
            "file" => return Ok(ShardBy::File),
            "directory" => Some(DEFAULT_SHARD_DEPTH),
            _ => text.strip_prefix("directory:").and_then(|depth| depth.parse().ok()),
        };
        let by = depth.map(|depth| ShardBy::Directory { depth });
        by.ok_or_else(|| {
            format!("choice '{text}' is unrecognized (accepted: file, directory, directory:DEPTH)")
        })
    }
}

/// The depth that `directory` stands for. A kernel tree has 600 directories there; a tree of
/// packages, one for each part of a package.
const DEFAULT_SHARD_DEPTH: NonZeroU32 = NonZeroU32::new(2).unwrap();

/// The hash of nothing: FNV's offset basis for 64 bits.
const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;

/// Returns the FNV-1a hash of what has the hash `before`, followed by these bytes.
fn hash(before: u64, bytes: &[u8]) -> u64 {
    /// FNV's prime for 64 bits.
    const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;
    bytes.iter().fold(before, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME))
}

/// The hash of the path of an entry of the directory `dir`.
fn hash_of_entry(dir: &[u8], name: &[u8]) -> u64 {
    match dir {
        [] => hash(OFFSET_BASIS, name),
        _ => hash(hash(hash(OFFSET_BASIS, dir), b"/"), name),
    }
}

/// The first `count` names of a path.
fn first_names(path: &[u8], count: NonZeroU32) -> &[u8] {
    let mut slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    match slashes.nth(count.get() as usize - 1) {
        Some((end, _)) => &path[..end],
        None => path,
    }
}
