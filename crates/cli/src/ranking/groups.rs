//! Results by directory, extension or file: which have most of them.

use std::collections::HashMap;

use heist_filter::path_bytes::is_separator;
use heist_walk::Entry;

/// How many results there are in each group of files.
#[derive(Debug, Default)]
pub(crate) struct Groups(HashMap<Vec<u8>, u64>);

impl Groups {
    /// Adds `results` to those of the group `name`.
    pub(crate) fn add(&mut self, name: &[u8], results: u64) {
        match self.0.get_mut(name) {
            Some(sum) => *sum += results,
            None => drop(self.0.insert(name.to_vec(), results)),
        }
    }

    /// How many groups there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The groups, those with most results first. If two have equally many, their names decide.
    pub(crate) fn sorted(self) -> Vec<(Vec<u8>, u64)> {
        let mut groups: Vec<_> = self.0.into_iter().collect();
        groups.sort_unstable_by(|(name, results), (other, others)| {
            others.cmp(results).then_with(|| name.cmp(other))
        });
        groups
    }
}

/// The directory of `file` directly below the path that was named, as a path; that path itself for
/// files directly in it.
///
/// ```text
/// file                 path named   directory
/// drivers/net/gem.c    none         drivers
/// drivers/net/gem.c    drivers      drivers/net
/// Makefile             none         .
/// drivers/Makefile     drivers      drivers
/// ```
pub(crate) fn directory(file: &Entry<'_>) -> Vec<u8> {
    let mut path = Vec::new();
    file.path_into(&mut path);
    // The name of the file, and all directories but one.
    for _ in 0..file.depth().saturating_sub(1).max(1) {
        let end = path.iter().rposition(|&byte| is_separator(byte));
        if end == Some(0) {
            return path[..1].to_vec();
        }
        path.truncate(end.unwrap_or(0));
    }
    if path.is_empty() { b".".to_vec() } else { path }
}
