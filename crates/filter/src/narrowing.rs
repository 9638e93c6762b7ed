//! Globs that narrow what everything else selects: `--only` and `--exclude`.
//!
//! Unlike a `-g` glob, which outranks every other rule, these never make an entry wanted that
//! another rule leaves out:
//!
//! ```text
//! -g '*.c'        every C file, also ignored and hidden ones
//! --only '*.c'    of the files that would be searched anyway, the C files
//! ```

use crate::{
    config::{FilterConfig, Glob},
    dir_paths::{Base, DirPaths},
    error::Error,
    ignore_file::{self, Dialect, ParseOptions},
    name::Name,
    name_table::RuleId,
    path_bytes,
    placed_glob::{GlobBase, Placing},
    root::Root,
    rules::RuleSet,
};

/// Globs, by what they are relative to.
type RuleSets = Vec<(GlobBase, RuleSet)>;

/// The globs that narrow the selection, compiled.
#[derive(Debug)]
pub(crate) struct Narrowing {
    /// If set, a file is unwanted unless it, or a directory above it, matches.
    pub(crate) only: Option<RuleSets>,
    /// What these match is unwanted.
    pub(crate) except: RuleSets,
}

impl Narrowing {
    /// Compiles the globs; `None` if there are none.
    pub(crate) fn new(config: &FilterConfig) -> Result<Option<Narrowing>, Error> {
        let FilterConfig { only, except, .. } = config;
        if only.is_empty() && except.is_empty() {
            return Ok(None);
        }
        let sets = |globs: &[Glob], selects| compile(globs, &Placing { config, selects });
        let only = if only.is_empty() { None } else { Some(sets(only, true)?) };
        Ok(Some(Narrowing { only, except: sets(except, false)? }))
    }

    /// Whether a set needs names and paths in lower case.
    pub(crate) fn case_insensitive(&self) -> bool {
        let mut sets = self.only.iter().flatten().chain(&self.except);
        sets.any(|(_, rules)| rules.case_insensitive())
    }

    /// Returns whether a directory below `root`, or one above it, matches a glob in `only`, so that
    /// every file in it does.
    pub(crate) fn is_below_only(&self, dir: &DirPaths, root: Option<&Root>) -> bool {
        self.only.iter().flatten().any(|(place, only)| {
            let path = dir.below(base(*place, root), only.case_insensitive());
            let slashes = memchr::memchr_iter(b'/', path).filter(|&slash| slash > 0);
            slashes.chain([path.len()]).any(|end| is_match(only, &path[..end]))
        })
    }
}

/// What paths that a glob matches are relative to, for entries below `root`.
pub(crate) fn base(place: GlobBase, root: Option<&Root>) -> Base {
    match (place, root) {
        (GlobBase::Root, Some(root)) => Base::Absolute(root.absolute.len()),
        (GlobBase::System, _) => Base::Absolute(0),
        (GlobBase::Here | GlobBase::Root, _) => Base::Typed,
    }
}

/// Whether the directory at `path` matches a rule.
fn is_match(rules: &RuleSet, path: &[u8]) -> bool {
    let (dir, name) = match memchr::memrchr(b'/', path) {
        Some(0) => (&path[..1], &path[1..]),
        Some(slash) => (&path[..slash], &path[slash + 1..]),
        None => (&path[..0], path),
    };
    // These are no names, so that `.*` does not match them.
    if matches!(name, b"" | b"." | b"..") {
        return false;
    }
    let name = Name::new(name);
    let mut best = RuleId::NONE;
    rules.tables_in(dir, |table| best = table.last_match(&name, true, best));
    let mut whole = dir.to_vec();
    path_bytes::push(&mut whole, name.bytes);
    let mut globs = rules.path_globs_in(dir);
    !best.is_none()
        || globs.any(|(rule, glob)| rule.holds_for(true) && glob.matcher.is_match(&whole))
}

fn compile(globs: &[Glob], placing: &Placing<'_>) -> Result<RuleSets, Error> {
    if let Some(glob) = globs.iter().find(|glob| glob.text.starts_with('!')) {
        return Err(Error::glob(&glob.text, "a glob that narrows cannot begin with '!'"));
    }
    // One set treats case in one way.
    let case_insensitive = globs.iter().any(|glob| glob.ignore_case);
    let placed: Vec<_> = globs.iter().map(|glob| (glob, placing.place(&glob.text))).collect();
    let mut sets = RuleSets::new();
    for base in [GlobBase::Here, GlobBase::Root, GlobBase::System] {
        // Each glob as it was typed, by which it is reported, and as it is matched.
        let here: Vec<_> = placed.iter().filter(|(_, placed)| placed.base == base).collect();
        let texts: Vec<String> =
            here.iter().map(|(glob, placed)| format!("{}{}", glob.text, placed.glob)).collect();
        let options = ParseOptions::argument(case_insensitive);
        let texts = texts.iter().map(String::as_str);
        let rules = RuleSet::of_globs(texts, options, |source, index, range| {
            let text = range.start..range.start + here[index].0.text.len();
            let line = ignore_file::line(source, text.end..range.end, 0, Dialect::Ripgrep)?;
            Some(ignore_file::Line { text, ..line })
        })?;
        if !here.is_empty() {
            sets.push((base, rules));
        }
    }
    Ok(sets)
}
