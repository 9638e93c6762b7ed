//! The pager that results go through, if they may.

use crate::{output::PagerConfig, run::here::Here, sys::TerminalSize, typed::TypedArgs};

/// What is run if no variable names a pager. It passes styles on, and ends by itself where
/// everything is visible after all.
const DEFAULT_PAGER: &str = "less -RFX";

/// The size of a terminal that reports none.
const USUAL_SIZE: TerminalSize = TerminalSize { rows: 24, columns: 80 };

/// The pager, if one is wanted and standard output is a terminal. An empty variable and the program
/// `cat` stand for none, as in git.
pub(super) fn resolve(typed: &TypedArgs, here: &Here) -> Option<PagerConfig> {
    if !typed.pager || typed.quiet || !here.stdout_is_terminal {
        return None;
    }
    let variable = |name| (here.variable)(name);
    let chosen = variable("HEIST_PAGER").or_else(|| variable("PAGER"));
    let text =
        chosen.map_or_else(|| DEFAULT_PAGER.to_owned(), |text| text.to_string_lossy().into());
    let command = words(&text);
    let is_none = command.is_empty() || command == ["cat"];
    let screen = (here.stdout_size)().unwrap_or(USUAL_SIZE);
    (!is_none).then_some(PagerConfig { command, screen, erases: here.terminal_has_escapes })
}

/// The words of `text`, which blanks separate unless they stand between quotes. No shell sees them:
/// Windows has none, and in its paths a backslash is not one that quotes.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn blanks_separate_words_outside_of_quotes() {
        for (text, expected) in [
            ("", &[][..]),
            ("  ", &[]),
            ("less -R", &["less", "-R"]),
            (" a\t'b  c'd \"\" ", &["a", "b  cd", ""]),
            (r#""C:\Program Files\less.exe" -R"#, &[r"C:\Program Files\less.exe", "-R"]),
            ("sh -c 'col -b | \"less\"'", &["sh", "-c", "col -b | \"less\""]),
            ("'open", &["open"]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }
}
