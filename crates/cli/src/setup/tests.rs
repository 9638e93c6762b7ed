//! Random files, which must be the same once the lines are taken back.

use std::fs;

use serde_json::{Value, json};

use super::*;

/// The text of a change that writes.
fn written(change: Result<Change, String>) -> Vec<u8> {
    match change {
        Ok(Change::Write(text)) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn random_files_in_markdown_are_the_same_after_undo() {
    let mut random = fastrand::Rng::with_seed(48);
    let parts = [
        "\n",
        "\r\n",
        "\r",
        "a",
        "é",
        "# Rules\n",
        "<!-- hs: begin",
        "\u{feff}",
        "```\n",
        " ",
        "<!-- x -->\n",
    ];
    for head in ["", CURSOR_HEAD] {
        for _ in 0..4_000 {
            let len = random.usize(..12);
            let mut text: String = (0..len).map(|_| parts[random.usize(..parts.len())]).collect();
            if random.u8(..9) == 0 {
                text.insert_str(0, head);
            }
            let mut text = text.into_bytes();
            if random.u8(..9) == 0 {
                text.push(0xff);
            }
            let new = written(markdown::add(Some(&text), head));
            assert_eq!(markdown::add(Some(&new), head), Ok(Change::None));
            assert!(new.starts_with(&text));
            let old = written(markdown::take_back(Some(&new), head));
            assert_eq!(old, text);
            assert_eq!(markdown::take_back(Some(&text), head), Ok(Change::None));
        }
    }
}

#[test]
fn a_block_is_brought_up_to_date_where_it_is() {
    let old = b"a\n<!-- hs: begin -->\nolder lines\n<!-- hs: end -->\nb\n";
    let new = written(markdown::add(Some(old), ""));
    assert_eq!(new, format!("a\n{}b\n", markdown::block("\n")).as_bytes());
    assert_eq!(written(markdown::take_back(Some(old), "")), b"ab\n");
}

#[test]
fn what_cannot_be_changed_without_harm_stays() {
    for text in [
        "<!-- hs: begin -->\n",
        "<!-- hs: end -->\n<!-- hs: begin -->\n",
        "<!-- hs: begin -->\n<!-- hs: end -->\n<!-- hs: end -->\n",
        "a\0",
    ] {
        assert!(markdown::add(Some(text.as_bytes()), "").is_err(), "{text}");
        assert!(markdown::take_back(Some(text.as_bytes()), "").is_err(), "{text}");
    }
    for text in [
        "",
        "[]",
        "{ // comment\n}",
        "{\"a\": 1,}",
        "{\"servers\": []}",
        "{\"servers\": {\"hs\": {\"command\": \"other\"}}}",
    ] {
        assert!(json::add(Some(text.as_bytes())).is_err(), "{text}");
    }
}

#[test]
fn created_files_are_removed() {
    for agent in &AGENTS {
        let text = written(agent.change(None, false));
        assert_eq!(agent.change(Some(&text), false), Ok(Change::None), "{}", agent.name);
        assert_eq!(agent.change(Some(&text), true), Ok(Change::Remove), "{}", agent.name);
        assert_eq!(agent.change(None, true), Ok(Change::None), "{}", agent.name);
    }
    let created = written(json::add(None));
    let value: Value = serde_json::from_slice(&created).expect("JSON");
    assert_eq!(value["servers"]["hs"]["command"], "heist-mcp");
}

/// A random value, formatted at random.
fn random_json(random: &mut fastrand::Rng, depth: usize, keys: &[&str]) -> String {
    let blanks =
        |random: &mut fastrand::Rng| ["", " ", "\n  ", "\r\n\t"][random.usize(..4)].to_owned();
    let count = random.usize(..4);
    let mut members = Vec::new();
    for index in 0..count {
        let key = keys.get(index).map_or_else(|| format!("k{index}"), |key| (*key).to_owned());
        let value = match random.u8(..4) {
            _ if key == "servers" => random_json(random, depth, &["other"]),
            0 if depth > 0 => random_json(random, depth - 1, &["hs"]),
            1 => "\"}, { \\\"hs\\\": \"".to_owned(),
            2 => "[1, {\"servers\": {}}]".to_owned(),
            _ => "-1.5e3".to_owned(),
        };
        let [a, b, c] = [(); 3].map(|()| blanks(random));
        members.push(format!("{a}\"{key}\"{b}:{c}{value}"));
    }
    let end = blanks(random);
    format!("{{{}{end}}}", members.join(","))
}

#[test]
fn random_files_in_json_are_the_same_after_undo() {
    let mut random = fastrand::Rng::with_seed(48);
    for _ in 0..8_000 {
        let keys: &[&str] = if random.bool() { &["inputs", "servers"] } else { &["a"] };
        let mut text = random_json(&mut random, 2, keys);
        text += ["", "\n", "\r\n"][random.usize(..3)];
        let mut expected: Value = serde_json::from_str(&text).expect("JSON");
        let new = written(json::add(Some(text.as_bytes())));
        let found: Value = serde_json::from_slice(&new).expect("JSON");
        if expected.get("servers").is_none() {
            expected["servers"] = json!({});
        }
        expected["servers"]["hs"] = json!({
            "type": "stdio", "command": "heist-mcp", "args": ["${workspaceFolder}"],
        });
        assert_eq!(found, expected, "{text}");
        assert_eq!(json::add(Some(&new)), Ok(Change::None), "{text}");
        let old = written(json::take_back(Some(&new)));
        assert_eq!(String::from_utf8(old).expect("text"), text);
    }
}

#[test]
fn an_editor_may_have_formatted_the_server() {
    let text = b"{\"servers\":{\"a\":1,\n\"hs\":{\"args\":[\"${workspaceFolder}\"],\"command\":\"heist-mcp\",\"type\":\"stdio\"}}}";
    assert_eq!(json::add(Some(text)), Ok(Change::None));
    assert_eq!(written(json::take_back(Some(text))), b"{\"servers\":{\"a\":1}}");
}

/// Runs the setup of one agent, as `--yes` does.
fn set_up(dir: &Path, name: &str, undo: bool) -> Result<String, String> {
    let dir = fs::canonicalize(dir).expect("a directory");
    run(&dir, &[Root::Path(name.into())], SetupAction { undo, writes: true })
}

#[test]
fn only_the_named_file_changes_and_keeps_its_mode() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("CLAUDE.md"), "# Rules").expect("a file");
    let paths = || {
        let entries = fs::read_dir(dir.path()).expect("a directory");
        let mut names: Vec<_> = entries.map(|entry| entry.expect("an entry").file_name()).collect();
        names.sort();
        names
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::Permissions::from_mode(0o640);
        fs::set_permissions(dir.path().join("CLAUDE.md"), mode).expect("a mode");
    }
    let before = paths();
    let report = run(dir.path(), &[Root::Path("claude".into())], SetupAction::default());
    assert!(report.is_ok_and(|report| report.starts_with("CLAUDE.md: with --yes")));
    assert_eq!(fs::read(dir.path().join("CLAUDE.md")).expect("a file"), b"# Rules");
    set_up(dir.path(), "claude", false).expect("a change");
    assert_eq!(paths(), before);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let metadata = fs::metadata(dir.path().join("CLAUDE.md")).expect("a file");
        assert_eq!(metadata.permissions().mode() & 0o777, 0o640);
    }
    set_up(dir.path(), "claude", true).expect("a change");
    assert_eq!(fs::read(dir.path().join("CLAUDE.md")).expect("a file"), b"# Rules");
    for agent in &AGENTS {
        set_up(dir.path(), agent.name, false).expect("a change");
    }
    assert!(dir.path().join(".cursor/rules/hs.mdc").is_file());
    for agent in &AGENTS {
        set_up(dir.path(), agent.name, true).expect("a change");
    }
    assert_eq!(paths(), before);
}

#[cfg(unix)]
#[test]
fn links_are_followed_within_the_directory_only() {
    use std::os::unix::fs::symlink;
    let (dir, elsewhere) =
        (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
    let path = |name: &str| dir.path().join(name);
    fs::write(path("AGENTS.md"), "rules\n").expect("a file");
    symlink("AGENTS.md", path("CLAUDE.md")).expect("a link");
    let report = set_up(dir.path(), "claude", false).expect("a change");
    assert!(report.starts_with("CLAUDE.md (which is AGENTS.md): changed"), "{report}");
    assert!(path("CLAUDE.md").is_symlink());
    assert_eq!(set_up(dir.path(), "codex", true).map(|_| ()), Ok(()));
    assert_eq!(fs::read(path("AGENTS.md")).expect("a file"), b"rules\n");

    fs::write(elsewhere.path().join("x"), "").expect("a file");
    symlink(elsewhere.path().join("x"), path("GEMINI.md")).expect("a link");
    symlink(elsewhere.path(), path(".github")).expect("a link");
    symlink("nowhere", path(".vscode")).expect("a link");
    for name in ["gemini", "copilot", "vscode"] {
        assert!(set_up(dir.path(), name, false).is_err(), "{name}");
    }
    fs::create_dir_all(path(".cursor/rules/hs.mdc")).expect("a directory");
    let error = set_up(dir.path(), "cursor", false).expect_err("a directory");
    assert!(error.contains("no regular file"), "{error}");
}
