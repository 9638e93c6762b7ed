//! PCRE2 patterns as parts of a longer pattern.
//!
//! Only the library itself parses PCRE2's syntax. So a pattern that stands in another one is
//! compiled alone, too, where the two might differ, and a pattern is joined with no other if its
//! meaning may depend on its neighbours.

use std::iter::Peekable;
use std::str::Chars;

use crate::config::Boundary;

/// What PCRE2 reads at the very start of a pattern only, between `(*` and `)`. What ends with `=`
/// is followed by a number.
const SETTINGS: [&str; 23] = [
    "UTF8",
    "UTF",
    "UCP",
    "NOTEMPTY",
    "NOTEMPTY_ATSTART",
    "NO_AUTO_POSSESS",
    "NO_DOTSTAR_ANCHOR",
    "NO_JIT",
    "NO_START_OPT",
    "CASELESS_RESTRICT",
    "TURKISH_CASING",
    "LIMIT_HEAP=",
    "LIMIT_MATCH=",
    "LIMIT_DEPTH=",
    "LIMIT_RECURSION=",
    "CR",
    "LF",
    "CRLF",
    "ANY",
    "NUL",
    "ANYCRLF",
    "BSR_ANYCRLF",
    "BSR_UNICODE",
];

/// What may have to stand behind a pattern so that it ends there: the end of a quotation that `\Q`
/// has begun, or a line's end, up to which a comment extends. Settings determine what ends lines.
pub(crate) const ENDS: [&str; 5] = ["\\E", "\n", "\r", "\r\n", "\0"];

/// The settings at the start of `pattern`, as in `(*UCP)(*CRLF)a`, and what stands behind them.
pub(crate) fn split_settings(pattern: &str) -> (&str, &str) {
    let mut rest = pattern;
    while let Some((name, behind)) = rest.strip_prefix("(*").and_then(|text| text.split_once(')'))
        && is_setting(name)
    {
        rest = behind;
    }
    pattern.split_at(pattern.len() - rest.len())
}

fn is_setting(text: &str) -> bool {
    let (name, number) = text.split_at(text.find('=').map_or(text.len(), |at| at + 1));
    SETTINGS.contains(&name) && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// `pattern` between the assertions that `boundary` requires. `end` is empty or one of [`ENDS`].
pub(crate) fn bounded(pattern: &str, boundary: Boundary, end: &str) -> String {
    let (settings, rest) = split_settings(pattern);
    match boundary {
        Boundary::None => pattern.to_owned(),
        Boundary::Word => format!(r"{settings}(?<!\w)(?:{rest}{end})(?!\w)"),
        Boundary::Line => format!("{settings}(?m:^)(?:{rest}{end})(?m:$)"),
    }
}

/// `patterns`, which [do not depend](depends_on_nothing) on their neighbours, as alternatives. The
/// groups of each are numbered from 1.
pub(crate) fn alternatives(patterns: &[&str]) -> String {
    let each: Vec<_> = patterns.iter().map(|pattern| format!("(?:{pattern})")).collect();
    let joined = each.join("|");
    let has_groups = |pattern: &&str| pattern.replace("(?", "").contains('(');
    if patterns.iter().any(has_groups) { format!("(?|{joined})") } else { joined }
}

/// Whether `pattern` means the same as an alternative beside others, and others mean the same
/// beside it, except for the numbers of groups. `false` suffices where that is not certain:
/// `pattern` has names, references, verbs, quotations or comments, or it is no pattern.
pub(crate) fn depends_on_nothing(pattern: &str) -> bool {
    let mut rest = pattern.chars().peekable();
    let mut depth = 0_usize;
    while let Some(c) = rest.next() {
        let is_known = match c {
            '\\' => is_simple_escape(rest.next()),
            '[' => skip_class(&mut rest),
            '(' => {
                depth += 1;
                rest.next_if_eq(&'?').is_none_or(|_| is_simple_group(&mut rest))
                    && rest.peek() != Some(&'*')
            }
            ')' => match depth.checked_sub(1) {
                Some(outer) => {
                    depth = outer;
                    true
                }
                None => false,
            },
            _ => true,
        };
        if !is_known {
            return false;
        }
    }
    depth == 0
}

/// Whether `c` behind a backslash makes an escape that is no reference, quotation or control
/// character.
fn is_simple_escape(c: Option<char>) -> bool {
    c.is_some_and(|c| !matches!(c, '1'..='9' | 'g' | 'k' | 'Q' | 'E' | 'c'))
}

/// Whether the group behind the `(?` that has been read has neither a name nor anything that refers
/// to other groups. Flags without `x` end with the group that they are in.
fn is_simple_group(rest: &mut Peekable<Chars<'_>>) -> bool {
    match rest.next() {
        Some(':' | '=' | '!' | '>' | '|') => true,
        Some('<') => rest.next_if(|c| matches!(c, '=' | '!')).is_some(),
        Some('i' | 's' | 'm' | '-') => {
            while rest.next_if(|c| matches!(c, 'i' | 's' | 'm' | '-')).is_some() {}
            rest.next_if_eq(&':').is_some() || rest.peek() == Some(&')')
        }
        _ => false,
    }
}

/// Skips the class behind the bracket that has been read. Returns whether it ends, and has no
/// parenthesis and nothing that is rare.
fn skip_class(rest: &mut Peekable<Chars<'_>>) -> bool {
    let _ = rest.next_if_eq(&'^');
    // A bracket that comes first is a member.
    let _ = rest.next_if_eq(&']');
    while let Some(c) = rest.next() {
        match c {
            ']' => return true,
            '\\' if !is_simple_escape(rest.next()) => return false,
            '[' if rest.next_if_eq(&':').is_some() => {
                let _ = rest.next_if_eq(&'^');
                while rest.next_if(char::is_ascii_lowercase).is_some() {}
                if rest.next() != Some(':') || rest.next() != Some(']') {
                    return false;
                }
            }
            '(' | ')' | '[' => return false,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_stand_first() {
        for (pattern, settings) in [
            ("a", ""),
            ("(*UCP)a", "(*UCP)"),
            ("(*UTF)(*LIMIT_MATCH=12)(a)", "(*UTF)(*LIMIT_MATCH=12)"),
            ("(*COMMIT)(*UCP)", ""),
            ("(*CRLF)(*F)", "(*CRLF)"),
            ("(*UCP", ""),
            ("(a*UCP)", ""),
        ] {
            let behind = &pattern[settings.len()..];
            assert_eq!(split_settings(pattern), (settings, behind), "{pattern}");
        }
    }

    #[test]
    fn patterns_without_references_depend_on_nothing() {
        for pattern in [
            "",
            "a(b|c)+",
            r"\(a\)[]b]",
            "(?i)a(?-i:b)(?=c)(?<!d)(?>e)",
            r"[^[:^alpha:]\]x]+(y)",
            r"\bfoo\s\p{Lu}\x{41}",
        ] {
            assert!(depends_on_nothing(pattern), "{pattern}");
        }
        for pattern in [
            r"(a)\1",
            r"(a)\g{-1}",
            r"\Qa",
            r"a\E",
            r"\c(",
            "(?x)a # b",
            "(?<n>a)",
            "(?'n'a)",
            "(?P<n>a)",
            "(?1)",
            "(?R)",
            "(?(1)a)",
            "(?#a)",
            "(?C)",
            "(?J)",
            "(*COMMIT)a",
            "a(*SKIP)b",
            "a)|(b",
            "(a",
            "a)",
            "[(]a",
            "[a",
            "[[:(",
            "a\\",
        ] {
            assert!(!depends_on_nothing(pattern), "{pattern}");
        }
    }
}
