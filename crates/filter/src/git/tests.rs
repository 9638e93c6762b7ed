//! Cases of git's configuration and of exclude files, with git itself as the oracle.

use std::{collections::HashMap, ffi::CStr, io, path::MAIN_SEPARATOR};

use skipped_tests::skip;

use super::{
    evaluation::{ConfigFile, Core, Sources},
    *,
};
use crate::{config::Environment, read_file::ReadFile};

/// What a single file sets.
fn core(config: &[u8]) -> Core {
    let file = ConfigFile { path: "/nonexistent/config".into(), contents: config.to_vec() };
    let sources = Sources { files: &[&file], variables: &[], home: None, git_dir: None };
    sources.evaluate().0
}

/// A path with slashes.
fn slashed(path: &[u8]) -> Vec<u8> {
    path.iter().map(|&byte| if byte == MAIN_SEPARATOR as u8 { b'/' } else { byte }).collect()
}

struct Files(HashMap<&'static [u8], &'static [u8]>);

impl ReadFile for Files {
    fn read(&mut self, name: &CStr, into: &mut Vec<u8>) -> io::Result<()> {
        // The error below a file differs from that of a missing file.
        let is_below_file =
            name.to_bytes().starts_with(b".git/") && self.0.contains_key(&b".git"[..]);
        let missing =
            if is_below_file { io::ErrorKind::NotADirectory } else { io::ErrorKind::NotFound };
        into.clear();
        into.extend_from_slice(self.0.get(&*slashed(name.to_bytes())).ok_or(missing)?);
        Ok(())
    }
}

fn exclude(files: &[(&'static [u8], &'static [u8])]) -> Vec<u8> {
    let mut buffer = b"left over".to_vec();
    let mut files = Files(files.iter().copied().collect());
    let (path, result) = read_in_repository(&mut files, EXCLUDE, &mut buffer);
    result.unwrap();
    if !buffer.is_empty() {
        let path = path.unwrap_or(".git/info/exclude".into());
        let path = slashed(path.as_os_str().as_encoded_bytes());
        assert_eq!(files.0.get(&*path), Some(&buffer.as_slice()));
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
        let value = core(config.as_bytes()).excludes_file;
        assert_eq!(value.as_deref(), expected.map(str::as_bytes), "{config:?}");
        if let Some(judged) = judge(config) {
            assert_eq!(value, judged, "{config:?}");
        }
    }
}

#[test]
fn ignore_case_is_read_as_git_reads_it() {
    let cases = [
        ("[core]\n\tignorecase = true\n", Some(true)),
        ("[core]ignoreCase=YES", Some(true)),
        ("[core]\nignorecase", Some(true)),
        ("[core]\nignorecase \r\n[x]", Some(true)),
        ("[core]ignorecase = on # why", Some(true)),
        ("[core]ignorecase = 2", Some(true)),
        ("[core]ignorecase = -1k", Some(true)),
        ("[core]ignorecase = 0", Some(false)),
        ("[core]ignorecase = off", Some(false)),
        ("[core]ignorecase = 0x1F", Some(true)),
        ("[core]ignorecase = -0X0", Some(false)),
        ("[core]ignorecase = 0x1k", Some(true)),
        ("[core]ignorecase = 010", Some(true)),
        ("[core]ignorecase = 00m", Some(false)),
        ("[core]ignorecase = +1G", Some(true)),
        ("[core]ignorecase = \" \t1\"", Some(true)),
        ("[core]ignorecase = 2147483647", Some(true)),
        ("[core]ignorecase = 2097151k", Some(true)),
        ("[core]ignorecase = 2147483648", None),
        ("[core]ignorecase = 2097152k", None),
        ("[core]ignorecase = 2g", None),
        ("[core]ignorecase = 99999999999999999999", None),
        ("[core]ignorecase = \"1 \"", None),
        ("[core]ignorecase = 08", None),
        ("[core]ignorecase = 0x", None),
        ("[core]ignorecase = 0b1", None),
        ("[core]ignorecase = 1kk", None),
        ("[core]ignorecase = 1t", None),
        ("[core]ignorecase = k", None),
        ("[core]ignorecase = --1", None),
        ("[core]ignorecase =", Some(false)),
        ("[core]ignorecase = true\nignorecase = no", Some(false)),
        ("[x]ignorecase = true", None),
        ("[core]\n# ignorecase = true", None),
        ("[core]bare = true", None),
    ];
    for (config, expected) in cases {
        assert_eq!(core(config.as_bytes()).ignore_case, expected, "{config:?}");
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config");
        std::fs::write(&path, config).unwrap();
        let mut git = std::process::Command::new("git");
        git.args(["config", "--file"]).arg(&path).args(["--type=bool", "core.ignorecase"]);
        let Ok(judged) = git.output() else {
            skip("git is not installed");
            continue;
        };
        let judged = String::from_utf8(judged.stdout).unwrap();
        assert_eq!(expected, judged.trim().parse().ok(), "{config:?}");
    }
    assert_eq!(core(b"[core]ignorecase = maybe").ignore_case, None, "git rejects it");
}

#[test]
fn ignore_case_is_found_in_repositories_and_worktrees() {
    let found = |files: &[(&'static [u8], &'static [u8])]| {
        let files = &mut Files(files.iter().copied().collect());
        let own = UserConfig::default().in_repository(files, &mut Vec::new(), &|| {
            unreachable!("nothing depends on the place of the repository")
        });
        assert_eq!(own.excludes, OwnExcludes::Usual);
        own.ignore_case
    };
    assert!(!found(&[]));
    assert!(found(&[(b".git/config", b"[core]ignorecase=true")]));
    let worktree = |config| {
        found(&[
            (b".git", b"gitdir: /r/.git/worktrees/w\n"),
            (b"/r/.git/worktrees/w/commondir", b"../..\n"),
            (b"/r/.git/worktrees/w/../../config", config),
        ])
    };
    assert!(worktree(b"[core]ignorecase=true") && !worktree(b"[core]ignorecase=false"));
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
            let found = core(config.as_bytes()).excludes_file;
            assert_eq!(found, expected, "{config:?}");
            judged += 1;
        }
    }
    if judge("").is_none() {
        return skip("git is not installed");
    }
    assert!(judged > 50, "{judged}");
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
    let without_global = Environment { git_config_global: None, ..environment.clone() };
    let excludes_file = |environment: &Environment| UserConfig::read(environment).excludes_file;
    std::fs::create_dir_all(path("home/.config/git")).unwrap();
    assert_eq!(excludes_file(&without_global), Some(path("home/.config/git/ignore")));
    let files = ["system", "home/.config/git/config", "home/.gitconfig"];
    for (number, file) in files.into_iter().enumerate() {
        std::fs::write(path(file), format!("[core]\nexcludesFile = ~/{number}")).unwrap();
        let expected = path("home").join(number.to_string());
        assert_eq!(excludes_file(&without_global), Some(expected), "{file}");
    }
    let from_system = Some(path("home/0"));
    assert_eq!(excludes_file(&environment), from_system, "it replaces both files of the user");
    std::fs::write(path("global"), "[core]\nexcludesFile = ~/3").unwrap();
    assert_eq!(excludes_file(&environment), Some(path("home/3")));
    let variables = vec![(b"core.excludesfile".to_vec(), Some(b"/4".to_vec()))];
    let set = Environment { git_config_variables: variables, ..environment.clone() };
    assert_eq!(excludes_file(&set), Some("/4".into()));
    std::fs::write(path("global"), "[core]\nexcludesFile =").unwrap();
    assert_eq!(excludes_file(&environment), None, "an empty value disables the default too");
    let empty = Environment { git_config_global: Some("".into()), ..environment };
    assert_eq!(excludes_file(&empty), from_system, "there is no such file");
    let no_system = Environment { git_config_nosystem: true, ..empty };
    assert_eq!(excludes_file(&no_system), Some(path("home/.config/git/ignore")));
}

#[test]
fn each_variable_is_taken_from_the_first_configuration_that_sets_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let environment = Environment {
        home: Some(path("")),
        git_config_global: Some(path("global")),
        git_config_system: Some(path("system")),
        ..Environment::default()
    };
    std::fs::write(path("global"), "[core]excludesFile = a").unwrap();
    std::fs::write(path("system"), "[core]excludesFile = b\nignoreCase").unwrap();
    let user = UserConfig::read(&environment);
    assert_eq!((user.excludes_file, user.ignore_case), (Some("a".into()), true));
    std::fs::write(path("global"), "[core]ignoreCase = false").unwrap();
    let user = UserConfig::read(&environment);
    assert_eq!((user.excludes_file, user.ignore_case), (Some("b".into()), false));
}

#[test]
fn roaming_files_of_windows_outrank_those_below_home_if_they_exist() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    std::fs::create_dir_all(path("roaming/Git")).unwrap();
    let mut environment = Environment {
        home: Some(path("home")),
        app_data: Some(path("roaming")),
        git_config_system: Some(path("none")),
        ..Environment::default()
    };
    let below_home = Some(path("home/.config/git/ignore"));
    assert_eq!(UserConfig::read(&environment).excludes_file, below_home);
    std::fs::write(path("roaming/Git/ignore"), "").unwrap();
    assert_eq!(UserConfig::read(&environment).excludes_file, Some(path("roaming/Git/ignore")));
    environment.xdg_config_home = Some(path("xdg"));
    assert_eq!(UserConfig::read(&environment).excludes_file, Some(path("xdg/git/ignore")));
}
