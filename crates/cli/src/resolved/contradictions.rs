//! Flags that contradict each other, as rows of a table.

use heist_matcher::Engine;
use heist_printer::{Terminator, has_references};
use heist_searcher::Encoding;
use heist_walk::Root;

use super::{
    printer::counts,
    search::{mode, shows_lines},
};
use crate::{
    error::Error,
    typed::{IndexAction, Mode, SearchMode, SortKey, TypedArgs},
};

/// What the rows are about.
struct Flags<'a> {
    typed: &'a TypedArgs,
    mode: Mode,
    /// What is searched, if that is known already.
    inputs: Option<Inputs<'a>>,
}

/// What is searched.
#[derive(Clone, Copy)]
pub(super) struct Inputs<'a> {
    pub(super) roots: &'a [Root],
    /// Whether only one file is searched.
    pub(super) one_file: bool,
}

/// A flag's name, and whether it is given. Where flags contradict each other only if one has an
/// effect, whether it has.
struct Flag(&'static str, fn(&Flags<'_>) -> bool);

/// Flags that cannot be combined, with the reason where that is not obvious. The first row that
/// holds is reported.
const CONTRADICTIONS: &[(Flag, Flag, &str)] = &[
    (WRITE, JSON, ""),
    (WRITE, COUNT, ""),
    (WRITE, COUNT_MATCHES, ""),
    (WRITE, COUNT_TOTAL, ""),
    (WRITE, COUNT_BY, ""),
    (WRITE, FILES_WITH_MATCHES, ""),
    (WRITE, FILES_WITHOUT_MATCH, ""),
    (WRITE, FORMAT, ""),
    (WRITE, WHICH, ""),
    (WRITE, NAMES, ""),
    (WRITE, INVERT_MATCH, ""),
    (WRITE, ONLY_MATCHING, ""),
    (WRITE, PASSTHRU, ""),
    (WRITE, CONTEXT, ""),
    (WRITE, AFTER_CONTEXT, ""),
    (WRITE, BEFORE_CONTEXT, ""),
    (WRITE, SHOW_FUNCTION, ""),
    (WRITE, FUNCTION_CONTEXT, ""),
    (WRITE, PARAGRAPH, ""),
    (WRITE, UNTIL, ""),
    (WRITE, MAX_OUTPUT, ", which counts what is printed"),
    (WRITE, SPREAD, ""),
    (LIMITED_WRITE, SORT_BY_RELEVANCE, ""),
    (WRITE, TIMEOUT, ", after which files would be left out"),
    (WRITE, PRE, ", whose output is no file"),
    (WRITE, SEARCH_ZIP, ", which searches compressed files"),
    (WRITE, QUIET, ""),
    (WRITE, ENCODING, ", which decodes files"),
    (DRY_RUN, IF_PATCH, ", which is about writing"),
    (MAX_RESULTS, PASSTHRU_OF_RESULTS, ", which prints every line"),
    (MAX_FILES, PASSTHRU_OF_RESULTS, ", which prints every line"),
    (MAX_OUTPUT, PASSTHRU_OF_RESULTS, ", which prints every line"),
    (OFFSET, PASSTHRU_OF_RESULTS, ", which prints every line"),
    (OFFSET, SPREAD, ", which has no next page"),
    (SPREAD, STDIN_AMONG_FILES, ": it reads files twice"),
    (SORT_BY_RELEVANCE, PASSTHRU_OF_LINES, ", which prints every line"),
    (COUNT_BY, FORMAT, ""),
    (COUNT_BY, COUNT_TOTAL, ""),
    (COUNT_BY, MAX_FILES, ""),
    (COUNT_BY, SPREAD, ""),
    (COUNT_BY, WHICH, ""),
    (FORMAT, JSON, ""),
    (FORMAT, COUNT_TOTAL, ""),
    (FORMAT, COUNT, ""),
    (FORMAT, COUNT_MATCHES, ""),
    (FORMAT, FILES_WITH_MATCHES, ""),
    (FORMAT, FILES_WITHOUT_MATCH, ""),
    (FORMAT, COMPACT, ""),
    (FORMAT, EXCERPT, ""),
    (FORMAT, MAX_COLUMNS, ""),
    (FORMAT, VIMGREP, ""),
    (FORMAT, ONLY_MATCHING, ""),
    (FORMAT, TRIM, ""),
    (FORMAT, PASSTHRU, ""),
    (FORMAT, AFTER_CONTEXT, ""),
    (FORMAT, BEFORE_CONTEXT, ""),
    (FORMAT, CONTEXT, ""),
    (FORMAT, SHOW_FUNCTION, ""),
    (FORMAT, FUNCTION_CONTEXT, ""),
    (FORMAT, PARAGRAPH, ""),
    (FORMAT, UNTIL, ""),
    (WHICH, INVERT_MATCH, ""),
    (WHICH, FORMAT_WITHOUT_PATTERN, ""),
    (WHICH, COUNT_TOTAL, ""),
    (WHICH, COUNT, ""),
    (WHICH, COUNT_MATCHES, ""),
    (WHICH, FILES_WITH_MATCHES, ""),
    (WHICH, FILES_WITHOUT_MATCH, ""),
    (NAMES, INVERT_MATCH, ""),
    (MULTILINE_OF_LINES, AND, ", which is about single lines, without --per-file"),
    (MULTILINE_OF_LINES, NOT, ", which is about single lines, without --per-file"),
    (MULTILINE_OF_LINES, QUERY, ", which is about single lines, without --per-file"),
    (NAMES, AND, ""),
    (NAMES, NOT, ""),
    (NAMES, QUERY, ""),
    (FOLD_ACCENTS, ENGINE_PCRE2, ""),
    (WHY, PER_FILE_OF_ANY_MODE, ""),
    (CHANGED_LINES, MULTILINE_SEARCH, ", which is about matches across lines"),
    (CHANGED_LINES, NULL_DATA, ", which has other lines than git"),
    (CHANGED_LINES, PRE, ", which has other lines than the file"),
    (CHANGED_LINES, PASSTHRU_OF_LINES, ", which prints every line"),
    (PRESERVE_CASE, REPLACE_WITH_GROUPS, ", which print what they matched"),
    (END_COLUMN, NO_COLUMN, ""),
    (COUNT_TOTAL, MAX_RESULTS, ""),
    (COUNT_TOTAL, MAX_FILES, ""),
    (COUNT_TOTAL, OFFSET, ""),
    (EXCERPT, MAX_COLUMNS, ""),
    (COMPACT, MAX_COLUMNS_OF_EXCERPTS, ""),
    (COMPACT, VIMGREP, ""),
    (COMPACT, NO_HEADING, ""),
    (COMPACT, JSON, ""),
    (SHOW_FUNCTION, PASSTHRU_OF_LINES, ", which prints every line"),
    (FUNCTION_CONTEXT, PASSTHRU_OF_LINES, ", which prints every line"),
    (PARAGRAPH, PASSTHRU_OF_LINES, ", which prints every line"),
    (UNTIL, PASSTHRU_OF_LINES, ", which prints every line"),
];

/// Flags that have no effect without another one, which is missing, with the reason.
const REQUIREMENTS: &[(Flag, Flag, &str)] = &[
    (OFFSET_OF_FILES, SORT_IS_MISSING, ": otherwise results are in no fixed order"),
    (SPREAD, MAX_RESULTS_IS_MISSING, ", which it shares among files"),
    (WRITE, REPLACE_IS_MISSING, ", which it writes"),
    (PRESERVE_CASE, REPLACE_IS_MISSING, ", whose text it is about"),
    (DRY_RUN, WRITE_IS_MISSING, ", whose patch it prints"),
    (IF_PATCH, WRITE_IS_MISSING, ", whose patch it is about"),
    (NO_JOURNAL, WRITE_IS_MISSING, ""),
    (WATCH, INDEX_UPDATE_IS_MISSING, ", whose directory it watches afterwards"),
    (YES, WRITING_IS_MISSING, " or --agent-setup, whose changes it makes"),
    (SHARD_BY, SHARD_IS_MISSING, ", whose parts it is about"),
    (PER_FILE, CONDITION_IS_MISSING, ", --not or --query, which it is about"),
];

/// Flags that `--safe` refuses, with what does not happen.
const UNSAFE: &[(Flag, &str)] = &[
    (INDEX_UPDATE, "no file is written"),
    (INDEX_VERIFY, "no file is written"),
    (INDEX_DROP, "no file is written"),
    (INDEX_WATCH, "no process is started or ended"),
    (INDEX_UNWATCH, "no process is started or ended"),
    (INDEX_WATCHER, "no process is started or ended"),
    (AGENT_SETUP_WITH_YES, "no file is written"),
    (WRITE_FILES, "no file is written"),
    (UNDO_CHANGE, "no file is written"),
    (PRE, "no other program is run"),
    (CHANGED, "git is not run"),
    (CHANGED_LINES, "git is not run"),
    (HOSTNAME_BIN, "no other program is run"),
    (PAGER, "no other program is run"),
];

const AFTER_CONTEXT: Flag =
    Flag("--after-context", |f| f.typed.context.after.is_some_and(|lines| lines > 0));
const AGENT_SETUP_WITH_YES: Flag =
    Flag("--agent-setup with --yes", |f| f.mode == Mode::AgentSetup && f.typed.setup.writes);
const BEFORE_CONTEXT: Flag =
    Flag("--before-context", |f| f.typed.context.before.is_some_and(|lines| lines > 0));
const AND: Flag = Flag("--and", |f| f.searches() && !f.typed.and.is_empty());
const CHANGED: Flag = Flag("--changed", |f| f.typed.changed.is_some());
const CHANGED_LINES: Flag = Flag("--changed-lines", |f| f.typed.changed_lines);
const COMPACT: Flag = Flag("--compact", |f| f.typed.printer.compact);
const CONDITION_IS_MISSING: Flag = Flag("--and", |f| {
    f.typed.and.is_empty() && f.typed.not.is_empty() && f.typed.queries.is_empty()
});
const CONTEXT: Flag = Flag("--context", |f| f.typed.context.limits() != (0, 0));
const COUNT: Flag = Flag("--count", |f| f.searches_in(SearchMode::Count));
const COUNT_BY: Flag =
    Flag("--count-by", |f| f.searches() && !f.typed.quiet && f.typed.count_by.is_some());
const COUNT_MATCHES: Flag = Flag("--count-matches", |f| f.searches_in(SearchMode::CountMatches));
const COUNT_TOTAL: Flag = Flag("--count-total", |f| counts(f.mode) && f.typed.printer.total);
const DRY_RUN: Flag = Flag("--dry-run", |f| f.typed.rewriting.dry_run);
const ENCODING: Flag = Flag("--encoding", |f| {
    matches!(f.typed.searcher.encoding, Encoding::Always(_) | Encoding::Guess)
});
const END_COLUMN: Flag = Flag("--end-column", |f| f.typed.printer.end_column);
const ENGINE_PCRE2: Flag = Flag("--pcre2", |f| f.typed.matcher.engine == Engine::Pcre2);
const EXCERPT: Flag = Flag("--excerpt", |f| f.typed.excerpt.is_some_and(|it| it.reach > 0));
const FILES_WITH_MATCHES: Flag =
    Flag("--files-with-matches", |f| f.searches_in(SearchMode::FilesWithMatches));
const FILES_WITHOUT_MATCH: Flag =
    Flag("--files-without-match", |f| f.searches_in(SearchMode::FilesWithoutMatch));
const FOLD_ACCENTS: Flag = Flag("--fold-accents", |f| f.searches() && f.typed.matcher.fold_accents);
const FORMAT: Flag = Flag("--format", |f| f.searches() && f.typed.format.is_some());
const FORMAT_WITHOUT_PATTERN: Flag = Flag("--format without {pattern}", |f| {
    f.typed.format.as_ref().is_some_and(|format| !format.has_patterns())
});
const FUNCTION_CONTEXT: Flag = Flag("--function-context", |f| f.typed.around.function_context);
const HOSTNAME_BIN: Flag = Flag("--hostname-bin", |f| f.typed.hostname_bin.is_some());
const IF_PATCH: Flag = Flag("--if-patch", |f| f.typed.rewriting.if_patch.is_some());
const INDEX_DROP: Flag = Flag("--index-drop", |f| {
    matches!(f.mode, Mode::Index(IndexAction::Drop | IndexAction::DropGone))
});
const INDEX_UNWATCH: Flag =
    Flag("--index-unwatch", |f| f.mode == Mode::Index(IndexAction::Unwatch));
const INDEX_UPDATE: Flag = Flag("--index-update", |f| f.mode == Mode::Index(IndexAction::Update));
const INDEX_UPDATE_IS_MISSING: Flag =
    Flag("--index-update", |f| f.mode != Mode::Index(IndexAction::Update));
const INDEX_VERIFY: Flag = Flag("--index-verify", |f| f.mode == Mode::Index(IndexAction::Verify));
const INDEX_WATCH: Flag = Flag("--index-watch", |f| f.mode == Mode::Index(IndexAction::Watch));
const INDEX_WATCHER: Flag =
    Flag("--index-watcher", |f| matches!(f.mode, Mode::Index(IndexAction::BeWatcher { .. })));
const INVERT_MATCH: Flag = Flag("--invert-match", |f| f.typed.searcher.invert);
const JSON: Flag = Flag("--json", |f| f.searches_in(SearchMode::Json));
const LIMITED_WRITE: Flag = Flag("--write with a limit of results", |f| {
    let limits = &f.typed.limits;
    let is_limited = limits.results.is_some() || limits.files.is_some() || limits.offset > 0;
    f.searches() && f.typed.rewriting.write && is_limited
});
const MAX_COLUMNS: Flag = Flag("--max-columns", |f| f.typed.printer.max_columns.is_some());
/// Without `--excerpt`, `--compact` prints excerpts by itself.
const MAX_COLUMNS_OF_EXCERPTS: Flag =
    Flag("--max-columns", |f| f.typed.printer.max_columns.is_some() && f.typed.excerpt.is_none());
const MAX_FILES: Flag = Flag("--max-files", |f| f.typed.limits.files.is_some());
const MAX_OUTPUT: Flag = Flag("--max-output", |f| f.typed.limits.output.is_some());
const MAX_RESULTS: Flag = Flag("--max-results", |f| f.typed.limits.results.is_some());
const MAX_RESULTS_IS_MISSING: Flag = Flag("--max-results", |f| f.typed.limits.results.is_none());
const MULTILINE_SEARCH: Flag = Flag("--multiline", |f| f.searches() && f.typed.matcher.multiline);
const MULTILINE_OF_LINES: Flag =
    Flag("--multiline", |f| f.typed.matcher.multiline && !f.typed.per_file);
const NAMES: Flag = Flag("--names", |f| f.searches() && f.typed.names.is_some());
const NO_COLUMN: Flag = Flag("--no-column", |f| f.typed.column == Some(false));
const NO_HEADING: Flag = Flag("--no-heading", |f| f.typed.heading == Some(false));
const NO_JOURNAL: Flag = Flag("--no-journal", |f| f.typed.rewriting.no_journal);
const NOT: Flag = Flag("--not", |f| f.searches() && !f.typed.not.is_empty());
const NULL_DATA: Flag =
    Flag("--null-data", |f| f.searches() && f.typed.printer.terminator == Terminator::Nul);
const OFFSET: Flag = Flag("--offset", |f| f.typed.limits.offset > 0);
const OFFSET_OF_FILES: Flag =
    Flag("--offset", |f| f.typed.limits.offset > 0 && f.has_results() && f.has_files());
const ONLY_MATCHING: Flag = Flag("--only-matching", |f| f.typed.printer.only_matching);
const PAGER: Flag = Flag("--pager", |f| f.typed.pager);
const PARAGRAPH: Flag = Flag("--paragraph", |f| f.typed.around.paragraph);
const PASSTHRU: Flag = Flag("--passthru", |f| f.typed.context.passthru);
const PASSTHRU_OF_LINES: Flag =
    Flag("--passthru", |f| f.typed.context.passthru && shows_lines(f.typed, f.mode));
const PASSTHRU_OF_RESULTS: Flag =
    Flag("--passthru", |f| f.typed.context.passthru && f.has_results());
const PER_FILE_OF_ANY_MODE: Flag = Flag("--per-file", |f| f.typed.per_file);
const PER_FILE: Flag = Flag("--per-file", |f| f.searches() && f.typed.per_file);
const PRE: Flag = Flag("--pre", |f| f.typed.pre.is_some());
const PRESERVE_CASE: Flag =
    Flag("--preserve-case", |f| f.searches() && f.typed.preserve_case == Some(true));
const QUERY: Flag = Flag("--query", |f| f.searches() && !f.typed.queries.is_empty());
const QUIET: Flag = Flag("--quiet", |f| f.typed.quiet);
const REPLACE_IS_MISSING: Flag = Flag("--replace", |f| f.typed.printer.replacement.is_none());
const REPLACE_WITH_GROUPS: Flag = Flag("groups in --replace", |f| {
    f.typed.printer.replacement.as_deref().is_some_and(has_references)
});
const SEARCH_ZIP: Flag = Flag("--search-zip", |f| f.typed.search_zip);
const SHARD_BY: Flag = Flag("--shard-by", |f| f.typed.shard_by.is_some());
const SHARD_IS_MISSING: Flag = Flag("--shard", |f| f.typed.shard.is_none());
const SHOW_FUNCTION: Flag = Flag("--show-function", |f| f.typed.around.show_function);
const SORT_BY_RELEVANCE: Flag =
    Flag("--sort relevance", |f| f.typed.sort.is_some_and(|by| by.key == SortKey::Relevance));
/// Groups are sorted by their counts.
const SORT_IS_MISSING: Flag =
    Flag("--sort", |f| f.typed.sort.is_none() && !(f.searches() && f.typed.count_by.is_some()));
const SPREAD: Flag = Flag("--spread", |f| f.typed.limits.spread && f.has_results());
const STDIN_AMONG_FILES: Flag = Flag("the path -", |f| {
    f.has_files() && f.inputs.is_some_and(|inputs| inputs.roots.contains(&Root::Stdin))
});
const TIMEOUT: Flag = Flag("--timeout", |f| f.typed.limits.time.is_some());
const TRIM: Flag = Flag("--trim", |f| f.typed.printer.trim);
const UNDO_CHANGE: Flag = Flag("--undo", |f| f.mode == Mode::Undo);
const UNTIL: Flag = Flag("--until", |f| f.typed.around.until.is_some());
const VIMGREP: Flag = Flag("--vimgrep", |f| f.typed.printer.per_match);
const WATCH: Flag = Flag("--watch", |f| f.typed.watch);
const WHICH: Flag = Flag("--which", |f| f.searches() && f.typed.which);
const WHY: Flag = Flag("--why", |f| f.mode == Mode::Why);
const WRITE: Flag = Flag("--write", |f| f.searches() && f.typed.rewriting.write);
const WRITE_FILES: Flag =
    Flag("--write", |f| f.typed.rewriting.write && !f.typed.rewriting.dry_run);
const WRITE_IS_MISSING: Flag = Flag("--write", |f| !f.typed.rewriting.write);
const WRITING_IS_MISSING: Flag =
    Flag("--write", |f| !f.typed.rewriting.write && f.mode != Mode::AgentSetup);
const YES: Flag = Flag("--yes", |f| f.typed.setup.writes);

impl Flags<'_> {
    fn searches(&self) -> bool {
        matches!(self.mode, Mode::Search(_))
    }

    fn searches_in(&self, mode: SearchMode) -> bool {
        self.mode == Mode::Search(mode)
    }

    /// Whether there are results that limits can be about.
    fn has_results(&self) -> bool {
        matches!(self.mode, Mode::Search(_) | Mode::Files) && !self.typed.quiet
    }

    /// Whether it is known that more than one file can be searched.
    fn has_files(&self) -> bool {
        self.inputs.is_some_and(|inputs| !inputs.one_file)
    }

    /// Fails if one of `rows` holds, in which the first flag has this `relation` to the second.
    fn check(&self, rows: &[(Flag, Flag, &str)], relation: &str) -> Result<(), Error> {
        let is_given = |flag: &Flag| flag.1(self);
        match rows.iter().find(|(flag, other, _)| is_given(flag) && is_given(other)) {
            Some((flag, other, because)) => {
                Err(Error::new(format!("{} {relation} {}{because}", flag.0, other.0)))
            }
            None => Ok(()),
        }
    }

    fn check_contradictions(&self) -> Result<(), Error> {
        self.check(CONTRADICTIONS, "cannot be combined with")
    }
}

/// Fails if flags contradict each other, whatever is searched. A flag that is missing may still
/// follow, as the command line follows the configuration file.
pub(crate) fn check_flags(typed: &TypedArgs) -> Result<(), Error> {
    Flags { typed, mode: mode(typed), inputs: None }.check_contradictions()
}

/// Fails if flags contradict each other, or `--safe` refuses one of them.
pub(crate) fn check_yielding(typed: &TypedArgs) -> Result<(), Error> {
    if typed.safe {
        check_safe(typed)?;
    }
    check_flags(typed)
}

/// Fails if flags contradict each other or what is searched, or if one is missing.
pub(super) fn check(typed: &TypedArgs, inputs: Inputs<'_>) -> Result<(), Error> {
    let flags = Flags { typed, mode: mode(typed), inputs: Some(inputs) };
    flags.check_contradictions()?;
    flags.check(REQUIREMENTS, "requires")
}

/// Fails if a flag would run another program, or write a file.
pub(super) fn check_safe(typed: &TypedArgs) -> Result<(), Error> {
    let flags = Flags { typed, mode: mode(typed), inputs: None };
    match UNSAFE.iter().find(|(flag, _)| flag.1(&flags)) {
        Some((flag, because)) => Err(Error::new(format!(
            "{} is refused: with --safe or HEIST_RESTRICT {because}",
            flag.0
        ))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{CONTRADICTIONS, Flag, REQUIREMENTS, UNSAFE};
    use crate::flags;

    #[test]
    fn rows_name_flags_that_exist_and_no_pair_twice() {
        let pairs = CONTRADICTIONS.iter().chain(REQUIREMENTS);
        let names = pairs.clone().flat_map(|(flag, other, _)| [flag, other]);
        for Flag(name, _) in names.chain(UNSAFE.iter().map(|(flag, _)| flag)) {
            let Some(long) = name.strip_prefix("--") else { continue };
            let long = long.split(' ').next().expect("a name");
            let exists = flags::all().any(|flag| flag.long_names().any(|name| name == long));
            assert!(exists || long == "index-watcher", "{name} is no flag");
        }
        let mut pairs: Vec<_> = pairs.map(|(flag, other, _)| [flag.0, other.0]).collect();
        let count = pairs.len();
        pairs.sort_unstable();
        pairs.dedup();
        assert_eq!(pairs.len(), count, "a pair has two rows");
    }
}
