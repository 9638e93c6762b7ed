//! [`ResolvedArgs`]: what was typed, resolved.

use heist_filter::{PathGlobs, TypeDefinition};
use heist_walk::Root;

use super::{
    inputs, printer,
    search::{self, BinaryRules},
    sort::{self, Sorting},
    types, walk,
};
use crate::{
    contents::{Contents, Preprocessor},
    error::Error,
    here::Here,
    typed::{Mode, SearchMode, TypedArgs},
};

/// All that the run needs to know.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedArgs {
    /// What kind of result is asked for.
    pub(crate) mode: Mode,
    /// What is sought, without duplicates; empty in a mode that does not search.
    pub(crate) patterns: Vec<String>,
    /// How patterns are compiled.
    pub(crate) matcher: heist_matcher::Config,
    /// How haystacks are searched.
    pub(crate) searcher: heist_searcher::SearchConfig,
    /// Search through memory maps where that is possible.
    pub(crate) mmap: bool,
    /// What NUL bytes mean.
    pub(crate) binary: BinaryRules,
    /// Which bytes of them.
    pub(crate) contents: Contents,
    /// Whether standard input is searched for want of a path.
    pub(crate) stdin_is_implicit: bool,
    /// Which files are wanted.
    pub(crate) filter: heist_filter::FilterConfig,
    /// Where and how to walk.
    pub(crate) walk: heist_walk::WalkConfig,
    /// When results are brought into order.
    pub(crate) sorting: Sorting,
    /// How results look.
    pub(crate) printer: heist_printer::PrinterConfig,
    /// The file types, if they are to be listed.
    pub(crate) types: Vec<TypeDefinition>,
    /// Print nothing and stop at the first match.
    pub(crate) quiet: bool,
    /// Results are coloured, and a terminal shows them.
    pub(crate) colors_terminal: bool,
    /// Write every line at once rather than in blocks.
    pub(crate) line_buffered: bool,
    /// All that is printed is printed by one worker.
    pub(crate) one_writes: bool,
}

impl ResolvedArgs {
    /// Find out what `typed` means `here`. Reads the files of `-f`, and nothing else.
    ///
    /// # Errors
    /// There is no pattern, one is not UTF-8, or the file it should come from cannot be read; a
    /// file type is not known or badly defined; another program is to be run where none may be.
    pub(crate) fn new(typed: TypedArgs, here: &Here) -> Result<ResolvedArgs, Error> {
        let mut typed = typed;
        if typed.safe {
            refuse_programs(&typed)?;
        }
        let mode = mode(&typed);
        let inputs = inputs::resolve(&mut typed, here)?;
        let mut roots = inputs.roots;
        let one_file = walk::len_of_one_file(&roots, here);
        let (sorting, order) = sort::resolve(&typed, &mut roots, one_file.is_some())?;
        let (types, selection) = types::resolve(&typed)?;
        let contents = contents(&typed, here)?;
        let printer = printer::config(&typed, mode, &roots, one_file.is_some(), here);
        let walk = walk::walk(&typed, &contents, roots, one_file, order, here);
        Ok(ResolvedArgs {
            mode,
            patterns: inputs.patterns,
            matcher: search::matcher(&typed),
            searcher: search::searcher(&typed, mode, printer.line_numbers),
            mmap: typed.mmap,
            binary: search::binary(&typed),
            contents,
            stdin_is_implicit: inputs.stdin_is_implicit,
            colors_terminal: here.stdout_is_terminal && printer.colors.is_some(),
            printer,
            quiet: typed.quiet,
            line_buffered: printer::line_buffered(&typed, here),
            types,
            sorting,
            one_writes: one_file.is_some() || walk.workers == 1,
            walk,
            filter: walk::filter(typed, selection, here),
        })
    }

    /// Whether no path was named, so that the user may not know what is searched.
    pub(crate) fn path_is_implicit(&self) -> bool {
        self.walk.roots == [Root::Here]
    }

    /// Whether a search can find anything at all. If not, nothing need be opened.
    pub(crate) fn can_match(&self) -> bool {
        let all_lines = self.searcher.invert;
        (all_lines || !self.patterns.is_empty()) && self.searcher.max_matches != Some(0)
    }
}

/// Nothing that the user may have been told to type runs another program.
fn refuse_programs(typed: &TypedArgs) -> Result<(), Error> {
    let asked = [("--pre", &typed.pre), ("--hostname-bin", &typed.hostname_bin)];
    match asked.into_iter().find(|(_, command)| command.is_some()) {
        Some((flag, _)) => Err(Error::new(format!(
            "{flag} is refused: with --safe or HEIST_RESTRICT no other program is run"
        ))),
        None => Ok(()),
    }
}

/// Where the bytes of files come from. Globs are looked at even if nothing asks for them.
fn contents(typed: &TypedArgs, here: &Here) -> Result<Contents, Error> {
    let globs = PathGlobs::new(&here.cwd, typed.pre_globs.iter().map(String::as_str))?;
    Ok(match &typed.pre {
        Some(command) => Contents::Preprocessed(Preprocessor::new(command.clone(), globs)),
        None if typed.search_zip => Contents::Decompressed { alone: typed.safe },
        None => Contents::Plain,
    })
}

/// The mode that is left when flags have changed each other's meaning.
fn mode(typed: &TypedArgs) -> Mode {
    let is_count = |mode| matches!(mode, SearchMode::Count | SearchMode::CountMatches);
    match typed.mode {
        // Lines that do not match have no matches to count.
        Mode::Search(mode) if is_count(mode) && typed.invert_match => {
            Mode::Search(SearchMode::Count)
        }
        Mode::Search(mode) if is_count(mode) && typed.only_matching => {
            Mode::Search(SearchMode::CountMatches)
        }
        mode => mode,
    }
}
