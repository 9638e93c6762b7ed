//! The tasks, read from `tasks.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::record::RecordKind;

/// A row of `tasks.toml`, which describes the fields.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Task {
    pub(crate) name: String,
    pub(crate) about: String,
    #[serde(default)]
    pub(crate) work: Work,
    /// `None`: the [`words`], if it is a search.
    pub(crate) pattern: Option<String>,
    #[serde(default)]
    pub(crate) flags: Vec<String>,
    #[serde(default)]
    pub(crate) compared: Compared,
    /// `None`: an index is built from nothing, if it is [`Work::UpdateIndex`].
    pub(crate) changed: Option<usize>,
}

impl Task {
    /// A search for `pattern` that prints the number of each line.
    fn query(pattern: &str) -> Task {
        Task {
            name: pattern.to_owned(),
            about: String::new(),
            work: Work::SearchIgnore,
            pattern: Some(pattern.to_owned()),
            flags: Vec::new(),
            compared: Compared::Lines,
            changed: None,
        }
    }
}

/// What a command does with files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Work {
    ListAll,
    ListIgnore,
    SearchIgnore,
    #[default]
    SearchAll,
    ReadAll,
    UpdateIndex,
    Edit,
}

impl Work {
    /// Whether it prints lines of files. Otherwise it needs paths, and a single file has none.
    pub(crate) fn is_search(self) -> bool {
        matches!(self, Work::SearchIgnore | Work::SearchAll)
    }
}

/// What two tools have to agree on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Compared {
    /// Every line, in any order.
    #[default]
    Lines,
    /// Every line, in this order.
    Order,
    /// Every line, in any order; lines that report a duration are only counted.
    Timeless,
}

/// The table `tasks.toml`.
#[derive(Deserialize)]
struct TaskTable {
    walk: Vec<Task>,
    search: Vec<Task>,
    index: Vec<Task>,
}

static TABLE: LazyLock<TaskTable> = LazyLock::new(|| {
    let mut table: TaskTable =
        toml::from_str(include_str!("tasks.toml")).expect("a test has read the tasks");
    table.index.extend(include_str!("index.txt").lines().map(Task::query));
    table
});

/// The name of all [`queries`] together.
pub(crate) const QUERIES: &str = "queries";

/// Searches as readers of a kernel make them, for names and for a few regular expressions, that
/// print each line's number.
pub(crate) fn queries() -> &'static [Task] {
    static QUERIES: LazyLock<Vec<Task>> =
        LazyLock::new(|| include_str!("queries.txt").lines().map(Task::query).collect());
    &QUERIES
}

/// The tasks in a kind of session.
pub(crate) fn tasks_of(kind: RecordKind) -> &'static [Task] {
    match kind {
        RecordKind::Index => &TABLE.index,
        RecordKind::Search => &TABLE.search,
        RecordKind::Walk | RecordKind::Queues | RecordKind::Hunt => &TABLE.walk,
    }
}

/// A thousand words, made of syllables, the same everywhere. Few are in any text.
pub(crate) fn words() -> Vec<String> {
    const SYLLABLES: [&str; 10] = ["ba", "ce", "di", "fo", "gu", "ka", "le", "mi", "no", "ru"];
    let word = |number: usize| {
        let places = [number / 100, number / 10, number, number * 7];
        places.map(|place| SYLLABLES[place % 10]).concat()
    };
    (0..1000).map(word).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_task_has_a_name_of_its_own_and_something_to_search_for() {
        for kind in [RecordKind::Walk, RecordKind::Search, RecordKind::Index] {
            let tasks = tasks_of(kind);
            let names: BTreeSet<_> = tasks.iter().map(|task| &task.name).collect();
            assert_eq!(names.len(), tasks.len());
            let without_pattern = tasks.iter().filter(|task| task.pattern.is_none());
            let named = |task: &Task| !task.work.is_search() || task.name == "words-file";
            assert!(without_pattern.into_iter().all(named));
        }
    }

    #[test]
    fn queries_differ() {
        let patterns: BTreeSet<_> = queries().iter().map(|query| &query.name).collect();
        assert_eq!(patterns.len(), 102);
    }

    #[test]
    fn there_are_a_thousand_different_words() {
        let words: BTreeSet<String> = words().into_iter().collect();
        assert_eq!(words.len(), 1000);
        assert!(words.iter().all(|word| word.len() == 8 && word.is_ascii()));
    }
}
