//! Messages for programs.

use crate::{Case, check};

pub(crate) const CASES: &[Case] = &[
    (
        "--json foo a",
        r#"{"type":"begin","data":{"path":{"text":"a"}}}
{"type":"match","data":{"path":{"text":"a"},"lines":{"text":"foo bar foo\n"},"line_number":1,"absolute_offset":0,"submatches":[{"match":{"text":"foo"},"start":0,"end":3},{"match":{"text":"foo"},"start":8,"end":11}]}}
{"type":"match","data":{"path":{"text":"a"},"lines":{"text":"  foo end\n"},"line_number":3,"absolute_offset":16,"submatches":[{"match":{"text":"foo"},"start":2,"end":5}]}}
{"type":"end","data":{"path":{"text":"a"},"binary_offset":null,"stats":{"elapsed":{"secs":0,"nanos":T,"human":"T"},"searches":1,"searches_with_match":1,"bytes_searched":T,"bytes_printed":435,"matched_lines":2,"matches":3}}}
{"data":{"elapsed_total":{"human":"T","nanos":T,"secs":0},"stats":{"bytes_printed":435,"bytes_searched":T,"elapsed":{"human":"T","nanos":T,"secs":0},"matched_lines":2,"matches":3,"searches":1,"searches_with_match":1}},"type":"summary"}
"#,
    ),
    (
        "--json zzz a b",
        r#"{"data":{"elapsed_total":{"human":"T","nanos":T,"secs":0},"stats":{"bytes_printed":0,"bytes_searched":T,"elapsed":{"human":"T","nanos":T,"secs":0},"matched_lines":0,"matches":0,"searches":2,"searches_with_match":0}},"type":"summary"}
"#,
    ),
    (
        "--json foo d e dir/f",
        r#"{"type":"begin","data":{"path":{"text":"d"}}}
{"type":"match","data":{"path":{"text":"d"},"lines":{"text":"foo"},"line_number":1,"absolute_offset":0,"submatches":[{"match":{"text":"foo"},"start":0,"end":3}]}}
{"type":"end","data":{"path":{"text":"d"},"binary_offset":null,"stats":{"elapsed":{"secs":0,"nanos":T,"human":"T"},"searches":1,"searches_with_match":1,"bytes_searched":T,"bytes_printed":209,"matched_lines":1,"matches":1}}}
{"type":"begin","data":{"path":{"text":"dir/f"}}}
{"type":"match","data":{"path":{"text":"dir/f"},"lines":{"text":"foo\n"},"line_number":1,"absolute_offset":0,"submatches":[{"match":{"text":"foo"},"start":0,"end":3}]}}
{"type":"end","data":{"path":{"text":"dir/f"},"binary_offset":null,"stats":{"elapsed":{"secs":0,"nanos":T,"human":"T"},"searches":1,"searches_with_match":1,"bytes_searched":T,"bytes_printed":219,"matched_lines":1,"matches":1}}}
{"data":{"elapsed_total":{"human":"T","nanos":T,"secs":0},"stats":{"bytes_printed":428,"bytes_searched":T,"elapsed":{"human":"T","nanos":T,"secs":0},"matched_lines":2,"matches":2,"searches":3,"searches_with_match":2}},"type":"summary"}
"#,
    ),
    (
        "--json -N foo b",
        r#"{"type":"begin","data":{"path":{"text":"b"}}}
{"type":"match","data":{"path":{"text":"b"},"lines":{"text":"foo\n"},"line_number":null,"absolute_offset":0,"submatches":[{"match":{"text":"foo"},"start":0,"end":3}]}}
{"type":"end","data":{"path":{"text":"b"},"binary_offset":null,"stats":{"elapsed":{"secs":0,"nanos":T,"human":"T"},"searches":1,"searches_with_match":1,"bytes_searched":T,"bytes_printed":214,"matched_lines":1,"matches":1}}}
{"data":{"elapsed_total":{"human":"T","nanos":T,"secs":0},"stats":{"bytes_printed":214,"bytes_searched":T,"elapsed":{"human":"T","nanos":T,"secs":0},"matched_lines":1,"matches":1,"searches":1,"searches_with_match":1}},"type":"summary"}
"#,
    ),
    (
        "--json foo j",
        r#"{"type":"begin","data":{"path":{"text":"j"}}}
{"type":"match","data":{"path":{"text":"j"},"lines":{"text":"\"foo\" \\ \u0001\b\t/\n"},"line_number":1,"absolute_offset":0,"submatches":[{"match":{"text":"foo"},"start":1,"end":4}]}}
{"type":"match","data":{"path":{"text":"j"},"lines":{"bytes":"Zm9vIP8gZm9vCg=="},"line_number":2,"absolute_offset":14,"submatches":[{"match":{"text":"foo"},"start":0,"end":3},{"match":{"text":"foo"},"start":6,"end":9}]}}
{"type":"end","data":{"path":{"text":"j"},"binary_offset":null,"stats":{"elapsed":{"secs":0,"nanos":T,"human":"T"},"searches":1,"searches_with_match":1,"bytes_searched":T,"bytes_printed":452,"matched_lines":2,"matches":3}}}
{"data":{"elapsed_total":{"human":"T","nanos":T,"secs":0},"stats":{"bytes_printed":452,"bytes_searched":T,"elapsed":{"human":"T","nanos":T,"secs":0},"matched_lines":2,"matches":3,"searches":1,"searches_with_match":1}},"type":"summary"}
"#,
    ),
    (
        "--json bar j",
        r#"{"type":"begin","data":{"path":{"text":"j"}}}
{"type":"match","data":{"path":{"text":"j"},"lines":{"bytes":"/2Jhcg=="},"line_number":4,"absolute_offset":28,"submatches":[{"match":{"text":"bar"},"start":1,"end":4}]}}
{"type":"end","data":{"path":{"text":"j"},"binary_offset":null,"stats":{"elapsed":{"secs":0,"nanos":T,"human":"T"},"searches":1,"searches_with_match":1,"bytes_searched":T,"bytes_printed":216,"matched_lines":1,"matches":1}}}
{"data":{"elapsed_total":{"human":"T","nanos":T,"secs":0},"stats":{"bytes_printed":216,"bytes_searched":T,"elapsed":{"human":"T","nanos":T,"secs":0},"matched_lines":1,"matches":1,"searches":1,"searches_with_match":1}},"type":"summary"}
"#,
    ),
    (
        "--json e\\\\u{301} u",
        r#"{"data":{"elapsed_total":{"human":"T","nanos":T,"secs":0},"stats":{"bytes_printed":0,"bytes_searched":T,"elapsed":{"human":"T","nanos":T,"secs":0},"matched_lines":0,"matches":0,"searches":1,"searches_with_match":0}},"type":"summary"}
"#,
    ),
    (
        "--json (?-u)\\\\xcc u",
        r#"{"data":{"elapsed_total":{"human":"T","nanos":T,"secs":0},"stats":{"bytes_printed":0,"bytes_searched":T,"elapsed":{"human":"T","nanos":T,"secs":0},"matched_lines":0,"matches":0,"searches":1,"searches_with_match":0}},"type":"summary"}
"#,
    ),
    (
        "--json '' c",
        r#"{"type":"begin","data":{"path":{"text":"c"}}}
{"type":"match","data":{"path":{"text":"c"},"lines":{"text":"é\n"},"line_number":1,"absolute_offset":0,"submatches":[{"match":{"text":""},"start":0,"end":0},{"match":{"text":""},"start":1,"end":1},{"match":{"text":""},"start":2,"end":2}]}}
{"type":"end","data":{"path":{"text":"c"},"binary_offset":null,"stats":{"elapsed":{"secs":0,"nanos":T,"human":"T"},"searches":1,"searches_with_match":1,"bytes_searched":T,"bytes_printed":287,"matched_lines":1,"matches":3}}}
{"data":{"elapsed_total":{"human":"T","nanos":T,"secs":0},"stats":{"bytes_printed":287,"bytes_searched":T,"elapsed":{"human":"T","nanos":T,"secs":0},"matched_lines":1,"matches":3,"searches":1,"searches_with_match":1}},"type":"summary"}
"#,
    ),
    (
        "--json ^|foo$ r",
        r#"{"type":"begin","data":{"path":{"text":"r"}}}
{"type":"match","data":{"path":{"text":"r"},"lines":{"text":"foo\n"},"line_number":1,"absolute_offset":0,"submatches":[{"match":{"text":""},"start":0,"end":0}]}}
{"type":"match","data":{"path":{"text":"r"},"lines":{"text":"foo\r\n"},"line_number":2,"absolute_offset":4,"submatches":[{"match":{"text":""},"start":0,"end":0}]}}
{"type":"match","data":{"path":{"text":"r"},"lines":{"text":"bar foo\r\n"},"line_number":3,"absolute_offset":9,"submatches":[{"match":{"text":""},"start":0,"end":0}]}}
{"type":"match","data":{"path":{"text":"r"},"lines":{"text":"\r\n"},"line_number":4,"absolute_offset":18,"submatches":[{"match":{"text":""},"start":0,"end":0}]}}
{"type":"end","data":{"path":{"text":"r"},"binary_offset":null,"stats":{"elapsed":{"secs":0,"nanos":T,"human":"T"},"searches":1,"searches_with_match":1,"bytes_searched":T,"bytes_printed":702,"matched_lines":4,"matches":4}}}
{"data":{"elapsed_total":{"human":"T","nanos":T,"secs":0},"stats":{"bytes_printed":702,"bytes_searched":T,"elapsed":{"human":"T","nanos":T,"secs":0},"matched_lines":4,"matches":4,"searches":1,"searches_with_match":1}},"type":"summary"}
"#,
    ),
    (
        "--json --crlf foo$ r",
        r#"{"type":"begin","data":{"path":{"text":"r"}}}
{"type":"match","data":{"path":{"text":"r"},"lines":{"text":"foo\n"},"line_number":1,"absolute_offset":0,"submatches":[{"match":{"text":"foo"},"start":0,"end":3}]}}
{"type":"match","data":{"path":{"text":"r"},"lines":{"text":"foo\r\n"},"line_number":2,"absolute_offset":4,"submatches":[{"match":{"text":"foo"},"start":0,"end":3}]}}
{"type":"match","data":{"path":{"text":"r"},"lines":{"text":"bar foo\r\n"},"line_number":3,"absolute_offset":9,"submatches":[{"match":{"text":"foo"},"start":4,"end":7}]}}
{"type":"end","data":{"path":{"text":"r"},"binary_offset":null,"stats":{"elapsed":{"secs":0,"nanos":T,"human":"T"},"searches":1,"searches_with_match":1,"bytes_searched":T,"bytes_printed":549,"matched_lines":3,"matches":3}}}
{"data":{"elapsed_total":{"human":"T","nanos":T,"secs":0},"stats":{"bytes_printed":549,"bytes_searched":T,"elapsed":{"human":"T","nanos":T,"secs":0},"matched_lines":3,"matches":3,"searches":1,"searches_with_match":1}},"type":"summary"}
"#,
    ),
    (
        "--json --null-data foo z",
        r#"{"type":"begin","data":{"path":{"text":"z"}}}
{"type":"match","data":{"path":{"text":"z"},"lines":{"text":"foo\nbar\u0000"},"line_number":1,"absolute_offset":0,"submatches":[{"match":{"text":"foo"},"start":0,"end":3}]}}
{"type":"match","data":{"path":{"text":"z"},"lines":{"text":"foo bar\nx\u0000"},"line_number":2,"absolute_offset":8,"submatches":[{"match":{"text":"foo"},"start":0,"end":3}]}}
{"type":"end","data":{"path":{"text":"z"},"binary_offset":null,"stats":{"elapsed":{"secs":0,"nanos":T,"human":"T"},"searches":1,"searches_with_match":1,"bytes_searched":T,"bytes_printed":396,"matched_lines":2,"matches":2}}}
{"data":{"elapsed_total":{"human":"T","nanos":T,"secs":0},"stats":{"bytes_printed":396,"bytes_searched":T,"elapsed":{"human":"T","nanos":T,"secs":0},"matched_lines":2,"matches":2,"searches":1,"searches_with_match":1}},"type":"summary"}
"#,
    ),
    (
        "--json -A 1 -B 1 xyz a",
        r#"{"type":"begin","data":{"path":{"text":"a"}}}
{"type":"context","data":{"path":{"text":"a"},"lines":{"text":"foo bar foo\n"},"line_number":1,"absolute_offset":0,"submatches":[]}}
{"type":"match","data":{"path":{"text":"a"},"lines":{"text":"xyz\n"},"line_number":2,"absolute_offset":12,"submatches":[{"match":{"text":"xyz"},"start":0,"end":3}]}}
{"type":"context","data":{"path":{"text":"a"},"lines":{"text":"  foo end\n"},"line_number":3,"absolute_offset":16,"submatches":[]}}
{"type":"end","data":{"path":{"text":"a"},"binary_offset":null,"stats":{"elapsed":{"secs":0,"nanos":T,"human":"T"},"searches":1,"searches_with_match":1,"bytes_searched":T,"bytes_printed":477,"matched_lines":1,"matches":1}}}
{"data":{"elapsed_total":{"human":"T","nanos":T,"secs":0},"stats":{"bytes_printed":477,"bytes_searched":T,"elapsed":{"human":"T","nanos":T,"secs":0},"matched_lines":1,"matches":1,"searches":1,"searches_with_match":1}},"type":"summary"}
"#,
    ),
    (
        "--json --passthru bar dir/f",
        r#"{"type":"begin","data":{"path":{"text":"dir/f"}}}
{"type":"context","data":{"path":{"text":"dir/f"},"lines":{"text":"foo\n"},"line_number":1,"absolute_offset":0,"submatches":[]}}
{"type":"match","data":{"path":{"text":"dir/f"},"lines":{"text":"bar\n"},"line_number":2,"absolute_offset":4,"submatches":[{"match":{"text":"bar"},"start":0,"end":3}]}}
{"type":"end","data":{"path":{"text":"dir/f"},"binary_offset":null,"stats":{"elapsed":{"secs":0,"nanos":T,"human":"T"},"searches":1,"searches_with_match":1,"bytes_searched":T,"bytes_printed":348,"matched_lines":1,"matches":1}}}
{"data":{"elapsed_total":{"human":"T","nanos":T,"secs":0},"stats":{"bytes_printed":348,"bytes_searched":T,"elapsed":{"human":"T","nanos":T,"secs":0},"matched_lines":1,"matches":1,"searches":1,"searches_with_match":1}},"type":"summary"}
"#,
    ),
    (
        "--json -v foo a",
        r#"{"type":"begin","data":{"path":{"text":"a"}}}
{"type":"match","data":{"path":{"text":"a"},"lines":{"text":"xyz\n"},"line_number":2,"absolute_offset":12,"submatches":[]}}
{"type":"end","data":{"path":{"text":"a"},"binary_offset":null,"stats":{"elapsed":{"secs":0,"nanos":T,"human":"T"},"searches":1,"searches_with_match":1,"bytes_searched":T,"bytes_printed":170,"matched_lines":1,"matches":0}}}
{"data":{"elapsed_total":{"human":"T","nanos":T,"secs":0},"stats":{"bytes_printed":170,"bytes_searched":T,"elapsed":{"human":"T","nanos":T,"secs":0},"matched_lines":1,"matches":0,"searches":1,"searches_with_match":1}},"type":"summary"}
"#,
    ),
    (
        "--json -v -C 1 xyz a",
        r#"{"type":"begin","data":{"path":{"text":"a"}}}
{"type":"match","data":{"path":{"text":"a"},"lines":{"text":"foo bar foo\n"},"line_number":1,"absolute_offset":0,"submatches":[]}}
{"type":"context","data":{"path":{"text":"a"},"lines":{"text":"xyz\n"},"line_number":2,"absolute_offset":12,"submatches":[{"match":{"text":"xyz"},"start":0,"end":3}]}}
{"type":"match","data":{"path":{"text":"a"},"lines":{"text":"  foo end\n"},"line_number":3,"absolute_offset":16,"submatches":[]}}
{"type":"end","data":{"path":{"text":"a"},"binary_offset":null,"stats":{"elapsed":{"secs":0,"nanos":T,"human":"T"},"searches":1,"searches_with_match":1,"bytes_searched":T,"bytes_printed":475,"matched_lines":2,"matches":0}}}
{"data":{"elapsed_total":{"human":"T","nanos":T,"secs":0},"stats":{"bytes_printed":475,"bytes_searched":T,"elapsed":{"human":"T","nanos":T,"secs":0},"matched_lines":2,"matches":0,"searches":1,"searches_with_match":1}},"type":"summary"}
"#,
    ),
    (
        "--json -m 1 -A 1 foo g",
        r#"{"type":"begin","data":{"path":{"text":"g"}}}
{"type":"match","data":{"path":{"text":"g"},"lines":{"text":"1 foo\n"},"line_number":1,"absolute_offset":0,"submatches":[{"match":{"text":"foo"},"start":2,"end":5}]}}
{"type":"context","data":{"path":{"text":"g"},"lines":{"text":"2\n"},"line_number":2,"absolute_offset":6,"submatches":[]}}
{"type":"end","data":{"path":{"text":"g"},"binary_offset":null,"stats":{"elapsed":{"secs":0,"nanos":T,"human":"T"},"searches":1,"searches_with_match":1,"bytes_searched":T,"bytes_printed":336,"matched_lines":1,"matches":1}}}
{"data":{"elapsed_total":{"human":"T","nanos":T,"secs":0},"stats":{"bytes_printed":336,"bytes_searched":T,"elapsed":{"human":"T","nanos":T,"secs":0},"matched_lines":1,"matches":1,"searches":1,"searches_with_match":1}},"type":"summary"}
"#,
    ),
    (
        "--json -r [$1] f(o*) a",
        r#"{"type":"begin","data":{"path":{"text":"a"}}}
{"type":"match","data":{"path":{"text":"a"},"lines":{"text":"foo bar foo\n"},"line_number":1,"absolute_offset":0,"submatches":[{"match":{"text":"foo"},"replacement":{"text":"[oo]"},"start":0,"end":3},{"match":{"text":"foo"},"replacement":{"text":"[oo]"},"start":8,"end":11}]}}
{"type":"match","data":{"path":{"text":"a"},"lines":{"text":"  foo end\n"},"line_number":3,"absolute_offset":16,"submatches":[{"match":{"text":"foo"},"replacement":{"text":"[oo]"},"start":2,"end":5}]}}
{"type":"end","data":{"path":{"text":"a"},"binary_offset":null,"stats":{"elapsed":{"secs":0,"nanos":T,"human":"T"},"searches":1,"searches_with_match":1,"bytes_searched":T,"bytes_printed":525,"matched_lines":2,"matches":3}}}
{"data":{"elapsed_total":{"human":"T","nanos":T,"secs":0},"stats":{"bytes_printed":525,"bytes_searched":T,"elapsed":{"human":"T","nanos":T,"secs":0},"matched_lines":2,"matches":3,"searches":1,"searches_with_match":1}},"type":"summary"}
"#,
    ),
    (
        "--json -r '' foo b",
        r#"{"type":"begin","data":{"path":{"text":"b"}}}
{"type":"match","data":{"path":{"text":"b"},"lines":{"text":"foo\n"},"line_number":1,"absolute_offset":0,"submatches":[{"match":{"text":"foo"},"replacement":{"text":""},"start":0,"end":3}]}}
{"type":"end","data":{"path":{"text":"b"},"binary_offset":null,"stats":{"elapsed":{"secs":0,"nanos":T,"human":"T"},"searches":1,"searches_with_match":1,"bytes_searched":T,"bytes_printed":237,"matched_lines":1,"matches":1}}}
{"data":{"elapsed_total":{"human":"T","nanos":T,"secs":0},"stats":{"bytes_printed":237,"bytes_searched":T,"elapsed":{"human":"T","nanos":T,"secs":0},"matched_lines":1,"matches":1,"searches":1,"searches_with_match":1}},"type":"summary"}
"#,
    ),
    (
        "--json -r X -v -A 1 xyz a",
        r#"{"type":"begin","data":{"path":{"text":"a"}}}
{"type":"match","data":{"path":{"text":"a"},"lines":{"text":"foo bar foo\n"},"line_number":1,"absolute_offset":0,"submatches":[]}}
{"type":"context","data":{"path":{"text":"a"},"lines":{"text":"xyz\n"},"line_number":2,"absolute_offset":12,"submatches":[{"match":{"text":"xyz"},"replacement":{"text":"X"},"start":0,"end":3}]}}
{"type":"match","data":{"path":{"text":"a"},"lines":{"text":"  foo end\n"},"line_number":3,"absolute_offset":16,"submatches":[]}}
{"type":"end","data":{"path":{"text":"a"},"binary_offset":null,"stats":{"elapsed":{"secs":0,"nanos":T,"human":"T"},"searches":1,"searches_with_match":1,"bytes_searched":T,"bytes_printed":502,"matched_lines":2,"matches":0}}}
{"data":{"elapsed_total":{"human":"T","nanos":T,"secs":0},"stats":{"bytes_printed":502,"bytes_searched":T,"elapsed":{"human":"T","nanos":T,"secs":0},"matched_lines":2,"matches":0,"searches":1,"searches_with_match":1}},"type":"summary"}
"#,
    ),
    (
        "--json -r \\xff\\_\" foo b",
        r#"{"type":"begin","data":{"path":{"text":"b"}}}
{"type":"match","data":{"path":{"text":"b"},"lines":{"text":"foo\n"},"line_number":1,"absolute_offset":0,"submatches":[{"match":{"text":"foo"},"replacement":{"text":"\\xff\\ \""},"start":0,"end":3}]}}
{"type":"end","data":{"path":{"text":"b"},"binary_offset":null,"stats":{"elapsed":{"secs":0,"nanos":T,"human":"T"},"searches":1,"searches_with_match":1,"bytes_searched":T,"bytes_printed":247,"matched_lines":1,"matches":1}}}
{"data":{"elapsed_total":{"human":"T","nanos":T,"secs":0},"stats":{"bytes_printed":247,"bytes_searched":T,"elapsed":{"human":"T","nanos":T,"secs":0},"matched_lines":1,"matches":1,"searches":1,"searches_with_match":1}},"type":"summary"}
"#,
    ),
    (
        "--json -U \\d\\s+(foo|bar) m",
        r#"{"type":"begin","data":{"path":{"text":"m"}}}
{"type":"match","data":{"path":{"text":"m"},"lines":{"text":"foo 1\n\n  bar foo 2\n foo 3 bar\n"},"line_number":1,"absolute_offset":0,"submatches":[{"match":{"text":"1\n\n  bar"},"start":4,"end":12},{"match":{"text":"2\n foo"},"start":17,"end":23},{"match":{"text":"3 bar"},"start":24,"end":29}]}}
{"type":"match","data":{"path":{"text":"m"},"lines":{"text":"\t foo 4 foo 5\n\nfoo"},"line_number":7,"absolute_offset":38,"submatches":[{"match":{"text":"4 foo"},"start":6,"end":11},{"match":{"text":"5\n\nfoo"},"start":12,"end":18}]}}
{"type":"end","data":{"path":{"text":"m"},"binary_offset":null,"stats":{"elapsed":{"secs":0,"nanos":T,"human":"T"},"searches":1,"searches_with_match":1,"bytes_searched":T,"bytes_printed":579,"matched_lines":7,"matches":5}}}
{"data":{"elapsed_total":{"human":"T","nanos":T,"secs":0},"stats":{"bytes_printed":579,"bytes_searched":T,"elapsed":{"human":"T","nanos":T,"secs":0},"matched_lines":7,"matches":5,"searches":1,"searches_with_match":1}},"type":"summary"}
"#,
    ),
    (
        "--json -U -r <$1> (\\d)\\n\\s*foo m",
        r#"{"type":"begin","data":{"path":{"text":"m"}}}
{"type":"match","data":{"path":{"text":"m"},"lines":{"text":"  bar foo 2\n foo 3 bar\n"},"line_number":3,"absolute_offset":7,"submatches":[{"match":{"text":"2\n foo"},"replacement":{"text":"<2>"},"start":10,"end":16}]}}
{"type":"match","data":{"path":{"text":"m"},"lines":{"text":"\t foo 4 foo 5\n\nfoo"},"line_number":7,"absolute_offset":38,"submatches":[{"match":{"text":"5\n\nfoo"},"replacement":{"text":"<5>"},"start":12,"end":18}]}}
{"type":"end","data":{"path":{"text":"m"},"binary_offset":null,"stats":{"elapsed":{"secs":0,"nanos":T,"human":"T"},"searches":1,"searches_with_match":1,"bytes_searched":T,"bytes_printed":484,"matched_lines":5,"matches":2}}}
{"data":{"elapsed_total":{"human":"T","nanos":T,"secs":0},"stats":{"bytes_printed":484,"bytes_searched":T,"elapsed":{"human":"T","nanos":T,"secs":0},"matched_lines":5,"matches":2,"searches":1,"searches_with_match":1}},"type":"summary"}
"#,
    ),
    (
        "--json -U -N xyz\\n j",
        r#"{"type":"begin","data":{"path":{"text":"j"}}}
{"type":"match","data":{"path":{"text":"j"},"lines":{"text":"xyz\n"},"line_number":null,"absolute_offset":24,"submatches":[{"match":{"text":"xyz\n"},"start":0,"end":4}]}}
{"type":"end","data":{"path":{"text":"j"},"binary_offset":null,"stats":{"elapsed":{"secs":0,"nanos":T,"human":"T"},"searches":1,"searches_with_match":1,"bytes_searched":T,"bytes_printed":217,"matched_lines":1,"matches":1}}}
{"data":{"elapsed_total":{"human":"T","nanos":T,"secs":0},"stats":{"bytes_printed":217,"bytes_searched":T,"elapsed":{"human":"T","nanos":T,"secs":0},"matched_lines":1,"matches":1,"searches":1,"searches_with_match":1}},"type":"summary"}
"#,
    ),
    // What it takes no notice of.
    (
        "--json -o --heading -I -b --column --trim --vimgrep -0 --color=always -M 2 foo a",
        r#"{"type":"begin","data":{"path":{"text":"a"}}}
{"type":"match","data":{"path":{"text":"a"},"lines":{"text":"foo bar foo\n"},"line_number":1,"absolute_offset":0,"submatches":[{"match":{"text":"foo"},"start":0,"end":3},{"match":{"text":"foo"},"start":8,"end":11}]}}
{"type":"match","data":{"path":{"text":"a"},"lines":{"text":"  foo end\n"},"line_number":3,"absolute_offset":16,"submatches":[{"match":{"text":"foo"},"start":2,"end":5}]}}
{"type":"end","data":{"path":{"text":"a"},"binary_offset":null,"stats":{"elapsed":{"secs":0,"nanos":T,"human":"T"},"searches":1,"searches_with_match":1,"bytes_searched":T,"bytes_printed":435,"matched_lines":2,"matches":3}}}
{"data":{"elapsed_total":{"human":"T","nanos":T,"secs":0},"stats":{"bytes_printed":435,"bytes_searched":T,"elapsed":{"human":"T","nanos":T,"secs":0},"matched_lines":2,"matches":3,"searches":1,"searches_with_match":1}},"type":"summary"}
"#,
    ),
];

#[test]
fn cases() {
    check(CASES);
}
