//! Collecting directories and writing a snapshot.

use std::{fs::File, io::Write, mem, ops::Range, path::Path};

use super::{
    layout::{
        DirRecord, EntryKind, EntryRecord, LinkRecord, NO_NUMBER, SNAPSHOT, SnapshotParts,
        SourceRecord,
    },
    visits::{EntryFacts, visits},
};
use crate::{
    bit_set::BitSet,
    error::{AtPath, Error},
    manifest::FileInfo,
    pages::PageWriter,
    stamp::Stamp,
    trailer::Written,
};

/// Stands for `/` in a path, so that every directory is sorted before those below it, and these
/// before its siblings.
const NAME_SEPARATOR: u8 = 0;

/// Directories with their listings, in any order.
///
/// Each worker of a walk has one; [`append`](Self::append) joins them.
#[derive(Clone, Debug, Default)]
pub struct SnapshotBuilder {
    dirs: Vec<NewDir>,
    entries: Vec<NewEntry>,
    bytes: Vec<u8>,
    sources: Vec<(Vec<u8>, Option<Stamp>)>,
    context: Vec<u8>,
    is_visited: Option<fn(&EntryFacts) -> bool>,
}

#[derive(Clone, Debug)]
struct NewDir {
    /// From the root, with [`NAME_SEPARATOR`]s.
    path: Range<usize>,
    stamp: Stamp,
    marks: u32,
    entries: Range<usize>,
}

#[derive(Clone, Debug)]
struct NewEntry {
    name: Range<usize>,
    kind: EntryKind,
    inode: u64,
    marks: u8,
}

/// Sorts numbers by the bytes that they stand for, and equal ones by themselves. One function for
/// everything that is sorted so, because each sort is several kilobytes of instructions.
fn sort_by_bytes<'a>(numbers: &mut [usize], bytes_of: &dyn Fn(usize) -> &'a [u8]) {
    numbers.sort_unstable_by(|a, b| bytes_of(*a).cmp(bytes_of(*b)).then(a.cmp(b)));
}

impl SnapshotBuilder {
    /// Adds a directory: its path from the root, which is empty for the root itself, its stamp, and
    /// marks that are for the caller. Its entries are then [added](Self::entry).
    ///
    /// The stamp must be one that was taken before the directory was listed, and
    /// [settled](Stamp::is_settled) then; otherwise it is [`Stamp::NONE`]. A directory is left out
    /// if its parent is not added.
    pub fn dir(&mut self, path: &[u8], stamp: Stamp, marks: u32) {
        let start = self.bytes.len();
        let separated = |&byte: &u8| if byte == b'/' { NAME_SEPARATOR } else { byte };
        self.bytes.extend(path.iter().map(separated));
        let entries = self.entries.len()..self.entries.len();
        self.dirs.push(NewDir { path: start..self.bytes.len(), stamp, marks, entries });
    }

    /// Adds an entry to the directory that was added last, as it is listed.
    pub fn entry(&mut self, name: &[u8], kind: EntryKind, inode: u64, marks: u8) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(name);
        self.entries.push(NewEntry { name: start..self.bytes.len(), kind, inode, marks });
        if let Some(dir) = self.dirs.last_mut() {
            dir.entries.end = self.entries.len();
        }
    }

    /// Notes that entries of the directory that was added last may be missing.
    pub fn set_partial(&mut self) {
        if let Some(dir) = self.dirs.last_mut() {
            dir.stamp = Stamp::NONE;
        }
    }

    /// Adds a file that decides what is ignored, by its absolute path, with its stamp if it exists.
    pub fn source(&mut self, path: &[u8], stamp: Option<Stamp>) {
        self.sources.push((path.to_vec(), stamp));
    }

    /// Sets bytes that are for the caller.
    pub fn set_context(&mut self, context: &[u8]) {
        self.context = context.to_vec();
    }

    /// Sets which entries make a search visit their directory even if nothing there has changed.
    /// Without it, all do. A directory is visited in any case if its entries may differ from what
    /// was listed.
    pub fn set_visits(&mut self, is_visited: fn(&EntryFacts) -> bool) {
        self.is_visited = Some(is_visited);
    }

    /// Adds what `other` has collected.
    pub fn append(&mut self, other: SnapshotBuilder) {
        let (bytes, entries) = (self.bytes.len(), self.entries.len());
        let moved = |range: Range<usize>, by| range.start + by..range.end + by;
        self.bytes.extend(other.bytes);
        self.entries.extend(
            other
                .entries
                .into_iter()
                .map(|entry| NewEntry { name: moved(entry.name, bytes), ..entry }),
        );
        self.dirs.extend(other.dirs.into_iter().map(|dir| NewDir {
            path: moved(dir.path, bytes),
            entries: moved(dir.entries, entries),
            ..dir
        }));
        self.sources.extend(other.sources);
        if !other.context.is_empty() {
            self.context = other.context;
        }
    }

    /// Lays the snapshot of `root` out. `file_of` returns the number of the file that has an inode.
    pub(crate) fn lay_out(
        mut self,
        root: &Path,
        file_of: impl Fn(u64) -> Option<u32>,
    ) -> Result<LaidOut, Error> {
        let bytes = mem::take(&mut self.bytes);
        let dirs = self.records(&bytes);
        let mut laid_out = LaidOut::default();
        for (index, (dir, _)) in (0..).zip(&dirs) {
            laid_out.add_entries(
                index,
                dir,
                &self.entries[dir.entries.clone()],
                &bytes,
                &file_of,
            )?;
        }
        laid_out.link_dirs(&dirs, &bytes);
        laid_out.links.sort_unstable();
        laid_out.add_sources(root, &self.sources, &dirs, &bytes);
        laid_out.visits = match self.is_visited {
            Some(is_visited) => {
                visits(&laid_out.dirs, &laid_out.entries, &laid_out.sources, is_visited)
            }
            None => BitSet::all(laid_out.dirs.len() as u32),
        };
        laid_out.context = self.context;
        Ok(laid_out)
    }

    /// The sorted directories that are connected to the root, each once, with their records as far
    /// as they are known without entries.
    fn records(&self, bytes: &[u8]) -> Vec<(NewDir, u32)> {
        let mut sorted: Vec<_> = (0..self.dirs.len()).collect();
        sort_by_bytes(&mut sorted, &|dir| &bytes[self.dirs[dir].path.clone()]);
        let mut dirs = Vec::<(NewDir, u32)>::with_capacity(self.dirs.len());
        // The directory that was taken last, and those that contain it.
        let mut above = Vec::<u32>::new();
        for dir in sorted.into_iter().map(|dir| &self.dirs[dir]) {
            let path = &bytes[dir.path.clone()];
            let path_at = |index: u32| &bytes[dirs[index as usize].0.path.clone()];
            let split = path.iter().rposition(|&byte| byte == NAME_SEPARATOR);
            let parent_path = &path[..split.unwrap_or(0)];
            let parent = match above.iter().rposition(|&index| path_at(index) == parent_path) {
                None if path.is_empty() && dirs.is_empty() => NO_NUMBER,
                // A directory that was listed twice, or below one that was not.
                None => continue,
                Some(_) if above.last().is_some_and(|&index| path_at(index) == path) => continue,
                Some(place) => {
                    above.truncate(place + 1);
                    above[place]
                }
            };
            above.push(dirs.len() as u32);
            dirs.push((dir.clone(), parent));
        }
        dirs
    }
}

/// A snapshot, ready to be written.
#[derive(Debug, Default)]
pub(crate) struct LaidOut {
    dirs: Vec<DirRecord>,
    entries: Vec<EntryRecord>,
    links: Vec<LinkRecord>,
    names: Vec<u8>,
    sources: Vec<SourceRecord>,
    source_paths: Vec<u8>,
    visits: BitSet,
    context: Vec<u8>,
}

impl LaidOut {
    fn add_entries(
        &mut self,
        index: u32,
        dir: &NewDir,
        entries: &[NewEntry],
        bytes: &[u8],
        file_of: &impl Fn(u64) -> Option<u32>,
    ) -> Result<(), Error> {
        let too_large = || Error::Damaged("too many names");
        let first_entry = u32::try_from(self.entries.len()).map_err(|_| too_large())?;
        let (parent, entry, end) = (NO_NUMBER, NO_NUMBER, NO_NUMBER);
        let NewDir { stamp, marks, .. } = *dir;
        self.dirs.push(DirRecord { stamp, parent, entry, first_entry, end, marks });
        for entry in entries {
            let &NewEntry { kind, marks, inode, .. } = entry;
            let name = u32::try_from(self.names.len()).map_err(|_| too_large())?;
            self.names.extend_from_slice(&bytes[entry.name.clone()]);
            self.names.push(0);
            let file = if kind == EntryKind::File { file_of(inode) } else { None };
            if let Some(file) = file {
                self.links.push(LinkRecord { file, dir: index, entry: self.entries.len() as u32 });
            }
            let target = file.unwrap_or(NO_NUMBER);
            self.entries.push(EntryRecord { name, target, kind, marks, inode });
        }
        Ok(())
    }

    /// Connects directories with their entries in those that contain them.
    fn link_dirs(&mut self, dirs: &[(NewDir, u32)], bytes: &[u8]) {
        let count = dirs.len() as u32;
        for index in (0..count).rev() {
            // Those below are known already.
            let parent = dirs[index as usize].1;
            let own = &mut self.dirs[index as usize];
            own.parent = parent;
            own.end = if own.end == NO_NUMBER { index + 1 } else { own.end };
            let end = own.end;
            if let Some(above) = self.dirs.get_mut(parent as usize)
                && above.end == NO_NUMBER
            {
                above.end = end;
            }
        }
        for parent in 0..count {
            self.link_children(parent, dirs, bytes);
        }
    }

    /// Connects the directories in one directory with its entries.
    fn link_children(&mut self, parent: u32, dirs: &[(NewDir, u32)], bytes: &[u8]) {
        // They are sorted by name, each with those below it behind it.
        let mut child = parent + 1;
        let end = self.dirs[parent as usize].end;
        if child == end {
            return;
        }
        let first = self.dirs[parent as usize].first_entry as usize;
        let next = self.dirs.get(parent as usize + 1);
        let last = next.map_or(self.entries.len(), |next| next.first_entry as usize);
        let mut entries: Vec<_> =
            (first..last).filter(|&entry| self.entries[entry].kind == EntryKind::Dir).collect();
        sort_by_bytes(&mut entries, &|entry| self.name_of(entry));
        let mut entries = entries.into_iter().peekable();
        while child < end {
            let path = &bytes[dirs[child as usize].0.path.clone()];
            let start =
                path.iter().rposition(|&byte| byte == NAME_SEPARATOR).map_or(0, |at| at + 1);
            let name = &path[start..];
            while entries.next_if(|&entry| self.name_of(entry) < name).is_some() {}
            let is_same = |&entry: &usize| self.name_of(entry) == name;
            if let Some(entry) = entries.next_if(is_same) {
                self.entries[entry].target = child;
                self.dirs[child as usize].entry = entry as u32;
            }
            child = self.dirs[child as usize].end;
        }
    }

    /// Adds the sources, in the order of their entries.
    fn add_sources(
        &mut self,
        root: &Path,
        sources: &[(Vec<u8>, Option<Stamp>)],
        dirs: &[(NewDir, u32)],
        bytes: &[u8],
    ) {
        let path_of = |number: usize| sources[number].0.as_slice();
        let mut numbers: Vec<_> = (0..sources.len()).collect();
        sort_by_bytes(&mut numbers, &path_of);
        numbers.dedup_by_key(|&mut number| path_of(number));
        let root = root.as_os_str().as_encoded_bytes();
        let entry_of = |&number| self.entry_at(root, path_of(number), dirs, bytes);
        // With the places in `numbers`: those that are no entries stay sorted by path.
        let mut placed: Vec<_> = numbers.iter().map(entry_of).zip(0..).collect();
        placed.sort_unstable();
        for (entry, place) in placed {
            let (path, stamp) = &sources[numbers[place]];
            self.sources.push(SourceRecord { entry, stamp: stamp.unwrap_or(Stamp::NONE) });
            // An entry's path is known from the directories above it, and may be long.
            if entry == NO_NUMBER {
                self.source_paths.extend_from_slice(path);
            }
            self.source_paths.push(0);
        }
    }

    /// The entry at an absolute path; [`NO_NUMBER`] if there is none.
    fn entry_at(&self, root: &[u8], path: &[u8], dirs: &[(NewDir, u32)], bytes: &[u8]) -> u32 {
        // The file system's root ends in a slash.
        let below = path.strip_prefix(root.strip_suffix(b"/").unwrap_or(root));
        let Some(below) = below.and_then(|below| below.strip_prefix(b"/")) else {
            return NO_NUMBER;
        };
        let split = below.iter().rposition(|&byte| byte == b'/');
        let (dir, name) = below.split_at(split.unwrap_or(0));
        let name = name.strip_prefix(b"/").unwrap_or(name);
        let separated = dir.iter().map(|&byte| if byte == b'/' { NAME_SEPARATOR } else { byte });
        let dir: Vec<_> = separated.collect();
        let path_of = |(other, _): &(NewDir, u32)| bytes[other.path.clone()].cmp(&dir);
        let Ok(dir) = dirs.binary_search_by(path_of) else { return NO_NUMBER };
        let next =
            self.dirs.get(dir + 1).map_or(self.entries.len(), |dir| dir.first_entry as usize);
        let mut entries = self.dirs[dir].first_entry as usize..next;
        entries.find(|&entry| self.name_of(entry) == name).map_or(NO_NUMBER, |entry| entry as u32)
    }

    /// The name of an entry.
    fn name_of(&self, entry: usize) -> &[u8] {
        let next = self.entries.get(entry + 1);
        let end = next.map_or(self.names.len(), |next| next.name as usize);
        // A NUL ends it.
        &self.names[self.entries[entry].name as usize..end - 1]
    }

    /// Writes the snapshot to a new file at `path`, unless it is the one that `current` describes.
    /// Returns its description.
    pub(crate) fn write(
        &self,
        number: u64,
        path: &Path,
        current: Option<FileInfo>,
    ) -> Result<FileInfo, Error> {
        let mut bytes = Vec::new();
        let Written { len, checksum } = self.write_to(&mut bytes).at(path)?;
        let info = FileInfo { number, len, checksum };
        let is_same = |current: &FileInfo| FileInfo { number, ..*current } == info;
        if let Some(current) = current.filter(is_same) {
            return Ok(current);
        }
        let file = File::options().write(true).create_new(true).open(path);
        let written = file.and_then(|mut file| {
            file.write_all(&bytes)?;
            file.sync_all()
        });
        written.at(path).map(|()| info)
    }

    fn write_to(&self, out: &mut Vec<u8>) -> std::io::Result<Written> {
        let mut pages = PageWriter::new(out);
        let end = DirRecord {
            stamp: Stamp { inode: 0, size: 0, modified: 0, changed: 0, mode: 0 },
            parent: NO_NUMBER,
            entry: NO_NUMBER,
            first_entry: self.entries.len() as u32,
            end: NO_NUMBER,
            marks: 0,
        };
        let mut at = 0;
        let mut ended =
            |pages: &PageWriter<_>| mem::replace(&mut at, pages.position())..pages.position();
        self.dirs.iter().chain([&end]).try_for_each(|dir| pages.write(&dir.to_bytes()))?;
        let dirs = ended(&pages);
        let end = EntryRecord {
            name: self.names.len() as u32,
            target: NO_NUMBER,
            kind: EntryKind::Other,
            marks: 0,
            inode: 0,
        };
        self.entries.iter().chain([&end]).try_for_each(|entry| pages.write(&entry.to_bytes()))?;
        let entries = ended(&pages);
        self.links.iter().try_for_each(|link| pages.write(&link.to_bytes()))?;
        let links = ended(&pages);
        pages.write(&self.names)?;
        let names = ended(&pages);
        self.sources.iter().try_for_each(|source| pages.write(&source.to_bytes()))?;
        let sources = ended(&pages);
        pages.write(&self.source_paths)?;
        let source_paths = ended(&pages);
        pages.write(&self.visits.bytes().collect::<Vec<_>>())?;
        let visits = ended(&pages);
        pages.write(&self.context)?;
        let context = ended(&pages);
        let parts =
            SnapshotParts { dirs, entries, links, names, sources, source_paths, visits, context };
        SNAPSHOT.finish(&mut pages, parts.into())
    }
}
