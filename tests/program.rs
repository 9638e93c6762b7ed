//! The names and versions of the program, its man page and its completions.

use crate::harness::{Hs, run::Run};

/// Runs the program through a link named `rg`, as editors do.
fn as_rg<'v>(hs: &Hs<'v>, args: &[&str]) -> Run<'v> {
    hs.args(args)
        .through_sh(r#"ln -sf "$1" "$HOME/rg" && shift && exec "$HOME/rg" "$@" 2>"$HOME/err""#)
        .differs_from_ripgrep("ripgrep does not depend on its name")
}

hs_test!(a_link_named_rg_has_ripgreps_version, |_, hs| {
    as_rg(hs, &["-V"]).stdout_satisfies("it is a version of ripgrep", |text| {
        text.starts_with(b"ripgrep 15.2.0 (rev heist-")
    });
    as_rg(hs, &["--version"]).stdout_satisfies("the third line lists features", |text| {
        text.starts_with(b"ripgrep 15.2.0 ")
            && text.split(|&b| b == b'\n').nth(2).unwrap().starts_with(b"features:")
    });
});

hs_test!(a_link_named_rg_reports_errors_as_ripgrep, |_, hs| {
    as_rg(hs, &["gem", "missing"]).exits(2);
    hs.args([""; 0])
        .through_sh(r#"cat "$HOME/err""#)
        .differs_from_ripgrep("ripgrep does not depend on its name")
        .prints("rg: missing: No such file or directory (os error 2)\n");
});

hs_test!(a_link_named_rg_reads_ripgreps_configuration, |tree, hs| {
    tree.file("hoard", "Gem\n").file("rc", "-i\n").file("ours", "-o\n");
    let rc = tree.join("rc");
    as_rg(hs, &["gem", "hoard"]).exits(1);
    as_rg(hs, &["gem", "hoard"]).env("RIPGREP_CONFIG_PATH", &rc).prints("Gem\n");
    as_rg(hs, &["gem", "hoard"])
        .env("RIPGREP_CONFIG_PATH", &rc)
        .env("HEIST_CONFIG_PATH", tree.join("ours"))
        .exits(1);
    hs.args(["gem", "hoard"])
        .env("RIPGREP_CONFIG_PATH", &rc)
        .differs_from_ripgrep("ripgrep does not depend on its name")
        .finds_nothing();
});

hs_test!(a_link_named_rg_reads_no_default_configuration, |tree, hs| {
    tree.file("hoard", "a gem\n").dir("../home/.config/heist");
    tree.file("../home/.config/heist/config", "-n\n");
    as_rg(hs, &["gem", "hoard"]).prints("a gem\n");
    hs.args(["gem", "hoard"])
        .differs_from_ripgrep("ripgrep has no default place")
        .prints("1:a gem\n");
});

hs_test!(the_man_page_and_completions_are_written, |_, hs| {
    hs.args(["--generate", "man"])
        .stdout_satisfies("it is roff", |text| text.windows(8).any(|w| w == b".SH NAME"));
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let kind = format!("--generate=complete-{shell}");
        hs.args([&kind]).stdout_satisfies("it contains a flag", |text| {
            text.windows(18).any(|w| w == b"files-with-matches")
        });
    }
    // Modes that do not search win over search modes, and need no pattern.
    hs.args(["--generate=complete-bash", "--count"])
        .differs_from_ripgrep("ripgrep searches, since the last mode wins")
        .stdout_satisfies("it is a script", |text| text.starts_with(b"# Completes "));
    hs.args(["--generate", "me"]).refuses("choice 'me' is unrecognized");
});

hs_test!(a_link_named_rg_documents_rg, |_, hs| {
    for kind in ["--help", "-h", "--generate=man"] {
        as_rg(hs, &[kind]).stdout_satisfies("it names rg only", |text| {
            let text = String::from_utf8_lossy(text);
            let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
            words.clone().any(|word| word == "rg") && words.all(|word| word != "hs")
        });
    }
    for (shell, line) in
        [("bash", "complete -F _rg "), ("zsh", "#compdef rg\n"), ("fish", "complete -c rg ")]
    {
        as_rg(hs, &[&format!("--generate=complete-{shell}")])
            .stdout_satisfies("it completes rg", |text| {
                String::from_utf8_lossy(text).contains(line)
            });
    }
});

hs_test!(the_man_page_has_the_usual_sections, |_, hs| {
    let sections = ["NAME", "SYNOPSIS", "FILES", "ENVIRONMENT", "EXAMPLES", "\"SEE ALSO\""];
    hs.args(["--generate=man"])
        .differs_from_ripgrep("ripgrep has another man page")
        .stdout_satisfies("it has sections, and values after an equals sign", |text| {
            let text = String::from_utf8_lossy(text);
            sections.iter().all(|name| text.contains(&format!("\n.SH {name}\n")))
                && text.contains("HEIST_RESTRICT")
                && text.contains(r"\fB\-\-after\-context\fR=\fINUM\fR")
        });
});

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
            eprintln!("skipped: {shell} or script is missing");
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

hs_test!(the_version_of_pcre2_is_printed, |_, hs| {
    hs.args(["--pcre2-version"]).stdout_satisfies("it names PCRE2 and its version", |stdout| {
        let text = String::from_utf8_lossy(stdout);
        text.starts_with("PCRE2 10.") && text.lines().count() == 1
    });
});
