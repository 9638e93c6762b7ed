//! Arguments as clients really send them.

use super::*;

#[test]
fn every_spelling_of_a_value_means_the_same() {
    let (_temp, top) = repository(&[("src/a", b"gem\n"), ("b", b"Gem\n")]);
    let Some(mut server) = Server::of(&top) else { return };
    let expected = "src/a\n1:gem\n1 of 1 lines in 1 of 1 files";
    for more in [
        json!({ "max_results": 2 }),
        json!({ "max_results": 2.0 }),
        json!({ "max_results": "2" }),
        json!({ "max_results": null }),
        json!({ "max_results": 1e300 }),
        json!({ "paths": "src" }),
        json!({ "paths": ["src"] }),
        json!({ "paths": "[\"src\"]" }),
        json!({ "paths": null, "only": null, "exclude": [], "types": "", "newer": null }),
        json!({ "only": "src", "exclude": "*.x" }),
        json!({ "literal": "true" }),
        json!({ "literal": true, "hidden": "false", "word": 1 }),
        json!({ "order": "newest", "context": "0", "offset": "0.0" }),
    ] {
        let mut arguments = more.clone();
        arguments["pattern"] = "gem".into();
        assert_eq!(server.text("search", &arguments), expected, "{more}");
    }
    // The arguments as a whole, as JSON in a text.
    let arguments = Value::from("{\"pattern\": \"gem\"}");
    assert_eq!(server.text("search", &arguments), expected);
}

#[test]
fn nonsense_names_its_parameter() {
    let (_temp, top) = repository(&[("a", b"gem\n")]);
    let Some(mut server) = Server::of(&top) else { return };
    for (tool, name, value) in [
        ("search", "max_results", json!("many")),
        ("search", "max_results", json!(-1)),
        ("search", "context", json!(0.5)),
        ("search", "hidden", json!("perhaps")),
        ("search", "paths", json!({ "a": 1 })),
        ("search", "paths", json!("a\0b")),
        ("search", "order", json!("size")),
        ("search", "pattern", json!(["gem"])),
        ("search", "pattern", json!("g\0m")),
        ("search", "pattern", json!("g".repeat(128 << 10))),
        ("files", "offset", json!([])),
        ("why", "paths", json!(true)),
        ("replace_preview", "replacement", Value::Null),
        ("files", "counts", json!(true)),
    ] {
        let mut arguments = match tool {
            "why" => json!({}),
            "files" => json!({}),
            _ => json!({ "pattern": "gem", "replacement": "x" }),
        };
        if tool == "search" {
            arguments.as_object_mut().expect("an object").remove("replacement");
        }
        arguments[name] = value;
        let message = server.error(tool, &arguments);
        assert!(message.starts_with(&format!("{name}: ")), "{tool} {name}: {message}");
    }
    // What hs reports is in terms of parameters.
    let types = server.error("files", &json!({ "types": ["nosuch"] }));
    assert!(types.contains("nosuch") && !types.contains("--no"), "{types}");
    let newer = server.error("files", &json!({ "newer": "soon" }));
    assert!(newer.contains("`newer`"), "{newer}");
    let around = server.error("search", &json!({ "pattern": "(?=x)" }));
    assert!(around.contains("`pcre2: true`") && !around.contains("--"), "{around}");
}
