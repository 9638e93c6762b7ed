//! Which files change the rules of a directory, and how they are read.

use std::{ffi::CStr, io, io::Read};

use heist_filter::{MAX_RULE_FILE_BYTES, ReadFile, RuleFilesPresent, rule_file_too_large};

use crate::{
    listing::{Kind, Listing},
    sys::{Links, OpenFile, OpenedFile, Progress, System},
};

/// Those of [`RuleFilesPresent::NAMES`] that stand in a directory, the first chunk of whose listing is this one. `fails` is told
/// what cannot be found out.
pub(crate) fn rule_files_present<S: System>(
    listing: &Listing,
    progress: Progress,
    dir: &S::Dir,
    mut fails: impl FnMut(&CStr, io::Error),
) -> RuleFilesPresent {
    let mut found = RuleFilesPresent::default();
    // What the listing leaves open.
    let mut asked = Vec::new();
    for &entry in listing.entries() {
        let name = listing.name(entry);
        match entry.kind {
            Kind::Symlink | Kind::Unknown => {
                asked
                    .extend(RuleFilesPresent::NAMES.iter().filter(|known| **known == name.c_str()));
            }
            _ => found.note(name.bytes()),
        }
    }
    if progress == Progress::More {
        // A directory too large to wait for.
        asked = RuleFilesPresent::NAMES.to_vec();
    }
    for name in asked {
        match is_rule_file::<S>(dir, name) {
            Ok(true) => found.note(name.to_bytes()),
            Ok(false) => {}
            Err(error) => fails(name, error),
        }
    }
    found
}

/// Whether `name`, one of [`RuleFilesPresent::NAMES`], stands in a directory and counts there.
fn is_rule_file<S: System>(dir: &S::Dir, name: &CStr) -> io::Result<bool> {
    let kind = |links| match S::status_in(dir, name, links) {
        Ok(status) => Ok(Some(status.kind)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    };
    Ok(match (kind(Links::Keep)?, name.to_bytes()) {
        (None, _) => false,
        // Git does not follow this one (since 2.32).
        (Some(Kind::Symlink), b".gitignore") => false,
        // One that leads nowhere makes no repository.
        (Some(Kind::Symlink), b".git" | b".jj") => kind(Links::Follow)?.is_some(),
        (Some(_), _) => true,
    })
}

/// Lets the filter read ignore files by their name in the directory that is being expanded.
pub(crate) struct FilesIn<'a, D>(pub(crate) &'a D);

impl<D: OpenFile> ReadFile for FilesIn<'_, D> {
    fn read(&mut self, name: &CStr, into: &mut Vec<u8>) -> io::Result<()> {
        let result = read_rules(self.0.open_whole(name)?, into);
        if result.is_err() {
            into.clear();
        }
        result
    }
}

/// Replace the contents of `into` by those of an ignore file.
fn read_rules(mut opened: OpenedFile, into: &mut Vec<u8>) -> io::Result<()> {
    /// A page, which most ignore files do not fill. One that cannot be read makes the read before it short, at its
    /// beginning; a read that stops within one has met the end, where anything can be said of that.
    const PAGE: usize = 4 << 10;
    let mut len = 0;
    loop {
        into.resize(len + PAGE.max(len), 0);
        let read = match opened.file.read(&mut into[len..]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        len += read;
        if len > MAX_RULE_FILE_BYTES {
            return Err(rule_file_too_large());
        }
        if read == 0 || opened.short_read_is_eof && !len.is_multiple_of(PAGE) {
            into.truncate(len);
            return Ok(());
        }
    }
}
