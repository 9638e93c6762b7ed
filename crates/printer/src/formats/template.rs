//! The values of `--format`: text with variables in braces.

use std::{fmt, str::FromStr};

use bstr::ByteVec as _;

use crate::value::braces::{self, BraceError};

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TemplatePart {
    Text(Vec<u8>),
    Variable(Variable),
}

/// What a variable stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variable {
    Path,
    Line,
    EndLine,
    Column,
    EndColumn,
    Offset,
    EndOffset,
    Match,
    Text,
    Count,
    Pattern,
}

impl Variable {
    fn named(name: &str) -> Result<Variable, TemplateError> {
        let variable = VARIABLES.iter().find(|(known, _)| *known == name);
        Ok(variable.ok_or_else(|| TemplateError::Variable(name.to_owned()))?.1)
    }
}

/// The names of the variables.
const VARIABLES: [(&str, Variable); 11] = [
    ("path", Variable::Path),
    ("line", Variable::Line),
    ("end-line", Variable::EndLine),
    ("column", Variable::Column),
    ("end-column", Variable::EndColumn),
    ("offset", Variable::Offset),
    ("end-offset", Variable::EndOffset),
    ("match", Variable::Match),
    ("pattern", Variable::Pattern),
    ("text", Variable::Text),
    ("count", Variable::Count),
];

/// What is printed for each match or line. Braces that are doubled stand for themselves, and text
/// has the escapes that separators have: `\t`, `\n`, `\0`, `\\`, `\xHH`.
///
/// # Examples
///
/// ```
/// use heist_printer::Template;
///
/// let template: Template = r"{path}\t{line}\t{{{match}}}".parse()?;
/// assert!(template.has_lines());
/// assert!("{nose}".parse::<Template>().is_err());
/// # Ok::<(), heist_printer::TemplateError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    parts: Vec<TemplatePart>,
}

impl Template {
    pub(crate) fn parts(&self) -> &[TemplatePart] {
        &self.parts
    }

    /// Whether line numbers are printed, so that the searcher must count lines.
    #[must_use]
    pub fn has_lines(&self) -> bool {
        self.has(&[Variable::Line, Variable::EndLine])
    }

    /// Whether the labels of patterns are printed, which
    /// [`patterns`](crate::PrinterConfig::patterns) has.
    #[must_use]
    pub fn has_patterns(&self) -> bool {
        self.has(&[Variable::Pattern])
    }

    /// Whether matches are printed one by one: a variable is about a match. Otherwise lines are.
    pub(crate) fn is_per_match(&self) -> bool {
        use Variable::{Column, EndColumn, EndLine, EndOffset, Match, Offset, Pattern};
        self.has(&[Column, EndColumn, EndLine, EndOffset, Match, Offset, Pattern])
    }

    /// Whether the matches of lines must be known.
    pub(crate) fn needs_matches(&self) -> bool {
        self.is_per_match() || self.has(&[Variable::Count])
    }

    /// Whether the lines or columns of matches are printed.
    pub(crate) fn needs_places(&self) -> bool {
        use Variable::{Column, EndColumn, EndLine, Line, Text};
        self.has(&[Column, EndColumn, EndLine, Line, Text])
    }

    fn has(&self, variables: &[Variable]) -> bool {
        let has = |part: &TemplatePart| matches!(part, TemplatePart::Variable(found) if variables.contains(found));
        self.parts.iter().any(has)
    }
}

impl FromStr for Template {
    type Err = TemplateError;

    fn from_str(text: &str) -> Result<Template, TemplateError> {
        let mut parts = Vec::new();
        for part in braces::parts(text) {
            parts.push(match part? {
                braces::BracePart::Text(text) => TemplatePart::Text(Vec::unescape_bytes(&text)),
                braces::BracePart::Variable(name) => TemplatePart::Variable(Variable::named(name)?),
            });
        }
        Ok(Template { parts })
    }
}

/// Why a template is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplateError {
    /// An opening brace is not closed.
    NotClosed,
    /// A closing brace has not been opened.
    NotOpened,
    /// No variable has this name.
    Variable(String),
}

impl From<BraceError> for TemplateError {
    fn from(error: BraceError) -> TemplateError {
        match error {
            BraceError::NotOpened => TemplateError::NotOpened,
            BraceError::NotClosed => TemplateError::NotClosed,
        }
    }
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TemplateError::NotClosed => f.write_str("a variable is not closed; write {{ for {"),
            TemplateError::NotOpened => f.write_str("a closing brace is alone; write }} for }"),
            TemplateError::Variable(name) => {
                let known = VARIABLES.map(|(known, _)| known).join(", ");
                write!(f, "there is no variable {{{name}}}; there are {known}")
            }
        }
    }
}

impl std::error::Error for TemplateError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_consist_of_text_and_variables() {
        let parts = |text: &str| text.parse::<Template>().map(|template| template.parts);
        let text = |text: &[u8]| TemplatePart::Text(text.to_vec());
        let match_ = || TemplatePart::Variable(Variable::Match);
        assert_eq!(parts(""), Ok(vec![]));
        assert_eq!(parts(r"a\t\x41{{}}"), Ok(vec![text(b"a\tA{}")]));
        assert_eq!(
            parts("{match}{{{match}}}"),
            Ok(vec![match_(), text(b"{"), match_(), text(b"}")])
        );
        assert_eq!(parts("a{match"), Err(TemplateError::NotClosed));
        assert_eq!(parts("a}"), Err(TemplateError::NotOpened));
        assert_eq!(parts("{}"), Err(TemplateError::Variable(String::new())));
        assert_eq!(parts("{Line}"), Err(TemplateError::Variable("Line".to_owned())));
    }
}
