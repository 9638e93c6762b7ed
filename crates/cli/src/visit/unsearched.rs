//! The cause where no file is searched: the flag, or the rules, without which there would be some.

use std::{
    ops::ControlFlow,
    path::PathBuf,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use heist_filter::{Filter, FilterConfig, Glob, Tracking};
use heist_walk::{Entry, Error, Fate, Helpers, Root, SortOrder, Visitor, WalkConfig, why};

use super::{file_pass::visit_files, why::reason};
use crate::{resolved::ResolvedArgs, texts::messages::counted};

/// How long to look for the cause.
const MAX_LOOK_TIME: Duration = Duration::from_millis(300);

/// The most files that are counted.
const MAX_FILES: u64 = 10_000;

/// Why no file is searched in the directories that `args` name, as the rest of a sentence; `None`
/// if that does not become clear in a moment.
///
/// Example: `-t js matches none of 11 files`.
pub(crate) fn cause(args: &ResolvedArgs) -> Option<String> {
    let look = Look::new(args)?;
    look.flags().or_else(|| look.rules())
}

/// The [cause](cause) if that becomes clear in this time, also where the run is to end in time.
pub(super) fn cause_within(args: &ResolvedArgs, time: Duration) -> Option<String> {
    let look = Look::of_known_paths(args, time.min(MAX_LOOK_TIME))?;
    look.flags().or_else(|| look.rules())
}

/// The cause if it is a flag of the command line.
pub(crate) fn cause_in_flags(args: &ResolvedArgs) -> Option<String> {
    Look::new(args)?.flags()
}

/// What to use in place of a glob that matches nothing, if that becomes clear in a moment.
///
/// Example: for `-g src`, `it matches a directory: use --only src or -g 'src/**'`.
pub(crate) fn better_glob(args: &ResolvedArgs) -> Option<String> {
    Look::new(args)?.better_glob()
}

/// Lifts a part of the selection.
type Lift = fn(&mut FilterConfig, &mut WalkConfig);

/// A part of the selection that can be lifted.
struct Part {
    /// The flag, with its values.
    flag: String,
    /// What it does with the files that it leaves out; `@` stands for their number.
    effect: &'static str,
    lift: Lift,
}

/// What a flag does that selects files, and one that excludes them.
const SELECTS_NONE: &str = "matches none of @";
const EXCLUDES_ALL: &str = "excludes all of @";

/// A search for the cause.
struct Look<'a> {
    args: &'a ResolvedArgs,
    deadline: Instant,
}

/// What a walk would visit.
#[derive(Default)]
struct Files {
    count: u64,
    first: Option<PathBuf>,
}

impl Look<'_> {
    /// Prepares for a search; `None` if the paths are not known in advance, or time is limited.
    fn new(args: &ResolvedArgs) -> Option<Look<'_>> {
        let is_timed = args.limits.is_some_and(|limits| limits.time.is_some());
        Look::of_known_paths(args, MAX_LOOK_TIME).filter(|_| !is_timed)
    }

    /// Prepares for a search within `time`; `None` if the paths are not known in advance.
    fn of_known_paths(args: &ResolvedArgs, time: Duration) -> Option<Look<'_>> {
        let is_plain = args.walk.more_roots.is_none() && !args.walk.roots.contains(&Root::Stdin);
        is_plain.then(|| Look { args, deadline: Instant::now() + time })
    }

    /// The flags without which there would be files.
    fn flags(&self) -> Option<String> {
        self.flag().or_else(|| self.flags_together())
    }

    /// The one flag without which there would be files.
    fn flag(&self) -> Option<String> {
        let parts = parts(self.args);
        let (part, files) = parts.iter().find_map(|part| {
            let files = self.files(part.lift);
            (files.count > 0).then_some((part, files))
        })?;
        let effect = part.effect.replace('@', &number(files.count));
        let better = self.better_glob().map(|better| format!("; {better}")).unwrap_or_default();
        Some(format!("{} {effect}{better}", part.flag))
    }

    /// The flags that would have to be left out together for files to be searched.
    fn flags_together(&self) -> Option<String> {
        let parts = parts(self.args);
        let files =
            self.files(|filter, walk| parts.iter().for_each(|part| (part.lift)(filter, walk)));
        let flags: Vec<&str> = parts.iter().map(|part| part.flag.as_str()).collect();
        let (last, others) = flags.split_last().filter(|(_, others)| !others.is_empty())?;
        let flags = format!("{} and {last}", others.join(", "));
        (files.count > 0).then(|| format!("{flags} leave out all of {}", number(files.count)))
    }

    /// The rules and the hidden names without which there would be files, with an example.
    fn rules(&self) -> Option<String> {
        let files = self.files(|filter, _| lift_rules(filter));
        let (first, count) = (files.first?, number(files.count));
        let root = self.args.walk.roots.iter().find_map(|root| match root {
            Root::Path(path) => Some((root, first.strip_prefix(path).ok()?.to_path_buf())),
            Root::Here => Some((root, first.clone())),
            Root::Stdin => None,
        });
        let (root, below) = root?;
        let filter = Filter::new(self.args.filter.clone()).ok()?;
        let (fate, _) = why(&self.args.walk, &filter, root, &below);
        let Ok(Fate::LeftOut { path, why }) = fate else { return None };
        let why = reason(&path, &below, root, &why);
        let verb = if files.count == 1 { "is" } else { "are" };
        Some(format!(
            "{count} {verb} left out, such as {}: {why}; -uu searches them",
            first.display()
        ))
    }

    /// What to use in place of a glob that matches nothing, if that becomes clear.
    fn better_glob(&self) -> Option<String> {
        let FilterConfig { globs, only, .. } = &self.args.filter;
        let globs =
            globs.iter().map(|glob| ("-g", glob)).chain(only.iter().map(|glob| ("--only", glob)));
        globs.filter(|(_, glob)| !glob.text.starts_with('!')).find_map(|(flag, glob)| {
            let text = glob.text.as_str();
            let finds = |text: &str, ignore_case| {
                let glob = Glob { text: text.to_owned(), ignore_case };
                let files = self.files(|filter, _| {
                    filter.globs.clear();
                    filter.only = vec![glob.clone()];
                });
                files.count > 0
            };
            let has_wildcard = text.contains(['*', '?', '[', '{']);
            if flag == "-g" && finds(text, glob.ignore_case) {
                let (dir, below) =
                    (quoted(text), quoted(&format!("{}/**", text.trim_end_matches('/'))));
                return Some(format!("it matches a directory: use --only {dir} or -g {below}"));
            }
            let ending = format!("*.{}", text.trim_start_matches(['.', '*']));
            if !has_wildcard && !text.contains('/') && finds(&ending, glob.ignore_case) {
                return Some(format!("use {flag} {}", quoted(&ending)));
            }
            let anywhere = format!("**/{}", text.trim_start_matches('/'));
            if text.trim_end_matches('/').contains('/') && finds(&anywhere, glob.ignore_case) {
                return Some(format!("use {flag} {}", quoted(&anywhere)));
            }
            (!glob.ignore_case && finds(text, true))
                .then(|| "with --glob-case-insensitive it matches".to_owned())
        })
    }

    /// The files that a walk visits once `lift` has lifted a part of the selection.
    fn files(&self, lift: impl Fn(&mut FilterConfig, &mut WalkConfig)) -> Files {
        let mut filter = self.args.filter.clone();
        let mut walk = WalkConfig {
            // The first file is then the same each time.
            order: Some(SortOrder::Names),
            workers: 1,
            extra_workers: 0,
            on_skip: None,
            known_dirs: None,
            max_deferred_files: 0,
            ..self.args.walk.clone()
        };
        filter.fingerprints = false;
        lift(&mut filter, &mut walk);
        let found = Mutex::new(Files::default());
        let visitor = || Counter { deadline: self.deadline, files: &found };
        let walked = Filter::new(filter).map(|filter| visit_files(&walk, &filter, visitor));
        match walked {
            Ok(Ok(_)) => found.into_inner().unwrap_or_else(PoisonError::into_inner),
            _ => Files::default(),
        }
    }
}

/// The parts of the selection that flags determine, the user's globs and types first.
fn parts(args: &ResolvedArgs) -> Vec<Part> {
    let (filter, walk) = (&args.filter, &args.walk);
    let mut parts = Vec::new();
    let mut add = |is_given: bool, flag: &dyn Fn() -> String, effect, lift: Lift| {
        if is_given {
            parts.push(Part { flag: flag(), effect, lift });
        }
    };
    let list = |flag: &str, globs: &[Glob]| {
        let globs = globs.iter().map(|glob| format!("{flag} {}", quoted(&glob.text)));
        globs.collect::<Vec<_>>().join(" ")
    };
    let selects =
        |values: &[String], excludes: &str| match values.iter().all(|v| v.starts_with(excludes)) {
            true => EXCLUDES_ALL,
            false => SELECTS_NONE,
        };
    let globs: Vec<String> = filter.globs.iter().map(|glob| glob.text.clone()).collect();
    add(!globs.is_empty(), &|| list("-g", &filter.globs), selects(&globs, "!"), |filter, _| {
        filter.globs.clear();
    });
    add(!filter.only.is_empty(), &|| list("--only", &filter.only), SELECTS_NONE, |filter, _| {
        filter.only.clear();
    });
    let types = &args.type_flags;
    add(!filter.types.is_empty(), &|| types.join(" "), selects(types, "-T"), |filter, _| {
        filter.types = Default::default();
    });
    add(
        !filter.except.is_empty(),
        &|| list("--exclude", &filter.except),
        EXCLUDES_ALL,
        |filter, _| {
            filter.except.clear();
        },
    );
    let is_tracked = filter.tracking == Tracking::Only;
    add(is_tracked, &|| "--tracked".to_owned(), SELECTS_NONE, |filter, _| {
        filter.tracking = Tracking::Disregarded;
    });
    add(walk.skip_worktrees, &|| "--no-worktrees".to_owned(), EXCLUDES_ALL, |_, walk| {
        walk.skip_worktrees = false;
    });
    add(walk.skip_submodules, &|| "--no-submodules".to_owned(), EXCLUDES_ALL, |_, walk| {
        walk.skip_submodules = false;
    });
    let depth = walk.max_depth;
    add(
        depth.is_some(),
        &|| format!("--max-depth {}", depth.unwrap_or(0)),
        EXCLUDES_ALL,
        |_, walk| {
            walk.max_depth = None;
        },
    );
    add(walk.max_filesize.is_some(), &|| "--max-filesize".to_owned(), EXCLUDES_ALL, |_, walk| {
        walk.max_filesize = None;
    });
    add(walk.min_filesize > 0, &|| "--min-filesize".to_owned(), EXCLUDES_ALL, |_, walk| {
        walk.min_filesize = 0;
    });
    add(walk.newer.is_some(), &|| "--newer".to_owned(), EXCLUDES_ALL, |_, walk| walk.newer = None);
    add(walk.older.is_some(), &|| "--older".to_owned(), EXCLUDES_ALL, |_, walk| walk.older = None);
    add(walk.changes.is_some(), &|| "--changed".to_owned(), EXCLUDES_ALL, |_, walk| {
        walk.changes = None;
    });
    add(walk.shard.is_some(), &|| "--shard".to_owned(), EXCLUDES_ALL, |_, walk| walk.shard = None);
    parts
}

/// Lifts all rules that no flag of the command line has brought.
pub(super) fn lift_rules(filter: &mut FilterConfig) {
    (filter.hidden, filter.dotfiles) = (false, true);
    (filter.dot, filter.vcs, filter.exclude, filter.global) = (false, false, false, false);
    filter.ignore_files.clear();
}

/// `11 files`, or more than the number that is counted.
fn number(count: u64) -> String {
    match count {
        MAX_FILES.. => format!("over {}", counted(MAX_FILES, "file", "files")),
        _ => counted(count, "file", "files"),
    }
}

/// A word for a shell.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./,+@%=:".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// Counts files.
struct Counter<'a> {
    deadline: Instant,
    files: &'a Mutex<Files>,
}

impl Visitor for Counter<'_> {
    fn entry(&mut self, file: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.count += 1;
        files.first.get_or_insert_with(|| file.path());
        match files.count >= MAX_FILES || Instant::now() > self.deadline {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn error(&mut self, _: Error) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_requires_it() {
        for (word, expected) in
            [("src", "src"), ("*.rs", "'*.rs'"), ("!x", "'!x'"), ("it's", r"'it'\''s'"), ("", "''")]
        {
            assert_eq!(quoted(word), expected);
        }
    }

    #[test]
    fn numbers_are_bounded() {
        let numbers = [1, 2, 1234, MAX_FILES].map(number);
        assert_eq!(numbers, ["1 file", "2 files", "1,234 files", "over 10,000 files"]);
    }
}
