//! Which program the server runs: the one that it has checked, whatever the searched tree holds.

#![cfg(unix)]

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process};

use rmcp::{ServiceExt, model::CallToolRequestParams, transport::TokioChildProcess};
use serde_json::{Value, json};
use tempfile::TempDir;

const SERVER: &str = env!("CARGO_BIN_EXE_heist-mcp");

/// Writes a program that passes for `hs`, and lists one file, whose path is `place`. It runs no
/// other program, so that it needs no `PATH`.
fn write_program(at: &Path, place: &str) {
    let file = json!({ "type": "file", "data": { "path": { "text": format!("./{place}") } } });
    let totals = json!({ "results": 1, "files": 1 });
    let shown = json!({ "shown": totals, "found": totals, "exact": true, "limit": null });
    let shown = json!({ "type": "shown", "data": shown });
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && echo hs 1 && exit\necho '{file}'\necho '{shown}'\n\
         echo 'hs: 1 of 1 files' >&2\n"
    );
    fs::write(at, script).expect("a script");
    fs::set_permissions(at, fs::Permissions::from_mode(0o755)).expect("a program");
}

/// The files that the server lists in the directory `top` of `temp`, where it is started.
fn listed(program: &str, path: &str, temp: &Path) -> Value {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let mut command = tokio::process::Command::new(SERVER);
        command.args(["--hs", program, "top"]).current_dir(temp).env("PATH", path);
        let process = TokioChildProcess::new(command).expect("a process");
        let client = ().serve(process).await.expect("a handshake");
        let answer = client.call_tool(CallToolRequestParams::new("files")).await;
        let values = answer.expect("an answer").structured_content.expect("values");
        values["paths"].clone()
    })
}

// One test, as a process that another thread starts meanwhile would hold a script open.
#[test]
fn the_program_that_was_checked_is_run() {
    let temp = TempDir::new_in(skipped_tests::place()).expect("a directory");
    let temp = temp.path();
    for dir in ["top/bin", "bin", "path", "plain"] {
        fs::create_dir_all(temp.join(dir)).expect("a directory");
    }
    for at in ["hs", "bin/hs", "path/hs", "top/hs", "top/bin/hs"] {
        write_program(&temp.join(at), at);
    }
    // A file that the system cannot run is passed over, as the system does.
    fs::write(temp.join("plain/hs"), "").expect("a file");
    let absolute = |dir: &str| temp.join(dir).display().to_string();
    let path = format!(".::bin:{}:{}", absolute("plain"), absolute("path"));
    for (program, expected) in [
        ("./hs", "hs"),
        ("bin/hs", "bin/hs"),
        ("top/../bin/hs", "bin/hs"),
        (&absolute("bin/hs"), "bin/hs"),
        ("hs", "path/hs"),
    ] {
        assert_eq!(listed(program, &path, temp), json!([expected]), "{program}");
    }

    let mut server = process::Command::new(SERVER);
    server.args(["--hs", "hs", "top"]).current_dir(temp).env("PATH", ".::bin");
    let output = server.output().expect("a process");
    let expected = "heist-mcp: cannot run hs: no such program in PATH (tried --hs, the directory \
                    of heist-mcp, and PATH)\n";
    assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
    assert_eq!(output.status.code(), Some(2));
}
