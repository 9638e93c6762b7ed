//! The letters of a replacement: as typed, or as the match has them.
//!
//! | match | replacement | as typed | letters of the match | form of the match |
//! |---|---|---|---|---|
//! | `foo` | `bar` | `bar` | `bar` | `bar` |
//! | `Foo` | `bar` | `bar` | `Bar` | `Bar` |
//! | `FOO` | `bar` | `bar` | `BAR` | `BAR` |
//! | `getUserId` | `fetchAccountNumber` | `fetchAccountNumber` | `fetchAccountNumber` | the same |
//! | `get_user_id` | `fetch_account` | `fetch_account` | `fetch_account` | `fetch_account` |
//! | `GET-USER-ID` | `fetch_account` | `fetch_account` | `FETCH_ACCOUNT` | `FETCH-ACCOUNT` |
//! | `getUserId` | `fetch_account` | `fetch_account` | `fetch_account` | `fetchAccount` |
//!
//! The letters of a match are those that Visual Studio Code preserves: capitals, small letters, or
//! a capital or a small letter in front; word by word if both have the same number of words, with
//! separators or without. The form is also how words are joined.

use std::str;

use heist_matcher::name_words;

/// How a replacement without groups is written.
///
/// # Examples
///
/// ```
/// use heist_printer::ReplacementForm;
///
/// let letters = |found, text| ReplacementForm::LettersOfMatch.write(found, text).unwrap();
/// assert_eq!(letters("FOO", "bar"), "BAR");
/// assert_eq!(letters("fooBar", "newFoo"), "newFoo");
/// assert_eq!(letters("Foo-Bar", "new-foo"), "New-Foo");
///
/// let form = |found| ReplacementForm::FormOfMatch.write(found, "fetch_account").unwrap();
/// assert_eq!(form("getUserId"), "fetchAccount");
/// assert_eq!(form("GET-USER-ID"), "FETCH-ACCOUNT");
/// assert_eq!(ReplacementForm::FormOfMatch.write("getUserId", "fetch(account)"), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplacementForm {
    /// As typed.
    #[default]
    AsTyped,
    /// In capitals and small letters as the match (`--preserve-case`).
    LettersOfMatch,
    /// As a name in the form of the match, if it is a name: letters, digits and separators
    /// (`--any-case`).
    FormOfMatch,
}

impl ReplacementForm {
    /// Returns what is written in place of the match `found` if `text` is typed; `None` if that is
    /// `text` as it is.
    #[must_use]
    pub fn write(self, found: &str, text: &str) -> Option<String> {
        match self {
            ReplacementForm::AsTyped => None,
            ReplacementForm::LettersOfMatch => Some(with_letters_of(found, text)),
            ReplacementForm::FormOfMatch => in_form_of(found, text),
        }
    }

    /// Writes bytes as [`write`](ReplacementForm::write) does; what is not UTF-8 stays as typed.
    pub(super) fn write_bytes(self, found: &[u8], text: &[u8]) -> Option<String> {
        if self == ReplacementForm::AsTyped {
            return None;
        }
        self.write(str::from_utf8(found).ok()?, str::from_utf8(text).ok()?)
    }
}

/// The letters of a text or a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Letters {
    /// There is none that has two forms.
    None,
    /// `foo`
    Small,
    /// `FOO`
    Capitals,
    /// `Foo`, and within a longer text `F`.
    CapitalInFront,
    /// `fOO`
    Mixed,
}

impl Letters {
    fn of(text: &str) -> Letters {
        let (has_small, has_capital) =
            (text.contains(char::is_lowercase), text.contains(char::is_uppercase));
        let first = text.chars().find(|c| c.is_lowercase() || c.is_uppercase());
        match (has_small, has_capital) {
            (false, false) => Letters::None,
            (true, false) => Letters::Small,
            (false, true) => Letters::Capitals,
            (true, true) if first.is_some_and(char::is_uppercase) => Letters::CapitalInFront,
            (true, true) => Letters::Mixed,
        }
    }

    /// The letters of a word in a text that does not consist of capitals: `X` in `getX` is a
    /// capital in front.
    fn of_word(word: &str) -> Letters {
        let letters = Letters::of(word);
        let is_single = word.chars().filter(|c| c.is_alphabetic()).count() == 1;
        match letters {
            Letters::Capitals if is_single => Letters::CapitalInFront,
            _ => letters,
        }
    }

    /// `text` with these letters.
    fn write(self, text: &str) -> String {
        match self {
            Letters::None => text.to_owned(),
            Letters::Small => text.to_lowercase(),
            Letters::Capitals => text.to_uppercase(),
            Letters::CapitalInFront => with_first(text, |first| first.to_uppercase().collect()),
            Letters::Mixed => with_first(text, |first| first.to_lowercase().collect()),
        }
    }
}

/// `text` with another first letter.
fn with_first(text: &str, change: impl FnOnce(char) -> String) -> String {
    match text.char_indices().find(|(_, c)| c.is_alphabetic()) {
        Some((at, first)) => [&text[..at], &change(first), &text[at + first.len_utf8()..]].concat(),
        None => text.to_owned(),
    }
}

/// A text split at the words of names: `_getUser` is `_`, `get`, an empty separator, `User`, and an
/// empty end.
struct SplitName<'t> {
    start: &'t str,
    words: Vec<&'t str>,
    /// What is between words.
    separators: Vec<&'t str>,
    end: &'t str,
}

impl<'t> SplitName<'t> {
    /// `None` if there is no word.
    fn new(text: &'t str) -> Option<SplitName<'t>> {
        let words = name_words(text);
        let mut rest = text;
        let mut between = Vec::new();
        for word in &words {
            // Between words are only separators, which no word begins with.
            let (separator, after) = rest.split_once(word)?;
            between.push(separator);
            rest = after;
        }
        let start = *between.first()?;
        Some(SplitName { start, words, separators: between.split_off(1), end: rest })
    }
}

/// `text` in capitals and small letters as `found` has them.
fn with_letters_of(found: &str, text: &str) -> String {
    let letters = Letters::of(found);
    let (Some(words), Some(split)) = (SplitName::new(found), SplitName::new(text)) else {
        return letters.write(text);
    };
    let is_joined = |split: &SplitName<'_>| -> Vec<bool> {
        split.separators.iter().map(|separator| separator.is_empty()).collect()
    };
    // `fooBar` has as many words as `baz_qux`, but where its capitals are means nothing there.
    if split.separators.is_empty()
        || is_joined(&words) != is_joined(&split)
        || matches!(letters, Letters::Capitals | Letters::Small)
    {
        return letters.write(text);
    }
    let mut written = split.start.to_owned();
    for (index, word) in split.words.iter().enumerate() {
        written += index.checked_sub(1).map_or("", |before| split.separators[before]);
        written += &Letters::of_word(words.words[index]).write(word);
    }
    written + split.end
}

/// `text`, which is a name, in the form of the name `found`.
fn in_form_of(found: &str, text: &str) -> Option<String> {
    let is_part =
        |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.') || c.is_whitespace();
    if !text.chars().all(is_part) {
        return None;
    }
    let (found_split, split) = (SplitName::new(found)?, SplitName::new(text)?);
    let letters = Letters::of(found);
    let last = found_split.words.len() - 1;
    // Where all letters are alike, capitals are no abbreviation.
    let keeps_abbreviations = matches!(Letters::of(text), Letters::CapitalInFront | Letters::Mixed);
    let with_capital = |word: &str| match Letters::of_word(word) {
        Letters::Capitals if keeps_abbreviations => word.to_owned(),
        _ => Letters::CapitalInFront.write(&word.to_lowercase()),
    };
    let mut written = split.start.to_owned();
    for (index, word) in split.words.iter().enumerate() {
        let typed = index.checked_sub(1).map(|before| split.separators[before]);
        let separator = typed.map_or("", |typed| match letters {
            // Further words are joined as the last ones are.
            _ if last > 0 => found_split.separators[(index - 1).min(last - 1)],
            // A single word does not show how words are joined.
            Letters::Capitals if typed.is_empty() => "_",
            Letters::CapitalInFront => "",
            _ => typed,
        });
        let is_joined = found_split.separators.first().is_some_and(|first| first.is_empty());
        let like = Letters::of_word(found_split.words[index.min(last)]);
        written += separator;
        written += &match (letters, like) {
            (Letters::Capitals, _) => word.to_uppercase(),
            _ if index > 0 && separator.is_empty() => with_capital(word),
            (_, Letters::Capitals) if !is_joined => word.to_uppercase(),
            (_, Letters::Capitals | Letters::CapitalInFront) => with_capital(word),
            _ => word.to_lowercase(),
        };
    }
    Some(written + split.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_those_of_the_match() {
        // Verified against the rule of Visual Studio Code, but for the rows with a remark.
        for (found, text, expected) in [
            ("foo", "bar", "bar"),
            ("Foo", "bar", "Bar"),
            ("FOO", "bar", "BAR"),
            ("foo", "Bar", "bar"),
            ("foo", "barBaz", "barbaz"),
            ("Foo", "barBaz", "BarBaz"),
            ("fooBar", "BazQux", "bazQux"),
            ("FooBar", "bazQux", "BazQux"),
            ("fOO", "Bar", "bar"),
            ("foo-bar", "Baz-Qux", "baz-qux"),
            ("Foo-Bar", "baz-qux", "Baz-Qux"),
            ("Foo-bar", "baz-qux", "Baz-qux"),
            ("Foo_bar", "baz_qux", "Baz_qux"),
            ("FOO_BAR", "bazQux", "BAZQUX"),
            ("Foo bar", "baz qux", "Baz qux"),
            ("", "Bar", "Bar"),
            ("foo", "", ""),
            ("Éa", "öl", "Öl"),
            ("straße", "WEG", "weg"),
            ("FOO", "straße", "STRASSE"),
            ("getX", "set-width", "set-width"),
            ("FooBar", "baz_qux", "Baz_qux"),
            ("Foo_bar", "bazQux", "BazQux"),
            // Without letters, nothing decides; there, it writes capitals.
            ("12", "bar", "bar"),
            // Also words with other separators, or with none.
            ("Foo_Bar", "baz-qux", "Baz-Qux"),
            ("getX", "setWidth", "setWidth"),
            ("parse_JSON", "read_yaml", "read_YAML"),
            // The first letter decides, not the first character.
            ("\"Foo", "'bar", "'Bar"),
        ] {
            let written = ReplacementForm::LettersOfMatch.write(found, text);
            assert_eq!(written.as_deref(), Some(expected), "{found}, {text}");
        }
    }

    #[test]
    fn the_form_is_that_of_the_match() {
        let fetch = "fetch_account";
        for (found, text, expected) in [
            ("getUserId", fetch, "fetchAccount"),
            ("GetUserId", fetch, "FetchAccount"),
            ("GetUserID", fetch, "FetchAccount"),
            ("get_user_id", fetch, "fetch_account"),
            ("GET_USER_ID", fetch, "FETCH_ACCOUNT"),
            ("GET-USER-ID", fetch, "FETCH-ACCOUNT"),
            ("get-user-id", fetch, "fetch-account"),
            ("Get-User-Id", fetch, "Fetch-Account"),
            ("get.user.id", fetch, "fetch.account"),
            ("get user id", fetch, "fetch account"),
            ("Get user id", fetch, "Fetch account"),
            // However the replacement is typed.
            ("getUserId", "FetchAccount", "fetchAccount"),
            ("get_user_id", "fetchAccount", "fetch_account"),
            ("get-user-id", "FETCH_ACCOUNT", "fetch-account"),
            ("getUserId", "FETCH_ACCOUNT", "fetchAccount"),
            ("GetUserId", "fetch account", "FetchAccount"),
            // More words than the match has, and fewer.
            ("getUser", "fetch_main_account", "fetchMainAccount"),
            ("get_user-id", "fetch_main_account_id", "fetch_main-account-id"),
            ("getUserId", "fetch", "fetch"),
            ("GetUserId", "fetch", "Fetch"),
            ("GET_USER_ID", "fetch", "FETCH"),
            // Abbreviations.
            ("getUserId", "fetchAccountID", "fetchAccountID"),
            ("get_user_id", "fetchAccountID", "fetch_account_id"),
            ("GetUserId", "HTTPServer", "HTTPServer"),
            ("getUserId", "HTTPServer", "httpServer"),
            ("HTTPServer", "web_client", "WebClient"),
            ("parse_JSON", "read_yaml", "read_YAML"),
            // A single word does not show how words are joined.
            ("foo", "bar", "bar"),
            ("Foo", "bar", "Bar"),
            ("FOO", "bar", "BAR"),
            ("user", "account_name", "account_name"),
            ("user", "AccountName", "accountName"),
            ("User", "account_name", "AccountName"),
            ("USER", "account-name", "ACCOUNT-NAME"),
            ("USER", "accountName", "ACCOUNT_NAME"),
            // Separators around the name are typed on purpose.
            ("getUser", "_fetch_account_", "_fetchAccount_"),
            ("straßeÜber", "öl_weg", "ölWeg"),
        ] {
            let written = ReplacementForm::FormOfMatch.write(found, text);
            assert_eq!(written.as_deref(), Some(expected), "{found}, {text}");
        }
        for text in ["", "fetch()", "a::b", "-", "a/b"] {
            assert_eq!(ReplacementForm::FormOfMatch.write("getUser", text), None, "{text}");
        }
    }

    #[test]
    fn a_name_in_its_own_form_is_itself() {
        let forms = ["getUserId", "GetUserId", "get_user_id", "GET_USER_ID", "get-user-id"];
        for found in forms {
            for text in forms {
                let written = ReplacementForm::FormOfMatch.write(found, text);
                assert_eq!(written.as_deref(), Some(found), "{found}, {text}");
            }
        }
    }

    #[test]
    fn bytes_that_are_no_text_stay() {
        let form = ReplacementForm::LettersOfMatch;
        assert_eq!(form.write_bytes(b"FOO", b"bar").as_deref(), Some("BAR"));
        assert_eq!(form.write_bytes(b"FOO\xff", b"bar"), None);
        assert_eq!(form.write_bytes(b"FOO", b"bar\xff"), None);
        assert_eq!(ReplacementForm::AsTyped.write_bytes(b"FOO", b"bar"), None);
    }
}
