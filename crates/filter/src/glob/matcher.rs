//! Matches globs against bytes.
//!
//! The matcher needs no recursion and no memory. Once wildcards have been passed, only the last `*`
//! and the last `**` can still take another byte: what precedes a wildcard has been matched as
//! early as possible, and a later wildcard makes up for the rest.
//!
//! What follows the last wildcard has a fixed length, so it is compared first, at the end of the
//! text. Most names fail there, at their extension.

use super::token::Token;

/// A glob, ready to match.
///
/// `Dirs` and `All` occur only where both dialects have them: at the start, or after a slash.
/// Elsewhere the matcher would give up too early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Glob {
    tokens: Box<[Token]>,
    /// How many tokens at the end match one byte each.
    tail: usize,
    /// How long the shortest text is that can match.
    shortest: usize,
}

impl Glob {
    pub(crate) fn new(tokens: Vec<Token>) -> Glob {
        let tail = tokens.iter().rev().take_while(|token| !token.is_run()).count();
        let shortest = tokens.iter().filter(|token| !token.is_run()).count();
        Glob { tokens: tokens.into_boxed_slice(), tail, shortest }
    }

    pub(crate) fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// Returns whether the whole text matches.
    pub(crate) fn is_match(&self, text: &[u8]) -> bool {
        if text.len() < self.shortest {
            return false;
        }
        let (front, back) = text.split_at(text.len() - self.tail);
        let (head, tail) = self.tokens.split_at(self.tokens.len() - self.tail);
        if !tail.iter().zip(back).rev().all(|(token, &byte)| token.is_match(byte)) {
            return false;
        }
        if head.is_empty() { front.is_empty() } else { match_runs(head, front) }
    }
}

/// Where matching continues after a wildcard takes one more step.
#[derive(Clone, Copy)]
struct Retry {
    /// The token after the wildcard.
    token: usize,
    /// The position at which that token was tried last.
    at: usize,
}

/// Matches tokens that end with a run against the whole text.
fn match_runs(tokens: &[Token], text: &[u8]) -> bool {
    let (mut token, mut at) = (0, 0);
    let mut star: Option<Retry> = None;
    // A `**`. There are two kinds; the token shows whether what it matches ends in a slash.
    let mut deep: Option<Retry> = None;
    loop {
        match tokens.get(token) {
            None if at == text.len() => return true,
            Some(Token::Star) => {
                token += 1;
                star = Some(Retry { token, at });
                continue;
            }
            Some(Token::Dirs | Token::All) => {
                token += 1;
                deep = Some(Retry { token, at });
                star = None;
                continue;
            }
            Some(single) if at < text.len() && single.is_match(text[at]) => {
                token += 1;
                at += 1;
                continue;
            }
            _ => {}
        }
        if let Some(retry) = star.as_mut().filter(|retry| is_not_slash(text, retry.at)) {
            retry.at += 1;
            (token, at) = (retry.token, retry.at);
        } else if let Some(next) = deep.and_then(|retry| deeper(tokens, text, retry)) {
            (token, at) = (next.token, next.at);
            deep = Some(next);
            star = None;
        } else {
            return false;
        }
    }
}

#[inline]
fn is_not_slash(text: &[u8], at: usize) -> bool {
    text.get(at).is_some_and(|&byte| byte != b'/')
}

/// Returns the next position at which what follows a `**` may begin.
fn deeper(tokens: &[Token], text: &[u8], retry: Retry) -> Option<Retry> {
    let step = if tokens[retry.token - 1] == Token::Dirs {
        memchr::memchr(b'/', &text[retry.at..])? + 1
    } else if retry.at < text.len() {
        1
    } else {
        return None;
    };
    Some(Retry { at: retry.at + step, ..retry })
}
