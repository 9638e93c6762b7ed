//! Cases in text files: command lines, and what they mean.
//!
//! ```text
//! # A comment.
//! @ terminal
//! $ -n foo --max-columns 10
//! printer.line_numbers true
//! printer.max_columns Some(10)
//!
//! $ -m x
//! ! error parsing flag -m: value is not a valid number...
//! ```
//!
//! A line after `$ ` has arguments; `''` is an empty one. After it, each line has a field's path
//! and its value in the form of `Debug`; or after `! ` the error's message. `...` at the end leaves
//! out the rest. `@ ` names the environment for the cases that follow.

/// Checks the cases in `text`. `meaning` returns what arguments mean in an environment, in the form
/// of `Debug`, or the error's message.
pub(crate) fn check(text: &str, meaning: impl Fn(&str, &[&str]) -> Result<String, String>) {
    let mut environment = "";
    let mut case = ("", Ok(String::new()));
    let mut is_checked = true;
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")) {
        if let Some(name) = line.strip_prefix("@ ") {
            environment = name;
        } else if let Some(command) = line.strip_prefix("$ ") {
            assert!(is_checked, "nothing is expected of {}", case.0);
            let words = command.split_ascii_whitespace();
            let words: Vec<&str> = words.map(|word| if word == "''" { "" } else { word }).collect();
            (case, is_checked) = ((command, meaning(environment, &words)), false);
        } else {
            is_checked = true;
            match (&case.1, line.strip_prefix("! ")) {
                (Err(message), Some(expected)) => compare(message, expected, case.0),
                (Ok(debugged), None) => {
                    let (path, expected) = line.split_once(' ').expect("a field and its value");
                    let value = field(debugged, path).unwrap_or_else(|| panic!("no field {path}"));
                    compare(value, expected, &format!("{}: {path}", case.0));
                }
                (Ok(_), Some(_)) => panic!("{}: accepted", case.0),
                (Err(message), None) => panic!("{}: {message}", case.0),
            }
        }
    }
}

/// Checks that `found` is `expected`, or begins with it if that ends in `...`.
fn compare(found: &str, expected: &str, case: &str) {
    let start = expected.strip_suffix("...");
    let is_same = start.map_or(found == expected, |start| found.starts_with(start));
    assert!(is_same, "{case}: {found} instead of {expected}");
}

/// The field at `path`, such as `printer.column`.
fn field<'a>(debugged: &'a str, path: &str) -> Option<&'a str> {
    path.split('.').try_fold(debugged, |text, name| {
        let (_, mut rest) = text.split_once("{ ")?;
        loop {
            let (found, value) = rest.split_once(": ")?;
            let (value, end) = value.split_at(value_len(value));
            if found == name {
                return Some(value.trim_end());
            }
            rest = end.strip_prefix(", ")?;
        }
    })
}

/// How long the value is that `text` begins with.
fn value_len(text: &str) -> usize {
    let (mut depth, mut is_quoted, mut is_escaped) = (0, false, false);
    let end = text.find(|c: char| {
        if std::mem::take(&mut is_escaped) {
            return false;
        }
        match c {
            '\\' => is_escaped = is_quoted,
            '"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '{' | '[' | '(' => depth += 1,
            ',' | '}' if depth == 0 => return true,
            '}' | ']' | ')' => depth -= 1,
            _ => {}
        }
        false
    });
    end.unwrap_or(text.len())
}
