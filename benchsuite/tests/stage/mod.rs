//! A tree of a few files, and beside it scripts in the place of `hs` and its rivals.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

pub(crate) struct Stage {
    pub(crate) dir: TempDir,
}

impl Stage {
    /// With these files below `tree`, and an `hs` that does this.
    pub(crate) fn new(files: &[(&str, &str)], hs: &str) -> Stage {
        let stage = Stage { dir: tempfile::tempdir().expect("a directory") };
        fs::create_dir_all(stage.path("tree/deep")).expect("a tree");
        for (name, text) in files {
            fs::write(stage.path("tree").join(name), text).expect("a file");
        }
        fs::create_dir(stage.path("bin")).expect("a place for programs");
        stage.install("hs", hs);
        stage
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A program that prints its version, or runs `script`.
    pub(crate) fn install(&self, name: &str, script: &str) {
        let path = self.path("bin").join(name);
        let version = format!("[ \"$*\" = --version ] && echo {name} 1.0 && exit");
        fs::write(&path, format!("#!/bin/sh\n{version}\n{script}\n")).expect("a program");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("to be run");
    }

    /// `benchsuite` with these arguments, which finds the programs first.
    pub(crate) fn benchsuite(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_benchsuite"));
        let path = std::env::var("PATH").unwrap_or_default();
        command.args(arguments.split(' ')).current_dir(self.dir.path());
        command.env("PATH", format!("{}:{path}", self.path("bin").display()));
        command.env("HOME", self.dir.path());
        command
    }

    pub(crate) fn record(&self) -> Value {
        let text = fs::read_to_string(self.path("r.json")).expect("a record");
        serde_json::from_str(&text).expect("JSON")
    }
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
