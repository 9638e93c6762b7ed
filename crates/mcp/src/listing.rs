//! Results below their paths, as text and as values. Neither exceeds a number of bytes.

use serde_json::{Value, json};

use crate::{messages::Totals, places::AnswerPath, reports::cut};

/// Marks where lines are left out, on a line of its own.
pub(crate) const CUT: &str = "…";

/// How many bytes JSON has around a file's entries, besides its path.
const FILE_SYNTAX: usize = r#"{"path":,"changes":[]},"#.len();

/// A result, or what is around one, as lines of text and as values.
#[derive(Clone, Debug, Default)]
pub(crate) struct RenderedResult {
    /// Each line with a line feed.
    pub(crate) text: String,
    pub(crate) values: Vec<Value>,
}

impl RenderedResult {
    /// An entry that has its lines as values.
    pub(crate) fn of_lines(lines: Vec<String>) -> RenderedResult {
        let text = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        RenderedResult { text, values: lines.into_iter().map(Value::from).collect() }
    }

    fn append(&mut self, other: RenderedResult) {
        self.text.push_str(&other.text);
        self.values.extend(other.values);
    }

    /// How many bytes the values take, with the commas between them.
    fn value_bytes(&self) -> usize {
        self.values.iter().map(|value| value.to_string().len() + 1).sum()
    }
}

/// A result that can be shortened.
pub(crate) trait Cuttable {
    fn whole(&self) -> RenderedResult;

    /// As much of the result as about `bytes` bytes hold, as text and as values; `None` if that is
    /// too little.
    fn part(&self, bytes: usize) -> Option<RenderedResult>;
}

/// Results below their paths, up to a number of bytes.
#[derive(Debug)]
pub(crate) struct Listing {
    text: String,
    files: Vec<Value>,
    /// The key under which a file has its entries.
    key: &'static str,
    value_bytes: usize,
    most: usize,
    path: Option<AnswerPath>,
    /// What surrounds results, and is shown if the next result is, or if there is none.
    pending: RenderedResult,
    pending_path: Option<AnswerPath>,
    kept: Totals,
    is_full: bool,
}

impl Listing {
    pub(crate) fn new(most: usize, key: &'static str) -> Listing {
        Listing {
            text: String::new(),
            files: Vec::new(),
            key,
            value_bytes: 0,
            most,
            path: None,
            pending: RenderedResult::default(),
            pending_path: None,
            kept: Totals::default(),
            is_full: false,
        }
    }

    /// Adds what surrounds a result. Returns whether there is room for more.
    pub(crate) fn surround(&mut self, path: &AnswerPath, entry: RenderedResult) -> bool {
        if self.pending_path.as_ref() != Some(path) {
            self.flush();
            self.pending_path = Some(path.clone());
        }
        // A function may be longer than all that can be shown.
        if self.pending.text.len() > self.most && self.kept.results > 0 {
            self.flush();
        }
        self.pending.append(entry);
        !self.is_full
    }

    /// Adds a result, with what surrounds it. Returns whether there is room for more.
    pub(crate) fn add(&mut self, path: &AnswerPath, result: &impl Cuttable) -> bool {
        if self.pending_path.as_ref().is_some_and(|pending| pending != path) {
            self.flush();
        }
        if self.is_full {
            return false;
        }
        let mut with_pending = self.pending.clone();
        with_pending.append(result.whole());
        if self.fits(path, &with_pending) {
            self.pending = RenderedResult::default();
            self.push(path, with_pending);
            self.kept.results += 1;
            return true;
        }
        if self.kept.results == 0 {
            self.add_first(path, result);
        }
        // What precedes a result that is not shown belongs to it, unless others are in its file.
        if self.pending_path == self.path {
            self.flush();
        }
        self.pending = RenderedResult::default();
        self.is_full = true;
        false
    }

    /// Adds the first result, which does not fit as it is: without a page that shows one, there
    /// would be no next page.
    fn add_first(&mut self, path: &AnswerPath, result: &impl Cuttable) {
        let has_more = !std::mem::take(&mut self.pending).values.is_empty();
        let mut entry = RenderedResult::default();
        if has_more && self.key == "lines" {
            entry = RenderedResult::of_lines(vec![CUT.to_owned()]);
        }
        let whole = result.whole();
        let text_bytes = self.heading(path) + entry.text.len();
        // What JSON adds to a short text must not keep it from being shown.
        if text_bytes + whole.text.len() <= self.most && whole.value_bytes() <= 2 * whole.text.len()
        {
            entry.append(whole);
        } else {
            let Some(part) = result.part(self.most.saturating_sub(text_bytes)) else { return };
            entry.append(part);
        }
        self.push(path, entry);
        self.kept.results += 1;
    }

    /// Adds what surrounds the last result, as far as it fits.
    fn flush(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        let Some(path) = self.pending_path.take() else { return };
        for (line, value) in pending.text.split_inclusive('\n').zip(pending.values) {
            let entry = RenderedResult { text: line.to_owned(), values: vec![value] };
            self.is_full |= !self.fits(&path, &entry);
            if self.is_full {
                return;
            }
            self.push(&path, entry);
        }
    }

    /// How many bytes the path needs as text, if it is new.
    fn heading(&self, path: &AnswerPath) -> usize {
        if self.path.as_ref() == Some(path) { 0 } else { path.text().len() + 1 }
    }

    /// How many bytes the path needs among the values, if it is new.
    fn value_heading(&self, path: &AnswerPath) -> usize {
        match self.path.as_ref() == Some(path) {
            true => 0,
            false => json!(path.value()).to_string().len() + FILE_SYNTAX,
        }
    }

    fn fits(&self, path: &AnswerPath, entry: &RenderedResult) -> bool {
        let text = self.text.len() + self.heading(path) + entry.text.len();
        let values = self.value_bytes + self.value_heading(path) + entry.value_bytes();
        text <= self.most && values <= self.most
    }

    fn push(&mut self, path: &AnswerPath, entry: RenderedResult) {
        self.value_bytes += self.value_heading(path) + entry.value_bytes();
        if self.path.as_ref() != Some(path) {
            self.text.push_str(&path.text());
            self.text.push('\n');
            self.files.push(json!({ "path": path.value(), self.key: [] }));
            self.path = Some(path.clone());
            self.kept.files += 1;
        }
        self.text.push_str(&entry.text);
        if let Some(Value::Array(values)) =
            self.files.last_mut().and_then(|file| file.get_mut(self.key))
        {
            values.extend(entry.values);
        }
    }

    /// The text, the values, and what is shown if the rest did not fit.
    pub(crate) fn finish(mut self) -> (String, Value, Option<Totals>) {
        self.flush();
        let cut = self.is_full.then_some(self.kept);
        (self.text, self.files.into(), cut)
    }
}

/// Lines that match: a result of `search`.
#[derive(Debug)]
pub(crate) struct FoundLines(pub(crate) Vec<String>);

impl Cuttable for FoundLines {
    fn whole(&self) -> RenderedResult {
        RenderedResult::of_lines(self.0.clone())
    }

    fn part(&self, bytes: usize) -> Option<RenderedResult> {
        let (mut kept, mut room) = (Vec::new(), bytes);
        for line in &self.0 {
            // The mark needs room too.
            if cost(line) + cost(CUT) > room {
                break;
            }
            room -= cost(line);
            kept.push(line.clone());
        }
        if kept.is_empty() {
            let first = self.0.first()?;
            // The mark states that more lines follow.
            let most = if self.0.len() > 1 { bytes.min(cost(first) - 1) } else { bytes };
            return shortened(first, most).map(|line| RenderedResult::of_lines(vec![line]));
        }
        if kept.len() < self.0.len() {
            kept.push(CUT.to_owned());
        }
        Some(RenderedResult::of_lines(kept))
    }
}

/// How many bytes a line takes, with its escapes in JSON and a line feed.
pub(crate) fn cost(line: &str) -> usize {
    json!(line).to_string().len() - 1
}

/// How a line begins, with its number, in at most `bytes` bytes.
fn shortened(line: &str, bytes: usize) -> Option<String> {
    let least = line.find([':', '-', '=', '+'])? + 1 + CUT.len();
    let mut most = bytes.checked_sub(1)?;
    while most > least {
        let part = cut(line, most);
        let needed = cost(&part);
        if needed <= bytes {
            return Some(part.into_owned());
        }
        // An escape needs up to six times as many bytes as what it stands for.
        most = most.saturating_sub((needed - bytes).div_ceil(6));
    }
    None
}
