//! The tables of `FINDINGS.md` are those of the records beside it.

use std::path::Path;
use std::process::Command;

#[test]
fn every_table_is_that_of_its_record() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("FINDINGS.md");
    let checked = Command::new(env!("CARGO_BIN_EXE_benchsuite"))
        .args(["findings", "--check"])
        .arg(&file)
        .output()
        .expect("the program can be run");
    let complaint = String::from_utf8_lossy(&checked.stderr);
    assert!(
        checked.status.success(),
        "FINDINGS.md is not as its records are; `benchsuite findings` writes it anew. {complaint}"
    );
}
