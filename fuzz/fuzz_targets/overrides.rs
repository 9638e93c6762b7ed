//! The globs of `-g` and `--iglob` mean the same to the filter and to the crate `ignore`, which
//! uses `globset`.

#![cfg_attr(fuzzing, no_main)]

use std::path::Path;

use heist_filter::{Filter, FilterConfig, Glob, WorkerCache};
use heist_fuzz::Input;
use ignore::overrides::OverrideBuilder;

fn check(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let is_dir = input.flag();
    let Some(name) = input.text_until(b'\n') else { return };
    if matches!(name, "" | "." | "..") || name.contains(['/', '\0']) {
        return;
    }
    let mut globs = Vec::new();
    while !input.is_empty() && globs.len() < 4 {
        let ignore_case = input.flag();
        let Some(text) = input.text_until(b'\n') else { return };
        // For the crate, an empty alternative matches nothing.
        if ["{}", "{,", ",,", ",}"].iter().any(|empty| text.contains(empty)) {
            return;
        }
        globs.push(Glob { text: text.to_owned(), ignore_case });
    }
    // Case-insensitive globs come last, as the program sorts them: the crate's switch applies to
    // all later globs.
    globs.sort_by_key(|glob| glob.ignore_case);

    let root = Path::new("/nowhere");
    let mut builder = OverrideBuilder::new(root);
    let mut theirs = Ok(());
    for glob in &globs {
        builder.case_insensitive(glob.ignore_case).expect("a switch");
        theirs = theirs.and(builder.add(&glob.text).map(drop));
    }
    let theirs = theirs.and_then(|()| builder.build());
    let config = FilterConfig {
        cwd: root.into(),
        hidden: true,
        globs: globs.clone(),
        ..FilterConfig::default()
    };
    let (ours, theirs) = match (Filter::new(config), theirs) {
        (Ok(ours), Ok(theirs)) => (ours, theirs),
        (Err(_), Err(_)) => return,
        (ours, theirs) => panic!("{globs:?}: {:?} against {:?}", ours.err(), theirs.err()),
    };
    let mut cache = WorkerCache::default();
    let scope = ours.root(root, &mut cache);
    let is_wanted = ours.directory(&scope, b"", &mut cache).is_wanted(name.as_bytes(), is_dir);
    let expected = !theirs.matched(root.join(name), is_dir).is_ignore();
    assert_eq!(is_wanted, expected, "{name:?}, directory {is_dir}, globs {globs:?}");
}

heist_fuzz::target!(check);
