//! Text with variables in braces, such as `{path}:{line}`: what `--format` and
//! `--hyperlink-format` have in common.

/// Returns the parts of a text in order, and ends after an error. Braces that are doubled stand for
/// themselves: `{{{line}}}` is the text `{`, the variable `line` and the text `}`.
pub(crate) fn parts(text: &str) -> BraceParts<'_> {
    BraceParts { rest: text }
}

/// A part of a text with variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BracePart<'t> {
    /// Text that is not empty, with single braces where they were doubled.
    Text(String),
    /// The name between two braces.
    Variable(&'t str),
}

/// Why a text has no further parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BraceError {
    /// A `}` has no `{` before it.
    NotOpened,
    /// A `{` has no `}` after it.
    NotClosed,
}

/// The iterator that [`parts`] returns.
pub(crate) struct BraceParts<'t> {
    rest: &'t str,
}

impl BraceParts<'_> {
    /// Returns the text up to the next variable, a lone `}` or the end.
    fn text(&mut self) -> String {
        let mut text = String::new();
        while let Some(at) = self.rest.find(['{', '}']) {
            text.push_str(&self.rest[..at]);
            self.rest = &self.rest[at..];
            let (brace, behind) = self.rest.split_at(1);
            let Some(behind) = behind.strip_prefix(brace) else { return text };
            text.push_str(brace);
            self.rest = behind;
        }
        text.push_str(std::mem::take(&mut self.rest));
        text
    }
}

impl<'t> Iterator for BraceParts<'t> {
    type Item = Result<BracePart<'t>, BraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        let text = self.text();
        if !text.is_empty() {
            return Some(Ok(BracePart::Text(text)));
        }
        if self.rest.is_empty() {
            return None;
        }
        let rest = std::mem::take(&mut self.rest);
        let Some(behind) = rest.strip_prefix('{') else { return Some(Err(BraceError::NotOpened)) };
        let Some((name, behind)) = behind.split_once('}') else {
            return Some(Err(BraceError::NotClosed));
        };
        self.rest = behind;
        Some(Ok(BracePart::Variable(name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_at_variables_and_ends_at_an_error() {
        let parts = |text: &'static str| parts(text).collect::<Vec<_>>();
        let text = |text: &str| Ok(BracePart::Text(text.to_owned()));
        let variable = |name| Ok(BracePart::Variable(name));
        assert_eq!(parts(""), []);
        assert_eq!(parts("a{{é}}"), [text("a{é}")]);
        assert_eq!(parts("{{{a}}}{}"), [text("{"), variable("a"), text("}"), variable("")]);
        assert_eq!(parts("{a{b}c"), [variable("a{b"), text("c")]);
        assert_eq!(parts("a}{b}"), [text("a"), Err(BraceError::NotOpened)]);
        assert_eq!(parts("{a}{b"), [variable("a"), Err(BraceError::NotClosed)]);
    }
}
