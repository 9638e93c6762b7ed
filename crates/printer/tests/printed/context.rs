//! Context, limits, every line, headings: what stands around matching lines.

use crate::{Case, check};

pub(crate) const CASES: &[Case] = &[
    // Context.
    (
        "-A 1 foo g",
        "1 foo\n\
         2\n\
         --\n\
         5 foo\n\
         6 foofoo\n\
         7\n\
         --\n\
         11 foo\n\
         12\n",
    ),
    (
        "-B 1 foo g",
        "1 foo\n\
         --\n\
         4\n\
         5 foo\n\
         6 foofoo\n\
         --\n\
         10\n\
         11 foo\n",
    ),
    (
        "-C 1 foo g",
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
         12\n",
    ),
    (
        "-C 2 -n foo g",
        "1:1 foo\n\
         2-2\n\
         3-3\n\
         4-4\n\
         5:5 foo\n\
         6:6 foofoo\n\
         7-7\n\
         8-8\n\
         9-9\n\
         10-10\n\
         11:11 foo\n\
         12-12\n",
    ),
    (
        "-C 5 -n -H foo g",
        "g:1:1 foo\n\
         g-2-2\n\
         g-3-3\n\
         g-4-4\n\
         g:5:5 foo\n\
         g:6:6 foofoo\n\
         g-7-7\n\
         g-8-8\n\
         g-9-9\n\
         g-10-10\n\
         g:11:11 foo\n\
         g-12-12\n",
    ),
    (
        "-A 1 foo a b d",
        "a:foo bar foo\n\
         a-xyz\n\
         a:  foo end\n\
         --\n\
         b:foo\n\
         --\n\
         d:foo\n",
    ),
    (
        "-C 1 -n -b --column foo a",
        "1:1:0:foo bar foo\n\
         2-12-xyz\n\
         3:3:16:  foo end\n",
    ),
    (
        "-C 1 -o foo g",
        "foo\n\
         2\n\
         --\n\
         4\n\
         foo\n\
         foo\n\
         foo\n\
         7\n\
         --\n\
         10\n\
         foo\n\
         12\n",
    ),
    (
        "-C 1 -o -n -b foo a",
        "1:0:foo\n\
         1:8:foo\n\
         2-12-xyz\n\
         3:18:foo\n",
    ),
    (
        "-C 1 -v -n foo g",
        "1-1 foo\n\
         2:2\n\
         3:3\n\
         4:4\n\
         5-5 foo\n\
         6-6 foofoo\n\
         7:7\n\
         8:8\n\
         9:9\n\
         10:10\n\
         11-11 foo\n\
         12:12\n",
    ),
    (
        "-C 1 -v -o -n -b --column foo a",
        "1-1-0-foo\n\
         1-9-8-foo\n\
         2:12:xyz\n\
         3-3-18-foo\n",
    ),
    (
        "-C 1 -v --vimgrep foo a",
        "a-1-1-foo bar foo\n\
         a-1-9-foo bar foo\n\
         a:2:xyz\n\
         a-3-3-  foo end\n",
    ),
    (
        "-n -C 1 --field-match-separator = --field-context-separator ## -H foo a",
        "a=1=foo bar foo\n\
         a##2##xyz\n\
         a=3=  foo end\n",
    ),
    (
        "-C 1 --context-separator ~~~ foo g b",
        "g:1 foo\n\
         g-2\n\
         ~~~\n\
         g-4\n\
         g:5 foo\n\
         g:6 foofoo\n\
         g-7\n\
         ~~~\n\
         g-10\n\
         g:11 foo\n\
         g-12\n\
         ~~~\n\
         b:foo\n",
    ),
    (
        "-C 1 --context-separator '' foo g b",
        "g:1 foo\n\
         g-2\n\
         \n\
         g-4\n\
         g:5 foo\n\
         g:6 foofoo\n\
         g-7\n\
         \n\
         g-10\n\
         g:11 foo\n\
         g-12\n\
         \n\
         b:foo\n",
    ),
    (
        "-C 1 --no-context-separator foo g b",
        "g:1 foo\n\
         g-2\n\
         g-4\n\
         g:5 foo\n\
         g:6 foofoo\n\
         g-7\n\
         g-10\n\
         g:11 foo\n\
         g-12\n\
         b:foo\n",
    ),
    (
        "-C 1 --trim foo a",
        "foo bar foo\n\
         xyz\n\
         foo end\n",
    ),
    // Limits. Context goes on beyond them.
    ("-m 1 foo g", "1 foo\n"),
    (
        "-m 1 -A 4 -n foo g",
        "1:1 foo\n\
         2-2\n\
         3-3\n\
         4-4\n\
         5:5 foo\n",
    ),
    (
        "-m 2 -C 1 -n foo g",
        "1:1 foo\n\
         2-2\n\
         --\n\
         4-4\n\
         5:5 foo\n\
         6:6 foofoo\n",
    ),
    (
        "-m 1 --passthru -n foo a",
        "1:foo bar foo\n\
         2-xyz\n\
         3-  foo end\n",
    ),
    // Every line.
    (
        "--passthru foo a",
        "foo bar foo\n\
         xyz\n\
         \x20 foo end\n",
    ),
    (
        "--passthru -n -H -b --column foo a b",
        "a:1:1:0:foo bar foo\n\
         a-2-12-xyz\n\
         a:3:3:16:  foo end\n\
         b:1:1:0:foo\n",
    ),
    (
        "--passthru -o -n foo a",
        "1:foo\n\
         1:foo\n\
         2-xyz\n\
         3:foo\n",
    ),
    (
        "--passthru -v -n foo a",
        "1-foo bar foo\n\
         2:xyz\n\
         3-  foo end\n",
    ),
    (
        "--passthru zzz a",
        "foo bar foo\n\
         xyz\n\
         \x20 foo end\n",
    ),
    (
        "--passthru --heading foo a b",
        "a\n\
         foo bar foo\n\
         xyz\n\
         \x20 foo end\n\
         \n\
         b\n\
         foo\n",
    ),
    // Headings.
    (
        "--heading foo a",
        "foo bar foo\n\
         \x20 foo end\n",
    ),
    (
        "--heading -H foo a",
        "a\n\
         foo bar foo\n\
         \x20 foo end\n",
    ),
    (
        "--heading foo a b",
        "a\n\
         foo bar foo\n\
         \x20 foo end\n\
         \n\
         b\n\
         foo\n",
    ),
    (
        "--heading -I -n foo a b",
        "1:foo bar foo\n\
         3:  foo end\n\
         \n\
         1:foo\n",
    ),
    (
        "--heading -n -b --column foo a b",
        "a\n\
         1:1:0:foo bar foo\n\
         3:3:16:  foo end\n\
         \n\
         b\n\
         1:1:0:foo\n",
    ),
    (
        "--heading -C 1 foo g b",
        "g\n\
         1 foo\n\
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
         b\n\
         foo\n",
    ),
    (
        "--heading -C 1 --no-context-separator foo g b",
        "g\n\
         1 foo\n\
         2\n\
         4\n\
         5 foo\n\
         6 foofoo\n\
         7\n\
         10\n\
         11 foo\n\
         12\n\
         \n\
         b\n\
         foo\n",
    ),
    (
        "--heading -o foo a b",
        "a\n\
         foo\n\
         foo\n\
         foo\n\
         \n\
         b\n\
         foo\n",
    ),
    (
        "--heading -v foo a b",
        "a\n\
         xyz\n",
    ),
    ("--heading zzz a b", ""),
];

#[test]
fn cases() {
    check(CASES);
}
