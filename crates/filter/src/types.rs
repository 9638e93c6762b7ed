//! File types: names for lists of globs.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use crate::{
    error::Error,
    ignore_file::{Line, ParseOptions},
    rules::RuleSet,
};

/// The table of file types, and which ones are selected. Changes apply in the order in which they
/// are made.
///
/// ```
/// use heist_filter::{FilterConfig, TypeTable};
///
/// let mut table = TypeTable::new();
/// table.add("web:*.{html,css}")?;
/// table.select("web");
/// let config = FilterConfig { types: table.selection()?, ..FilterConfig::default() };
/// # Ok::<(), heist_filter::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TypeTable {
    types: BTreeMap<String, Vec<String>>,
    selected: Vec<Choice>,
}

/// A file type: its name and its globs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeDefinition {
    /// The name.
    pub name: String,
    /// The globs, sorted.
    pub globs: Vec<String>,
}

#[derive(Clone, Debug)]
struct Choice {
    name: String,
    is_negated: bool,
}

/// The selected and excluded types, compiled. See [`TypeTable::selection`].
#[derive(Clone, Debug, Default)]
pub struct TypeSelection {
    pub(crate) selected: Option<Arc<SelectedTypes>>,
}

/// A selection that is not empty.
#[derive(Debug)]
pub(crate) struct SelectedTypes {
    /// The globs of all choices, in order. A rule's line is the index of its choice.
    pub(crate) rules: RuleSet,
    names: Vec<String>,
    /// Whether a type is selected, so that files of no selected type are unwanted.
    pub(crate) includes: bool,
}

impl Default for TypeTable {
    fn default() -> TypeTable {
        TypeTable::new()
    }
}

impl TypeTable {
    /// Returns the default table, which the crate `ignore` defines, with nothing selected.
    #[must_use]
    pub fn new() -> TypeTable {
        let mut builder = ignore::types::TypesBuilder::new();
        builder.add_defaults();
        let types = builder
            .definitions()
            .into_iter()
            .map(|definition| (definition.name().to_owned(), definition.globs().to_vec()))
            .collect();
        TypeTable { types, selected: Vec::new() }
    }

    /// Adds a definition to the table: `name:glob`, or `name:include:other,names`.
    ///
    /// # Errors
    /// The definition has neither form, the name is `all` or does not consist of letters and
    /// digits, or an included type does not exist.
    pub fn add(&mut self, definition: &str) -> Result<(), Error> {
        let invalid =
            || Error("invalid definition (format is type:glob, e.g., html:*.html)".to_owned());
        let parts: Vec<&str> = definition.split(':').collect();
        let (name, globs) = match parts[..] {
            [name, glob] if !glob.is_empty() => (name, vec![glob.to_owned()]),
            [name, "include", others] => {
                let globs: Option<Vec<_>> =
                    others.split(',').map(|other| self.types.get(other).cloned()).collect();
                (name, globs.ok_or_else(invalid)?.concat())
            }
            _ => return Err(invalid()),
        };
        if name.is_empty() || name == "all" || !name.chars().all(char::is_alphanumeric) {
            return Err(invalid());
        }
        self.types.entry(name.to_owned()).or_default().extend(globs);
        Ok(())
    }

    /// Removes a type, if it exists.
    pub fn clear(&mut self, name: &str) {
        self.types.remove(name);
    }

    /// Selects a type, or all types of the table if `name` is `all`. Files that have no selected
    /// type become unwanted.
    pub fn select(&mut self, name: &str) {
        self.choose(name, false);
    }

    /// Excludes a type, or all types of the table if `name` is `all`.
    pub fn negate(&mut self, name: &str) {
        self.choose(name, true);
    }

    fn choose(&mut self, name: &str, is_negated: bool) {
        if name == "all" {
            let all = self.types.keys().cloned();
            self.selected.extend(all.map(|name| Choice { name, is_negated }));
        } else {
            self.selected.push(Choice { name: name.to_owned(), is_negated });
        }
    }

    /// Returns all types, sorted by name.
    #[must_use]
    pub fn definitions(&self) -> Vec<TypeDefinition> {
        let definition = |(name, globs): (&String, &Vec<String>)| {
            let mut globs = globs.clone();
            globs.sort_unstable();
            TypeDefinition { name: name.clone(), globs }
        };
        self.types.iter().map(definition).collect()
    }

    /// Compiles the selected and excluded types with the globs that the table has now.
    ///
    /// # Errors
    /// A type does not exist, or one of its globs is malformed.
    pub fn selection(&self) -> Result<TypeSelection, Error> {
        if self.selected.is_empty() {
            return Ok(TypeSelection::default());
        }
        let mut globs = Vec::new();
        for (index, choice) in (0..).zip(&self.selected) {
            let Some(of_type) = self.types.get(&choice.name) else {
                return Err(Error(format!("unrecognized file type: {}", choice.name)));
            };
            globs.extend(of_type.iter().map(|glob| (index, choice.is_negated, glob.as_str())));
        }
        // The glob of a type matches the whole name, as if that were a path.
        let line = |_: &[u8], index: usize, glob: Range<usize>| {
            let (number, is_negated, _) = globs[index];
            let (text, is_whitelist) = (glob.clone(), !is_negated);
            Some(Line { number, text, glob, is_whitelist, is_only_dir: false, is_path: true })
        };
        let texts = globs.iter().map(|(_, _, glob)| *glob);
        let selected = SelectedTypes {
            rules: RuleSet::of_globs(texts, ParseOptions::argument(false), line)?,
            names: self.selected.iter().map(|choice| choice.name.clone()).collect(),
            includes: self.selected.iter().any(|choice| !choice.is_negated),
        };
        Ok(TypeSelection { selected: Some(Arc::new(selected)) })
    }
}

impl TypeSelection {
    /// Returns whether no type is selected or excluded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.selected.is_none()
    }
}

impl SelectedTypes {
    /// Returns the name of the choice with this index.
    pub(crate) fn name(&self, choice: u32) -> &str {
        self.names.get(choice as usize).map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests;
