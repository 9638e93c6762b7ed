//! `--query`: a condition on lines or files as one text.
//!
//! ```text
//! parse (json | yaml) -test "exact words"
//! ```
//!
//! Terms that follow each other must all be met. `|` stands between alternatives, and binds less
//! than that. `-` before a term negates it. A term is a pattern without blanks, text in quotes, or
//! a query in parentheses.

use heist_matcher::{Condition, escape};

use crate::error::Error;

/// How deep parentheses and dashes may nest.
const MAX_DEPTH: usize = 250;

/// Parses a query. With `is_literal`, patterns are text as they stand (`-F`).
///
/// # Errors
/// The query is empty, a term or parenthesis is missing, or it wants no pattern at all.
pub(super) fn parse(text: &str, is_literal: bool) -> Result<Condition, Error> {
    let mut query = Query { text, at: 0, depth: 0, is_literal };
    let condition = query.alternatives()?;
    if !query.rest().is_empty() {
        return Err(query.error(query.at, "this parenthesis was never opened"));
    }
    if condition.wanted().is_empty() {
        let advice =
            "nothing in it is to be found; --invert-match prints the lines without a match";
        return Err(query.error(0, advice));
    }
    Ok(condition)
}

/// A query that is being read.
struct Query<'t> {
    text: &'t str,
    /// What has been read, in bytes.
    at: usize,
    depth: usize,
    is_literal: bool,
}

impl<'t> Query<'t> {
    /// Terms between bars.
    fn alternatives(&mut self) -> Result<Condition, Error> {
        let mut parts = vec![self.terms()?];
        while self.take('|') {
            parts.push(self.terms()?);
        }
        Ok(any(parts))
    }

    /// Terms that must all be met.
    fn terms(&mut self) -> Result<Condition, Error> {
        let mut parts = Vec::new();
        while let Some(next) = self.peek() {
            if next == '|' || next == ')' {
                break;
            }
            parts.push(self.term()?);
        }
        match parts.len() {
            0 => Err(self.error(self.at, "a pattern is missing here")),
            1 => Ok(parts.remove(0)),
            _ => Ok(Condition::All(parts)),
        }
    }

    fn term(&mut self) -> Result<Condition, Error> {
        let start = self.at;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error(start, "it is nested too deeply"));
        }
        let term = match self.peek() {
            Some('(') => {
                self.at += 1;
                let inner = self.alternatives()?;
                if !self.take(')') {
                    return Err(self.error(start, "this parenthesis is never closed"));
                }
                inner
            }
            Some('"') => self.quoted(start)?,
            Some('-') if self.rest()[1..].starts_with(begins_term) => {
                self.at += 1;
                match self.term()? {
                    Condition::Not(inner) => *inner,
                    term => Condition::Not(Box::new(term)),
                }
            }
            _ => self.word(),
        };
        self.depth -= 1;
        Ok(term)
    }

    /// Text in quotes, in which `\"` and `\\` stand for a quote and a backslash.
    fn quoted(&mut self, start: usize) -> Result<Condition, Error> {
        self.at += 1;
        let mut text = String::new();
        loop {
            match self.next() {
                None => return Err(self.error(start, "this quote is never closed")),
                Some('"') => break,
                Some('\\') if self.rest().starts_with(['"', '\\']) => text.extend(self.next()),
                Some(other) => text.push(other),
            }
        }
        Ok(matches(if self.is_literal { text } else { escape(&text) }))
    }

    /// A pattern up to a blank, a parenthesis or a bar, unless a backslash precedes that.
    fn word(&mut self) -> Condition {
        let start = self.at;
        while let Some(next) = self.rest().chars().next() {
            if next.is_whitespace() || matches!(next, '(' | ')' | '|') {
                break;
            }
            self.at += next.len_utf8();
            if next == '\\' && !self.is_literal {
                self.next();
            }
        }
        matches(self.text[start..self.at].to_owned())
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn next(&mut self) -> Option<char> {
        let next = self.rest().chars().next()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// The next character that is not blank.
    fn peek(&mut self) -> Option<char> {
        self.at = self.text.len() - self.rest().trim_start().len();
        self.rest().chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let is_next = self.peek() == Some(wanted);
        self.at += if is_next { wanted.len_utf8() } else { 0 };
        is_next
    }

    /// A mistake at the offset `at`, which is shown below the query.
    fn error(&self, at: usize, what: &str) -> Error {
        let (before, text) = (" ".repeat(self.text[..at].chars().count()), self.text);
        Error::new(format!("--query: {what}:\n    {text}\n    {before}^"))
    }
}

/// Whether a term may begin with `c`; a dash before anything else is a pattern.
fn begins_term(c: char) -> bool {
    !c.is_whitespace() && c != ')' && c != '|'
}

fn matches(pattern: String) -> Condition {
    Condition::Matches(vec![pattern])
}

/// The alternatives `parts`, of which plain patterns become one part.
pub(super) fn any(parts: Vec<Condition>) -> Condition {
    let (mut patterns, mut others) = (Vec::new(), Vec::new());
    for part in parts {
        match part {
            Condition::Matches(more) => patterns.extend(more),
            other => others.push(other),
        }
    }
    if !patterns.is_empty() {
        others.insert(0, Condition::Matches(patterns));
    }
    match others.len() {
        1 => others.remove(0),
        _ => Condition::Any(others),
    }
}

#[cfg(test)]
mod tests {
    use heist_matcher::Condition;

    use super::parse;

    /// A condition as text: `a & (b | c) & !d`.
    fn shown(condition: &Condition) -> String {
        let join = |parts: &[Condition], by| {
            let parts: Vec<_> = parts.iter().map(shown).collect();
            format!("({})", parts.join(by))
        };
        match condition {
            Condition::Matches(patterns) => patterns.join("|"),
            Condition::All(parts) => join(parts, " & "),
            Condition::Any(parts) => join(parts, " or "),
            Condition::Not(part) => format!("!{}", shown(part)),
        }
    }

    #[test]
    fn queries_are_read() {
        for (query, expected) in [
            ("a", "a"),
            ("a b", "(a & b)"),
            ("a | b", "a|b"),
            ("a b | c", "(c or (a & b))"),
            ("a (b | c) -d", "(a & b|c & !d)"),
            (
                r#"parse (json | yaml) -test "exact. words""#,
                r"(parse & json|yaml & !test & exact\. words)",
            ),
            ("--a b", "(a & b)"),
            ("- b", "(- & b)"),
            ("(a -) b", "((a & -) & b)"),
            ("a -|b", "(b or (a & -))"),
            ("a- -b", "(a- & !b)"),
            ("-(a | b) c", "(!a|b & c)"),
            ("-(a | (b c)) d", "(!(a or (b & c)) & d)"),
            (r"fn\( \(x\|y", r"(fn\( & \(x\|y)"),
            ("((a))", "a"),
            (r#""a \"b\" \\""#, r#"a "b" \\"#),
            ("é(ü|ß)", "(é & ü|ß)"),
            ("[a-z]+\tb", "([a-z]+ & b)"),
        ] {
            assert_eq!(shown(&parse(query, false).expect(query)), expected, "{query}");
        }
        let literal = parse(r#"a.b\ "c.d""#, true).expect("text");
        assert_eq!(shown(&literal), r"(a.b\ & c.d)");
    }

    #[test]
    fn mistakes_are_shown_where_they_are() {
        for (query, message) in [
            ("", "a pattern is missing here:\n    \n    ^"),
            ("a |", "a pattern is missing here:\n    a |\n       ^"),
            ("a ( ) b", "a pattern is missing here:\n    a ( ) b\n        ^"),
            ("é (b", "this parenthesis is never closed:\n    é (b\n      ^"),
            ("a) b", "this parenthesis was never opened:\n    a) b\n     ^"),
            ("a \"b", "this quote is never closed:\n    a \"b\n      ^"),
            (
                "-a -b",
                "nothing in it is to be found; --invert-match prints the lines without a match:\n    -a -b\n    ^",
            ),
        ] {
            let error = parse(query, false).expect_err(query);
            assert_eq!(error.message, format!("--query: {message}"), "{query}");
        }
        assert!(
            parse(&"(".repeat(10_000), false).expect_err("deep").message.contains("too deeply")
        );
        assert!(parse(&"-".repeat(10_000), false).is_err());
    }
}
