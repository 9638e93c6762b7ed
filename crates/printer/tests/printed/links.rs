//! Paths and places that a terminal can open.

use crate::{Case, check};

pub(crate) const CASES: &[Case] = &[
    // The whole prefix is a link, but for its last separator.
    (
        "--color=always --hyperlink-format x:{path} -H foo b",
        "{link x:/vault/b}{path}b{}{end}:{match}foo{}\n",
    ),
    (
        "--color=always --hyperlink-format x:{path}:{line}:{column} -H foo a",
        "{link x:/vault/a:1:1}{path}a{}{end}:{match}foo{} bar {match}foo{}\n\
         {link x:/vault/a:1:3}{path}a{}{end}:  {match}foo{} end\n",
    ),
    (
        "--color=always --hyperlink-format x:{path}:{line}:{column} -H -n foo a",
        "{link x:/vault/a:1:1}{path}a{}:{line}1{}{end}:{match}foo{} bar {match}foo{}\n\
         {link x:/vault/a:3:3}{path}a{}:{line}3{}{end}:  {match}foo{} end\n",
    ),
    (
        "--color=always --hyperlink-format x:{path}:{line}:{column} -H --column -b foo a",
        "{link x:/vault/a:1:1}{path}a{}:{line}1{}:{}1{}:{}0{}{end}:{match}foo{} bar {match}foo{}\n\
         {link x:/vault/a:3:3}{path}a{}:{line}3{}:{}3{}:{}16{}{end}:  {match}foo{} end\n",
    ),
    (
        "--color=always --hyperlink-format x:{path}:{line} -A 1 -n -H bar a",
        "{link x:/vault/a:1}{path}a{}:{line}1{}{end}:foo {match}bar{} foo\n\
         {link x:/vault/a:2}{path}a{}-{line}2{}{end}-xyz\n",
    ),
    (
        "--color=always --hyperlink-format x:{path}:{line}:{column} --vimgrep foo a",
        "{link x:/vault/a:1:1}{path}a{}:{line}1{}:{}1{}{end}:{match}foo{} bar foo\n\
         {link x:/vault/a:1:9}{path}a{}:{line}1{}:{}9{}{end}:foo bar {match}foo{}\n\
         {link x:/vault/a:3:3}{path}a{}:{line}3{}:{}3{}{end}:  {match}foo{} end\n",
    ),
    (
        "--color=always --hyperlink-format x:{path}:{line} -0 -H foo b",
        "{link x:/vault/b:1}{path}b{}{end}{0}{match}foo{}\n",
    ),
    (
        "--color=always --hyperlink-format x:{path}:{line} -0 -H -n foo b",
        "{link x:/vault/b:1}{path}b{}{0}{line}1{}{end}:{match}foo{}\n",
    ),
    (
        "--color=always --hyperlink-format x:{path}:{line} -H -n --field-match-separator '' foo b",
        "{link x:/vault/b:1}{path}b{}{line}1{}{end}{match}foo{}\n",
    ),
    (
        "--color=always --hyperlink-format x:{path}:{line} -n foo ./dir/f b",
        "{link x:/vault/dir/f:1}{path}./dir/f{}:{line}1{}{end}:{match}foo{}\n\
         {link x:/vault/b:1}{path}b{}:{line}1{}{end}:{match}foo{}\n",
    ),
    // A heading is one; below it lines are only if links lead to lines.
    (
        "--color=always --hyperlink-format x:{path} --heading -H -n foo b",
        "{link x:/vault/b}{path}b{}{end}\n\
         {line}1{}:{match}foo{}\n",
    ),
    (
        "--color=always --hyperlink-format x:{path}:{line} --heading -H -n foo b",
        "{link x:/vault/b:1}{path}b{}{end}\n\
         {link x:/vault/b:1}{line}1{}{end}:{match}foo{}\n",
    ),
    (
        "--color=always --hyperlink-format x:{path}:{line} --heading -H foo b",
        "{link x:/vault/b:1}{path}b{}{end}\n\
         {link x:/vault/b:1}{end}{match}foo{}\n",
    ),
    (
        "--color=always --hyperlink-format x:{path}:{line} --heading -I -n foo b",
        "{line}1{}:{match}foo{}\n",
    ),
    // Answers.
    (
        "--color=always --hyperlink-format x:{path}:{line}:{column} -l foo b",
        "{link x:/vault/b:1:1}{path}b{}{end}\n",
    ),
    (
        "--color=always --hyperlink-format x:{path} -c foo a b",
        "{link x:/vault/a}{path}a{}{end}:2\n\
         {link x:/vault/b}{path}b{}{end}:1\n",
    ),
    (
        "--color=always --hyperlink-format x:{path} -l -0 foo b",
        "{link x:/vault/b}{path}b{}{end}{0}",
    ),
    ("--color=always --hyperlink-format vscode -c -I foo b", "1\n"),
    // None without a path, without a format, without colour.
    ("--color=always --hyperlink-format x:{path} -n foo b", "{line}1{}:{match}foo{}\n"),
    ("--color=always --hyperlink-format none -H foo b", "{path}b{}:{match}foo{}\n"),
    ("--color=always --hyperlink-format '' -H foo b", "{path}b{}:{match}foo{}\n"),
    ("--hyperlink-format x:{path} -H foo b", "b:foo\n"),
    (
        "--color=always --colors path:none --hyperlink-format x:{{{path}}} -H foo b",
        "{link x:{/vault/b}}{}b{}{end}:{match}foo{}\n",
    ),
    (
        "--color=always -U -n -H --hyperlink-format x:{path}:{line}:{column} \\d\\s+(foo|bar) m",
        "{link x:/vault/m:1:5}{path}m{}:{line}1{}{end}:foo {match}1{}\n\
         {link x:/vault/m:2:5}{path}m{}:{line}2{}{end}:\n\
         {link x:/vault/m:3:5}{path}m{}:{line}3{}{end}:{match}  bar{} foo {match}2{}\n\
         {link x:/vault/m:4:5}{path}m{}:{line}4{}{end}:{match} foo{} {match}3 bar{}\n\
         {link x:/vault/m:7:7}{path}m{}:{line}7{}{end}:\t foo {match}4 foo{} {match}5{}\n\
         {link x:/vault/m:8:7}{path}m{}:{line}8{}{end}:\n\
         {link x:/vault/m:9:7}{path}m{}:{line}9{}{end}:{match}foo{}\n",
    ),
];

#[test]
fn cases() {
    check(CASES);
}
