//! What is found, and how it is shown.

use super::*;

#[test]
fn each_line_of_a_match_has_its_number() {
    let config = "config MEMCG_KMEM\n\tbool\n\tdepends on MEMCG\n\tdefault y\n\nconfig X\n";
    let long = format!("begin{}\n{}\nend{}\n", "x".repeat(500), "y".repeat(500), "z".repeat(500));
    let (_temp, top) = repository(&[
        ("a.txt", b"begin\nsecret/keys.txt\n1:password\nend\n"),
        ("Kconfig", config.as_bytes()),
        ("long", long.as_bytes()),
    ]);
    let Some(mut server) = Server::of(&top) else { return };
    let end = "1 of 1 lines in 1 of 1 files";
    let arguments = json!({ "pattern": "begin.*end", "dot_all": true, "paths": "a.txt" });
    let expected = format!("a.txt\n1:begin\n2:secret/keys.txt\n3:1:password\n4:end\n{end}");
    assert_eq!(server.text("search", &arguments), expected);
    // That matches may span lines does not change what a dot matches.
    let arguments = json!({ "pattern": "begin.*end", "multiline": true });
    let none = "0 of 0 lines in 0 of 0 files\nnothing in 3 files; not looked at: .git";
    assert_eq!(server.text("search", &arguments), none);
    let arguments =
        json!({ "pattern": "^config MEMCG_KMEM\\n(?:[ \\t].*\\n)*", "multiline": true });
    let expected = format!(
        "Kconfig\n1:config MEMCG_KMEM\n2:\tbool\n3:\tdepends on MEMCG\n4:\tdefault y\n{end}"
    );
    assert_eq!(server.text("search", &arguments), expected);
    // No part of a line is joined with a part of another.
    let arguments = json!({ "pattern": "n.*e", "dot_all": true, "paths": "long" });
    let text = server.text("search", &arguments);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 5, "{text}");
    for (line, (start, letter)) in
        lines[1..4].iter().zip([("1:b", 'x'), ("2:y", 'y'), ("3:e", 'z')])
    {
        assert!(
            line.starts_with(start) && line.contains('…') && line.ends_with([letter, '…']),
            "{line}"
        );
        let others = "xyz".replace(letter, "");
        assert!(!line.contains(|char| others.contains(char)), "{line}");
    }
    // A match of many lines is cut between lines.
    let arguments =
        json!({ "pattern": "begin.*end", "dot_all": true, "max_bytes": 40, "order": "path" });
    let text = server.text("search", &arguments);
    assert!(text.starts_with("a.txt\n1:begin\n2:secret/keys.txt\n…\n1 of "), "{text}");
}

#[test]
fn source_code_is_shown_whole() {
    let line =
        format!("ssize_t vfs_read(struct file *file, {}size_t count)", "char *b, ".repeat(14));
    assert!(line.len() > 160 && line.len() < 200);
    let (_temp, top) = repository(&[("a.c", format!("{line}\n{line} gem\n").as_bytes())]);
    let Some(mut server) = Server::of(&top) else { return };
    let arguments = json!({ "pattern": "gem", "context": 1 });
    let expected = format!("a.c\n1-{line}\n2:{line} gem\n1 of 1 lines in 1 of 1 files");
    assert_eq!(server.text("search", &arguments), expected);
}

#[test]
fn line_ends_encodings_and_binary_files_have_parameters() {
    let (_temp, top) = repository(&[
        ("a.elm", b"f : Int -> Bool\r\ng : X\r\n"),
        ("latin1.txt", b"Gr\xf6\xdfe\n"),
        ("binary", b"gem\0\ngem\n"),
    ]);
    let Some(mut server) = Server::of(&top) else { return };
    let found = "a.elm\n1:f : Int -> Bool\n1 of 1 lines in 1 of 1 files";
    let none = "0 of 0 lines in 0 of 0 files";
    for (arguments, expected) in [
        (json!({ "pattern": "-> Bool$" }), found),
        (json!({ "pattern": "Bool$", "multiline": true }), found),
        (json!({ "pattern": "Bool$", "pcre2": true }), found),
        (json!({ "pattern": "-> Bool$", "crlf": false }), none),
        (json!({ "pattern": "Größe" }), none),
        (
            json!({ "pattern": "Größe", "encoding": "latin1" }),
            "latin1.txt\n1:Größe\n1 of 1 lines in 1 of 1 files",
        ),
        (json!({ "pattern": "gem$", "text": true }), "binary\n2:gem\n1 of 1 lines in 1 of 1 files"),
    ] {
        let text = server.text("search", &arguments);
        // An account follows where nothing is found.
        let text = text.split("\nnothing in ").next().expect("a text");
        assert_eq!(text, expected, "{arguments}");
    }
    let mut why = |arguments: Value| server.text("why", &arguments);
    let text = why(json!({ "paths": ["a.elm"], "pattern": "Bool$" }));
    assert_eq!(text, "a.elm: searched, 1 line matches");
    let text = why(json!({ "paths": ["a.elm"], "pattern": "Bool$", "crlf": false }));
    assert!(text.ends_with(", see `crlf`"), "{text}");
    let text = why(json!({ "paths": ["latin1.txt"], "pattern": "Größe" }));
    assert!(text.ends_with("see `encoding`"), "{text}");
    let text = why(json!({ "paths": ["binary"], "pattern": "rock" }));
    assert!(text.ends_with("see `text: true`"), "{text}");
}

#[test]
fn what_surrounds_a_match_has_parameters() {
    let (_temp, top) = repository(&[(
        "a.rs",
        b"fn go() {\n    one();\n\n    two();\n    gem();\n    Gem();\n\n    end();\n}\n",
    )]);
    let Some(mut server) = Server::of(&top) else { return };
    for (more, expected) in [
        (json!({ "context": 1 }), "4-    two();\n5:    gem();\n6-    Gem();"),
        (json!({ "before": 2 }), "3-\n4-    two();\n5:    gem();"),
        (json!({ "after": 1 }), "5:    gem();\n6-    Gem();"),
        (json!({ "paragraph": true }), "4-    two();\n5:    gem();\n6-    Gem();"),
        (json!({ "show_function": true }), "1=fn go() {\n5:    gem();"),
        (
            json!({ "function_context": true }),
            "1=fn go() {\n2-    one();\n3-\n4-    two();\n5:    gem();\n6-    Gem();\n7-\n8-    \
             end();\n9-}",
        ),
        (json!({ "smart_case": true }), "5:    gem();\n6:    Gem();"),
        (json!({ "pcre2": true, "pattern": "gem(?=\\()" }), "5:    gem();"),
    ] {
        let mut arguments = more.clone();
        if more["pattern"].is_null() {
            arguments["pattern"] = "gem".into();
        }
        let text = server.text("search", &arguments);
        let results = if more["smart_case"] == true { 2 } else { 1 };
        let end = format!("{results} of {results} lines in 1 of 1 files");
        assert_eq!(text, format!("a.rs\n{expected}\n{end}"), "{more}");
    }
}

#[test]
fn lines_are_counted_for_each_file() {
    let (_temp, top) = repository(&[("a", b"gem\ngem\nrock\n"), ("b", b"gem\n"), ("c", b"rock\n")]);
    let Some(mut server) = Server::of(&top) else { return };
    let arguments = json!({ "pattern": "gem", "counts": true });
    assert_eq!(server.text("files", &arguments), "a:2\nb:1\n2 of 2 files");
    let counts = &server.call("files", &arguments)["structuredContent"]["counts"];
    assert_eq!(counts, &json!([{ "path": "a", "lines": 2 }, { "path": "b", "lines": 1 }]));
    let arguments = json!({ "pattern": "gem", "counts": true, "max_results": 1 });
    let text = server.text("files", &arguments);
    assert_eq!(text, "a:2\n1 of 2 files (max_results); next: offset=1");
    let arguments = json!({ "pattern": "gem", "counts": true, "max_results": 1, "order": "path" });
    let text = server.text("files", &arguments);
    assert_eq!(text, "a:2\n1 of at least 2 files (max_results); next: offset=1");
}

#[test]
fn tracked_files_are_those_of_git() {
    let (_temp, top) = repository(&[]);
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.args(args).current_dir(&top).env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|end| end.success())
    };
    write(&top, b"a", b"gem\n");
    if !git(&["init", "-q"]) || !git(&["add", "a"]) {
        skip("git is not installed");
        return;
    }
    write(&top, b"b", b"gem\n");
    let Some(mut server) = Server::of(&top) else { return };
    assert_eq!(server.text("files", &json!({ "tracked": true })), "a\n1 of 1 files");
}

#[test]
fn other_worktrees_are_left_out_unless_they_are_requested() {
    let (_temp, top) = repository(&[
        (".git/HEAD", b"ref: refs/heads/main\n"),
        (".git/worktrees/fix/commondir", b"../..\n"),
        ("fix/.git", b"gitdir: ../.git/worktrees/fix\n"),
        ("fix/a", b"gem\n"),
        ("a", b"gem\n"),
    ]);
    let Some(mut server) = Server::of(&top) else { return };
    assert_eq!(server.text("files", &json!({})), "a\n1 of 1 files");
    assert_eq!(server.text("files", &json!({ "worktrees": true })), "a\nfix/a\n2 of 2 files");
    assert_eq!(server.text("files", &json!({ "paths": "fix" })), "fix/a\n1 of 1 files");
    let why = server.text("why", &json!({ "paths": ["fix/a"] }));
    let reason = "ignored: another worktree of this repository (see `worktrees: true`)";
    assert_eq!(why, format!("fix/a: fix: {reason}"));
}

#[test]
fn that_nothing_was_searched_is_stated_with_the_cause() {
    let (_temp, top) = repository(&[("src/sub/a.rs", b"gem\n"), ("top.rs", b"gem\n")]);
    let Some(mut server) = Server::of(&top) else { return };
    // Globs are understood as paths are.
    let whole = format!("{}/src/sub", top.display());
    for only in ["./src/sub/*.rs", "sub/*.rs", "src/./sub", &whole] {
        let arguments = json!({ "pattern": "gem", "only": only, "paths": "src" });
        let text = server.text("search", &arguments);
        assert_eq!(text, "src/sub/a.rs\n1:gem\n1 of 1 lines in 1 of 1 files", "{only}");
    }
    for (arguments, names) in [
        (json!({ "only": ["none/*.rs"], "paths": ["src"] }), "`paths` passes `only`"),
        (json!({ "only": ["none"] }), "the directory passes `only`"),
        (json!({ "types": ["py"], "only": ["*.rs"] }), "passes `only` and `types`"),
        (json!({ "newer": "2100-01-01" }), "passes `newer`"),
    ] {
        for tool in ["search", "files"] {
            let mut arguments = arguments.clone();
            arguments["pattern"] = "gem".into();
            let text = server.text(tool, &arguments);
            assert!(text.contains("! No files were searched: no file in "), "{arguments}: {text}");
            assert!(text.contains(names) && !text.contains("--"), "{arguments}: {text}");
        }
    }
    for tool in ["search", "files"] {
        let text = server.text(tool, &json!({ "pattern": "rock" }));
        assert!(!text.contains("No files were searched"), "{text}");
    }
}
