//! Messages that are none, or that few clients send.

use super::*;

/// The text of an answer that is an error of the protocol.
fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn every_request_has_an_answer() {
    let (_temp, top) = repository(&[("a", b"gem\n"), ("b", "\u{fffd}\n".as_bytes())]);
    let Some(mut server) = Server::of(&top) else { return };
    // JSON.stringify of half a pair, which RFC 8259 permits.
    server.send_text(
        r#"{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"search","arguments":{"pattern":"\ud83c"}}}"#,
    );
    let answer = server.receive();
    assert_eq!(answer["id"], 17);
    assert_eq!(text_of(&answer["result"]), "b\n1:\u{fffd}\n1 of 1 lines in 1 of 1 files");
    for levels in [100, 128, 5000] {
        let (open, close) = ("[".repeat(levels), "]".repeat(levels));
        server.send_text(&format!(
            r#"{{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{{"name":"search","arguments":{{"pattern":{open}{close}}}}}}}"#
        ));
        let answer = server.receive();
        assert_eq!(answer["id"], "deep");
        match levels {
            100 => assert_eq!(answer["result"]["isError"], true, "{answer}"),
            _ => assert_eq!(code(&answer), -32700, "{answer}"),
        }
    }
    for (line, id, expected) in [
        ("{\"jsonrpc\":", Value::Null, -32700),
        ("hello", Value::Null, -32700),
        ("[1]", Value::Null, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#, json!(1), -32601),
        (r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{}}"#, json!(2), -32602),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"x"}}"#,
            json!(3),
            -32602,
        ),
        (r#"{"jsonrpc":"2.0","id":4,"params":{}}"#, json!(4), -32600),
        (r#"{"jsonrpc":"1.0","id":5,"method":"ping"}"#, json!(5), -32600),
    ] {
        server.send_text(line);
        let answer = server.receive();
        assert_eq!((&answer["id"], code(&answer)), (&id, expected), "{line}");
    }
    // Neither notifications nor answers are answered, and blank lines are passed over.
    server.send_text("");
    server.send_text(r#"{"jsonrpc":"2.0","method":"notifications/progress","params":7}"#);
    server.send_text(r#"{"jsonrpc":"2.0","id":5,"result":{}}"#);
    server.send_text(r#"{"jsonrpc":"2.0","id":6.0,"method":"ping","params":null}"#);
    assert_eq!(server.receive(), json!({ "jsonrpc": "2.0", "id": 6, "result": {} }));
}

#[test]
fn a_request_before_the_handshake_has_an_answer() {
    let (_temp, top) = repository(&[("a", b"gem\n")]);
    let Some(mut server) = Server::start(&top, &[&top]) else { return };
    server.send_text("nonsense");
    assert_eq!(code(&server.receive()), -32700);
    assert_eq!(server.shake_hands("2025-03-26", &json!({}))["id"], 0);
}

#[test]
fn batches_belong_to_one_version() {
    let (_temp, top) = repository(&[("a", b"gem\n")]);
    let ping = |id: u64| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
    let call = json!({
        "jsonrpc": "2.0", "id": "c", "method": "tools/call",
        "params": { "name": "files", "arguments": {} },
    });
    let Some(mut server) = Server::start(&top, &[&top]) else { return };
    server.shake_hands("2025-03-26", &json!({}));
    server.send(&json!([ping(1), 7, call, ping(2)]));
    let answer = server.receive();
    let answers = answer.as_array().expect("a batch");
    let mut ids: Vec<String> = answers.iter().map(|answer| answer["id"].to_string()).collect();
    ids.sort();
    assert_eq!(ids, ["\"c\"", "1", "2", "null"]);
    let of_call = answers.iter().find(|answer| answer["id"] == "c").expect("an answer");
    assert_eq!(text_of(&of_call["result"]), "a\n1 of 1 files");
    // A batch without requests has no answer.
    server.send(&json!([{ "jsonrpc": "2.0", "method": "notifications/initialized" }]));
    server.send(&json!([]));
    assert_eq!(code(&server.receive()), -32600);
    server.send(&ping(3));
    assert_eq!(server.receive()["id"], 3);

    let Some(mut server) = Server::of(&top) else { return };
    server.send(&json!([ping(1)]));
    assert_eq!(code(&server.receive()), -32600);
}

#[test]
fn requests_that_are_all_sent_at_once_are_answered() {
    let (_temp, top) = repository(&[("a", b"gem\n")]);
    let Some(mut server) = Server::of(&top) else { return };
    for _ in 0..20 {
        server.request("search", &json!({ "pattern": "gem" }));
    }
    drop(server.stdin.take());
    let mut ids: Vec<u64> = (0..20).filter_map(|_| server.receive()["id"].as_u64()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (101..=120).collect::<Vec<_>>());
    assert!(server.child.wait().expect("an end").success());
}
