//! Globs that narrow what everything else selects: `--only` and `--exclude`.
//!
//! Unlike a command-line glob of `-g`, which outranks every other rule, these never make an entry
//! wanted that another rule leaves out:
//!
//! ```text
//! -g '*.c'        every C file, also ignored and hidden ones
//! --only '*.c'    of the files that would be searched anyway, the C files
//! ```

use crate::{
    config::Glob,
    dir_paths::{Base, DirPaths},
    error::Error,
    ignore_file::{self, Dialect, ParseOptions},
    name::Name,
    name_table::RuleId,
    path_bytes,
    rules::RuleSet,
};

/// The globs that narrow the selection, compiled.
#[derive(Debug)]
pub(crate) struct Narrowing {
    /// If set, a file is unwanted unless it, or a directory above it, matches.
    pub(crate) only: Option<RuleSet>,
    /// What these match is unwanted.
    pub(crate) except: RuleSet,
}

impl Narrowing {
    /// Compiles the globs; `None` if there are none.
    pub(crate) fn new(only: &[Glob], except: &[Glob]) -> Result<Option<Narrowing>, Error> {
        if only.is_empty() && except.is_empty() {
            return Ok(None);
        }
        let only = if only.is_empty() { None } else { Some(compile(only)?) };
        Ok(Some(Narrowing { only, except: compile(except)? }))
    }

    /// Whether a set needs names and paths in lower case.
    pub(crate) fn case_insensitive(&self) -> bool {
        self.only.iter().any(RuleSet::case_insensitive) || self.except.case_insensitive()
    }

    /// Returns whether a directory or one above it matches a glob of `only`, so that every file in
    /// it does.
    pub(crate) fn is_below_only(&self, dir: &DirPaths) -> bool {
        let Some(only) = &self.only else { return false };
        let path = dir.below(Base::Typed, only.case_insensitive());
        let slashes = memchr::memchr_iter(b'/', path).filter(|&slash| slash > 0);
        slashes.chain([path.len()]).any(|end| is_match(only, &path[..end]))
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

fn compile(globs: &[Glob]) -> Result<RuleSet, Error> {
    if let Some(glob) = globs.iter().find(|glob| glob.text.starts_with('!')) {
        return Err(Error::glob(&glob.text, "a glob that narrows cannot begin with '!'"));
    }
    // One set treats case in one way.
    let case_insensitive = globs.iter().any(|glob| glob.ignore_case);
    let texts = globs.iter().map(|glob| glob.text.as_str());
    RuleSet::of_globs(texts, ParseOptions::argument(case_insensitive), |source, _, range| {
        ignore_file::line(source, range, 0, Dialect::Ripgrep)
    })
}
