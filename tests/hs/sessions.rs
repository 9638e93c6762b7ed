//! The sessions in `tests/sessions`, each of which is a test. Their format is described in
//! [`harness::session`](crate::harness::session).

use std::fs;

use crate::harness::session;

macro_rules! sessions {
    ($($name:ident)*) => {
        const SESSIONS: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            fn $name() {
                session::play(stringify!($name));
            }
        )*
    };
}

sessions! {
    absence
    agent
    around
    binary
    changed
    choose
    clients
    cold
    color
    columns
    concurrency
    config
    contents
    context
    drives
    encodings
    errors
    excerpts
    faults
    files_mode
    format
    globs_types
    hostile
    ignore
    index
    input_stdin
    large
    limits
    names
    output
    overrides
    pager
    patterns
    program
    query
    relevance
    safe
    shards
    sort
    summary
    symlinks
    terminal
    which
    windows
    worktrees
    write
}

#[test]
fn every_session_is_played() {
    for entry in fs::read_dir(session::directory()).expect("the sessions") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
        assert!(SESSIONS.contains(&name), "{name} is not in the list of sessions");
    }
}
