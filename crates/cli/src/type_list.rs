//! `--type-list`: prints every file type with its globs.

use heist_filter::TypeDefinition;

/// Returns one line per type.
pub(crate) fn text(types: &[TypeDefinition]) -> String {
    let line = |one: &TypeDefinition| format!("{}: {}\n", one.name, one.globs.join(", "));
    types.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_holds_name_and_globs() {
        let definition = |name: &str, globs: &[&str]| TypeDefinition {
            name: name.to_owned(),
            globs: globs.iter().map(ToString::to_string).collect(),
        };
        let types = [definition("c", &["*.[chH]", "*.cats"]), definition("md", &["*.md"])];
        assert_eq!(text(&types), "c: *.[chH], *.cats\nmd: *.md\n");
        assert_eq!(text(&[]), "");
    }
}
