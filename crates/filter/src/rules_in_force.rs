//! Which rule sets apply in a directory, in order of precedence.

use crate::{
    active_rules::{ActiveRules, ActiveSet, Origin},
    compiled::CompiledConfig,
    dir_paths::{Base, DirPaths},
    narrowing,
    rule_files::RuleFileKind,
    scope::{OwnExcludes, Scope},
};

/// Returns the rule sets that apply in the directory at `paths`, which has the scope `scope`. They
/// are put into the vectors of `memory`, which are empty.
pub(crate) fn rules_in_force<'a>(
    memory: ActiveRules<'a>,
    compiled: &'a CompiledConfig,
    scope: &'a Scope,
    paths: &DirPaths,
) -> ActiveRules<'a> {
    let mut active = memory;
    for rules in &compiled.overrides.runs {
        active.push(rules, Origin::Globs, Base::Typed, paths);
    }
    active.globs = active.sets.len();
    push_rule_files(&mut active, compiled, scope, paths);
    active.not_types = active.sets.len();
    if let Some(selected) = &compiled.config.types.selected {
        active.push(&selected.rules, Origin::Types, Base::Name, paths);
    }
    active.not_narrowing = active.sets.len();
    active.not_except = active.sets.len();
    if let Some(narrowing) = &compiled.narrowing {
        let root = scope.root();
        for (base, rules) in narrowing.only.iter().flatten() {
            active.push(rules, Origin::Only, narrowing::base(*base, root), paths);
        }
        active.not_except = active.sets.len();
        for (base, rules) in &narrowing.except {
            active.push(rules, Origin::Except, narrowing::base(*base, root), paths);
        }
    }
    active
}

/// Adds all rule files' sets in order of precedence.
fn push_rule_files<'a>(
    active: &mut ActiveRules<'a>,
    compiled: &'a CompiledConfig,
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
    let is_stronger = |set: &ActiveSet<'_>| {
        matches!(set.origin, Origin::File(RuleFileKind::RgIgnore | RuleFileKind::Ignore, _))
    };
    active.not_git = first + active.sets[first..].iter().take_while(|set| is_stronger(set)).count();
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
