//! The messages of `--json` are ripgrep's, and the bytes of the lines can be restored from them.

#![cfg_attr(fuzzing, no_main)]

use base64::{Engine, prelude::BASE64_STANDARD};
use bstr::ByteSlice;
use heist_fuzz::{Input, Search, haystack_of};
use heist_searcher::Encoding;
use serde_json::Value;

/// The messages without times and without numbers that depend on the sizes of reads.
fn messages(output: &[u8]) -> Vec<Value> {
    let message = |line| serde_json::from_slice(line).expect("a message is JSON");
    let mut messages: Vec<Value> = output.lines().map(message).collect();
    for message in &mut messages {
        if let Some(stats) = message.pointer_mut("/data/stats").and_then(Value::as_object_mut) {
            stats
                .retain(|key, _| !["elapsed", "bytes_searched", "bytes_printed"].contains(&&**key));
        }
    }
    messages
}

/// The bytes in `text` or `bytes`.
fn bytes_of(data: &Value) -> Vec<u8> {
    match (&data["text"], &data["bytes"]) {
        (Value::String(text), Value::Null) => text.clone().into_bytes(),
        (Value::Null, Value::String(bytes)) => {
            let bytes = BASE64_STANDARD.decode(bytes).expect("base64");
            assert!(str::from_utf8(&bytes).is_err(), "UTF-8 in `bytes`");
            bytes
        }
        _ => panic!("neither text nor bytes: {data}"),
    }
}

fn number(value: &Value) -> usize {
    value.as_u64().and_then(|number| number.try_into().ok()).expect("an offset")
}

fn check(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let Some(mut search) = Search::with_format(&mut input) else { return };
    // Without decoding, offsets refer to the bytes of the haystack.
    search.config.encoding = Encoding::None;
    let haystack = haystack_of(&input);
    let Some([ours, theirs]) = search.json(haystack) else { return };
    let ours = messages(&ours);
    assert_eq!(ours, messages(&theirs), "{search:?} in {:?}", haystack.as_bstr());
    for message in &ours {
        if message["type"] != "match" && message["type"] != "context" {
            continue;
        }
        let data = &message["data"];
        let lines = bytes_of(&data["lines"]);
        let start = number(&data["absolute_offset"]);
        assert_eq!(haystack.get(start..start + lines.len()), Some(&*lines), "{message}");
        for part in data["submatches"].as_array().expect("a list") {
            let range = number(&part["start"])..number(&part["end"]);
            assert_eq!(lines.get(range), Some(&*bytes_of(&part["match"])), "{message}");
        }
    }
}

heist_fuzz::target!(check);
