//! What each tool takes, and which flags of `hs` that becomes. A model reads the texts.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::{
    arguments::Arguments,
    param::{
        Param,
        ParamKind::{self, Choice, List, Number, Switch, Text},
    },
};

/// How many results a call may request.
const MAX_RESULTS: u64 = 2000;
/// How many bytes an answer may have.
const MAX_BYTES: u64 = 1 << 20;
/// How many seconds a call may take.
const MAX_SECONDS: u64 = 120;
/// How much output is read from `hs`. Results that need more are cut.
const MAX_OUTPUT: &str = "--max-output=64M";
/// How many characters are returned on both sides of a match in a long line, and how long a line
/// may be that is returned whole.
const EXCERPT_FLAG: &str = "--excerpt=80,200,2000";

const NEEDED_PATTERN: Param =
    Param::new("pattern", Text, "--regexp=", "Regular expression (Rust's syntax)").required();

/// How a pattern is read, and the texts that it is compared with.
const MATCHING: &[Param] = &[
    Param::new("literal", Switch(false), "--fixed-strings", "The pattern is a plain text"),
    Param::new("ignore_case", Switch(false), "--ignore-case", "Disregard case"),
    Param::new(
        "smart_case",
        Switch(false),
        "--smart-case",
        "Disregard case unless the pattern has capitals",
    ),
    Param::new("word", Switch(false), "--word-regexp", "Whole words only"),
    Param::new("multiline", Switch(false), "--multiline", "Matches may span lines"),
    Param::new("dot_all", Switch(false), "", "As multiline, and . matches line feeds too"),
    Param::new("pcre2", Switch(false), "--pcre2", "PCRE2's syntax: look-around, backreferences"),
    Param::new("crlf", Switch(true), "--crlf", "$ also matches before \\r\\n"),
    Param::new("text", Switch(false), "--text", "Search binary files as if they were text"),
];

const ENCODING_PARAM: Param = Param::new(
    "encoding",
    Text,
    "--encoding=",
    "Encoding of the files, such as latin1, or guess; UTF-8 and UTF-16 need none",
);

const PATHS: Param = Param::new("paths", List, "", "Files or directories; all by default");

/// Which files are searched.
const SELECTION: &[Param] = &[
    Param::new(
        "only",
        List,
        "--only=",
        "Only files that match one of these globs, or lie in a directory that does: *.rs, src/**. \
         A glob with a slash is relative to the searched directory or to one of `paths`",
    ),
    Param::new("exclude", List, "--exclude=", "No files or directories that match such a glob"),
    Param::new("types", List, "--type=", "Only files of these types: rust, py, md, …"),
    Param::new("hidden", Switch(false), "--dotfiles", "Also hidden files, but not .git"),
    Param::new(
        "ignored",
        Switch(false),
        "--no-ignore",
        "Also files that .gitignore and other ignore files leave out",
    ),
    Param::new("tracked", Switch(false), "--tracked", "Only files in git's index"),
    Param::new("worktrees", Switch(false), "--worktrees", "Also other worktrees of a repository"),
    Param::new(
        "newer",
        Text,
        "--newer=",
        "Only files modified since: a duration such as 2h or 3d, or a date",
    ),
];

/// What is returned around a match.
const AROUND_PARAMS: &[Param] = &[
    Param::new("context", Number(0), "--context=", "Lines to return around each match"),
    Param::new("before", Number(0), "--before-context=", "Lines before each match"),
    Param::new("after", Number(0), "--after-context=", "Lines after each match"),
    Param::new(
        "show_function",
        Switch(false),
        "--show-function",
        "Also the line that begins the function around a match, as line=text",
    ),
    Param::new("function_context", Switch(false), "--function-context", "Also the whole function"),
    Param::new("paragraph", Switch(false), "--paragraph", "Also the lines up to blank ones"),
    Param::new("whole_lines", Switch(false), "", "Return long lines whole, not parts of them"),
    Param::new(
        "spread",
        Switch(false),
        "",
        "Share the results among all files, at least one each; there is no next page then",
    ),
    Param::new("count_all", Switch(false), "--count-rest", "Count also what is not returned"),
];

const ORDER: Param = Param::new(
    "order",
    Choice(&["relevance", "path", "newest"]),
    "",
    "Order of the files; relevance, the default where a pattern is searched, puts definitions first, \
     then code, tests, texts, generated files",
);

/// How much is returned.
const BUDGET: &[Param] = &[
    Param::new("max_results", Number(100), "", "The most results"),
    Param::new("offset", Number(0), "", "Results to pass over: `next_offset` of the page before"),
    MAX_BYTES_PARAM,
    SECONDS_PARAM,
];

const MAX_BYTES_PARAM: Param =
    Param::new("max_bytes", Number(32 << 10), "", "The most bytes of the answer");
const SECONDS_PARAM: Param =
    Param::new("timeout_seconds", Number(10), "", "What was found until then is returned");

/// A tool, and what it takes.
#[derive(Debug)]
pub(crate) struct ToolSpec {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
    params: &'static [&'static [Param]],
}

pub(crate) static SEARCH: ToolSpec = ToolSpec {
    name: "search",
    text: "Find lines that match a pattern. Returns each path once, and below it line:text, or \
           line-text for context.",
    params: &[
        &[NEEDED_PATTERN],
        MATCHING,
        &[ENCODING_PARAM, PATHS],
        SELECTION,
        AROUND_PARAMS,
        &[ORDER],
        BUDGET,
    ],
};

pub(crate) static FILES: ToolSpec = ToolSpec {
    name: "files",
    text: "List files, or files with a line that matches a pattern.",
    params: &[
        &[
            Param::new("pattern", Text, "--regexp=", "Only files with a line that matches this"),
            Param::new("counts", Switch(false), "", "Return path:lines that match the pattern"),
        ],
        MATCHING,
        &[ENCODING_PARAM, PATHS],
        SELECTION,
        &[ORDER],
        BUDGET,
    ],
};

pub(crate) static WHY: ToolSpec = ToolSpec {
    name: "why",
    text: "Explain for each path which rule or parameter leaves it out of a search, or what was \
           found in it.",
    params: &[
        &[
            Param::new("paths", List, "", "Files or directories").required(),
            Param::new(
                "pattern",
                Text,
                "--regexp=",
                "State how many lines match, or why none does",
            ),
        ],
        MATCHING,
        &[ENCODING_PARAM],
        SELECTION,
    ],
};

pub(crate) static PREVIEW: ToolSpec = ToolSpec {
    name: "replace_preview",
    text: "Show what replacing each match would change, as a patch, without writing.",
    params: &[
        &[
            NEEDED_PATTERN,
            Param::new(
                "replacement",
                Text,
                "--replace=",
                "Text in place of each match; $1 and ${name} stand for groups",
            )
            .required(),
        ],
        MATCHING,
        &[PATHS],
        SELECTION,
        &[MAX_BYTES_PARAM, SECONDS_PARAM],
    ],
};

/// The hash of a patch that was shown.
const PATCH_PARAM: Param =
    Param::new("patch", Text, "", "The hash that replace_preview ends with").required();

pub(crate) static REPLACE: ToolSpec = ToolSpec {
    name: "replace",
    text: "Write a patch that replace_preview has shown to its end; nothing, if it would be \
           another one now.",
    params: &[&[PATCH_PARAM]],
};

pub(crate) static UNDO: ToolSpec = ToolSpec {
    name: "undo",
    text: "Put back what replace has written. A file that has changed since is left as it is.",
    params: &[&[PATCH_PARAM]],
};

impl ToolSpec {
    pub(crate) fn params(&self) -> impl Iterator<Item = &'static Param> + Clone + use<> {
        self.params.iter().copied().flatten()
    }

    /// The schema for what the tool takes.
    pub(crate) fn schema(&self) -> Map<String, Value> {
        let properties: Map<String, Value> =
            self.params().map(|param| (param.name.to_owned(), param.schema())).collect();
        let required = self.params().filter(|param| param.is_required);
        let required: Vec<&str> = required.map(|param| param.name).collect();
        let mut schema = Map::from_iter([
            ("type".to_owned(), json!("object")),
            ("properties".to_owned(), properties.into()),
        ]);
        if !required.is_empty() {
            schema.insert("required".to_owned(), required.into());
        }
        schema
    }

    /// The flags that are the same for all kinds of output.
    fn flags(&self, arguments: &Arguments) -> Vec<String> {
        let mut flags = Vec::new();
        self.params().for_each(|param| append_flags(param, arguments, &mut flags));
        if arguments.is_on("dot_all") {
            flags.extend(["--multiline", "--multiline-dotall"].map(str::to_owned));
        }
        flags
    }
}

/// The flags for `search`.
pub(crate) fn search_flags(arguments: &Arguments) -> Vec<String> {
    let mut flags = SEARCH.flags(arguments);
    flags.push("--json".to_owned());
    append_budget(&Page::of(arguments), &mut flags);
    flags.extend((!arguments.is_on("whole_lines")).then(|| EXCERPT_FLAG.to_owned()));
    flags.extend(arguments.is_on("spread").then(|| "--spread".to_owned()));
    flags.push(order(arguments, "--sort=relevance").to_owned());
    flags
}

/// The flags for `files`.
pub(crate) fn files_flags(arguments: &Arguments) -> Vec<String> {
    let mut flags = FILES.flags(arguments);
    let form: &[&str] = match arguments.text("pattern") {
        Some(_) if arguments.is_on("counts") => &["--null", "--count", "--no-tell-skipped"],
        Some(_) => &["--null", "--files-with-matches", "--no-tell-skipped"],
        None => &["--files", "--json"],
    };
    flags.extend(form.iter().map(|flag| (*flag).to_owned()));
    append_budget(&Page::of(arguments), &mut flags);
    let default = match arguments.text("pattern") {
        Some(_) => "--sort=relevance",
        // Paths by directory show how a tree is made.
        None => "--sort=path",
    };
    flags.push(order(arguments, default).to_owned());
    flags
}

/// The flags for the account of a list of files that match, if there are none.
pub(crate) fn account_flags(arguments: &Arguments) -> Vec<String> {
    let mut flags = FILES.flags(arguments);
    flags.extend(["--json", "--max-results=1"].map(str::to_owned));
    flags.push(format!("--timeout={}s", Page::of(arguments).time().as_secs()));
    flags
}

/// The parameters in `arguments` that leave files out.
pub(crate) fn selecting(arguments: &Arguments) -> Vec<&'static str> {
    let names = SELECTION.iter().map(|param| param.name);
    names.filter(|name| !matches!(*name, "hidden" | "ignored") && arguments.has(name)).collect()
}

/// The flags for `why`.
pub(crate) fn why_flags(arguments: &Arguments) -> Vec<String> {
    let mut flags = WHY.flags(arguments);
    flags.extend(["--why", "--json"].map(str::to_owned));
    flags
}

/// The flags for a replacement, without what is done with the patch.
pub(crate) fn replace_flags(arguments: &Arguments) -> Vec<String> {
    let mut flags = PREVIEW.flags(arguments);
    flags.push("--write".to_owned());
    flags
}

/// How long a run may take that writes.
pub(crate) const WRITING_TIME: Duration = Duration::from_secs(MAX_SECONDS);

/// Appends the flags for the value of `param` in `arguments`, or for the default.
fn append_flags(param: &Param, arguments: &Arguments, flags: &mut Vec<String>) {
    let Param { name, kind, flag, .. } = *param;
    if flag.is_empty() {
        return;
    }
    match kind {
        ParamKind::Text | ParamKind::Choice(_) => {
            flags.extend(arguments.text(name).map(|text| format!("{flag}{text}")));
        }
        ParamKind::List => {
            flags.extend(arguments.list(name).iter().map(|text| format!("{flag}{text}")));
        }
        ParamKind::Switch(default) => {
            let is_on = arguments.switch(name).unwrap_or(default);
            flags.extend(is_on.then(|| flag.to_owned()));
        }
        ParamKind::Number(_) => {
            let number = arguments.number(name).filter(|&number| number > 0);
            flags.extend(number.map(|number| format!("{flag}{number}")));
        }
    }
}

fn append_budget(page: &Page, flags: &mut Vec<String>) {
    let Page { results, offset, .. } = page;
    flags.extend([format!("--max-results={results}"), format!("--offset={offset}")]);
    flags.extend([MAX_OUTPUT.to_owned(), format!("--timeout={}s", page.seconds)]);
}

/// The flag for the order of files, which is `default` if the call names none.
fn order(arguments: &Arguments, default: &'static str) -> &'static str {
    match arguments.text("order") {
        Some("newest") => "--sortr=modified",
        Some("path") => "--sort=path",
        Some("relevance") => "--sort=relevance",
        _ => default,
    }
}

/// A page of results, and what it may cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page {
    /// The most results.
    pub(crate) results: u64,
    /// How many results come before the page.
    pub(crate) offset: u64,
    /// The most bytes.
    pub(crate) bytes: usize,
    seconds: u64,
    /// Whether the next call finds the results in the same order.
    is_ordered: bool,
}

impl Page {
    /// The page that a call requests, within the server's limits.
    pub(crate) fn of(arguments: &Arguments) -> Page {
        let number = |name: &str| {
            let default = BUDGET.iter().find(|param| param.name == name);
            let default = default.map_or(0, |param| match param.kind {
                ParamKind::Number(default) => default,
                _ => 0,
            });
            arguments.number(name).unwrap_or(default)
        };
        let bytes = number("max_bytes").min(MAX_BYTES);
        Page {
            results: number("max_results").min(MAX_RESULTS),
            offset: number("offset"),
            bytes: usize::try_from(bytes).unwrap_or(usize::MAX),
            seconds: number("timeout_seconds").clamp(1, MAX_SECONDS),
            is_ordered: !arguments.is_on("spread"),
        }
    }

    pub(crate) fn time(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }

    /// The next page's offset, if this one shows this many results and `is_cut`: the rule by which
    /// `hs` states `next: --offset`.
    pub(crate) fn next(self, is_cut: bool, shown: u64) -> Option<u64> {
        (is_cut && self.is_ordered && shown > 0).then_some(self.offset.saturating_add(shown))
    }
}

/// The parameter that a flag of `hs` is here, as advice names it.
pub(crate) fn in_place_of(flag: &str) -> Option<String> {
    let known = match flag {
        "--hidden" | "--dotfiles" => "hidden",
        "--multiline-dotall" => "dot_all",
        "--max-results" => "max_results",
        "--max-output" => "max_bytes",
        "--timeout" => "timeout_seconds",
        "--offset" => "offset",
        "--sort" | "--sortr" => "order",
        "--glob" => "only",
        "--spread" => "spread",
        "--excerpt" => "whole_lines",
        _ if flag.starts_with("--no-ignore") => "ignored",
        _ => "",
    };
    let tools = [&SEARCH, &FILES, &WHY, &PREVIEW];
    let mut params = tools.iter().flat_map(|tool| tool.params());
    let param = params.find(|param| match known {
        "" => !param.flag.is_empty() && param.flag.trim_end_matches('=') == flag,
        known => param.name == known,
    })?;
    Some(match param.kind {
        ParamKind::Switch(false) => format!("`{}: true`", param.name),
        _ => format!("`{}`", param.name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::MAX_TEXT;

    fn arguments(values: Value) -> Result<Arguments, String> {
        let Value::Object(values) = values else { panic!("{values} is no object") };
        Arguments::read(SEARCH.name, SEARCH.params(), values)
    }

    #[test]
    fn values_are_read_as_clients_send_them() {
        let numbers = [
            (json!(2), 2),
            (json!(2.0), 2),
            (json!("2"), 2),
            (json!(" 2.0 "), 2),
            (json!(1e30), u64::MAX),
            (json!(0), 0),
            (json!(u64::MAX), u64::MAX),
        ];
        for (value, expected) in numbers {
            let read = arguments(json!({ "pattern": "x", "max_results": value })).expect("a value");
            assert_eq!(read.number("max_results"), Some(expected), "{value}");
        }
        let lists = [
            (json!("src"), vec!["src"]),
            (json!(["src", "b"]), vec!["src", "b"]),
            (json!("[\"src\", \"b\"]"), vec!["src", "b"]),
            (json!("[ab].rs"), vec!["[ab].rs"]),
            (json!("[1]"), vec!["1"]),
            (json!(["src", null]), vec!["src"]),
            (json!(""), vec![]),
            (json!("[]"), vec![]),
            (json!([]), vec![]),
        ];
        for (value, expected) in lists {
            let read = arguments(json!({ "pattern": "x", "paths": value })).expect("a value");
            assert_eq!(read.list("paths"), expected, "{value}");
        }
        for (value, expected) in [
            (json!(true), true),
            (json!("true"), true),
            (json!("True"), true),
            (json!(1), true),
            (json!("1"), true),
            (json!(false), false),
            (json!("false"), false),
            (json!(0), false),
        ] {
            let read = arguments(json!({ "pattern": "x", "literal": value })).expect("a value");
            assert_eq!(read.switch("literal"), Some(expected), "{value}");
        }
        let read = arguments(json!({ "pattern": 404, "order": "Newest" })).expect("values");
        assert_eq!((read.text("pattern"), read.text("order")), (Some("404"), Some("newest")));
        let nulls = SEARCH.params().filter(|param| !param.is_required);
        let mut nulls: Map<_, _> =
            nulls.map(|param| (param.name.to_owned(), Value::Null)).collect();
        nulls.insert("pattern".to_owned(), json!("x"));
        let read = arguments(nulls.into()).expect("values");
        assert!(SEARCH.params().all(|param| read.has(param.name) == (param.name == "pattern")));
    }

    #[test]
    fn nonsense_is_an_error_that_names_the_parameter() {
        let nul = "pattern: contains a NUL character; a regular expression has \\x00 for it";
        for (values, expected) in [
            (json!({}), "pattern: missing; it is required"),
            (json!({ "pattern": null }), "pattern: missing; it is required"),
            (json!({ "pattern": true }), "pattern: true is not accepted, but a text"),
            (json!({ "pattern": ["a"] }), "pattern: [\"a\"] is not accepted, but a text"),
            (json!({ "pattern": "a\0b" }), nul),
            (json!({ "pattern": "a", "paths": "a\0" }), "paths: contains a NUL character"),
            (
                json!({ "pattern": "a", "max_results": -1 }),
                "max_results: -1 is not accepted, but a whole number, 0 or more",
            ),
            (
                json!({ "pattern": "a", "context": 1.5 }),
                "context: 1.5 is not accepted, but a whole number, 0 or more",
            ),
            (
                json!({ "pattern": "a", "offset": "many" }),
                "offset: \"many\" is not accepted, but a whole number, 0 or more",
            ),
            (
                json!({ "pattern": "a", "hidden": "perhaps" }),
                "hidden: \"perhaps\" is not accepted, but true or false",
            ),
            (json!({ "pattern": "a", "only": 7 }), "only: 7 is not accepted, but a list of texts"),
            (
                json!({ "pattern": "a", "order": "size" }),
                "order: \"size\" is not accepted, but relevance or path or newest",
            ),
            (
                json!({ "pattern": "a", "only": [{}] }),
                "only: [{}] is not accepted, but a list of texts",
            ),
        ] {
            assert_eq!(arguments(values).expect_err("an error"), expected);
        }
        let message = arguments(json!({ "patern": "x" })).expect_err("an error");
        assert!(message.starts_with("unknown parameter patern; search has pattern, "), "{message}");
        let long = arguments(json!({ "pattern": "x".repeat(MAX_TEXT + 1) })).expect_err("an error");
        assert!(long.starts_with("pattern: too long: "), "{long}");
        let many = vec!["y".repeat(1 << 14); 64];
        let many = arguments(json!({ "pattern": "x", "only": many })).expect_err("an error");
        assert!(many.starts_with("only: too long: "), "{many}");
    }
}
