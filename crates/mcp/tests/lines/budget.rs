//! An answer is as long as requested, as text and as values, and the next page follows.

use super::*;

/// Calls `tool` with these arguments page by page. Returns the number of results of each page.
fn pages(server: &mut Server, tool: &str, arguments: &Value) -> Vec<u64> {
    let (mut results, mut offset) = (Vec::new(), Some(0));
    while let Some(from) = offset {
        let mut arguments = arguments.clone();
        arguments["offset"] = from.into();
        let result = server.call(tool, &arguments);
        let values = &result["structuredContent"];
        let shown = values["shown"]["results"].as_u64().expect("a number");
        offset = values["next_offset"].as_u64();
        assert!(offset.is_none_or(|next| next == from + shown && shown > 0), "{values}");
        results.push(shown);
    }
    results
}

#[test]
fn text_and_values_have_the_same_budget() {
    let line = "  needle(1);\n".repeat(60);
    let names: Vec<String> = (0..20)
        .map(|n| format!("packages/backend/src/modules/authentication/controller-{n}.spec.ts"))
        .collect();
    let files: Vec<(&str, &[u8])> =
        names.iter().map(|name| (name.as_str(), line.as_bytes())).collect();
    let (_temp, top) = repository(&files);
    let Some(mut server) = Server::of(&top) else { return };
    for most in [1000, 4000, 16_000] {
        let arguments = json!({ "pattern": "needle", "replacement": "x", "max_bytes": most });
        let result = server.call("replace_preview", &arguments);
        let longest = text_of(&result).len().max(result["structuredContent"].to_string().len());
        assert!(longest < most + 300 && longest > most / 2, "a patch: {longest} of {most}");
        let tool = "search";
        let arguments = json!({ "pattern": "needle", "max_bytes": most, "max_results": 2000 });
        let result = server.call(tool, &arguments);
        let text = text_of(&result);
        let values = result["structuredContent"].to_string();
        let longest = text.len().max(values.len());
        assert!(longest < most + 300 && longest > most / 2, "{tool}: {longest} of {most}");
        // Each path once.
        for name in &names {
            let quoted = format!("\"{name}\"");
            assert!(text.matches(name.as_str()).count() <= 1, "{text}");
            assert!(values.matches(&quoted).count() <= 1, "{values}");
        }
        let results: u64 = pages(&mut server, tool, &arguments).iter().sum();
        assert_eq!(results, 1200, "{tool}");
    }
}

#[test]
fn a_long_line_does_not_end_the_results() {
    let bundle = format!("var x={}\n", "this.a(1),".repeat(6000));
    let (_temp, top) = repository(&[
        ("app.min.js", bundle.as_bytes()),
        ("b.ts", b"this.needle()\n"),
        ("c.ts", b"this.other()\n"),
    ]);
    let Some(mut server) = Server::of(&top) else { return };
    for more in [
        json!({ "pattern": "this" }),
        json!({ "pattern": "." }),
        json!({ "pattern": "this", "whole_lines": true }),
        json!({ "pattern": "this", "max_bytes": 100 }),
        json!({ "pattern": "needle|other", "context": 1, "only": ["b.ts", "c.ts"] }),
        json!({ "pattern": "other|x=", "before": 9, "max_bytes": 80, "whole_lines": true }),
    ] {
        let all: u64 = pages(&mut server, "search", &more).iter().sum();
        let expected = if more["pattern"] == "this" || more["pattern"] == "." { 3 } else { 2 };
        assert_eq!(all, expected, "{more}");
        let text = server.text("search", &more);
        assert!(text.len() < 34_000, "{more}: {}", text.len());
    }
    let first = server.text("search", &json!({ "pattern": "this" }));
    assert!(
        first.starts_with("b.ts\n1:this.needle()\nc.ts\n"),
        "what is generated is last: {first}"
    );
    let whole = server.text("search", &json!({ "pattern": "this", "order": "path" }));
    assert!(whole.contains("\nb.ts\n1:this.needle()\nc.ts\n"), "{whole}");
}

#[test]
fn context_that_does_not_fit_does_not_hide_the_match() {
    let body = format!("fn long() {{\n{}    gem();\n}}\n", "    rock();\n".repeat(500));
    let (_temp, top) = repository(&[("a.rs", body.as_bytes()), ("b.rs", b"gem\n")]);
    let Some(mut server) = Server::of(&top) else { return };
    let arguments = json!({ "pattern": "gem", "function_context": true, "max_bytes": 1000 });
    assert_eq!(pages(&mut server, "search", &arguments), [1, 1]);
    let text = server.text("search", &arguments);
    assert!(text.starts_with("a.rs\n…\n502:    gem();\n"), "{text}");
    let arguments = json!({ "pattern": "gem", "function_context": true });
    let text = server.text("search", &arguments);
    assert!(text.contains("\n1=fn long() {\n") && text.contains("\n300-    rock();\n"), "{text}");
}

#[test]
fn messages_are_part_of_the_budget() {
    let rules: String = (0..100).map(|n| format!("{n}{}\\\n", "a".repeat(500))).collect();
    let (_temp, top) = repository(&[]);
    for n in 0..40 {
        write(&top, format!("{n}/.ignore").as_bytes(), rules.as_bytes());
        write(&top, format!("{n}/f").as_bytes(), b"gem\n");
    }
    let Some(mut server) = Server::of(&top) else { return };
    for (tool, arguments) in [
        ("search", json!({ "pattern": "gem", "max_bytes": 1000 })),
        ("files", json!({ "max_bytes": 1000 })),
        ("replace_preview", json!({ "pattern": "gem", "replacement": "x", "max_bytes": 1000 })),
    ] {
        let result = server.call(tool, &arguments);
        let values = result["structuredContent"].to_string();
        assert!(text_of(&result).len() < 1500, "{result}");
        assert!(values.len() < 1500, "{values}");
        assert!(values.contains("more messages"), "{values}");
    }
    let arguments = json!({ "pattern": "gem", "max_bytes": 1 << 20 });
    let result = server.call("search", &arguments);
    let messages = result["structuredContent"]["messages"].as_array().expect("messages").len();
    assert_eq!(messages, 21);
    // What an ignore file contains, which may be a link to any file, is not printed.
    assert!(!result.to_string().contains("aaaa"), "{result}");
}
