//! Globs on bytes: tokens, and the matcher that runs them.
//!
//! Two dialects are read into the same tokens: git's (`git.rs`) and ripgrep's (`ripgrep.rs`). The
//! matcher needs no recursion and no memory of its own: of the wildcards passed, only the last
//! `*` and the last `**` can still change their mind, because whatever stands before a wildcard
//! has already been matched as early as it can be, and a later wildcard makes up for the rest.
//! What follows the last wildcard has a fixed length, so it is compared first, at the end of the
//! text: most names fail there, on their extension.

mod byte_set;
mod git;
mod ripgrep;

pub(crate) use byte_set::ByteSet;
pub(crate) use git::tokens as git_tokens;
pub(crate) use ripgrep::{Scan, tokens as ripgrep_tokens};

/// One element of a glob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// This byte.
    Byte(u8),
    /// Any byte but a slash.
    Any,
    /// One of these bytes; a slash is never among them.
    Set(Box<ByteSet>),
    /// Any run of bytes without a slash.
    Star,
    /// Nothing, or any run of bytes that ends in a slash.
    Dirs,
    /// Any run of bytes at all.
    All,
}

impl Token {
    /// Whether it matches a run rather than one byte.
    fn is_run(&self) -> bool {
        matches!(self, Token::Star | Token::Dirs | Token::All)
    }

    #[inline]
    fn is_match(&self, byte: u8) -> bool {
        match self {
            Token::Byte(wanted) => *wanted == byte,
            Token::Any => byte != b'/',
            Token::Set(set) => set.has(byte),
            Token::Star | Token::Dirs | Token::All => false,
        }
    }
}

/// A glob ready to match.
///
/// `Dirs` and `All` stand only where both dialects have them: at the start, after a slash, or
/// after nothing but literal bytes. Elsewhere the matcher would give up too early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Glob {
    tokens: Box<[Token]>,
    /// How many tokens at the end match one byte each.
    tail: usize,
    /// The fewest bytes that can match.
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

    /// Whether the whole text matches.
    pub(crate) fn is_match(&self, text: &[u8]) -> bool {
        if text.len() < self.shortest {
            return false;
        }
        let (front, back) = text.split_at(text.len() - self.tail);
        let (head, tail) = self.tokens.split_at(self.tokens.len() - self.tail);
        if !tail.iter().zip(back).rev().all(|(token, &byte)| token.is_match(byte)) {
            return false;
        }
        if head.is_empty() { front.is_empty() } else { runs(head, front) }
    }
}

/// Where matching goes on after a wildcard takes one step more.
#[derive(Clone, Copy)]
struct Retry {
    /// The token after the wildcard.
    token: usize,
    /// The byte at which that token was tried last.
    at: usize,
}

/// Match tokens, the last of which is a run, against the whole text.
fn runs(tokens: &[Token], text: &[u8]) -> bool {
    let (mut token, mut at) = (0, 0);
    let mut star: Option<Retry> = None;
    // A `**` of either sort; whether it is one that has to end in a slash is seen from the token.
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

/// The next place at which what follows a `**` may begin.
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

#[cfg(test)]
mod tests;
