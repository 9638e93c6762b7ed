//! The question of `--write`, answered on a terminal.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{Read, Write},
    os::unix::process::ExitStatusExt,
    process::{Child, Command, ExitStatus},
};

use rustix::process::{Pid, Signal, kill_process};
use skipped_tests::skip;
use wait_timeout::ChildExt;

use crate::harness::{
    TempTree, process,
    terminal::{drain, terminal_of},
};

/// How a question ends.
const QUESTION_ENDS: [&str; 2] = ["[n]o: ", "none that remain: "];

/// What ends the input of a terminal, at the beginning of a line.
const END_OF_INPUT: &str = "\x04";

/// Whether another program stands in place of `hs`, or one for Windows, whose terminals are others.
fn is_left_out() -> bool {
    process::oracle().is_some() || process::is_for_windows(&process::program())
}

/// A run of `hs --write` with questions.
struct Dialogue {
    child: Child,
    /// The user's end of the terminal.
    terminal: File,
    shown: String,
}

impl Dialogue {
    /// Starts `hs before -r after --write` with these arguments.
    fn start(tree: &TempTree, args: &[&str]) -> Dialogue {
        let (ours, theirs) = terminal_of(50, 80);
        let mut command = Command::new(process::program());
        command.args(["before", "-r", "after", "--write"]).args(args);
        command.current_dir(tree.path()).env_clear().env("TERM", "xterm");
        command.env("PATH", "/usr/bin:/bin").env("XDG_STATE_HOME", tree.join("../state"));
        command.env("HEIST_PAGER", "sh -c 'cat >> ../paged'");
        let end = || theirs.try_clone().expect("a descriptor");
        command.stdin(end()).stdout(end()).stderr(end());
        Dialogue { child: command.spawn().expect("hs runs"), terminal: ours, shown: String::new() }
    }

    /// Reads up to the end of the next question, and returns what was shown before it, since the
    /// last answer.
    fn question(&mut self) -> String {
        let mut shown = Vec::new();
        let mut byte = [0];
        loop {
            let read = self.terminal.read(&mut byte);
            let text = String::from_utf8_lossy(&shown).into_owned();
            assert!(matches!(read, Ok(1)), "there is no question: {text}");
            shown.push(byte[0]);
            if QUESTION_ENDS.iter().any(|end| shown.ends_with(end.as_bytes())) {
                let text = String::from_utf8_lossy(&shown).replace("\r\n", "\n");
                self.shown += &text;
                return text;
            }
        }
    }

    fn answer(&mut self, text: &str) {
        self.terminal.write_all(text.as_bytes()).expect("hs reads");
    }

    /// Waits for the end, and returns the status and what was shown since the last question.
    fn end(mut self) -> (ExitStatus, String) {
        let status = self.child.wait_timeout(process::TIMEOUT).expect("a child");
        let status = status.unwrap_or_else(|| {
            let _ = self.child.kill();
            panic!("hs does not end: {}", self.shown);
        });
        let rest = String::from_utf8_lossy(&drain(self.terminal)).replace("\r\n", "\n");
        (status, rest)
    }
}

/// Three files: `a` with two matches, `b` with a match in each of two hunks, and `c`.
fn fill(tree: &TempTree) {
    tree.file("a", "before, before\n");
    let many: String = (1..=20).map(|line| format!("{line}\n")).collect();
    tree.file("b", many.replace("\n2\n", "\n2 before\n").replace("\n18\n", "\n18 before\n"));
    tree.file("c", "x\nbefore");
}

/// The lines that contain one of the words, by file.
fn lines(tree: &TempTree) -> BTreeMap<&str, String> {
    let read = |name: &'static str| {
        let text = fs::read_to_string(tree.join(name)).expect("a file");
        let lines = text.lines().filter(|line| line.contains("before") || line.contains("after"));
        (name, lines.collect::<Vec<_>>().join("|"))
    };
    ["a", "b", "c"].map(read).into()
}

const OLD: [(&str, &str); 3] =
    [("a", "before, before"), ("b", "2 before|18 before"), ("c", "before")];
const NEW: [(&str, &str); 3] = [("a", "after, after"), ("b", "2 after|18 after"), ("c", "after")];

fn texts(lines: [(&'static str, &str); 3]) -> BTreeMap<&'static str, String> {
    lines.map(|(name, text)| (name, text.to_owned())).into()
}

hs_test!(what_is_answered_is_written, |tree, _| {
    if is_left_out() {
        return;
    }
    let b = |text| [OLD[0], ("b", text), OLD[2]];
    let cases: &[(&str, [(&str, &str); 3])] = &[
        ("y", NEW),
        ("Yes", NEW),
        ("n", OLD),
        ("f y y n", [NEW[0], NEW[1], OLD[2]]),
        ("f n a", [OLD[0], NEW[1], NEW[2]]),
        ("f y q", [NEW[0], OLD[1], OLD[2]]),
        ("h n y n n", b("2 after|18 before")),
        ("h n n y n", b("2 before|18 after")),
        ("h n y a", [OLD[0], NEW[1], NEW[2]]),
        ("h n y q", b("2 after|18 before")),
        ("h a", NEW),
        ("h q", OLD),
        // What is no answer repeats the question.
        ("x y", NEW),
        ("f z y q", [NEW[0], OLD[1], OLD[2]]),
        // Nothing is written if the input ends.
        (END_OF_INPUT, OLD),
        ("f y \x04", OLD),
        ("h y y \x04", OLD),
    ];
    for (answers, expected) in cases {
        fill(tree);
        let mut dialogue = Dialogue::start(tree, &["--color=never"]);
        for answer in answers.split(' ') {
            dialogue.question();
            assert_eq!(lines(tree), texts(OLD), "{answers}: nothing is written yet");
            let end = if answer == END_OF_INPUT { "" } else { "\n" };
            dialogue.answer(&format!("{answer}{end}"));
        }
        let (status, rest) = dialogue.end();
        assert_eq!(lines(tree), texts(*expected), "{answers}");
        assert_eq!(status.code(), Some(i32::from(*expected == OLD)), "{answers}: {rest}");
        assert_eq!(rest.contains("hs: replaced "), *expected != OLD, "{answers}: {rest}");
    }
});

hs_test!(each_part_is_shown_before_its_question, |tree, _| {
    if is_left_out() {
        return;
    }
    fill(tree);
    let mut dialogue = Dialogue::start(tree, &["--color=never"]);
    let whole = dialogue.question();
    let question = "write 5 replacements in 3 files? [y]es, by [f]ile, by [h]unk, [n]o: ";
    let patch = whole.strip_suffix(question).expect("the question").to_owned();
    dialogue.answer("h\n");
    let mut parts = String::new();
    for edits in ["2 replacements", "1 replacement", "1 replacement", "1 replacement"] {
        let part = dialogue.question();
        let question = format!(
            "write {edits} in this hunk? [y]es, [n]o, [a]ll that remain, [q]: none that remain: "
        );
        let part = part.strip_suffix(&*question).unwrap_or_else(|| panic!("{part}"));
        // The terminal shows the answer before.
        parts += part.split_once('\n').expect("the last answer").1;
        dialogue.answer("y\n");
    }
    assert_eq!(parts, patch);
    let (status, _) = dialogue.end();
    assert_eq!((status.code(), lines(tree)), (Some(0), texts(NEW)));
    let paths = patch.lines().filter(|line| line.starts_with("+++ ")).collect::<Vec<_>>();
    assert_eq!(paths, ["+++ b/a", "+++ b/b", "+++ b/c"]);
    assert!(patch.contains("@@ -1,5 +1,5 @@\n 1\n-2 before\n+2 after\n 3\n"), "{patch}");
});

/// Whether the tests were started by what ignores SIGINT, such as a shell in the background, which
/// `hs` would inherit.
fn ignores_interrupts() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    let is_ignored = ignored.is_some_and(|bits| bits >> (Signal::INT.as_raw() - 1) & 1 == 1);
    if is_ignored {
        skip("SIGINT is ignored");
    }
    is_ignored
}

hs_test!(ctrl_c_writes_nothing, |tree, _| {
    if is_left_out() || ignores_interrupts() {
        return;
    }
    fill(tree);
    for answers in [&[][..], &["f\n", "y\n"], &["h\n"]] {
        let mut dialogue = Dialogue::start(tree, &[]);
        for answer in answers {
            dialogue.question();
            dialogue.answer(answer);
        }
        dialogue.question();
        kill_process(Pid::from_child(&dialogue.child), Signal::INT).expect("hs is alive");
        let (status, _) = dialogue.end();
        assert_eq!(status.signal(), Some(Signal::INT.as_raw()), "{status}");
        assert_eq!(lines(tree), texts(OLD));
    }
    assert!(!tree.join("../state").exists(), "there is no journal");
});

hs_test!(questions_stand_below_the_pager, |tree, _| {
    if is_left_out() {
        return;
    }
    fill(tree);
    let long: String = (0..100).map(|line| format!("before {line}\n")).collect();
    tree.file("a", &long);
    let mut dialogue = Dialogue::start(tree, &["--color=never", "--pager"]);
    let shown = dialogue.question();
    assert!(shown.ends_with(" in 3 files? [y]es, by [f]ile, by [h]unk, [n]o: "), "{shown}");
    let paged = fs::read_to_string(tree.join("../paged")).expect("the pager ran");
    assert!(paged.starts_with("diff --git a/a b/a\n") && paged.contains("+++ b/c"), "{paged}");
    dialogue.answer("f\n");
    let shown = dialogue.question();
    assert!(shown.contains("\n+after 99\n"), "{shown}");
    dialogue.answer("y\n");
    dialogue.question();
    dialogue.answer("q\n");
    assert_eq!(dialogue.end().0.code(), Some(0));
    assert_eq!(
        fs::read_to_string(tree.join("a")).expect("a file"),
        long.replace("before", "after")
    );
});

hs_test!(a_file_that_changes_meanwhile_stays, |tree, _| {
    if is_left_out() {
        return;
    }
    fill(tree);
    let mut dialogue = Dialogue::start(tree, &[]);
    dialogue.question();
    tree.file("a", "before: another text\n");
    dialogue.answer("f\n");
    dialogue.question();
    tree.file("b", "before: another text too\n");
    dialogue.answer("a\n");
    let (status, rest) = dialogue.end();
    assert_eq!(status.code(), Some(2), "{rest}");
    assert!(rest.contains("b: not written: it has changed since it was read"), "{rest}");
    let lines = lines(tree);
    let [a, b, c] = ["a", "b", "c"].map(|name| lines[name].as_str());
    assert_eq!([a, b, c], ["before: another text", "before: another text too", "after"]);
});
