//! The rules of one file, sorted into tables, ready to be asked.
//!
//! A set knows nothing of where its file stands, so that one parsed set serves all files of the
//! same content.

use std::{collections::HashMap, ops::Range};

use crate::{
    ignore_file::{self, Line},
    name_table::{NameTable, RuleId},
    pattern::{self, Dir, ParseOptions, PathGlob, Pattern},
};

/// How many rules of one set may take a regex of their own, each of which is kilobytes: a hundred
/// times what people write.
const MAX_REGEX_GLOBS: usize = 10_000;

/// How many bytes they may have in all: a regex takes up to 350 times its glob.
const MAX_REGEX_GLOB_BYTES: usize = 1 << 20;

/// How many problems are kept of a file. Whoever has more has another kind of problem.
const MAX_PROBLEMS: usize = 100;

/// How many bytes of a line its problem shows.
const MAX_SHOWN_BYTES: usize = 500;

/// The rules of one file.
#[derive(Debug)]
pub(crate) struct RuleSet {
    source: Box<[u8]>,
    options: ParseOptions,
    rules: Vec<Rule>,
    /// The rules for base names everywhere, then those for the directories named below.
    tables: Vec<NameTable>,
    /// Directories with rules of their own and the index of their table, sorted by path.
    exact: Vec<(Vec<u8>, u32)>,
    /// Other directories with rules of their own.
    dirs: Vec<(Dir, u32)>,
    path_globs: Vec<(RuleId, PathGlob)>,
    /// Lines that could not be used, and why.
    pub(crate) problems: Vec<(u32, String)>,
}

/// What is kept of a line, to be able to say which one decided.
#[derive(Debug)]
struct Rule {
    line: u32,
    /// The length of its text, of which there are four thousand million bytes at most.
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
    /// Read a file's rules. Lines that cannot be used end up in `problems`.
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

    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Whether it is what reading `source` like this gives.
    pub(crate) fn is_from(&self, source: &[u8], options: ParseOptions) -> bool {
        *self.source == *source && self.options == options
    }

    /// Whether names and paths have to come in lower case.
    pub(crate) fn case_insensitive(&self) -> bool {
        self.options.case_insensitive
    }

    /// The line of a rule and its text.
    pub(crate) fn describe(&self, rule: RuleId) -> (u32, &[u8]) {
        self.rules.get(rule.index()).map_or((0, &[]), |rule| (rule.line, &self.source[rule.text()]))
    }

    /// Hand out the tables that hold in a directory, given by its path from the set's own.
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

    /// The rules that need an entry's whole path and could match in `dir`, the last one first.
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
pub(crate) struct Builder<'a> {
    source: &'a [u8],
    options: ParseOptions,
    set: RuleSet,
    /// The tables of `set.exact` and `set.dirs` while these are not sorted yet.
    exact: HashMap<Vec<u8>, u32>,
    /// How many rules take a regex of their own, and the bytes of their lines.
    foreign: usize,
    regex_bytes: usize,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(source: &'a [u8], options: ParseOptions) -> Builder<'a> {
        let set = RuleSet {
            source: source.into(),
            options,
            rules: Vec::new(),
            tables: vec![NameTable::default()],
            exact: Vec::new(),
            dirs: Vec::new(),
            path_globs: Vec::new(),
            problems: Vec::new(),
        };
        Builder { source, options, set, exact: HashMap::new(), foreign: 0, regex_bytes: 0 }
    }

    /// Add the rule on a line, which stands in the source.
    ///
    /// # Errors
    /// Why its glob cannot be read; then the set is as it was.
    pub(crate) fn add(&mut self, line: &Line) -> Result<(), String> {
        let pattern = Pattern::new(self.source, line, self.options)?;
        if pattern.needs_regex() {
            if self.foreign == MAX_REGEX_GLOBS {
                return Err(format!("more than {MAX_REGEX_GLOBS} globs with braces and the like"));
            }
            if self.regex_bytes + line.glob.len() > MAX_REGEX_GLOB_BYTES {
                let most = MAX_REGEX_GLOB_BYTES >> 10;
                return Err(format!("more than {most} KiB of globs with braces and the like"));
            }
            self.foreign += 1;
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

    /// The table for the rules of one directory, new if it is the first.
    fn table_for(&mut self, dir: Dir) -> u32 {
        // An ignore file with more than 2^32 rules does not fit into memory.
        let next = self.set.tables.len() as u32;
        let table = match dir {
            Dir::Exact(path) => *self.exact.entry(path).or_insert(next),
            // Far apart is unlikely, and a file of only such rules should not take for ever.
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

    pub(crate) fn finish(mut self) -> RuleSet {
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
