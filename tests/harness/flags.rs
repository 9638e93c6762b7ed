//! Every flag, in lists that are independent of the program's own tables: ripgrep's, and our own.

/// A flag.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flag {
    /// The spellings, separated by blanks: a letter, the name, aliases.
    pub(crate) names: &'static str,
    /// The switch that negates the flag; empty if there is none.
    pub(crate) negation: &'static str,
    pub(crate) value: Value,
}

/// The value of a flag.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    None,
    /// A valid value, and values that are rejected before the search starts, separated by bars.
    Some(&'static str, &'static str),
    /// A valid value, and values that are rejected before the search starts, separated by bars. The
    /// flag's value may be left out.
    Optional(&'static str, &'static str),
}

impl Flag {
    /// The spellings, without the negation.
    pub(crate) fn spellings(&self) -> impl Iterator<Item = &'static str> {
        self.names.split(' ')
    }

    pub(crate) fn negation(&self) -> Option<&'static str> {
        Some(self.negation).filter(|name| !name.is_empty())
    }

    /// A valid value, if the flag needs one.
    pub(crate) fn good(&self) -> Option<&'static str> {
        match self.value {
            Value::None | Value::Optional(..) => None,
            Value::Some(good, _) => Some(good),
        }
    }

    /// Whether the value of the flag may be left out.
    pub(crate) fn is_optional(&self) -> bool {
        matches!(self.value, Value::Optional(..))
    }

    /// A valid value that has to follow an equals sign.
    pub(crate) fn optional(&self) -> Option<&'static str> {
        match self.value {
            Value::Optional(good, _) => Some(good),
            Value::None | Value::Some(..) => None,
        }
    }

    /// The invalid values.
    pub(crate) fn bad(&self) -> Vec<&'static str> {
        match self.value {
            Value::None | Value::Some(_, ANY) | Value::Optional(_, ANY) => Vec::new(),
            Value::Some(_, bad) | Value::Optional(_, bad) => bad.split('|').collect(),
        }
    }
}

/// Stands for invalid values if the flag accepts every value.
const ANY: &str = "any";

const fn switch(names: &'static str, negation: &'static str) -> Flag {
    Flag { names, negation, value: Value::None }
}

const fn value(
    names: &'static str,
    negation: &'static str,
    good: &'static str,
    bad: &'static str,
) -> Flag {
    Flag { names, negation, value: Value::Some(good, bad) }
}

/// Invalid numbers.
const NUMBERS: &str = "x|-1|+x|1.5|0x10|1K| 1||99999999999999999999";
/// Invalid sizes.
const SIZES: &str = "x|-1|1.5|1b|1 K|K|| 1|99999999999999999999G";
/// Values that are no choice of any flag.
const CHOICES: &str = "x||AUTO|none,path";

/// Invalid durations.
const DURATIONS: &str = "x|-1|1q||.5|1s ago|1.2.3s|s";

/// Values that are no point in time.
const TIMES: &str = "x||3|-3d|3dago|2026-13-01|@|@x|P3D";

/// The flags that ripgrep does not have.
pub(crate) const OWN: &[Flag] = &[
    value("--index", "", "auto", CHOICES),
    switch("--index-update", ""),
    switch("--index-list", ""),
    switch("--index-status", ""),
    switch("--index-verify", ""),
    switch("--index-drop", ""),
    switch("--watch", "--no-watch"),
    switch("--index-watch", ""),
    switch("--index-unwatch", ""),
    value("--queue", "", "deque", CHOICES),
    switch("--raw", "--no-raw"),
    switch("--pager", "--no-pager"),
    Flag {
        names: "--progress",
        negation: "--no-progress",
        value: Value::Optional("never", "x|Auto|"),
    },
    switch("--end-column", "--no-end-column"),
    value("--column-unit", "", "chars", CHOICES),
    switch("--count-total", "--no-count-total"),
    value("--count-by", "--no-count-by", "extension", "x||Extension|ext"),
    Flag { names: "--names", negation: "--no-names", value: Value::Optional("path", "x|name|") },
    switch("--which", "--no-which"),
    value("--pattern", "", "x:gem", "gem|:gem"),
    value("--patterns-from", "", "/dev/null", "no-such-file"),
    value("--format", "--no-format", "{line}", "{|}|{x}|{line|{}"),
    switch("--show-function", "--no-show-function"),
    switch("--function-context", "--no-function-context"),
    value("--function-pattern", "", "c:^int", "c|:x|c:|c:!x|nosuch:x"),
    switch("--paragraph", "--no-paragraph"),
    value("--until", "--no-until", "^}", ANY),
    Flag { names: "--excerpt", negation: "--no-excerpt", value: Value::Optional("3", NUMBERS) },
    switch("--compact", "--no-compact"),
    value("--max-results", "--no-max-results", "3", NUMBERS),
    value("--max-files", "--no-max-files", "3", NUMBERS),
    value("--max-output", "--no-max-output", "3K", SIZES),
    value("--timeout", "--no-timeout", "10m", DURATIONS),
    value("--offset", "", "3", NUMBERS),
    switch("--spread", "--no-spread"),
    switch("--count-rest", "--no-count-rest"),
    switch("--tell-skipped", "--no-tell-skipped"),
    switch("--safe", ""),
    switch("--agent", "--no-agent"),
    switch("--agent-setup", ""),
    Flag { names: "--undo", negation: "", value: Value::Optional("LIST", ANY) },
    switch("--write", "--no-write"),
    switch("--dry-run", "--no-dry-run"),
    switch("--preserve-case", "--no-preserve-case"),
    value(
        "--if-patch",
        "",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "ba78|x",
    ),
    switch("--no-journal", "--journal"),
    switch("--yes", ""),
    value("--and", "", "gem", ANY),
    value("--not", "", "gem", ANY),
    value("--query", "", "gem", "|(|)|\"|-a"),
    switch("--per-file", "--no-per-file"),
    switch("--any-case", "--no-any-case"),
    switch("--fold-accents", "--no-fold-accents"),
    value("--files-from", "", "/dev/null", "no-such-file|"),
    value("--files0-from", "", "/dev/null", "no-such-file|"),
    switch("--no-stdin", "--stdin"),
    value("--only", "", "*.rs", "[|a{b|!x"),
    value("--exclude", "", "*.rs", "[|a{b|!x"),
    switch("--dotfiles", "--no-dotfiles"),
    switch("--unique", "--no-unique"),
    switch("--no-worktrees", "--worktrees"),
    switch("--no-submodules", "--submodules"),
    Flag { names: "--changed", negation: "--no-changed", value: Value::Optional("HEAD", ANY) },
    switch("--changed-lines", "--no-changed-lines"),
    value("--shard", "--no-shard", "1/1", "0/1|2/1|1|1/x|"),
    value("--shard-by", "", "directory", "x|directory:0|"),
    switch("--tracked", "--no-tracked"),
    switch("--tracked-or-unignored", ""),
    value("--min-filesize", "", "3", SIZES),
    value("--newer", "", "3d", TIMES),
    value("--older", "", "2026-11-24", TIMES),
    switch("--why", ""),
];

/// All flags of ripgrep, in the order of the manual.
pub(crate) const FLAGS: [Flag; 106] = [
    value("-e --regexp", "", "gem", ANY),
    value("-f --file", "", "/dev/null", "no-such-file"),
    value("--pre", "--no-pre", "cat", ANY),
    value("--pre-glob", "", "*.gz", "[|a{b"),
    switch("-z --search-zip", "--no-search-zip"),
    switch("-s --case-sensitive", ""),
    switch("-i --ignore-case", ""),
    switch("-S --smart-case", ""),
    switch("-F --fixed-strings", "--no-fixed-strings"),
    switch("-w --word-regexp", ""),
    switch("-x --line-regexp", ""),
    switch("-v --invert-match", "--no-invert-match"),
    value("-m --max-count", "", "3", NUMBERS),
    switch("-U --multiline", "--no-multiline"),
    switch("--multiline-dotall", "--no-multiline-dotall"),
    switch("--stop-on-nonmatch", ""),
    switch("--crlf", "--no-crlf"),
    switch("--null-data", ""),
    value("-E --encoding", "--no-encoding", "utf-8", "x||utf8 x"),
    switch("-a --text", "--no-text"),
    switch("-P --pcre2", "--no-pcre2"),
    value("--engine", "", "default", CHOICES),
    switch("--auto-hybrid-regex", "--no-auto-hybrid-regex"),
    switch("--no-unicode", "--unicode"),
    switch("--no-pcre2-unicode", "--pcre2-unicode"),
    value("--regex-size-limit", "", "10M", SIZES),
    value("--dfa-size-limit", "", "10M", SIZES),
    value("-j --threads", "", "2", NUMBERS),
    switch("--mmap", "--no-mmap"),
    value("-g --glob", "", "*.rs", "[|a{b|!{"),
    value("--iglob", "", "*.rs", "[|a{b"),
    switch("--glob-case-insensitive", "--no-glob-case-insensitive"),
    value("-t --type", "", "rust", "x||Rust"),
    value("-T --type-not", "", "rust", "x|"),
    value("--type-add", "", "odd:*.odd", "x||:|a-b:*.x|all:*.x|odd:include:nosuch"),
    value("--type-clear", "", "rust", ANY),
    switch("-. --hidden", "--no-hidden"),
    switch("-L --follow", "--no-follow"),
    value("-d --max-depth --maxdepth", "", "3", NUMBERS),
    value("--max-filesize", "", "3K", SIZES),
    switch("--one-file-system", "--no-one-file-system"),
    switch("--binary", "--no-binary"),
    switch("-u --unrestricted", ""),
    switch("--no-ignore", "--ignore"),
    switch("--no-ignore-dot", "--ignore-dot"),
    switch("--no-ignore-vcs", "--ignore-vcs"),
    switch("--no-ignore-exclude", "--ignore-exclude"),
    switch("--no-ignore-global", "--ignore-global"),
    switch("--no-ignore-parent", "--ignore-parent"),
    switch("--no-ignore-files", "--ignore-files"),
    value("--ignore-file", "", "/dev/null", ANY),
    switch("--ignore-file-case-insensitive", "--no-ignore-file-case-insensitive"),
    switch("--no-require-git", "--require-git"),
    value("-A --after-context", "", "1", NUMBERS),
    value("-B --before-context", "", "1", NUMBERS),
    value("-C --context", "", "1", NUMBERS),
    switch("--passthru --passthrough", ""),
    value("--context-separator", "--no-context-separator", "~", ANY),
    value("--field-match-separator", "", "~", ANY),
    value("--field-context-separator", "", "~", ANY),
    switch("-n --line-number", ""),
    switch("-N --no-line-number", ""),
    switch("--column", "--no-column"),
    switch("-b --byte-offset", "--no-byte-offset"),
    switch("-H --with-filename", ""),
    switch("-I --no-filename", ""),
    switch("--heading", "--no-heading"),
    switch("-0 --null", ""),
    switch("-o --only-matching", ""),
    value("-r --replace", "", "x", ANY),
    value("-M --max-columns", "", "3", NUMBERS),
    switch("--max-columns-preview", "--no-max-columns-preview"),
    switch("--trim", "--no-trim"),
    value("--path-separator", "", "~", r"ab|\x00\x00|é"),
    switch("--vimgrep", ""),
    switch("-p --pretty", ""),
    switch("-q --quiet", ""),
    value("--color", "", "auto", CHOICES),
    value(
        "--colors",
        "",
        "match:fg:red",
        "|x|match|match:fg|match:fg:x|x:fg:red|match:style:x|match:fg:256|match:fg:1,2|match:x:red|\
         match:fg:red:x",
    ),
    value(
        "--hyperlink-format",
        "",
        "file",
        "x|{path}|file://|file://{x}{path}|x://{path|x://}{path}|x://{path}{column}|:{path}|\
         x y://{path}",
    ),
    value("--hostname-bin", "", "hostname", ANY),
    value("--sort", "", "path", CHOICES),
    value("--sortr", "", "path", CHOICES),
    switch("--sort-files", "--no-sort-files"),
    switch("--line-buffered", "--no-line-buffered"),
    switch("--block-buffered", "--no-block-buffered"),
    switch("--include-zero", "--no-include-zero"),
    switch("-h", ""),
    switch("--help", ""),
    switch("-c --count", ""),
    switch("--count-matches", ""),
    switch("-l --files-with-matches", ""),
    switch("--files-without-match", ""),
    switch("--json", "--no-json"),
    switch("--files", ""),
    switch("--type-list", ""),
    value("--generate", "", "man", "x||complete"),
    switch("--no-messages", "--messages"),
    switch("--no-ignore-messages", "--ignore-messages"),
    switch("--stats", "--no-stats"),
    switch("--debug", ""),
    switch("--trace", ""),
    switch("--no-config", ""),
    switch("--pcre2-version", ""),
    switch("-V", ""),
    switch("--version", ""),
];
