//! An ignore file means the same to the filter and to the crate `ignore`.

#![cfg_attr(fuzzing, no_main)]

use std::{ffi::CStr, io, path::Path};

use heist_filter::{Filter, FilterConfig, ReadFile, RuleFilesPresent, WorkerCache};
use heist_fuzz::Input;
use ignore::gitignore::GitignoreBuilder;

/// A directory whose only ignore file has these contents.
struct OneFile<'a>(&'a [u8]);

impl ReadFile for OneFile<'_> {
    fn read(&mut self, _: &CStr, into: &mut Vec<u8>) -> io::Result<()> {
        *into = self.0.to_vec();
        Ok(())
    }
}

fn check(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let ignore_case = input.flag();
    let is_dir = input.flag();
    // A walk checks names of directory entries, from the top down.
    let Some(path) = input.text_until(b'\n') else { return };
    let parts: Vec<&str> = path.split('/').collect();
    if parts.len() > 4
        || parts.iter().any(|part| matches!(*part, "" | "." | "..") || part.contains('\0'))
    {
        return;
    }
    // Ripgrep stops at the first line of an ignore file that is not UTF-8.
    let Ok(rules) = std::str::from_utf8(input.rest()) else { return };
    // For the crate, an empty alternative matches nothing.
    if ["{}", "{,", ",,", ",}"].iter().any(|empty| rules.contains(empty)) {
        return;
    }

    let root = Path::new("/nowhere");
    let config = FilterConfig {
        cwd: root.into(),
        hidden: true,
        dot: true,
        ignore_case,
        ..FilterConfig::default()
    };
    let filter = Filter::new(config).expect("a filter without globs");
    let mut cache = WorkerCache::default();
    let top = filter.root(root, &mut cache);
    let mut signposts = RuleFilesPresent::default();
    signposts.note(b".ignore");
    let scope = filter.enter(&top, b"", signposts, &mut OneFile(rules.as_bytes()), &mut cache);

    let mut builder = GitignoreBuilder::new(root);
    builder.case_insensitive(ignore_case).expect("a switch");
    // As for git, a carriage return before the end of the file belongs to the line end.
    let lines = rules.strip_suffix('\r').unwrap_or(rules).lines();
    for (number, line) in lines.enumerate() {
        let line = if number == 0 { line.trim_start_matches('\u{feff}') } else { line };
        // Both skip an invalid line.
        drop(builder.add_line(None, line));
    }
    let Ok(theirs) = builder.build() else { return };

    let mut above = String::new();
    for (depth, name) in parts.iter().enumerate() {
        let is_dir = is_dir || depth + 1 < parts.len();
        let whole = if above.is_empty() { (*name).to_owned() } else { format!("{above}/{name}") };
        let ours = filter
            .directory(&scope, above.as_bytes(), &mut cache)
            .is_wanted(name.as_bytes(), is_dir);
        let wanted = !theirs.matched(root.join(&whole), is_dir).is_ignore();
        assert_eq!(
            ours, wanted,
            "{whole:?}, directory {is_dir}, case {ignore_case}, rules {rules:?}"
        );
        if !ours {
            return;
        }
        above = whole;
    }
}

heist_fuzz::target!(check);
