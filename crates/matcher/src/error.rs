//! Why patterns are refused, or a haystack could not be searched to its end.

use std::fmt;
use std::ops::Range;

/// How many columns the line between two engines' messages has.
const DIVIDER: usize = 79;

/// Why patterns could not be compiled, or a haystack not be searched to its end. Its `Display` is
/// the whole reason, over several lines where that helps, without a final newline.
///
/// ```
/// use heist_matcher::{MatcherConfig, ErrorKind, Matcher};
///
/// let error = Matcher::new(["ok", "a(b"], &MatcherConfig::default()).unwrap_err();
/// assert_eq!(error.to_string(), "\
/// regex parse error:
///     a(b
///      ^
/// error: unclosed group");
/// let ErrorKind::Syntax(syntax) = error.kind() else { unreachable!() };
/// assert_eq!((syntax.pattern(), syntax.span()), ("a(b", 1..2));
/// # Ok::<(), heist_matcher::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
}

/// What went wrong, for callers that decide by it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A pattern is not a regex of the default engine.
    Syntax(SyntaxError),
    /// A match would have to contain this byte, which ends lines.
    LineTerminator(u8),
    /// A match would have to contain a NUL byte although files that hold one count as binary.
    Nul,
    /// The compiled regex would take more than this many bytes.
    SizeLimit(usize),
    /// The line terminator is not ASCII, so that it could be part of a character.
    NonAsciiTerminator(u8),
    /// The engine refused for another reason: more groups or states than it can number.
    Engine(String),
    /// PCRE2 does not understand a pattern. The message has the offset in it.
    Pcre2(String),
    /// [`Engine::Pcre2`](crate::Engine::Pcre2) without the feature `pcre2`.
    NoPcre2,
    /// Neither engine could compile the patterns.
    Both {
        /// Why the default engine could not.
        default: Box<Error>,
        /// Why PCRE2 could not.
        pcre2: Box<Error>,
    },
    /// PCRE2 gave up within a haystack.
    Match(String),
}

/// A pattern that is not a regex, and the place of the mistake. Its `Display` shows both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    pub(crate) pattern: String,
    pub(crate) span: Range<usize>,
    pub(crate) reason: String,
    pub(crate) message: String,
}

impl SyntaxError {
    /// The pattern, as the caller gave it.
    #[must_use]
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// The bytes of the pattern that are wrong.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// What is wrong with them, in a few words.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error {
    pub(crate) fn new(kind: ErrorKind) -> Error {
        Error { kind }
    }

    /// This reason of the default engine and that of PCRE2, if there is PCRE2.
    pub(crate) fn beside(self, pcre2: Error) -> Error {
        match pcre2.kind {
            ErrorKind::NoPcre2 => self,
            _ => Error::new(ErrorKind::Both { default: Box::new(self), pcre2: Box::new(pcre2) }),
        }
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// The whole reason, with advice for the user of a program: a paragraph behind each reason for
    /// which `advice` returns one.
    ///
    /// ```
    /// use heist_matcher::{MatcherConfig, ErrorKind, Matcher};
    ///
    /// let error = Matcher::new([r"a\nb"], &MatcherConfig::default()).unwrap_err();
    /// let shown = error.with_advice(|kind| match kind {
    ///     ErrorKind::LineTerminator(_) => Some("Switch on multiline mode."),
    ///     _ => None,
    /// });
    /// assert!(shown.ends_with("is not allowed in a regex\n\nSwitch on multiline mode."));
    /// ```
    pub fn with_advice<'a>(&self, advice: impl Fn(&ErrorKind) -> Option<&'a str>) -> String {
        self.explain(&advice)
    }

    fn explain<'a>(&self, advice: &dyn Fn(&ErrorKind) -> Option<&'a str>) -> String {
        let reason = match &self.kind {
            ErrorKind::Syntax(error) => error.message.clone(),
            ErrorKind::Engine(text) | ErrorKind::Pcre2(text) | ErrorKind::Match(text) => {
                text.clone()
            }
            ErrorKind::LineTerminator(byte) => {
                let shown = char::from(*byte).to_string();
                format!("the literal {shown:?} is not allowed in a regex")
            }
            ErrorKind::Nul => r#"pattern contains "\0" but it is impossible to match"#.to_owned(),
            ErrorKind::SizeLimit(limit) => format!("compiled regex exceeds size limit of {limit}"),
            ErrorKind::NonAsciiTerminator(byte) => {
                format!("line terminator must be ASCII, but is the byte 0x{byte:02X}")
            }
            ErrorKind::NoPcre2 => "PCRE2 is not available in this build".to_owned(),
            ErrorKind::Both { default, pcre2 } => {
                let divider = "~".repeat(DIVIDER);
                let (default, pcre2) = (default.explain(advice), pcre2.explain(advice));
                format!(
                    "regex could not be compiled with either the default regex engine or with \
                    PCRE2.\n\ndefault regex engine error:\n{divider}\n{default}\n{divider}\n\n\
                    PCRE2 regex engine error:\n{pcre2}"
                )
            }
        };
        match advice(&self.kind) {
            Some(advice) => format!("{reason}\n\n{advice}"),
            None => reason,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.with_advice(|_| None))
    }
}

impl std::error::Error for Error {}
