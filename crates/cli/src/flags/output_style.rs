//! Flags on how results look and when they appear: colours, links, order, buffering.

use heist_printer::{ColorError, HYPERLINK_ALIASES, HyperlinkError};

use super::{
    Category::Output,
    Flag, ValueError,
    ValueKind::{Command, OneOf, Suggested, Value},
};
use crate::typed::{Buffering, ColorMode, EarlyMode, SortBy, SortKey};

pub(super) const FLAGS: &[&Flag] = &[
    &PRETTY,
    &QUIET,
    &COLOR,
    &COLORS,
    &HYPERLINK_FORMAT,
    &HOSTNAME_BIN,
    &SORT,
    &SORTR,
    &SORT_FILES,
    &LINE_BUFFERED,
    &BLOCK_BUFFERED,
    &INCLUDE_ZERO,
    &RAW,
    &HELP,
];

const PRETTY: Flag = Flag {
    long: "pretty",
    short: Some('p'),
    category: Output,
    summary: "Print colors, headings and line numbers.",
    manual: "The same as --color always --heading --line-number, at this place: later flags can \
             take back a part of it. Meant for output that goes through a pager.",
    set: |_, typed| {
        typed.color = ColorMode::Always;
        typed.heading = Some(true);
        typed.line_number = Some(true);
        Ok(())
    },
    ..Flag::NEW
};

const QUIET: Flag = Flag {
    long: "quiet",
    short: Some('q'),
    category: Output,
    summary: "Print nothing; stop at the first match.",
    manual: "Print no results, and stop at the first match: the exit code tells whether there is \
             one. With --files, it tells whether there is a file.",
    set: |_, typed| {
        typed.quiet = true;
        Ok(())
    },
    ..Flag::NEW
};

const COLORS_WHEN: &[(&str, ColorMode)] = &[
    ("never", ColorMode::Never),
    ("auto", ColorMode::Auto),
    ("always", ColorMode::Always),
    ("ansi", ColorMode::Always),
];

const COLOR: Flag = Flag {
    long: "color",
    value: OneOf("WHEN", &["never", "auto", "always", "ansi"]),
    category: Output,
    summary: "When to use colors.",
    manual: "When to use colors: never; auto, the default, on a terminal unless NO_COLOR is set \
             or TERM is unset or dumb; always; ansi, which is always by ANSI escapes.",
    set: |given, typed| {
        typed.color = given.one_of(COLORS_WHEN)?;
        Ok(())
    },
    ..Flag::NEW
};

const COLORS: Flag = Flag {
    long: "colors",
    value: Value("COLOR_SPEC"),
    category: Output,
    summary: "Which colors and styles to use.",
    manual: "Set the color or style of one part of the output. May be given several times, each \
             adding to what was set before. COLOR_SPEC is one of\n\n    \
             TYPE:fg:COLOR       the color of the text\n    \
             TYPE:bg:COLOR       the color behind it\n    \
             TYPE:style:STYLE    its style\n    \
             TYPE:none           neither\n\n\
             TYPE is path, line, column, match or highlight, which is the rest of a matching line. \
             COLOR is black, blue, green, red, cyan, magenta, yellow, white, a number up to 255, \
             or three of them with commas between for red, green and blue; numbers may be \
             hexadecimal, as 0xFF. STYLE is bold, intense, underline, italic, or one of these \
             with no before it.\n\n    \
             hs --colors match:fg:cyan --colors match:style:nobold PATTERN",
    set: |given, typed| {
        let rule = given.text()?.parse().map_err(|err: ColorError| ValueError(err.to_string()))?;
        typed.colors.push(rule);
        Ok(())
    },
    ..Flag::NEW
};

const HYPERLINK_FORMAT: Flag = Flag {
    long: "hyperlink-format",
    value: Suggested("FORMAT", || {
        HYPERLINK_ALIASES.iter().map(|alias| alias.name.to_owned()).collect()
    }),
    category: Output,
    summary: "Make printed paths links.",
    manual: "Make printed paths links that a terminal can open, where results are coloured. FORMAT \
             is the address of a link, or the name of one: default, cursor, file, grep+, kitty, \
             macvim, textmate, vscode, vscode-insiders, vscodium. none makes no links and is what \
             happens without this flag.\n\n    \
             hs --hyperlink-format 'file://{host}{path}' PATTERN\n\n\
             In the address, {path} stands for the file's absolute path, {line} and {column} for \
             the place of the match (1 where there is none to tell), {host} for the name of this \
             host, {wslprefix} for wsl$/ and the name of the distribution where there is one; {{ \
             and }} are braces. An address begins with a scheme and has a {path}; {column} needs \
             {line}.",
    set: |given, typed| {
        let parsed = given.text()?.parse();
        typed.hyperlink_format =
            parsed.map_err(|err: HyperlinkError| ValueError(err.to_string()))?;
        Ok(())
    },
    ..Flag::NEW
};

const HOSTNAME_BIN: Flag = Flag {
    long: "hostname-bin",
    value: Command("COMMAND"),
    category: Output,
    summary: "The command that prints the host's name.",
    manual: "Run COMMAND to learn the name of this host, for use in links: the first line it \
             prints. Where it fails, prints nothing or is empty, the system is asked.",
    set: |given, typed| {
        typed.hostname_bin = Some(given.path()).filter(|path| !path.as_os_str().is_empty());
        Ok(())
    },
    ..Flag::NEW
};

const SORT_KEYS: &[&str] = &["none", "path", "modified", "accessed", "created"];

const SORT_BY: &[(&str, Option<SortKey>)] = &[
    ("none", None),
    ("path", Some(SortKey::Path)),
    ("modified", Some(SortKey::Modified)),
    ("accessed", Some(SortKey::Accessed)),
    ("created", Some(SortKey::Created)),
];

const SORT: Flag = Flag {
    long: "sort",
    value: OneOf("SORTBY", SORT_KEYS),
    category: Output,
    summary: "Sort results.",
    manual: "Sort results by path, or by the time at which files were modified, accessed or \
             created. none, the default, prints them as they are found.\n\n\
             By path, each directory's entries are sorted by the bytes of their names, and what is \
             in a directory comes where the directory does, so that a/b comes before a+; paths on \
             the command line keep their order. By time, files come in one sequence wherever they \
             are, and those without such a time at the end; all files have to be found before the \
             first result is printed.\n\n\
             Sorting does not keep the search from running in parallel. Of this flag, --sortr and \
             --sort-files the last one holds.",
    set: |given, typed| {
        typed.sort = given.one_of(SORT_BY)?.map(|key| SortBy { key, reverse: false });
        Ok(())
    },
    ..Flag::NEW
};

const SORTR: Flag = Flag {
    long: "sortr",
    value: OneOf("SORTBY", SORT_KEYS),
    category: Output,
    summary: "Sort results in reverse.",
    manual: "Sort results as --sort does, but in reverse. By path this holds for all paths \
             together, whatever their order on the command line.",
    set: |given, typed| {
        typed.sort = given.one_of(SORT_BY)?.map(|key| SortBy { key, reverse: true });
        Ok(())
    },
    ..Flag::NEW
};

const SORT_FILES: Flag = Flag {
    long: "sort-files",
    negation: Some("no-sort-files"),
    category: Output,
    summary: "The same as --sort path (deprecated).",
    manual: "The same as --sort path, which should be used instead.",
    hidden: true,
    set: |given, typed| {
        typed.sort = given.is_on().then_some(SortBy { key: SortKey::Path, reverse: false });
        Ok(())
    },
    ..Flag::NEW
};

const LINE_BUFFERED: Flag = Flag {
    long: "line-buffered",
    negation: Some("no-line-buffered"),
    category: Output,
    summary: "Write out every line at once.",
    manual: "Write out every line as soon as it is complete. This is the default on a terminal. Of \
             this flag and --block-buffered the last one holds; either's negation goes back to the \
             default.",
    set: |given, typed| {
        typed.buffering = if given.is_on() { Buffering::Line } else { Buffering::Auto };
        Ok(())
    },
    ..Flag::NEW
};

const BLOCK_BUFFERED: Flag = Flag {
    long: "block-buffered",
    negation: Some("no-block-buffered"),
    category: Output,
    summary: "Write out in large blocks.",
    manual: "Collect lines and write them out in large blocks, which is faster. This is the \
             default where output does not go to a terminal. Of this flag and --line-buffered the \
             last one holds; either's negation goes back to the default.",
    set: |given, typed| {
        typed.buffering = if given.is_on() { Buffering::Block } else { Buffering::Auto };
        Ok(())
    },
    ..Flag::NEW
};

const RAW: Flag = Flag {
    long: "raw",
    negation: Some("no-raw"),
    category: Output,
    summary: "Send control characters to the terminal.",
    manual: "Print paths and lines on a terminal byte for byte. Without this flag, characters that a \
             terminal would obey instead of showing are printed in a visible form there, as \\x1b or \
             \\u{202e}, because whoever wrote a file or named it could otherwise erase or forge what \
             is on the screen: control characters, and those that turn around the order of text. In \
             a pipe or a file every byte is printed as it is anyway.",
    set: |given, typed| {
        typed.raw = given.is_on();
        Ok(())
    },
    ..Flag::NEW
};

const INCLUDE_ZERO: Flag = Flag {
    long: "include-zero",
    negation: Some("no-include-zero"),
    category: Output,
    summary: "With --count, print zeros too.",
    manual: "With --count and --count-matches, print files whose count is zero too.",
    set: |given, typed| {
        typed.include_zero = given.is_on();
        Ok(())
    },
    ..Flag::NEW
};

const HELP: Flag = Flag {
    long: "help",
    short: Some('h'),
    category: Output,
    summary: "Show help: -h in short, --help in full.",
    manual: "Show help. -h shows one line per flag, --help all there is to say about each.",
    set: |given, typed| {
        let short = given.is_by_letter();
        typed.early = Some(if short { EarlyMode::ShortHelp } else { EarlyMode::LongHelp });
        Ok(())
    },
    ..Flag::NEW
};

#[cfg(test)]
mod tests {
    use super::super::tests::{error, parse};
    use super::*;

    #[test]
    fn pretty_writes_three_flags_where_it_stands() {
        let typed = parse(["-N", "-p"]);
        assert_eq!(typed.color, ColorMode::Always);
        assert_eq!((typed.heading, typed.line_number), (Some(true), Some(true)));
        let typed = parse(["-p", "--color", "never", "--no-heading", "-N"]);
        assert_eq!(typed.color, ColorMode::Never);
        assert_eq!((typed.heading, typed.line_number), (Some(false), Some(false)));
    }

    #[test]
    fn colours() {
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
    fn the_last_sort_flag_holds() {
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
    fn help_has_two_lengths() {
        assert_eq!(parse(["-h"]).early, Some(EarlyMode::ShortHelp));
        assert_eq!(parse(["-h", "--help"]).early, Some(EarlyMode::LongHelp));
        assert!(parse(["-q", "--include-zero"]).include_zero);
    }

    #[test]
    fn control_characters_can_be_sent_and_shown() {
        assert!(parse(["--raw"]).raw);
        assert!(!parse(["--raw", "--no-raw"]).raw);
    }
}
