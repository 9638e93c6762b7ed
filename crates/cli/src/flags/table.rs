//! All flags, by the heading under which help lists them.

use heist_filter::{Tracking, TypeTable};
use heist_matcher::{Boundary, Case, Engine};
use heist_printer::{ColumnUnit, HYPERLINK_ALIASES, Terminator};
use heist_queue::{IdleKind, QueueKind, Sharing};
use heist_searcher::Encoding;
use heist_walk::{FileTime, Reader};

use super::{
    encodings,
    record::{
        Flag,
        ValueKind::{self, Command, OneOf, Optional, Path, Suggested, Switch, SwitchOr, Value},
        flag, switch,
    },
    value::{FlagValue, ValueError, push, set},
};
use crate::typed::{
    BinaryMode, Buffering, ColorMode, ContextLines, DEFAULT_EXCERPT, EarlyMode, Generate, GroupBy,
    IndexAction, IndexUse, Mode, Names, PathList, PatternSource, ProgressUse, SearchMode, SortBy,
    SortKey, TypeChange, TypedArgs,
};

/// The flags under one heading of the help.
pub(crate) struct Category {
    /// The heading.
    pub(crate) title: &'static str,
    flags: &'static [Flag],
}

/// All categories, as the help lists them.
pub(crate) static CATEGORIES: [Category; 8] = [
    Category { title: "Input", flags: INPUT },
    Category { title: "Search", flags: SEARCH },
    Category { title: "Filter", flags: FILTER },
    Category { title: "Output", flags: OUTPUT },
    Category { title: "Limits", flags: LIMITS },
    Category { title: "Output modes", flags: MODES },
    Category { title: "Logging", flags: LOGGING },
    Category { title: "Other", flags: OTHER },
];

impl Category {
    /// The flags that help lists.
    pub(crate) fn shown(&self) -> impl Iterator<Item = &'static Flag> + use<> {
        self.flags.iter().filter(|flag| !flag.hidden)
    }
}

/// All flags.
pub fn all() -> impl Iterator<Item = &'static Flag> {
    CATEGORIES.iter().flat_map(|category| category.flags)
}

/// Where the patterns and the bytes to search come from.
static INPUT: &[Flag] = &[
    flag("regexp", Value("PATTERN"), |value, typed| {
        push(&mut typed.patterns, value.string().map(PatternSource::Text))
    })
    .letter('e'),
    flag("file", Path("PATTERNFILE"), |value, typed| {
        push(&mut typed.patterns, Ok(PatternSource::File(value.path())))
    })
    .letter('f'),
    flag("pattern", Value("RULE"), |value, typed| {
        push(&mut typed.patterns, value.parse().map(PatternSource::Labeled))
    }),
    flag("patterns-from", Path("FILE"), |value, typed| {
        push(&mut typed.patterns, Ok(PatternSource::LabeledFile(value.path())))
    }),
    flag("and", Value("PATTERN"), |value, typed| push(&mut typed.and, value.string())),
    flag("not", Value("PATTERN"), |value, typed| push(&mut typed.not, value.string())),
    flag("query", Value("QUERY"), |value, typed| push(&mut typed.queries, value.string())),
    switch("per-file", |on, typed| typed.per_file = on).negation("no-per-file"),
    flag("files-from", Path("FILE"), |value, typed| path_list(value, b'\n', typed)),
    flag("files0-from", Path("FILE"), |value, typed| path_list(value, b'\0', typed)),
    switch("no-stdin", |on, typed| typed.no_stdin = on).negation("stdin"),
    flag("pre", Command("COMMAND"), |value, typed| {
        typed.pre = value.nonempty_path().filter(|_| value.is_on());
        typed.search_zip &= typed.pre.is_none();
        Ok(())
    })
    .negation("no-pre"),
    flag("pre-glob", Value("GLOB"), |value, typed| push(&mut typed.pre_globs, value.string())),
    switch("search-zip", |on, typed| {
        typed.search_zip = on;
        typed.pre.take_if(|_| on);
    })
    .letter('z')
    .negation("no-search-zip"),
];

fn path_list(
    value: &FlagValue<'_>,
    terminator: u8,
    typed: &mut TypedArgs,
) -> Result<(), ValueError> {
    let path = value.nonempty_path().ok_or_else(|| ValueError::new("the path is empty"))?;
    push(&mut typed.path_lists, Ok(PathList { path, terminator }))
}

/// What matches, and how the search runs.
static SEARCH: &[Flag] = &[
    switch("case-sensitive", |_, typed| typed.matcher.case = Case::Sensitive).letter('s'),
    switch("ignore-case", |_, typed| typed.matcher.case = Case::Insensitive).letter('i'),
    switch("smart-case", |_, typed| typed.matcher.case = Case::Smart).letter('S'),
    switch("fold-accents", |on, typed| typed.matcher.fold_accents = on).negation("no-fold-accents"),
    switch("any-case", |on, typed| typed.any_case = on).negation("no-any-case"),
    switch("fixed-strings", |on, typed| typed.matcher.fixed_strings = on)
        .letter('F')
        .negation("no-fixed-strings"),
    switch("word-regexp", |_, typed| typed.matcher.boundary = Boundary::Word).letter('w'),
    switch("line-regexp", |_, typed| typed.matcher.boundary = Boundary::Line).letter('x'),
    switch("invert-match", |on, typed| typed.searcher.invert = on)
        .letter('v')
        .negation("no-invert-match"),
    flag("max-count", Value("NUM"), |value, typed| {
        set(&mut typed.searcher.max_matches, value.number().map(Some))
    })
    .letter('m'),
    switch("stop-on-nonmatch", |_, typed| {
        (typed.searcher.stop_on_nonmatch, typed.matcher.multiline) = (true, false);
    }),
    switch("multiline", |on, typed| {
        typed.matcher.multiline = on;
        typed.searcher.stop_on_nonmatch &= !on;
    })
    .letter('U')
    .negation("no-multiline"),
    switch("multiline-dotall", |on, typed| typed.matcher.dot_matches_new_line = on)
        .negation("no-multiline-dotall"),
    switch("crlf", |on, typed| match typed.printer.terminator {
        _ if on => typed.printer.terminator = Terminator::CrLf,
        Terminator::CrLf => typed.printer.terminator = Terminator::Lf,
        Terminator::Lf | Terminator::Nul => {}
    })
    .negation("no-crlf"),
    switch("null-data", |_, typed| typed.printer.terminator = Terminator::Nul),
    switch("text", |on, typed| {
        typed.binary = if on { BinaryMode::Text } else { BinaryMode::Auto };
    })
    .letter('a')
    .negation("no-text"),
    flag("encoding", Suggested("ENCODING", encodings::names), |value, typed| {
        let label = if value.is_on() { value.text()? } else { "auto" };
        typed.searcher.encoding = match label {
            "auto" => Encoding::Auto,
            "none" => Encoding::None,
            "guess" => Encoding::Guess,
            label => {
                let known = encoding_rs::Encoding::for_label_no_replacement(label.as_bytes());
                let unknown = || encodings::unknown(label, value.is_by_letter());
                Encoding::Always(known.ok_or_else(unknown)?)
            }
        };
        Ok(())
    })
    .letter('E')
    .negation("no-encoding"),
    switch("pcre2", |on, typed| {
        typed.matcher.engine = if on { Engine::Pcre2 } else { Engine::Default };
    })
    .letter('P')
    .negation("no-pcre2"),
    flag("engine", OneOf("ENGINE", &["default", "pcre2", "auto"]), |value, typed| {
        set(
            &mut typed.matcher.engine,
            value.choose(&[Engine::Default, Engine::Pcre2, Engine::Auto]),
        )
    }),
    switch("auto-hybrid-regex", |on, typed| {
        typed.matcher.engine = if on { Engine::Auto } else { Engine::Default };
    })
    .negation("no-auto-hybrid-regex")
    .hidden(),
    switch("no-unicode", |on, typed| typed.matcher.unicode = !on).negation("unicode"),
    switch("no-pcre2-unicode", |on, typed| typed.matcher.unicode = !on)
        .negation("pcre2-unicode")
        .hidden(),
    flag("regex-size-limit", Value("SIZE"), |value, typed| {
        set(&mut typed.matcher.size_limit, value.memory_size())
    }),
    flag("dfa-size-limit", Value("SIZE"), |value, typed| {
        set(&mut typed.matcher.dfa_size_limit, value.memory_size())
    }),
    flag("threads", Value("NUM"), |value, typed| set(&mut typed.threads, value.count()))
        .letter('j'),
    switch("mmap", |on, typed| {
        typed.mmap = on;
        typed.searcher.memory_maps = on;
    })
    .negation("no-mmap"),
    flag("index", OneOf("WHEN", &["auto", "never", "require", "strict"]), |value, typed| {
        use IndexUse::{Auto, Never, Require, Strict};
        set(&mut typed.index, value.choose(&[Auto, Never, Require, Strict]))
    }),
    flag("index-after", Value("NUM"), |value, typed| set(&mut typed.index_after, value.count()))
        .hidden(),
    flag("queue", OneOf("NAME", QueueKind::NAMES), |value, typed| {
        set(&mut typed.walk.queue, value.choose(QueueKind::ALL))
    }),
    flag("idle", OneOf("NAME", IdleKind::NAMES), |value, typed| {
        set(&mut typed.walk.idle, value.choose(IdleKind::ALL))
    })
    .hidden(),
    flag("sharing", OneOf("WHEN", Sharing::NAMES), |value, typed| {
        set(&mut typed.walk.sharing, value.choose(Sharing::ALL))
    })
    .hidden(),
    flag("reader", OneOf("NAME", &["linux", "portable"]), |value, typed| {
        set(&mut typed.walk.reader, value.choose(&[Reader::Native, Reader::Portable]))
    })
    .hidden(),
];

/// Which files are selected.
static FILTER: &[Flag] = &[
    flag("glob", Value("GLOB"), |value, typed| push(&mut typed.globs, value.string())).letter('g'),
    flag("iglob", Value("GLOB"), |value, typed| push(&mut typed.iglobs, value.string())),
    switch("glob-case-insensitive", |on, typed| typed.glob_case_insensitive = on)
        .negation("no-glob-case-insensitive"),
    flag("only", Value("GLOB"), |value, typed| push(&mut typed.only, narrowing(value))),
    flag("exclude", Value("GLOB"), |value, typed| push(&mut typed.exclude, narrowing(value))),
    flag("type", Suggested("TYPE", type_names), |value, typed| {
        push(&mut typed.types, value.string().map(TypeChange::Select))
    })
    .letter('t'),
    flag("type-not", Suggested("TYPE", type_names), |value, typed| {
        push(&mut typed.types, value.string().map(TypeChange::Negate))
    })
    .letter('T'),
    flag("type-add", Value("TYPESPEC"), |value, typed| {
        push(&mut typed.types, value.string().map(TypeChange::Add))
    }),
    flag("type-clear", Suggested("TYPE", type_names), |value, typed| {
        push(&mut typed.types, value.string().map(TypeChange::Clear))
    }),
    switch("hidden", |on, typed| (typed.filter.hidden, typed.filter.dotfiles) = (on, false))
        .letter('.')
        .negation("no-hidden"),
    switch("dotfiles", |on, typed| {
        typed.filter.dotfiles = on;
        typed.filter.hidden &= !on;
    })
    .negation("no-dotfiles"),
    flag("follow", SwitchOr("WHAT", &["files"]), |value, typed| {
        let is_files = value.text()? == "files";
        typed.walk.follow = value.is_on() && !is_files;
        typed.walk.follow_files = is_files;
        Ok(())
    })
    .letter('L')
    .negation("no-follow"),
    switch("unique", |on, typed| typed.walk.unique = on).negation("no-unique"),
    switch("tracked", |on, typed| {
        typed.filter.tracking = if on { Tracking::Only } else { Tracking::Disregarded };
    })
    .negation("no-tracked"),
    switch("tracked-or-unignored", |_, typed| typed.filter.tracking = Tracking::OrUnignored),
    flag("max-depth", Value("NUM"), |value, typed| {
        set(&mut typed.walk.max_depth, value.count().map(Some))
    })
    .letter('d')
    .alias(&["maxdepth"]),
    flag("max-filesize", Value("SIZE"), |value, typed| {
        set(&mut typed.walk.max_filesize, value.size().map(Some))
    }),
    flag("min-filesize", Value("SIZE"), |value, typed| {
        set(&mut typed.walk.min_filesize, value.size())
    }),
    flag("newer", Value("WHEN"), |value, typed| set(&mut typed.newer, value.when().map(Some))),
    flag("older", Value("WHEN"), |value, typed| set(&mut typed.older, value.when().map(Some))),
    flag("changed", Optional("REV", ""), |value, typed| {
        set(&mut typed.changed, value.unless_negated(|value| value.text().map(str::to_owned)))
    })
    .negation("no-changed"),
    switch("changed-lines", |on, typed| typed.changed_lines = on).negation("no-changed-lines"),
    flag("shard", Value("PART"), |value, typed| {
        set(&mut typed.shard, value.unless_negated(FlagValue::parse))
    })
    .negation("no-shard"),
    flag("shard-by", Value("UNIT"), |value, typed| {
        set(&mut typed.shard_by, value.parse().map(Some))
    }),
    switch("one-file-system", |on, typed| typed.walk.same_file_system = on)
        .negation("no-one-file-system"),
    switch("no-worktrees", |on, typed| typed.no_worktrees = Some(on)).negation("worktrees"),
    switch("no-submodules", |on, typed| typed.walk.skip_submodules = on).negation("submodules"),
    switch("binary", |on, typed| {
        typed.binary = if on { BinaryMode::Search } else { BinaryMode::Auto };
    })
    .negation("no-binary"),
    flag("unrestricted", Switch, |_, typed| {
        typed.unrestricted += 1;
        match typed.unrestricted {
            1 => set_no_ignore(true, typed),
            2 => typed.filter.hidden = true,
            3 => typed.binary = BinaryMode::Search,
            _ => return Err(ValueError::new("flag can only be repeated up to 3 times")),
        }
        Ok(())
    })
    .letter('u'),
    switch("no-ignore", set_no_ignore).negation("ignore"),
    switch("no-ignore-dot", |on, typed| typed.filter.dot = !on).negation("ignore-dot"),
    switch("no-ignore-vcs", |on, typed| typed.filter.vcs = !on).negation("ignore-vcs"),
    switch("no-ignore-exclude", |on, typed| typed.filter.exclude = !on).negation("ignore-exclude"),
    switch("no-ignore-global", |on, typed| typed.filter.global = !on).negation("ignore-global"),
    switch("no-ignore-parent", |on, typed| typed.filter.parents = !on).negation("ignore-parent"),
    switch("no-ignore-files", |on, typed| typed.no_ignore_files = on).negation("ignore-files"),
    flag("ignore-file", Path("PATH"), |value, typed| {
        push(&mut typed.filter.ignore_files, Ok(value.path()))
    }),
    switch("ignore-file-case-insensitive", |on, typed| typed.filter.ignore_case = on)
        .negation("no-ignore-file-case-insensitive"),
    switch("no-require-git", |on, typed| typed.filter.require_git = !on).negation("require-git"),
];

/// A glob for a flag that only narrows.
fn narrowing(value: &FlagValue<'_>) -> Result<String, ValueError> {
    value.string().and_then(|glob| match glob.starts_with('!') {
        true => Err(ValueError::new(
            "the glob cannot begin with '!': --only selects, --exclude excludes",
        )),
        false => Ok(glob),
    })
}

fn type_names() -> Vec<String> {
    TypeTable::new().definitions().into_iter().map(|definition| definition.name).collect()
}

fn set_no_ignore(on: bool, typed: &mut TypedArgs) {
    typed.filter.dot = !on;
    typed.filter.exclude = !on;
    typed.filter.global = !on;
    typed.filter.parents = !on;
    typed.filter.vcs = !on;
}

/// How results are formatted: lines and fields, then colors, hyperlinks, order and buffering.
static OUTPUT: &[Flag] = &[
    flag("after-context", Value("NUM"), |value, typed| {
        typed.context.passthru = false;
        set(&mut typed.context.after, value.count().map(Some))
    })
    .letter('A'),
    flag("before-context", Value("NUM"), |value, typed| {
        typed.context.passthru = false;
        set(&mut typed.context.before, value.count().map(Some))
    })
    .letter('B'),
    flag("context", Value("NUM"), |value, typed| {
        typed.context.passthru = false;
        set(&mut typed.context.both, value.count().map(Some))
    })
    .letter('C'),
    // This discards the context that flags before it request.
    switch("passthru", |_, typed| {
        typed.context = ContextLines { passthru: true, ..ContextLines::default() };
    })
    .alias(&["passthrough"]),
    switch("show-function", |on, typed| typed.around.show_function = on)
        .negation("no-show-function"),
    switch("function-context", |on, typed| typed.around.function_context = on)
        .negation("no-function-context"),
    flag("function-pattern", Value("RULE"), |value, typed| {
        push(&mut typed.around.function_patterns, value.parse())
    }),
    switch("paragraph", |on, typed| typed.around.paragraph = on).negation("no-paragraph"),
    flag("until", Value("REGEX"), |value, typed| {
        set(&mut typed.around.until, value.unless_negated(FlagValue::string))
    })
    .negation("no-until"),
    flag("context-separator", Value("TEXT"), |value, typed| {
        let text = value.is_on().then(|| value.separator()).transpose();
        set(&mut typed.printer.context_separator, text)
    })
    .negation("no-context-separator"),
    flag("field-match-separator", Value("TEXT"), |value, typed| {
        set(&mut typed.printer.field_match_separator, value.separator())
    }),
    flag("field-context-separator", Value("TEXT"), |value, typed| {
        set(&mut typed.printer.field_context_separator, value.separator())
    }),
    switch("line-number", |_, typed| typed.line_number = Some(true)).letter('n'),
    switch("no-line-number", |_, typed| typed.line_number = Some(false)).letter('N'),
    switch("column", |on, typed| typed.column = Some(on)).negation("no-column"),
    switch("end-column", |on, typed| typed.printer.end_column = on).negation("no-end-column"),
    flag("column-unit", OneOf("UNIT", &["bytes", "chars", "utf16"]), |value, typed| {
        use ColumnUnit::{Bytes, Chars, Utf16};
        set(&mut typed.printer.column_unit, value.choose(&[Bytes, Chars, Utf16]))
    }),
    switch("byte-offset", |on, typed| typed.printer.byte_offset = on)
        .letter('b')
        .negation("no-byte-offset"),
    switch("with-filename", |_, typed| typed.with_filename = Some(true)).letter('H'),
    switch("no-filename", |_, typed| typed.with_filename = Some(false)).letter('I'),
    switch("heading", |on, typed| typed.heading = Some(on)).negation("no-heading"),
    switch("null", |_, typed| typed.printer.null = true).letter('0'),
    switch("only-matching", |_, typed| typed.printer.only_matching = true).letter('o'),
    flag("replace", Value("TEXT"), |value, typed| {
        typed.replaces_by_letter = value.is_by_letter();
        set(&mut typed.printer.replacement, value.string().map(|text| Some(text.into())))
    })
    .letter('r'),
    switch("preserve-case", |on, typed| typed.preserve_case = Some(on))
        .negation("no-preserve-case"),
    switch("write", |on, typed| typed.rewriting.write = on).negation("no-write"),
    switch("dry-run", |on, typed| typed.rewriting.dry_run = on).negation("no-dry-run"),
    flag("if-patch", Value("HASH"), |value, typed| {
        set(&mut typed.rewriting.if_patch, value.parse().map(Some))
    }),
    switch("no-journal", |on, typed| typed.rewriting.no_journal = on).negation("journal"),
    flag("max-columns", Value("NUM"), |value, typed| {
        typed.printer.max_columns = Some(value.number()?).filter(|&limit| limit > 0);
        Ok(())
    })
    .letter('M'),
    switch("max-columns-preview", |on, typed| typed.printer.max_columns_preview = on)
        .negation("no-max-columns-preview"),
    flag("excerpt", Optional("NUM", DEFAULT_EXCERPT), |value, typed| {
        let excerpt = value.unless_negated(FlagValue::excerpt)?;
        typed.excerpt = Some(excerpt.unwrap_or_default());
        Ok(())
    })
    .negation("no-excerpt"),
    flag("format", Value("TEMPLATE"), |value, typed| {
        set(&mut typed.format, value.unless_negated(FlagValue::parse))
    })
    .negation("no-format"),
    flag("names", SwitchOr("PART", &["path"]), |value, typed| {
        let names = if value.text()? == "path" { Names::Path } else { Names::Name };
        typed.names = value.is_on().then_some(names);
        Ok(())
    })
    .negation("no-names"),
    switch("which", |on, typed| typed.which = on).negation("no-which"),
    switch("compact", |on, typed| typed.printer.compact = on).negation("no-compact"),
    switch("trim", |on, typed| typed.printer.trim = on).negation("no-trim"),
    flag("path-separator", Value("TEXT"), |value, typed| {
        let separator = value.separator()?;
        typed.printer.path_separator = match *separator.as_slice() {
            [] => None,
            [byte] => Some(byte),
            _ => {
                let (count, text) = (separator.len(), value.text()?);
                // Git for Windows' shell replaces a lone slash by its own directory.
                let hint = match text.contains('/') {
                    true => {
                        "\nIn some shells on Windows '/' is automatically expanded. Use '//' instead."
                    }
                    false => "",
                };
                return Err(ValueError::new(format!(
                    "A path separator must be exactly one byte, but the given separator is \
                     {count} bytes: {text}{hint}"
                )));
            }
        };
        Ok(())
    }),
    switch("vimgrep", |_, typed| typed.printer.per_match = true),
    switch("pretty", |_, typed| {
        typed.color = ColorMode::Always;
        (typed.heading, typed.line_number) = (Some(true), Some(true));
    })
    .letter('p'),
    switch("quiet", |_, typed| typed.quiet = true).letter('q'),
    flag("color", OneOf("WHEN", &["never", "auto", "always", "ansi"]), |value, typed| {
        use ColorMode::{Always, Auto, Never};
        set(&mut typed.color, value.choose(&[Never, Auto, Always, Always]))
    }),
    flag("colors", Suggested("COLOR_SPEC", color_specs), |value, typed| {
        push(&mut typed.colors, value.parse())
    }),
    flag("hyperlink-format", Suggested("FORMAT", link_names), |value, typed| {
        set(&mut typed.hyperlink_format, value.parse())
    }),
    flag("hostname-bin", Command("COMMAND"), |value, typed| {
        set(&mut typed.hostname_bin, Ok(value.nonempty_path()))
    }),
    flag("sort", SORT_KEYS, |value, typed| {
        let key = value.choose(SORT_BY)?;
        set(&mut typed.sort, Ok(key.map(|key| SortBy { key, reverse: false })))
    }),
    flag("sortr", SORT_KEYS, |value, typed| {
        let key = value.choose(SORT_BY)?;
        set(&mut typed.sort, Ok(key.map(|key| SortBy { key, reverse: true })))
    }),
    switch("sort-files", |on, typed| {
        typed.sort = on.then_some(SortBy { key: SortKey::Path, reverse: false });
    })
    .negation("no-sort-files")
    .hidden(),
    switch("line-buffered", |on, typed| {
        typed.buffering = if on { Buffering::Line } else { Buffering::Auto };
    })
    .negation("no-line-buffered"),
    switch("block-buffered", |on, typed| {
        typed.buffering = if on { Buffering::Block } else { Buffering::Auto };
    })
    .negation("no-block-buffered"),
    switch("include-zero", |on, typed| typed.printer.include_zero = on).negation("no-include-zero"),
    switch("raw", |on, typed| typed.raw = on).negation("no-raw"),
    switch("pager", |on, typed| typed.pager = on).negation("no-pager"),
];

/// What limits results, and the report about them.
static LIMITS: &[Flag] = &[
    flag("max-results", Value("NUM"), |value, typed| {
        set(&mut typed.limits.results, value.unless_negated(FlagValue::number))
    })
    .negation("no-max-results"),
    flag("max-files", Value("NUM"), |value, typed| {
        set(&mut typed.limits.files, value.unless_negated(FlagValue::number))
    })
    .negation("no-max-files"),
    flag("max-output", Value("SIZE"), |value, typed| {
        set(&mut typed.limits.output, value.unless_negated(FlagValue::size))
    })
    .negation("no-max-output"),
    flag("timeout", Value("DURATION"), |value, typed| {
        set(&mut typed.limits.time, value.unless_negated(FlagValue::duration))
    })
    .negation("no-timeout"),
    flag("offset", Value("NUM"), |value, typed| set(&mut typed.limits.offset, value.number())),
    switch("spread", |on, typed| typed.limits.spread = on).negation("no-spread"),
    switch("count-rest", |on, typed| typed.limits.count_rest = on).negation("no-count-rest"),
    switch("tell-skipped", |on, typed| typed.tell_skipped = Some(on)).negation("no-tell-skipped"),
];

/// What `--colors` can set, with the colors that every terminal has.
fn color_specs() -> Vec<String> {
    let colors = ["black", "blue", "green", "red", "cyan", "magenta", "yellow", "white"];
    let styles = ["bold", "intense", "underline", "italic"];
    let changes = |part: &str| {
        let ground = |ground: &str| colors.map(|color| format!("{part}:{ground}:{color}"));
        let styles = styles.map(|style| format!("{part}:style:{style}"));
        [vec![format!("{part}:none")], ground("fg").into(), ground("bg").into(), styles.into()]
    };
    let parts = ["path", "line", "column", "match", "highlight"];
    parts.iter().flat_map(|part| changes(part)).flatten().collect()
}

const SORT_KEYS: ValueKind =
    OneOf("SORTBY", &["none", "path", "modified", "accessed", "created", "relevance"]);

const SORT_BY: &[Option<SortKey>] = &[
    None,
    Some(SortKey::Path),
    Some(SortKey::Time(FileTime::Modified)),
    Some(SortKey::Time(FileTime::Accessed)),
    Some(SortKey::Time(FileTime::Created)),
    Some(SortKey::Relevance),
];

fn link_names() -> Vec<String> {
    HYPERLINK_ALIASES.iter().map(|alias| alias.name.to_owned()).collect()
}

/// Which kind of results there are.
static MODES: &[Flag] = &[
    switch("count", |_, typed| {
        typed.mode.update(Mode::Search(SearchMode::Count));
        typed.before_total = None;
    })
    .letter('c'),
    switch("count-total", |on, typed| {
        typed.printer.total = on;
        let counts =
            matches!(typed.mode, Mode::Search(SearchMode::Count | SearchMode::CountMatches));
        if on && !counts {
            typed.before_total = Some(typed.mode);
            typed.mode.update(Mode::Search(SearchMode::Count));
        } else if !on
            && let Some(before) = typed.before_total.take()
            && typed.mode == Mode::Search(SearchMode::Count)
        {
            typed.mode = before;
        }
    })
    .negation("no-count-total"),
    switch("count-matches", |_, typed| typed.mode.update(Mode::Search(SearchMode::CountMatches))),
    flag("count-by", OneOf("GROUP", &["directory", "extension", "file"]), |value, typed| {
        use GroupBy::{Directory, Extension, File};
        set(
            &mut typed.count_by,
            value.unless_negated(|value| value.choose(&[Directory, Extension, File])),
        )
    })
    .negation("no-count-by"),
    switch("files-with-matches", |_, typed| {
        typed.mode.update(Mode::Search(SearchMode::FilesWithMatches));
    })
    .letter('l'),
    switch("files-without-match", |_, typed| {
        typed.mode.update(Mode::Search(SearchMode::FilesWithoutMatch));
    }),
    switch("json", |on, typed| {
        typed.json = on;
        match typed.mode {
            _ if on => typed.mode.update(Mode::Search(SearchMode::Json)),
            Mode::Search(SearchMode::Json) => typed.mode = Mode::default(),
            _ => {}
        }
    })
    .negation("no-json"),
    switch("files", |_, typed| typed.mode.update(Mode::Files)),
    switch("why", |_, typed| typed.mode.update(Mode::Why)),
    switch("type-list", |_, typed| typed.mode.update(Mode::TypeList)),
    switch("index-update", |_, typed| typed.mode.update(Mode::Index(IndexAction::Update))),
    switch("watch", |on, typed| typed.watch = on).negation("no-watch"),
    switch("index-list", |_, typed| typed.mode.update(Mode::IndexList)),
    switch("index-status", |_, typed| typed.mode.update(Mode::Index(IndexAction::Status))),
    switch("index-verify", |_, typed| typed.mode.update(Mode::Index(IndexAction::Verify))),
    flag("index-drop", SwitchOr("WHAT", &["gone"]), |value, typed| {
        let is_gone = value.text()? == "gone";
        let action = if is_gone { IndexAction::DropGone } else { IndexAction::Drop };
        typed.mode.update(Mode::Index(action));
        Ok(())
    }),
    switch("index-watch", |_, typed| typed.mode.update(Mode::Index(IndexAction::Watch))),
    switch("index-unwatch", |_, typed| typed.mode.update(Mode::Index(IndexAction::Unwatch))),
    flag("index-watcher", Value("SECONDS"), |value, typed| {
        let idle = value.count()? as u64;
        typed.mode.update(Mode::Index(IndexAction::BeWatcher { idle }));
        Ok(())
    })
    .hidden(),
    flag("generate", OneOf("KIND", GENERATE_KINDS), |value, typed| {
        use Generate::{Bash, Fish, Man, PowerShell, Zsh};
        typed.mode.update(Mode::Generate(value.choose(&[Man, Bash, Zsh, Fish, PowerShell])?));
        Ok(())
    }),
    switch("agent-setup", |_, typed| typed.mode.update(Mode::AgentSetup)),
    flag("undo", Optional("CHANGE", ""), |value, typed| {
        typed.setup.undo = true;
        set(&mut typed.undo, value.text().map(|text| Some(text.to_owned())))
    }),
    switch("yes", |_, typed| typed.setup.writes = true),
];

const GENERATE_KINDS: &[&str] =
    &["man", "complete-bash", "complete-zsh", "complete-fish", "complete-powershell"];

/// Messages and statistics.
static LOGGING: &[Flag] = &[
    switch("no-messages", |on, typed| typed.no_messages = on).negation("messages"),
    switch("no-ignore-messages", |on, typed| typed.no_ignore_messages = on)
        .negation("ignore-messages"),
    switch("stats", |on, typed| typed.printer.stats = on).negation("no-stats"),
    flag("progress", SwitchOr("WHEN", &["auto", "always", "never"]), |value, typed| {
        typed.progress = Some(match value.text()? {
            "always" => ProgressUse::Always,
            "never" => ProgressUse::Never,
            _ if value.is_on() => ProgressUse::Auto,
            _ => ProgressUse::Never,
        });
        Ok(())
    })
    .negation("no-progress"),
    switch("debug", |_, typed| typed.logging = Some(log::Level::Debug)),
    switch("trace", |_, typed| typed.logging = Some(log::Level::Trace)),
];

/// The program itself, and names from an experiment in ripgrep, which must not get another meaning.
static OTHER: &[Flag] = &[
    flag("help", Switch, |value, typed| {
        let (short, long) = (EarlyMode::ShortHelp, EarlyMode::LongHelp);
        set(&mut typed.early, Ok(Some(if value.is_by_letter() { short } else { long })))
    })
    .letter('h'),
    flag("version", Switch, |value, typed| {
        let (short, long) = (EarlyMode::ShortVersion, EarlyMode::LongVersion);
        set(&mut typed.early, Ok(Some(if value.is_by_letter() { short } else { long })))
    })
    .letter('V'),
    switch("pcre2-version", |_, typed| typed.early = Some(EarlyMode::Pcre2Version)),
    switch("no-config", |_, typed| typed.no_config = true),
    switch("safe", |_, typed| typed.safe = true),
    switch("agent", |on, typed| typed.agent = Some(on)).negation("no-agent"),
    flag("x-crud", Switch, reserved).letter('X').hidden(),
    flag("x-force", Switch, reserved).hidden(),
    flag("x-path", Value("PATH"), reserved).hidden(),
];

fn reserved(_: &FlagValue<'_>, _: &mut TypedArgs) -> Result<(), ValueError> {
    Err(ValueError::new("reserved for an experiment of ripgrep; hs has --index and --index-update"))
}
