//! The result of a run in a form that two programs can share: without times, with JSON normalised,
//! and in any order of files where the order is not defined.

use serde_json::Value;

use crate::process::Outcome;

/// Keys of JSON messages whose values are times.
const TIMES: [&str; 2] = ["elapsed", "elapsed_total"];

/// The start of the message that only heist prints, if globs select no file.
const ABOUT_GLOBS: &str = "no file was searched: no searchable file matches ";

/// The order in which the output shows files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Both outputs have to be equal, byte by byte.
    Exact,
    /// The output of at most this many files can come in another order, each file in one piece.
    AnyOfFiles { files: usize },
}

/// The result of a run, normalised.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// The output in pieces that end with a line feed or a NUL.
    pieces: Vec<Vec<u8>>,
    status: Option<i32>,
    /// The text on stderr. Only whether there is any is compared; tests of messages compare it.
    /// Messages that only heist prints are left out.
    messages: String,
}

impl Answer {
    /// The answer of a run that ended by itself.
    pub(crate) fn of(outcome: &Outcome) -> Answer {
        let ends = |byte: &u8| *byte == b'\n' || *byte == 0;
        let pieces = outcome.stdout.split_inclusive(ends);
        // What was left out, which only heist states.
        let pieces = pieces.filter(|piece| !piece.starts_with(b"{\"type\":\"skipped\""));
        let pieces = pieces.map(without_times).collect();
        let messages = String::from_utf8_lossy(&outcome.stderr);
        let is_shared = |line: &&str| !line.contains(ABOUT_GLOBS);
        let messages = messages.split_inclusive('\n').filter(is_shared).collect();
        Answer { pieces, status: outcome.status.code(), messages }
    }

    /// Shows both answers, ours first, from where they begin to differ.
    pub(crate) fn diff(&self, theirs: &Answer) -> String {
        let pairs = self.pieces.iter().zip(&theirs.pieces);
        let same = pairs.take_while(|(ours, theirs)| ours == theirs).count();
        let shown = |answer: &Answer| {
            let mut text = format!("status {:?}\n", answer.status);
            for line in answer.messages.lines().take(5) {
                text += &format!("    on stderr: {line}\n");
            }
            for piece in answer.pieces.iter().skip(same.saturating_sub(2)).take(20) {
                text += &format!("    {}\n", excerpt(piece));
            }
            text
        };
        format!("after {same} equal lines\nhs: {}ripgrep: {}", shown(self), shown(theirs))
    }

    /// Whether both answers are the same.
    pub(crate) fn agrees(&self, other: &Answer, order: Order) -> bool {
        self.messages.is_empty() == other.messages.is_empty()
            && self.agrees_except_messages(other, order)
    }

    /// Whether stdout and the exit status are the same.
    pub(crate) fn agrees_except_messages(&self, other: &Answer, order: Order) -> bool {
        if self.status != other.status {
            return false;
        }
        match order {
            Order::Exact => self.pieces == other.pieces,
            Order::AnyOfFiles { files } => is_rearranged(&self.pieces, &other.pieces, files),
        }
    }
}

/// Whether `ours` is a permutation of runs of `theirs`, with about as many runs as there are files.
///
/// The runs are found greedily: at each place the longest match counts. A separator can belong to
/// the file before or after it, so that twice as many runs are allowed. Example: `b`, `--`, `a` is
/// a permutation of `a`, `--`, `b`.
fn is_rearranged(ours: &[Vec<u8>], theirs: &[Vec<u8>], files: usize) -> bool {
    if ours == theirs {
        return true;
    }
    let mut used = vec![false; theirs.len()];
    let (mut at, mut runs) = (0, 0);
    while at < ours.len() {
        let run = |from: usize| {
            let pairs = ours[at..].iter().zip(&theirs[from..]).zip(&used[from..]);
            pairs.take_while(|((mine, other), used)| mine == other && !**used).count()
        };
        let Some((from, length)) =
            (0..theirs.len()).map(|from| (from, run(from))).max_by_key(|&(_, length)| length)
        else {
            return false;
        };
        if length == 0 {
            return false;
        }
        used[from..from + length].fill(true);
        at += length;
        runs += 1;
    }
    used.iter().all(|used| *used) && runs <= 2 * files + 1
}

/// Removes times from a line of output, and normalises a line of JSON.
fn without_times(line: &[u8]) -> Vec<u8> {
    if line.starts_with(b"{\"")
        && let Ok(mut message) = serde_json::from_slice::<Value>(line)
    {
        remove_times(&mut message);
        return format!("{message}\n").into_bytes();
    }
    for end in [&b" seconds spent searching\n"[..], b" seconds total\n"] {
        if line.ends_with(end) && line.first().is_some_and(u8::is_ascii_digit) {
            return [b"T", end].concat();
        }
    }
    line.to_vec()
}

fn remove_times(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|key, _| !TIMES.contains(&key.as_str()));
            members.values_mut().for_each(remove_times);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_times),
        _ => {}
    }
}

/// The first 400 bytes of `line`, escaped.
pub(crate) fn excerpt(line: &[u8]) -> String {
    let shown = line[..line.len().min(400)].escape_ascii();
    if line.len() > 400 { format!("{shown}…") } else { shown.to_string() }
}

#[test]
fn only_whole_files_can_be_permuted() {
    let pieces = |text: &str| text.chars().map(|c| vec![c as u8]).collect::<Vec<_>>();
    let same = |a: &str, b: &str, files| is_rearranged(&pieces(a), &pieces(b), files);
    assert!(same("abc", "abc", 1));
    assert!(same("abcxyz", "xyzabc", 2));
    assert!(same("abc-xyz-uvw", "uvw-abc-xyz", 3), "a separator belongs to either file");
    assert!(!same("abcxyz", "xyzab", 2), "a line is missing");
    assert!(!same("abcxyz", "xyzabcc", 2), "a line is repeated");
    assert!(!same("abcdef", "fedcba", 2), "lines within a file are permuted");
    assert!(!same("", "a", 1));
}

#[test]
fn only_times_are_removed() {
    let text = |line: &str| String::from_utf8(without_times(line.as_bytes())).expect("text");
    assert_eq!(text("0.000019 seconds total\n"), "T seconds total\n");
    assert_eq!(text("8 matches\n"), "8 matches\n");
    assert_eq!(
        text("{\"b\":{\"elapsed\":{\"secs\":0},\"matches\":1},\"a\":2}\n"),
        "{\"a\":2,\"b\":{\"matches\":1}}\n"
    );
    assert_eq!(text("{\"no json\n"), "{\"no json\n");
}
