//! Ignore rules, for paths that the caller has.

use std::path::PathBuf;

use napi::bindgen_prelude::Either;
use napi_derive::napi;

use crate::{
    problem::{Failure, Problem},
    text::{GivenPath, PathValue, path_of, path_value},
};

/// The ignore rules of a tree.
#[napi]
pub struct NativeIgnore {
    rules: heist::Ignore,
}

/// The rule that makes a path ignored.
#[napi(object, object_from_js = false)]
pub struct Rule {
    /// What the rule matches, relative to the root.
    pub path: PathValue,
    /// The file with the rule.
    pub source: PathValue,
    /// The number of the rule's line.
    pub line: u32,
    /// The rule as it is written.
    pub rule: String,
}

/// The rules of the tree at `root`: those of `git`, or of a `search`.
#[napi(catch_unwind)]
pub fn ignore(root: GivenPath, rules: String) -> Either<NativeIgnore, Failure> {
    let root = path_of(&root);
    let rules = match rules.as_str() {
        "git" => heist::Ignore::new(&root),
        "search" => heist::Ignore::of_search(&root),
        other => {
            let message = format!("rules are those of 'git' or of a 'search', not '{other}'");
            return Either::B(Problem::of_argument(message).into());
        }
    };
    match rules {
        Ok(rules) => Either::A(NativeIgnore { rules }),
        Err(error) => Either::B(error.into()),
    }
}

#[napi]
impl NativeIgnore {
    /// Which of `paths` a rule ignores, itself or a directory above it.
    #[napi(catch_unwind)]
    pub fn are_ignored(&mut self, paths: Vec<GivenPath>) -> Either<Vec<bool>, Failure> {
        let paths: Vec<PathBuf> = paths.iter().map(path_of).collect();
        match self.rules.are_ignored(&paths) {
            Ok(ignored) => Either::A(ignored),
            Err(error) => Either::B(error.into()),
        }
    }

    /// The rule that ignores `path`, if one does.
    #[napi(catch_unwind)]
    pub fn why(&mut self, path: GivenPath) -> Either<Option<Rule>, Failure> {
        match self.rules.why(path_of(&path)) {
            Ok(by) => Either::A(by.map(|by| Rule {
                path: path_value(&by.path),
                source: path_value(&by.source),
                line: by.line,
                rule: by.rule,
            })),
            Err(error) => Either::B(error.into()),
        }
    }
}
