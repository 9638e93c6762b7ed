//! Lines of ignore files and the rules they make.

use super::*;

/// The rules of a file as text: number, flags, glob. `!` whitelist, `d` directories, `p` path.
fn read(source: &[u8], dialect: Dialect) -> Vec<String> {
    let show = |line: &Line| {
        let mut text = format!("{}:", line.number);
        text += if line.is_whitelist { "!" } else { "" };
        text += if line.is_only_dir { "d" } else { "" };
        text += if line.is_path { "p" } else { "" };
        text + ":" + &source[line.glob.clone()].escape_ascii().to_string()
    };
    lines(source, dialect).map(|line| show(&line)).collect()
}

#[test]
fn both_dialects_read_plain_lines_alike() {
    let source = b"\xef\xbb\xbf# no\n\na\n!b/\n/c\nd/e\n!/f/ \n\\#g\r\n**/h\n #i";
    let expected =
        ["3::a", "4:!d:b", "5:p:c", "6:p:d/e", "7:!dp:f", "8::\\\\#g", "9:p:**/h", "10:: #i"];
    assert_eq!(read(source, Dialect::Git), expected);
    assert_eq!(read(source, Dialect::Ripgrep), expected);
}

#[test]
fn dialects_differ_on_blanks() {
    // A line, what git keeps of it, what ripgrep keeps of it.
    let cases: [(&[u8], &[&str], &[&str]); 12] = [
        (b"a  ", &["1::a"], &["1::a"]),
        (b"a\t", &["1::a\\t"], &["1::a"]),
        (b"a \t", &["1::a \\t"], &["1::a"]),
        (b"a\\ ", &["1::a\\\\ "], &["1::a\\\\ "]),
        (b"a\\  ", &["1::a\\\\ "], &["1::a\\\\"]),
        (b"a\\ \r\n", &["1::a\\\\ "], &["1::a\\\\ "]),
        (b"a\\ \r", &["1::a\\\\ "], &["1::a\\\\"]),
        (b"a \\ ", &["1::a \\\\ "], &["1::a \\\\ "]),
        (b"a \\", &["1::a \\\\"], &["1::a \\\\"]),
        (b"   ", &[], &[]),
        (b"a\0b", &["1::a"], &["1::a\\x00b"]),
        ("a\u{a0}".as_bytes(), &["1::a\\xc2\\xa0"], &["1::a"]),
    ];
    for (source, git, ripgrep) in cases {
        assert_eq!(read(source, Dialect::Git), git, "{}", source.escape_ascii());
        assert_eq!(read(source, Dialect::Ripgrep), ripgrep, "{}", source.escape_ascii());
    }
}

#[test]
fn dialects_differ_on_slashes_and_a_lone_bang() {
    assert_eq!(read(b"!\n/\n!/\na\\/", Dialect::Git), ["2:d:", "3:!d:", "4:d:a\\\\"]);
    assert_eq!(read(b"!\n/\n!/\na\\/", Dialect::Ripgrep), ["1:!:", "2:p:", "3:!p:", "4:d:a"]);
}

#[test]
fn lines_after_one_that_is_not_text_count() {
    for dialect in [Dialect::Git, Dialect::Ripgrep] {
        assert_eq!(read(b"\xff \nb", dialect), ["1::\\xff", "2::b"]);
    }
}
