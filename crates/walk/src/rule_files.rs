//! Finds the rule files in a directory that is being expanded, and reads them.

use std::{
    ffi::CStr,
    io::{self, Read},
    path::PathBuf,
};

use heist_filter::{MAX_RULE_FILE_BYTES, ReadFile, RuleFilesPresent, rule_file_too_large};

use crate::{
    bounds::Bounds,
    descriptors::Handle,
    listing::{FileType, Listing},
    sys::{Links, OpenFile, OpenedFile, Progress, System},
};

/// Returns which rule files a directory has, from the first chunk of its listing. Links that
/// `limit` excludes are left out. `fails` receives the names that could not be examined.
pub(crate) fn rule_files_present<S: System>(
    listing: &Listing,
    progress: Progress,
    dir: &Handle<'_, S>,
    limit: &Limit<'_>,
    mut fails: impl FnMut(&CStr, io::Error),
) -> RuleFilesPresent {
    let mut found = RuleFilesPresent::default();
    // The names that the listing does not decide.
    let mut unclear = Vec::new();
    for &entry in listing.entries() {
        let name = listing.name(entry);
        match entry.file_type {
            Some(FileType::Symlink) | None => {
                let known = RuleFilesPresent::NAMES.iter();
                unclear.extend(known.filter(|known| **known == name.c_str()));
            }
            Some(_) => found.note(name.bytes()),
        }
    }
    if progress == Progress::More {
        // The walk does not wait for the rest of a very large directory.
        unclear = RuleFilesPresent::NAMES.to_vec();
    }
    for name in unclear {
        match dir.dir().and_then(|dir| is_present::<S>(dir, name, limit)) {
            Ok(true) => found.note(name.to_bytes()),
            Ok(false) => {}
            Err(error) => fails(name, error),
        }
    }
    found
}

/// Whether a directory has the rule file `name`, and the file counts there.
fn is_present<S: System>(dir: &S::Dir, name: &CStr, limit: &Limit<'_>) -> io::Result<bool> {
    let file_type = |links| match S::status_in(dir, name, links) {
        Ok(status) => Ok(Some(status.file_type)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    };
    Ok(match (file_type(Links::Keep)?, name.to_bytes()) {
        (None, _) => false,
        // Git does not follow this link (since 2.32).
        (Some(FileType::Symlink), b".gitignore") => false,
        // One that cannot be followed does not lead out. Reading it reports why.
        (Some(FileType::Symlink), _)
            if limit.excludes(name) && S::status_in(dir, name, Links::Follow).is_ok() =>
        {
            false
        }
        // A dangling link makes no repository.
        (Some(FileType::Symlink), b".git" | b".jj") => file_type(Links::Follow)?.is_some(),
        (Some(_), _) => true,
    })
}

/// What links in a directory must not lead out of.
pub(crate) struct Limit<'a> {
    /// `None` if they may lead anywhere.
    pub(crate) bounds: Option<&'a Bounds>,
    /// Returns the path to an entry in the directory.
    pub(crate) path: &'a dyn Fn(&CStr) -> PathBuf,
}

impl Limit<'_> {
    fn excludes(&self, name: &CStr) -> bool {
        self.bounds.is_some_and(|bounds| bounds.excludes(&(self.path)(name)))
    }
}

/// Reads rule files for the filter, by their name in an open directory.
pub(crate) struct FilesIn<'a, D> {
    pub(crate) dir: &'a D,
    /// What links below `.git` must not lead out of; `None` if they may lead anywhere. Links in the
    /// directory itself have been examined before.
    pub(crate) limit: Option<Limit<'a>>,
}

impl<D: OpenFile> ReadFile for FilesIn<'_, D> {
    fn read(&mut self, name: &CStr, into: &mut Vec<u8>) -> io::Result<()> {
        if self.leads_out(name) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let result = read_rules(self.dir.open_whole(name)?, into);
        if result.is_err() {
            into.clear();
        }
        result
    }

    /// A file names git's own directory for a worktree or submodule, not a link: it may be
    /// anywhere.
    fn leads_out(&self, name: &CStr) -> bool {
        let is_below_git = name.to_bytes().starts_with(b".git/");
        is_below_git && self.limit.as_ref().is_some_and(|limit| limit.excludes(name))
    }
}

/// Reads a rule file into `into`, in place of what that contains.
fn read_rules(mut opened: OpenedFile, into: &mut Vec<u8>) -> io::Result<()> {
    /// Most rule files are smaller than a page. A read that stops within a page has met the end;
    /// one that stops between pages may have met a page that cannot be read.
    const PAGE_BYTES: usize = 4 << 10;
    let mut len = 0;
    loop {
        into.resize(len + PAGE_BYTES.max(len), 0);
        let read = match opened.file.read(&mut into[len..]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        len += read;
        if len > MAX_RULE_FILE_BYTES {
            return Err(rule_file_too_large());
        }
        if read == 0 || opened.short_read_is_eof && !len.is_multiple_of(PAGE_BYTES) {
            into.truncate(len);
            return Ok(());
        }
    }
}
