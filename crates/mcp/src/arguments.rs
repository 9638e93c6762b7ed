//! A call's arguments, as clients really send them: integers as `2.0` or `"2"`, `null` for what is
//! not given, a lone text in place of a list, a list or an object as JSON in a text.

use std::{borrow::Cow, collections::BTreeMap, fmt::Write as _};

use serde_json::{Map, Value};

use crate::param::{Param, ParamKind};

/// How many bytes a text may have. The system limits a program's arguments; Linux each to 128 KiB.
pub(crate) const MAX_TEXT: usize = if cfg!(windows) { 24 << 10 } else { (128 << 10) - 64 };

/// How many bytes all texts may have together. The system limits a program's arguments together as
/// well.
const MAX_TEXTS: usize = if cfg!(windows) { 24 << 10 } else { 768 << 10 };

/// How many characters of a value an error quotes.
const MAX_QUOTED: usize = 60;

/// A parameter's value.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Given {
    Text(String),
    List(Vec<String>),
    On(bool),
    Number(u64),
}

/// The values of the parameters that a call has. Other parameters have their defaults.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    given: BTreeMap<&'static str, Given>,
}

impl Arguments {
    /// Reads the values for `params`.
    ///
    /// # Errors
    /// A value is nonsense, a required one is missing, or there is no such parameter. The message
    /// names the parameter.
    pub(crate) fn read<'a>(
        tool: &str,
        mut params: impl Iterator<Item = &'a Param> + Clone,
        values: Map<String, Value>,
    ) -> Result<Arguments, String> {
        let mut given = BTreeMap::new();
        for (name, value) in values {
            let Some(param) = params.clone().find(|param| param.name == name) else {
                let known: Vec<&str> = params.map(|param| param.name).collect();
                return Err(format!("unknown parameter {name}; {tool} has {}", known.join(", ")));
            };
            if let Some(value) = read(param, &value)? {
                given.insert(param.name, value);
            }
        }
        let missing = |param: &&Param| param.is_required && !given.contains_key(param.name);
        if let Some(param) = params.find(missing) {
            return Err(format!("{}: missing; it is required", param.name));
        }
        let arguments = Arguments { given };
        arguments.check_texts()?;
        Ok(arguments)
    }

    /// Checks that the texts can be passed to a program as arguments.
    fn check_texts(&self) -> Result<(), String> {
        let mut total = 0;
        for (name, value) in &self.given {
            let texts = match value {
                Given::Text(text) => std::slice::from_ref(text),
                Given::List(list) => list,
                Given::On(_) | Given::Number(_) => continue,
            };
            for text in texts {
                if text.contains('\0') {
                    let advice = match *name {
                        "pattern" => "; a regular expression has \\x00 for it",
                        _ => "",
                    };
                    return Err(format!("{name}: contains a NUL character{advice}"));
                }
                if text.len() > MAX_TEXT {
                    let len = text.len();
                    return Err(format!("{name}: too long: {len} bytes, of at most {MAX_TEXT}"));
                }
                total += text.len() + 16;
            }
            if total > MAX_TEXTS {
                return Err(format!(
                    "{name}: too long: the texts of a call may have {MAX_TEXTS} bytes"
                ));
            }
        }
        Ok(())
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        match self.given.get(name) {
            Some(Given::Text(text)) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn list(&self, name: &str) -> &[String] {
        match self.given.get(name) {
            Some(Given::List(list)) => list,
            _ => &[],
        }
    }

    /// Whether a switch is on; `None` if it is not given.
    pub(crate) fn switch(&self, name: &str) -> Option<bool> {
        match self.given.get(name) {
            Some(Given::On(is_on)) => Some(*is_on),
            _ => None,
        }
    }

    pub(crate) fn is_on(&self, name: &str) -> bool {
        self.switch(name) == Some(true)
    }

    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        match self.given.get(name) {
            Some(Given::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// Whether the call has a value for `name` that is not empty.
    pub(crate) fn has(&self, name: &str) -> bool {
        match self.given.get(name) {
            None => false,
            Some(Given::List(list)) => !list.is_empty(),
            Some(Given::On(is_on)) => *is_on,
            Some(_) => true,
        }
    }
}

/// The value for `param`. `None` for `null`, which clients send for what is not given.
fn read(param: &Param, value: &Value) -> Result<Option<Given>, String> {
    if value.is_null() {
        return Ok(None);
    }
    let read = match param.kind {
        ParamKind::Text => text(value).map(Given::Text),
        ParamKind::List => list(value).map(Given::List),
        ParamKind::Switch(_) => switch(value).map(Given::On),
        ParamKind::Number(_) => number(value).map(Given::Number),
        ParamKind::Choice(choices) => choice(value, choices).map(Given::Text),
    };
    let accepted = || match param.kind {
        ParamKind::Text => "a text".to_owned(),
        ParamKind::List => "a list of texts".to_owned(),
        ParamKind::Switch(_) => "true or false".to_owned(),
        ParamKind::Number(_) => "a whole number, 0 or more".to_owned(),
        ParamKind::Choice(choices) => choices.join(" or "),
    };
    let wrong = || format!("{}: {} is not accepted, but {}", param.name, quoted(value), accepted());
    read.map(Some).ok_or_else(wrong)
}

/// How a value begins, for an error.
fn quoted(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_QUOTED) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn list(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Array(values) => values.iter().filter(|value| !value.is_null()).map(text).collect(),
        Value::String(text) if text.is_empty() => Some(Vec::new()),
        Value::String(text) => {
            // A glob may begin with a bracket too, but is no JSON then.
            let parsed = serde_json::from_str(text).ok().filter(Value::is_array);
            parsed.and_then(|value| list(&value)).or_else(|| Some(vec![text.clone()]))
        }
        _ => None,
    }
}

fn switch(value: &Value) -> Option<bool> {
    let text = match value {
        Value::Bool(is_on) => return Some(*is_on),
        Value::Number(number) => Cow::from(number.to_string()),
        Value::String(text) => Cow::from(text.trim().to_ascii_lowercase()),
        _ => return None,
    };
    match &*text {
        "true" | "1" | "1.0" => Some(true),
        "false" | "0" | "0.0" => Some(false),
        _ => None,
    }
}

/// A whole number. By JSON Schema, `2.0` is one too.
fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) => {
            let text = text.trim();
            text.parse().ok().or_else(|| whole(text.parse().ok()?))
        }
        _ => None,
    }
}

/// The whole number that `number` is. One that is too large for an integer is the largest.
fn whole(number: f64) -> Option<u64> {
    // A conversion with `as` saturates.
    (number.fract() == 0.0 && number >= 0.0).then_some(number as u64)
}

fn choice(value: &Value, choices: &[&str]) -> Option<String> {
    let text = value.as_str()?.trim();
    let known = choices.iter().find(|choice| choice.eq_ignore_ascii_case(text))?;
    Some((*known).to_owned())
}

/// Turns a call's arguments into an object. Some clients send them as JSON in a text.
pub(crate) fn unwrap(arguments: &mut Value) {
    if let Value::String(text) = arguments
        && let Ok(object @ Value::Object(_)) = serde_json::from_str(text)
    {
        *arguments = object;
    }
}

/// A text without characters that begin a new line, end one, or change the direction of text: they
/// are escaped, as in `\n`.
pub(crate) fn in_one_line(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_misleading) {
        return text.into();
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for char in text.chars() {
        match char {
            '\t' => escaped.push('\t'),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            _ if is_misleading(char) => {
                let _ = write!(escaped, "\\u{{{:x}}}", u32::from(char));
            }
            _ => escaped.push(char),
        }
    }
    escaped.into()
}

/// Whether a character in a name could be taken for an answer's structure, as a line end would be.
pub(crate) fn is_misleading(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(char, '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_one() {
        for (text, expected) in [
            ("plain, ü\t", "plain, ü\t"),
            ("a\nb\r", "a\\nb\\r"),
            ("\u{1b}[1m\u{85}\u{2028}\u{202e}", "\\u{1b}[1m\\u{85}\\u{2028}\\u{202e}"),
        ] {
            assert_eq!(in_one_line(text), expected);
        }
    }
}
