//! What a search has shown, what it left out, and why.

use heist::Cut;
use napi_derive::napi;

use crate::{
    problem::Problem,
    text::{PathValue, path_value},
};

/// How much a search has shown, what it left out, and where the next page begins.
#[napi(object, object_from_js = false)]
pub struct Account {
    /// Lines that were shown.
    pub results: f64,
    /// Files that they are in.
    pub files: f64,
    /// Files that were searched.
    pub files_searched: f64,
    /// Lines that were passed over.
    pub offset: f64,
    /// What ended the search early.
    pub cut: Option<&'static str>,
    /// Where the next page begins.
    pub next: Option<f64>,
    /// Paths that could not be read.
    pub errors: Vec<Problem>,
    /// What was left out.
    pub skipped: Vec<SkippedEntry>,
    /// How many more were left out.
    pub skipped_more: f64,
}

/// A file or directory that was left out.
#[napi(object, object_from_js = false)]
pub struct SkippedEntry {
    /// The path.
    pub path: PathValue,
    /// The reason in a word.
    pub kind: &'static str,
    /// The reason.
    pub why: String,
}

impl From<&heist::Shown> for Account {
    fn from(shown: &heist::Shown) -> Account {
        let skipped = shown.skipped.entries.iter().map(|entry| SkippedEntry {
            path: path_value(&entry.path),
            kind: entry.kind.name(),
            why: entry.why.clone(),
        });
        Account {
            results: shown.results as f64,
            files: shown.files as f64,
            files_searched: shown.files_searched as f64,
            offset: shown.offset as f64,
            cut: shown.cut.map(Cut::name),
            next: shown.next.map(|next| next as f64),
            errors: shown.errors.iter().map(Problem::from).collect(),
            skipped: skipped.collect(),
            skipped_more: shown.skipped.more as f64,
        }
    }
}
