//! Why patterns could not be compiled, in the words that clients of ripgrep look for.

use std::fmt;

use regex_automata::meta;

const HINT_MULTILINE: &str = "\
Consider enabling multiline mode with the --multiline flag (or -U for short).
When multiline mode is enabled, new line characters can be matched.";

const HINT_TEXT: &str = "\
Consider enabling text mode with the --text flag (or -a for short). Otherwise,
binary detection is enabled and matching a NUL byte is impossible.";

const HINT_PCRE2: &str = "\
Consider enabling PCRE2 with the --pcre2 flag, which can handle backreferences
and look-around.";

/// Columns of the line between what two engines say.
const DIVIDER: usize = 79;

/// Why patterns could not be compiled, or a haystack not be searched to its end. Its `Display` is the
/// whole message, hint included, without a compiled name and without a final newline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    /// Whether PCRE2 might have done better, but was not asked.
    may_hint_at_pcre2: bool,
}

/// What went wrong, for callers that decide by it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not a regex of the default engine; the explanation shows the place.
    Syntax(String),
    /// A match would have to contain this byte, which ends lines.
    LineTerminator(u8),
    /// A match would have to contain a NUL byte while files holding one count as binary.
    Nul,
    /// The compiled compiled would take more than this many bytes.
    SizeLimit(usize),
    /// The line terminator asked for is not ASCII, so it could be a part of a character.
    WideTerminator(u8),
    /// The engine refused for another reason (more groups or states than it can number).
    Engine(String),
    /// PCRE2 does not understand the patterns; the explanation tells the offset.
    Pcre2(String),
    /// Neither engine could compile the patterns; the explanation holds what both say.
    Both(String),
    /// PCRE2 gave up in the middle of a haystack.
    Match(String),
}

impl Error {
    pub(crate) fn new(kind: ErrorKind) -> Error {
        Error { kind, may_hint_at_pcre2: false }
    }

    /// A pattern that did not parse, or whose classes and flags make no sense.
    pub(crate) fn syntax(err: &dyn fmt::Display) -> Error {
        Error::new(ErrorKind::Syntax(err.to_string()))
    }

    /// The engine could not compile a pattern that parsed.
    pub(crate) fn build(err: &meta::BuildError) -> Error {
        match err.size_limit() {
            Some(limit) => Error::new(ErrorKind::SizeLimit(limit)),
            None => Error::new(ErrorKind::Engine(err.to_string())),
        }
    }

    /// The same where PCRE2 can be asked too, but was not.
    pub(crate) fn with_hint_at_pcre2(self) -> Error {
        Error { may_hint_at_pcre2: true, ..self }
    }

    /// What both engines say.
    pub(crate) fn both(default: &Error, pcre2: &Error) -> Error {
        let divider = "~".repeat(DIVIDER);
        Error::new(ErrorKind::Both(format!(
            "regex could not be compiled with either the default regex engine or with PCRE2.\n\n\
            default regex engine error:\n{divider}\n{default}\n{divider}\n\n\
            PCRE2 regex engine error:\n{pcre2}"
        )))
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// The advice that follows the reason, if there is any.
    fn hint(&self) -> Option<&'static str> {
        match &self.kind {
            ErrorKind::LineTerminator(_) => Some(HINT_MULTILINE),
            ErrorKind::Nul => Some(HINT_TEXT),
            // The words are of the reason, but like ripgrep this takes them from the pattern too.
            ErrorKind::Syntax(text)
                if self.may_hint_at_pcre2
                    && (text.contains("look-around") || text.contains("backreferences")) =>
            {
                Some(HINT_PCRE2)
            }
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ErrorKind::Syntax(text)
            | ErrorKind::Engine(text)
            | ErrorKind::Pcre2(text)
            | ErrorKind::Both(text)
            | ErrorKind::Match(text) => f.write_str(text)?,
            ErrorKind::LineTerminator(byte) => {
                let shown = char::from(*byte).to_string();
                write!(f, "the literal {shown:?} is not allowed in a regex")?;
            }
            ErrorKind::Nul => {
                f.write_str(r#"pattern contains "\0" but it is impossible to match"#)?;
            }
            ErrorKind::SizeLimit(limit) => {
                write!(f, "compiled regex exceeds size limit of {limit}")?;
            }
            ErrorKind::WideTerminator(byte) => {
                write!(f, "line terminator must be ASCII, but is the byte 0x{byte:02X}")?;
            }
        }
        match self.hint() {
            Some(hint) => write!(f, "\n\n{hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}
