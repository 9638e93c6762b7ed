//! Lines that are too long.

use crate::{Case, check};

pub(crate) const CASES: &[Case] = &[
    // The terminator counts.
    ("-M 3 foo b", "[Omitted long matching line]\n"),
    ("-M 4 foo b", "foo\n"),
    ("-M 2 foo d", "[Omitted long matching line]\n"),
    ("-M 3 foo d", "foo\n"),
    (
        "-M 5 foo a",
        "[Omitted long matching line]\n\
         [Omitted long matching line]\n",
    ),
    (
        "-M 5 -n -H foo a",
        "a:1:[Omitted long matching line]\n\
         a:3:[Omitted long matching line]\n",
    ),
    (
        "-M 5 -C 1 foo a",
        "[Omitted long matching line]\n\
         xyz\n\
         [Omitted long matching line]\n",
    ),
    (
        "-M 5 -C 1 -v foo a",
        "[Omitted long context line]\n\
         xyz\n\
         [Omitted long context line]\n",
    ),
    (
        "-M 5 --passthru xyz a",
        "[Omitted long context line]\n\
         xyz\n\
         [Omitted long context line]\n",
    ),
    // Matches are counted where they are known.
    (
        "-M 5 --column foo a",
        "1:1:[Omitted long line with 2 matches]\n\
         3:3:[Omitted long line with 1 matches]\n",
    ),
    (
        "-M 5 -N --column foo a",
        "1:[Omitted long line with 2 matches]\n\
         3:[Omitted long line with 1 matches]\n",
    ),
    (
        "-M 5 -b foo a",
        "0:[Omitted long matching line]\n\
         16:[Omitted long matching line]\n",
    ),
    (
        "-M 5 --vimgrep foo a",
        "a:1:1:[Omitted long line with 2 matches]\n\
         a:1:9:[Omitted long line with 2 matches]\n\
         a:3:3:[Omitted long line with 1 matches]\n",
    ),
    (
        "-M 5 -C 1 --column foo a",
        "1:1:[Omitted long line with 2 matches]\n\
         2-xyz\n\
         3:3:[Omitted long line with 1 matches]\n",
    ),
    (
        "-M 5 -C 1 -v --column foo a",
        "1-1-[Omitted long line with 2 matches]\n\
         2:xyz\n\
         3-3-[Omitted long line with 1 matches]\n",
    ),
    (
        "-M 5 --column -o foo a",
        "1:1:foo\n\
         1:9:foo\n\
         3:3:foo\n",
    ),
    // A single match is measured without terminator.
    (
        "-M 2 -o foo a",
        "[Omitted long matching line]\n\
         [Omitted long matching line]\n\
         [Omitted long matching line]\n",
    ),
    (
        "-M 3 -o foo a",
        "foo\n\
         foo\n\
         foo\n",
    ),
    (
        "-M 2 -o -n -b --column foo a",
        "1:1:0:[Omitted long matching line]\n\
         1:9:8:[Omitted long matching line]\n\
         3:3:18:[Omitted long matching line]\n",
    ),
    ("-M 2 -o -v foo a", "[Omitted long matching line]\n"),
    (
        "-M 2 -o -C 1 -v foo a",
        "[Omitted long context line]\n\
         [Omitted long context line]\n\
         [Omitted long matching line]\n\
         [Omitted long context line]\n",
    ),
    // Trimmed lines are measured after trimming.
    (
        "-M 8 --trim foo a",
        "[Omitted long matching line]\n\
         foo end\n",
    ),
    (
        "-M 6 --trim --column foo i",
        "1:6:foo\n\
         5:3:[Omitted long line with 3 matches]\n",
    ),
    (
        "-M 6 --trim foo i",
        "foo\n\
         [Omitted long matching line]\n",
    ),
    // Previews.
    (
        "-M 5 --max-columns-preview foo a",
        "foo b [... omitted end of long line]\n\
         \x20 foo [... omitted end of long line]\n",
    ),
    (
        "-M 5 --max-columns-preview -C 1 -n foo a",
        "1:foo b [... omitted end of long line]\n\
         2-xyz\n\
         3:  foo [... omitted end of long line]\n",
    ),
    (
        "-M 5 --max-columns-preview --column foo a",
        "1:1:foo b [... 1 more match]\n\
         3:3:  foo [... 0 more matches]\n",
    ),
    (
        "-M 9 --max-columns-preview --column foo i",
        "1:6:\t \x0b\x0c foo\n\
         5:3:  foo foo [... 1 more match]\n",
    ),
    (
        "-M 5 --max-columns-preview --vimgrep foo a",
        "a:1:1:foo b [... 1 more match]\n\
         a:1:9:foo b [... 1 more match]\n\
         a:3:3:  foo [... 0 more matches]\n",
    ),
    (
        "-M 2 --max-columns-preview -o foo a",
        "fo [... 0 more matches]\n\
         fo [... 0 more matches]\n\
         fo [... 1 more match]\n",
    ),
    ("-M 2 --max-columns-preview -o foo d", "fo [... 0 more matches]\n"),
    (
        "-M 1 --max-columns-preview -o oo g",
        "o [... 0 more matches]\n\
         o [... 0 more matches]\n\
         o [... 0 more matches]\n\
         o [... 0 more matches]\n\
         o [... 0 more matches]\n",
    ),
    (
        "-M 5 --max-columns-preview -v -C 1 foo a",
        "foo b [... omitted end of long line]\n\
         xyz\n\
         \x20 foo [... omitted end of long line]\n",
    ),
    (
        "-M 5 --max-columns-preview -v -C 1 --column foo a",
        "1-1-foo b [... 1 more match]\n\
         2:xyz\n\
         3-3-  foo [... 0 more matches]\n",
    ),
    (
        "-M 5 --max-columns-preview --trim foo i",
        "foo\n\
         foo f [... omitted end of long line]\n",
    ),
    (
        "-M 5 --max-columns-preview --trim --column foo i",
        "1:6:foo\n\
         5:3:foo f [... 2 more matches]\n",
    ),
    (
        "-M 5 --max-columns-preview --passthru xyz a",
        "foo b [... omitted end of long line]\n\
         xyz\n\
         \x20 foo [... omitted end of long line]\n",
    ),
    (
        "-M 6 --max-columns-preview foo u",
        "αβγ fo [... omitted end of long line]\n\
         e\u{301}e\u{301}e\u{301} fo [... omitted end of long line]\n",
    ),
    (
        "-M 9 --max-columns-preview --column foo u",
        "1:8:αβγ foo δ [... 1 more match]\n\
         2:11:e\u{301}e\u{301}e\u{301} foo e\u{301} [... 0 more matches]\n",
    ),
    (
        "-M 20 --max-columns-preview foo u",
        "αβγ foo δεζηθ foo [... omitted end of long line]\n\
         e\u{301}e\u{301}e\u{301} foo e\u{301}e\u{301} [... omitted end of long line]\n",
    ),
    (
        "-M 3 --max-columns-preview foo r",
        "foo [... omitted end of long line]\n\
         foo [... omitted end of long line]\n\
         bar [... omitted end of long line]\n",
    ),
    (
        "-M 4 --max-columns-preview --crlf foo r",
        "foo\n\
         foo [... omitted end of long line]\r\n\
         bar  [... omitted end of long line]\r\n",
    ),
    ("-M 5 --max-columns-preview --null-data foo g", "1 foo [... omitted end of long line]{0}"),
    // In colour lines are measured before trimming.
    (
        "-M 5 --color=always foo a",
        "[Omitted long line with 2 matches]\n\
         [Omitted long line with 1 matches]\n",
    ),
    (
        "-M 5 --color=always -C 1 -n -H foo a",
        "{path}a{}:{line}1{}:[Omitted long line with 2 matches]\n\
         {path}a{}-{line}2{}-xyz\n\
         {path}a{}:{line}3{}:[Omitted long line with 1 matches]\n",
    ),
    (
        "-M 5 --color=always --vimgrep foo a",
        "{path}a{}:{line}1{}:{}1{}:[Omitted long line with 2 matches]\n\
         {path}a{}:{line}1{}:{}9{}:[Omitted long line with 2 matches]\n\
         {path}a{}:{line}3{}:{}3{}:[Omitted long line with 1 matches]\n",
    ),
    (
        "-M 2 --color=always -o foo a",
        "[Omitted long matching line]\n\
         [Omitted long matching line]\n\
         [Omitted long matching line]\n",
    ),
    (
        "-M 5 --color=always -v -C 1 foo a",
        "[Omitted long line with 2 matches]\n\
         xyz\n\
         [Omitted long line with 1 matches]\n",
    ),
    (
        "-M 8 --color=always --trim foo a",
        "[Omitted long line with 2 matches]\n\
         [Omitted long line with 1 matches]\n",
    ),
    (
        "-M 5 --color=always --max-columns-preview foo a",
        "{match}foo{} b [... 1 more match]\n\
         \x20 {match}foo{} [... 0 more matches]\n",
    ),
    (
        "-M 10 --color=always --max-columns-preview foo a",
        "{match}foo{} bar {match}fo{} [... 0 more matches]\n\
         \x20 {match}foo{} end\n",
    ),
    (
        "-M 5 --color=always --max-columns-preview --trim foo i",
        "{match}foo{} [... 0 more matches]\n\
         {match}foo{} {match}f{} [... 1 more match]\n",
    ),
    (
        "-M 2 --color=always --max-columns-preview -o foo a",
        "{match}fo{} [... 0 more matches]\n\
         {match}fo{} [... 0 more matches]\n\
         {match}fo{} [... 0 more matches]\n",
    ),
    (
        "-M 5 --color=always --max-columns-preview --vimgrep foo a",
        "{path}a{}:{line}1{}:{}1{}:{match}foo{} b [... 0 more matches]\n\
         {path}a{}:{line}1{}:{}9{}:foo b [... 1 more match]\n\
         {path}a{}:{line}3{}:{}3{}:  {match}foo{} [... 0 more matches]\n",
    ),
    (
        "-M 5 --color=always --max-columns-preview -v -C 1 foo a",
        "{match}foo{} b [... 1 more match]\n\
         xyz\n\
         \x20 {match}foo{} [... 0 more matches]\n",
    ),
    (
        "-M 9 --color=always --max-columns-preview foo u",
        "αβγ {match}foo{} δ [... 1 more match]\n\
         e\u{301}e\u{301}e\u{301} {match}foo{} e\u{301} [... 0 more matches]\n",
    ),
    (
        "-M 5 --color=always --colors highlight:bg:blue --max-columns-preview -C 1 foo a",
        "{blue}{match}foo{blue} b{} [... 1 more match]\n\
         xyz\n\
         {blue}  {match}foo{blue}{} [... 0 more matches]\n",
    ),
    (
        "-M 5 --color=always --colors match:none --max-columns-preview foo a",
        "foo b [... omitted end of long line]\n\
         \x20 foo [... omitted end of long line]\n",
    ),
    (
        "-M 5 --color=always --colors match:none --colors highlight:bg:blue --column --max-columns-preview foo a",
        "{line}1{}:{}1{}:{blue}{}foo{blue} b{} [... 1 more match]\n\
         {line}3{}:{}3{}:{blue}  {}foo{blue}{} [... 0 more matches]\n",
    ),
];

#[test]
fn cases() {
    check(CASES);
}
