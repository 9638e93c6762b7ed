//! Flags that choose the output mode.

use super::record::{Flag, ValueKind::OneOf, flags, set};
use crate::typed::{Generate, Mode, SearchMode};

pub(super) const FLAGS: &[Flag] = flags![
    Flag {
        long: "count",
        short: Some('c'),
        summary: "Print the number of matching lines per file.",
        manual: "Print the number of matching lines for each file that has any; use --include-zero \
                 to print the others too. With --only-matching, this is --count-matches. If \
                 several output modes are given, the last one wins.",
        set: set!(|_, typed| typed.mode.update(Mode::Search(SearchMode::Count))),
    },
    Flag {
        long: "count-matches",
        summary: "Print the number of matches per file.",
        manual: "Print the number of matches for each file that has any; a line can contain \
                 several. With --invert-match, this is --count. If several output modes are given, \
                 the last one wins.",
        set: set!(|_, typed| typed.mode.update(Mode::Search(SearchMode::CountMatches))),
    },
    Flag {
        long: "files-with-matches",
        short: Some('l'),
        summary: "Print the paths of files with a match.",
        manual: "Print only the path of each file that contains a match. If several output modes \
                 are given, the last one wins.",
        set: set!(|_, typed| typed.mode.update(Mode::Search(SearchMode::FilesWithMatches))),
    },
    Flag {
        long: "files-without-match",
        summary: "Print the paths of files without a match.",
        manual: "Print only the path of each searched file that contains no match. If several \
                 output modes are given, the last one wins.",
        set: set!(|_, typed| typed.mode.update(Mode::Search(SearchMode::FilesWithoutMatch))),
    },
    Flag {
        long: "json",
        negation: Some("no-json"),
        summary: "Print results as JSON Lines.",
        manual: "Print results as JSON, one object per line, for other programs. The type of an \
                 object is begin or end for a file with results, match or context for lines of it, \
                 and summary for the last object, which is always printed. Text that is not valid \
                 UTF-8 is printed in base64, under the key bytes instead of text.\n\n\
                 Context, --replace, --invert-match, --max-count, --multiline and --sort work as \
                 usual. Flags that change what lines look like have no effect. If several output \
                 modes are given, the last one wins.",
        set: set!(|value, typed| {
            if value.is_on() {
                typed.mode.update(Mode::Search(SearchMode::Json));
            } else if typed.mode == Mode::Search(SearchMode::Json) {
                typed.mode = Mode::default();
            }
        }),
    },
    Flag {
        long: "files",
        summary: "Print the files that would be searched.",
        manual: "Print the path of each file that would be searched, without searching it. There \
                 is no PATTERN in this mode: every positional argument is a path.",
        set: set!(|_, typed| typed.mode.update(Mode::Files)),
    },
    Flag {
        long: "type-list",
        summary: "Print all file types and their globs.",
        manual: "Print the name and the globs of each file type, including the changes of \
                 --type-add and --type-clear.",
        set: set!(|_, typed| typed.mode.update(Mode::TypeList)),
    },
    Flag {
        long: "generate",
        value: OneOf(
            "KIND",
            &["man", "complete-bash", "complete-zsh", "complete-fish", "complete-powershell"],
        ),
        summary: "Print the man page or a completion script.",
        manual: "Print the man page, or a script that lets a shell complete the arguments of hs. \
                 Save it where man or the shell looks for such files, for instance:\n\n    \
                 hs --generate man > ~/.local/share/man/man1/hs.1\n    \
                 hs --generate complete-bash > /etc/bash_completion.d/hs\n    \
                 hs --generate complete-zsh > ~/.zfunc/_hs\n    \
                 hs --generate complete-fish > ~/.config/fish/completions/hs.fish\n    \
                 hs --generate complete-powershell > _hs.ps1",
        set: set!(|value, typed| typed.mode.update(Mode::Generate(value.one_of(GENERATE_KINDS)?))),
    },
];

const GENERATE_KINDS: &[(&str, Generate)] = &[
    ("man", Generate::Man),
    ("complete-bash", Generate::Bash),
    ("complete-zsh", Generate::Zsh),
    ("complete-fish", Generate::Fish),
    ("complete-powershell", Generate::PowerShell),
];

#[cfg(test)]
mod tests {
    use super::super::tests::{error, parse};
    use super::{Generate, Mode, SearchMode::*};

    #[test]
    fn the_last_search_mode_wins() {
        assert_eq!(parse(["foo"]).mode, Mode::Search(Standard));
        assert_eq!(parse(["-cl"]).mode, Mode::Search(FilesWithMatches));
        assert_eq!(parse(["-lc"]).mode, Mode::Search(Count));
        assert_eq!(parse(["-c", "--count-matches"]).mode, Mode::Search(CountMatches));
        assert_eq!(parse(["-c", "--files-without-match"]).mode, Mode::Search(FilesWithoutMatch));
        assert_eq!(parse(["-c", "--no-json"]).mode, Mode::Search(Count));
    }

    #[test]
    fn modes_that_do_not_search_stick() {
        assert_eq!(parse(["--files", "-l"]).mode, Mode::Files);
        assert_eq!(parse(["-l", "--files"]).mode, Mode::Files);
        assert_eq!(parse(["--files", "--type-list", "-c"]).mode, Mode::TypeList);
        assert_eq!(parse(["--type-list", "--files"]).mode, Mode::Files);
    }

    #[test]
    fn no_json_disables_json_only() {
        assert_eq!(parse(["--json"]).mode, Mode::Search(Json));
        assert_eq!(parse(["--json", "--no-json"]).mode, Mode::Search(Standard));
        assert_eq!(parse(["--json", "-l", "--no-json"]).mode, Mode::Search(FilesWithMatches));
        assert_eq!(parse(["--files", "--json"]).mode, Mode::Files);
    }

    #[test]
    fn an_unknown_file_cannot_be_generated() {
        assert_eq!(parse(["--generate=man", "-l"]).mode, Mode::Generate(Generate::Man));
        assert_eq!(
            error(["--generate=me"]),
            "error parsing flag --generate: choice 'me' is unrecognized (accepted: man, \
             complete-bash, complete-zsh, complete-fish, complete-powershell)"
        );
    }
}
