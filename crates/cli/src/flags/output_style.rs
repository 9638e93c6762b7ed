//! Flags that control how and when results are printed: colors, hyperlinks, order, buffering.

use heist_printer::HYPERLINK_ALIASES;

use super::record::{
    Flag,
    ValueKind::{Command, OneOf, Suggested, Value},
    flags, set,
};
use crate::typed::{Buffering, ColorMode, SortBy, SortKey};

pub(super) const FLAGS: &[Flag] = flags![
    Flag {
        long: "pretty",
        short: Some('p'),
        summary: "Print colors, headings and line numbers.",
        manual: "Like --color always --heading --line-number. Later flags can override a part of \
                 this, as in --pretty --no-heading. Use this flag if the output goes to a pager.",
        set: set!(|_, typed| {
            typed.color = ColorMode::Always;
            typed.heading = Some(true);
            typed.line_number = Some(true);
        }),
    },
    Flag {
        long: "quiet",
        short: Some('q'),
        summary: "Print nothing; stop at the first match.",
        manual: "Print no results and stop at the first match. The exit code is 0 if there is a \
                 match. With --files, it is 0 if there is a file to search.",
        set: set!(|_, typed| typed.quiet = true),
    },
    Flag {
        long: "color",
        value: OneOf("WHEN", &["never", "auto", "always", "ansi"]),
        summary: "Choose when to use colors.",
        manual: "Choose when to use colors: never, always, or with auto, the default, if output \
                 goes to a terminal that has colors, as TERM indicates. The variable NO_COLOR \
                 disables them, and CLICOLOR_FORCE enables them everywhere. ansi is the same as \
                 always.",
        set: set!(|value, typed| typed.color = value.one_of(COLORS_WHEN)?),
    },
    Flag {
        long: "colors",
        value: Value("COLOR_SPEC"),
        summary: "Set the colors and styles of the output.",
        manual: "Set the color or style of a part of the output. This flag can be given more than \
                 once; each one changes the settings of those before it. COLOR_SPEC is one of\n\n    \
                 TYPE:fg:COLOR       the foreground color\n    \
                 TYPE:bg:COLOR       the background color\n    \
                 TYPE:style:STYLE    the style\n    \
                 TYPE:none           no color and no style\n\n\
                 TYPE is path, line, column, match or highlight, which is the rest of a matching \
                 line. COLOR is black, blue, green, red, cyan, magenta, yellow, white, a number up \
                 to 255, or three numbers for red, green and blue, separated by commas. Numbers \
                 can be hexadecimal, as in 0xFF. STYLE is bold, intense, underline or italic, or \
                 one of these prefixed with no.\n\n    \
                 hs --colors match:fg:cyan --colors match:style:nobold PATTERN",
        set: set!(|value, typed| typed.colors.push(value.parse()?)),
    },
    Flag {
        long: "hyperlink-format",
        value: Suggested("FORMAT", || {
            HYPERLINK_ALIASES.iter().map(|alias| alias.name.to_owned()).collect()
        }),
        summary: "Print paths as hyperlinks.",
        manual: "Print paths as hyperlinks that a terminal can open, if colors are used. FORMAT is \
                 a URL or the name of a predefined one: default, cursor, file, grep+, kitty, \
                 macvim, textmate, vscode, vscode-insiders or vscodium. With none, which is used \
                 if this flag is not given, there are no hyperlinks.\n\n    \
                 hs --hyperlink-format 'file://{host}{path}' PATTERN\n\n\
                 In a URL, {path} stands for the absolute path of the file, {line} and {column} \
                 for the position of the match (1 if there is none), {host} for the name of this \
                 host, and {wslprefix} for wsl$/ followed by the name of the WSL distribution, if \
                 there is one; {{ and }} are braces. A URL begins with a scheme and contains \
                 {path}; {column} requires {line}.",
        set: set!(|value, typed| typed.hyperlink_format = value.parse()?),
    },
    Flag {
        long: "hostname-bin",
        value: Command("COMMAND"),
        summary: "Set the command that prints the host name.",
        manual: "Run COMMAND to determine the name of this host for hyperlinks. The name is the \
                 first line that COMMAND prints. If COMMAND fails, prints nothing or is empty, the \
                 name is that of the system.",
        set: set!(|value, typed| typed.hostname_bin =
            Some(value.path()).filter(|path| !path.as_os_str().is_empty())),
    },
    Flag {
        long: "sort",
        value: OneOf("SORTBY", SORT_KEYS),
        summary: "Sort results.",
        manual: "Sort results by path, or by the time at which files were last modified, last \
                 accessed or created. With none, the default, results are printed in the order in \
                 which they are found.\n\n\
                 By path, the entries of each directory are sorted by the bytes of their names. \
                 The contents of a directory come where its name does, so a/b comes before a+. \
                 Paths on the command line keep their order. By time, all files form a single \
                 sequence, at whose end are those without such a time; nothing is printed before \
                 all files have been found.\n\n\
                 Sorting does not disable parallelism. If both this flag and --sortr are given, \
                 the last one wins.",
        set: set!(|value, typed| typed.sort =
            value.one_of(SORT_BY)?.map(|key| SortBy { key, reverse: false })),
    },
    Flag {
        long: "sortr",
        value: OneOf("SORTBY", SORT_KEYS),
        summary: "Sort results in reverse.",
        manual: "Sort results like --sort, but in reverse. By path, this applies to all paths \
                 together, whatever their order on the command line. If both this flag and --sort \
                 are given, the last one wins.",
        set: set!(|value, typed| typed.sort =
            value.one_of(SORT_BY)?.map(|key| SortBy { key, reverse: true })),
    },
    Flag {
        long: "sort-files",
        negation: Some("no-sort-files"),
        summary: "Deprecated: use --sort path.",
        manual: "An old name of --sort path.",
        hidden: true,
        set: set!(|value, typed| typed.sort =
            value.is_on().then_some(SortBy { key: SortKey::Path, reverse: false })),
    },
    Flag {
        long: "line-buffered",
        negation: Some("no-line-buffered"),
        summary: "Flush output after each line.",
        manual: "Write each line as soon as it is complete. This is the default on a terminal. If \
                 both this flag and --block-buffered are given, the last one wins; the negation of \
                 either restores the default.",
        set: set!(|value, typed| typed.buffering =
            if value.is_on() { Buffering::Line } else { Buffering::Auto }),
    },
    Flag {
        long: "block-buffered",
        negation: Some("no-block-buffered"),
        summary: "Write output in large blocks.",
        manual: "Collect lines and write them in large blocks, which is faster. This is the \
                 default if output does not go to a terminal. If both this flag and \
                 --line-buffered are given, the last one wins; the negation of either restores the \
                 default.",
        set: set!(|value, typed| typed.buffering =
            if value.is_on() { Buffering::Block } else { Buffering::Auto }),
    },
    Flag {
        long: "include-zero",
        negation: Some("no-include-zero"),
        summary: "Print zero counts too (with -c).",
        manual: "Print counts of zero as well. This flag has no effect without --count or \
                 --count-matches.",
        set: set!(|value, typed| typed.include_zero = value.is_on()),
    },
    Flag {
        long: "raw",
        negation: Some("no-raw"),
        summary: "Do not escape control characters.",
        manual: "Print paths and lines byte for byte, even on a terminal. By default, characters \
                 that a terminal would interpret instead of displaying are escaped there, as in \
                 \\x1b or \\u{202e}: control characters and those that change the direction of \
                 text. Otherwise, untrusted files and names could erase or forge what is on the \
                 screen. Output to a pipe or a file is never escaped.",
        set: set!(|value, typed| typed.raw = value.is_on()),
    },
];

const COLORS_WHEN: &[(&str, ColorMode)] = &[
    ("never", ColorMode::Never),
    ("auto", ColorMode::Auto),
    ("always", ColorMode::Always),
    ("ansi", ColorMode::Always),
];

const SORT_KEYS: &[&str] = &["none", "path", "modified", "accessed", "created"];

const SORT_BY: &[(&str, Option<SortKey>)] = &[
    ("none", None),
    ("path", Some(SortKey::Path)),
    ("modified", Some(SortKey::Modified)),
    ("accessed", Some(SortKey::Accessed)),
    ("created", Some(SortKey::Created)),
];

#[cfg(test)]
mod tests {
    use super::super::tests::{error, parse};
    use super::*;

    #[test]
    fn pretty_stands_for_three_flags() {
        let typed = parse(["-N", "-p"]);
        assert_eq!(typed.color, ColorMode::Always);
        assert_eq!((typed.heading, typed.line_number), (Some(true), Some(true)));
        let typed = parse(["-p", "--color", "never", "--no-heading", "-N"]);
        assert_eq!(typed.color, ColorMode::Never);
        assert_eq!((typed.heading, typed.line_number), (Some(false), Some(false)));
    }

    #[test]
    fn colors() {
        assert_eq!(parse(["--color=ansi"]).color, ColorMode::Always);
        assert_eq!(parse(["--color=ansi", "--color", "auto"]).color, ColorMode::Auto);
        assert_eq!(parse(["--colors=path:none", "--colors", "line:none"]).colors.len(), 2);
        assert_eq!(
            error(["--color", "blue"]),
            "error parsing flag --color: choice 'blue' is unrecognized \
             (accepted: never, auto, always, ansi)"
        );
        let message = error(["--colors", "match:fg:foo"]);
        assert!(message.starts_with("error parsing flag --colors: unrecognized color name 'foo'"));
    }

    #[test]
    fn buffering_is_one_choice() {
        assert_eq!(parse(["--line-buffered", "--block-buffered"]).buffering, Buffering::Block);
        assert_eq!(parse(["--block-buffered", "--line-buffered"]).buffering, Buffering::Line);
        assert_eq!(parse(["--line-buffered", "--no-block-buffered"]).buffering, Buffering::Auto);
        assert!(parse(["-q", "--include-zero"]).include_zero);
    }

    #[test]
    fn links() {
        let is_empty =
            |value| parse(["--hyperlink-format=kitty", value]).hyperlink_format.is_empty();
        assert!(is_empty("--hyperlink-format=none"));
        assert!(is_empty("--hyperlink-format="));
        assert!(!is_empty("--hyperlink-format=x:{path}"));
        // Verified against ripgrep 15.2.
        assert_eq!(
            error(["--hyperlink-format", "{path}"]),
            "error parsing flag --hyperlink-format: invalid hyperlink format: the hyperlink format \
             must start with a valid URL scheme, i.e., [0-9A-Za-z+-.]+:"
        );
        assert_eq!(parse(["--hostname-bin=x", "--hostname-bin="]).hostname_bin, None);
        assert_eq!(parse(["--hostname-bin", "x"]).hostname_bin.as_deref(), Some("x".as_ref()));
    }

    #[test]
    fn the_last_sort_flag_wins() {
        let sort = |args: &[&str]| parse(args.iter().copied()).sort;
        let path = SortBy { key: SortKey::Path, reverse: false };
        assert_eq!(sort(&["--sort", "path"]), Some(path));
        assert_eq!(sort(&["--sort-files"]), Some(path));
        assert_eq!(sort(&["--sort=path", "--sortr=path"]), Some(SortBy { reverse: true, ..path }));
        for (name, key) in SORT_BY {
            let by = key.map(|key| SortBy { key, reverse: true });
            assert_eq!(sort(&["--sort-files", "--sortr", name]), by, "{name}");
        }
        assert_eq!(sort(&["--sortr=created", "--no-sort-files"]), None);
        assert_eq!(sort(&["--sort=path", "--sortr=none"]), None);
        assert_eq!(
            error(["--sort", "size"]),
            "error parsing flag --sort: choice 'size' is unrecognized \
             (accepted: none, path, modified, accessed, created)"
        );
    }

    #[test]
    fn escaping_can_be_disabled_and_enabled() {
        assert!(parse(["--raw"]).raw);
        assert!(!parse(["--raw", "--no-raw"]).raw);
    }
}
