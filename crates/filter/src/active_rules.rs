//! The rule sets that apply in one directory, in order of precedence.

use std::{mem, ops::Range, path::Path};

use crate::{
    dir_paths::{Base, DirPaths},
    name_table::{NameTable, RuleId},
    pattern::PathGlob,
    rule_files::RuleFileKind,
    rules::RuleSet,
};

/// The rule sets that can decide about an entry in one directory, the strongest first.
#[derive(Debug, Default)]
pub(crate) struct ActiveRules<'a> {
    pub(crate) sets: Vec<ActiveSet<'a>>,
    /// All sets' tables for rules about names; each set has a range in [`ActiveSet::tables`].
    pub(crate) tables: Vec<&'a NameTable>,
    /// All sets' rules that need an entry's whole path; each set has a range in
    /// [`ActiveSet::path_globs`].
    pub(crate) path_globs: Vec<&'a (RuleId, PathGlob)>,
    /// How many sets are command-line globs, which come first.
    pub(crate) globs: usize,
    /// How many sets come before the file types.
    pub(crate) not_types: usize,
    /// How many sets come before those that narrow, which are the last ones: the globs of `--only`,
    /// then the globs of `--exclude`.
    pub(crate) not_narrowing: usize,
    pub(crate) not_except: usize,
    /// How many sets come before git's ignore files and weaker ones.
    pub(crate) not_git: usize,
    /// Whether a set needs names in lower case.
    pub(crate) case_insensitive: bool,
}

/// One rule set.
#[derive(Debug)]
pub(crate) struct ActiveSet<'a> {
    pub(crate) rules: &'a RuleSet,
    pub(crate) origin: Origin<'a>,
    pub(crate) base: Base,
    pub(crate) tables: Range<usize>,
    pub(crate) path_globs: Range<usize>,
}

/// Where a rule set comes from, to order the sets and to name them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Origin<'a> {
    Globs,
    /// A rule file, and its path unless it is the usual file in the directory at the base.
    File(RuleFileKind, Option<&'a Path>),
    Types,
    Only,
    Except,
}

impl ActiveRules<'_> {
    /// Empties the vectors and keeps their memory, for references with any lifetime.
    pub(crate) fn recycle<'b>(mut self) -> ActiveRules<'b> {
        ActiveRules {
            sets: recycle(mem::take(&mut self.sets)),
            tables: recycle(mem::take(&mut self.tables)),
            path_globs: recycle(mem::take(&mut self.path_globs)),
            ..ActiveRules::default()
        }
    }
}

/// Returns an empty vector in the memory of another. Collecting from a vector's own iterator reuses
/// its memory if the elements have the same size; a standard library that stops doing so costs
/// allocations, nothing else.
fn recycle<A, B>(mut vec: Vec<A>) -> Vec<B> {
    vec.clear();
    vec.into_iter().filter_map(|_| None).collect()
}

impl<'a> ActiveRules<'a> {
    /// Adds a set that the earlier ones outrank, if one of its rules can match here.
    pub(crate) fn push(
        &mut self,
        rules: &'a RuleSet,
        origin: Origin<'a>,
        base: Base,
        paths: &DirPaths,
    ) {
        let (table, path_glob) = (self.tables.len(), self.path_globs.len());
        let dir = paths.below(base, rules.case_insensitive());
        rules.tables_in(dir, |table| self.tables.push(table));
        self.path_globs.extend(rules.path_globs_in(dir));
        let tables = table..self.tables.len();
        let path_globs = path_glob..self.path_globs.len();
        if !tables.is_empty() || !path_globs.is_empty() {
            self.case_insensitive |= rules.case_insensitive();
            self.sets.push(ActiveSet { rules, origin, base, tables, path_globs });
        }
    }

    /// Sorts the sets from `first` on by what kind of rule file they come from. Within a kind, they
    /// stay in the order in which they were [pushed](Self::push).
    pub(crate) fn sort_by_kind(&mut self, first: usize) {
        let kind_of = |set: &ActiveSet<'_>| match set.origin {
            Origin::File(kind, _) => Some(kind),
            Origin::Globs | Origin::Types | Origin::Only | Origin::Except => None,
        };
        if !self.sets[first..].is_sorted_by_key(kind_of) {
            self.sets[first..].sort_by_key(kind_of);
        }
    }
}
