//! What functions look like in a language.

use heist_matcher::{Error, Matcher, MatcherConfig};

use super::lexis::{Lexis, LexisConfig};

/// What shows that a line is in a block, besides its indentation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Nesting {
    /// Braces.
    #[default]
    Braces,
    /// Lines that match [`opens`](NestedConfig::opens) and [`closes`](NestedConfig::closes).
    Words,
    /// Nothing else.
    Indentation,
    /// Nothing, not even indentation: what a line is in is the nearest
    /// [section](NestedConfig::sections) above.
    Lines,
}

/// What functions look like, as patterns.
///
/// All but [`sections`](NestedConfig::sections), [`opens`](NestedConfig::opens) and
/// [`closes`](NestedConfig::closes), which are for lines, are for skeletons of statements: comments
/// are left out, strings are `""`, brackets that are closed are empty, and blanks are one space,
/// which an indented statement begins with.
#[derive(Clone, Debug, Default)]
pub struct NestedConfig {
    /// What shows that a line is in a block.
    pub nesting: Nesting,
    /// The words of a language, as regexes, that never begin a function.
    pub never: Vec<String>,
    /// Functions.
    pub functions: Vec<String>,
    /// Functions, unless they are in another one.
    pub locals: Vec<String>,
    /// What contains functions, such as classes.
    pub containers: Vec<String>,
    /// Statements at the margin that contain a function without a name.
    pub anonymous: Vec<String>,
    /// Lines that apply to all that follow them and is in no function.
    pub sections: Vec<String>,
    /// Lines that begin a block.
    pub opens: Vec<String>,
    /// Lines that end a block.
    pub closes: Vec<String>,
    /// Lines that neither begin nor end a block, although they match one of these.
    pub wholes: Vec<String>,
    /// Lines under a title, which is a section.
    pub underlines: Vec<String>,
    /// What stands between the beginning of a function and the line that begins its block is at the
    /// same indentation, as in Pascal.
    pub has_declarations: bool,
    /// The words that continue the statement of the line above.
    pub continuations: Vec<String>,
    /// What lines begin with that are not part of the nesting, such as `#` for the preprocessor.
    pub skipped: Vec<String>,
    /// A line above that begins with the same word, and matches this, begins the function.
    pub signature: Vec<String>,
    /// Statements are tested by their first lines, as they are.
    pub is_tested_by_line: bool,
    /// All lines count as equally indented.
    pub is_unindented: bool,
    /// No symbol at the beginning of a line continues the statement above.
    pub has_no_continuations: bool,
    /// Lines at the margin that end with a backslash continue a macro.
    pub has_macros: bool,
    /// A closing brace at the margin ends what is in no function.
    pub ends_at_margin: bool,
}

/// The compiled form of a [`NestedConfig`].
#[derive(Clone, Debug)]
pub struct NestedFunctions {
    pub(crate) config: NestedConfig,
    pub(crate) lexis: Lexis,
    pub(crate) never: Option<Matcher>,
    pub(crate) functions: Option<Matcher>,
    pub(crate) locals: Option<Matcher>,
    pub(crate) containers: Option<Matcher>,
    pub(crate) anonymous: Option<Matcher>,
    pub(crate) sections: Option<Matcher>,
    pub(crate) opens: Option<Matcher>,
    pub(crate) closes: Option<Matcher>,
    pub(crate) wholes: Option<Matcher>,
    pub(crate) underlines: Option<Matcher>,
    pub(crate) signature: Option<Matcher>,
}

impl NestedFunctions {
    /// Compiles the patterns.
    ///
    /// # Errors
    /// A pattern is malformed.
    pub fn new(
        config: NestedConfig,
        lexis: LexisConfig,
        matcher: &MatcherConfig,
    ) -> Result<NestedFunctions, Error> {
        let compile = |patterns: &[String]| match patterns {
            [] => Ok(None),
            _ => Matcher::new(patterns, matcher).map(Some),
        };
        Ok(NestedFunctions {
            lexis: Lexis::new(lexis),
            never: compile(&config.never)?,
            functions: compile(&config.functions)?,
            locals: compile(&config.locals)?,
            containers: compile(&config.containers)?,
            anonymous: compile(&config.anonymous)?,
            sections: compile(&config.sections)?,
            opens: compile(&config.opens)?,
            closes: compile(&config.closes)?,
            wholes: compile(&config.wholes)?,
            underlines: compile(&config.underlines)?,
            signature: compile(&config.signature)?,
            config,
        })
    }

    /// Whether a line with this content continues the statement of the line above it at the same
    /// indentation.
    pub(crate) fn is_continuation(&self, content: &[u8]) -> bool {
        let config = &self.config;
        let has_symbols = config.nesting == Nesting::Braces && !config.has_no_continuations;
        match content {
            [b')' | b']' | b'{', ..] => true,
            [b'}', rest @ ..] => {
                let next = rest.trim_ascii_start().first();
                next.is_some_and(|&byte| {
                    !is_word(byte) && !matches!(byte, b';' | b'/' | b'#' | b'}')
                })
            }
            [b':', b':', ..] => false,
            [b':' | b'=' | b'|' | b'?' | b',' | b'>', ..] | [b'-', b'>', ..] | [b'&', b'&', ..] => {
                has_symbols
            }
            _ => begins_with(content, &config.continuations),
        }
    }
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Whether `content` begins with one of `words`. The last ones are whole words.
pub(super) fn begins_with(content: &[u8], words: &[String]) -> bool {
    words.iter().any(|word| {
        let ends_in_word = word.as_bytes().last().is_some_and(|&byte| is_word(byte));
        content
            .strip_prefix(word.as_bytes())
            .is_some_and(|rest| !ends_in_word || !rest.first().is_some_and(|&byte| is_word(byte)))
    })
}
