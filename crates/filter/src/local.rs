//! What one worker keeps between directories, so that it need not allocate.

use std::{collections::HashMap, sync::Arc};

use crate::{
    config::Problem, directory::Live, ignore_file::Dialect, name, pattern::Reading, rules::RuleSet,
};

/// One worker's scratch space and caches.
#[derive(Debug, Default)]
pub struct Local {
    /// Problems met since they were last taken.
    pub problems: Vec<Problem>,
    pub(crate) cache: Cache,
    /// The contents of the ignore file being read.
    pub(crate) buffer: Vec<u8>,
    pub(crate) paths: Paths,
    /// The tables of the directory before, for the sake of their memory.
    pub(crate) live: Live<'static>,
    /// An entry's name in lower case.
    pub(crate) folded: Vec<u8>,
    /// An entry's path.
    pub(crate) entry: Vec<u8>,
}

/// The path of the directory whose entries are being judged, in the forms that rules need.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    /// Absolute, without a slash at the end; empty for `/`.
    pub(crate) absolute: Vec<u8>,
    /// As seen from the current directory, or as typed for a root that is not below it.
    pub(crate) typed: Vec<u8>,
    /// The same two in lower case, if that is asked for.
    pub(crate) absolute_folded: Vec<u8>,
    pub(crate) typed_folded: Vec<u8>,
}

/// Parsed rule sets by the contents they were parsed from. Many trees hold one ignore file
/// thousands of times.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    sets: HashMap<u64, Vec<Arc<RuleSet>>>,
    /// Bytes of all contents in it.
    size: usize,
}

impl Cache {
    /// When the contents exceed this, the cache starts anew: it is for what repeats.
    const MOST_BYTES: usize = 1 << 20;

    /// The rules in `source`.
    pub(crate) fn parse(&mut self, source: &[u8], how: Reading) -> Arc<RuleSet> {
        let hash = name::hash(source) ^ u64::from(how.dialect == Dialect::Git);
        let is_same = |set: &&Arc<RuleSet>| set.is_from(source, how);
        if let Some(set) = self.sets.get(&hash).and_then(|sets| sets.iter().find(is_same)) {
            return Arc::clone(set);
        }
        let set = Arc::new(RuleSet::parse(source, how));
        self.size += source.len() + 64;
        if self.size > Self::MOST_BYTES {
            self.sets.clear();
            self.size = source.len() + 64;
        }
        self.sets.entry(hash).or_default().push(Arc::clone(&set));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_contents_are_parsed_once_and_dialects_kept_apart() {
        let mut cache = Cache::default();
        let git = Reading::file(Dialect::Git, false);
        let first = cache.parse(b"{a,b}\n", git);
        assert!(Arc::ptr_eq(&first, &cache.parse(b"{a,b}\n", git)));
        assert!(!Arc::ptr_eq(&first, &cache.parse(b"{a,b}", git)));
        let others = [Reading::file(Dialect::Ripgrep, false), Reading::file(Dialect::Git, true)];
        for other in others {
            assert!(!Arc::ptr_eq(&first, &cache.parse(b"{a,b}\n", other)));
        }
    }

    #[test]
    fn the_cache_is_bounded() {
        let mut cache = Cache::default();
        let git = Reading::file(Dialect::Git, false);
        for number in 0..40_000 {
            cache.parse(format!("file-{number}").as_bytes(), git);
            assert!(cache.size <= Cache::MOST_BYTES);
        }
        assert!(cache.sets.len() < 20_000, "{}", cache.sets.len());
    }
}
