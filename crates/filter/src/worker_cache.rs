//! What one worker keeps between directories, so that it need not allocate.

use std::{collections::HashMap, sync::Arc};

use crate::{
    active_rules::ActiveRules,
    dir_paths::DirPaths,
    error::Problem,
    ignore_file::{Dialect, ParseOptions},
    name,
    rules::RuleSet,
};

/// The scratch space and caches of one worker.
#[derive(Debug, Default)]
pub struct WorkerCache {
    /// The problems that have occurred since the caller last removed them.
    pub problems: Vec<Problem>,
    pub(crate) rule_sets: RuleSetCache,
    /// The contents of the rule file that is being read.
    pub(crate) buffer: Vec<u8>,
    pub(crate) paths: DirPaths,
    /// The vectors of the previous directory, emptied.
    pub(crate) active: ActiveRules<'static>,
    /// An entry's name in lower case.
    pub(crate) lower: Vec<u8>,
    /// An entry's path.
    pub(crate) entry: Vec<u8>,
}

/// Parsed rule sets by what their files contain. Many trees contain the same rule file thousands of
/// times.
#[derive(Debug, Default)]
pub(crate) struct RuleSetCache {
    by_hash: HashMap<u64, Vec<Arc<RuleSet>>>,
    /// The bytes of all contents.
    size: usize,
}

impl RuleSetCache {
    /// The cache is emptied when the contents exceed this size: it is meant for what repeats.
    const MAX_BYTES: usize = 1 << 20;

    /// Returns the rules in `source`.
    pub(crate) fn parse(&mut self, source: &[u8], options: ParseOptions) -> Arc<RuleSet> {
        let hash = name::hash(source) ^ u64::from(options.dialect == Dialect::Git);
        let is_same = |set: &&Arc<RuleSet>| set.is_from(source, options);
        if let Some(set) = self.by_hash.get(&hash).and_then(|sets| sets.iter().find(is_same)) {
            return Arc::clone(set);
        }
        let set = Arc::new(RuleSet::parse(source, options));
        self.size += source.len() + 64;
        if self.size > Self::MAX_BYTES {
            self.by_hash.clear();
            self.size = source.len() + 64;
        }
        self.by_hash.entry(hash).or_default().push(Arc::clone(&set));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glob::LetterCase;

    #[test]
    fn equal_contents_are_parsed_once_and_dialects_kept_apart() {
        let mut cache = RuleSetCache::default();
        let git = ParseOptions::file(Dialect::Git, LetterCase::Exact);
        let first = cache.parse(b"{a,b}\n", git);
        assert!(Arc::ptr_eq(&first, &cache.parse(b"{a,b}\n", git)));
        assert!(!Arc::ptr_eq(&first, &cache.parse(b"{a,b}", git)));
        for (dialect, case) in [
            (Dialect::Ripgrep, LetterCase::Exact),
            (Dialect::Git, LetterCase::Folded),
            (Dialect::Git, LetterCase::FoldedByGit),
        ] {
            let other = ParseOptions::file(dialect, case);
            assert!(!Arc::ptr_eq(&first, &cache.parse(b"{a,b}\n", other)));
        }
    }

    #[test]
    fn the_cache_is_bounded() {
        let mut cache = RuleSetCache::default();
        let git = ParseOptions::file(Dialect::Git, LetterCase::Exact);
        for number in 0..40_000 {
            cache.parse(format!("file-{number}").as_bytes(), git);
            assert!(cache.size <= RuleSetCache::MAX_BYTES);
        }
        assert!(cache.by_hash.len() < 20_000, "{}", cache.by_hash.len());
    }
}
