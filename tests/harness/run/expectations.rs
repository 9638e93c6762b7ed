//! What a test expects of a run.

use super::{
    Checked, Run,
    text::{diff, messages, sorted_lines},
};
use crate::harness::process::Outcome;

impl Run<'_> {
    /// Stdout equals `expected`.
    #[track_caller]
    pub(crate) fn prints(mut self, expected: impl AsRef<[u8]>) -> Self {
        self.checked.stdout = true;
        let expected = &*self.portable(expected.as_ref());
        self.check(|outcome| {
            let differs = outcome.stdout != expected;
            differs.then(|| format!("stdout differs:\n{}", diff(expected, &outcome.stdout)))
        });
        self
    }

    /// Stdout has exactly these lines, in any order.
    #[track_caller]
    pub(crate) fn prints_in_any_order(mut self, expected: impl AsRef<[u8]>) -> Self {
        self.checked.stdout = true;
        let expected = sorted_lines(&self.portable(expected.as_ref()));
        self.check(|outcome| {
            let (expected, actual) = (expected.concat(), sorted_lines(&outcome.stdout).concat());
            let differs = actual != expected;
            differs.then(|| format!("stdout differs, sorted:\n{}", diff(&expected, &actual)))
        });
        self
    }

    /// Stdout satisfies `holds`; `what` describes that in words.
    #[track_caller]
    pub(crate) fn stdout_satisfies(mut self, what: &str, holds: impl Fn(&[u8]) -> bool) -> Self {
        self.checked.stdout = true;
        self.check(|outcome| {
            (!holds(&outcome.stdout)).then(|| format!("expected of stdout: {what}"))
        });
        self
    }

    /// Returns stdout, and accepts any result.
    #[track_caller]
    pub(crate) fn stdout(mut self) -> Vec<u8> {
        self.checked = Checked { status: true, stdout: true, stderr: true };
        self.check(|_| None);
        self.outcome.get().map(|outcome| outcome.stdout.clone()).unwrap_or_default()
    }

    /// The outcome satisfies `holds`; `what` describes that in words.
    #[track_caller]
    pub(crate) fn satisfies(mut self, what: &str, holds: impl Fn(&Outcome) -> bool) -> Self {
        self.checked = Checked { status: true, stdout: true, stderr: true };
        self.check(|outcome| (!holds(outcome)).then(|| format!("expected of the outcome: {what}")));
        self
    }

    /// Returns the outcome, and accepts any; `None` if the run is skipped.
    #[track_caller]
    pub(crate) fn outcome(mut self) -> Option<Outcome> {
        self.checked = Checked { status: true, stdout: true, stderr: true };
        self.check(|_| None);
        self.outcome.get().cloned()
    }

    /// Nothing is found: stdout is empty, the status 1.
    #[track_caller]
    pub(crate) fn finds_nothing(self) -> Self {
        self.prints("").exits(1)
    }

    /// The exit status is `code`.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        self.exits_with_one_of(&[code])
    }

    /// The exit status is one of `codes`, if a race decides which.
    #[track_caller]
    pub(crate) fn exits_with_one_of(mut self, codes: &[i32]) -> Self {
        self.checked.status = true;
        self.check(|outcome| {
            let met = outcome.status.code().is_some_and(|code| codes.contains(&code));
            (!met).then(|| format!("expected exit status: one of {codes:?}"))
        });
        self
    }

    /// Stderr contains `text`, where the program's name is removed from messages.
    #[track_caller]
    pub(crate) fn stderr_contains(mut self, text: &str) -> Self {
        self.checked.stderr = true;
        self.check(|outcome| {
            let part = self.portable(text.as_bytes());
            let met = messages(&outcome.stderr).contains(&*String::from_utf8_lossy(&part));
            (!met).then(|| format!("expected on stderr:\n{text}"))
        });
        self
    }

    /// Stderr, without the program's name, satisfies `holds`; `what` describes that in words.
    #[track_caller]
    pub(crate) fn stderr_satisfies(mut self, what: &str, holds: impl Fn(&str) -> bool) -> Self {
        self.checked.stderr = true;
        self.check(|outcome| {
            (!holds(&messages(&outcome.stderr))).then(|| format!("expected of stderr: {what}"))
        });
        self
    }

    /// Every line of stderr, without the program's name, satisfies `holds`; `what` describes them.
    #[track_caller]
    pub(crate) fn stderr_lines_are(mut self, what: &str, holds: impl Fn(&str) -> bool) -> Self {
        self.checked.stderr = true;
        self.check(|outcome| {
            let stray = messages(&outcome.stderr).lines().any(|line| !holds(line));
            stray.then(|| format!("expected on stderr only {what}"))
        });
        self
    }

    /// The command line is rejected: status 2, empty stdout, and a message that contains `text`.
    #[track_caller]
    pub(crate) fn refuses(self, text: &str) -> Self {
        self.prints("").stderr_contains(text).exits(2)
    }
}
