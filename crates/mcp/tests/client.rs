//! The server, called by the client of the protocol's own SDK, against the files themselves.

use std::{
    env, fs,
    future::Future,
    path::{Path, PathBuf},
};

use rmcp::{
    RoleClient, ServiceExt,
    model::{CallToolRequestParams, CallToolResult},
    service::RunningService,
    transport::TokioChildProcess,
};
use serde_json::{Value, json};
use skipped_tests::skip;
use tempfile::TempDir;

type Client = RunningService<RoleClient, ()>;

/// The program `hs`, which the tests of its own package build.
fn hs() -> Option<PathBuf> {
    let tests = env::current_exe().expect("a path");
    let name = format!("hs{}", env::consts::EXE_SUFFIX);
    let hs = tests.ancestors().nth(2).expect("a target directory").join(name);
    if !hs.is_file() {
        skip("the program hs is not built");
    }
    hs.is_file().then_some(hs)
}

const FILES: [(&str, &str); 6] = [
    (".gitignore", "*.log\n"),
    ("a.rs", "gem one\nrock\ngem two, gem three\n"),
    ("deep/b.rs", "a gem\n"),
    ("deep/c.txt", "Gem\n"),
    ("build.log", "gem\n"),
    (".env", "gem\n"),
];

/// Serves a small repository and calls `test` with a client of it.
fn served<F: Future<Output = ()>>(test: impl FnOnce(Client, PathBuf) -> F) {
    served_with(&[], test);
}

/// Serves a small repository by a server with these flags. Journals are beside the repository.
fn served_with<F: Future<Output = ()>>(flags: &[&str], test: impl FnOnce(Client, PathBuf) -> F) {
    let Some(hs) = hs() else { return };
    let temp = TempDir::new_in(skipped_tests::place()).expect("a directory");
    let top = temp.path().join("top");
    fs::create_dir_all(top.join(".git")).expect("a directory");
    for (path, text) in FILES {
        let path = top.join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, text).expect("a file");
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_heist-mcp"));
        command.arg("--hs").arg(hs).args(flags).arg(&top).env_remove("HEIST_CONFIG_PATH");
        command.env("XDG_STATE_HOME", temp.path().join("state"));
        let process = TokioChildProcess::new(command).expect("a process");
        let client = ().serve(process).await.expect("a handshake");
        test(client, top).await;
    });
    drop(temp);
}

async fn call(client: &Client, tool: &'static str, arguments: Value) -> CallToolResult {
    let Value::Object(arguments) = arguments else { panic!("{arguments} is no object") };
    let request = CallToolRequestParams::new(tool).with_arguments(arguments);
    client.call_tool(request).await.expect("an answer")
}

/// The values in an answer.
async fn values(client: &Client, tool: &'static str, arguments: Value) -> Value {
    let answer = call(client, tool, arguments).await;
    assert_ne!(answer.is_error, Some(true), "{answer:?}");
    answer.structured_content.expect("values")
}

fn text(answer: &CallToolResult) -> &str {
    &answer.content[0].as_text().expect("text").text
}

/// The message of a call that fails.
async fn refused(client: &Client, tool: &'static str, arguments: Value) -> String {
    let answer = call(client, tool, arguments).await;
    assert_eq!(answer.is_error, Some(true), "{answer:?}");
    text(&answer).to_owned()
}

#[test]
fn tools_have_schemas_and_only_read() {
    served(async |client, _| {
        let tools = client.list_all_tools().await.expect("tools");
        let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["search", "files", "why", "replace_preview"]);
        for tool in &tools {
            assert!(tool.output_schema.is_some(), "{}", tool.name);
            let annotations = tool.annotations.as_ref().expect("annotations");
            assert_eq!(annotations.read_only_hint, Some(true));
            let properties = tool.input_schema["properties"].as_object().expect("parameters");
            for (name, schema) in properties {
                assert!(schema["description"].is_string(), "{}: {name}: {schema}", tool.name);
            }
            // What some clients reject.
            let schemas = json!([tool.input_schema, tool.output_schema]).to_string();
            for word in ["$ref", "$defs", "oneOf", "anyOf", "allOf", "const", "null"] {
                assert!(!schemas.contains(&format!("\"{word}\"")), "{}: {word}", tool.name);
            }
        }
    });
}

#[test]
fn a_search_returns_lines_as_text_and_as_values() {
    served(async |client, _| {
        let answer = call(&client, "search", json!({ "pattern": "gem" })).await;
        let expected = "a.rs\n1:gem one\n3:gem two, gem three\ndeep/b.rs\n1:a gem\n\
                        3 of 3 lines in 2 of 2 files";
        assert_eq!(text(&answer), expected);
        let expected = json!({
            "files": [
                { "path": "a.rs", "lines": ["1:gem one", "3:gem two, gem three"] },
                { "path": "deep/b.rs", "lines": ["1:a gem"] },
            ],
            "shown": { "results": 3, "files": 2 },
            "found": { "results": 3, "files": 2 },
            "exact": true,
        });
        assert_eq!(answer.structured_content, Some(expected));

        let count = async |arguments| lines(&values(&client, "search", arguments).await).len();
        assert_eq!(count(json!({ "pattern": "gem", "hidden": true })).await, 4);
        assert_eq!(count(json!({ "pattern": "gem", "ignored": true })).await, 4);
        assert_eq!(count(json!({ "pattern": "gem", "ignore_case": true })).await, 4);
        assert_eq!(count(json!({ "pattern": "gem", "exclude": ["a.*"] })).await, 1);
        assert_eq!(
            count(json!({ "pattern": "gem", "paths": ["deep"], "only": ["*.rs"] })).await,
            1
        );
        assert_eq!(count(json!({ "pattern": "rock", "context": 1 })).await, 3);
        assert_eq!(count(json!({ "pattern": "-e" })).await, 0);
        assert_eq!(
            count(json!({ "pattern": "two, g", "literal": true, "types": ["rust"] })).await,
            1
        );
    });
}

/// The paths of an answer with their lines.
fn lines(values: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let of_file = |file: Value| {
        let path = text(&file["path"]);
        list(&file["lines"]).into_iter().map(move |line| (path.clone(), text(&line)))
    };
    list(&values["files"]).into_iter().flat_map(of_file).collect()
}

#[test]
fn pages_of_a_search_are_the_whole() {
    served(async |client, _| {
        let whole = lines(&values(&client, "search", json!({ "pattern": "gem|rock" })).await);
        for limit in [json!({ "max_results": 1 }), json!({ "max_bytes": 40 })] {
            let (mut found, mut offset, mut pages) = (Vec::new(), Some(0), 0);
            while let Some(from) = offset {
                let mut arguments = json!({ "pattern": "gem|rock", "offset": from });
                let all = arguments.as_object_mut().expect("an object");
                all.extend(limit.as_object().expect("an object").clone());
                let page = values(&client, "search", arguments).await;
                found.extend(lines(&page));
                offset = page["next_offset"].as_u64();
                pages += 1;
                assert!(pages < 10 && offset.is_none_or(|offset| offset > from), "{page}");
            }
            assert_eq!(found, whole, "{limit}");
            assert!(pages > 1, "{limit}");
        }
        let shared = json!({ "pattern": "gem", "max_results": 2, "spread": true });
        let shared = values(&client, "search", shared).await;
        assert_eq!(shared["shown"], json!({ "results": 2, "files": 2 }));
        // Another limit would choose other results.
        assert_eq!(extent(&shared), ("max_results", None));
    });
}

/// The limit of an answer, and the offset of its next page.
fn extent(values: &Value) -> (&str, Option<u64>) {
    (values["limit"].as_str().unwrap_or("none"), values["next_offset"].as_u64())
}

#[test]
fn a_page_without_results_has_no_next_page() {
    served(async |client, _| {
        let calls = [
            ("search", json!({ "pattern": "gem", "max_bytes": 4 })),
            ("files", json!({ "max_bytes": 4 })),
        ];
        for (tool, arguments) in calls {
            let page = values(&client, tool, arguments).await;
            assert_eq!(page["shown"], json!({ "results": 0, "files": 0 }), "{tool}");
            assert_eq!(extent(&page), ("max_bytes", None), "{tool}");
        }
    });
}

#[test]
fn every_answer_but_an_explanation_ends_with_its_extent() {
    served(async |client, _| {
        let instructions = client.peer_info().expect("a handshake").instructions.clone();
        assert!(instructions.expect("instructions").contains("other tools end"));
        let arguments = json!({ "pattern": "gem", "paths": ["a.rs"] });
        let ends = [
            ("search", "2 of 2 lines in 1 of 1 files"),
            ("files", "1 of 1 files"),
            ("why", "a.rs: searched, 2 lines match"),
        ];
        for (tool, end) in ends {
            let answer = call(&client, tool, arguments.clone()).await;
            assert_eq!(text(&answer).lines().last(), Some(end), "{tool}");
        }
    });
}

#[test]
fn files_are_listed_in_pages() {
    served(async |client, top| {
        let list = async |arguments| values(&client, "files", arguments).await;
        let all = list(json!({})).await;
        assert_eq!(all["paths"], json!(["a.rs", "deep/b.rs", "deep/c.txt"]));
        assert_eq!(all["next_offset"], Value::Null);
        let first = list(json!({ "max_results": 2 })).await;
        assert_eq!(
            (&first["paths"], &first["exact"]),
            (&json!(["a.rs", "deep/b.rs"]), &json!(false))
        );
        let second = list(json!({ "max_results": 2, "offset": first["next_offset"] })).await;
        assert_eq!(second["paths"], json!(["deep/c.txt"]));
        let answer = call(&client, "files", json!({ "max_bytes": 16 })).await;
        let end = "2 of 3 files (max_bytes); next: offset=2";
        assert_eq!(text(&answer), format!("a.rs\ndeep/b.rs\n{end}"));
        let rest = list(json!({ "max_bytes": 16, "offset": 2 })).await;
        assert_eq!((&rest["paths"], &rest["exact"]), (&json!(["deep/c.txt"]), &json!(true)));
        let beyond = call(&client, "files", json!({ "offset": 7 })).await;
        assert_eq!(text(&beyond), "0 of 3 files");
        let matching = list(json!({ "pattern": "[gG]em", "only": ["deep"] })).await;
        assert_eq!(matching["paths"], json!(["deep/b.rs", "deep/c.txt"]));
        let file = fs::File::options().write(true).open(top.join("deep/b.rs")).expect("a file");
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
        file.set_modified(later).expect("a time");
        let newest = list(json!({ "order": "newest", "max_results": 1 })).await;
        assert_eq!(newest["paths"], json!(["deep/b.rs"]));
        assert_eq!(list(json!({ "only": ["*.none"] })).await["paths"], json!([]));
    });
}

#[test]
fn paths_are_explained() {
    served(async |client, _| {
        let paths = ["a.rs", "build.log", ".env", "missing"];
        let answer = call(&client, "why", json!({ "paths": paths, "pattern": "gem" })).await;
        let text = text(&answer);
        assert!(
            text.starts_with(
                "a.rs: searched, 2 lines match\nbuild.log: ignored by .gitignore:1: *.log\n\
             .env: ignored: hidden (see `hidden: true`)\n! missing: "
            ),
            "{text}"
        );
        let values = answer.structured_content.expect("values");
        let searched: Vec<&Value> = values["paths"]
            .as_array()
            .expect("paths")
            .iter()
            .map(|path| &path["searched"])
            .collect();
        assert_eq!(searched, [true, false, false]);
    });
}

#[test]
fn a_preview_is_the_patch_of_the_program() {
    served(async |client, top| {
        let arguments = json!({ "pattern": "g(e)m", "replacement": "j${1}wel", "paths": ["a.rs"] });
        let preview = values(&client, "replace_preview", arguments).await;
        let run = std::process::Command::new(hs().expect("hs"))
            .args(["g(e)m", "-r", "j${1}wel", "--write", "--dry-run", "--no-config", "a.rs"])
            .current_dir(&top)
            .output()
            .expect("a run");
        assert_eq!(preview["patch"], String::from_utf8_lossy(&run.stdout).as_ref());
        assert_eq!((&preview["files"], &preview["whole"]), (&json!(1), &json!(true)));
        // A server that may not write names no patch.
        assert_eq!(preview["hash"], Value::Null);
        let arguments = json!({ "pattern": "gem", "replacement": "x", "max_bytes": 120 });
        let cut = values(&client, "replace_preview", arguments).await;
        let patch = cut["patch"].as_str().expect("a patch");
        assert!(patch.starts_with("diff --git a/a.rs b/a.rs\n") && patch.len() < 120, "{patch}");
        assert_eq!((&cut["files"], &cut["whole"]), (&json!(2), &json!(false)));
        let arguments = json!({ "pattern": "nothing", "replacement": "x" });
        let none = values(&client, "replace_preview", arguments).await;
        assert_eq!((&none["files"], &none["patch"]), (&json!(0), &json!("")));
    });
}

#[test]
fn what_was_seen_is_written_and_put_back() {
    served_with(&["--allow-write"], async |client, top| {
        let read = |name: &str| fs::read_to_string(top.join(name)).expect("a text");
        let before = (read("a.rs"), read("deep/b.rs"));
        let arguments = json!({ "pattern": "gem", "replacement": "jewel" });
        let preview = async || values(&client, "replace_preview", arguments.clone()).await;
        let hash = |preview: &Value| preview["hash"].as_str().expect("a hash").to_owned();

        // Another file has changed meanwhile: what would be written is not what was seen.
        let seen = hash(&preview().await);
        fs::write(top.join("deep/b.rs"), "two gems\na gem\n").expect("a file");
        let message = refused(&client, "replace", json!({ "patch": seen })).await;
        assert!(message.contains("the patch has another hash now"), "{message}");
        assert_eq!(read("a.rs"), before.0);
        fs::write(top.join("deep/b.rs"), &before.1).expect("a file");

        let seen = hash(&preview().await);
        let answer = call(&client, "replace", json!({ "patch": seen })).await;
        assert_eq!(text(&answer), "replaced 4 matches in 2 files");
        assert_eq!(read("a.rs"), before.0.replace("gem", "jewel"));
        assert_eq!(read("deep/b.rs"), before.1.replace("gem", "jewel"));
        let message = refused(&client, "replace", json!({ "patch": seen })).await;
        assert!(message.starts_with("patch: it is written"), "{message}");

        // A file that has changed since stays as it is.
        fs::write(top.join("deep/b.rs"), "other\n").expect("a file");
        let answer = call(&client, "undo", json!({ "patch": seen })).await;
        assert!(text(&answer).starts_with("put back 3 matches in 1 file\n! "), "{answer:?}");
        assert_eq!((read("a.rs"), read("deep/b.rs")), (before.0, "other\n".to_owned()));
        let message = refused(&client, "undo", json!({ "patch": seen })).await;
        assert!(message.starts_with("patch: `replace` has written none"), "{message}");

        let cut = json!({ "pattern": "gem", "replacement": "x", "max_bytes": 120 });
        assert_eq!(values(&client, "replace_preview", cut).await["hash"], Value::Null);
        let message = refused(&client, "replace", json!({ "patch": "0".repeat(64) })).await;
        assert!(message.starts_with("patch: replace_preview has not shown one"), "{message}");
    });
}

#[test]
fn only_a_server_that_may_write_has_the_tools() {
    served_with(&["--allow-write"], async |client, _| {
        let tools = client.list_all_tools().await.expect("tools");
        let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["search", "files", "why", "replace_preview", "replace", "undo"]);
        let reads = |tool: &rmcp::model::Tool| {
            tool.annotations.as_ref().and_then(|annotations| annotations.read_only_hint)
        };
        let writing: Vec<_> = tools.iter().filter(|tool| reads(tool) == Some(false)).collect();
        assert_eq!(writing.len(), 2);
        let instructions = client.peer_info().expect("a handshake").instructions.clone();
        assert!(!instructions.expect("instructions").contains("Nothing is ever written"));
    });
}

#[test]
fn nothing_outside_the_directory_is_searched() {
    served(async |client, top| {
        fs::write(top.join("../outside"), "gem\n").expect("a file");
        for paths in [json!([".."]), json!(["../outside"]), json!([top.join("../outside")])] {
            for tool in ["search", "files", "replace_preview", "why"] {
                let mut arguments = json!({ "paths": paths, "pattern": "gem" });
                if tool == "replace_preview" {
                    arguments["replacement"] = json!("x");
                }
                let message = refused(&client, tool, arguments).await;
                let expected = match tool {
                    "why" => "only paths below the directory, without .., can be explained",
                    _ => "outside the directory that may be searched",
                };
                assert!(message.ends_with(expected), "{tool} {paths}: {message}");
            }
        }
        let whole = values(&client, "search", json!({ "pattern": "gem", "paths": [top] })).await;
        assert_eq!(whole["shown"]["results"], 3);
        link("../outside", &top.join("link"));
        let found = values(&client, "search", json!({ "pattern": "gem" })).await;
        assert_eq!(found["shown"]["results"], 3);
    });
}

#[cfg(unix)]
fn link(target: &str, at: &Path) {
    std::os::unix::fs::symlink(target, at).expect("a link");
}

#[cfg(not(unix))]
fn link(_: &str, _: &Path) {}

#[test]
#[cfg(unix)]
fn a_search_ends_when_its_time_is_up() {
    served(async |client, top| {
        let pipe = top.join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo").success());
        // Without a writer, to open it takes for ever.
        let arguments =
            json!({ "pattern": "gem", "paths": ["a.rs", "pipe"], "timeout_seconds": 1 });
        let started = std::time::Instant::now();
        let found = values(&client, "search", arguments).await;
        assert_eq!((&found["limit"], &found["exact"]), (&json!("timeout"), &json!(false)));
        assert_eq!(found["shown"]["results"], 2);
        assert_eq!(extent(&found), ("timeout", Some(2)));
        assert!(started.elapsed().as_secs() < 5, "{:?}", started.elapsed());
        let arguments =
            json!({ "pattern": "gem", "paths": ["a.rs", "pipe"], "timeout_seconds": 1 });
        let listed = values(&client, "files", arguments).await;
        assert_eq!((&listed["paths"], &listed["exact"]), (&json!(["a.rs"]), &json!(false)));
        assert_eq!(extent(&listed), ("timeout", Some(1)));
        let arguments = json!({ "pattern": "gem", "paths": ["pipe"], "timeout_seconds": 1 });
        let answer = call(&client, "files", arguments).await;
        assert_eq!(text(&answer), "0 of at least 0 files (timeout)");
        assert_ne!(answer.is_error, Some(true));
    });
}

#[test]
fn a_model_learns_what_was_wrong() {
    served(async |client, _| {
        let message = refused(&client, "search", json!({ "pattern": "(" })).await;
        assert!(message.contains("unclosed group"), "{message}");
        let message = refused(&client, "search", json!({ "patern": "x" })).await;
        assert!(message.contains("unknown parameter patern; search has "), "{message}");
        let message = refused(&client, "search", json!({})).await;
        assert_eq!(message, "pattern: missing; it is required");
        let message = refused(&client, "files", json!({ "types": ["nosuch"] })).await;
        assert!(message.contains("nosuch"), "{message}");
        let message = refused(&client, "search", json!({ "pattern": "x", "paths": ["no"] })).await;
        assert!(message.starts_with("no: "), "{message}");
        let request = CallToolRequestParams::new("nothing");
        assert!(client.call_tool(request).await.is_err());
    });
}

#[test]
fn an_empty_answer_states_what_was_left_out() {
    served(|client, top| async move {
        let write = |path: &str, text: &[u8]| fs::write(top.join(path), text).expect("a file");
        write("build.log", b"a nugget\n");
        write("data.bin", b"a\0b\nnugget\n");
        write("deep/d.rs", b"get_nugget_id NUGGETS\n");
        // The text and the values have the same.
        let answer = call(&client, "search", json!({ "pattern": "nuggot" })).await;
        assert!(text(&answer).contains("nothing in 5 files"), "{answer:?}");
        let skipped = values(&client, "search", json!({ "pattern": "getNuggetId" })).await;
        assert_eq!(
            skipped["skipped"]["nearest"],
            json!([{ "text": "get_nugget_id", "files": 1, "exact": true }])
        );
        for (tool, arguments) in [
            ("search", json!({ "pattern": "a nugget|^nugget$" })),
            ("files", json!({ "pattern": "a nugget|^nugget$" })),
            ("files", json!({ "pattern": "a nugget|^nugget$", "counts": true })),
        ] {
            let answer = call(&client, tool, arguments).await;
            let text = text(&answer);
            let skipped = &answer.structured_content.as_ref().expect("values")["skipped"];
            assert_eq!((&skipped["searched"], &skipped["matching"]), (&json!(5), &json!(2)));
            assert_eq!(
                skipped["would_match"],
                json!([
                    { "path": "build.log", "reason": "ignored by .gitignore:1: *.log" },
                    { "path": "data.bin", "reason": "binary, see `text: true`" },
                ])
            );
            assert!(text.contains("would match: build.log (ignored by .gitignore:1: *.log)"));
            assert!(text.contains("not looked at: .git"), "{text}");
        }
        // Where no file is selected, the cause is named.
        for arguments in [json!({ "types": ["py"] }), json!({ "types": ["py"], "pattern": "gem" })]
        {
            let answer = call(&client, "files", arguments).await;
            let skipped = &answer.structured_content.as_ref().expect("values")["skipped"];
            assert_eq!(skipped["searched"], 0);
            assert_eq!(skipped["cause"], "-t py matches none of 5 files");
        }
        // What was found is all.
        let found = values(&client, "search", json!({ "pattern": "gem" })).await;
        assert_eq!(found.get("skipped"), None);
    });
}
