//! What each tool returns: text for a model, as short as `hs --compact`, and the same in values for
//! programs. The comments on fields are the descriptions in the tools' schemas.

use std::fmt::Write as _;

use rmcp::schemars::JsonSchema;
use serde::Serialize;

use crate::{
    hs::Output,
    messages::{Data, Lines, Message, Shown, Submatch, Totals},
    params::Page,
};

/// What a tool returns, as text and as values.
pub(crate) struct Answer<T> {
    pub(crate) text: String,
    pub(crate) values: T,
}

/// How much of what was found is in the answer.
#[derive(Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
pub(crate) struct Extent {
    /// What is in this answer.
    shown: Totals,
    /// What there is, or at least what was found before a limit was reached.
    found: Totals,
    /// Whether `found` is all there is.
    exact: bool,
    /// The limit that left something out.
    limit: Option<String>,
    /// The `offset` of the next page, if a limit left something out. Null if this page shows
    /// nothing, as the next one would be the same, and if results are spread over the files, as
    /// their order then depends on the limits.
    next_offset: Option<u64>,
    /// Errors that did not end the search.
    messages: Vec<String>,
}

/// What results are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Results {
    Lines,
    Files,
}

impl Extent {
    /// The extent that `hs` has reported; `cut` is what is in the answer if the rest does not fit.
    /// `page` is the one that was requested.
    fn new(shown: Shown, page: Page, cut: Option<Totals>, messages: Vec<String>) -> Extent {
        let of_hs = shown.limit.map(|flag| flag.replace('-', "_"));
        let limit = if cut.is_some() { Some("max_bytes".to_owned()) } else { of_hs };
        let totals = cut.unwrap_or(shown.shown);
        let next_offset = page.next(limit.is_some(), totals.results);
        Extent {
            shown: totals,
            found: shown.found,
            exact: shown.exact,
            limit,
            next_offset,
            messages,
        }
    }

    /// Appends a line that states the extent, and the messages.
    fn append(&self, results: Results, text: &mut String) {
        let Extent { shown, found, exact, limit, next_offset, messages } = self;
        let least = if *exact { "" } else { "at least " };
        let of = |shown: u64, found: u64| format!("{shown} of {least}{found}");
        if results == Results::Lines {
            let _ = write!(text, "{} lines in ", of(shown.results, found.results));
        }
        let _ = write!(text, "{} files", of(shown.files, found.files));
        if let Some(limit) = limit {
            let _ = write!(text, " ({limit})");
        }
        if let Some(offset) = next_offset {
            let _ = write!(text, "; next: offset={offset}");
        }
        for message in messages {
            let _ = write!(text, "\n! {message}");
        }
    }
}

/// Lines that match.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
pub(crate) struct SearchAnswer {
    /// Lines in order.
    lines: Vec<FoundLine>,
    #[serde(flatten)]
    extent: Extent,
}

/// A line that matches, or lines that a match spans, or a line around them.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct FoundLine {
    path: String,
    /// Counted from 1.
    line: u64,
    /// The column of the first match in bytes, counted from 1; null for a line of context.
    column: Option<usize>,
    /// The text, without its line terminator. `…` stands for parts that are left out.
    text: String,
}

/// Paths.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
pub(crate) struct FilesAnswer {
    /// Paths in order.
    paths: Vec<String>,
    #[serde(flatten)]
    extent: Extent,
}

/// Explanations.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
pub(crate) struct WhyAnswer {
    paths: Vec<Explained>,
    /// Errors, such as paths that do not exist.
    messages: Vec<String>,
}

/// The explanation of a path.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Explained {
    path: String,
    /// Whether a search of the whole directory searches it.
    searched: bool,
    /// The rule or flag that leaves it out, or what was found in it.
    reason: String,
}

/// Replacements, which have not been made.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
pub(crate) struct PreviewAnswer {
    changes: Vec<Change>,
    #[serde(flatten)]
    extent: Extent,
}

/// A line that a replacement would change.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Change {
    path: String,
    /// Counted from 1.
    line: u64,
    before: String,
    after: String,
}

/// Results below their paths, up to a number of bytes.
struct Listing {
    text: String,
    most: usize,
    path: Option<String>,
    kept: Totals,
    is_full: bool,
}

impl Listing {
    fn new(most: usize) -> Listing {
        Listing { text: String::new(), most, path: None, kept: Totals::default(), is_full: false }
    }

    /// Adds text about a path. Returns whether it fits.
    fn add(&mut self, path: &str, text: &str, is_result: bool) -> bool {
        let is_new = self.path.as_deref() != Some(path);
        let heading = if is_new { path.len() + 1 } else { 0 };
        self.is_full |= self.text.len() + heading + text.len() > self.most;
        if self.is_full {
            return false;
        }
        if is_new {
            self.text.push_str(path);
            self.text.push('\n');
            self.path = Some(path.to_owned());
        }
        self.text.push_str(text);
        self.kept.results += u64::from(is_result);
        self.kept.files += u64::from(is_new);
        true
    }

    fn cut(&self) -> Option<Totals> {
        self.is_full.then_some(self.kept)
    }
}

/// The messages of a run, with what `hs` has shown. Its last line on standard error states that,
/// too.
///
/// # Errors
/// The search has failed.
fn shown(output: Output) -> Result<(Vec<Message>, Shown, Vec<String>), String> {
    let mut messages = crate::messages::parse(&output.stdout)?;
    let at = messages.iter().position(|message| matches!(message, Message::Shown(_)));
    match at.map(|at| messages.swap_remove(at)) {
        Some(Message::Shown(shown)) => {
            let mut reports = output.messages;
            reports.pop();
            Ok((messages, shown, reports))
        }
        _ => Err(output.messages.join("\n")),
    }
}

/// The answer of `search`.
///
/// # Errors
/// The search has failed.
pub(crate) fn search(output: Output, page: Page) -> Result<Answer<SearchAnswer>, String> {
    let (messages, shown, reports) = shown(output)?;
    let (mut listing, mut lines) = (Listing::new(page.bytes), Vec::new());
    for message in messages {
        let (found, mark) = match message {
            Message::Match(found) => (found, ':'),
            Message::Context(found) => (found, '-'),
            _ => continue,
        };
        let is_match = mark == ':';
        let (path, text) = (path(&found), found.lines.text());
        let text = text.trim_end_matches(['\n', '\r']).to_owned();
        let number = found.line_number;
        if !listing.add(&path, &format!("{number}{mark}{text}\n"), is_match) {
            break;
        }
        let first = found.submatches.first().filter(|_| is_match);
        let column = first.map(|submatch| submatch.start + 1);
        lines.push(FoundLine { path, line: number, column, text });
    }
    let extent = Extent::new(shown, page, listing.cut(), reports);
    extent.append(Results::Lines, &mut listing.text);
    Ok(Answer { text: listing.text, values: SearchAnswer { lines, extent } })
}

/// The answer of `replace_preview`.
///
/// # Errors
/// The search has failed.
pub(crate) fn preview(output: Output, page: Page) -> Result<Answer<PreviewAnswer>, String> {
    let (messages, shown, reports) = shown(output)?;
    let (mut listing, mut changes) = (Listing::new(page.bytes), Vec::new());
    for message in messages {
        let Message::Match(found) = message else { continue };
        let (path, line) = (path(&found), found.line_number);
        let (before, after) = replaced(&found.lines, &found.submatches);
        let text = format!("{line}-{before}\n{line}+{after}\n");
        if !listing.add(&path, &text, true) {
            break;
        }
        changes.push(Change { path, line, before, after });
    }
    let extent = Extent::new(shown, page, listing.cut(), reports);
    extent.append(Results::Lines, &mut listing.text);
    Ok(Answer { text: listing.text, values: PreviewAnswer { changes, extent } })
}

/// Lines before and after their matches are replaced, without the last line terminator.
fn replaced(lines: &Data, matches: &[Submatch]) -> (String, String) {
    let before = lines.bytes();
    let (mut after, mut at) = (Vec::new(), 0);
    for Submatch { start, end, replacement } in matches {
        after.extend_from_slice(before.get(at..*start).unwrap_or_default());
        after.extend(replacement.iter().flat_map(Data::bytes));
        at = *end;
    }
    after.extend_from_slice(before.get(at..).unwrap_or_default());
    let text =
        |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end_matches(['\n', '\r']).to_owned();
    (text(&before), text(&after))
}

/// The path of lines, relative to the directory.
fn path(found: &Lines) -> String {
    relative(&found.path.text())
}

/// A path that `hs` has printed, without the `./` of the directory. It has slashes on Windows too,
/// which need no escapes in JSON, and which each tool accepts.
fn relative(path: &str) -> String {
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
    path.strip_prefix("./").unwrap_or(&path).to_owned()
}

/// The answer of `files`, of which one more than `most` have been listed if there are more.
///
/// # Errors
/// The list could not be made.
pub(crate) fn files(output: Output, page: Page, most: u64) -> Result<Answer<FilesAnswer>, String> {
    let Output { stdout, mut messages, has_failed } = output;
    // `hs` states what was shown last, as in `2 of at least 3 files (--max-output)`.
    let stated = messages.last().cloned().unwrap_or_default();
    let is_late = stated.contains("(--timeout)");
    let is_too_long = stated.contains("(--max-output)");
    if has_failed && stdout.is_empty() && !is_late {
        return Err(messages.join("\n"));
    }
    messages.pop();
    let paths = stdout.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    let mut paths: Vec<String> =
        paths.map(|path| relative(&String::from_utf8_lossy(path))).collect();
    let found = paths.len() as u64;
    paths.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    let shown = found.min(most);
    let limit = match () {
        () if found > most => Some("max_results"),
        () if is_late => Some("timeout"),
        () if is_too_long => Some("max_bytes"),
        () => None,
    };
    let totals = |files: u64| Totals { results: files, files };
    // The offset may exceed the number of files. If no file follows it, `hs` states the number.
    let total = if found > 0 { Some(page.offset + found) } else { stated_files(&stated) };
    let extent = Extent {
        shown: totals(shown),
        found: totals(total.unwrap_or(0)),
        exact: limit.is_none() && total.is_some(),
        limit: limit.map(str::to_owned),
        next_offset: page.next(limit.is_some(), shown),
        messages,
    };
    let mut text: String = paths.iter().flat_map(|path| [path.as_str(), "\n"]).collect();
    extent.append(Results::Files, &mut text);
    Ok(Answer { text, values: FilesAnswer { paths, extent } })
}

/// The number of files that there are by the last line of `hs`, as in `0 of at least 1,234 files`.
fn stated_files(line: &str) -> Option<u64> {
    let (_, all) = line.split_once(" of ")?;
    let (number, _) = all.strip_prefix("at least ").unwrap_or(all).split_once(" files")?;
    number.replace(',', "").parse().ok()
}

/// The answer of `why`.
///
/// # Errors
/// No path could be explained.
pub(crate) fn why(output: Output) -> Result<Answer<WhyAnswer>, String> {
    let mut paths = Vec::new();
    for message in crate::messages::parse(&output.stdout)? {
        if let Message::Why(why) = message {
            let (path, reason) = (relative(&why.path.text()), why.reason.text());
            paths.push(Explained { path, searched: why.searched, reason });
        }
    }
    let messages = output.messages;
    if paths.is_empty() {
        return Err(messages.join("\n"));
    }
    let explained = paths.iter().map(|Explained { path, reason, .. }| format!("{path}: {reason}"));
    let failed = messages.iter().map(|message| format!("! {message}"));
    let text = explained.chain(failed).collect::<Vec<_>>().join("\n");
    Ok(Answer { text, values: WhyAnswer { paths, messages } })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::params::FilesParams;

    /// The text of a page of files without any, and whether its number of files is exact.
    fn empty_page(offset: u64, stated: &str) -> (String, bool) {
        let params = serde_json::from_value(json!({ "offset": offset }));
        let FilesParams { budget, .. } = params.expect("parameters");
        let output =
            Output { stdout: Vec::new(), messages: vec![stated.to_owned()], has_failed: false };
        let answer = files(output, budget.page(), budget.max_results());
        let Answer { text, values } = answer.expect("an answer");
        assert_eq!(values.extent.found.files, values.extent.found.results);
        (text, values.extent.exact)
    }

    #[test]
    fn a_page_without_files_has_the_number_of_all_files() {
        let late = "0 of at least 2 files, after the first 2; the time is up (--timeout)";
        for (stated, text, exact) in [
            ("0 of 3 files, after the first 3", "0 of 3 files", true),
            ("0 of 12,345 files, after the first 12,345", "0 of 12345 files", true),
            ("0 of 0 files", "0 of 0 files", true),
            (late, "0 of at least 2 files (timeout)", false),
            ("what another version may say", "0 of at least 0 files", false),
        ] {
            assert_eq!(empty_page(100_000, stated), (text.to_owned(), exact), "{stated}");
        }
    }
}
