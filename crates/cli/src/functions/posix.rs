//! POSIX regexes, as the GNU C library reads them, in the matcher's syntax.
//!
//! ```text
//! extended   ^[[:space:]]*(def|class)\>     ^[\s]*(?:def|class)\b{end}
//! basic      ^\(def\|class\)\+ [\a]         ^(?:def|class)+ [\\a]
//! ```
//!
//! Classes are Unicode's, as in every locale with UTF-8. What GNU adds is known: `\w`, `\s`, `\b`,
//! `\<` and their relatives, and in basic regexes `\|`, `\+` and `\?`. What it rejects is an error,
//! and so are back-references, which the matcher has not.

/// How deep groups may be nested.
const MAX_DEPTH: usize = 100;

/// The most times that GNU lets an interval repeat something.
const MAX_REPEATS: u32 = 0x7fff;

/// Translates a regex, which is an extended one or a basic one.
///
/// # Errors
/// The reason why it cannot be translated.
pub(super) fn translate(regex: &str, is_extended: bool) -> Result<String, String> {
    let text: Vec<char> = regex.chars().collect();
    let mut translation = Translation { text: &text, at: 0, is_extended, out: String::new() };
    translation.alternatives(0)?;
    Ok(translation.out)
}

struct Translation<'a> {
    text: &'a [char],
    at: usize,
    is_extended: bool,
    out: String,
}

/// An element in a regex.
enum RegexToken {
    /// What stands for one character.
    Atom(String),
    /// What stands for a place. Nothing can repeat it.
    Place(&'static str),
    Open,
    Close,
    Or,
    /// `*` and its relatives, as the matcher writes them.
    Repeat(String),
}

impl Translation<'_> {
    /// Translates alternatives, up to the end of their group, or at depth 0 of the regex.
    fn alternatives(&mut self, depth: usize) -> Result<(), String> {
        if depth > MAX_DEPTH {
            return Err(format!("groups are nested more than {MAX_DEPTH} deep"));
        }
        // Where the last element began, if it can be repeated.
        let mut last = None;
        // Whether a basic regex may have an anchor here.
        let mut is_first = true;
        let mut is_repeated = false;
        while self.at < self.text.len() {
            let token = self.token(is_first, depth)?;
            let start = self.out.len();
            let token = match token {
                // In a basic regex, a sign that has nothing to repeat stands for itself.
                RegexToken::Repeat(sign)
                    if last.is_none() && !self.is_extended && sign.len() == 1 =>
                {
                    RegexToken::Atom(format!("\\{sign}"))
                }
                // GNU rejects `**` there, but not `*\+`.
                RegexToken::Repeat(sign) if is_repeated && !matches!(&*sign, "+" | "?") => {
                    return Err("a repetition of a repetition".to_owned());
                }
                token => token,
            };
            is_repeated = !self.is_extended && matches!(token, RegexToken::Repeat(_));
            (last, is_first) = match token {
                RegexToken::Atom(atom) => {
                    self.out += &atom;
                    (Some(start), false)
                }
                RegexToken::Place(place) => {
                    self.out += place;
                    (None, false)
                }
                RegexToken::Open => {
                    self.out += "(?:";
                    self.alternatives(depth + 1)?;
                    self.out += ")";
                    (Some(start), false)
                }
                RegexToken::Close => return Ok(()),
                RegexToken::Or => {
                    self.out += "|";
                    (None, true)
                }
                RegexToken::Repeat(sign) => {
                    let Some(start) = last else {
                        return Err("a repetition of nothing".to_owned());
                    };
                    // A sign behind another would make it a lazy one.
                    self.out.insert_str(start, "(?:");
                    self.out += ")";
                    self.out += &sign;
                    (Some(start), false)
                }
            };
        }
        if depth == 0 { Ok(()) } else { Err("a group that is not closed".to_owned()) }
    }

    /// Reads an element.
    fn token(&mut self, is_first: bool, depth: usize) -> Result<RegexToken, String> {
        let char = self.text[self.at];
        self.at += 1;
        let is_extended = self.is_extended;
        Ok(match char {
            '\\' => return self.escape(depth),
            '.' => RegexToken::Atom(".".to_owned()),
            '[' => RegexToken::Atom(self.bracket()?),
            '^' if is_extended || is_first => RegexToken::Place("^"),
            '$' if is_extended || self.ends_branch() => RegexToken::Place("$"),
            '*' => RegexToken::Repeat("*".to_owned()),
            '+' | '?' if is_extended => RegexToken::Repeat(char.to_string()),
            '(' if is_extended => RegexToken::Open,
            ')' if is_extended && depth > 0 => RegexToken::Close,
            '|' if is_extended => RegexToken::Or,
            '{' if is_extended => RegexToken::Repeat(self.interval()?),
            other => literal(other),
        })
    }

    /// Whether a basic regex, or a branch in it, ends here.
    fn ends_branch(&self) -> bool {
        matches!(self.text[self.at..], [] | ['\\', ')' | '|', ..])
    }

    /// Reads what a backslash precedes.
    fn escape(&mut self, depth: usize) -> Result<RegexToken, String> {
        let Some(&char) = self.text.get(self.at) else {
            return Err("a backslash at the end".to_owned());
        };
        self.at += 1;
        let is_basic = !self.is_extended;
        Ok(match char {
            '(' if is_basic => RegexToken::Open,
            ')' if is_basic && depth > 0 => RegexToken::Close,
            ')' if is_basic => return Err("a group that is not opened".to_owned()),
            '|' if is_basic => RegexToken::Or,
            '+' | '?' if is_basic => RegexToken::Repeat(char.to_string()),
            '{' if is_basic => RegexToken::Repeat(self.interval()?),
            'w' | 'W' | 's' | 'S' => RegexToken::Atom(format!("\\{char}")),
            'b' => RegexToken::Place(r"\b"),
            'B' => RegexToken::Place(r"\B"),
            '<' => RegexToken::Place(r"\b{start}"),
            '>' => RegexToken::Place(r"\b{end}"),
            '`' => RegexToken::Place("^"),
            '\'' => RegexToken::Place("$"),
            '1'..='9' => return Err("a back-reference".to_owned()),
            other => literal(other),
        })
    }

    /// Reads an interval after its brace: `2,5}`, or `2,5\}` in a basic regex.
    fn interval(&mut self) -> Result<String, String> {
        let error = || "an interval that is none".to_owned();
        let end = if self.is_extended { &['}'][..] } else { &['\\', '}'] };
        let rest = &self.text[self.at..];
        let length = rest.windows(end.len()).position(|next| next == end).ok_or_else(error)?;
        self.at += length + end.len();
        let bounds: String = rest[..length].iter().collect();
        let number = |text: &str| match text.chars().all(|char| char.is_ascii_digit()) {
            true => text.parse().ok().filter(|number| *number <= MAX_REPEATS).ok_or_else(error),
            false => Err(error()),
        };
        let (least, most) = match bounds.split_once(',') {
            None => (number(&bounds)?, Some(number(&bounds)?)),
            Some((least, most)) => {
                let least = if least.is_empty() { 0 } else { number(least)? };
                (least, if most.is_empty() { None } else { Some(number(most)?) })
            }
        };
        match most {
            None => Ok(format!("{{{least},}}")),
            Some(most) if least <= most => Ok(format!("{{{least},{most}}}")),
            Some(_) => Err(error()),
        }
    }

    /// Reads a bracket expression after its bracket.
    fn bracket(&mut self) -> Result<String, String> {
        let mut class = "[".to_owned();
        if self.text.get(self.at) == Some(&'^') {
            self.at += 1;
            class.push('^');
        }
        let first = self.at;
        loop {
            if self.at > first && self.next_is(']') {
                self.at += 1;
                class.push(']');
                return Ok(class);
            }
            // Elsewhere, a hyphen stands for itself only at the end.
            if self.at > first && self.next_is('-') && self.text.get(self.at + 1) != Some(&']') {
                return Err("a range that is none".to_owned());
            }
            let start = match self.member()? {
                Member::Class(text) => {
                    class += text;
                    continue;
                }
                Member::Char(char) => char,
            };
            push_member(&mut class, start);
            if !self.next_is('-') || matches!(self.text.get(self.at + 1), Some(']') | None) {
                continue;
            }
            self.at += 1;
            match self.member()? {
                Member::Char(end) if start <= end => {
                    class.push('-');
                    push_member(&mut class, end);
                }
                _ => return Err("a range that is none".to_owned()),
            }
        }
    }

    fn next_is(&self, char: char) -> bool {
        self.text.get(self.at) == Some(&char)
    }

    /// Reads a member of a bracket expression: a character, or `[:alpha:]` and the like.
    fn member(&mut self) -> Result<Member, String> {
        let Some(&char) = self.text.get(self.at) else {
            return Err("a bracket that is not closed".to_owned());
        };
        self.at += 1;
        let kind = match self.text.get(self.at) {
            Some(kind @ (':' | '.' | '=')) if char == '[' => *kind,
            _ => return Ok(Member::Char(char)),
        };
        let rest = &self.text[self.at + 1..];
        let Some(length) = rest.windows(2).position(|next| next == [kind, ']']) else {
            return Err("a bracket that is not closed".to_owned());
        };
        self.at += 1 + length + 2;
        let name: String = rest[..length].iter().collect();
        match (kind, &rest[..length]) {
            (':', _) => match class_of(&name) {
                Some(class) => Ok(Member::Class(class)),
                None => Err("a class that is unknown".to_owned()),
            },
            (_, [char]) => Ok(Member::Char(*char)),
            _ => Err("a character of several".to_owned()),
        }
    }
}

/// A member of a bracket expression.
enum Member {
    Char(char),
    /// What a class contains.
    Class(&'static str),
}

/// What the class with this name contains, as members of a class in the matcher's syntax.
fn class_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "alpha" => r"\p{Alphabetic}",
        "digit" => "0-9",
        "alnum" => r"\p{Alphabetic}\p{Nd}",
        "upper" => r"\p{Uppercase}",
        "lower" => r"\p{Lowercase}",
        "space" => r"\s",
        "blank" => r"\t\p{Zs}",
        "punct" => r"\p{P}\p{S}",
        "cntrl" => r"\p{Cc}",
        "graph" => r"[^\s\p{C}]",
        "print" => r"[^\s\p{C}]\p{Zs}",
        "xdigit" => "0-9A-Fa-f",
        _ => return None,
    })
}

fn push_member(class: &mut String, char: char) {
    if r"\[]^-&~".contains(char) {
        class.push('\\');
    }
    class.push(char);
}

fn literal(char: char) -> RegexToken {
    let is_special = r"\.+*?()|[]{}^$".contains(char);
    RegexToken::Atom(if is_special { format!("\\{char}") } else { char.to_string() })
}
