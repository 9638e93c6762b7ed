//! What is counted, and printed at the end.

use crate::{Case, check};

pub(crate) const CASES: &[Case] = &[
    (
        "--stats foo a",
        "foo bar foo\n\
         \x20 foo end\n\
         \n\
         3 matches\n\
         2 matched lines\n\
         1 files contained matches\n\
         1 files searched\n\
         22 bytes printed\n\
         T bytes searched\n\
         T seconds spent searching\n\
         T seconds total\n",
    ),
    (
        "--stats zzz a b",
        "\n\
         0 matches\n\
         0 matched lines\n\
         0 files contained matches\n\
         2 files searched\n\
         0 bytes printed\n\
         T bytes searched\n\
         T seconds spent searching\n\
         T seconds total\n",
    ),
    (
        "--stats -v foo a",
        "xyz\n\
         \n\
         0 matches\n\
         1 matched lines\n\
         1 files contained matches\n\
         1 files searched\n\
         4 bytes printed\n\
         T bytes searched\n\
         T seconds spent searching\n\
         T seconds total\n",
    ),
    (
        "--stats -c foo a",
        "2\n\
         \n\
         3 matches\n\
         2 matched lines\n\
         1 files contained matches\n\
         1 files searched\n\
         0 bytes printed\n\
         T bytes searched\n\
         T seconds spent searching\n\
         T seconds total\n",
    ),
    (
        "--stats -c -v foo a",
        "1\n\
         \n\
         1 matches\n\
         1 matched lines\n\
         1 files contained matches\n\
         1 files searched\n\
         0 bytes printed\n\
         T bytes searched\n\
         T seconds spent searching\n\
         T seconds total\n",
    ),
    (
        "--stats -l foo a b",
        "a\n\
         b\n\
         \n\
         4 matches\n\
         3 matched lines\n\
         2 files contained matches\n\
         2 files searched\n\
         0 bytes printed\n\
         T bytes searched\n\
         T seconds spent searching\n\
         T seconds total\n",
    ),
    (
        "--stats -q foo a b",
        "\n\
         4 matches\n\
         3 matched lines\n\
         2 files contained matches\n\
         2 files searched\n\
         0 bytes printed\n\
         T bytes searched\n\
         T seconds spent searching\n\
         T seconds total\n",
    ),
    (
        "--stats --files-without-match foo a c",
        "c\n\
         \n\
         3 matches\n\
         2 matched lines\n\
         1 files contained matches\n\
         2 files searched\n\
         0 bytes printed\n\
         T bytes searched\n\
         T seconds spent searching\n\
         T seconds total\n",
    ),
    (
        "--stats --count-matches zzz a",
        "\n\
         0 matches\n\
         0 matched lines\n\
         0 files contained matches\n\
         1 files searched\n\
         0 bytes printed\n\
         T bytes searched\n\
         T seconds spent searching\n\
         T seconds total\n",
    ),
    (
        "--stats -A 1 -H -n bar a",
        "a:1:foo bar foo\n\
         a-2-xyz\n\
         \n\
         1 matches\n\
         1 matched lines\n\
         1 files contained matches\n\
         1 files searched\n\
         24 bytes printed\n\
         T bytes searched\n\
         T seconds spent searching\n\
         T seconds total\n",
    ),
    (
        "--stats --heading -H foo a",
        "a\n\
         foo bar foo\n\
         \x20 foo end\n\
         \n\
         3 matches\n\
         2 matched lines\n\
         1 files contained matches\n\
         1 files searched\n\
         24 bytes printed\n\
         T bytes searched\n\
         T seconds spent searching\n\
         T seconds total\n",
    ),
    (
        "--stats -C 1 foo g",
        "1 foo\n\
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
         5 matches\n\
         4 matched lines\n\
         1 files contained matches\n\
         1 files searched\n\
         46 bytes printed\n\
         T bytes searched\n\
         T seconds spent searching\n\
         T seconds total\n",
    ),
    (
        "--stats -o foo a",
        "foo\n\
         foo\n\
         foo\n\
         \n\
         3 matches\n\
         2 matched lines\n\
         1 files contained matches\n\
         1 files searched\n\
         12 bytes printed\n\
         T bytes searched\n\
         T seconds spent searching\n\
         T seconds total\n",
    ),
    (
        "--stats -r longer foo a",
        "longer bar longer\n\
         \x20 longer end\n\
         \n\
         3 matches\n\
         2 matched lines\n\
         1 files contained matches\n\
         1 files searched\n\
         31 bytes printed\n\
         T bytes searched\n\
         T seconds spent searching\n\
         T seconds total\n",
    ),
    (
        "--stats -m 1 foo g",
        "1 foo\n\
         \n\
         1 matches\n\
         1 matched lines\n\
         1 files contained matches\n\
         1 files searched\n\
         6 bytes printed\n\
         T bytes searched\n\
         T seconds spent searching\n\
         T seconds total\n",
    ),
    (
        "--stats foo d",
        "foo\n\
         \n\
         1 matches\n\
         1 matched lines\n\
         1 files contained matches\n\
         1 files searched\n\
         4 bytes printed\n\
         T bytes searched\n\
         T seconds spent searching\n\
         T seconds total\n",
    ),
    (
        "--stats --column x* c",
        "1:1:é\n\
         \n\
         3 matches\n\
         1 matched lines\n\
         1 files contained matches\n\
         1 files searched\n\
         7 bytes printed\n\
         T bytes searched\n\
         T seconds spent searching\n\
         T seconds total\n",
    ),
    // Escape sequences do not count.
    (
        "--stats --color=always -n --column --colors highlight:bg:blue foo a",
        "{line}1{}:{}1{}:{blue}{match}foo{blue} bar {match}foo{blue}{}\n\
         {line}3{}:{}3{}:{blue}  {match}foo{blue} end{}\n\
         \n\
         3 matches\n\
         2 matched lines\n\
         1 files contained matches\n\
         1 files searched\n\
         30 bytes printed\n\
         T bytes searched\n\
         T seconds spent searching\n\
         T seconds total\n",
    ),
    (
        "--stats --color=always --heading -H foo a",
        "{path}a{}\n\
         {match}foo{} bar {match}foo{}\n\
         \x20 {match}foo{} end\n\
         \n\
         3 matches\n\
         2 matched lines\n\
         1 files contained matches\n\
         1 files searched\n\
         24 bytes printed\n\
         T bytes searched\n\
         T seconds spent searching\n\
         T seconds total\n",
    ),
    (
        "--stats --color=always --hyperlink-format x:{path}:{line} -H -n foo a",
        "{link x:/vault/a:1}{path}a{}:{line}1{}{end}:{match}foo{} bar {match}foo{}\n\
         {link x:/vault/a:3}{path}a{}:{line}3{}{end}:  {match}foo{} end\n\
         \n\
         3 matches\n\
         2 matched lines\n\
         1 files contained matches\n\
         1 files searched\n\
         30 bytes printed\n\
         T bytes searched\n\
         T seconds spent searching\n\
         T seconds total\n",
    ),
    (
        "--stats --color=always -c foo a b",
        "{path}a{}:2\n\
         {path}b{}:1\n\
         \n\
         4 matches\n\
         3 matched lines\n\
         2 files contained matches\n\
         2 files searched\n\
         0 bytes printed\n\
         T bytes searched\n\
         T seconds spent searching\n\
         T seconds total\n",
    ),
    // Where everything is counted, all matches of a long line are known.
    (
        "--stats -M 4 foo a",
        "[Omitted long line with 2 matches]\n\
         [Omitted long line with 1 matches]\n\
         \n\
         3 matches\n\
         2 matched lines\n\
         1 files contained matches\n\
         1 files searched\n\
         70 bytes printed\n\
         T bytes searched\n\
         T seconds spent searching\n\
         T seconds total\n",
    ),
    (
        "--stats -M 4 --max-columns-preview foo a",
        "foo  [... 1 more match]\n\
         \x20 fo [... 0 more matches]\n\
         \n\
         3 matches\n\
         2 matched lines\n\
         1 files contained matches\n\
         1 files searched\n\
         50 bytes printed\n\
         T bytes searched\n\
         T seconds spent searching\n\
         T seconds total\n",
    ),
];

#[test]
fn cases() {
    check(CASES);
}
