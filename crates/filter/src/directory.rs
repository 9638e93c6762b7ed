//! The filter at work on the entries of one directory.
//!
//! Whatever depends on the directory alone is settled before the first entry: which rule sets
//! hold, in which order they are asked, which of their tables are about this directory. What is
//! left per entry is to hash its name and to look it up.

use std::{
    fmt, mem,
    ops::Range,
    path::{Path, PathBuf},
};

use crate::{
    filter::Filter,
    name::Name,
    name_table::{NameTable, RuleId},
    path_bytes,
    pattern::{PathGlob, is_below},
    rules::RuleSet,
    scope::{Kind, Root, Scope},
    worker_cache::{Paths, WorkerCache},
};

/// The filter, prepared for the entries of one directory.
#[derive(Debug)]
pub struct Directory<'a> {
    filter: &'a Filter,
    root: Option<&'a Root>,
    active: ActiveRules<'a>,
    cache: &'a mut WorkerCache,
}

/// The rule sets that can have a say in one directory, in the order in which they are asked.
#[derive(Debug, Default)]
pub(crate) struct ActiveRules<'a> {
    sets: Vec<ActiveSet<'a>>,
    /// The tables of all sets; each has a range of them.
    tables: Vec<&'a NameTable>,
    /// The same for rules that need an entry's whole path.
    path_globs: Vec<&'a (RuleId, PathGlob)>,
    /// How many of the sets are command-line globs; they come first.
    globs: usize,
    /// How many are not types; these come last.
    not_types: usize,
    /// Some set has to see names in lower case.
    case_insensitive: bool,
}

/// One rule set.
#[derive(Debug)]
struct ActiveSet<'a> {
    rules: &'a RuleSet,
    origin: Origin<'a>,
    base: Base,
    tables: Range<usize>,
    path_globs: Range<usize>,
}

/// Where a rule set comes from, to order the sets and to name them.
#[derive(Clone, Copy, Debug)]
enum Origin<'a> {
    Globs,
    /// An ignore file; its path if it is not the usual file of the directory at the base.
    File(Kind, Option<&'a Path>),
    Types,
}

/// What the paths that a rule set sees are relative to.
#[derive(Clone, Copy, Debug)]
enum Base {
    /// The directory whose absolute path has this length.
    Absolute(usize),
    /// The current directory; a root elsewhere is seen as typed.
    Typed,
    /// Only names count.
    Name,
}

/// What was decided, and by what.
#[derive(Clone, Copy, Debug)]
struct Verdict {
    is_wanted: bool,
    reason: Reason,
}

#[derive(Clone, Copy, Debug)]
enum Reason {
    /// A rule of the set at this position.
    Rule(usize, RuleId),
    /// There are globs that include, and none matched.
    NoGlob,
    /// There are types selected, and none matched.
    NoType,
    Hidden,
    Nothing,
}

impl ActiveRules<'_> {
    /// The same memory without contents, for references of any lifetime.
    fn recycle<'b>(mut self) -> ActiveRules<'b> {
        ActiveRules {
            sets: recycle(mem::take(&mut self.sets)),
            tables: recycle(mem::take(&mut self.tables)),
            path_globs: recycle(mem::take(&mut self.path_globs)),
            ..ActiveRules::default()
        }
    }
}

/// An empty vector in the memory of another. Collecting from a vector's own iterator reuses its
/// memory where the elements are of one size; if some day it does not, this costs allocations.
fn recycle<A, B>(mut vec: Vec<A>) -> Vec<B> {
    vec.clear();
    vec.into_iter().filter_map(|_| None).collect()
}

impl<'a> ActiveRules<'a> {
    /// Add a set that is asked after those before it, if it can have a say in this directory.
    fn push(&mut self, rules: &'a RuleSet, origin: Origin<'a>, base: Base, paths: &Paths) {
        let (table, path_globs) = (self.tables.len(), self.path_globs.len());
        let dir = paths.below(base, rules.case_insensitive());
        rules.tables_in(dir, |table| self.tables.push(table));
        self.path_globs.extend(rules.path_globs_in(dir));
        let (tables, path_globs) = (table..self.tables.len(), path_globs..self.path_globs.len());
        if !tables.is_empty() || !path_globs.is_empty() {
            self.case_insensitive |= rules.case_insensitive();
            self.sets.push(ActiveSet { rules, origin, base, tables, path_globs });
        }
    }
}

impl Paths {
    /// Set them to those of a directory, given by its path below the root.
    fn set(&mut self, root: &Root, path: &[u8], cwd: &[u8], case_insensitive: bool) {
        self.absolute.clear();
        self.absolute.extend_from_slice(&root.absolute);
        if !path.is_empty() {
            // An absolute path is without its last slash, so that of `/` is empty.
            self.absolute.push(b'/');
            self.absolute.extend_from_slice(path);
        }
        self.typed.clear();
        self.typed.extend_from_slice(&root.typed);
        if !path.is_empty() {
            path_bytes::push(&mut self.typed, path);
        }
        // Even if the root is not below the current directory, this one may be.
        if self.typed.starts_with(b"/") && is_below(&self.typed, cwd) {
            let length = (cwd.len() + 1).min(self.typed.len());
            self.typed.drain(..length);
        }
        if case_insensitive {
            self.absolute_folded.clone_from(&self.absolute);
            self.absolute_folded.make_ascii_lowercase();
            self.typed_folded.clone_from(&self.typed);
            self.typed_folded.make_ascii_lowercase();
        }
    }

    /// The directory's path below a base.
    fn below(&self, base: Base, case_insensitive: bool) -> &[u8] {
        let (absolute, typed) = if case_insensitive {
            (&self.absolute_folded, &self.typed_folded)
        } else {
            (&self.absolute, &self.typed)
        };
        match base {
            Base::Absolute(length) => absolute.get(length + 1..).unwrap_or_default(),
            Base::Typed => typed,
            Base::Name => &[],
        }
    }
}

impl<'a> Directory<'a> {
    pub(crate) fn new(
        filter: &'a Filter,
        scope: &'a Scope,
        path: &[u8],
        cache: &'a mut WorkerCache,
    ) -> Directory<'a> {
        let mut active: ActiveRules<'a> = mem::take(&mut cache.active).recycle();
        let root = scope.root();
        if let Some(root) = root {
            cache.paths.set(root, path, &filter.cwd, filter.case_insensitive());
        }
        for rules in &filter.overrides.runs {
            active.push(rules, Origin::Globs, Base::Typed, &cache.paths);
        }
        active.globs = active.sets.len();
        push_ignore_files(&mut active, filter, scope, &cache.paths);
        active.not_types = active.sets.len();
        if let Some(selected) = &filter.config.types.selected {
            active.push(&selected.rules, Origin::Types, Base::Name, &cache.paths);
        }
        Directory { filter, root, active, cache }
    }

    /// Whether the entry is wanted.
    #[inline]
    pub fn is_wanted(&mut self, name: &[u8], is_dir: bool) -> bool {
        if self.active.sets.is_empty() && !self.filter.has_choices() {
            return self.filter.config.hidden || name.first() != Some(&b'.');
        }
        self.judge(name, is_dir).is_wanted
    }

    /// Why the entry is wanted or not: which file and line, glob or type decided.
    pub fn explain(&mut self, name: &[u8], is_dir: bool) -> String {
        let Verdict { is_wanted, reason } = self.judge(name, is_dir);
        let verdict = if is_wanted { "wanted" } else { "unwanted" };
        let why = match reason {
            Reason::Rule(set, rule) => {
                return format!("{verdict}: {}", self.rule_source(set, rule));
            }
            Reason::NoGlob => "no command-line glob includes it",
            Reason::NoType => "it is of no selected type",
            Reason::Hidden => "it is hidden",
            Reason::Nothing => "nothing rules it out",
        };
        format!("{verdict}: {why}")
    }

    /// Go through the steps of the pipeline until one decides.
    fn judge(&mut self, name: &[u8], is_dir: bool) -> Verdict {
        let exact = Name::new(name);
        if !self.active.case_insensitive {
            return self.decide([&exact, &exact], is_dir);
        }
        let mut folded = mem::take(&mut self.cache.folded);
        folded.clear();
        folded.extend(name.iter().map(u8::to_ascii_lowercase));
        let verdict = self.decide([&exact, &Name::new(&folded)], is_dir);
        self.cache.folded = folded;
        verdict
    }

    /// `names` are the entry's name as it is and in lower case.
    #[inline]
    fn decide(&mut self, names: [&Name<'_>; 2], is_dir: bool) -> Verdict {
        let (globs, not_types) = (self.active.globs, self.active.not_types);
        let wanted = |reason| Verdict { is_wanted: true, reason };
        let unwanted = |reason| Verdict { is_wanted: false, reason };
        if let Some((set, rule)) = self.ask(0..globs, names, is_dir) {
            let is_wanted = !rule.is_whitelist();
            return Verdict { is_wanted, reason: Reason::Rule(set, rule) };
        }
        if self.filter.overrides.includes && !is_dir {
            return unwanted(Reason::NoGlob);
        }
        let mut kept = None;
        if let Some((set, rule)) = self.ask(globs..not_types, names, is_dir) {
            if !rule.is_whitelist() {
                return unwanted(Reason::Rule(set, rule));
            }
            kept = Some(Reason::Rule(set, rule));
        }
        if let Some(selected) = self.filter.config.types.selected.as_ref().filter(|_| !is_dir) {
            match self.ask(not_types..self.active.sets.len(), names, is_dir) {
                Some((set, rule)) if rule.is_whitelist() => kept = Some(Reason::Rule(set, rule)),
                Some((set, rule)) => return unwanted(Reason::Rule(set, rule)),
                None if selected.includes => return unwanted(Reason::NoType),
                None => {}
            }
        }
        match kept {
            Some(reason) => wanted(reason),
            None if !self.filter.config.hidden && names[0].bytes.first() == Some(&b'.') => {
                unwanted(Reason::Hidden)
            }
            None => wanted(Reason::Nothing),
        }
    }

    /// The first of some sets to have an answer, and the rule that gave it.
    #[inline]
    fn ask(
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

    /// The last rule after `best` to match an entry's whole path; else `best`.
    fn last_path_match(&mut self, at: usize, name: &[u8], is_dir: bool, best: RuleId) -> RuleId {
        let set = &self.active.sets[at];
        let path = &mut self.cache.entry;
        path.clear();
        path.extend_from_slice(self.cache.paths.below(set.base, set.rules.case_insensitive()));
        path_bytes::push(path, name);
        self.active.path_globs[set.path_globs.clone()]
            .iter()
            .take_while(|(rule, _)| *rule > best)
            .find(|(rule, path_globs)| rule.holds_for(is_dir) && path_globs.matcher.is_match(path))
            .map_or(best, |(rule, _)| *rule)
    }

    /// Say which rule of which file, which glob or which type it is.
    fn rule_source(&self, set: usize, rule: RuleId) -> RuleSource<'_> {
        let set = &self.active.sets[set];
        let (line, text) = set.rules.describe(rule);
        let text = String::from_utf8_lossy(text);
        match set.origin {
            Origin::Globs => RuleSource::Glob(text),
            Origin::Types => {
                let selected = self.filter.config.types.selected.as_ref();
                RuleSource::Type(selected.map_or("", |selected| selected.name(line)), text)
            }
            Origin::File(kind, path) => {
                let path = path.map_or_else(|| self.path_of(kind, set.base), Path::to_owned);
                RuleSource::Line(path, line, text)
            }
        }
    }

    /// The path of a directory's own ignore file.
    fn path_of(&self, kind: Kind, base: Base) -> PathBuf {
        let (Base::Absolute(length), Some(root)) = (base, self.root) else {
            return PathBuf::from(kind.file());
        };
        let absolute = &self.cache.paths.absolute;
        let above = absolute.get(..length).unwrap_or(absolute);
        let directory = match above.strip_prefix(root.absolute.as_slice()) {
            Some(below) => {
                let below = below.strip_prefix(b"/").unwrap_or(below);
                root.path.join(path_bytes::as_path(below))
            }
            None => Path::new("/").join(path_bytes::as_path(above)),
        };
        directory.join(kind.file())
    }
}

impl Drop for Directory<'_> {
    /// Leaves the memory of the tables to the next directory.
    fn drop(&mut self) {
        self.cache.active = mem::take(&mut self.active).recycle();
    }
}

/// Add the rule sets of all ignore files in order of precedence.
fn push_ignore_files<'a>(
    active: &mut ActiveRules<'a>,
    filter: &'a Filter,
    scope: &'a Scope,
    paths: &Paths,
) {
    let config = &filter.config;
    let first = active.sets.len();
    let is_git = config.vcs && (!config.require_git || scope.repository.is_some());
    let mut is_cut = false;
    let mut next = Some(scope);
    while let Some(scope) = next {
        for (kind, rules) in &scope.own {
            if !kind.is_git() || (is_git && !is_cut) {
                let base = Base::Absolute(scope.base);
                let path = scope.exclude.as_deref().filter(|_| *kind == Kind::Exclude);
                active.push(rules, Origin::File(*kind, path), base, paths);
            }
        }
        // Ripgrep lets rules pass into nested repositories where it does not ask for any.
        is_cut |= scope.is_repository && config.require_git;
        // What lies above the root was made without reading rules if they are not wanted.
        next = scope.parent.as_deref();
    }
    let kind_of = |set: &ActiveSet<'_>| match set.origin {
        Origin::File(kind, _) => Some(kind),
        Origin::Globs | Origin::Types => None,
    };
    if !active.sets[first..].is_sorted_by_key(kind_of) {
        active.sets[first..].sort_by_key(kind_of);
    }
    if is_git && let Some((path, rules)) = filter.global() {
        let base = scope.repository.map_or(Base::Typed, Base::Absolute);
        active.push(rules, Origin::File(Kind::Global, Some(path)), base, paths);
    }
    for (path, rules) in filter.ignore_files.iter().rev() {
        active.push(rules, Origin::File(Kind::IgnoreFile, Some(path)), Base::Typed, paths);
    }
}

/// Who decided.
enum RuleSource<'a> {
    Glob(std::borrow::Cow<'a, str>),
    Type(&'a str, std::borrow::Cow<'a, str>),
    Line(PathBuf, u32, std::borrow::Cow<'a, str>),
}

impl fmt::Display for RuleSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RuleSource::Glob(glob) => write!(f, "command-line glob '{glob}'"),
            RuleSource::Type(name, glob) => write!(f, "type {name}, glob '{glob}'"),
            RuleSource::Line(path, line, text) => {
                write!(f, "{}: line {line}: {text}", path.display())
            }
        }
    }
}
