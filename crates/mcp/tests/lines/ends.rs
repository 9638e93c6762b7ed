//! Searches end with the server, however it ends, and not too many run at once.

#![cfg(target_os = "linux")]

use super::*;

/// The processes that `server` has started and that have not ended.
fn children(server: u32) -> Vec<u32> {
    let listed = fs::read_to_string(format!("/proc/{server}/task/{server}/children"));
    let listed = listed.unwrap_or_default();
    listed.split_whitespace().filter_map(|id| id.parse().ok()).collect()
}

/// Whether a process runs. One that has ended stays known until another one has taken note.
fn runs(process: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with(['Z', 'X']))
}

/// A repository with a pipe, a search of which does not end.
fn with_pipe() -> (TempDir, PathBuf) {
    let (temp, top) = repository(&[("a", b"gem\n")]);
    let made = Command::new("mkfifo").arg(top.join("pipe")).status();
    assert!(made.expect("mkfifo").success());
    (temp, top)
}

fn endless() -> Value {
    json!({ "pattern": "gem", "paths": ["pipe"], "timeout_seconds": 100 })
}

/// Waits until `is_so`, and fails after some time.
fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn searches_end_with_the_server() {
    let (_temp, top) = with_pipe();
    for how in ["TERM", "INT", "HUP", "KILL", "end of input", "closed output"] {
        let Some(mut server) = Server::of(&top) else { return };
        let id = server.child.id();
        server.request("search", &endless());
        wait_until("a search begins", || !children(id).is_empty());
        let started = children(id);
        match how {
            "end of input" => drop(server.stdin.take()),
            "closed output" => {
                // The thread that reads ends with the receiver, at the next line.
                let (_, nothing) = channel();
                server.lines = nothing;
                server.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }));
                thread::sleep(Duration::from_millis(300));
                server.send(&json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" }));
            }
            signal => {
                let mut kill = Command::new("sh");
                kill.args(["-c".to_owned(), format!("kill -{signal} {id}")]);
                assert!(kill.status().expect("kill").success());
            }
        }
        let before = Instant::now();
        let end = server.child.wait().expect("an end");
        assert!(before.elapsed() < Duration::from_secs(5), "{how}: {:?}", before.elapsed());
        wait_until(how, || !started.iter().any(|process| runs(*process)));
        use std::os::unix::process::ExitStatusExt as _;
        let signal = match how {
            "TERM" => Some(15),
            "INT" => Some(2),
            "HUP" => Some(1),
            "KILL" => Some(9),
            _ => None,
        };
        assert_eq!(end.signal(), signal, "{how}");
    }
}

#[test]
fn few_searches_run_at_once() {
    let (_temp, top) = with_pipe();
    let Some(mut server) = Server::of(&top) else { return };
    let id = server.child.id();
    for _ in 0..60 {
        server.request("search", &endless());
    }
    wait_until("searches begin", || children(id).len() >= 8);
    thread::sleep(Duration::from_millis(300));
    assert!(children(id).len() <= 8, "{}", children(id).len());
    // A cancelled call leaves its place to the next one.
    for call in 101..=160 {
        cancel(&mut server, call);
    }
    server.request("files", &json!({ "paths": ["a"] }));
    assert_eq!(server.receive()["id"], 161);
    wait_until("searches end", || children(id).iter().all(|process| !runs(*process)));
}

fn cancel(server: &mut Server, id: u64) {
    server.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
    }));
}
