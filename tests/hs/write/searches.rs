//! Random searches with a replacement, and what they make of a text: lines and flags as a reader of
//! the manual understands them, with the engine `regex-automata`, and perl for `-P`.

use std::{
    io::Write as _,
    process::{Command, Stdio},
    vec,
};

use regex_automata::{meta::Regex, util::syntax};

use crate::harness::random::{Choose, Rng};

/// The mark of UTF-8.
pub(super) const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";

/// A random search.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) args: Vec<String>,
    pub(super) patterns: Vec<String>,
    and: Vec<String>,
    not: Vec<String>,
    pub(super) replacement: String,
    fixed: bool,
    pub(super) perl: bool,
    multiline: bool,
    word: bool,
    line: bool,
    insensitive: bool,
    limit: Option<usize>,
    pub(super) text: bool,
    hidden: bool,
    no_ignore: bool,
    pub(super) glob: Option<&'static str>,
    pub(super) follow: bool,
}

/// Patterns of all engines, with the replacements whose groups they have.
const PATTERNS: [&str; 18] = [
    "before",
    "[bB]efore|x",
    r"(\w+)-(\w+)",
    r"(?P<a>be)(fore)?",
    r"\bx",
    "x*",
    "^",
    "$",
    "^$",
    "^ *",
    ".",
    r"\s+",
    r"\w+$",
    "é",
    r"[^a-z]",
    r"(?i)BEFORE",
    r"(?-u:\xe9)",
    r"\r",
];

/// Patterns of which perl and PCRE2 have the same idea in bytes.
const PERL_PATTERNS: [&str; 6] = [
    "(?<=[a ])before",
    "(b)e(?!forehand)",
    r"([a-z])\1",
    "before(?=$)",
    "(?>be+)fore",
    r"b\Kefore",
];

const FIXED_PATTERNS: [&str; 5] = ["a-b", ".", "before", "x", "é"];

const REPLACEMENTS: [&str; 12] = [
    "after", "", "$0", "${0}s", "<$1>", "$2--$1", "$$", "[${a}]", "é", "$1a", "one\ntwo", "before",
];

const CONDITIONS: [&str; 5] = ["before", "x", "a-b", "é", "Before"];

impl Search {
    pub(super) fn random(rng: &mut Rng) -> Search {
        let kind = rng.usize(..10);
        let (fixed, perl) = (kind == 0 || kind == 1, kind == 2);
        let multiline = !perl && rng.chance(20);
        let pool: &[&str] = match (fixed, perl) {
            (true, _) => &FIXED_PATTERNS,
            (_, true) => &PERL_PATTERNS,
            _ => &PATTERNS,
        };
        let mut patterns: Vec<String> = vec![rng.pick(pool).into()];
        if !perl && rng.chance(15) {
            let second: String = rng.pick(pool).into();
            // A group may have a name only once.
            patterns.extend((second != patterns[0]).then_some(second));
        }
        if multiline && !fixed && rng.chance(60) {
            patterns =
                vec![rng.pick(&[r"before\s+x", r"(?s)x.*?before", r"\n\n", r"x\n(\w)"]).into()];
        }
        let mut replacement = rng.pick(&REPLACEMENTS);
        let (mut and, mut not) = (Vec::new(), Vec::new());
        let conditions: Vec<&str> =
            CONDITIONS.into_iter().filter(|it| !perl || it.is_ascii()).collect();
        if !multiline && rng.chance(20) {
            let list = if rng.bool() && !perl { &mut and } else { &mut not };
            list.push(rng.pick(&conditions).into());
        }
        if !and.is_empty() && replacement.contains(['1', '2', '{']) {
            // The groups of several patterns have numbers of their own.
            replacement = "after";
        }
        let mut search = Search {
            args: Vec::new(),
            patterns,
            and,
            not,
            replacement: replacement.into(),
            fixed,
            perl,
            multiline,
            // Perl's words consist of bytes.
            word: !perl && rng.chance(12),
            line: rng.chance(8),
            insensitive: rng.chance(15),
            limit: (!multiline && rng.chance(15)).then(|| rng.usize(1..4)),
            text: rng.chance(10),
            hidden: rng.chance(20),
            no_ignore: rng.chance(20),
            glob: rng.chance(20).then(|| rng.pick(&["*.txt", "!*.txt", "d/**"])),
            follow: rng.chance(15),
        };
        search.args = search.words();
        search
    }

    fn words(&self) -> Vec<String> {
        let mut args: Vec<String> = Vec::new();
        for pattern in &self.patterns {
            args.extend(["-e".into(), pattern.clone()]);
        }
        for (flag, patterns) in [("--and", &self.and), ("--not", &self.not)] {
            args.extend(patterns.iter().map(|pattern| format!("{flag}={pattern}")));
        }
        args.extend(["-r".into(), self.replacement.clone()]);
        for (flag, is_set) in [
            ("-F", self.fixed),
            ("-P", self.perl),
            ("-U", self.multiline),
            ("-w", self.word),
            ("-x", self.line),
            ("-i", self.insensitive),
            ("-a", self.text),
            ("--hidden", self.hidden),
            ("--no-ignore", self.no_ignore),
            ("-L", self.follow),
        ] {
            args.extend(is_set.then(|| flag.into()));
        }
        args.extend(self.limit.map(|limit| format!("-m{limit}")));
        args.extend(self.glob.map(|glob| format!("-g{glob}")));
        args
    }

    /// Whether a file with this name is searched.
    pub(super) fn wants(&self, name: &str) -> bool {
        let is_named = match self.glob {
            Some("*.txt") => name.ends_with(".txt"),
            Some("!*.txt") => !name.ends_with(".txt"),
            Some(_) => name.starts_with("d/"),
            None => true,
        };
        // Globs of the command line outrank the rules of files, and show hidden names.
        let is_chosen = self.glob.is_some_and(|glob| !glob.starts_with('!')) && is_named;
        let is_ignored = name.ends_with(".log") && !self.no_ignore && !is_chosen;
        let is_below_hidden = name.contains("/.") && self.glob != Some("d/**");
        let is_hidden = name.starts_with('.') && !is_chosen || is_below_hidden;
        is_named && !is_ignored && (self.hidden || !is_hidden)
    }

    /// One of some patterns, as the flags turn them into one of the engine.
    fn joined<'p>(&self, patterns: impl IntoIterator<Item = &'p String>) -> String {
        let quoted = |pattern: &String| match self.fixed {
            true => pattern.replace('.', r"\.").replace('-', r"\-"),
            false => pattern.clone(),
        };
        let one: Vec<String> =
            patterns.into_iter().map(|pattern| format!("(?:{})", quoted(pattern))).collect();
        let one = one.join("|");
        let flags = if self.insensitive { "(?mi)" } else { "(?m)" };
        match (self.line, self.word) {
            (true, _) => format!("{flags}^(?:{one})$"),
            (_, true) => format!(r"{flags}\b{{start-half}}(?:{one})\b{{end-half}}"),
            _ => format!("{flags}(?:{one})"),
        }
    }

    /// The whole file after the replacement.
    pub(super) fn apply(&self, old: &[u8]) -> Vec<u8> {
        let (mark, text) = match old.strip_prefix(UTF8_MARK) {
            Some(text) => (UTF8_MARK, text),
            None => (&b""[..], old),
        };
        let pattern = self.joined(self.patterns.iter().chain(&self.and));
        let mut new = mark.to_vec();
        if self.multiline {
            replace_all(&regex(&pattern), text, true, &self.replacement, &mut new);
            return new;
        }
        let test = |pattern: &String| regex(&self.joined([pattern]));
        let pattern_alone = (!self.perl).then(|| regex(&self.joined(&self.patterns)));
        let and: Vec<Regex> = self.and.iter().map(test).collect();
        let not: Vec<Regex> = self.not.iter().map(test).collect();
        let mut left = self.limit.unwrap_or(usize::MAX);
        let mut perl = self.perl.then(|| Perl::replace(&self.joined(&self.patterns), text, self));
        let whole = (!self.perl).then(|| regex(&pattern));
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            let (body, end) = match line.strip_suffix(b"\n") {
                Some(body) => (body, &b"\n"[..]),
                None => (line, &b""[..]),
            };
            let changed = perl.as_mut().map(|lines| lines.next().expect("a line of perl"));
            let found = match &changed {
                Some(changed) => changed.is_some(),
                None => pattern_alone.as_ref().is_some_and(|it| it.is_match(body)),
            };
            let is_wanted = found
                && and.iter().all(|it| it.is_match(body))
                && !not.iter().any(|it| it.is_match(body));
            if !is_wanted || left == 0 {
                new.extend_from_slice(line);
                continue;
            }
            left -= 1;
            match (changed, &whole) {
                (Some(changed), _) => new.extend(changed.expect("the line matches")),
                (_, Some(whole)) => {
                    replace_all(whole, body, end.is_empty(), &self.replacement, &mut new);
                }
                _ => unreachable!("one engine replaces"),
            }
            new.extend_from_slice(end);
        }
        new
    }
}

fn regex(pattern: &str) -> Regex {
    let syntax = syntax::Config::new().utf8(false);
    let config = Regex::config().utf8_empty(false);
    let built = Regex::builder().configure(config).syntax(syntax).build(pattern);
    built.unwrap_or_else(|error| panic!("{pattern}: {error}"))
}

/// Replaces what `regex` matches in `text`. As ripgrep prints it, nothing is inserted at the end of
/// a file whose last line has no line feed.
fn replace_all(regex: &Regex, text: &[u8], is_last: bool, replacement: &str, out: &mut Vec<u8>) {
    let mut at = 0;
    for groups in regex.captures_iter(text) {
        let span = groups.get_match().expect("a match");
        if is_last && span.is_empty() && span.start() == text.len() {
            break;
        }
        out.extend_from_slice(&text[at..span.start()]);
        groups.interpolate_bytes_into(text, replacement.as_bytes(), out);
        at = span.end();
    }
    out.extend_from_slice(&text[at..]);
}

/// What perl makes of lines.
struct Perl;

impl Perl {
    /// For each line of `text`, the line without its end after the replacement; `None` without a
    /// match.
    fn replace(pattern: &str, text: &[u8], search: &Search) -> vec::IntoIter<Option<Vec<u8>>> {
        // A blank line begins the output of each line that matches, so that lengths divide them.
        let script = r#"
            binmode STDIN; binmode STDOUT; local $/ = "\n";
            my ($pattern, $replacement) = @ARGV;
            my $regex = qr/$pattern/;
            sub expand {
                my ($text, @groups) = @_;
                $text =~ s/\$(?:(\$)|(\w+)|\{(\w+)\})/
                    defined $1 ? '$' : do { my $n = $2 \/\/ $3; $n =~ m,^\d+$, ? $groups[$n] \/\/ '' : '' }/ge;
                return $text;
            }
            while (my $line = <STDIN>) {
                $line =~ s/\n\z//;
                my $count = ($line =~ s/$regex/
                    expand($replacement, map { $_ == 0 ? $& : substr($line, $-[$_] \/\/ 0, ($+[$_] \/\/ 0) - ($-[$_] \/\/ 0)) } 0 .. $#+)/ge);
                print $count ? length($line) : -1, "\n", $count ? $line : "";
            }"#;
        let mut perl = Command::new("perl")
            .args(["-e", script, pattern, &search.replacement])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("perl runs");
        perl.stdin.take().expect("a pipe").write_all(text).expect("perl reads");
        let output = perl.wait_with_output().expect("perl ends");
        assert!(output.status.success(), "perl: {pattern}");
        let (mut rest, mut lines) = (output.stdout.as_slice(), Vec::new());
        while !rest.is_empty() {
            let end = rest.iter().position(|&byte| byte == b'\n').expect("a length");
            let length: i64 =
                str::from_utf8(&rest[..end]).expect("text").parse().expect("a number");
            rest = &rest[end + 1..];
            lines.push(usize::try_from(length).ok().map(|length| {
                let (line, behind) = rest.split_at(length);
                rest = behind;
                line.to_vec()
            }));
        }
        lines.into_iter()
    }
}
