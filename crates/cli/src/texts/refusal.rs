//! The message for patterns that cannot be compiled: the library's reason, and advice in ripgrep's
//! words, which name flags.

use std::{error::Error, fmt};

use heist_matcher::{Engine, ErrorKind};

const MULTILINE: &str = "\
Consider enabling multiline mode with the --multiline flag (or -U for short).
When multiline mode is enabled, new line characters can be matched.";

const TEXT: &str = "\
Consider enabling text mode with the --text flag (or -a for short). Otherwise,
binary detection is enabled and matching a NUL byte is impossible.";

const PCRE2: &str = "\
Consider enabling PCRE2 with the --pcre2 flag, which can handle backreferences
and look-around.";

/// Why the patterns were refused, over several lines.
#[derive(Debug)]
pub(crate) struct Refusal(String);

impl Refusal {
    /// The message for `error`, which came up under `engine`.
    pub(crate) fn new(error: &heist_matcher::Error, engine: Engine) -> Refusal {
        Refusal(error.with_advice(|kind| match kind {
            ErrorKind::LineTerminator(_) => Some(MULTILINE),
            ErrorKind::Nul => Some(TEXT),
            ErrorKind::Syntax(error) if engine == Engine::Default => {
                // As in ripgrep, these words may also be the pattern's.
                let text = error.to_string();
                let needs_pcre2 =
                    ["look-around", "backreferences"].iter().any(|w| text.contains(w));
                needs_pcre2.then_some(PCRE2)
            }
            _ => None,
        }))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Refusal {}

#[cfg(test)]
mod tests {
    use heist_matcher::{Engine, Matcher, MatcherConfig};

    use super::{MULTILINE, PCRE2, Refusal, TEXT};

    #[test]
    fn advice_names_the_flag_that_helps() {
        for (pattern, engine, advice) in [
            (r"a\nb", Engine::Default, Some(MULTILINE)),
            (r"\x00", Engine::Default, Some(TEXT)),
            (r"(a)\1", Engine::Default, Some(PCRE2)),
            ("(?=a)", Engine::Default, Some(PCRE2)),
            ("(a", Engine::Default, None),
            ("(a", Engine::Pcre2, None),
            ("(?=(", Engine::Auto, None),
        ] {
            let config = MatcherConfig { engine, ..MatcherConfig::default() };
            let error = Matcher::new([pattern], &config).unwrap_err();
            let expected = match advice {
                Some(advice) => format!("{error}\n\n{advice}"),
                None => error.to_string(),
            };
            assert_eq!(Refusal::new(&error, engine).to_string(), expected, "{pattern}");
        }
    }
}
