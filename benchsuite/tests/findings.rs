//! The tables of `FINDINGS.md` and `README.md` are those of the records.

use std::path::Path;
use std::process::Command;

#[test]
fn every_table_is_that_of_its_record() {
    check("FINDINGS.md");
    check("../README.md");
}

fn check(name: &str) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let checked = Command::new(env!("CARGO_BIN_EXE_benchsuite"))
        .args(["findings", "--check", "--records"])
        .args([here.join("records"), here.join(name)])
        .output()
        .expect("the program can be run");
    let complaint = String::from_utf8_lossy(&checked.stderr);
    assert!(
        checked.status.success(),
        "{name} is not as its records are; `benchsuite findings {name}` writes it anew. {complaint}"
    );
}
