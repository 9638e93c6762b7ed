//! File types: names for lists of base-name globs.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    error::Error,
    ignore_file::Line,
    pattern::ParseOptions,
    rules::{Builder, RuleSet},
};

/// The table of file types, as the command line changes it, and what it selects. Changes apply in
/// the order of the calls.
#[derive(Clone, Debug)]
pub struct TypeTable {
    types: BTreeMap<String, Vec<String>>,
    selected: Vec<Choice>,
}

/// One type: its name and its globs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeDefinition {
    /// Its name.
    pub name: String,
    /// Its globs, sorted.
    pub globs: Vec<String>,
}

#[derive(Clone, Debug)]
struct Choice {
    name: String,
    is_negated: bool,
}

/// The types that were asked for or excluded, resolved.
#[derive(Clone, Debug, Default)]
pub struct TypeSelection {
    pub(crate) selected: Option<Arc<SelectedTypes>>,
}

/// A selection that is not empty.
#[derive(Debug)]
pub(crate) struct SelectedTypes {
    /// The globs of all types chosen, in order; a rule's line is the choice it belongs to.
    pub(crate) rules: RuleSet,
    names: Vec<String>,
    /// At least one type is selected, so that files of no type chosen are unwanted.
    pub(crate) includes: bool,
}

impl Default for TypeTable {
    fn default() -> TypeTable {
        TypeTable::new()
    }
}

impl TypeTable {
    /// The default table, which is that of the crate `ignore`, with nothing selected.
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

    /// Add to the table what `--type-add` says: `name:glob`, or `name:include:other,names`.
    ///
    /// # Errors
    /// It says neither, or the name is not made of letters and digits, or is `all`, or a type to
    /// be included does not exist.
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

    /// Forget the globs of a type; one that does not exist is fine.
    pub fn clear(&mut self, name: &str) {
        self.types.remove(name);
    }

    /// Restrict the search to files of a type, or of any type there is now if it is `all`.
    pub fn select(&mut self, name: &str) {
        self.choose(name, false);
    }

    /// Leave out files of a type, or of any type there is now if it is `all`.
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

    /// All types, sorted by name.
    #[must_use]
    pub fn definitions(&self) -> Vec<TypeDefinition> {
        let definition = |(name, globs): (&String, &Vec<String>)| {
            let mut globs = globs.clone();
            globs.sort_unstable();
            TypeDefinition { name: name.clone(), globs }
        };
        self.types.iter().map(definition).collect()
    }

    /// What was chosen, resolved against the table as it is now.
    ///
    /// # Errors
    /// A type chosen does not exist, or one of its globs cannot be read.
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
        let selected = SelectedTypes {
            rules: compile(&globs)?,
            names: self.selected.iter().map(|choice| choice.name.clone()).collect(),
            includes: self.selected.iter().any(|choice| !choice.is_negated),
        };
        Ok(TypeSelection { selected: Some(Arc::new(selected)) })
    }
}

/// Rules from globs, each with its choice and whether that is a negated one.
fn compile(globs: &[(u32, bool, &str)]) -> Result<RuleSet, Error> {
    let source = globs.iter().map(|(_, _, glob)| *glob).collect::<Vec<_>>().concat();
    let mut builder = Builder::new(source.as_bytes(), ParseOptions::argument(false));
    let mut start = 0;
    for &(number, is_negated, glob) in globs {
        let range = start..start + glob.len();
        start = range.end;
        // A type's glob has to match the whole of the base name, as if that were a path.
        let line = Line {
            number,
            text: range.clone(),
            glob: range,
            is_whitelist: !is_negated,
            is_only_dir: false,
            is_path: true,
        };
        builder
            .add(&line)
            .map_err(|reason| Error(format!("error parsing glob '{glob}': {reason}")))?;
    }
    Ok(builder.finish())
}

impl TypeSelection {
    /// Whether no type was asked for or excluded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.selected.is_none()
    }
}

impl SelectedTypes {
    /// The name of a choice, by its position.
    pub(crate) fn name(&self, choice: u32) -> &str {
        self.names.get(choice as usize).map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests;
