//! Where strings and comments end.

use memchr::{memchr, memchr2, memmem};

/// What strings and comments look like in a language.
#[derive(Clone, Debug, Default)]
pub struct LexisConfig {
    /// What begins a comment that ends with its line, such as `//`. A single byte does so only at
    /// the beginning of a line or behind a blank.
    pub line_comments: Vec<String>,
    /// What begins and ends a comment of several lines, such as `/*` and `*/`.
    pub block_comments: Vec<(String, String)>,
    /// What encloses a string that ends on its line.
    pub quotes: Vec<String>,
    /// What begins and ends a string that may have several lines.
    pub texts: Vec<(String, String)>,
    /// What begins and ends such a string in which a backslash is a byte like any other.
    pub raw_texts: Vec<(String, String)>,
    /// A backslash in a string precedes a byte that does not end it.
    pub has_escapes: bool,
    /// An apostrophe encloses one character, or nothing.
    pub has_characters: bool,
    /// `<<END` begins a text that ends with a line of this word.
    pub has_heredocs: bool,
    /// A slash that cannot divide begins a regex.
    pub has_regexes: bool,
    /// Comments of several lines are found from their ends, upwards; no other token has several
    /// lines.
    pub is_read_upwards: bool,
}

/// The prepared form of a [`LexisConfig`].
#[derive(Clone, Debug)]
pub struct Lexis {
    pub(crate) config: LexisConfig,
    /// The bytes that tokens begin with.
    begins: Box<[bool; 256]>,
}

/// A string or comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) end: usize,
    pub(crate) is_comment: bool,
    /// Which kind of text has no end, by its number; such texts end with their line.
    pub(crate) unclosed: Option<usize>,
}

/// Bytes that a character between apostrophes may have, with its escape.
const MAX_CHARACTER: usize = 12;

impl Lexis {
    /// Prepares what `config` describes.
    #[must_use]
    pub fn new(config: LexisConfig) -> Lexis {
        let mut begins = Box::new([false; 256]);
        let pairs = config.block_comments.iter().chain(&config.texts).chain(&config.raw_texts);
        let opens = pairs.map(|(open, _)| open);
        for open in opens.chain(&config.line_comments).chain(&config.quotes) {
            begins[usize::from(open.as_bytes()[0])] = true;
        }
        begins[usize::from(b'\'')] |= config.has_characters;
        begins[usize::from(b'<')] |= config.has_heredocs;
        begins[usize::from(b'/')] |= config.has_regexes;
        Lexis { config, begins }
    }

    /// Whether a token may begin with `byte`.
    pub(crate) fn may_begin(&self, byte: u8) -> bool {
        self.begins[usize::from(byte)]
    }

    /// Whether a text or comment may have several lines, which are found from the start of the
    /// haystack.
    pub(crate) fn has_long_tokens(&self) -> bool {
        let config = &self.config;
        let counts = [config.block_comments.len(), config.texts.len(), config.raw_texts.len()];
        !config.is_read_upwards && (counts != [0; 3] || config.has_heredocs)
    }

    /// The token that begins at `at`. Texts of the kinds in `unclosed` end with their line.
    pub(crate) fn token(&self, text: &[u8], at: usize, unclosed: u64) -> Option<Token> {
        if !self.may_begin(text[at]) {
            return None;
        }
        let config = &self.config;
        let rest = &text[at..];
        let begins = |open: &str| rest.starts_with(open.as_bytes());
        let comment = |end| Some(Token { end, is_comment: true, unclosed: None });
        let string = |end| Some(Token { end, is_comment: false, unclosed: None });
        if let Some((open, close)) = config.block_comments.iter().find(|(open, _)| begins(open)) {
            let from = at + open.len();
            let found = memmem::find(&text[from..], close.as_bytes());
            return comment(found.map_or(text.len(), |i| from + i + close.len()));
        }
        let is_free = at == 0 || text[at - 1].is_ascii_whitespace();
        let is_line = |open: &&String| begins(open) && (open.len() > 1 || is_free);
        if config.line_comments.iter().any(|open| is_line(&open)) {
            return comment(line_end(text, at));
        }
        let texts = || config.raw_texts.iter().chain(&config.texts);
        if let Some(kind) = texts().position(|(open, _)| begins(open)) {
            let (open, close) = texts().nth(kind)?;
            let (from, close) = (at + open.len(), close.as_bytes());
            let has_escapes = config.has_escapes && kind >= config.raw_texts.len();
            if unclosed >> kind & 1 == 0
                && let Some(end) = self.text_end(text, from, close, has_escapes)
            {
                return string(end);
            }
            let line = &text[..line_end(text, from)];
            let end = self.text_end(line, from, close, has_escapes).unwrap_or(from);
            return Some(Token { end, is_comment: false, unclosed: Some(kind) });
        }
        if config.has_characters && rest[0] == b'\'' {
            return character_end(rest).and_then(|length| string(at + length));
        }
        if let Some(open) = config.quotes.iter().find(|open| begins(open)) {
            let from = at + open.len();
            let line = &text[..line_end(text, from)];
            return string(
                self.text_end(line, from, open.as_bytes(), config.has_escapes)
                    .unwrap_or(line.len()),
            );
        }
        if config.has_heredocs && rest[0] == b'<' {
            return heredoc_end(text, at).and_then(string);
        }
        if config.has_regexes && rest[0] == b'/' {
            return regex_end(text, at).and_then(string);
        }
        None
    }

    /// Where the text ends, behind `close`, that has its contents from `from` on.
    fn text_end(&self, text: &[u8], from: usize, close: &[u8], has_escapes: bool) -> Option<usize> {
        if close == b"`" && self.config.has_regexes {
            return template_end(text, from);
        }
        if !has_escapes {
            return memmem::find(&text[from..], close).map(|i| from + i + close.len());
        }
        let mut at = from;
        loop {
            at += memchr2(close[0], b'\\', &text[at..])?;
            if text[at] == b'\\' {
                at = (at + 2).min(text.len());
            } else if text[at..].starts_with(close) {
                return Some(at + close.len());
            } else {
                at += 1;
            }
        }
    }
}

/// The end of the line that contains `at`, before its line feed.
pub(crate) fn line_end(text: &[u8], at: usize) -> usize {
    memchr(b'\n', &text[at..]).map_or(text.len(), |i| at + i)
}

/// The length of the character between apostrophes that `text` begins with.
fn character_end(text: &[u8]) -> Option<usize> {
    let text = &text[..text.len().min(MAX_CHARACTER)];
    match text.get(1)? {
        b'\\' => text.iter().skip(3).position(|&byte| byte == b'\'').map(|i| i + 4),
        b'\n' | b'\'' => None,
        _ => {
            let close = text.iter().skip(2).position(|&byte| byte == b'\'')? + 2;
            let is_one = close == 2 || text[1..close].iter().all(|byte| !byte.is_ascii());
            is_one.then_some(close + 1)
        }
    }
}

/// Where a JavaScript template ends that has its contents from `from` on. Expressions in it may
/// contain further templates.
fn template_end(text: &[u8], from: usize) -> Option<usize> {
    // For each template that is not closed yet, the braces that are open in its expression.
    let mut open = vec![0usize];
    let mut at = from;
    while let Some(&byte) = text.get(at) {
        let depth = open.last_mut()?;
        match byte {
            b'\\' => at += 1,
            b'`' if *depth == 0 => {
                open.pop();
                if open.is_empty() {
                    return Some(at + 1);
                }
            }
            b'`' => open.push(0),
            b'$' if *depth == 0 && text.get(at + 1) == Some(&b'{') => {
                *depth = 1;
                at += 1;
            }
            b'{' if *depth > 0 => *depth += 1,
            b'}' if *depth > 0 => *depth -= 1,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Where the document ends that `<<` at `at` announces: behind the line that is its word.
fn heredoc_end(text: &[u8], at: usize) -> Option<usize> {
    let line = line_end(text, at);
    let rest = text[at..line].strip_prefix(b"<<")?;
    let rest = rest.strip_prefix(b"<").unwrap_or(rest);
    let rest = rest.strip_prefix(b"-").or(rest.strip_prefix(b"~")).unwrap_or(rest);
    let rest = match rest.first()? {
        b'"' | b'\'' | b'\\' => &rest[1..],
        _ => rest,
    };
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let length = rest.iter().position(|byte| !is_word(byte)).unwrap_or(rest.len());
    let word = &rest[..length];
    if !word.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_') {
        return None;
    }
    let mut start = line + 1;
    while start < text.len() {
        let end = line_end(text, start);
        let line = text[start..end].trim_ascii();
        let after = line.strip_prefix(word);
        if after.is_some_and(|after| !after.first().is_some_and(is_word)) {
            return Some(end);
        }
        start = end + 1;
    }
    None
}

/// The end of the regex that begins at `at`, if what precedes the slash makes it one.
fn regex_end(text: &[u8], at: usize) -> Option<usize> {
    let before = text[..at].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
    if !before.is_none_or(|byte| b"(,=:[!&|?{};+\n".contains(byte)) {
        return None;
    }
    let line = &text[..line_end(text, at)];
    let (mut at, mut in_class) = (at + 1, false);
    while let Some(&byte) = line.get(at) {
        match byte {
            b'\\' => at += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'/' if !in_class => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}
