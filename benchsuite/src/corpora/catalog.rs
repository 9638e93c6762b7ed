//! The corpora, as data: adding one is adding a row to `catalog.toml` and its recipe here.

use std::{io, sync::LazyLock};

use serde::Deserialize;

use crate::corpora::order::Order;
use crate::corpora::{debian, recipes, sample};
use crate::files::unknown;

/// A corpus that can be made; the head of the table explains its fields.
#[derive(Debug, Deserialize)]
pub(super) struct CatalogEntry {
    pub(super) name: String,
    recipe: Recipe,
    pub(super) about: String,
    pub(super) bytes: u64,
    pub(super) inodes: u64,
    pub(super) option: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Recipe {
    Sample,
    Zipped,
    Debian,
    Wide,
    Flat,
    Big,
}

/// The table `catalog.toml`.
#[derive(Deserialize)]
struct Catalog {
    corpus: Vec<CatalogEntry>,
}

static TABLE: LazyLock<Catalog> = LazyLock::new(|| {
    toml::from_str(include_str!("catalog.toml")).expect("a test has read the corpora")
});

impl CatalogEntry {
    /// Makes the tree or file [`Order::target`].
    pub(super) fn make(&self, order: &Order<'_>) -> io::Result<()> {
        match self.recipe {
            Recipe::Sample => sample::make(order),
            Recipe::Zipped => recipes::make_zipped(order),
            Recipe::Debian => debian::make(&self.name, order),
            Recipe::Wide => recipes::make_wide(order),
            Recipe::Flat => recipes::make_flat(order),
            Recipe::Big => recipes::make_big(order),
        }
    }

    /// Whether this option of `corpora make` applies to it.
    pub(super) fn takes(&self, option: &str) -> bool {
        self.option.as_deref() == Some(option)
    }
}

/// Every corpus.
pub(super) fn catalog() -> &'static [CatalogEntry] {
    &TABLE.corpus
}

/// The corpus called `name`; the error of an unknown name lists the known ones.
pub(super) fn find(name: &str) -> io::Result<&'static CatalogEntry> {
    let names = catalog().iter().map(|entry| &*entry.name);
    let found = catalog().iter().find(|entry| entry.name == name);
    found.ok_or_else(|| unknown("corpus", name, names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corpora_have_distinct_names_and_sizes() {
        for (number, entry) in catalog().iter().enumerate() {
            assert!(entry.bytes > 0 && entry.inodes > 0, "{entry:?}");
            assert!(catalog()[..number].iter().all(|one| one.name != entry.name), "{entry:?}");
        }
    }
}
