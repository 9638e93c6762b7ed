//! The variables in git's configuration that the environment sets.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use crate::path_bytes::bytes_of;

/// A variable and its value, which may be missing.
type Variable = (Vec<u8>, Option<Vec<u8>>);

/// Returns the variables that the environment sets, in order. Where git rejects one, the rest is
/// ignored.
///
/// ```text
/// GIT_CONFIG_COUNT=1  GIT_CONFIG_KEY_0=core.excludesFile  GIT_CONFIG_VALUE_0=~/ignore
/// GIT_CONFIG_PARAMETERS='core.excludesFile'='~/ignore'
/// ```
pub(crate) fn variables(environment: &impl Fn(&str) -> Option<OsString>) -> Vec<Variable> {
    let value = |name: &str| {
        environment(name).map(|value| bytes_of(Path::new(&PathBuf::from(value))).into_owned())
    };
    let numbered = |kind: &str, number: usize| value(&format!("GIT_CONFIG_{kind}_{number}"));
    let count =
        value("GIT_CONFIG_COUNT").and_then(|count| std::str::from_utf8(&count).ok()?.parse().ok());
    let mut variables: Vec<Variable> = (0..count.unwrap_or(0))
        .map_while(|number| Some((numbered("KEY", number)?, Some(numbered("VALUE", number)?))))
        .collect();
    if let Some(parameters) = value("GIT_CONFIG_PARAMETERS") {
        let mut rest = parameters.trim_ascii_start();
        while let Some((variable, behind)) = parameter(rest) {
            variables.push(variable);
            rest = behind.trim_ascii_start();
        }
    }
    variables
}

/// Reads one variable from `GIT_CONFIG_PARAMETERS`, and returns what follows it. Git before 2.31
/// writes `'name=value'`.
fn parameter(text: &[u8]) -> Option<(Variable, &[u8])> {
    let (name, rest) = unquote(text)?;
    match rest.strip_prefix(b"=") {
        Some(rest) if rest.starts_with(b"'") => {
            let (value, rest) = unquote(rest)?;
            Some(((name, Some(value)), rest))
        }
        Some(rest) => Some(((name, None), rest)),
        None => Some((
            match memchr::memchr(b'=', &name) {
                Some(at) => (name[..at].to_vec(), Some(name[at + 1..].to_vec())),
                None => (name, None),
            },
            rest,
        )),
    }
}

/// Reads a word in single quotes, in which `'\''` stands for a quote and `'\!'` for a `!`.
fn unquote(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut rest = text.strip_prefix(b"'")?;
    let mut word = Vec::new();
    loop {
        let end = memchr::memchr(b'\'', rest)?;
        word.extend_from_slice(&rest[..end]);
        rest = &rest[end + 1..];
        match rest {
            [b'\\', escaped @ (b'\'' | b'!'), b'\'', behind @ ..] => {
                word.push(*escaped);
                rest = behind;
            }
            _ => return Some((word, rest)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The variables that an environment sets, as text.
    fn found(environment: &[(&str, &str)]) -> Vec<String> {
        let value = |name: &str| {
            environment.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
        };
        let show = |(name, value): Variable| {
            let [name, value] = [Some(name), value].map(|bytes| {
                bytes.map_or("-".into(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
            });
            format!("{name}: {value}")
        };
        variables(&value).into_iter().map(show).collect()
    }

    #[test]
    fn numbered_variables_end_with_their_count_or_the_first_gap() {
        let numbered = [
            ("GIT_CONFIG_KEY_0", "a.b"),
            ("GIT_CONFIG_VALUE_0", "c"),
            ("GIT_CONFIG_KEY_1", "d.e"),
            ("GIT_CONFIG_VALUE_1", ""),
            ("GIT_CONFIG_KEY_2", "f.g"),
        ];
        let counted = |count| found(&[&[("GIT_CONFIG_COUNT", count)], &numbered[..]].concat());
        assert_eq!(counted("1"), ["a.b: c"]);
        assert_eq!(counted("9"), ["a.b: c", "d.e: "]);
        assert!(counted("x").is_empty() && counted("-1").is_empty() && found(&numbered).is_empty());
    }

    #[test]
    fn parameters_of_git_are_unquoted() {
        let parameters = |text| found(&[("GIT_CONFIG_PARAMETERS", text)]);
        assert_eq!(
            parameters(r"'a.b'='c d' 'e.f'='it'\''s'\!'' 'g.h'= 'i.j=k=l' 'm.n'"),
            ["a.b: c d", "e.f: it's!", "g.h: -", "i.j: k=l", "m.n: -"]
        );
        assert_eq!(parameters("'a.b'='c' rubbish 'd.e'='f'"), ["a.b: c"]);
        assert!(parameters("'open").is_empty() && parameters("").is_empty());
    }
}
