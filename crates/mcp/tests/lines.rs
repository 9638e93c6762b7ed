//! The server, called line by line as clients of many kinds do it, against the files themselves.

#![cfg(unix)]

use std::{
    env, fs,
    io::{BufRead as _, BufReader, Write as _},
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use skipped_tests::skip;
use tempfile::TempDir;

#[path = "lines/arguments.rs"]
mod arguments;
#[path = "lines/budget.rs"]
mod budget;
#[path = "lines/ends.rs"]
mod ends;
#[path = "lines/places.rs"]
mod places;
#[path = "lines/protocol.rs"]
mod protocol;
#[path = "lines/results.rs"]
mod results;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// The program `hs`, which the tests of its own package build.
fn hs() -> Option<PathBuf> {
    let tests = env::current_exe().expect("a path");
    let hs = tests.ancestors().nth(2).expect("a target directory").join("hs");
    if !hs.is_file() {
        skip("the program hs is not built");
    }
    hs.is_file().then_some(hs)
}

/// A server, and the lines that it has written.
struct Server {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
    next: u64,
}

impl Server {
    /// Starts a server in `cwd` with these arguments; `None` without `hs`.
    fn start(cwd: &Path, args: &[&Path]) -> Option<Server> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heist-mcp"));
        command.arg("--hs").arg(hs()?).args(args).current_dir(cwd);
        command.env_remove("HEIST_CONFIG_PATH").env_remove("HEIST_RESTRICT");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("a process");
        let stdin = child.stdin.take();
        let lines = read_lines(child.stdout.take().expect("a pipe"));
        Some(Server { child, stdin, lines, next: 100 })
    }

    /// Starts a server of `dir`, after the handshake.
    fn of(dir: &Path) -> Option<Server> {
        let mut server = Server::start(dir, &[dir])?;
        server.shake_hands("2025-06-18", &json!({}));
        Some(server)
    }

    fn shake_hands(&mut self, version: &str, capabilities: &Value) -> Value {
        self.send(&json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": {
                "protocolVersion": version, "capabilities": capabilities,
                "clientInfo": { "name": "t", "version": "1" },
            },
        }));
        let answer = self.receive();
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        answer
    }

    fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string());
    }

    fn send_text(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("standard input is open");
        writeln!(stdin, "{line}").expect("the server reads");
    }

    fn receive(&mut self) -> Value {
        self.lines.recv_timeout(PATIENCE).expect("an answer")
    }

    /// Sends a call, and returns its id.
    fn request(&mut self, tool: &str, arguments: &Value) -> u64 {
        self.next += 1;
        self.send(&json!({
            "jsonrpc": "2.0", "id": self.next, "method": "tools/call",
            "params": { "name": tool, "arguments": arguments },
        }));
        self.next
    }

    /// The result of a call.
    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let id = self.request(tool, arguments);
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        answer["result"].clone()
    }

    /// The text of a call that succeeds.
    fn text(&mut self, tool: &str, arguments: &Value) -> String {
        let result = self.call(tool, arguments);
        assert_ne!(result["isError"], true, "{arguments}: {result}");
        text_of(&result)
    }

    /// The message of a call that fails.
    fn error(&mut self, tool: &str, arguments: &Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{arguments}: {result}");
        text_of(&result)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stdin.take());
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_lines(stdout: ChildStdout) -> Receiver<Value> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            let message = serde_json::from_str(&line).expect("JSON");
            if sender.send(message).is_err() {
                return;
            }
        }
    });
    lines
}

fn text_of(result: &Value) -> String {
    result["content"][0]["text"].as_str().expect("a text").to_owned()
}

/// A repository with these files.
fn repository(files: &[(&str, &[u8])]) -> (TempDir, PathBuf) {
    let temp = TempDir::new().expect("a directory");
    let top = fs::canonicalize(temp.path()).expect("a path").join("top");
    fs::create_dir_all(top.join(".git")).expect("a directory");
    for (path, text) in files {
        write(&top, path.as_bytes(), text);
    }
    (temp, top)
}

fn write(top: &Path, path: &[u8], text: &[u8]) {
    let path = top.join(std::ffi::OsStr::from_bytes(path));
    fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
    fs::write(path, text).expect("a file");
}

#[test]
fn the_tests_have_a_server() {
    let (_temp, top) = repository(&[("a", b"gem\n")]);
    let Some(mut server) = Server::of(&top) else { return };
    assert_eq!(server.text("files", &json!({})), "a\n1 of 1 files");
}
