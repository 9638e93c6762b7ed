//! What a program answered, in a form that two programs can agree on: times are taken out, JSON is
//! compared by meaning, and where the order of files is nobody's business it is not compared.

use serde_json::Value;

use crate::process::Outcome;

/// Keys of JSON messages that hold times.
const TIMES: [&str; 2] = ["elapsed", "elapsed_total"];

/// Whether the order in which files are printed is settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// The output has to be equal to the last byte.
    Settled,
    /// The output may be that of the other program with whole files exchanged; this many at most.
    Open { files: usize },
}

/// What a program answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The output in pieces that end with a newline or a NUL.
    pieces: Vec<Vec<u8>>,
    status: Option<i32>,
    /// Whether there is anything on stderr; what it is belongs to the tests of messages.
    speaks: bool,
}

impl Answer {
    /// The answer of a program that ran to its end.
    pub(crate) fn of(outcome: &Outcome) -> Answer {
        let ends = |byte: &u8| *byte == b'\n' || *byte == 0;
        let pieces = outcome.stdout.split_inclusive(ends).map(without_times).collect();
        Answer { pieces, status: outcome.status.code(), speaks: !outcome.stderr.is_empty() }
    }

    /// Where the answer of `hs` begins to differ from that of ripgrep.
    pub(crate) fn beside(&self, theirs: &Answer) -> String {
        let pairs = self.pieces.iter().zip(&theirs.pieces);
        let same = pairs.take_while(|(ours, theirs)| ours == theirs).count();
        let shown = |answer: &Answer| {
            let spoken = if answer.speaks { ", something on stderr" } else { "" };
            let mut text = format!("status {:?}{spoken}\n", answer.status);
            for piece in answer.pieces.iter().skip(same.saturating_sub(2)).take(20) {
                text += &format!("    {}\n", cut(piece));
            }
            text
        };
        format!("after {same} equal lines\nhs: {}ripgrep: {}", shown(self), shown(theirs))
    }

    /// Whether both say the same.
    pub(crate) fn agrees(&self, other: &Answer, order: Order) -> bool {
        self.speaks == other.speaks && self.agrees_but_for_messages(other, order)
    }

    /// Whether both say the same on stdout, and end alike.
    pub(crate) fn agrees_but_for_messages(&self, other: &Answer, order: Order) -> bool {
        if self.status != other.status {
            return false;
        }
        match order {
            Order::Settled => self.pieces == other.pieces,
            Order::Open { files } => is_rearranged(&self.pieces, &other.pieces, files),
        }
    }
}

/// Whether `ours` is `theirs` cut into about as many runs of pieces as there are files and put
/// together in another order.
///
/// The runs are found greedily, the longest first match at each place. What stands between two files
/// may go with either, so that twice as many runs are allowed.
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

/// A line of the output as it would be if all had taken no time.
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

/// The beginning of `line`, escaped.
pub(crate) fn cut(line: &[u8]) -> String {
    let shown = line[..line.len().min(400)].escape_ascii();
    if line.len() > 400 { format!("{shown}…") } else { shown.to_string() }
}

#[test]
fn whole_files_may_change_places_and_nothing_else() {
    let pieces = |text: &str| text.chars().map(|c| vec![c as u8]).collect::<Vec<_>>();
    let same = |a: &str, b: &str, files| is_rearranged(&pieces(a), &pieces(b), files);
    assert!(same("abc", "abc", 1));
    assert!(same("abcxyz", "xyzabc", 2));
    assert!(same("abc-xyz-uvw", "uvw-abc-xyz", 3), "what stands between goes with either");
    assert!(!same("abcxyz", "xyzab", 2), "a line is missing");
    assert!(!same("abcxyz", "xyzabcc", 2), "a line is doubled");
    assert!(!same("abcdef", "fedcba", 2), "lines of a file are exchanged");
    assert!(!same("", "a", 1));
}

#[test]
fn times_are_taken_out_and_nothing_else() {
    let text = |line: &str| String::from_utf8(without_times(line.as_bytes())).expect("text");
    assert_eq!(text("0.000019 seconds total\n"), "T seconds total\n");
    assert_eq!(text("8 matches\n"), "8 matches\n");
    assert_eq!(
        text("{\"b\":{\"elapsed\":{\"secs\":0},\"matches\":1},\"a\":2}\n"),
        "{\"a\":2,\"b\":{\"matches\":1}}\n"
    );
    assert_eq!(text("{\"no json\n"), "{\"no json\n");
}
