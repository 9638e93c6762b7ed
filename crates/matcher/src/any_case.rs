//! A name as a pattern that matches the name in every form.
//!
//! ```text
//! get user id     getUserId GetUserID get_user_id GET-USER-ID get.user.id …
//! ```

use std::fmt;

/// What may stand between the words of a name.
const NAME_SEPARATOR: &str = "[-_. ]";

/// Why a text is no name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameError {
    name: String,
    /// A character that no name has; `None` if there is no word.
    other: Option<char>,
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.other {
            Some(other) => write!(f, "'{}' has '{other}' in it", self.name),
            None => write!(f, "'{}' has no word", self.name),
        }
    }
}

impl std::error::Error for NameError {}

/// Returns a pattern for `name` in every form: its words in small letters, in capitals or with a
/// capital in front, and between two of them a separator or, if the second begins with a capital or
/// a digit, nothing.
///
/// ```
/// use heist_matcher::{Matcher, name_pattern};
///
/// let pattern = name_pattern("get_user_id")?;
/// let mut finder = Matcher::new([pattern], &Default::default())?.finder();
/// assert!(finder.is_match(b"getUserID()") && finder.is_match(b"GET-USER-ID"));
/// assert!(!finder.is_match(b"getuserid"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// `name` has no words, or characters other than letters, digits and separators.
pub fn name_pattern(name: &str) -> Result<String, NameError> {
    let refuse = |other| Err(NameError { name: name.to_owned(), other });
    if let Some(other) = name.chars().find(|&c| !c.is_alphanumeric() && !is_separator(c)) {
        return refuse(Some(other));
    }
    let words = name_words(name);
    let Some((first, rest)) = words.split_first() else {
        return refuse(None);
    };
    let mut pattern = one_of(&forms(first));
    for word in rest {
        let forms = forms(word);
        let (joined, apart): (Vec<_>, Vec<_>) =
            forms.into_iter().partition(|form| !form.starts_with(char::is_lowercase));
        let joined = (!joined.is_empty()).then(|| format!("{NAME_SEPARATOR}?{}", one_of(&joined)));
        let apart = (!apart.is_empty()).then(|| format!("{NAME_SEPARATOR}{}", one_of(&apart)));
        pattern += &one_of(&[joined, apart].into_iter().flatten().collect::<Vec<_>>());
    }
    Ok(pattern)
}

fn is_separator(c: char) -> bool {
    matches!(c, '-' | '_' | '.') || c.is_whitespace()
}

/// Returns the words of a name: `getHTTPResponse2` has `get`, `HTTP` and `Response2`.
#[must_use]
pub fn name_words(name: &str) -> Vec<&str> {
    let chars: Vec<(usize, char)> = name.char_indices().collect();
    let mut starts = vec![0];
    for (index, &(at, c)) in chars.iter().enumerate().skip(1) {
        let before = chars[index - 1].1;
        let next_is_lower = chars.get(index + 1).is_some_and(|(_, next)| next.is_lowercase());
        let is_hump = c.is_uppercase() && (!before.is_uppercase() || next_is_lower);
        if is_hump || is_separator(before) {
            starts.push(at);
        }
    }
    let ends = starts.iter().copied().skip(1).chain([name.len()]);
    let words = starts.iter().zip(ends).map(|(&start, end)| &name[start..end]);
    words.map(|word| word.trim_matches(is_separator)).filter(|word| !word.is_empty()).collect()
}

/// `user`, `User`, `USER`.
fn forms(word: &str) -> Vec<String> {
    let lower = word.to_lowercase();
    let mut chars = lower.chars();
    let first: String = chars.by_ref().take(1).flat_map(char::to_uppercase).collect();
    let mut forms = vec![lower.clone(), first + chars.as_str(), word.to_uppercase()];
    forms.dedup();
    forms
}

fn one_of<S: AsRef<str>>(texts: &[S]) -> String {
    match texts {
        [text] => text.as_ref().to_owned(),
        _ => {
            let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
            format!("(?:{})", texts.join("|"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{name_pattern, name_words};
    use crate::{Boundary, Matcher, MatcherConfig};

    #[test]
    fn names_have_words() {
        for (name, expected) in [
            ("get user  id", &["get", "user", "id"][..]),
            ("getUserId", &["get", "User", "Id"]),
            ("GET_USER-ID", &["GET", "USER", "ID"]),
            ("getHTTPResponse2", &["get", "HTTP", "Response2"]),
            ("parseJSON", &["parse", "JSON"]),
            ("__x.y", &["x", "y"]),
            ("straßeÜber", &["straße", "Über"]),
            ("utf8Decoder", &["utf8", "Decoder"]),
            ("get_user_id", &["get", "user", "id"]),
            ("HTTPServer_id", &["HTTP", "Server", "id"]),
            ("__init__", &["init"]),
            ("x", &["x"]),
            ("", &[]),
        ] {
            assert_eq!(name_words(name), expected, "{name}");
        }
    }

    /// Every form of `words` that the documentation names, one by one.
    fn all_forms(words: &[&str]) -> Vec<String> {
        let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
        let lower: Vec<String> = words.iter().map(|word| word.to_string()).collect();
        let upper: Vec<String> = words.iter().map(|word| word.to_uppercase()).collect();
        let title: Vec<String> = words.iter().map(|word| capital(word)).collect();
        let camel = lower[0].clone() + &title[1..].concat();
        let mut forms = vec![camel, title.concat(), lower[0].clone() + &upper[1..].concat()];
        for separator in ["-", "_", ".", " "] {
            forms.extend([&lower, &upper, &title].map(|words| words.join(separator)));
        }
        forms
    }

    #[test]
    fn a_name_in_one_form_finds_it_in_every_form() {
        let config = MatcherConfig { boundary: Boundary::Line, ..MatcherConfig::default() };
        for words in [&["get", "user", "id"][..], &["parse", "json"], &["gem"], &["x", "2d"]] {
            let forms = all_forms(words);
            for name in &forms {
                let pattern = name_pattern(name).expect("a name");
                let mut finder = Matcher::new([&pattern], &config).expect("valid").finder();
                // `X2D` does not show where a word begins.
                let split = super::name_words(name).into_iter().map(|word| word.to_lowercase());
                let is_split = split.eq(words.iter().map(|word| word.to_string()));
                for form in forms.iter().filter(|_| is_split) {
                    assert!(finder.is_match(form.as_bytes()), "{name} as {pattern}: {form}");
                }
                for other in ["getuserid", "forgetUserId", "getuserId", "parsejson", "gemS"] {
                    assert!(!finder.is_match(other.as_bytes()), "{name} as {pattern}: {other}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_name_is_refused() {
        for (name, why) in [("a*b", "has '*' in it"), ("", "has no word"), ("-", "has no word")] {
            let error = name_pattern(name).expect_err(name).to_string();
            assert!(error.ends_with(&format!("'{name}' {why}")), "{error}");
        }
    }
}
