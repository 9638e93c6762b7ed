//! The filter at work on the entries of one directory.
//!
//! What depends only on the directory is decided before the first entry: which rule sets apply, in
//! which order, and which of their tables can match here. For each entry, its name is hashed and
//! looked up.

use std::{
    mem,
    ops::Range,
    path::{Path, PathBuf},
};

use crate::{
    active_rules::{ActiveRules, Origin},
    compiled::Compiled,
    dir_paths::{Base, DirPaths},
    name::Name,
    name_table::RuleId,
    path_bytes,
    root::Root,
    rule_files::RuleFileKind,
    rule_source::{Reason, RuleSource, Verdict},
    scope::{OwnExcludes, Scope},
    worker_cache::WorkerCache,
};

/// A [`Filter`](crate::Filter) prepared for the entries of one directory.
#[derive(Debug)]
pub struct Directory<'a> {
    compiled: &'a Compiled,
    root: Option<&'a Root>,
    active: ActiveRules<'a>,
    cache: &'a mut WorkerCache,
}

/// A [`Verdict`] before its rule is looked up.
#[derive(Clone, Copy, Debug)]
struct Decision {
    is_wanted: bool,
    by: DecidedBy,
}

#[derive(Clone, Copy, Debug)]
enum DecidedBy {
    /// A rule of the set with this index.
    Rule(usize, RuleId),
    NoGlob,
    NoType,
    Hidden,
    Nothing,
}

impl<'a> Directory<'a> {
    pub(crate) fn new(
        compiled: &'a Compiled,
        scope: &'a Scope,
        path: &[u8],
        cache: &'a mut WorkerCache,
    ) -> Directory<'a> {
        let mut active: ActiveRules<'a> = mem::take(&mut cache.active).recycle();
        let root = scope.root();
        if let Some(root) = root {
            let needs_lower = scope.needs_lower || compiled.case_insensitive();
            cache.paths.set(root, path, &compiled.cwd, needs_lower);
        }
        for rules in &compiled.overrides.runs {
            active.push(rules, Origin::Globs, Base::Typed, &cache.paths);
        }
        active.globs = active.sets.len();
        push_rule_files(&mut active, compiled, scope, &cache.paths);
        active.not_types = active.sets.len();
        if let Some(selected) = &compiled.config.types.selected {
            active.push(&selected.rules, Origin::Types, Base::Name, &cache.paths);
        }
        Directory { compiled, root, active, cache }
    }

    /// Returns whether the entry `name` is wanted.
    #[inline]
    pub fn is_wanted(&mut self, name: &[u8], is_dir: bool) -> bool {
        if self.active.sets.is_empty() && !self.compiled.has_choices() {
            return self.compiled.config.hidden || name.first() != Some(&b'.');
        }
        self.judge(name, is_dir).is_wanted
    }

    /// Returns whether the entry `name`, which [`is_wanted`](Self::is_wanted) accepts, is unwanted
    /// because the file system marks it as hidden. Like a dot at the beginning of a name, the mark
    /// counts only for entries that no rule mentions.
    pub fn hides_marked(&mut self, name: &[u8], is_dir: bool) -> bool {
        !self.compiled.config.hidden && matches!(self.judge(name, is_dir).by, DecidedBy::Nothing)
    }

    /// Returns whether the entry `name` is wanted, and which rule decided. Much slower than
    /// [`is_wanted`](Self::is_wanted).
    ///
    /// ```
    /// use heist_filter::{Filter, FilterConfig, Glob, WorkerCache};
    ///
    /// let globs = vec![Glob { text: "!*.o".into(), ignore_case: false }];
    /// let filter = Filter::new(FilterConfig { globs, ..FilterConfig::default() })?;
    /// let mut cache = WorkerCache::default();
    /// let scope = filter.root("/".as_ref(), &mut cache);
    /// let verdict = filter.directory(&scope, b"", &mut cache).verdict(b"a.o", false).to_string();
    /// assert_eq!(verdict, "ignored by glob '!*.o'");
    /// # Ok::<(), heist_filter::Error>(())
    /// ```
    pub fn verdict(&mut self, name: &[u8], is_dir: bool) -> Verdict<'_> {
        let Decision { is_wanted, by } = self.judge(name, is_dir);
        let reason = match by {
            DecidedBy::Rule(set, rule) => Reason::Rule(self.rule_source(set, rule)),
            DecidedBy::NoGlob => Reason::NoGlob,
            DecidedBy::NoType => Reason::NoType,
            DecidedBy::Hidden => Reason::Hidden,
            DecidedBy::Nothing => Reason::Unmatched,
        };
        Verdict { is_wanted, reason }
    }

    fn judge(&mut self, name: &[u8], is_dir: bool) -> Decision {
        let exact = Name::new(name);
        if !self.active.case_insensitive {
            return self.decide([&exact, &exact], is_dir);
        }
        let mut lower = mem::take(&mut self.cache.lower);
        lower.clear();
        lower.extend(name.iter().map(u8::to_ascii_lowercase));
        let decision = self.decide([&exact, &Name::new(&lower)], is_dir);
        self.cache.lower = lower;
        decision
    }

    /// Goes through the sets in order of precedence until one decides. `names` are the entry's name
    /// as it is and in lower case.
    #[inline]
    fn decide(&mut self, names: [&Name<'_>; 2], is_dir: bool) -> Decision {
        let (globs, not_types) = (self.active.globs, self.active.not_types);
        let wanted = |by| Decision { is_wanted: true, by };
        let unwanted = |by| Decision { is_wanted: false, by };
        if let Some((set, rule)) = self.first_match(0..globs, names, is_dir) {
            let is_wanted = !rule.is_whitelist();
            return Decision { is_wanted, by: DecidedBy::Rule(set, rule) };
        }
        if self.compiled.overrides.includes && !is_dir {
            return unwanted(DecidedBy::NoGlob);
        }
        let mut whitelisted = None;
        if let Some((set, rule)) = self.first_match(globs..not_types, names, is_dir) {
            if !rule.is_whitelist() {
                return unwanted(DecidedBy::Rule(set, rule));
            }
            whitelisted = Some(DecidedBy::Rule(set, rule));
        }
        if let Some(selected) = self.compiled.config.types.selected.as_ref().filter(|_| !is_dir) {
            match self.first_match(not_types..self.active.sets.len(), names, is_dir) {
                Some((set, rule)) if rule.is_whitelist() => {
                    whitelisted = Some(DecidedBy::Rule(set, rule));
                }
                Some((set, rule)) => return unwanted(DecidedBy::Rule(set, rule)),
                None if selected.includes => return unwanted(DecidedBy::NoType),
                None => {}
            }
        }
        match whitelisted {
            Some(by) => wanted(by),
            None if !self.compiled.config.hidden && names[0].bytes.first() == Some(&b'.') => {
                unwanted(DecidedBy::Hidden)
            }
            None => wanted(DecidedBy::Nothing),
        }
    }

    /// Returns the first of some sets with a matching rule, and the last such rule of it.
    #[inline]
    fn first_match(
        &mut self,
        sets: Range<usize>,
        names: [&Name<'_>; 2],
        is_dir: bool,
    ) -> Option<(usize, RuleId)> {
        for at in sets {
            let set = &self.active.sets[at];
            let name = names[usize::from(set.rules.case_insensitive())];
            let mut best = RuleId::NONE;
            for table in &self.active.tables[set.tables.clone()] {
                best = table.last_match(name, is_dir, best);
            }
            if !set.path_globs.is_empty() {
                best = self.last_path_match(at, name.bytes, is_dir, best);
            }
            if !best.is_none() {
                return Some((at, best));
            }
        }
        None
    }

    /// Returns the last rule after `best` that matches an entry's whole path, or `best`.
    fn last_path_match(&mut self, at: usize, name: &[u8], is_dir: bool, best: RuleId) -> RuleId {
        let set = &self.active.sets[at];
        let path = &mut self.cache.entry;
        path.clear();
        path.extend_from_slice(self.cache.paths.below(set.base, set.rules.case_insensitive()));
        path_bytes::push(path, name);
        self.active.path_globs[set.path_globs.clone()]
            .iter()
            .take_while(|(rule, _)| *rule > best)
            .find(|(rule, glob)| rule.holds_for(is_dir) && glob.matcher.is_match(path))
            .map_or(best, |(rule, _)| *rule)
    }

    fn rule_source(&self, set: usize, rule: RuleId) -> RuleSource<'_> {
        let set = &self.active.sets[set];
        let (line, text) = set.rules.describe(rule);
        let text = String::from_utf8_lossy(text);
        match set.origin {
            Origin::Globs => RuleSource::Glob(text),
            Origin::Types => {
                let selected = self.compiled.config.types.selected.as_ref();
                let name = selected.map_or("", |selected| selected.name(line));
                RuleSource::Type { name, glob: text }
            }
            Origin::File(kind, path) => {
                let path = path.map_or_else(|| self.path_of(kind, set.base), Path::to_owned);
                RuleSource::File { path, line, rule: text }
            }
        }
    }

    /// The path of the rule file of a directory.
    fn path_of(&self, kind: RuleFileKind, base: Base) -> PathBuf {
        let (Base::Absolute(length), Some(root)) = (base, self.root) else {
            return PathBuf::from(kind.file());
        };
        let absolute = &self.cache.paths.absolute;
        let above = absolute.get(..length).unwrap_or(absolute);
        let directory = match above.strip_prefix(root.absolute.as_slice()) {
            Some(below) => {
                let below = below.strip_prefix(b"/").unwrap_or(below);
                root.path.join(path_bytes::path_of(below))
            }
            None => Path::new("/").join(path_bytes::path_of(above)),
        };
        directory.join(kind.file())
    }
}

impl Drop for Directory<'_> {
    /// Leaves the memory of the vectors to the next directory.
    fn drop(&mut self) {
        self.cache.active = mem::take(&mut self.active).recycle();
    }
}

/// Adds the rule sets of all rule files in order of precedence.
fn push_rule_files<'a>(
    active: &mut ActiveRules<'a>,
    compiled: &'a Compiled,
    scope: &'a Scope,
    paths: &DirPaths,
) {
    let config = &compiled.config;
    let first = active.sets.len();
    let is_git = config.vcs && (!config.require_git || scope.repository.is_some());
    let mut is_cut = false;
    // The innermost repository decides, as for git inside it.
    let mut repository: Option<&Scope> = None;
    let mut next = Some(scope);
    while let Some(scope) = next {
        for (kind, rules) in &scope.own {
            if !kind.is_git() || (is_git && !is_cut) {
                let base = Base::Absolute(scope.base);
                let path = scope.exclude.as_deref().filter(|_| *kind == RuleFileKind::Exclude);
                active.push(rules, Origin::File(*kind, path), base, paths);
            }
        }
        // Without `require_git`, rules apply in nested repositories too, as in ripgrep.
        is_cut |= scope.is_repository && config.require_git;
        if scope.is_repository {
            repository.get_or_insert(scope);
        }
        // Scopes above the root have no rules if those are not wanted.
        next = scope.parent.as_deref();
    }
    active.sort_by_kind(first);
    if is_git {
        let own = repository.and_then(|top| top.own_excludes.as_deref());
        let excludes = match own {
            Some(OwnExcludes { path, rules }) => rules.as_deref().map(|rules| (&**path, rules)),
            None => compiled.global(scope.ignore_case),
        };
        if let Some((path, rules)) = excludes {
            let base = scope.repository.map_or(Base::Typed, Base::Absolute);
            active.push(rules, Origin::File(RuleFileKind::Global, Some(path)), base, paths);
        }
    }
    for (path, rules) in compiled.ignore_files.iter().rev() {
        active.push(rules, Origin::File(RuleFileKind::IgnoreFile, Some(path)), Base::Typed, paths);
    }
}
