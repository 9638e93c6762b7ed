//! The file types that `-t`, `-T`, `--type-add` and `--type-clear` define and select.

use heist_filter::{TypeDefinition, TypeSelection, TypeTable};

use crate::{
    error::{Error, similar},
    typed::{Mode, TypeChange, TypedArgs},
};

/// Names that select a type where no type is called so: the extension, or the name in other
/// programs.
const ALIASES: [(&str, &str); 12] = [
    ("bash", "sh"),
    ("c++", "cpp"),
    ("golang", "go"),
    ("javascript", "js"),
    ("jsx", "js"),
    ("kt", "kotlin"),
    ("pl", "perl"),
    ("rb", "ruby"),
    ("rs", "rust"),
    ("shell", "sh"),
    ("tsx", "ts"),
    ("yml", "yaml"),
];

/// The types to list, none unless `--type-list` is given, and the selection.
///
/// Example: `-t rs` selects what `-t rust` does, unless `--type-add` defines a type `rs`.
///
/// # Errors
/// A type is unknown, or its definition is invalid.
pub(super) fn resolve(typed: &TypedArgs) -> Result<(Vec<TypeDefinition>, TypeSelection), Error> {
    // Making the table takes longer than searching a small tree.
    if typed.types.is_empty() && typed.mode != Mode::TypeList {
        return Ok(Default::default());
    }
    let table = table(typed, None)?;
    let selection = table.selection().or_else(|_| {
        let known = table.definitions();
        let resolved = self::table(typed, Some(&known))?;
        resolved.selection().map_err(|error| explain(error, typed, &known))
    })?;
    let is_list = typed.mode == Mode::TypeList;
    Ok((if is_list { table.definitions() } else { Vec::new() }, selection))
}

/// The flags that select and exclude types, as they may be typed: `-t js`.
pub(super) fn flags(typed: &TypedArgs) -> Vec<String> {
    let flag = |change: &TypeChange| match change {
        TypeChange::Select(name) => Some(format!("-t {name}")),
        TypeChange::Negate(name) => Some(format!("-T {name}")),
        TypeChange::Add(_) | TypeChange::Clear(_) => None,
    };
    typed.types.iter().filter_map(flag).collect()
}

/// Returns the types, as the flags define them, to which something else than `-t` refers.
pub(super) fn definitions(typed: &TypedArgs) -> Result<Vec<TypeDefinition>, Error> {
    Ok(table(typed, None)?.definitions())
}

/// The type `name`, which may be an alias, for `flag`.
///
/// # Errors
/// The type is unknown.
pub(super) fn find<'a>(
    flag: &str,
    name: &str,
    known: &'a [TypeDefinition],
) -> Result<&'a TypeDefinition, Error> {
    let named = |name| known.iter().find(|definition| definition.name == name);
    let found = named(name).or_else(|| named(alias(name)?));
    found.ok_or_else(|| unknown(&format!("{flag}: unrecognized file type: {name}"), name, known))
}

/// The table; if the `known` types are given, with their aliases in place of unknown types.
fn table(typed: &TypedArgs, known: Option<&[TypeDefinition]>) -> Result<TypeTable, Error> {
    let target = |name| match known {
        Some(known) if !is_known(name, known) => alias(name).unwrap_or(name),
        _ => name,
    };
    let mut table = TypeTable::new();
    for change in &typed.types {
        match change {
            TypeChange::Select(name) => table.select(target(name.as_str())),
            TypeChange::Negate(name) => table.negate(target(name.as_str())),
            TypeChange::Clear(name) => table.clear(name),
            TypeChange::Add(definition) => table.add(definition)?,
        }
    }
    Ok(table)
}

fn is_known(name: &str, known: &[TypeDefinition]) -> bool {
    name == "all" || known.iter().any(|definition| definition.name == name)
}

fn alias(name: &str) -> Option<&'static str> {
    ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, target)| *target)
}

/// `error` with a suggestion, if it is about a type that does not exist.
fn explain(error: heist_filter::Error, typed: &TypedArgs, known: &[TypeDefinition]) -> Error {
    let unknown = typed.types.iter().find_map(|change| match change {
        TypeChange::Select(name) | TypeChange::Negate(name) => {
            (!is_known(name, known) && alias(name).is_none()).then_some(name)
        }
        _ => None,
    });
    match unknown {
        Some(name) => self::unknown(&error.to_string(), name, known),
        None => error.into(),
    }
}

/// The error that no type is called `name`, with a suggestion.
fn unknown(message: &str, name: &str, known: &[TypeDefinition]) -> Error {
    let like = similar(name, known.iter().map(|definition| definition.name.as_str()));
    let like = like.map(|like| format!("; similar: {like}")).unwrap_or_default();
    Error::new(format!("{message} (accepted: the types that --type-list prints{like})"))
}
