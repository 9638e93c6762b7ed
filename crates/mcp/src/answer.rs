//! What each tool returns: text for a model, as short as `hs --compact`, and the same in values for
//! programs. Some clients pass the one to a model and some the other, so that both are short.

use std::{borrow::Cow, ffi::OsString, fmt::Write as _, path::Path};

use serde_json::{Map, Value, json};

use crate::{
    file_list::{FileList, totals},
    hs::Output,
    listing::{FoundLines, Listing, RenderedResult},
    messages::{Data, FileLines, Message, ShownCounts, Skipped, Stated, Totals},
    params::Page,
    places::{AllowedDirs, AnswerPath},
    reports,
    skipped::{self, SkippedAnswer},
};

/// How many bytes of a line are returned, unless whole lines are requested. A line may have very
/// many matches.
const MAX_LINE: usize = 1200;

/// How many bytes an explanation may have as text.
const MAX_WHY: usize = 64 << 10;

/// What a tool returns, as text and as values.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) values: Value,
}

/// What an answer takes from the tool's call.
#[derive(Debug)]
pub(crate) struct ToolCall<'a> {
    pub(crate) places: &'a AllowedDirs,
    pub(crate) page: Page,
    /// The paths that were searched; all if there is none.
    pub(crate) paths: Vec<OsString>,
    /// What is wrong with the call's paths.
    pub(crate) missing: Vec<String>,
    /// Why no file was searched, if none was.
    pub(crate) if_none: String,
}

/// How much is in the answer, and how much was found.
#[derive(Debug, Default, PartialEq, Eq)]
struct AnswerExtent {
    shown: Totals,
    found: Totals,
    exact: bool,
    limit: Option<String>,
    /// The directory with most results, and how many.
    most: Option<String>,
    next_offset: Option<u64>,
    messages: Vec<String>,
    /// What was left out, if nothing was found.
    skipped: Option<SkippedAnswer>,
}

/// What the results of a call are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ResultKind {
    Lines,
    Files,
}

/// The fields that an extent has in a schema.
fn extent_schema() -> Value {
    let totals = json!({
        "type": "object",
        "properties": { "results": { "type": "integer" }, "files": { "type": "integer" } },
        "required": ["results", "files"],
    });
    let mut found = totals.clone();
    found["description"] = "What there is, or what was found before a limit was reached".into();
    json!({
        "shown": totals,
        "found": found,
        "exact": { "type": "boolean", "description": "Whether found is all there is" },
        "limit": { "type": "string", "description": "The limit that left something out" },
        "most": { "type": "string", "description": "The directory with most results" },
        "next_offset": { "type": "integer", "description": "The offset of the next page" },
        "messages": {
            "type": "array",
            "items": { "type": "string" },
            "description": "Errors that did not end the search, and hints",
        },
        "skipped": skipped::schema(),
    })
}

/// The schema for an answer with `fields` and an extent.
fn schema(fields: Value, required: &[&str]) -> Map<String, Value> {
    let (Value::Object(mut properties), Value::Object(extent)) = (fields, extent_schema()) else {
        unreachable!("both are objects");
    };
    properties.extend(extent);
    let required = required.iter().chain(&["shown", "found", "exact"]).collect::<Vec<_>>();
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    let Value::Object(schema) = schema else { unreachable!("an object") };
    schema
}

/// The schema for files that have a list of `entries` under `key`.
fn files_schema(key: &str, entries: &Value, about: &str) -> Map<String, Value> {
    let fields = json!({
        "files": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "path": { "type": "string" },
                    key: { "type": "array", "items": entries, "description": about },
                },
                "required": ["path", key],
            },
        },
    });
    schema(fields, &["files"])
}

/// The schemas for what `search`, `files` and `why` return.
pub(crate) fn schemas() -> [Map<String, Value>; 3] {
    let text = json!({ "type": "string" });
    let lines = "number:text of a line that matches, number-text of one around it, number=text of \
                 one that begins a function; … stands for what is left out";
    let counted = json!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": { "path": text, "lines": { "type": "integer" } },
            "required": ["path", "lines"],
        },
    });
    let fields = json!({ "paths": { "type": "array", "items": text }, "counts": counted });
    let files = schema(fields, &[]);
    let explained = json!({
        "type": "object",
        "properties": {
            "paths": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "path": text, "searched": { "type": "boolean" }, "reason": text,
                    },
                    "required": ["path", "searched", "reason"],
                },
            },
            "messages": { "type": "array", "items": text },
        },
        "required": ["paths"],
    });
    let Value::Object(why) = explained else { unreachable!("an object") };
    [files_schema("lines", &text, lines), files, why]
}

impl AnswerExtent {
    /// The extent that `hs` has reported; `cut` is what is in the answer if the rest does not fit.
    /// `page` is the one that was requested.
    fn new(
        shown: &ShownCounts,
        page: Page,
        cut: Option<Totals>,
        messages: Vec<String>,
    ) -> AnswerExtent {
        let of_hs = shown.limit.as_deref().map(|flag| match flag {
            // A call can change how many bytes an answer has.
            "max-output" => "max_bytes".to_owned(),
            flag => flag.replace('-', "_"),
        });
        let limit = if cut.is_some() { Some("max_bytes".to_owned()) } else { of_hs };
        let totals = cut.unwrap_or(shown.shown);
        let next_offset = page.next(limit.is_some(), totals.results);
        let (found, exact) = (shown.found, shown.exact);
        let most = shown.most.as_ref().filter(|_| limit.is_some());
        let most = most.map(|most| format!("{}/ {}", most.path.text(), most.results));
        AnswerExtent {
            shown: totals,
            found,
            exact,
            limit,
            most,
            next_offset,
            messages,
            skipped: None,
        }
    }

    /// Appends a line that states the extent, and the messages.
    fn append(&self, results: ResultKind, text: &mut String) {
        let AnswerExtent { shown, found, exact, limit, most, next_offset, messages, skipped } =
            self;
        let least = if *exact { "" } else { "at least " };
        let of = |shown: u64, found: u64| format!("{shown} of {least}{found}");
        if results == ResultKind::Lines {
            let _ = write!(text, "{} lines in ", of(shown.results, found.results));
        }
        let _ = write!(text, "{} files", of(shown.files, found.files));
        if let Some(limit) = limit {
            let _ = write!(text, " ({limit})");
        }
        if let Some(most) = most {
            let _ = write!(text, "; most: {most}");
        }
        if let Some(offset) = next_offset {
            let _ = write!(text, "; next: offset={offset}");
        }
        for message in messages {
            let _ = write!(text, "\n! {message}");
        }
        if let Some(skipped) = skipped {
            let _ = write!(text, "\n{}", skipped.text);
        }
    }

    /// The answer with these results and this extent.
    fn answer(self, results: ResultKind, mut text: String, key: &str, values: &Value) -> Answer {
        self.append(results, &mut text);
        let AnswerExtent { shown, found, exact, limit, most, next_offset, messages, skipped } =
            self;
        let mut values = json!({ key: values, "shown": shown, "found": found, "exact": exact });
        // What is not there is left out, as `null` is another type.
        if let Some(limit) = limit {
            values["limit"] = limit.into();
        }
        if let Some(most) = most {
            values["most"] = most.into();
        }
        if let Some(offset) = next_offset {
            values["next_offset"] = offset.into();
        }
        if !messages.is_empty() {
            values["messages"] = messages.into();
        }
        if let Some(skipped) = skipped {
            values["skipped"] = skipped.values;
        }
        Answer { text, values }
    }
}

/// The account among `messages`, if there is one.
fn account(messages: &[Message]) -> Option<&Skipped> {
    messages.iter().find_map(|message| match message {
        Message::Skipped(skipped) => Some(&**skipped),
        _ => None,
    })
}

/// The messages that a run with `--json` printed, taken apart.
struct Parsed {
    messages: Vec<Message>,
    shown: ShownCounts,
    /// What was reported about this run, within the budget.
    reports: Vec<String>,
}

impl Parsed {
    /// Takes a search's output apart.
    ///
    /// # Errors
    /// The search has failed.
    fn new(output: Output, run: &ToolCall<'_>) -> Result<Parsed, String> {
        let Stated { messages, shown, reports } = Stated::new(output)?;
        let searches = messages.iter().find_map(|message| match message {
            Message::Summary(summary) => summary.stats.as_ref().map(|stats| stats.searches),
            _ => None,
        });
        let has_searched_none = searches == Some(0) && shown.exact && shown.found.results == 0;
        let reports = run.reports(reports, has_searched_none);
        Ok(Parsed { messages, shown, reports })
    }
}

impl ToolCall<'_> {
    /// What is reported about the run, within the budget.
    pub(crate) fn reports(&self, mut reports: Vec<String>, has_searched_none: bool) -> Vec<String> {
        reports.splice(0..0, self.missing.iter().cloned());
        if has_searched_none {
            // What `hs` advises is for a command line.
            let is_said = |report: &String| {
                let starts = ["No files were searched", "no file was searched"];
                starts.iter().any(|start| report.starts_with(start))
            };
            reports.retain(|report| !is_said(report));
            reports.push(self.if_none.clone());
        }
        reports::bounded(&reports, self.page.bytes)
    }

    /// A list for results. It may take the bytes that messages leave.
    fn listing(&self, key: &'static str, reports: &[String]) -> Listing {
        let taken: usize = reports.iter().map(|report| report.len() + 3).sum();
        Listing::new(self.page.bytes.saturating_sub(taken), key)
    }

    /// The path that lines are from.
    fn name(&self, path: &Data) -> AnswerPath {
        self.places.name(self.places.first(), &path.bytes())
    }
}

/// What `search` answers.
///
/// # Errors
/// The search has failed.
pub(crate) fn search(
    output: Output,
    run: &ToolCall<'_>,
    whole_lines: bool,
) -> Result<Answer, String> {
    let Parsed { messages, shown, reports } = Parsed::new(output, run)?;
    let skipped =
        account(&messages).map(|skipped| SkippedAnswer::new(skipped, run.places, run.page.bytes));
    let mut listing = run.listing("lines", &reports);
    for message in messages {
        let has_room = match message {
            Message::Match(found) => {
                let lines = FoundLines(lines(&found, ':', whole_lines));
                listing.add(&run.name(&found.path), &lines)
            }
            Message::Context(found) => {
                let mark = if found.function { '=' } else { '-' };
                let lines = RenderedResult::of_lines(lines(&found, mark, whole_lines));
                listing.surround(&run.name(&found.path), lines)
            }
            _ => continue,
        };
        if !has_room {
            break;
        }
    }
    let (text, files, cut) = listing.finish();
    let mut extent = AnswerExtent::new(&shown, run.page, cut, reports);
    extent.skipped = skipped;
    Ok(extent.answer(ResultKind::Lines, text, "files", &files))
}

/// The lines in a message, each with its number.
fn lines(found: &FileLines, mark: char, whole_lines: bool) -> Vec<String> {
    let text = found.lines.text();
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let numbered = (found.line_number..).zip(text.split('\n'));
    let line = |(number, line): (u64, &str)| {
        let line = line.trim_end_matches('\r');
        let line = if whole_lines { Cow::from(line) } else { reports::cut(line, MAX_LINE) };
        format!("{number}{mark}{line}")
    };
    numbered.map(line).collect()
}

/// What `files` answers. If there are none, the list has an account of what was left out.
pub(crate) fn files(list: FileList, run: &ToolCall<'_>, has_counts: bool) -> Answer {
    let FileList { files, shown, reports, skipped } = list;
    let selects_none = skipped.as_ref().is_some_and(|skipped| skipped.searched == 0);
    let reports = run.reports(reports, selects_none);
    let (mut text, mut values) = (String::new(), Vec::new());
    let (mut passed, mut does_fit) = (0, true);
    for file in &files {
        if file.path.len() >= run.page.bytes {
            // No page has room for it, and the next one is not to begin with it.
            passed += 1;
            continue;
        }
        let name = run.places.name(run.places.first(), &file.path);
        let line = match file.lines {
            Some(lines) => format!("{}:{lines}\n", name.text()),
            None => format!("{}\n", name.text()),
        };
        // A page shows a path at least. Its name here may be longer.
        does_fit = values.is_empty() || text.len() + line.len() <= run.page.bytes;
        if !does_fit {
            break;
        }
        text.push_str(&line);
        values.push(match file.lines {
            Some(lines) => json!({ "path": name.value(), "lines": lines }),
            None => name.value().into(),
        });
    }
    let is_cut = !does_fit || passed > 0;
    let cut = is_cut.then(|| totals(values.len() as u64));
    let has_more = !does_fit || shown.limit.is_some();
    let mut extent = AnswerExtent::new(&shown, run.page, cut, reports);
    extent.skipped =
        skipped.as_deref().map(|skipped| SkippedAnswer::new(skipped, run.places, run.page.bytes));
    extent.next_offset = extent.next_offset.filter(|_| has_more).map(|offset| offset + passed);
    let key = if has_counts { "counts" } else { "paths" };
    extent.answer(ResultKind::Files, text, key, &values.into())
}

/// What `why` answers, from a run in each directory.
///
/// # Errors
/// No path could be explained.
pub(crate) fn why(places: &AllowedDirs, outputs: Vec<(&Path, Output)>) -> Result<Answer, String> {
    let (mut text, mut paths) = (String::new(), Vec::new());
    let (mut messages, mut more) = (Vec::new(), 0);
    for (dir, output) in outputs {
        messages.extend(output.messages);
        for message in crate::messages::parse(&output.stdout)? {
            let Message::Why(why) = message else { continue };
            let name = places.name(dir, &why.path.bytes());
            let reason = why.reason.text();
            let reason =
                crate::arguments::in_one_line(&reports::in_parameters(&reason)).into_owned();
            let line = format!("{}: {reason}", name.text());
            if text.len() + line.len() > MAX_WHY {
                more += 1;
                continue;
            }
            text.push_str(&line);
            text.push('\n');
            let path = name.value();
            paths.push(json!({ "path": path, "searched": why.searched, "reason": reason }));
        }
    }
    if paths.is_empty() {
        return Err(reports::error(&messages));
    }
    let mut messages = reports::bounded(&messages, MAX_WHY);
    if more > 0 {
        messages.push(format!("{more} more paths are left out: the answer would be too long"));
    }
    messages.iter().for_each(|message| text += &format!("! {message}\n"));
    text.truncate(text.trim_end_matches('\n').len());
    let mut values = json!({ "paths": paths });
    if !messages.is_empty() {
        values["messages"] = messages.into();
    }
    Ok(Answer { text, values })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{arguments::Arguments, params::FILES};

    /// What `files` answers to these arguments if `hs` has printed this.
    fn answered(
        arguments: Value,
        list: impl Fn(Output, u64) -> FileList,
        output: Output,
    ) -> Answer {
        let Value::Object(values) = arguments else { unreachable!() };
        let arguments = Arguments::read("files", FILES.params(), values).expect("parameters");
        let places = AllowedDirs::new(&[".".into()]).expect("a directory");
        let page = Page::of(&arguments);
        let (paths, missing) = (Vec::new(), Vec::new());
        let run = ToolCall { places: &places, page, paths, missing, if_none: String::new() };
        files(list(output, page.offset), &run, false)
    }

    /// The text for an empty page of files, and whether the number of files in it is exact.
    fn empty_page(offset: u64, stated: &str) -> (String, bool) {
        let output =
            Output { stdout: Vec::new(), messages: vec![stated.to_owned()], has_failed: false };
        let list = |output, offset| FileList::of_paths(output, false, offset).expect("a list");
        let Answer { text, values } = answered(json!({ "offset": offset }), list, output);
        assert_eq!(values["found"]["files"], values["found"]["results"]);
        (text, values["exact"] == true)
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

    #[test]
    fn a_path_that_no_page_has_room_for_is_passed_over() {
        let page = |paths: &[&str], limit: Option<&str>| {
            let file =
                |path: &&str| json!({ "type": "file", "data": { "path": { "text": path } } });
            let mut messages: Vec<Value> = paths.iter().map(file).collect();
            let (shown, found) = (paths.len(), paths.len() + usize::from(limit.is_some()));
            let totals = |files: usize| json!({ "results": files, "files": files });
            messages.push(json!({ "type": "shown", "data": {
                "shown": totals(shown), "found": totals(found), "exact": limit.is_none(),
                "offset": 0, "limit": limit,
            } }));
            let lines: String = messages.iter().map(|message| format!("{message}\n")).collect();
            let output =
                Output { stdout: lines.into(), messages: vec![String::new()], has_failed: false };
            let list = |output, _| FileList::of_messages(output).expect("a list");
            answered(json!({ "max_bytes": 8 }), list, output).text
        };
        assert_eq!(page(&["a", "b"], None), "a\nb\n2 of 2 files");
        assert_eq!(page(&["too/long", "b"], None), "b\n1 of 2 files (max_bytes)");
        let cut = Some("max-results");
        assert_eq!(
            page(&["too/long", "b"], cut),
            "b\n1 of at least 3 files (max_bytes); next: offset=2"
        );
        assert_eq!(
            page(&["a", "too/long", "bcd", "ef"], None),
            "a\nbcd\n2 of 4 files (max_bytes); next: offset=3"
        );
        assert_eq!(page(&["too/long"], None), "0 of 1 files (max_bytes)");
    }
}
