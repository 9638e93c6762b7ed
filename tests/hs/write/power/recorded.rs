//! The record of strace: system calls with their arguments and what they returned.

use std::{collections::BTreeMap, path::PathBuf};

/// A system call that succeeded.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) args: Vec<String>,
    /// What the call returned, such as a descriptor or a number of bytes.
    pub(super) result: u64,
}

impl Call {
    /// The descriptor that the argument is.
    pub(super) fn fd(&self, index: usize) -> Option<u64> {
        self.args.get(index)?.parse().ok()
    }

    /// The bytes of an argument that is text: `"\x2f\x74"`.
    pub(super) fn bytes(&self, index: usize) -> Option<Vec<u8>> {
        let text = self.args.get(index)?.strip_prefix('"')?.strip_suffix('"')?;
        let digits = text.split("\\x").filter(|digits| !digits.is_empty());
        digits.map(|digits| u8::from_str_radix(digits, 16).ok()).collect()
    }

    /// The path that an argument is.
    pub(super) fn path(&self, index: usize) -> Option<PathBuf> {
        Some(PathBuf::from(String::from_utf8(self.bytes(index)?).ok()?))
    }

    /// The number behind `name` in the arguments.
    pub(super) fn field(&self, name: &str) -> Option<u64> {
        let all = self.args.join(",");
        let (_, behind) = all.split_once(name)?;
        let digits: String = behind.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    }
}

/// The calls of a record in the order in which they ended, or for `close` began, without those that
/// failed.
pub(super) fn calls(record: &str) -> Vec<Call> {
    let mut begun = BTreeMap::new();
    let mut calls = Vec::new();
    for line in record.lines() {
        let Some((thread, line)) = line.split_once(' ') else { continue };
        let line = line.trim_start();
        if let Some(start) = line.strip_suffix("<unfinished ...>") {
            // Another thread can get the descriptor as soon as it is closed.
            if start.starts_with("close(") {
                calls.extend(call(&format!("{}) = 0", start.trim_end())));
            } else {
                begun.insert(thread, start.to_owned());
            }
            continue;
        }
        let whole = match line.split_once(" resumed>") {
            Some((_, end)) => match begun.remove(thread) {
                Some(start) => start + end,
                None => continue,
            },
            None => line.to_owned(),
        };
        calls.extend(call(&whole));
    }
    calls
}

/// The call of a line: `write(3, "\x61", 1) = 1`.
fn call(line: &str) -> Option<Call> {
    let (name, rest) = line.split_once('(')?;
    let (args, result) = rest.rsplit_once(" = ")?;
    let args = args.trim_end().strip_suffix(')')?;
    let result = result.split(' ').next()?.parse().ok()?;
    let (mut all, mut depth, mut is_quoted) = (vec![String::new()], 0, false);
    for char in args.chars() {
        match char {
            '"' => is_quoted = !is_quoted,
            '{' | '[' if !is_quoted => depth += 1,
            '}' | ']' if !is_quoted => depth -= 1,
            ',' if !is_quoted && depth == 0 => {
                all.push(String::new());
                continue;
            }
            ' ' if !is_quoted && all.last().is_some_and(String::is_empty) => continue,
            _ => {}
        }
        all.last_mut().expect("an argument").push(char);
    }
    let args = all.iter().map(|arg| arg.trim_end().to_owned()).collect();
    Some(Call { name: name.to_owned(), args, result })
}
