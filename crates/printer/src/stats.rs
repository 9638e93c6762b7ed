//! What searches count (`--stats`, and the statistics in `--json`).

use std::{io::Write as _, time::Duration};

/// The statistics for one haystack, one worker or a whole run.
///
/// Every printer keeps the sum over its haystacks; the sum over all printers is the run's.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// use heist_printer::Stats;
///
/// let mut sum = Stats { matches: 2, ..Stats::default() };
/// sum.add(&Stats { matches: 1, ..Stats::default() });
/// let mut text = Vec::new();
/// sum.append_text(&mut text, Duration::from_secs(1));
/// assert!(text.starts_with(b"\n3 matches\n"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// The time spent searching and printing, summed over haystacks; with several workers it
    /// exceeds the time that passed.
    pub elapsed: Duration,
    /// How many haystacks were searched, including binary ones that were given up.
    pub searches: u64,
    /// How many haystacks had a match.
    pub searches_with_match: u64,
    /// How many bytes were searched, counted after decoding.
    pub bytes_searched: u64,
    /// How many bytes were printed for matches and context, without counts, lone paths and the
    /// separators between files.
    pub bytes_printed: u64,
    /// How many lines matched; a match that spans lines counts all its lines.
    pub matched_lines: u64,
    /// How many matches there were; 0 if the search is inverted and lines are printed.
    pub matches: u64,
}

impl Stats {
    /// Adds the statistics in `other`.
    pub fn add(&mut self, other: &Stats) {
        self.elapsed += other.elapsed;
        self.searches += other.searches;
        self.searches_with_match += other.searches_with_match;
        self.bytes_searched += other.bytes_searched;
        self.bytes_printed += other.bytes_printed;
        self.matched_lines += other.matched_lines;
        self.matches += other.matches;
    }

    /// Appends an empty line and the eight lines of `--stats` to `out`, in ripgrep's words. `total`
    /// is the time since the program started.
    pub fn append_text(&self, out: &mut Vec<u8>, total: Duration) {
        // Writing to a Vec cannot fail.
        let _ = write!(
            out,
            "\n{} matches\n{} matched lines\n{} files contained matches\n{} files searched\n\
             {} bytes printed\n{} bytes searched\n{:.6} seconds spent searching\n{:.6} seconds total\n",
            self.matches,
            self.matched_lines,
            self.searches_with_match,
            self.searches,
            self.bytes_printed,
            self.bytes_searched,
            self.elapsed.as_secs_f64(),
            total.as_secs_f64(),
        );
    }

    /// Appends the message that ends a run of `--json` to `out`, with its line feed. `total` is the
    /// time since the program started. The keys are in ripgrep's order, which is alphabetical only
    /// here.
    pub fn append_json_summary(&self, out: &mut Vec<u8>, total: Duration) {
        out.extend_from_slice(br#"{"data":{"elapsed_total":"#);
        append_sorted_time(out, total);
        let _ = write!(
            out,
            r#","stats":{{"bytes_printed":{},"bytes_searched":{},"elapsed":"#,
            self.bytes_printed, self.bytes_searched
        );
        append_sorted_time(out, self.elapsed);
        let _ = write!(
            out,
            r#","matched_lines":{},"matches":{},"searches":{},"searches_with_match":{}}}}},"type":"summary"}}"#,
            self.matched_lines, self.matches, self.searches, self.searches_with_match
        );
        out.push(b'\n');
    }

    /// Appends one haystack's statistics as a JSON object.
    pub(crate) fn append_json(&self, out: &mut Vec<u8>) {
        let _ = write!(
            out,
            r#"{{"elapsed":{{"secs":{},"nanos":{},"human":"{:.6}s"}},"searches":{},"searches_with_match":{},"bytes_searched":{},"bytes_printed":{},"matched_lines":{},"matches":{}}}"#,
            self.elapsed.as_secs(),
            self.elapsed.subsec_nanos(),
            self.elapsed.as_secs_f64(),
            self.searches,
            self.searches_with_match,
            self.bytes_searched,
            self.bytes_printed,
            self.matched_lines,
            self.matches,
        );
    }
}

fn append_sorted_time(out: &mut Vec<u8>, time: Duration) {
    let _ = write!(
        out,
        r#"{{"human":"{:.6}s","nanos":{},"secs":{}}}"#,
        time.as_secs_f64(),
        time.subsec_nanos(),
        time.as_secs()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATS: Stats = Stats {
        elapsed: Duration::from_nanos(24_026),
        searches: 1,
        searches_with_match: 1,
        bytes_searched: 26,
        bytes_printed: 435,
        matched_lines: 2,
        matches: 3,
    };
    const TOTAL: Duration = Duration::from_nanos(1_000_605_072);

    fn printed(append: impl Fn(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        append(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn forms_are_those_of_ripgrep() {
        // Copied from ripgrep 15.2, numbers included, but for a second more in all.
        assert_eq!(
            printed(|out| STATS.append_text(out, TOTAL)),
            "\n3 matches\n2 matched lines\n1 files contained matches\n1 files searched\n\
             435 bytes printed\n26 bytes searched\n0.000024 seconds spent searching\n\
             1.000605 seconds total\n"
        );
        assert_eq!(
            printed(|out| STATS.append_json_summary(out, TOTAL)),
            concat!(
                r#"{"data":{"elapsed_total":{"human":"1.000605s","nanos":605072,"secs":1},"#,
                r#""stats":{"bytes_printed":435,"bytes_searched":26,"#,
                r#""elapsed":{"human":"0.000024s","nanos":24026,"secs":0},"#,
                r#""matched_lines":2,"matches":3,"searches":1,"searches_with_match":1}},"#,
                r#""type":"summary"}"#,
                "\n"
            )
        );
        assert_eq!(
            printed(|out| STATS.append_json(out)),
            concat!(
                r#"{"elapsed":{"secs":0,"nanos":24026,"human":"0.000024s"},"searches":1,"#,
                r#""searches_with_match":1,"bytes_searched":26,"bytes_printed":435,"#,
                r#""matched_lines":2,"matches":3}"#
            )
        );
    }

    #[test]
    fn sums_add_up() {
        let mut sum = STATS;
        sum.add(&STATS);
        assert_eq!(sum.elapsed, STATS.elapsed * 2);
        let counts = |s: &Stats| {
            [
                s.searches,
                s.searches_with_match,
                s.bytes_searched,
                s.bytes_printed,
                s.matched_lines,
                s.matches,
            ]
        };
        assert_eq!(counts(&sum), counts(&STATS).map(|n| n * 2));
    }
}
