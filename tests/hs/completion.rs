//! What interactive shells complete.

use skipped_tests::skip;

/// What is typed before the tab key, and the arguments that an interactive shell then passes.
const COMPLETED: &[(&str, &str)] = &[
    ("hs --files-without", "<--files-without-match>"),
    ("hs --no-hid", "<--no-hidden>"),
    ("hs --sort=mo", "<--sort=modified>"),
    ("hs --sort mo", "<--sort><modified>"),
    ("hs --type=rub", "<--type=ruby>"),
    ("hs -t rub", "<-t><ruby>"),
    ("hs -E latin", "<-E><latin>"),
    ("hs -E latin1", "<-E><latin1>"),
    ("hs -f sp", "<-f><sp ace.txt>"),
    ("hs -nf sp", "<-nf><sp ace.txt>"),
    ("hs x sp", "<x><sp ace.txt>"),
    ("hs -m sp", "<-m><sp>"),
    ("hs -A sp", "<-A><sp>"),
    ("hs -g sp", "<-g><sp>"),
    ("hs --colors sp", "<--colors><sp>"),
    ("hs -truby", "<-truby>"),
    ("hs -trub", "<-truby>"),
    ("hs -ntrub", "<-ntruby>"),
    ("hs -Elatin1", "<-Elatin1>"),
    ("hs --index-update nes", "<--index-update><nested/>"),
    ("hs --ignore-file nes", "<--ignore-file><nested/>"),
];

/// Types the lines of the file `keys` into the shell `$SHELL`, whose `hs` prints its arguments.
const TYPING: &str = r#"
    command -v "$SHELL" script >/dev/null || { echo skipped; exit; }
    "$1" --generate "complete-$SHELL" >"$HOME/completions"
    printf '%s\n' '[ -z "$ZSH_VERSION" ] || { autoload -U compinit; compinit -u -D; }' \
        '. ~/completions' 'hs() { printf "<%s>" "$@"; echo; } >&3' | tee "$HOME/.bashrc" >"$HOME/.zshrc"
    script --quiet --return --command "$SHELL -i 3>$HOME/passed" /dev/null <keys >/dev/null
    cat "$HOME/passed"
"#;

hs_test!(shells_complete_what_is_typed, |tree, hs| {
    tree.file("sp ace.txt", "").file("nested/file", "");
    let keys: String = COMPLETED.iter().map(|(typed, _)| format!("{typed}\t\n")).collect();
    tree.file("keys", keys + "exit\n");
    for shell in ["bash", "zsh"] {
        let passed = hs
            .args([""; 0])
            .env("SHELL", shell)
            .env("TERM", "xterm")
            .through_sh(TYPING)
            .differs_from_ripgrep("ripgrep has other scripts")
            .stdout();
        let passed = String::from_utf8_lossy(&passed).into_owned();
        if passed.is_empty() || passed == "skipped\n" {
            skip(format_args!("{shell} or script is not installed"));
            continue;
        }
        let bare = |line: &str| line.replace("/>", ">");
        for (line, (typed, expected)) in passed.lines().zip(COMPLETED) {
            // Zsh removes the slash when the line is accepted.
            assert_eq!(bare(line), bare(expected), "{shell}: {typed}");
        }
        assert_eq!(passed.lines().count(), COMPLETED.len(), "{shell}:\n{passed}");
    }
});
