//! Matches across lines, and what is printed of the lines they touch.

use crate::{Case, check};

pub(crate) const CASES: &[Case] = &[
    ("-U foo\\n\\n m", ""),
    (
        "-U -n -H foo\\s+\\d\\n m",
        "m:1:foo 1\n\
         m:3:  bar foo 2\n\
         m:7:\t foo 4 foo 5\n",
    ),
    // Each line has its own number and offset, and the column of the block's first match.
    (
        "-U -n -b --column foo\\s+\\d\\n m",
        "1:1:0:foo 1\n\
         3:7:7:  bar foo 2\n\
         7:9:38:\t foo 4 foo 5\n",
    ),
    (
        "-U --column -N \\n\\n|xyz m",
        "6:foo 1\n\
         6:\n\
         1:xyz\n\
         14:\t foo 4 foo 5\n\
         14:\n",
    ),
    (
        "-U -n -A 1 foo\\s1\\n m",
        "1:foo 1\n\
         2-\n",
    ),
    (
        "-U -n -B 1 -A 1 xyz\\n m",
        "4- foo 3 bar\n\
         5:xyz\n\
         6-bar\n",
    ),
    (
        "-U -n -C 1 r\\n(f|x)|\\n\\n m a",
        "m:1:foo 1\n\
         m:2:\n\
         m-3-  bar foo 2\n\
         m:4: foo 3 bar\n\
         m:5:xyz\n\
         m-6-bar\n\
         m:7:\t foo 4 foo 5\n\
         m:8:\n\
         m-9-foo\n",
    ),
    (
        "-U --passthru -n xyz\\n a",
        "1-foo bar foo\n\
         2:xyz\n\
         3-  foo end\n",
    ),
    // Part by part.
    (
        "-U -o foo\\s+\\d\\n m",
        "foo 1\n\
         foo 2\n\
         foo 5\n",
    ),
    (
        "-U -o -n -b --column \\d\\s+(foo|bar) m",
        "1:5:4:1\n\
         3:5:4:  bar\n\
         3:18:17:2\n\
         4:18:17: foo\n\
         4:25:24:3 bar\n\
         7:7:44:4 foo\n\
         7:13:50:5\n\
         9:13:50:foo\n",
    ),
    (
        "-U -o --trim -n \\d\\s+(foo|bar) m",
        "1:1\n\
         3:bar\n\
         3:2\n\
         4:foo\n\
         4:3 bar\n\
         7:4 foo\n\
         7:5\n\
         9:foo\n",
    ),
    ("-U -o \\n m", ""),
    ("-U -o -n \\s* b", ""),
    // The first line of each match.
    (
        "-U --vimgrep \\d\\s+(foo|bar) m",
        "m:1:5:foo 1\n\
         m:3:11:  bar foo 2\n\
         m:4:6: foo 3 bar\n\
         m:7:7:\t foo 4 foo 5\n\
         m:7:13:\t foo 4 foo 5\n",
    ),
    (
        "-U --vimgrep -b \\d\\s+(foo|bar) m",
        "m:1:5:0:foo 1\n\
         m:3:11:7:  bar foo 2\n\
         m:4:6:19: foo 3 bar\n\
         m:7:7:38:\t foo 4 foo 5\n\
         m:7:13:38:\t foo 4 foo 5\n",
    ),
    (
        "-U --vimgrep --trim \\d\\s+(foo|bar) m",
        "m:1:5:foo 1\n\
         m:3:11:bar foo 2\n\
         m:4:6:foo 3 bar\n\
         m:7:7:foo 4 foo 5\n\
         m:7:13:foo 4 foo 5\n",
    ),
    (
        "-U --vimgrep \\n a",
        "a:1:12:foo bar foo\n\
         a:2:4:xyz\n\
         a:3:10:  foo end\n",
    ),
    // Colours go on from line to line.
    (
        "--color=always -U -n \\d\\s+(foo|bar) m",
        "{line}1{}:foo {match}1{}\n\
         {line}2{}:\n\
         {line}3{}:{match}  bar{} foo {match}2{}\n\
         {line}4{}:{match} foo{} {match}3 bar{}\n\
         {line}7{}:\t foo {match}4 foo{} {match}5{}\n\
         {line}8{}:\n\
         {line}9{}:{match}foo{}\n",
    ),
    (
        "--color=always -U --colors highlight:bg:blue \\d\\s+(foo|bar) m",
        "{blue}foo {match}1{blue}{}\n\
         {blue}{}\n\
         {blue}{match}  bar{blue} foo {match}2{blue}{}\n\
         {blue}{match} foo{blue} {match}3 bar{blue}{}\n\
         {blue}\t foo {match}4 foo{blue} {match}5{blue}{}\n\
         {blue}{}\n\
         {blue}{match}foo{blue}{}\n",
    ),
    (
        "--color=always -U -o -n \\d\\s+(foo|bar) m",
        "{line}1{}:{match}1{}\n\
         {line}3{}:{match}  bar{}\n\
         {line}3{}:{match}2{}\n\
         {line}4{}:{match} foo{}\n\
         {line}4{}:{match}3 bar{}\n\
         {line}7{}:{match}4 foo{}\n\
         {line}7{}:{match}5{}\n\
         {line}9{}:{match}foo{}\n",
    ),
    (
        "--color=always -U --vimgrep --colors highlight:bg:blue \\d\\s+(foo|bar) m",
        "{path}m{}:{line}1{}:{}5{}:foo {match}1{}\n\
         {path}m{}:{line}3{}:{}11{}:  bar foo {match}2{}\n\
         {path}m{}:{line}4{}:{}6{}: foo {match}3 bar{}\n\
         {path}m{}:{line}7{}:{}7{}:\t foo {match}4 foo{} 5\n\
         {path}m{}:{line}7{}:{}13{}:\t foo 4 foo {match}5{}\n",
    ),
    ("--color=always -U --colors match:none --column xyz\\n m", "{line}5{}:{}1{}:{}xyz{}\n"),
    // Long lines, blanks, headings.
    (
        "-U -M 8 \\d\\s+(foo|bar) m",
        "foo 1\n\
         \n\
         [Omitted long matching line]\n\
         [Omitted long matching line]\n\
         [Omitted long matching line]\n\
         \n\
         foo\n",
    ),
    (
        "-U -M 8 --column \\d\\s+(foo|bar) m",
        "1:5:foo 1\n\
         2:5:\n\
         3:5:[Omitted long line with 3 matches]\n\
         4:5:[Omitted long line with 3 matches]\n\
         7:7:[Omitted long line with 2 matches]\n\
         8:7:\n\
         9:7:foo\n",
    ),
    (
        "-U -M 5 --max-columns-preview \\d\\s+(foo|bar) m",
        "foo 1 [... omitted end of long line]\n\
         \n\
         \x20 bar [... omitted end of long line]\n\
         \x20foo  [... omitted end of long line]\n\
         \t foo [... omitted end of long line]\n\
         \n\
         foo\n",
    ),
    (
        "-U -M 5 --max-columns-preview --column --trim \\d\\s+(foo|bar) m",
        "1:5:foo 1 [... 0 more matches]\n\
         2:5:\n\
         3:5:bar f [... 1 more match]\n\
         4:5:foo 3 [... 0 more matches]\n\
         7:7:foo 4 [... 1 more match]\n\
         8:7:\n\
         9:7:foo\n",
    ),
    (
        "-U -M 5 -o (?s)foo_2.*foo_3 m",
        "foo 2\n\
         [Omitted long matching line]\n",
    ),
    (
        "-U -M 3 -o --max-columns-preview (?s)foo_2.*foo_3 m",
        "foo [... 0 more matches]\n\
         \x20fo [... 0 more matches]\n",
    ),
    (
        "--color=always -U -M 5 --max-columns-preview -o (?s)foo_2.*foo_3 m",
        "{match}foo 2{}\n\
         {match} foo {} [... 0 more matches]\n",
    ),
    (
        "--color=always -U --trim (?s)foo_2.*foo_3 m",
        "bar {match}foo 2{}\n\
         {match}foo 3{} bar\n",
    ),
    (
        "-U --heading -H -n xyz\\n a m",
        "a\n\
         2:xyz\n\
         \n\
         m\n\
         5:xyz\n",
    ),
    // Replaced: lines are numbered as they are printed.
    (
        "-U -n -r [$0] o\\nx|end m a",
        "a:1:foo bar fo[o\n\
         a:2:x]yz\n\
         a:3:  foo [end]\n",
    ),
    (
        "-U -n -b --column -r X \\s+\\n\\s* m",
        "1:6:0:foo 1Xbar foo 2\n\
         7:14:38:\t foo 4 foo 5X\n",
    ),
    (
        "-U -n -r $2-$1 (\\d)\\n\\s*(foo|bar) m",
        "1:foo bar-1 foo foo-2 3 bar\n\
         7:\t foo 4 foo foo-5\n",
    ),
    (
        "-U -n -o -r <$1> (\\d)\\n\\s*(foo|bar) m",
        "1:<1>\n\
         1:<2>\n\
         7:<5>\n",
    ),
    (
        "-U --vimgrep -r _X_ \\d\\n m",
        "m:1:5:foo  X \n\
         m:3:11:  bar foo  X \n\
         m:7:13:\t foo 4 foo  X \n",
    ),
    ("-U -r '' (?s).* b", ""),
    ("-U -r '' (?s).* --heading -H b", "b\n"),
    ("--color=always -U -n -r A_B xyz\\n m", "{line}5{}:{match}A B{}\n"),
    // Where lines end in two bytes.
    (
        "-U --crlf -n -o --column foo\\r\\n r",
        "2:1:foo\r\n\
         3:10:foo\r\n",
    ),
    (
        "-U --crlf --color=always (?s)foo.*bar r",
        "{match}foo{}\r\n\
         {match}foo{}\r\n\
         {match}bar{} foo\r\n",
    ),
    (
        "-U --crlf --column (?s)foo.*bar r",
        "1:1:foo\r\n\
         2:1:foo\r\n\
         3:1:bar foo\r\n",
    ),
    (
        "-U (?s)foo.*bar r",
        "foo\n\
         foo\r\n\
         bar foo\r\n",
    ),
    // Answers count matches, statistics lines as well.
    ("-U -c \\d\\s+(foo|bar) m", "5\n"),
    ("-U --count-matches \\d\\s+(foo|bar) m", "5\n"),
    (
        "-U -c --include-zero \\n\\n\\n m a",
        "m:0\n\
         a:0\n",
    ),
    ("-U -l \\n\\n m a", "m\n"),
    ("-U --files-without-match \\n\\n m a", "a\n"),
    (
        "-U -c --stats \\d\\s+(foo|bar) m",
        "5\n\
         \n\
         5 matches\n\
         7 matched lines\n\
         1 files contained matches\n\
         1 files searched\n\
         0 bytes printed\n\
         T bytes searched\n\
         T seconds spent searching\n\
         T seconds total\n",
    ),
    (
        "-U --stats \\d\\s+(foo|bar) m",
        "foo 1\n\
         \n\
         \x20 bar foo 2\n\
         \x20foo 3 bar\n\
         \t foo 4 foo 5\n\
         \n\
         foo\n\
         \n\
         5 matches\n\
         7 matched lines\n\
         1 files contained matches\n\
         1 files searched\n\
         49 bytes printed\n\
         T bytes searched\n\
         T seconds spent searching\n\
         T seconds total\n",
    ),
    // A pattern without a line feed is searched line by line.
    ("-U -c fo* a", "2\n"),
    (
        "-U -n -o fo* a",
        "1:foo\n\
         1:foo\n\
         3:foo\n",
    ),
];

#[test]
fn cases() {
    check(CASES);
}
