//! Matching lines: their fields, their text, one by one or once per match.

use crate::{Case, check};

pub(crate) const CASES: &[Case] = &[
    // Fields.
    (
        "foo a",
        "foo bar foo\n\
         \x20 foo end\n",
    ),
    (
        "-n foo a",
        "1:foo bar foo\n\
         3:  foo end\n",
    ),
    (
        "-H foo a",
        "a:foo bar foo\n\
         a:  foo end\n",
    ),
    (
        "-n -H foo a",
        "a:1:foo bar foo\n\
         a:3:  foo end\n",
    ),
    (
        "-b foo a",
        "0:foo bar foo\n\
         16:  foo end\n",
    ),
    (
        "--column foo a",
        "1:1:foo bar foo\n\
         3:3:  foo end\n",
    ),
    (
        "--column -N foo a",
        "1:foo bar foo\n\
         3:  foo end\n",
    ),
    (
        "-b --column foo a",
        "1:1:0:foo bar foo\n\
         3:3:16:  foo end\n",
    ),
    (
        "-n -H -b --column foo a",
        "a:1:1:0:foo bar foo\n\
         a:3:3:16:  foo end\n",
    ),
    (
        "foo a b",
        "a:foo bar foo\n\
         a:  foo end\n\
         b:foo\n",
    ),
    (
        "-I foo a b",
        "foo bar foo\n\
         \x20 foo end\n\
         foo\n",
    ),
    (
        "-n foo a dir/f ./dir/f",
        "a:1:foo bar foo\n\
         a:3:  foo end\n\
         dir/f:1:foo\n\
         ./dir/f:1:foo\n",
    ),
    ("zzz a b", ""),
    ("foo e", ""),
    (
        "-H -n --field-match-separator => foo a",
        "a=>1=>foo bar foo\n\
         a=>3=>  foo end\n",
    ),
    (
        "--field-match-separator '' -n -b foo a",
        "10foo bar foo\n\
         316  foo end\n",
    ),
    // A missing terminator is added; empty matches at the end of a line without one are none.
    ("foo d", "foo\n"),
    (
        "-n -b foo d b",
        "d:1:0:foo\n\
         b:1:0:foo\n",
    ),
    ("--column $ d", "1:foo\n"),
    ("--column $ b", "1:4:foo\n"),
    ("-o $ d", "foo\n"),
    ("-o $ b", "\n"),
    ("--vimgrep $ d", "d:1:foo\n"),
    ("--column x* c", "1:1:é\n"),
    // Inverted.
    ("-v foo a", "xyz\n"),
    ("-v -n -b foo a", "2:12:xyz\n"),
    ("-v --column foo a", "2:xyz\n"),
    ("-v -o foo a", "xyz\n"),
    ("-v --vimgrep foo a", "a:2:xyz\n"),
    ("-v foo d", ""),
    // Only matches.
    (
        "-o foo a",
        "foo\n\
         foo\n\
         foo\n",
    ),
    (
        "-o -n foo a",
        "1:foo\n\
         1:foo\n\
         3:foo\n",
    ),
    (
        "-o -b foo a",
        "0:foo\n\
         8:foo\n\
         18:foo\n",
    ),
    (
        "-o --column foo a",
        "1:1:foo\n\
         1:9:foo\n\
         3:3:foo\n",
    ),
    (
        "-o -n -b --column -H foo a",
        "a:1:1:0:foo\n\
         a:1:9:8:foo\n\
         a:3:3:18:foo\n",
    ),
    (
        "-o -b --column -N foo g",
        "3:2:foo\n\
         3:14:foo\n\
         3:20:foo\n\
         6:23:foo\n\
         4:39:foo\n",
    ),
    (
        "-o x* a",
        "\n\
         \n\
         \n\
         \n\
         \n\
         \n\
         \n\
         \n\
         \n\
         \n\
         \n\
         \n\
         x\n\
         \n\
         \n\
         \n\
         \n\
         \n\
         \n\
         \n\
         \n\
         \n\
         \n\
         \n\
         \n",
    ),
    (
        "-o --column '' c",
        "1:1:\n\
         1:2:\n\
         1:3:\n",
    ),
    (
        "-o --column o* b",
        "1:1:\n\
         1:2:oo\n",
    ),
    (
        "-o foo_ a",
        "foo \n\
         foo \n",
    ),
    ("-o -v foo a", "xyz\n"),
    // Line per match.
    (
        "--vimgrep foo a",
        "a:1:1:foo bar foo\n\
         a:1:9:foo bar foo\n\
         a:3:3:  foo end\n",
    ),
    (
        "--vimgrep -N foo a",
        "a:1:foo bar foo\n\
         a:9:foo bar foo\n\
         a:3:  foo end\n",
    ),
    (
        "--vimgrep -I foo a",
        "1:1:foo bar foo\n\
         1:9:foo bar foo\n\
         3:3:  foo end\n",
    ),
    (
        "--vimgrep -b foo a",
        "a:1:1:0:foo bar foo\n\
         a:1:9:8:foo bar foo\n\
         a:3:3:18:  foo end\n",
    ),
    (
        "--vimgrep -o foo a",
        "a:1:1:foo\n\
         a:1:9:foo\n\
         a:3:3:foo\n",
    ),
    (
        "--vimgrep -o -b foo a",
        "a:1:1:0:foo\n\
         a:1:9:8:foo\n\
         a:3:3:18:foo\n",
    ),
    (
        "--vimgrep --heading foo a",
        "a:1:1:foo bar foo\n\
         a:1:9:foo bar foo\n\
         a:3:3:  foo end\n",
    ),
    (
        "--vimgrep -C 1 foo a",
        "a:1:1:foo bar foo\n\
         a:1:9:foo bar foo\n\
         a-2-xyz\n\
         a:3:3:  foo end\n",
    ),
    (
        "--vimgrep -0 foo a b",
        "a{0}1:1:foo bar foo\n\
         a{0}1:9:foo bar foo\n\
         a{0}3:3:  foo end\n\
         b{0}1:1:foo\n",
    ),
    (
        "--vimgrep o* b",
        "b:1:1:foo\n\
         b:1:2:foo\n",
    ),
    // NUL bytes after paths.
    (
        "-0 foo a b",
        "a{0}foo bar foo\n\
         a{0}  foo end\n\
         b{0}foo\n",
    ),
    (
        "-0 -n -b --column foo a b",
        "a{0}1:1:0:foo bar foo\n\
         a{0}3:3:16:  foo end\n\
         b{0}1:1:0:foo\n",
    ),
    (
        "-0 -C 1 -n -H foo a",
        "a{0}1:foo bar foo\n\
         a{0}2-xyz\n\
         a{0}3:  foo end\n",
    ),
    (
        "-0 --heading -n foo a b",
        "a{0}1:foo bar foo\n\
         3:  foo end\n\
         \n\
         b{0}1:foo\n",
    ),
    (
        "-0 --heading -C 1 foo g b",
        "g{0}1 foo\n\
         2\n\
         --\n\
         4\n\
         5 foo\n\
         6 foofoo\n\
         7\n\
         --\n\
         10\n\
         11 foo\n\
         12\n\
         \n\
         b{0}foo\n",
    ),
    (
        "-0 -I -n foo a b",
        "1:foo bar foo\n\
         3:  foo end\n\
         1:foo\n",
    ),
    (
        "-0 -o foo a b",
        "a{0}foo\n\
         a{0}foo\n\
         a{0}foo\n\
         b{0}foo\n",
    ),
    ("-0 -v -H foo a", "a{0}xyz\n"),
    (
        "-0 --field-match-separator = -n -H foo a",
        "a{0}1=foo bar foo\n\
         a{0}3=  foo end\n",
    ),
    // Paths.
    (
        "--path-separator + foo a ./dir/f",
        "a:foo bar foo\n\
         a:  foo end\n\
         .+dir+f:foo\n",
    ),
    (
        "--path-separator + --heading foo ./dir/f a",
        ".+dir+f\n\
         foo\n\
         \n\
         a\n\
         foo bar foo\n\
         \x20 foo end\n",
    ),
    // Terminators.
    (
        "--crlf foo r",
        "foo\n\
         foo\r\n\
         bar foo\r\n",
    ),
    (
        "--crlf foo$ r",
        "foo\n\
         foo\r\n\
         bar foo\r\n",
    ),
    (
        "--crlf -o -n foo r",
        "1:foo\r\n\
         2:foo\r\n\
         3:foo\r\n",
    ),
    ("--crlf foo d", "foo\r\n"),
    (
        "--crlf -C 1 foo g",
        "1 foo\n\
         2\n\
         --\r\n\
         4\n\
         5 foo\n\
         6 foofoo\n\
         7\n\
         --\r\n\
         10\n\
         11 foo\n\
         12\n",
    ),
    (
        "--crlf --heading -H foo b",
        "b\r\n\
         foo\n",
    ),
    ("-o . c", "é\n"),
    (
        "foo r",
        "foo\n\
         foo\r\n\
         bar foo\r\n",
    ),
    (
        "--null-data foo z",
        "foo\n\
         bar{0}foo bar\n\
         x{0}",
    ),
    ("--null-data -o -b foo z", "0:foo{0}8:foo{0}"),
    ("--null-data -n -v foo z", "3:last{0}"),
    (
        "--null-data -C 1 -n last z",
        "2-foo bar\n\
         x{0}3:last{0}",
    ),
    (
        "--null-data --heading -H bar z",
        "z{0}foo\n\
         bar{0}foo bar\n\
         x{0}",
    ),
    // Trimmed.
    (
        "--trim foo a",
        "foo bar foo\n\
         foo end\n",
    ),
    (
        "--trim -n -b --column foo i",
        "1:6:0:foo\n\
         5:3:14:foo foo foo bar\n",
    ),
    (
        "--trim '' i",
        "foo\n\
         \n\
         \n\
         \n\
         foo foo foo bar\n",
    ),
    (
        "--trim --crlf '' i",
        "foo\n\
         \n\
         \n\
         \r\n\
         foo foo foo bar\n",
    ),
    (
        "--trim -o _foo a",
        "foo\n\
         foo\n",
    ),
    (
        "--trim --passthru bar i",
        "foo\n\
         \n\
         \n\
         \n\
         foo foo foo bar\n",
    ),
    (
        "--trim --vimgrep foo i",
        "i:1:6:foo\n\
         i:5:3:foo foo foo bar\n\
         i:5:7:foo foo foo bar\n\
         i:5:11:foo foo foo bar\n",
    ),
    (
        "--trim --null-data foo i",
        "foo\n\
         \n\
         \x20\n\
         \r\n\
         \x20 foo foo foo bar\n\
         {0}",
    ),
];

#[test]
fn cases() {
    check(CASES);
}
