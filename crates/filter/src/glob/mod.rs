//! Globs on bytes. Two dialects, git's and ripgrep's, are parsed into the same tokens.

mod byte_set;
mod git;
mod matcher;
mod ripgrep;
mod token;

pub(crate) use byte_set::ByteSet;
pub(crate) use git::{matches_path, tokens as git_tokens};
pub(crate) use matcher::Glob;
pub(crate) use ripgrep::{Scan, tokens as ripgrep_tokens};
pub(crate) use token::{LetterCase, Token};

#[cfg(test)]
mod tests;
