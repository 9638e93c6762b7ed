//! What a glob that narrows is relative to.
//!
//! People and programs name paths in many ways, and a glob that matches nothing leaves nothing to
//! search. So the globs of `--only` and `--exclude` are read as paths on the command line are:
//!
//! ```text
//! ./src/*.rs           /src/*.rs, relative to the current directory
//! a/./b/../*.rs        /a/*.rs
//! ../lib/*.rs          the whole path of the directory above, and lib/*.rs
//! /home/p/src/*.rs     a whole path, if it leads to what is searched, but below the current
//!                      directory if /work is there
//! sub/*.rs             relative to the roots, if it could match nothing below these otherwise
//! ```

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

use crate::{config::FilterConfig, path_bytes};

/// What the paths that a glob matches are relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GlobBase {
    /// The current directory, as roots were typed.
    Here,
    /// The root that an entry lies below.
    Root,
    /// The file system's root.
    System,
}

/// A glob that narrows, and what it is relative to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PlacedGlob {
    pub(crate) base: GlobBase,
    pub(crate) glob: String,
}

/// Places the globs in one configuration.
pub(crate) struct Placing<'a> {
    pub(crate) config: &'a FilterConfig,
    /// Whether the globs select. What matches none of them is lost, so that a glob which could
    /// match nothing is relative to the roots even with a slash at its beginning.
    pub(crate) selects: bool,
}

impl Placing<'_> {
    /// Places a glob. One for names is left as it is.
    pub(crate) fn place(&self, glob: &str) -> PlacedGlob {
        let unchanged = || PlacedGlob { base: GlobBase::Here, glob: glob.to_owned() };
        let rest = glob.trim_end_matches('/');
        if rest.is_empty() || !rest.contains('/') && !matches!(rest, "." | "..") {
            return unchanged();
        }
        let (parts, ups) = parts(glob);
        let is_only_dir = glob.ends_with('/') || glob.ends_with("/.") && !parts.is_empty();
        let end = if is_only_dir { "/" } else { "" };
        let placed = |base, dir: &str| {
            let below = if parts.is_empty() { "**".to_owned() } else { parts.join("/") + end };
            PlacedGlob { base, glob: format!("{dir}/{below}") }
        };
        if ups > 0 {
            let above = self.config.cwd.ancestors().nth(ups);
            let dir = above.unwrap_or(Path::new("")).to_str().map(escape);
            return dir.map_or_else(unchanged, |dir| placed(GlobBase::System, &dir));
        }
        if glob.starts_with('/') {
            if let Some(glob) = self.whole_path(&parts) {
                return PlacedGlob { base: GlobBase::System, glob: glob + end };
            }
            if !self.selects {
                return placed(GlobBase::Here, "");
            }
        }
        let base = if self.can_match(&parts) { GlobBase::Here } else { GlobBase::Root };
        placed(base, "")
    }

    /// Returns the glob for whole paths, without links above what is searched, if its literal
    /// beginning leads to a root or to a directory above one.
    fn whole_path(&self, parts: &[&str]) -> Option<String> {
        let first = parts.first().filter(|part| is_literal(part))?;
        let FilterConfig { cwd, roots, .. } = self.config;
        if cwd.join(first).exists() {
            return None;
        }
        let searched = roots.iter().map(|root| cwd.join(root)).chain([cwd.clone()]);
        let searched: Vec<PathBuf> =
            searched.filter_map(|root| fs::canonicalize(root).ok()).collect();
        let literals = parts.iter().take_while(|part| is_literal(part)).count();
        let (mut path, mut found) = (PathBuf::from("/"), None);
        for (index, part) in parts[..literals].iter().enumerate() {
            path.push(part);
            let Ok(dir) = fs::canonicalize(&path) else { break };
            if searched.iter().any(|root| root.starts_with(&dir)) {
                found = Some((dir, index + 1));
            }
        }
        let (dir, len) = found?;
        let dir = String::from_utf8(path_bytes::with_slashes(&dir)).ok()?;
        let below = parts[len..].iter().flat_map(|part| ["/", part]);
        Some(escape(&dir) + &below.collect::<String>())
    }

    /// Returns whether a glob that is relative to the current directory can match something below
    /// the roots, or a directory above one.
    fn can_match(&self, parts: &[&str]) -> bool {
        let FilterConfig { cwd, roots, .. } = self.config;
        let can_match_below = |root: &PathBuf| {
            let root = root.strip_prefix(cwd).unwrap_or(root);
            let mut names = Vec::new();
            for component in root.components() {
                match component {
                    Component::Normal(name) => names.push(name),
                    Component::CurDir => {}
                    // As typed, which no rule on a command line leads to.
                    Component::ParentDir => return !root.starts_with(".."),
                    Component::RootDir | Component::Prefix(_) => return false,
                }
            }
            let deep = parts.iter().position(|part| *part == "**").unwrap_or(parts.len());
            let mut pairs = parts[..deep].iter().zip(names);
            pairs.all(|(part, name)| {
                !is_literal(part)
                    || name.to_str().is_some_and(|name| name.eq_ignore_ascii_case(part))
            })
        };
        roots.is_empty() || roots.iter().any(can_match_below)
    }
}

/// Returns a glob's components, and how many directories it leads up before these.
fn parts(glob: &str) -> (Vec<&str>, usize) {
    let (mut parts, mut ups) = (Vec::<&str>::new(), 0);
    for part in glob.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(last) if is_literal(last) => drop(parts.pop()),
                Some(_) => parts.push(part),
                None => ups += usize::from(!glob.starts_with('/')),
            },
            part => parts.push(part),
        }
    }
    (parts, ups)
}

/// Whether a component in a glob stands for itself.
fn is_literal(part: &str) -> bool {
    part != ".." && !part.contains(['*', '?', '[', ']', '{', '}', '\\', ','])
}

/// Returns a glob that matches `path` only.
fn escape(path: &str) -> String {
    let mut glob = String::with_capacity(path.len());
    for char in path.strip_suffix('/').unwrap_or(path).chars() {
        if matches!(char, '*' | '?' | '[' | ']' | '{' | '}' | '\\' | '!') {
            glob.push('\\');
        }
        glob.push(char);
    }
    glob
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places a glob in `/p/a`, for these roots.
    fn placed(glob: &str, selects: bool, roots: &[&str]) -> String {
        let roots = roots.iter().map(PathBuf::from).collect();
        let config = FilterConfig { cwd: "/p/a".into(), roots, ..FilterConfig::default() };
        let PlacedGlob { base, glob } = Placing { config: &config, selects }.place(glob);
        format!("{base:?} {glob}")
    }

    #[test]
    fn globs_are_read_as_paths_are() {
        for (glob, expected) in [
            ("*.rs", "Here *.rs"),
            ("src", "Here src"),
            ("src/", "Here src/"),
            ("/src", "Here /src"),
            ("./src", "Here /src"),
            ("././src/", "Here /src/"),
            ("./*.rs", "Here /*.rs"),
            ("a/./b", "Here /a/b"),
            ("a//b", "Here /a/b"),
            ("a/x/../b/**", "Here /a/b/**"),
            ("a/*/../b", "Here /a/*/../b"),
            ("src/.", "Here /src/"),
            (".", "Here /**"),
            ("./", "Here /**"),
            ("./**", "Here /**"),
            ("**/x", "Here /**/x"),
            ("../b/*.rs", "System /p/b/*.rs"),
            ("..", "System /p/**"),
            ("../../../../x", "System /x"),
            ("/", "Here /"),
        ] {
            assert_eq!(placed(glob, true, &[]), expected, "{glob}");
            assert_eq!(placed(glob, false, &["."]), expected, "{glob}");
        }
    }

    #[test]
    fn a_glob_that_could_match_nothing_is_relative_to_the_roots() {
        for (glob, roots, expected) in [
            ("sub/*.rs", &["src"][..], "Root /sub/*.rs"),
            ("src/*.rs", &["src"], "Here /src/*.rs"),
            ("SRC/*.rs", &["src"], "Here /SRC/*.rs"),
            ("src/sub/*.rs", &["src/sub"], "Here /src/sub/*.rs"),
            ("src", &["src/sub"], "Here src"),
            ("src/*.rs", &["lib", "./src/"], "Here /src/*.rs"),
            ("sub/*.rs", &["lib", "src"], "Root /sub/*.rs"),
            ("sub/*.rs", &["lib", "."], "Here /sub/*.rs"),
            ("**/sub/*.rs", &["src"], "Here /**/sub/*.rs"),
            ("*/x.rs", &["src"], "Here /*/x.rs"),
            ("sub/*.rs", &["/p/a/src"], "Root /sub/*.rs"),
            ("src/*.rs", &["/p/a/src"], "Here /src/*.rs"),
            ("sub/*.rs", &["/elsewhere"], "Root /sub/*.rs"),
            ("sub/*.rs", &["../b"], "Root /sub/*.rs"),
            ("sub/*.rs", &["src/../b"], "Here /sub/*.rs"),
        ] {
            assert_eq!(placed(glob, true, roots), expected, "{glob} {roots:?}");
            assert_eq!(placed(glob, false, roots), expected, "{glob} {roots:?}");
        }
        assert_eq!(placed("/sub/*.rs", true, &["src"]), "Root /sub/*.rs");
        assert_eq!(placed("/sub/*.rs", false, &["src"]), "Here /sub/*.rs");
    }

    #[test]
    fn a_whole_path_leads_to_what_is_searched() {
        let directory = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(directory.path()).unwrap().join("[a]");
        fs::create_dir_all(top.join("src")).unwrap();
        let config = FilterConfig { cwd: top.clone(), ..FilterConfig::default() };
        let placing = Placing { config: &config, selects: true };
        let shown = |path: &str| escape(top.to_str().unwrap()) + path;
        for (glob, expected) in [
            (top.join("src/*.rs"), shown("/src/*.rs")),
            (top.join("src/./x/"), shown("/src/x/")),
            (top.clone(), shown("")),
            (top.join("**"), shown("/**")),
        ] {
            // Brackets in the path itself are part of the glob.
            let glob = glob.to_str().unwrap().replace("[a]", "\\[a\\]");
            let PlacedGlob { base, glob: placed } = placing.place(&glob);
            let ends = expected.rsplit_once("\\]").unwrap().1;
            assert!(placed.ends_with(ends), "{glob}: {base:?} {placed}");
        }
        let plain = fs::canonicalize(directory.path()).unwrap();
        let config = FilterConfig { cwd: plain.clone(), ..FilterConfig::default() };
        let placing = Placing { config: &config, selects: false };
        let glob = plain.join("src/*.rs");
        let placed = placing.place(glob.to_str().unwrap());
        assert_eq!(placed.base, GlobBase::System);
        assert_eq!(placed.glob, escape(plain.to_str().unwrap()) + "/src/*.rs");
        assert_eq!(placing.place("/nowhere/*.rs").base, GlobBase::Here);
    }
}
