//! The filter at work on one directory's entries.
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
    active_rules::{ActiveRules, ActiveSet, Origin},
    compiled::CompiledConfig,
    config::{FilterConfig, Tracking},
    dir_paths::Base,
    name::Name,
    name_table::RuleId,
    path_bytes,
    root::Root,
    rule_files::RuleFileKind,
    rule_source::{Reason, RuleSource, Verdict},
    rules_in_force::rules_in_force,
    scope::Scope,
    tracked::TrackedFiles,
    worker_cache::WorkerCache,
};

/// A [`Filter`](crate::Filter) prepared for one directory's entries.
#[derive(Debug)]
pub struct Directory<'a> {
    compiled: &'a CompiledConfig,
    root: Option<&'a Root>,
    active: ActiveRules<'a>,
    cache: &'a mut WorkerCache,
    /// Whether an `--only` glob matches this directory or one above it.
    is_below_only: bool,
    /// The tracked files, and this directory's path from the top of their repository, if they
    /// matter.
    tracked: Option<(&'a TrackedFiles, Box<[u8]>)>,
    /// Whether untracked entries are unwanted, as in [`Scope::is_ignored`].
    is_ignored: bool,
    /// Whether git's index matters or globs narrow.
    decides_more: bool,
    /// Whether git's rules match without regard to case here.
    ignore_case: bool,
}

/// A [`Verdict`] before its rule is looked up.
#[derive(Clone, Copy, Debug)]
struct Decision {
    is_wanted: bool,
    by: DecidedBy,
}

#[derive(Clone, Copy, Debug)]
enum DecidedBy {
    /// A rule in the set with this index.
    Rule(usize, RuleId),
    NoGlob,
    NoType,
    NoOnly,
    Tracked,
    Untracked,
    Hidden,
    Nothing,
}

impl<'a> Directory<'a> {
    pub(crate) fn new(
        compiled: &'a CompiledConfig,
        scope: &'a Scope,
        path: &[u8],
        cache: &'a mut WorkerCache,
    ) -> Directory<'a> {
        let root = scope.root();
        if let Some(root) = root {
            let needs_lower = scope.needs_lower || compiled.case_insensitive();
            cache.paths.set(root, path, &compiled.cwd, needs_lower);
        }
        let memory = mem::take(&mut cache.active).recycle();
        let active = rules_in_force(memory, compiled, scope, &cache.paths);
        let narrowing = compiled.narrowing.as_ref();
        let is_below_only = narrowing.is_some_and(|globs| globs.is_below_only(&cache.paths, root));
        let tracked = scope.tracked.as_deref().zip(scope.repository).map(|(tracked, top)| {
            (tracked, Box::from(cache.paths.below(Base::Absolute(top), false)))
        });
        let is_ignored = scope.is_ignored;
        let decides_more = narrowing.is_some() || compiled.tracks();
        Directory {
            compiled,
            root,
            active,
            cache,
            is_below_only,
            tracked,
            is_ignored,
            decides_more,
            ignore_case: scope.ignore_case,
        }
    }

    /// Returns whether the entry `name` is wanted.
    #[inline]
    pub fn is_wanted(&mut self, name: &[u8], is_dir: bool) -> bool {
        if self.active.sets.is_empty() && !self.compiled.has_choices() {
            return !self.compiled.hides(name, self.ignore_case);
        }
        self.judge(name, is_dir).is_wanted
    }

    /// Returns whether the entry `name`, which [`is_wanted`](Self::is_wanted) accepts, is unwanted
    /// because the file system marks it as hidden. Like a dot at the beginning of a name, the mark
    /// counts only for entries that no rule mentions.
    pub fn hides_marked(&mut self, name: &[u8], is_dir: bool) -> bool {
        let FilterConfig { hidden, dotfiles, .. } = self.compiled.config;
        !hidden && !dotfiles && matches!(self.judge(name, is_dir).by, DecidedBy::Nothing)
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
            DecidedBy::NoOnly => Reason::NoOnly,
            DecidedBy::Tracked => Reason::Tracked,
            DecidedBy::Untracked => Reason::Untracked,
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

    /// Decides about an entry. `names` are its name as it is and in lower case.
    #[inline]
    fn decide(&mut self, names: [&Name<'_>; 2], is_dir: bool) -> Decision {
        if self.decides_more {
            return self.decide_more(names, is_dir);
        }
        self.choose(names, is_dir, None)
    }

    /// Decides about an entry where git's index matters or globs narrow.
    #[cold]
    fn decide_more(&mut self, names: [&Name<'_>; 2], is_dir: bool) -> Decision {
        let decision = match self.compiled.config.tracking {
            Tracking::Disregarded => self.select(names, is_dir),
            tracking => self.select_tracked(tracking, names, is_dir),
        };
        if self.compiled.narrowing.is_none() || !decision.is_wanted {
            return decision;
        }
        self.narrow(names, is_dir).map_or(decision, |by| Decision { is_wanted: false, by })
    }

    /// Decides about an entry where git's index matters.
    #[cold]
    fn select_tracked(
        &mut self,
        tracking: Tracking,
        names: [&Name<'_>; 2],
        is_dir: bool,
    ) -> Decision {
        let unwanted = Decision { is_wanted: false, by: DecidedBy::Untracked };
        if self.is_tracked(names[0].bytes, is_dir) {
            return self.choose(names, is_dir, Some(DecidedBy::Tracked));
        }
        match tracking {
            // There may be repositories below.
            Tracking::Only if self.tracked.is_some() || !is_dir => unwanted,
            _ if self.is_ignored => unwanted,
            _ => self.select(names, is_dir),
        }
    }

    /// Returns whether an entry is tracked, or contains tracked files.
    fn is_tracked(&mut self, name: &[u8], is_dir: bool) -> bool {
        let Some((tracked, dir)) = &self.tracked else { return false };
        // Git rejects such an index, in which `.git` has any case.
        if name.eq_ignore_ascii_case(b".git") {
            return false;
        }
        let path = &mut self.cache.entry;
        path.clear();
        path.extend_from_slice(dir);
        path_bytes::push(path, name);
        if !is_dir {
            return tracked.contains_file(path);
        }
        path.push(b'/');
        tracked.contains_dir(path)
    }

    /// Returns whether the directory `name`, which [`is_wanted`](Self::is_wanted) accepts, is
    /// entered only for tracked files in it. [`Filter::ignored`](crate::Filter::ignored) has its
    /// rules.
    #[inline]
    pub fn is_entered_for_tracked(&mut self, name: &[u8]) -> bool {
        self.compiled.config.tracking == Tracking::OrUnignored && self.is_ignored_dir(name)
    }

    #[cold]
    fn is_ignored_dir(&mut self, name: &[u8]) -> bool {
        if self.tracked.is_none() || self.is_ignored {
            return false;
        }
        let lower = name.to_ascii_lowercase();
        !self.select([&Name::new(name), &Name::new(&lower)], true).is_wanted
    }

    /// Returns what makes an entry unwanted that the other rules select.
    #[cold]
    fn narrow(&mut self, names: [&Name<'_>; 2], is_dir: bool) -> Option<DecidedBy> {
        let ActiveRules { not_narrowing, not_except, .. } = self.active;
        let except = not_except..self.active.sets.len();
        if let Some((set, rule)) = self.first_match(except, names, is_dir) {
            return Some(DecidedBy::Rule(set, rule));
        }
        let only = self.compiled.narrowing.as_ref()?.only.as_ref();
        // A directory that does not match may contain files that do.
        only.filter(|_| !is_dir && !self.is_below_only)?;
        let found = self.first_match(not_narrowing..not_except, names, is_dir);
        found.is_none().then_some(DecidedBy::NoOnly)
    }

    /// Goes through the sets, the strongest first, until one decides.
    #[cold]
    fn select(&mut self, names: [&Name<'_>; 2], is_dir: bool) -> Decision {
        self.choose(names, is_dir, None)
    }

    /// Returns what the first set that decides makes of an entry. `index` decides in place of git's
    /// ignore files and those that they outrank, if an entry is in git's index.
    #[inline(always)]
    fn choose(
        &mut self,
        names: [&Name<'_>; 2],
        is_dir: bool,
        index: Option<DecidedBy>,
    ) -> Decision {
        let (globs, not_types) = (self.active.globs, self.active.not_types);
        let files = globs..if index.is_some() { self.active.not_git } else { not_types };
        let wanted = |by| Decision { is_wanted: true, by };
        let unwanted = |by| Decision { is_wanted: false, by };
        if let Some((set, rule)) = self.first_match(0..globs, names, is_dir) {
            let is_wanted = !rule.is_whitelist();
            return Decision { is_wanted, by: DecidedBy::Rule(set, rule) };
        }
        if self.compiled.overrides.includes && !is_dir {
            return unwanted(DecidedBy::NoGlob);
        }
        let mut whitelisted = index;
        if let Some((set, rule)) = self.first_match(files, names, is_dir) {
            if !rule.is_whitelist() {
                return unwanted(DecidedBy::Rule(set, rule));
            }
            whitelisted = match names[0].bytes.first() {
                Some(b'.') => self.whitelist_dotted((set, rule), not_types, names, is_dir),
                _ => Some(DecidedBy::Rule(set, rule)),
            };
        }
        if let Some(selected) = self.compiled.config.types.selected.as_ref().filter(|_| !is_dir) {
            match self.first_match(not_types..self.active.not_narrowing, names, is_dir) {
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
            None if self.compiled.hides(names[0].bytes, self.ignore_case) => {
                unwanted(DecidedBy::Hidden)
            }
            None => wanted(DecidedBy::Nothing),
        }
    }

    /// Returns what whitelists an entry with a leading dot, if `found`, a rule from a file, does
    /// not. Rules in git's files never whitelist `.git`, because git does not look into it,
    /// whatever its rules are; weaker rules in other files, before the set `end`, may. With
    /// `--dotfiles`, no rule of a file whitelists what belongs to version control.
    #[cold]
    fn whitelist_dotted(
        &mut self,
        found: (usize, RuleId),
        end: usize,
        names: [&Name<'_>; 2],
        is_dir: bool,
    ) -> Option<DecidedBy> {
        let (set, rule) = found;
        let by = DecidedBy::Rule(set, rule);
        if !self.compiled.hides(names[0].bytes, self.ignore_case) {
            return Some(by);
        }
        if self.compiled.config.dotfiles {
            return None;
        }
        let is_git =
            |set: &ActiveSet<'_>| matches!(set.origin, Origin::File(kind, _) if kind.is_git());
        let name = names[usize::from(self.ignore_case)];
        if name.bytes != b".git" || !is_git(&self.active.sets[set]) {
            return Some(by);
        }
        let not_git = self.active.sets[..end].iter().rposition(is_git).map_or(end, |last| last + 1);
        let (set, rule) = self.first_match(not_git..end, names, is_dir)?;
        rule.is_whitelist().then_some(DecidedBy::Rule(set, rule))
    }

    /// Returns the first of `sets` with a matching rule, and its last such rule.
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
            Origin::Only | Origin::Except => RuleSource::Except(text),
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

    /// Returns the path of a directory's rule file.
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
    /// Leaves the vectors' memory to the next directory.
    fn drop(&mut self) {
        self.cache.active = mem::take(&mut self.active).recycle();
    }
}
