//! The vocabulary of random sessions: words, patterns and flags, as tables.

/// Lines and parts of lines, separated by bars.
const WORDS: &[u8] = b"gem|Gem|gems|gemstone|a|b| |  \t|foo|foobar|42|7|\
    -2|\xc3\xa9|\xc3\x89|\xce\xb1\xce\xb2|\xff|_|.|(x)|\xe2\x84\xaa|gem gem|e\xcc\x81|\r";

/// Patterns that exercise every strategy of a matcher; [`patterns`] adds those that a blank cannot
/// separate.
const PATTERNS: &str = r"
    gem Gem gems? foo|foobar foobar|foo ^gem gem$ ^$ ^ $ \bgem\b \w+ \d+ \s [^a] [^a].* . .. g.m
    x* \W (?i)gem (?-u:\xff) é \p{Greek} k gem\s*$ ^\s+ gem.*gem a|b (a|b)+ [a-f]{2,3} nowhere
    nowhere|gem \w{5}\s+\w -2 \. \(x\) gem|42|foo e [[:digit:]] \b (?s). (g)(?P<rest>\w*) gem\n \n
    gem\s+\w (?s)gem.*foo \r \r$ \Agem gem\z (?m)^. a\n+b [^x]+$ \x00 \b{start}g gem(?R)$ (";

/// Patterns that only PCRE2 accepts, or that it reads in its own way.
const PCRE2_PATTERNS: &str = r"
    (?<=g)em gem(?!s) (\w)\1 (?i)g\Kem ^(?>a+)b \Qgem\E (?<n>o)\k<n> \h+ gem\R? (?=gem)";

/// Flags that change how results look. A value stands in the flag or after a blank.
pub(crate) const OUTPUT: &str = r"
    -n, -N, --column, --no-column, -b, --no-byte-offset, -H, -I, --heading, --no-heading, -o, -A0,
    -A1, -A3, -B1, -B2, -C1, -C2, -C 0, --passthru, --vimgrep, -M1, -M8, -M30, -M 0,
    --max-columns-preview, --no-max-columns-preview, --trim, --no-trim, -0, -p, --color=always,
    --color ansi, --color=never, --color=auto, --colors=highlight:bg:blue, --colors match:none,
    --colors=line:style:intense, --colors=column:fg:0xff,1,2, --colors=path:style:underline,
    --context-separator=~, --context-separator=, --no-context-separator, --field-match-separator=|,
    --field-context-separator=#, --field-match-separator=\t\x41, --path-separator=+, -q,
    --line-buffered, --no-line-buffered, --block-buffered, --no-block-buffered, -r x, -r=, -r [$0],
    --replace=$1$rest, -r ${1}_$$, -r $0$0, --hyperlink-format=file, --hyperlink-format=vscode,
    --hyperlink-format x://{path}:{line}:{column}, --hyperlink-format=none,
    --hyperlink-format=kitty, --hostname-bin=echo, --sort=path, --sortr=path, --sort=none,
    --sort-files, --no-sort-files, --stats, --no-stats, --no-messages, --messages,
    --no-ignore-messages, --ignore-messages, --debug, --trace, --include-zero, --no-include-zero,
    -m0, -m1, -m2, -m3, --stop-on-nonmatch, --no-config, --sortr=modified";

/// Flags that select what is printed. A value stands in the flag or after a blank.
pub(crate) const MODES: &str = r"
    -c, -l, --count-matches, --files-without-match, --json, --no-json, --files, -c -o, --json -q";

/// Flags that change what matches, or how bytes are read. A value stands in the flag or after a
/// blank.
pub(crate) const SEARCH: &str = r"
    -v, --no-invert-match, -i, -s, -S, -w, -x, -F, --no-fixed-strings, -a, --no-text, --binary,
    --no-binary, --no-unicode, --unicode, --no-pcre2-unicode, --pcre2-unicode, -U, -U,
    --no-multiline, -U --multiline-dotall, --multiline-dotall, --no-multiline-dotall, --crlf,
    --crlf, --no-crlf, --null-data, -E=none, -E=auto, -E utf-8, -E utf-16le, -E=utf-16, -E latin1,
    -E=shift_jis, -E=gbk, --encoding=x-user-defined, --no-encoding, -P, -P, --no-pcre2,
    --engine=auto, --engine=pcre2, --engine=default, --auto-hybrid-regex, --no-auto-hybrid-regex,
    --mmap, --no-mmap, --dfa-size-limit=1M, --dfa-size-limit 10, --regex-size-limit=10M,
    --regex-size-limit 9K, -z, -z, --no-search-zip, --pre=cat, --pre=, --no-pre, --pre-glob=*.txt,
    --pre=tac --pre-glob=!*.txt, --pre=false, --pre=no-such-program, -j2";

/// Flags that select files. A value stands in the flag or after a blank.
pub(crate) const FILTER: &str = r"
    -g *.txt, -g=!*.txt, -g *.{txt,rs}, -g !sub, -g /sub/**, -g=*.TXT, --iglob=*.TXT,
    --iglob !*.RS, --glob-case-insensitive, --no-glob-case-insensitive, -t rust, -ttxt, -T rust,
    -Ttxt, -tall, -T all, --type-add=odd:*.log -todd, --type-add odd:include:rust,txt -t odd,
    --type-clear=rust, --type-clear rust -trust, -., --hidden, --no-hidden, -L, --no-follow, -d0,
    -d 1, --max-depth=2, --maxdepth=1, --max-filesize=10, --max-filesize 1K, --one-file-system,
    --no-one-file-system, -u, -uu, -uuu, --no-ignore, --ignore, --no-ignore-dot, --ignore-dot,
    --no-ignore-vcs, --ignore-vcs, --no-ignore-exclude, --ignore-exclude, --no-ignore-global,
    --ignore-global, --no-ignore-parent, --ignore-parent, --no-ignore-files, --ignore-files,
    --ignore-file=.rules, --ignore-file missing, --ignore-file-case-insensitive,
    --no-ignore-file-case-insensitive, --no-require-git, --require-git, -u --ignore-vcs, -g [,
    -t nosuch, --type-add=bad, -g *.gz, -g sub, --unrestricted, -u -u";

/// The lines and parts of lines.
pub(crate) fn words() -> Vec<&'static [u8]> {
    WORDS.split(|&byte| byte == b'|').collect()
}

/// The entries of a table of flags.
pub(crate) fn flags(table: &'static str) -> Vec<&'static str> {
    table
        .lines()
        .flat_map(|line| line.trim().trim_end_matches(',').split(", "))
        .filter(|flag| !flag.is_empty())
        .collect()
}

/// The patterns that every engine accepts, among them one that matches nothing but the empty text.
pub(crate) fn patterns() -> Vec<&'static str> {
    PATTERNS.split_whitespace().chain(["", "(?x)g e m"]).collect()
}

/// The patterns for `-P`.
pub(crate) fn pcre2_patterns() -> Vec<&'static str> {
    PCRE2_PATTERNS.split_whitespace().collect()
}
