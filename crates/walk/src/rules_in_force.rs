//! The rules in force in a directory. Where it is known which ones they are, their files are read
//! only if an entry is to be judged by them.

use std::{
    ffi::CStr,
    io,
    sync::{Arc, OnceLock},
};

use heist_filter::{
    Filter, Fingerprint, ReadFile, RuleFilesPresent, Scope, WorkerCache, path_bytes::path_of,
};

use crate::{
    own_path::own_path,
    rule_files::FilesIn,
    sys::{Links, System},
};

/// The rules in force in a directory.
#[derive(Debug)]
pub(crate) struct RulesInForce {
    scope: OnceLock<Arc<Scope>>,
    unread: Option<Unread>,
}

/// The rules in a directory's own files and those above, which are known without reading them.
#[derive(Debug)]
struct Unread {
    above: Arc<RulesInForce>,
    fingerprint: Fingerprint,
    found: RuleFilesPresent,
    /// The directory, as the walk has it and relative to its root.
    path: Box<[u8]>,
    below_root: Box<[u8]>,
}

impl RulesInForce {
    /// Rules that have been read.
    pub(crate) fn read(scope: Arc<Scope>) -> Arc<RulesInForce> {
        Arc::new(RulesInForce { scope: scope.into(), unread: None })
    }

    /// The rules in the files `found`, in the directory at `path`, which is at `below_root` in its
    /// root. The rules `above` apply too; together, all have this fingerprint.
    pub(crate) fn unread(
        above: &Arc<RulesInForce>,
        path: &[u8],
        below_root: &[u8],
        found: RuleFilesPresent,
        fingerprint: Fingerprint,
    ) -> Arc<RulesInForce> {
        let above = Arc::clone(above);
        let (path, below_root) = (path.into(), below_root.into());
        let unread = Some(Unread { above, fingerprint, found, path, below_root });
        Arc::new(RulesInForce { scope: OnceLock::new(), unread })
    }

    /// What stands for them, if anything does.
    pub(crate) fn fingerprint(&self) -> Option<Fingerprint> {
        match &self.unread {
            Some(unread) => Some(unread.fingerprint),
            None => self.scope.get()?.fingerprint(),
        }
    }

    /// The rules, if they have been read.
    pub(crate) fn known_scope(&self) -> Option<&Arc<Scope>> {
        self.scope.get()
    }

    /// The rules, which are read now if they have not been. There always are some.
    pub(crate) fn scope<S: System>(
        &self,
        system: S,
        filter: &Filter,
        cache: &mut WorkerCache,
    ) -> Option<&Arc<Scope>> {
        if self.scope.get().is_none() {
            self.read_all(system, filter, cache);
        }
        self.scope.get()
    }

    /// Reads these rules and those above that have not been read.
    #[cold]
    fn read_all<S: System>(&self, system: S, filter: &Filter, cache: &mut WorkerCache) {
        // Without recursion, because trees may be deeper than the stack.
        let (mut unread, mut next) = (Vec::new(), Some(self));
        while let Some(rules) = next.filter(|rules| rules.scope.get().is_none()) {
            unread.push(rules);
            next = rules.unread.as_ref().map(|unread| &*unread.above);
        }
        for rules in unread.into_iter().rev() {
            if let Some(unread) = &rules.unread
                && let Some(above) = unread.above.scope.get()
            {
                rules.scope.get_or_init(|| unread.read(system, above, filter, cache));
            }
        }
    }
}

impl Unread {
    fn read<S: System>(
        &self,
        system: S,
        above: &Arc<Scope>,
        filter: &Filter,
        cache: &mut WorkerCache,
    ) -> Arc<Scope> {
        let mut enter = |files: &mut dyn ReadFile| {
            filter.enter(above, &self.below_root, self.found, files, cache)
        };
        match system.open(&path_of(own_path(&self.path)), Links::Keep) {
            Ok(dir) => enter(&mut FilesIn { dir: &dir, limit: None }),
            Err(error) => enter(&mut Unreadable(error.kind())),
        }
    }
}

/// The files in a directory that cannot be opened.
struct Unreadable(io::ErrorKind);

impl ReadFile for Unreadable {
    fn read(&mut self, _: &CStr, _: &mut Vec<u8>) -> io::Result<()> {
        Err(self.0.into())
    }
}

impl Drop for RulesInForce {
    /// Drops a long chain without recursion.
    fn drop(&mut self) {
        let mut next = self.unread.take();
        while let Some(mut rules) = next.and_then(|unread| Arc::into_inner(unread.above)) {
            next = rules.unread.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use heist_filter::FilterConfig;

    use super::*;
    use crate::sys::Portable;

    fn found() -> RuleFilesPresent {
        let mut found = RuleFilesPresent::default();
        found.note(b".ignore");
        found
    }

    /// Rules for a directory below `root` that have not been read.
    fn unread(
        above: &Arc<RulesInForce>,
        root: &str,
        path: &str,
        fingerprint: Fingerprint,
    ) -> Arc<RulesInForce> {
        let full = format!("{root}/{path}/");
        RulesInForce::unread(above, full.as_bytes(), path.as_bytes(), found(), fingerprint)
    }

    #[test]
    fn what_is_read_late_is_what_would_have_been_read() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().to_str().unwrap();
        let dirs = ["a", "a/b", "a/b/c", "a/b/gone"];
        fs::create_dir_all(temp.path().join("a/b/c")).unwrap();
        for (dir, rules) in dirs.iter().zip(["*.log\n", "!keep.log\n", "*.txt\n"]) {
            fs::write(temp.path().join(dir).join(".ignore"), rules).unwrap();
        }
        let config = FilterConfig { cwd: root.into(), dot: true, ..FilterConfig::default() };
        let filter = Filter::new(FilterConfig { fingerprints: true, ..config }).unwrap();
        let cache = &mut WorkerCache::default();
        let top = filter.root(temp.path(), cache);
        let mut read = Arc::clone(&top);
        let mut late = RulesInForce::read(top);
        let mut chain = Vec::new();
        for path in &dirs[..3] {
            let opened = Portable.open(&temp.path().join(path), Links::Keep).unwrap();
            let files = &mut FilesIn { dir: &opened, limit: None };
            read = filter.enter(&read, path.as_bytes(), found(), files, cache);
            let fingerprint = read.fingerprint().unwrap();
            late = unread(&late, root, path, fingerprint);
            assert_eq!(late.fingerprint(), read.fingerprint());
            chain.push(Arc::clone(&late));
        }
        assert!(chain.iter().all(|rules| rules.known_scope().is_none()));
        let scope = late.scope(Portable, &filter, cache).unwrap();
        assert_eq!(scope.fingerprint(), read.fingerprint());
        assert!(chain.iter().all(|rules| rules.known_scope().is_some()));
        // A directory that has vanished has no own rules.
        let fingerprint = read.fingerprint().unwrap();
        let gone = unread(&chain[1], root, dirs[3], fingerprint);
        let scope = gone.scope(Portable, &filter, cache).unwrap();
        assert_eq!(scope.fingerprint(), chain[1].known_scope().unwrap().fingerprint());
        assert!(cache.problems.is_empty());
    }

    #[test]
    fn a_long_chain_is_dropped() {
        let temp = tempfile::tempdir().unwrap();
        let config = FilterConfig { cwd: temp.path().into(), ..FilterConfig::default() };
        let filter = Filter::new(FilterConfig { fingerprints: true, ..config }).unwrap();
        let top = filter.root(temp.path(), &mut WorkerCache::default());
        let fingerprint = top.fingerprint().unwrap();
        let mut rules = RulesInForce::read(top);
        for _ in 0..200_000 {
            rules = unread(&rules, "", "", fingerprint);
        }
    }
}
