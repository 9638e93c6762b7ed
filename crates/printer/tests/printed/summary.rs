//! Counts and paths.

use crate::{Case, check};

pub(crate) const CASES: &[Case] = &[
    // Matching lines.
    ("-c foo a", "2\n"),
    (
        "-c foo a b d e",
        "a:2\n\
         b:1\n\
         d:1\n",
    ),
    ("-c -H foo a", "a:2\n"),
    (
        "-c -I foo a b",
        "2\n\
         1\n",
    ),
    (
        "-c --include-zero zzz a b",
        "a:0\n\
         b:0\n",
    ),
    ("-c zzz a b", ""),
    ("-c -v foo a", "1\n"),
    (
        "-c -m 1 foo a b",
        "a:1\n\
         b:1\n",
    ),
    (
        "-c -0 foo a b",
        "a{0}2\n\
         b{0}1\n",
    ),
    ("-c --include-zero -0 -H zzz e", "e{0}0\n"),
    (
        "-c --color=always foo a b",
        "{path}a{}:2\n\
         {path}b{}:1\n",
    ),
    (
        "-c --path-separator + foo a ./dir/f",
        "a:2\n\
         .+dir+f:1\n",
    ),
    ("-c --crlf foo r", "3\r\n"),
    ("-c --null-data foo z", "2{0}"),
    (
        "-c --field-match-separator = foo a b",
        "a:2\n\
         b:1\n",
    ),
    (
        "-c -C 1 -n --column -b --heading --trim -M 2 foo a b",
        "a:2\n\
         b:1\n",
    ),
    // Matches.
    ("--count-matches foo a", "3\n"),
    (
        "--count-matches foo a b c d e",
        "a:3\n\
         b:1\n\
         d:1\n",
    ),
    (
        "--count-matches '' a c d e",
        "a:26\n\
         c:3\n\
         d:3\n",
    ),
    ("--count-matches o* b", "2\n"),
    (
        "--count-matches $ b d",
        "b:1\n\
         d:1\n",
    ),
    ("--count-matches -v foo a", "1\n"),
    ("--count-matches -m 1 foo a", "2\n"),
    (
        "--count-matches --include-zero zzz a b",
        "a:0\n\
         b:0\n",
    ),
    (
        "--count-matches -0 foo a b",
        "a{0}3\n\
         b{0}1\n",
    ),
    (
        "--count-matches --color=always foo a b",
        "{path}a{}:3\n\
         {path}b{}:1\n",
    ),
    ("-c -o foo a", "3\n"),
    ("--count-matches --crlf o$ r", "3\r\n"),
    ("--count-matches --null-data foo z", "2{0}"),
    ("--count-matches foo r", "3\n"),
    // Paths of files with a match, and without.
    ("-l foo a", "a\n"),
    (
        "-l -I foo a b c d e",
        "a\n\
         b\n\
         d\n",
    ),
    ("-l -0 foo a b", "a{0}b{0}"),
    (
        "-l --color=always foo a b",
        "{path}a{}\n\
         {path}b{}\n",
    ),
    (
        "-l --crlf foo a b",
        "a\r\n\
         b\r\n",
    ),
    ("-l --null-data foo z", "z{0}"),
    ("-l -v foo a b", "a\n"),
    ("-l --path-separator + foo ./dir/f", ".+dir+f\n"),
    ("-l --heading -n -o -C 1 foo a", "a\n"),
    (
        "--files-without-match foo a b c d e",
        "c\n\
         e\n",
    ),
    ("--files-without-match -I foo a c", "c\n"),
    ("--files-without-match -0 foo c d e", "c{0}e{0}"),
    (
        "--files-without-match --color=always foo c e",
        "{path}c{}\n\
         {path}e{}\n",
    ),
    ("--files-without-match --crlf foo c", "c\r\n"),
    ("--files-without-match -v foo a b", "b\n"),
    ("-q foo a", ""),
];

#[test]
fn cases() {
    check(CASES);
}
