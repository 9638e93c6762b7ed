//! Turns a rule's glob into the cheapest test for it.
//!
//! Nearly every glob can be cut at its last slash into a glob for the directory and a glob for the
//! name. The directory's half is matched once per directory. What remains for each entry are names,
//! mostly literals and extensions that a hash finds:
//!
//! ```text
//! *.o             Name(Extension o)
//! /src/gen/*.rs   InDir(Exact src/gen, Extension rs)
//! doc/**/*.html   InDir(Below doc, Extension html)
//! a/**\/c         Path: for git, `**` ends within a component, so it cannot be cut
//! ```

use crate::{
    glob::{self, Glob, Scan, Token},
    ignore_file::{Dialect, Line, ParseOptions},
    regex_glob::RegexGlob,
};

/// A rule's glob, cut into its parts.
#[derive(Debug)]
pub(crate) enum Pattern {
    /// The glob can never match.
    Never,
    /// The glob matches names in every directory: `*.o`.
    Name(NameGlob),
    /// The glob matches names in certain directories: `src/*.o`.
    InDir(DirGlob, NameGlob),
    /// The glob cannot be cut, and matches whole paths.
    Path(PathGlob),
}

/// A glob for names.
#[derive(Debug)]
pub(crate) enum NameGlob {
    /// This name.
    Literal(Vec<u8>),
    /// Names that end in a dot and these 1 to 7 bytes, which have no dot.
    Extension(Vec<u8>),
    /// Names that begin with this.
    Prefix(Vec<u8>),
    /// Names that end with this.
    Suffix(Vec<u8>),
    /// All names.
    Everything,
    /// Names that match this glob.
    Glob(Glob),
    /// Names that match this glob, which only `globset` can match.
    Regex(Box<RegexGlob>),
}

/// A glob for directories, relative to the rule file's directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DirGlob {
    /// This directory; empty for the rule file's own.
    Exact(Vec<u8>),
    /// This directory and all below it.
    Below(Vec<u8>),
    /// Directories that match the first glob, or the second, for those below.
    Glob(Glob, Option<Glob>),
}

/// A glob for whole paths.
#[derive(Debug)]
pub(crate) struct PathGlob {
    /// Only entries in and below this directory can match. Empty if there is no limit.
    pub(crate) within: Vec<u8>,
    pub(crate) matcher: PathMatcher,
}

#[derive(Debug)]
pub(crate) enum PathMatcher {
    Glob(Glob),
    Regex(Box<RegexGlob>),
}

impl PathMatcher {
    pub(crate) fn is_match(&self, path: &[u8]) -> bool {
        match self {
            PathMatcher::Glob(glob) => glob.is_match(path),
            PathMatcher::Regex(glob) => glob.is_match(path),
        }
    }
}

impl DirGlob {
    /// Returns whether `dir`, relative to the rule file's directory, matches.
    pub(crate) fn is_match(&self, dir: &[u8]) -> bool {
        match self {
            DirGlob::Exact(wanted) => wanted == dir,
            DirGlob::Below(wanted) => is_below(dir, wanted),
            // A `*` would match the empty path, which is the rule file's directory.
            DirGlob::Glob(this, below) => {
                !dir.is_empty()
                    && (this.is_match(dir)
                        || below.as_ref().is_some_and(|below| below.is_match(dir)))
            }
        }
    }
}

/// Returns whether `dir` is `ancestor` or below it.
pub(crate) fn is_below(dir: &[u8], ancestor: &[u8]) -> bool {
    dir.strip_prefix(ancestor)
        .is_some_and(|rest| ancestor.is_empty() || rest.is_empty() || rest[0] == b'/')
}

impl Pattern {
    /// Whether it needs a regex.
    pub(crate) fn needs_regex(&self) -> bool {
        match self {
            Pattern::Never => false,
            Pattern::Name(name) | Pattern::InDir(_, name) => matches!(name, NameGlob::Regex(_)),
            Pattern::Path(path_globs) => matches!(path_globs.matcher, PathMatcher::Regex(_)),
        }
    }

    /// Parses a rule's glob and cuts it.
    ///
    /// # Errors
    /// The reason why the glob is malformed, in `globset`'s words. No glob in git's dialect is.
    pub(crate) fn new(
        source: &[u8],
        line: &Line,
        options: ParseOptions,
    ) -> Result<Pattern, String> {
        let glob = &source[line.glob.clone()];
        let scan = match options.dialect {
            Dialect::Git if glob.is_empty() => return Ok(Pattern::Never),
            Dialect::Git => match glob::git_tokens(glob, line.is_path, options.case) {
                None => return Ok(Pattern::Never),
                Some(tokens) => Scan::Plain(tokens),
            },
            // For ripgrep `\/` means `**/`, which matches everything.
            Dialect::Ripgrep if glob.is_empty() && !line.is_path => {
                return Ok(Pattern::Name(NameGlob::Everything));
            }
            Dialect::Ripgrep if glob.is_empty() => return Ok(Pattern::Never),
            Dialect::Ripgrep => glob::ripgrep_tokens(glob, line.is_path, options.case.is_folded()),
        };
        match scan {
            // Everything, for ripgrep. Git matches only paths that end in a slash: none.
            Scan::Plain(tokens)
                if options.dialect == Dialect::Ripgrep && tokens == [Token::Dirs] =>
            {
                Ok(Pattern::Name(NameGlob::Everything))
            }
            Scan::Plain(tokens) if line.is_path => Ok(cut(tokens)),
            Scan::Plain(tokens) => Ok(Pattern::Name(NameGlob::new(tokens))),
            Scan::Regex if !line.is_path => {
                Ok(Pattern::Name(NameGlob::Regex(RegexGlob::new(glob, options)?)))
            }
            Scan::Regex => {
                let after: &[u8] = if glob.ends_with(b"/**") { b"/*" } else { b"" };
                let within = literal_dir(glob, options.case.is_folded());
                let matcher = PathMatcher::Regex(RegexGlob::new(&[glob, after].concat(), options)?);
                Ok(Pattern::Path(PathGlob { within, matcher }))
            }
        }
    }
}

/// Returns the directory in a glob's literal beginning.
fn literal_dir(glob: &[u8], case_insensitive: bool) -> Vec<u8> {
    let is_special = |byte: &u8| matches!(byte, b'*' | b'?' | b'[' | b'\\' | b'{' | b'}');
    let literal = &glob[..glob.iter().position(is_special).unwrap_or(glob.len())];
    let mut dir = literal[..memchr::memrchr(b'/', literal).unwrap_or(0)].to_vec();
    if case_insensitive {
        dir.make_ascii_lowercase();
    }
    dir
}

/// Cuts a glob for paths at its last slash.
fn cut(mut tokens: Vec<Token>) -> Pattern {
    let is_whole_component =
        |at: usize| at == 0 || matches!(tokens[at - 1], Token::Byte(b'/') | Token::Dirs);
    let is_regular = tokens.iter().enumerate().all(|(at, token)| match token {
        Token::Dirs => is_whole_component(at),
        Token::All => is_whole_component(at) && at + 1 == tokens.len(),
        _ => true,
    });
    if !is_regular {
        let literal: Vec<u8> = tokens.iter().map_while(literal_byte).collect();
        let within = literal[..memchr::memrchr(b'/', &literal).unwrap_or(0)].to_vec();
        let matcher = PathMatcher::Glob(Glob::new(tokens));
        return Pattern::Path(PathGlob { within, matcher });
    }
    if tokens.last() == Some(&Token::All) {
        tokens.pop();
        return in_dirs_below(tokens, NameGlob::Everything);
    }
    let last = tokens.iter().rposition(|token| matches!(token, Token::Byte(b'/') | Token::Dirs));
    let Some(last) = last else {
        return Pattern::InDir(DirGlob::Exact(Vec::new()), NameGlob::new(tokens));
    };
    let name = tokens.split_off(last + 1);
    if name.is_empty() {
        // No path ends in a slash.
        return Pattern::Never;
    }
    let name = NameGlob::new(name);
    if tokens.pop() == Some(Token::Dirs) {
        return in_dirs_below(tokens, name);
    }
    match literal(&tokens) {
        // The glob starts with two slashes.
        Some(dir) if dir.is_empty() => Pattern::Never,
        Some(dir) => Pattern::InDir(DirGlob::Exact(dir), name),
        None => Pattern::InDir(DirGlob::Glob(Glob::new(tokens), None), name),
    }
}

/// The pattern for `name` in and below the directories that match `tokens`, which may end in a
/// slash.
fn in_dirs_below(mut tokens: Vec<Token>, name: NameGlob) -> Pattern {
    while tokens.last() == Some(&Token::Dirs) {
        tokens.pop();
    }
    if tokens.is_empty() {
        return Pattern::Name(name);
    }
    if tokens.last() == Some(&Token::Byte(b'/')) {
        tokens.pop();
    }
    if let Some(dir) = literal(&tokens) {
        return if dir.is_empty() {
            Pattern::Never
        } else {
            Pattern::InDir(DirGlob::Below(dir), name)
        };
    }
    let mut below = tokens.clone();
    below.extend([Token::Byte(b'/'), Token::All]);
    Pattern::InDir(DirGlob::Glob(Glob::new(tokens), Some(Glob::new(below))), name)
}

impl NameGlob {
    fn new(tokens: Vec<Token>) -> NameGlob {
        match tokens.as_slice() {
            [Token::Star] => NameGlob::Everything,
            [Token::Star, rest @ ..] => match literal(rest) {
                Some(suffix) if is_extension(&suffix) => NameGlob::Extension(suffix[1..].to_vec()),
                Some(suffix) => NameGlob::Suffix(suffix),
                None => NameGlob::Glob(Glob::new(tokens)),
            },
            [rest @ .., Token::Star] => match literal(rest) {
                Some(prefix) => NameGlob::Prefix(prefix),
                None => NameGlob::Glob(Glob::new(tokens)),
            },
            _ => literal(&tokens)
                .map_or_else(|| NameGlob::Glob(Glob::new(tokens)), NameGlob::Literal),
        }
    }
}

/// Whether `suffix` is a dot and 1 to 7 other bytes, without a NUL.
fn is_extension(suffix: &[u8]) -> bool {
    matches!(suffix, [b'.', rest @ ..]
        if (1..=7).contains(&rest.len()) && !rest.iter().any(|byte| matches!(byte, b'.' | 0)))
}

fn literal(tokens: &[Token]) -> Option<Vec<u8>> {
    tokens.iter().map(literal_byte).collect()
}

fn literal_byte(token: &Token) -> Option<u8> {
    match token {
        Token::Byte(byte) => Some(*byte),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::NameGlob;

    #[test]
    fn a_glob_is_small() {
        // A rule file may have millions.
        assert!(size_of::<NameGlob>() <= 5 * size_of::<usize>());
    }
}
