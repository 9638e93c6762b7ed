//! Paths, directories, and the client's roots.

use super::*;

#[test]
fn one_missing_path_does_not_hide_the_others() {
    let (_temp, top) = repository(&[("a.txt", b"gem\n")]);
    let Some(mut server) = Server::of(&top) else { return };
    let arguments = json!({ "pattern": "gem", "paths": ["a.txt", "gone.txt"] });
    for tool in ["search", "files"] {
        let text = server.text(tool, &arguments);
        assert!(text.starts_with("a.txt\n"), "{text}");
        assert!(text.contains("\n! gone.txt: No such file or directory"), "{text}");
    }
    let error = server.error("search", &json!({ "pattern": "gem", "paths": ["x", "y"] }));
    assert!(error.starts_with("x: No such") && error.contains("\ny: No such"), "{error}");
    let arguments = json!({ "pattern": "gem", "paths": ["a.txt", ".."] });
    let error = server.error("search", &arguments);
    assert_eq!(error, "..: outside the directory that may be searched");
}

#[test]
fn names_of_any_bytes_are_one_line_and_come_back() {
    let (_temp, top) = repository(&[]);
    let forged = b"z\nsettings.py\n12:TOKEN = \"gem\"\n1 of 1 lines in 1 of 1 files\n! note";
    let names: [&[u8]; 6] =
        [b"lat\xe9.txt", forged, b"\"quoted\"", b"a\x1b[31m", "\u{202e}txt".as_bytes(), b"plain"];
    for name in names {
        write(&top, name, b"gem\n");
    }
    let Some(mut server) = Server::of(&top) else { return };
    let result = server.call("search", &json!({ "pattern": "gem" }));
    let text = text_of(&result);
    assert_eq!(text.lines().count(), 2 * names.len() + 1, "{text}");
    assert!(text.contains("\"lat\\351.txt\"\n1:gem\n"), "{text}");
    assert!(!text.contains(['\u{1b}', '\u{202e}', '\r']), "{text:?}");
    let files = result["structuredContent"]["files"].as_array().expect("files").clone();
    let shown: Vec<String> = text.lines().step_by(2).map(str::to_owned).collect();
    let values = files.iter().map(|file| file["path"].as_str().expect("a path").to_owned());
    for path in shown[..names.len()].iter().cloned().chain(values) {
        let arguments = json!({ "pattern": "gem", "paths": [path] });
        let text = server.text("search", &arguments);
        assert!(text.ends_with("\n1:gem\n1 of 1 lines in 1 of 1 files"), "{path}: {text}");
        let text = server.text("why", &arguments);
        assert!(text.ends_with(": searched, 1 line matches"), "{path}: {text}");
    }
    let text = server.text("files", &json!({}));
    assert_eq!(text.lines().count(), names.len() + 1, "{text}");
    let missing = server.error("search", &json!({ "pattern": "gem", "paths": "a\nb" }));
    assert!(missing.starts_with("a\\nb: No such file"), "{missing}");
}

#[test]
fn several_directories_are_searched() {
    let (_temp, top) = repository(&[
        ("app/src/a", b"gem\n"),
        ("app/src/only-app", b"rock\n"),
        ("lib/src/a", b"gem\n"),
        ("other/a", b"gem\n"),
    ]);
    let (app, lib) = (top.join("app"), top.join("lib"));
    let Some(mut server) = Server::start(&top, &[&app, &lib]) else { return };
    server.shake_hands("2025-06-18", &json!({ "roots": {} }));
    let (app, lib) = (app.display().to_string(), lib.display().to_string());
    let both = format!("{app}/src/a\n1:gem\n{lib}/src/a\n1:gem\n2 of 2 lines in 2 of 2 files");
    assert_eq!(server.text("search", &json!({ "pattern": "gem" })), both);
    assert_eq!(server.text("search", &json!({ "pattern": "gem", "paths": "src" })), both);
    let one = format!("{lib}/src/a\n1 of 1 files");
    for path in [format!("{lib}/src"), "lib/src".to_owned(), "./lib".to_owned()] {
        assert_eq!(server.text("files", &json!({ "paths": [path] })), one, "{path}");
    }
    for path in ["../other", "other", &top.join("other").display().to_string(), "/"] {
        let error = server.error("search", &json!({ "pattern": "gem", "paths": [path] }));
        let is_refused = error.ends_with("outside the directories that may be searched");
        assert!(is_refused || path == "other" && error.starts_with("other: No such"), "{error}");
    }
    let why = server.text("why", &json!({ "paths": ["src/only-app", format!("{lib}/src/a")] }));
    assert_eq!(why, format!("{app}/src/only-app: searched\n{lib}/src/a: searched"));
    let outside = top.join("other/a").display().to_string();
    assert!(server.error("why", &json!({ "paths": [outside] })).contains("only paths below"));
}

#[test]
fn roots_of_the_client_are_searched_if_no_directory_is_named() {
    let (_temp, top) = repository(&[("one dir/a", b"gem\n"), ("two/a", b"gem\n"), ("here/a", b"")]);
    let here = top.join("here");
    let uri = |name: &str| {
        let path = top.join(name).display().to_string().replace(' ', "%20");
        json!({ "uri": format!("file://{path}") })
    };
    let Some(mut server) = Server::start(&here, &[]) else { return };
    server.shake_hands("2025-06-18", &json!({ "roots": { "listChanged": true } }));
    let asked = server.receive();
    assert_eq!(asked["method"], "roots/list");
    // A call that comes before the roots waits for them.
    let id = server.request("files", &json!({}));
    let roots = json!([uri("one dir"), { "uri": "https://example.org" }, uri("gone")]);
    server.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "roots": roots } }));
    let answer = server.receive();
    assert_eq!(
        (&answer["id"], text_of(&answer["result"])),
        (&json!(id), "a\n1 of 1 files".to_owned())
    );
    let error = server.error("files", &json!({ "paths": "../two" }));
    assert!(error.ends_with("outside the directory that may be searched"), "{error}");

    server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" }));
    let asked = server.receive();
    let roots = json!([uri("one dir"), uri("two")]);
    server.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "roots": roots } }));
    let is_two = |text: &str| text.ends_with("2 of 2 files");
    // The answer and the call may overtake each other.
    let end = Instant::now() + PATIENCE;
    while !is_two(&server.text("files", &json!({}))) {
        assert!(Instant::now() < end, "the roots have not changed");
    }

    // Without roots, the current directory is searched.
    let Some(mut server) = Server::start(&here, &[]) else { return };
    server.shake_hands("2025-06-18", &json!({}));
    assert_eq!(server.text("files", &json!({})), "a\n1 of 1 files");
}

#[test]
fn no_line_of_a_file_outside_is_printed() {
    let temp = TempDir::new().expect("a directory");
    let repo = temp.path().join("repo");
    let secret = b"ls\ncurl -H \"Authorization: Bearer s3cr3t-t0ken\" \\\n  https://api\n";
    write(temp.path(), b"home/.bash_history", secret);
    write(&repo, b"src/a", b"gem\n");
    for name in [".ignore", ".gitignore", ".rgignore"] {
        std::os::unix::fs::symlink("../home/.bash_history", repo.join(name)).expect("a link");
    }
    let Some(mut server) = Server::of(&repo) else { return };
    for paths in [json!(["src"]), json!([]), json!(["src/a"])] {
        for (tool, pattern) in [("search", "gem"), ("files", "gem"), ("why", "gem")] {
            if tool == "why" && paths == json!([]) {
                continue;
            }
            let result = server.call(tool, &json!({ "pattern": pattern, "paths": paths }));
            assert!(!result.to_string().contains("s3cr3t"), "{tool} {paths}: {result}");
        }
    }
}
