//! Replacement text in the place of matches.

use crate::{Case, check};

pub(crate) const CASES: &[Case] = &[
    // Each match of matching lines; context lines stay.
    (
        "-r X foo a",
        "X bar X\n\
         \x20 X end\n",
    ),
    (
        "-r X -n -A 1 bar a",
        "1:foo X foo\n\
         2-xyz\n",
    ),
    (
        "-r X --passthru foo a b",
        "a:X bar X\n\
         a-xyz\n\
         a:  X end\n\
         b:X\n",
    ),
    (
        "-r '' foo a",
        " bar \n\
         \x20  end\n",
    ),
    (
        "-r [$0] fo|zz g",
        "1 [fo]o\n\
         5 [fo]o\n\
         6 [fo]o[fo]o\n\
         11 [fo]o\n",
    ),
    ("-r X foo d", "X\n"),
    ("-r X -v foo a", "xyz\n"),
    (
        "-r X -v -C 1 xyz a",
        "foo bar foo\n\
         X\n\
         \x20 foo end\n",
    ),
    // References.
    ("-r $2.$1 (f)(o+) b", "oo.f\n"),
    ("-r ${2}x$1a$b (f)(?P<b>o+) b", "ooxoo\n"),
    ("-r $$1$-$ foo b", "$1$-$\n"),
    ("-r $9$zz|${ foo b", "|${\n"),
    (
        "-r $1, (foo)|(bar) a",
        "foo, , foo,\n\
         \x20 foo, end\n",
    ),
    ("-r ${0}${0} o b", "foooo\n"),
    // Empty matches.
    ("-r - x* b", "-f-o-o-\n"),
    (
        "-r - $ b d",
        "b:foo-\n\
         d:foo\n",
    ),
    (
        "-r - ^ r",
        "-foo\n\
         -foo\r\n\
         -bar foo\r\n\
         -\r\n",
    ),
    ("-r . '' c", ".�.�.\n"),
    // Columns and offsets are those of what is printed.
    (
        "-r longer --column -b foo a",
        "1:1:0:longer bar longer\n\
         3:3:16:  longer end\n",
    ),
    (
        "-r longer --vimgrep foo a",
        "a:1:1:longer bar longer\n\
         a:1:12:longer bar longer\n\
         a:3:3:  longer end\n",
    ),
    (
        "-r longer --vimgrep -b foo a",
        "a:1:1:0:longer bar longer\n\
         a:1:12:11:longer bar longer\n\
         a:3:3:18:  longer end\n",
    ),
    (
        "-r longer -o -b --column foo a",
        "1:1:0:longer\n\
         1:12:11:longer\n\
         3:3:18:longer\n",
    ),
    (
        "-o -r $1! (fo)o a",
        "fo!\n\
         fo!\n\
         fo!\n",
    ),
    ("-o -r '' foo b", "\n"),
    ("-o -r '' --trim foo b", "\n"),
    // The terminator stays, or is added as for any line.
    (
        "-r X foo r",
        "X\n\
         X\r\n\
         bar X\r\n",
    ),
    (
        "-r X --crlf foo r",
        "X\n\
         X\r\n\
         bar X\r\n",
    ),
    (
        "-r X --crlf foo$ r",
        "X\n\
         X\r\n\
         bar X\r\n",
    ),
    (
        "-r X -o --crlf foo r",
        "X\r\n\
         X\r\n\
         X\r\n",
    ),
    (
        "-r X --null-data foo z",
        "X\n\
         bar{0}X bar\n\
         x{0}",
    ),
    ("-r X -o --null-data foo z", "X{0}X{0}"),
    // Colours, long lines and blanks go by the replaced line.
    (
        "--color=always -r X_Y -n foo a",
        "{line}1{}:{match}X Y{} bar {match}X Y{}\n\
         {line}3{}:  {match}X Y{} end\n",
    ),
    ("--color=always -r X --colors highlight:bg:blue foo b", "{blue}{match}X{blue}{}\n"),
    (
        "--color=always -r '' foo a",
        " bar \n\
         \x20  end\n",
    ),
    (
        "--color=always -o -r X foo a",
        "{match}X{}\n\
         {match}X{}\n\
         {match}X{}\n",
    ),
    (
        "-M 9 -r longer foo a",
        "[Omitted long line with 2 matches]\n\
         [Omitted long line with 1 matches]\n",
    ),
    (
        "-M 9 -r X foo a",
        "X bar X\n\
         \x20 X end\n",
    ),
    (
        "-M 4 --max-columns-preview -r longer foo a",
        "long [... 1 more match]\n\
         \x20 lo [... 0 more matches]\n",
    ),
    (
        "-M 4 --max-columns-preview --color=always -r longer foo a",
        "{match}long{} [... 1 more match]\n\
         \x20 {match}lo{} [... 0 more matches]\n",
    ),
    ("-M 3 -o -r longer foo b", "[Omitted long matching line]\n"),
    (
        "--trim -r _X foo a",
        "X bar  X\n\
         X end\n",
    ),
    (
        "--heading -H -r X foo b a",
        "b\n\
         X\n\
         \n\
         a\n\
         X bar X\n\
         \x20 X end\n",
    ),
    // Answers know no replacement.
    ("-c -r X foo a", "2\n"),
    ("--count-matches -r X foo a", "3\n"),
    ("-l -r X foo a", "a\n"),
];

#[test]
fn cases() {
    check(CASES);
}
