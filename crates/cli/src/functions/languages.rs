//! The built-in languages, which `languages.txt` describes.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use heist_matcher::MatcherConfig;
use heist_searcher::functions::{LexisConfig, NestedConfig, NestedFunctions, Nesting};

/// The descriptions.
const LANGUAGES: &str = include_str!("languages.txt");

/// The built-in languages, by what identifies them.
#[derive(Default)]
pub(super) struct Languages {
    extensions: HashMap<&'static str, usize>,
    names: HashMap<&'static str, usize>,
    interpreters: HashMap<&'static str, usize>,
    drivers: HashMap<&'static str, usize>,
    all: Vec<Language>,
}

/// A language. Its patterns are compiled when they are needed.
#[derive(Default)]
struct Language {
    description: Description,
    compiled: OnceLock<Arc<NestedFunctions>>,
}

/// What `languages.txt` states about a language.
#[derive(Clone, Default)]
struct Description {
    functions: NestedConfig,
    lexis: LexisConfig,
}

impl Languages {
    /// The languages in `languages.txt`.
    pub(super) fn new() -> Languages {
        let mut languages = Languages::default();
        for line in LANGUAGES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (key, value) = line.split_once(' ').unwrap_or((line, ""));
            languages.add(key, value);
        }
        languages
    }

    /// Adds a line from `languages.txt`.
    fn add(&mut self, key: &'static str, value: &'static str) {
        if key == "=" {
            self.all.push(Language::default());
        }
        let last = self.all.len() - 1;
        let identifiers = match key {
            "=" => &mut self.extensions,
            "names" => &mut self.names,
            "runs" => &mut self.interpreters,
            "git" => &mut self.drivers,
            "like" => {
                self.all[last].description = self.all[self.extensions[value]].description.clone();
                return;
            }
            _ => return self.all[last].description.add(key, value),
        };
        identifiers.extend(value.split(' ').map(|word| (word, last)));
    }

    /// The language of files with names that end with a dot and `extension`.
    pub(super) fn of_extension(&self, extension: &str) -> Option<usize> {
        let known = self.extensions.get(extension);
        known.or_else(|| self.extensions.get(&*extension.to_ascii_lowercase())).copied()
    }

    /// The language that files with this name are in.
    pub(super) fn of_name(&self, name: &str) -> Option<usize> {
        self.names.get(name).copied()
    }

    /// The language that git's built-in driver `name` is for.
    pub(super) fn of_driver(&self, name: &str) -> Option<usize> {
        self.drivers.get(name).copied()
    }

    /// The language of the interpreter that the first line in `text` names behind `#!`.
    pub(super) fn of_script(&self, text: &[u8]) -> Option<usize> {
        let line = text.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
        let line = str::from_utf8(&line[..line.len().min(MAX_SCRIPT_LINE)]).ok()?;
        let is_env = |word: &&str| program(word) != "env" && !word.starts_with('-');
        // `env` has assignments before the program.
        let mut words = line.split_ascii_whitespace().filter(|word| !word.contains('='));
        let name = program(words.find(is_env)?);
        let known = |name: &str| self.interpreters.get(name).copied();
        // Versions are behind the name, as in `python3.12` and `lua5.4`.
        known(name).or_else(|| {
            known(name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-'))
        })
    }

    /// The language with this index, compiled.
    pub(super) fn compiled(
        &self,
        language: usize,
        matcher: &MatcherConfig,
    ) -> Arc<NestedFunctions> {
        let Language { description, compiled } = &self.all[language];
        Arc::clone(compiled.get_or_init(|| {
            let Description { functions, lexis } = description.clone();
            let compiled = NestedFunctions::new(functions, lexis, matcher);
            Arc::new(compiled.expect("a test compiles all of them"))
        }))
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }
}

/// How many bytes of a first line may name an interpreter.
const MAX_SCRIPT_LINE: usize = 256;

/// The program's name at `path`.
fn program(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

impl Description {
    /// Adds what `key` states.
    fn add(&mut self, key: &str, value: &str) {
        let Description { functions, lexis } = self;
        let words = || value.split(' ').map(str::to_owned);
        let pair = || {
            let (open, close) = value.split_once(' ').expect("a test reads all lines");
            (open.to_owned(), close.to_owned())
        };
        match key {
            "nesting" => functions.nesting = nesting(value),
            "is" => value.split(' ').for_each(|flag| self.set(flag)),
            "comments" => lexis.line_comments = words().collect(),
            "block" => lexis.block_comments.push(pair()),
            "quotes" => lexis.quotes = words().collect(),
            "text" => lexis.texts.push(pair()),
            "raw" => lexis.raw_texts.push(pair()),
            "never" => {
                let words: Vec<_> = words().collect();
                functions.never.push(format!(r"^ ?(?:{})\b", words.join("|")));
            }
            "after" => functions.continuations = words().collect(),
            "skip" => functions.skipped = words().collect(),
            _ => self.patterns(key).push(value.to_owned()),
        }
    }

    fn patterns(&mut self, key: &str) -> &mut Vec<String> {
        let functions = &mut self.functions;
        match key {
            "not" => &mut functions.never,
            "function" => &mut functions.functions,
            "local" => &mut functions.locals,
            "class" => &mut functions.containers,
            "call" => &mut functions.anonymous,
            "section" => &mut functions.sections,
            "open" => &mut functions.opens,
            "close" => &mut functions.closes,
            "whole" => &mut functions.wholes,
            "underline" => &mut functions.underlines,
            "signature" => &mut functions.signature,
            _ => unreachable!("languages.txt: {key}"),
        }
    }

    /// Sets what holds for a language by the word that `is` has for it.
    fn set(&mut self, flag: &str) {
        let Description { functions, lexis } = self;
        let flag = match flag {
            // A backslash in a string precedes a byte that does not end it.
            "escapes" => &mut lexis.has_escapes,
            // An apostrophe encloses one character.
            "characters" => &mut lexis.has_characters,
            "heredocs" => &mut lexis.has_heredocs,
            "regexes" => &mut lexis.has_regexes,
            // Only comments have several lines, and are found from their ends: less to read.
            "upwards" => &mut lexis.is_read_upwards,
            // Lines in macros end with a backslash.
            "macros" => &mut functions.has_macros,
            // A closing brace at the margin ends a function.
            "margin" => &mut functions.ends_at_margin,
            // Declarations stand between a function's beginning and its block.
            "declarations" => &mut functions.has_declarations,
            // Patterns are for statements' first lines, as they are.
            "byline" => &mut functions.is_tested_by_line,
            "unindented" => &mut functions.is_unindented,
            // No symbol at the beginning of a line continues a statement.
            "plain" => &mut functions.has_no_continuations,
            _ => unreachable!("languages.txt: is {flag}"),
        };
        *flag = true;
    }
}

fn nesting(name: &str) -> Nesting {
    match name {
        "braces" => Nesting::Braces,
        "words" => Nesting::Words,
        "indentation" => Nesting::Indentation,
        "lines" => Nesting::Lines,
        _ => unreachable!("languages.txt: nesting {name}"),
    }
}
