//! Cases of git's configuration and of exclude files, with git itself as the oracle.

use std::{collections::HashMap, ffi::CStr};

use super::*;

struct Files(HashMap<&'static [u8], &'static [u8]>);

impl ReadFile for Files {
    fn read(&mut self, name: &CStr, into: &mut Vec<u8>) -> io::Result<()> {
        // The error below a file differs from that of a missing file.
        let is_below_file =
            name.to_bytes().starts_with(b".git/") && self.0.contains_key(&b".git"[..]);
        let missing =
            if is_below_file { io::ErrorKind::NotADirectory } else { io::ErrorKind::NotFound };
        into.clear();
        into.extend_from_slice(self.0.get(name.to_bytes()).ok_or(missing)?);
        Ok(())
    }
}

fn exclude(files: &[(&'static [u8], &'static [u8])]) -> Vec<u8> {
    let mut buffer = b"left over".to_vec();
    let mut files = Files(files.iter().copied().collect());
    let (path, result) = read_exclude(&mut files, &mut buffer);
    result.unwrap();
    if !buffer.is_empty() {
        let path = path.unwrap_or(".git/info/exclude".into());
        assert_eq!(files.0.get(path.as_os_str().as_encoded_bytes()), Some(&buffer.as_slice()));
    }
    buffer
}

#[test]
fn excludes_are_found_in_repositories_worktrees_and_submodules() {
    assert_eq!(exclude(&[]), b"");
    assert_eq!(exclude(&[(b".git/info/exclude", b"a")]), b"a");
    let worktree: [(&[u8], &[u8]); 3] = [
        (b".git", b"gitdir: /r/.git/worktrees/w\n"),
        (b"/r/.git/worktrees/w/commondir", b"../..\n"),
        (b"/r/.git/worktrees/w/../../info/exclude", b"b"),
    ];
    assert_eq!(exclude(&worktree), b"b");
    let absolute: [(&[u8], &[u8]); 3] = [
        (b".git", b"gitdir: /r/.git/worktrees/w"),
        (b"/r/.git/worktrees/w/commondir", b"/q/.git"),
        (b"/q/.git/info/exclude", b"c"),
    ];
    assert_eq!(exclude(&absolute), b"c");
    let submodule: [(&[u8], &[u8]); 2] =
        [(b".git", b"gitdir: ../.git/modules/m\n"), (b"../.git/modules/m/info/exclude", b"d")];
    assert_eq!(exclude(&submodule), b"d");
    assert_eq!(exclude(&[(b".git", b"nonsense")]), b"");
    assert_eq!(exclude(&[(b".git", b"gitdir: /missing")]), b"");
}

#[test]
fn the_value_of_excludes_file_is_read_as_git_reads_it() {
    let cases: [(&str, Option<&str>); 27] = [
        ("[core]\n\texcludesFile = ~/x\n", Some("~/x")),
        ("[core] EXCLUDESFILE=/x ; why", Some("/x")),
        ("[core]\nexcludesfile = \"/a b#c\" # d", Some("/a b#c")),
        ("[CORE]excludesfile = /a\\\\b\\\"", Some("/a\\b\"")),
        ("[core]excludesfile = /a b  ", Some("/a b")),
        ("[core]\r\nexcludesfile = /a\r\n", Some("/a")),
        ("[core]excludesfile = /a\nexcludesfile = /b", Some("/b")),
        ("[core]excludesfile =\n", Some("")),
        ("[core]excludesfile = /a\nexcludesfile =", Some("")),
        ("[core]excludesfile = /a\\\n b\\\r\nc#\\\nx=1", Some("/a bc")),
        ("[core]excludesfile = \\\n  /a \" b \" ", Some("/a  b ")),
        ("[core]x = \\\nexcludesfile = /a", None),
        ("[core]x = \"\\\nexcludesfile = /a\"", None),
        ("[core]x = 1 # \"\nexcludesfile = /a", Some("/a")),
        ("\u{feff}[core]excludesfile = /a", Some("/a")),
        ("# excludesfile = /a", None),
        ("# [core] excludesfile = /a\n", None),
        ("[core]\n ; excludesfile = /a\n", None),
        ("#[core]\nexcludesfile = /a", None),
        ("[other]excludesfile = /a\n", None),
        ("[core]excludesfile = /a\n[other]\nexcludesfile = /b\n", Some("/a")),
        ("[core]\n[a \"]\\\"b\"]excludesfile = /b\n[core]excludesfile = /a", Some("/a")),
        ("[core \"x\"]excludesfile = /a\n", None),
        ("[core.x]\nexcludesfile = /a\n", None),
        ("[core]x\nexcludesfile = /a\ny", Some("/a")),
        ("[core]excludesfiles = /a\n[x]\nexcludes = file", None),
        ("", None),
    ];
    for (config, expected) in cases {
        let value = excludes_file(config.as_bytes());
        assert_eq!(value.as_deref(), expected.map(str::as_bytes), "{config:?}");
        if let Some(judged) = judge(config) {
            assert_eq!(value, judged, "{config:?}");
        }
    }
}

#[test]
fn random_configurations_are_read_as_git_reads_them() {
    // No tab: git 2.39 turns it into a blank, later versions do not.
    let parts = "[core]~[core]\n~[Core]~[core \"]\"]~[core.x]~[x]~excludesfile~excludesFile = ~x = ~=~ \
        ~\n~\r\n~#~;~\"~\\\n~\\t~\\\\~a~b";
    let parts: Vec<&str> = parts.split('~').collect();
    let mut random = fastrand::Rng::with_seed(7);
    let mut judged = 0;
    for _ in 0..200 {
        let mut config = "[core]\nexcludesfile = ".to_owned();
        (0..random.usize(..12)).for_each(|_| config += parts[random.usize(..parts.len())]);
        if let Some(expected) = judge(&config) {
            assert_eq!(excludes_file(config.as_bytes()), expected, "{config:?}");
            judged += 1;
        }
    }
    assert!(judged > 50 || judge("").is_none(), "{judged}");
}

/// The value that git finds; `None` without git, or if git rejects the file.
fn judge(config: &str) -> Option<Option<Vec<u8>>> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("config");
    std::fs::write(&path, config).unwrap();
    let mut git = std::process::Command::new("git");
    let output = git.args(["config", "--null", "--list", "--file"]).arg(&path).output().ok()?;
    let variables = output.stdout.split(|&byte| byte == 0);
    let mut values = variables.filter_map(|text| text.strip_prefix(b"core.excludesfile"));
    let last = values.rfind(|value| matches!(value.first(), None | Some(b'\n')));
    // A variable without a value is a boolean, which git rejects later.
    let is_refused = !output.status.success() || last == Some(b"");
    (!is_refused).then(|| last.map(|value| value[1..].to_vec()))
}

#[test]
fn the_first_configuration_that_names_a_file_decides() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let environment = Environment {
        home: Some(path("home")),
        git_config_global: Some(path("global")),
        git_config_system: Some(path("system")),
        ..Environment::default()
    };
    let found = || global_excludes(&environment);
    std::fs::create_dir_all(path("home/.config/git")).unwrap();
    assert_eq!(found(), Some(path("home/.config/git/ignore")));
    let files = ["system", "home/.config/git/config", "home/.gitconfig", "global"];
    for (number, file) in files.into_iter().enumerate() {
        std::fs::write(path(file), format!("[core]\nexcludesFile = ~/{number}")).unwrap();
        assert_eq!(found(), Some(path("home").join(number.to_string())), "{file}");
    }
    std::fs::write(path("global"), "[core]\nexcludesFile =").unwrap();
    assert_eq!(found(), None, "an empty value disables the default too");
    let nowhere = Environment { git_config_system: Some("".into()), ..Environment::default() };
    let is_from_system = std::fs::read("/etc/gitconfig").is_ok_and(|c| excludes_file(&c).is_some());
    assert!(is_from_system || global_excludes(&nowhere).is_none());
}
