//! One file's rules, sorted into tables.
//!
//! A set does not depend on the directory of its file, so that one parsed set serves all files with
//! the same contents.

use std::{collections::HashMap, ops::Range, path::Path, sync::OnceLock};

use crate::{
    error::{Error, Problem},
    fingerprint::Fingerprint,
    ignore_file::{self, Line, ParseOptions},
    name_table::{NameTable, RuleId},
    pattern::{self, DirGlob, PathGlob, Pattern},
};

/// How many rules in one set may need a regex, because each regex takes kilobytes: a hundred times
/// what people write.
const MAX_REGEX_GLOBS: usize = 10_000;

/// How many bytes these rules may have in all: a regex takes up to 350 times as many as its glob.
const MAX_REGEX_GLOB_BYTES: usize = 1 << 20;

/// How many problems in a file are reported one by one.
const MAX_PROBLEMS: usize = 100;

/// How many bytes of its line a problem quotes.
const MAX_SHOWN_BYTES: usize = 500;

/// The rules in one file.
#[derive(Debug)]
pub(crate) struct RuleSet {
    source: Box<[u8]>,
    options: ParseOptions,
    fingerprint: OnceLock<Fingerprint>,
    rules: Vec<Rule>,
    /// The rules for base names everywhere, then those for the directories named below.
    tables: Vec<NameTable>,
    /// The directories with their own table and its index, sorted by path.
    exact: Vec<(Vec<u8>, u32)>,
    /// The globs for directories with their own table, each with that table's index.
    dirs: Vec<(DirGlob, u32)>,
    path_globs: Vec<(RuleId, PathGlob)>,
    /// The lines that could not be used, by their numbers, and why.
    pub(crate) problems: Vec<(u32, String)>,
}

/// Where a rule stands in its file, to report it.
#[derive(Debug)]
struct Rule {
    line: u32,
    /// How long the rule's text is; if longer, only the first 2^32 bytes are reported.
    length: u32,
    start: usize,
}

impl Rule {
    fn of(line: &Line) -> Rule {
        let length = u32::try_from(line.text.len()).unwrap_or(u32::MAX);
        Rule { line: line.number, length, start: line.text.start }
    }

    fn text(&self) -> Range<usize> {
        self.start..self.start + self.length as usize
    }
}

impl RuleSet {
    /// Parses a rule file. Lines that cannot be used end up in `problems`.
    pub(crate) fn parse(source: &[u8], options: ParseOptions) -> RuleSet {
        let mut builder = Builder::new(source, options);
        let (mut unreported, mut last) = (0_usize, 0);
        for line in ignore_file::lines(source, options.dialect) {
            let Err(reason) = builder.add(&line) else { continue };
            let problems = &mut builder.set.problems;
            if problems.len() == MAX_PROBLEMS {
                (unreported, last) = (unreported + 1, line.number);
                continue;
            }
            let text = &source[line.text.clone()];
            let more = if text.len() > MAX_SHOWN_BYTES { "…" } else { "" };
            let text = String::from_utf8_lossy(&text[..text.len().min(MAX_SHOWN_BYTES)]);
            problems.push((line.number, format!("error parsing glob '{text}{more}': {reason}")));
        }
        if unreported > 0 {
            builder.set.problems.push((last, format!("and {unreported} more lines with errors")));
        }
        builder.finish()
    }

    /// Parses the same file with other options. Its problems are the same.
    pub(crate) fn parse_again(&self, options: ParseOptions) -> RuleSet {
        RuleSet::parse(&self.source, options)
    }

    /// The rules that globs make which stand in no file. `line` takes the bytes of all globs, one
    /// glob's index and its place in them, and returns its rule, if it is one.
    ///
    /// # Errors
    /// A glob is malformed.
    pub(crate) fn of_globs<'g>(
        globs: impl Iterator<Item = &'g str> + Clone,
        options: ParseOptions,
        mut line: impl FnMut(&[u8], usize, Range<usize>) -> Option<Line>,
    ) -> Result<RuleSet, Error> {
        let source: String = globs.clone().collect();
        let mut builder = Builder::new(source.as_bytes(), options);
        let mut start = 0;
        for (index, glob) in globs.enumerate() {
            let range = start..start + glob.len();
            start = range.end;
            let Some(line) = line(source.as_bytes(), index, range) else { continue };
            let text = &source[line.text.clone()];
            builder.add(&line).map_err(|reason| Error::glob(text, &reason))?;
        }
        Ok(builder.finish())
    }

    /// The problems in the file, which lies at `path`.
    pub(crate) fn problems_in(&self, path: &Path) -> impl Iterator<Item = Problem> {
        self.problems.iter().map(move |(line, message)| Problem {
            path: path.to_owned(),
            line: Some(u64::from(*line)),
            message: message.clone(),
            is_failure: false,
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Whether this is what parsing `source` with these options yields.
    pub(crate) fn is_from(&self, source: &[u8], options: ParseOptions) -> bool {
        *self.source == *source && self.options == options
    }

    /// These rules' fingerprint.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        *self.fingerprint.get_or_init(|| Fingerprint::of(&(&self.source, self.options)))
    }

    /// Whether names and paths must be passed in lower case.
    pub(crate) fn case_insensitive(&self) -> bool {
        self.options.case.is_folded()
    }

    /// Returns a rule's line number and its text.
    pub(crate) fn describe(&self, rule: RuleId) -> (u32, &[u8]) {
        self.rules.get(rule.index()).map_or((0, &[]), |rule| (rule.line, &self.source[rule.text()]))
    }

    /// Calls `each` with the tables that apply in a directory, given relative to the set's own.
    pub(crate) fn tables_in<'a>(&'a self, dir: &[u8], mut each: impl FnMut(&'a NameTable)) {
        if !self.tables[0].is_empty() {
            each(&self.tables[0]);
        }
        if let Ok(at) = self.exact.binary_search_by(|(path, _)| path.as_slice().cmp(dir)) {
            each(&self.tables[self.exact[at].1 as usize]);
        }
        for (glob, table) in &self.dirs {
            if glob.is_match(dir) {
                each(&self.tables[*table as usize]);
            }
        }
    }

    /// Returns the rules that need an entry's whole path and can match in `dir`, the last one
    /// first.
    pub(crate) fn path_globs_in<'a, 'b>(
        &'a self,
        dir: &'b [u8],
    ) -> impl Iterator<Item = &'a (RuleId, PathGlob)> + use<'a, 'b> {
        self.path_globs
            .iter()
            .rev()
            .filter(move |(_, path_globs)| pattern::is_below(dir, &path_globs.within))
    }
}

/// Builds a set rule by rule.
struct Builder<'a> {
    source: &'a [u8],
    options: ParseOptions,
    set: RuleSet,
    /// `set.exact` before it is sorted.
    exact: HashMap<Vec<u8>, u32>,
    /// How many rules need a regex, and their globs' bytes.
    regexes: usize,
    regex_bytes: usize,
}

impl<'a> Builder<'a> {
    fn new(source: &'a [u8], options: ParseOptions) -> Builder<'a> {
        let set = RuleSet {
            source: source.into(),
            options,
            fingerprint: OnceLock::new(),
            rules: Vec::new(),
            tables: vec![NameTable::default()],
            exact: Vec::new(),
            dirs: Vec::new(),
            path_globs: Vec::new(),
            problems: Vec::new(),
        };
        Builder { source, options, set, exact: HashMap::new(), regexes: 0, regex_bytes: 0 }
    }

    /// Adds the rule on a line in the source.
    ///
    /// # Errors
    /// The reason why its glob is malformed. The set is unchanged then.
    fn add(&mut self, line: &Line) -> Result<(), String> {
        let pattern = Pattern::new(self.source, line, self.options)?;
        if pattern.needs_regex() {
            if self.regexes == MAX_REGEX_GLOBS {
                return Err(format!("more than {MAX_REGEX_GLOBS} globs with braces and the like"));
            }
            if self.regex_bytes + line.glob.len() > MAX_REGEX_GLOB_BYTES {
                let most = MAX_REGEX_GLOB_BYTES >> 10;
                return Err(format!("more than {most} KiB of globs with braces and the like"));
            }
            self.regexes += 1;
            self.regex_bytes += line.glob.len();
        }
        let id = RuleId::new(self.set.rules.len(), line.is_whitelist, line.is_only_dir);
        match pattern {
            Pattern::Never => return Ok(()),
            Pattern::Name(name) => self.set.tables[0].add(id, name),
            Pattern::InDir(dir, name) => {
                let table = self.table_for(dir);
                self.set.tables[table as usize].add(id, name);
            }
            Pattern::Path(path_globs) => self.set.path_globs.push((id, path_globs)),
        }
        self.set.rules.push(Rule::of(line));
        Ok(())
    }

    /// Returns the index for one directory's table, a new one if there is none.
    fn table_for(&mut self, dir: DirGlob) -> u32 {
        // A rule file with 2^32 rules does not fit into memory.
        let next = self.set.tables.len() as u32;
        let table = match dir {
            DirGlob::Exact(path) => *self.exact.entry(path).or_insert(next),
            // Equal globs are close together if at all. Comparing with every one would take
            // quadratic time.
            dir => match self.set.dirs.iter().rev().take(8).find(|(known, _)| *known == dir) {
                Some((_, table)) => *table,
                None => {
                    self.set.dirs.push((dir, next));
                    next
                }
            },
        };
        if table == next {
            self.set.tables.push(NameTable::default());
        }
        table
    }

    fn finish(mut self) -> RuleSet {
        for table in &mut self.set.tables {
            table.finish();
        }
        self.set.exact = self.exact.into_iter().collect();
        self.set.exact.sort_unstable();
        self.set.rules.shrink_to_fit();
        self.set
    }
}

#[cfg(test)]
mod tests;
