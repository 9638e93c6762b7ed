//! Complete lists: file types, encodings, formats of links, and the messages about misused flags.
//! Each entry has to be ripgrep's.

use std::{ffi::OsStr, path::Path};

use crate::{
    answer::{Answer, Order},
    assert_none,
    flags::FLAGS,
    in_parallel, oracle, process,
    temp_tree::TempTree,
};

/// Every label of the Encoding Standard.
const LABELS: &str = "
    unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8 866 cp866 csibm866 ibm866
    csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2 csisolatin3
    iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3 csisolatin4 iso-8859-4
    iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4 csisolatincyrillic cyrillic iso-8859-5
    iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988 arabic asmo-708 csiso88596e csiso88596i
    csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6
    iso_8859-6:1987 csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597
    iso_8859-7 iso_8859-7:1987 sun_eu_greek csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e
    iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical
    csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6 iso-8859-13 iso8859-13 iso885913
    iso-8859-14 iso8859-14 iso885914 csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9 iso-8859-16
    cskoi8r koi koi8 koi8-r koi8_r koi8-ru koi8-u csmacintosh mac macintosh x-mac-roman dos-874 iso-8859-11
    iso8859-11 iso885911 tis-620 windows-874 cp1250 windows-1250 x-cp1250 cp1251 windows-1251 x-cp1251
    ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1
    iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252 cp1253 windows-1253 x-cp1253 cp1254 csisolatin5
    iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254 cp1255
    windows-1255 x-cp1255 cp1256 windows-1256 x-cp1256 cp1257 windows-1257 x-cp1257 cp1258 windows-1258
    x-cp1258 x-mac-cyrillic x-mac-ukrainian chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk
    iso-ir-58 x-gbk gb18030 big5 big5-hkscs cn-big5 csbig5 x-x-big5 cseucpkdfmtjapanese euc-jp x-euc-jp
    csiso2022jp iso-2022-jp csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis cseuckr
    csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949
    csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr replacement unicodefffe utf-16be csunicode
    iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le x-user-defined auto none";

/// Unknown labels, and unusual spellings of known ones.
const ODD_LABELS: &str = "| |utf-32|utf-7|utf_8|latin-1|cp437|AUTO|None| utf-8 |UTF-8|Latin1|utf-8\t|utf-16 le|\
    ebcdic|binary|utf-8,latin1";

/// Formats of links: every alias, and formats with every variable.
const LINKS: &str = "default none cursor file grep+ kitty macvim textmate vscode vscode-insiders
    vscodium emacs Default x://{path} x:{path} x://{host}{path}:{line}
    x://{host}{path}#{line},{column} x://{wslprefix}{path} x://{{{path}}} x+y-z.1://{path} x_y://{path}
    x://{line} x://{path}%20é";

/// Runs both programs and describes the first difference, in messages too.
fn compare(tree: &TempTree, oracle: &Path, args: &[&str], order: Order) -> Option<String> {
    let run = |program: &OsStr| {
        let mut command = crate::command(tree, program, &tree.path());
        process::run(command.arg("--no-config").args(args), None)
    };
    let (ours, theirs) = (run(OsStr::new(env!("CARGO_BIN_EXE_hs"))), run(oracle.as_os_str()));
    let answers = [&ours, &theirs].map(Answer::of);
    if !answers[0].agrees(&answers[1], order) {
        return Some(format!("{args:?}\n{}", answers[0].diff(&answers[1])));
    }
    let [ours, theirs] = [&ours, &theirs].map(|outcome| message(&outcome.stderr));
    (ours != theirs).then(|| format!("{args:?}\nhs: {ours}\nripgrep: {theirs}"))
}

/// The messages without the program's name.
fn message(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let text = text.strip_prefix("hs: ").or_else(|| text.strip_prefix("rg: ")).unwrap_or(&text);
    // The advice for Windows is ripgrep's; similar names come in another order; the accepted values
    // are heist's.
    let not_compared = [
        "\nIn some shells on Windows",
        "\n\nsimilar flags that are available: ",
        "\n\nTo search for ",
        " (accepted: ",
    ];
    let end = not_compared.iter().filter_map(|words| text.find(words)).min().unwrap_or(text.len());
    text[..end].trim_end().to_string()
}

#[track_caller]
fn check<T: Sync>(cases: &[T], differs: impl Fn(&T) -> Option<String> + Sync) {
    assert_none(&in_parallel(cases, differs));
}

#[test]
fn file_types_are_ripgreps() {
    let Some(oracle) = oracle() else { return };
    let tree = TempTree::new("types");
    let lines: [&[&str]; 6] = [
        &["--type-list"],
        &["--type-list", "--type-add=odd:*.odd", "--type-add=odd:*.{b,a}"],
        &["--type-list", "--type-add=all2:include:rust,c", "--type-clear=rust"],
        &["--type-list", "--type-clear=rust", "--type-add=rust:*.x", "--type-clear=nosuch"],
        &["--type-list", "--type-add=é:*.é"],
        &["--type-list", "-trust"],
    ];
    check(&lines, |line| compare(&tree, &oracle, line, Order::Exact));
}

#[test]
fn encodings_are_ripgreps() {
    let Some(oracle) = oracle() else { return };
    let tree = TempTree::new("encodings");
    let mut bytes: Vec<u8> = (0x20..=0xff).collect();
    bytes.extend(b"\ngem \x1b$B$3$s\x1b(B \x81\x30\x81\x30 \xfe\xfe\n");
    // A whole number of characters of two and of four bytes.
    bytes.resize(bytes.len().next_multiple_of(4), b'.');
    tree.file("bytes", bytes);
    let labels: Vec<&str> = LABELS.split_whitespace().chain(ODD_LABELS.split('|')).collect();
    check(&labels, |label| {
        compare(&tree, &oracle, &["--no-mmap", "-anb", ".", "-E", label, "bytes"], Order::Exact)
    });
}

#[test]
fn links_are_ripgreps() {
    let Some(oracle) = oracle() else { return };
    let tree = TempTree::new("links");
    tree.file("a gem/h+o%ä~rd", "a gem\nno luck\ngem gem\n");
    let outputs: [&[&str]; 7] = [
        &["-l"],
        &["-c"],
        &["-n", "--column"],
        &["--heading", "-n"],
        &["--vimgrep", "-b"],
        &["-H", "-A1"],
        &["--files-without-match"],
    ];
    let links = LINKS.split_whitespace().chain([""]);
    let cases: Vec<(&str, &[&str])> =
        links.flat_map(|link| outputs.map(|output| (link, output))).collect();
    check(&cases, |(link, output)| {
        let format = format!("--hyperlink-format={link}");
        let mut args = vec!["--color=always", "-j1", "--hostname-bin=echo", &format];
        args.extend(*output);
        args.extend(["gem", "."]);
        compare(&tree, &oracle, &args, Order::Exact)
    });
}

/// Command lines that misuse a flag: without its value, with a bad value, with a value for a
/// switch, misspelled.
fn misuses() -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    for flag in FLAGS {
        for name in flag.spellings() {
            let is_long = name.starts_with("--");
            if flag.good().is_some() {
                lines.push(vec![name.to_string()]);
            } else if is_long {
                lines.extend(["x", "", "a\"b"].map(|value| vec![format!("{name}={value}")]));
            }
            for value in flag.bad() {
                lines.push(vec![name.to_string(), value.to_string()]);
                if is_long {
                    lines.push(vec![format!("{name}={value}")]);
                }
            }
        }
        lines.extend(flag.negation().map(|name| vec![format!("{name}=x")]));
        let long = flag.spellings().find(|name| name.starts_with("--"));
        lines.extend(long.map(|name| vec![name[..name.len() - 1].to_string()]));
    }
    lines
}

#[test]
fn messages_about_misused_flags_are_ripgreps() {
    let Some(oracle) = oracle() else { return };
    let tree = TempTree::new("misuses");
    tree.file("hoard", "gem\n");
    check(&misuses(), |line| {
        // Ripgrep has other words for engines than for other choices; heist has the same words for
        // all.
        if line[0].starts_with("--engine") {
            return None;
        }
        let args: Vec<&str> =
            ["gem", "hoard"].into_iter().chain(line.iter().map(String::as_str)).collect();
        compare(&tree, &oracle, &args, Order::Exact)
    });
}
