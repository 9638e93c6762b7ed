//! Where patterns and paths come from, and values of the form `NAME:PATTERN`.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
};

/// A source of patterns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PatternSource {
    /// `-e`.
    Text(String),
    /// `-f`; the path `-` is standard input.
    File(PathBuf),
    /// `--pattern`.
    Labeled(LabeledPattern),
    /// `--patterns-from`; likewise.
    LabeledFile(PathBuf),
}

/// A pattern and its label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LabeledPattern {
    pub(crate) label: String,
    pub(crate) pattern: String,
}

impl FromStr for LabeledPattern {
    type Err = String;

    fn from_str(text: &str) -> Result<LabeledPattern, String> {
        match text.split_once(':') {
            Some((label, pattern)) if !label.is_empty() => {
                Ok(LabeledPattern { label: label.to_owned(), pattern: pattern.to_owned() })
            }
            _ => Err(format!(
                "'{text}' is not of the form LABEL:PATTERN, such as error:panic|unwrap"
            )),
        }
    }
}

/// A file that lists paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathList {
    /// The path of the list; `-` is standard input.
    pub(crate) path: PathBuf,
    /// The byte that ends each path.
    pub(crate) terminator: u8,
}

impl PathList {
    /// The flag that names the list.
    pub(crate) fn flag(&self) -> &'static str {
        if self.terminator == b'\0' { "--files0-from" } else { "--files-from" }
    }

    /// Whether standard input is the list.
    pub(crate) fn is_stdin(&self) -> bool {
        self.path == Path::new("-")
    }
}

/// What lines begin functions in files of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FunctionPattern {
    pub(crate) type_name: String,
    /// The pattern, which excludes lines if `!` precedes it.
    pub(crate) regex: String,
}

impl FromStr for FunctionPattern {
    type Err = String;

    fn from_str(text: &str) -> Result<FunctionPattern, String> {
        let (name, regex) = text.split_once(':').unwrap_or_default();
        if name.is_empty() || regex.is_empty() || regex == "!" {
            return Err(format!("'{text}' is not of the form TYPE:REGEX, such as rust:^fn"));
        }
        Ok(FunctionPattern { type_name: name.to_owned(), regex: regex.to_owned() })
    }
}
