//! Checks the searcher against a slow, obvious one, and single cases worth reading.

mod cases;
#[cfg(unix)]
mod mmap;
mod random;
mod routes;
#[cfg(unix)]
mod rule_out;
mod sessions;
mod stream;
#[cfg(unix)]
mod survey;
#[cfg(unix)]
mod survey_context;

/// A file without a name that has these bytes.
#[cfg(unix)]
fn file_of(bytes: &[u8]) -> std::fs::File {
    use std::io::Write;
    let mut file = tempfile::tempfile().expect("the system has a place for files");
    file.write_all(bytes).expect("there is room");
    file
}
