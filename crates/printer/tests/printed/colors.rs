//! Colours, alone and with everything they meet.

use crate::{Case, check};

pub(crate) const CASES: &[Case] = &[
    // Matches and fields.
    (
        "--color=always foo a",
        "{match}foo{} bar {match}foo{}\n\
         \x20 {match}foo{} end\n",
    ),
    ("--color=always o b", "f{match}oo{}\n"),
    ("--color=always o* b", "f{match}oo{}\n"),
    ("--color=always '' b", "foo\n"),
    ("--color=always $ d", "foo\n"),
    ("--color=always foo d", "{match}foo{}\n"),
    (
        "--color=always -n -H foo a",
        "{path}a{}:{line}1{}:{match}foo{} bar {match}foo{}\n\
         {path}a{}:{line}3{}:  {match}foo{} end\n",
    ),
    (
        "--color=always -n -H -b --column foo a",
        "{path}a{}:{line}1{}:{}1{}:{}0{}:{match}foo{} bar {match}foo{}\n\
         {path}a{}:{line}3{}:{}3{}:{}16{}:  {match}foo{} end\n",
    ),
    (
        "--color=always foo a b",
        "{path}a{}:{match}foo{} bar {match}foo{}\n\
         {path}a{}:  {match}foo{} end\n\
         {path}b{}:{match}foo{}\n",
    ),
    (
        "--color=always --heading -H -n foo a",
        "{path}a{}\n\
         {line}1{}:{match}foo{} bar {match}foo{}\n\
         {line}3{}:  {match}foo{} end\n",
    ),
    (
        "--color=always --heading foo a b",
        "{path}a{}\n\
         {match}foo{} bar {match}foo{}\n\
         \x20 {match}foo{} end\n\
         \n\
         {path}b{}\n\
         {match}foo{}\n",
    ),
    (
        "--color=always --heading -C 1 -n foo a b",
        "{path}a{}\n\
         {line}1{}:{match}foo{} bar {match}foo{}\n\
         {line}2{}-xyz\n\
         {line}3{}:  {match}foo{} end\n\
         \n\
         {path}b{}\n\
         {line}1{}:{match}foo{}\n",
    ),
    (
        "--color=always -0 -n foo a b",
        "{path}a{}{0}{line}1{}:{match}foo{} bar {match}foo{}\n\
         {path}a{}{0}{line}3{}:  {match}foo{} end\n\
         {path}b{}{0}{line}1{}:{match}foo{}\n",
    ),
    (
        "--color=always -0 --heading foo a b",
        "{path}a{}{0}{match}foo{} bar {match}foo{}\n\
         \x20 {match}foo{} end\n\
         \n\
         {path}b{}{0}{match}foo{}\n",
    ),
    (
        "--color=always --path-separator + foo ./dir/f a",
        "{path}.+dir+f{}:{match}foo{}\n\
         {path}a{}:{match}foo{} bar {match}foo{}\n\
         {path}a{}:  {match}foo{} end\n",
    ),
    (
        "--color=always --field-match-separator = -n -H -b foo a",
        "{path}a{}={line}1{}={}0{}={match}foo{} bar {match}foo{}\n\
         {path}a{}={line}3{}={}16{}=  {match}foo{} end\n",
    ),
    // Context has the colours of its fields only.
    (
        "--color=always -C 1 -n foo a",
        "{line}1{}:{match}foo{} bar {match}foo{}\n\
         {line}2{}-xyz\n\
         {line}3{}:  {match}foo{} end\n",
    ),
    (
        "--color=always -C 1 -n -H -b --column foo a",
        "{path}a{}:{line}1{}:{}1{}:{}0{}:{match}foo{} bar {match}foo{}\n\
         {path}a{}-{line}2{}-{}12{}-xyz\n\
         {path}a{}:{line}3{}:{}3{}:{}16{}:  {match}foo{} end\n",
    ),
    (
        "--color=always -C 1 foo g",
        "1 {match}foo{}\n\
         2\n\
         --\n\
         4\n\
         5 {match}foo{}\n\
         6 {match}foofoo{}\n\
         7\n\
         --\n\
         10\n\
         11 {match}foo{}\n\
         12\n",
    ),
    (
        "--color=always -A 1 foo g b",
        "{path}g{}:1 {match}foo{}\n\
         {path}g{}-2\n\
         --\n\
         {path}g{}:5 {match}foo{}\n\
         {path}g{}:6 {match}foofoo{}\n\
         {path}g{}-7\n\
         --\n\
         {path}g{}:11 {match}foo{}\n\
         {path}g{}-12\n\
         --\n\
         {path}b{}:{match}foo{}\n",
    ),
    (
        "--color=always -C 1 --field-context-separator ## -n foo a",
        "{line}1{}:{match}foo{} bar {match}foo{}\n\
         {line}2{}##xyz\n\
         {line}3{}:  {match}foo{} end\n",
    ),
    (
        "--color=always --passthru -n foo a",
        "{line}1{}:{match}foo{} bar {match}foo{}\n\
         {line}2{}-xyz\n\
         {line}3{}:  {match}foo{} end\n",
    ),
    // Inverted, matches stand in context lines.
    ("--color=always -v foo a", "xyz\n"),
    ("--color=always -v -n --column foo a", "{line}2{}:xyz\n"),
    (
        "--color=always -v -C 1 -n --column -b foo a",
        "{line}1{}-{}1{}-{}0{}-{match}foo{} bar {match}foo{}\n\
         {line}2{}:{}12{}:xyz\n\
         {line}3{}-{}3{}-{}16{}-  {match}foo{} end\n",
    ),
    (
        "--color=always -v -o -C 1 -n foo a",
        "{line}1{}-{match}foo{}\n\
         {line}1{}-{match}foo{}\n\
         {line}2{}:xyz\n\
         {line}3{}-{match}foo{}\n",
    ),
    (
        "--color=always -v --heading -H -C 1 foo a",
        "{path}a{}\n\
         {match}foo{} bar {match}foo{}\n\
         xyz\n\
         \x20 {match}foo{} end\n",
    ),
    (
        "--color=always --passthru -v -n foo a",
        "{line}1{}-{match}foo{} bar {match}foo{}\n\
         {line}2{}:xyz\n\
         {line}3{}-  {match}foo{} end\n",
    ),
    // Single matches.
    (
        "--color=always -o foo a",
        "{match}foo{}\n\
         {match}foo{}\n\
         {match}foo{}\n",
    ),
    (
        "--color=always -o -n -b --column -H foo a",
        "{path}a{}:{line}1{}:{}1{}:{}0{}:{match}foo{}\n\
         {path}a{}:{line}1{}:{}9{}:{}8{}:{match}foo{}\n\
         {path}a{}:{line}3{}:{}3{}:{}18{}:{match}foo{}\n",
    ),
    (
        "--color=always -o o* b",
        "\n\
         {match}oo{}\n",
    ),
    (
        "--color=always -o --column '' b",
        "{line}1{}:{}1{}:\n\
         {line}1{}:{}2{}:\n\
         {line}1{}:{}3{}:\n\
         {line}1{}:{}4{}:\n",
    ),
    (
        "--color=always -o -C 1 foo a",
        "{match}foo{}\n\
         {match}foo{}\n\
         xyz\n\
         {match}foo{}\n",
    ),
    (
        "--color=always -o --heading foo a b",
        "{path}a{}\n\
         {match}foo{}\n\
         {match}foo{}\n\
         {match}foo{}\n\
         \n\
         {path}b{}\n\
         {match}foo{}\n",
    ),
    (
        "--color=always --vimgrep foo a",
        "{path}a{}:{line}1{}:{}1{}:{match}foo{} bar foo\n\
         {path}a{}:{line}1{}:{}9{}:foo bar {match}foo{}\n\
         {path}a{}:{line}3{}:{}3{}:  {match}foo{} end\n",
    ),
    (
        "--color=always --vimgrep o* b",
        "{path}b{}:{line}1{}:{}1{}:foo\n\
         {path}b{}:{line}1{}:{}2{}:f{match}oo{}\n",
    ),
    (
        "--color=always --vimgrep -C 1 foo a",
        "{path}a{}:{line}1{}:{}1{}:{match}foo{} bar foo\n\
         {path}a{}:{line}1{}:{}9{}:foo bar {match}foo{}\n\
         {path}a{}-{line}2{}-xyz\n\
         {path}a{}:{line}3{}:{}3{}:  {match}foo{} end\n",
    ),
    (
        "--color=always --vimgrep -o foo a",
        "{path}a{}:{line}1{}:{}1{}:{match}foo{}\n\
         {path}a{}:{line}1{}:{}9{}:{match}foo{}\n\
         {path}a{}:{line}3{}:{}3{}:{match}foo{}\n",
    ),
    (
        "--color=always --vimgrep -b -N foo a",
        "{path}a{}:{}1{}:{}0{}:{match}foo{} bar foo\n\
         {path}a{}:{}9{}:{}8{}:foo bar {match}foo{}\n\
         {path}a{}:{}3{}:{}18{}:  {match}foo{} end\n",
    ),
    // Specs of the user.
    (
        "--color=always --colors match:none foo a",
        "foo bar foo\n\
         \x20 foo end\n",
    ),
    (
        "--color=always --colors path:none --colors line:none -n -H foo a",
        "{}a{}:{}1{}:{match}foo{} bar {match}foo{}\n\
         {}a{}:{}3{}:  {match}foo{} end\n",
    ),
    (
        "--color=always --colors match:none --colors highlight:bg:blue --column foo a",
        "{line}1{}:{}1{}:foo bar foo\n\
         {line}3{}:{}3{}:  foo end\n",
    ),
    (
        "--color=always --colors match:none --colors match:bg:blue foo a",
        "{blue}foo{} bar {blue}foo{}\n\
         \x20 {blue}foo{} end\n",
    ),
    (
        "--color=always --colors column:bg:blue -b --column foo a",
        "{line}1{}:{blue}1{}:{blue}0{}:{match}foo{} bar {match}foo{}\n\
         {line}3{}:{blue}3{}:{blue}16{}:  {match}foo{} end\n",
    ),
    // What is no match in a matching line.
    (
        "--color=always --colors highlight:bg:blue foo a",
        "{blue}{match}foo{blue} bar {match}foo{blue}{}\n\
         {blue}  {match}foo{blue} end{}\n",
    ),
    ("--color=always --colors highlight:bg:blue o b", "{blue}f{match}oo{blue}{}\n"),
    (
        "--color=always --colors highlight:bg:blue -n -H -b --column foo a",
        "{path}a{}:{line}1{}:{}1{}:{}0{}:{blue}{match}foo{blue} bar {match}foo{blue}{}\n\
         {path}a{}:{line}3{}:{}3{}:{}16{}:{blue}  {match}foo{blue} end{}\n",
    ),
    (
        "--color=always --colors highlight:bg:blue -C 1 -n foo a",
        "{line}1{}:{blue}{match}foo{blue} bar {match}foo{blue}{}\n\
         {line}2{}-xyz\n\
         {line}3{}:{blue}  {match}foo{blue} end{}\n",
    ),
    ("--color=always --colors highlight:bg:blue -v foo a", "xyz\n"),
    (
        "--color=always --colors highlight:bg:blue -v -C 1 -n --column foo a",
        "{line}1{}-{}1{}-{match}foo{} bar {match}foo{}\n\
         {line}2{}:xyz\n\
         {line}3{}-{}3{}-  {match}foo{} end\n",
    ),
    (
        "--color=always --colors highlight:bg:blue -o foo a",
        "{blue}{match}foo{blue}{}\n\
         {blue}{match}foo{blue}{}\n\
         {blue}{match}foo{blue}{}\n",
    ),
    (
        "--color=always --colors highlight:bg:blue -o o* b",
        "{blue}{}\n\
         {blue}{match}oo{blue}{}\n",
    ),
    (
        "--color=always --colors highlight:bg:blue --vimgrep foo a",
        "{path}a{}:{line}1{}:{}1{}:{blue}{match}foo{blue} bar foo{}\n\
         {path}a{}:{line}1{}:{}9{}:{blue}foo bar {match}foo{blue}{}\n\
         {path}a{}:{line}3{}:{}3{}:{blue}  {match}foo{blue} end{}\n",
    ),
    (
        "--color=always --colors highlight:bg:blue --trim foo a",
        "{blue}{match}foo{blue} bar {match}foo{blue}{}\n\
         {blue}{match}foo{blue} end{}\n",
    ),
    ("--color=always --colors highlight:bg:blue '' c", "{blue}é{}\n"),
    ("--color=always --colors highlight:bg:blue ^$ i", "{blue}{}\n"),
    (
        "--color=always --colors highlight:bg:blue --passthru foo a",
        "{blue}{match}foo{blue} bar {match}foo{blue}{}\n\
         xyz\n\
         {blue}  {match}foo{blue} end{}\n",
    ),
    (
        "--color=always --colors highlight:bg:blue --heading foo a b",
        "{path}a{}\n\
         {blue}{match}foo{blue} bar {match}foo{blue}{}\n\
         {blue}  {match}foo{blue} end{}\n\
         \n\
         {path}b{}\n\
         {blue}{match}foo{blue}{}\n",
    ),
    (
        "--color=always --colors highlight:bg:blue --crlf foo r",
        "{blue}{match}foo{blue}{}\r\n\
         {blue}{match}foo{blue}{}\r\n\
         {blue}bar {match}foo{blue}{}\r\n",
    ),
    // Terminators and blanks.
    (
        "--color=always foo r",
        "{match}foo{}\n\
         {match}foo{}\r\n\
         bar {match}foo{}\r\n",
    ),
    (
        "--color=always --crlf foo r",
        "{match}foo{}\r\n\
         {match}foo{}\r\n\
         bar {match}foo{}\r\n",
    ),
    (
        "--color=always --crlf -o foo r",
        "{match}foo{}\r\n\
         {match}foo{}\r\n\
         {match}foo{}\r\n",
    ),
    (
        "--color=always --null-data foo z",
        "{match}foo{}\n\
         bar{0}{match}foo{} bar\n\
         x{0}",
    ),
    (
        "--color=always --trim foo a",
        "{match}foo{} bar {match}foo{}\n\
         {match}foo{} end\n",
    ),
    (
        "--color=always --trim foo i",
        "{match}foo{}\n\
         {match}foo{} {match}foo{} {match}foo{} bar\n",
    ),
    (
        "--color=always --trim _foo i",
        "{match}foo{}\n\
         {match}foo foo foo{} bar\n",
    ),
    (
        "--color=always --trim '' i",
        "foo\n\
         \n\
         \n\
         \n\
         foo foo foo bar\n",
    ),
];

#[test]
fn cases() {
    check(CASES);
}
