//! `--agent-setup`: the lines that make an agent search with `hs`, in the file that the agent
//! reads.
//!
//! Each agent is a row of a table. A file in Markdown gets a block between two marks, a file in
//! JSON a key. Only the file of the row is changed, and `--undo` leaves what was there before.

use std::path::{Path, PathBuf};

use heist_walk::Root;

use crate::error::similar;

mod change;
mod file;
mod json;
mod markdown;

use change::Change;
use file::Target;

/// An agent, and the file that it reads its instructions from.
struct Agent {
    name: &'static str,
    file: &'static str,
    /// Files and directories of which one is there where the agent is used.
    signs: &'static [&'static str],
    format: Format,
}

/// The format of an agent's file.
#[derive(Clone, Copy)]
enum Format {
    /// Text in Markdown, which begins with this head if `hs` creates the file.
    Markdown(&'static str),
    /// The key `servers` has servers of the Model Context Protocol.
    Servers,
}

/// What makes a rule of this agent apply to every request.
const CURSOR_HEAD: &str = "---\ndescription: Search with hs\nalwaysApply: true\n---\n";

const AGENTS: [Agent; 7] = [
    Agent {
        name: "claude",
        file: "CLAUDE.md",
        signs: &["CLAUDE.md", ".claude"],
        format: Format::Markdown(""),
    },
    Agent {
        name: "codex",
        file: "AGENTS.md",
        signs: &["AGENTS.md", ".codex"],
        format: Format::Markdown(""),
    },
    Agent {
        name: "gemini",
        file: "GEMINI.md",
        signs: &["GEMINI.md", ".gemini"],
        format: Format::Markdown(""),
    },
    Agent {
        name: "cursor",
        file: ".cursor/rules/hs.mdc",
        signs: &[".cursor"],
        format: Format::Markdown(CURSOR_HEAD),
    },
    Agent {
        name: "copilot",
        file: ".github/copilot-instructions.md",
        signs: &[".github/copilot-instructions.md"],
        format: Format::Markdown(""),
    },
    Agent {
        name: "vscode",
        file: ".vscode/mcp.json",
        signs: &[".vscode"],
        format: Format::Servers,
    },
    Agent {
        name: "opencode",
        file: "AGENTS.md",
        signs: &["AGENTS.md", "opencode.json", ".opencode"],
        format: Format::Markdown(""),
    },
];

/// What is to be done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SetupAction {
    /// The lines are taken back (`--undo`).
    pub(crate) undo: bool,
    /// The file is changed (`--yes`); otherwise only reported.
    pub(crate) writes: bool,
}

impl Agent {
    /// The lines that this agent's file gets.
    fn lines(&self) -> String {
        match self.format {
            Format::Markdown(_) => markdown::block("\n"),
            Format::Servers => format!("{}\n", json::server()),
        }
    }

    /// What becomes of this agent's file, which contains `text`; `None` if there is no such file.
    ///
    /// # Errors
    /// The file cannot be changed without harm to what else is in it.
    fn change(&self, text: Option<&[u8]>, undo: bool) -> Result<Change, String> {
        match (self.format, undo) {
            (Format::Markdown(head), false) => markdown::add(text, head),
            (Format::Markdown(head), true) => markdown::take_back(text, head),
            (Format::Servers, false) => json::add(text),
            (Format::Servers, true) => json::take_back(text),
        }
    }

    /// Reports what is done to this agent's file below `dir`, and does it if `action` writes.
    fn run(&self, dir: &Path, action: SetupAction) -> Result<String, String> {
        let failed = |why| format!("{}: {why}", self.file);
        let target = Target::open(dir, self.file).map_err(failed)?;
        let change = self.change(target.text(), action.undo).map_err(failed)?;
        let done = match (&change, action.undo) {
            (Change::None, false) => "nothing to do: the lines are in it",
            (Change::None, true) => "nothing to do: the lines are not in it",
            (Change::Write(_), false) if target.text().is_none() => "created, with these lines",
            (Change::Write(_), false) => "changed, with these lines",
            (Change::Write(_), true) => "changed: these lines are taken back",
            (Change::Remove, _) => "removed, as it had only these lines",
        };
        let name = target.name();
        if change == Change::None {
            return Ok(format!("{name}: {done}\n"));
        }
        if action.writes {
            target.apply(change).map_err(failed)?;
            return Ok(format!("{name}: {done}:\n{}", self.lines()));
        }
        Ok(format!("{name}: with --yes, it is {done}:\n{}", self.lines()))
    }

    /// Whether the agent seems to be used in `dir`.
    fn is_used(&self, dir: &Path) -> bool {
        self.signs.iter().any(|sign| dir.join(sign).symlink_metadata().is_ok())
    }

    /// A line about the state of this agent's file.
    fn state(&self, dir: &Path) -> String {
        let found = Target::open(dir, self.file)
            .and_then(|target| self.change(target.text(), false).map(|change| (target, change)));
        match found {
            Ok((_, Change::None)) => "has the lines".to_owned(),
            Ok((target, _)) if target.text().is_none() => "would be created".to_owned(),
            Ok(_) => "would get the lines".to_owned(),
            Err(why) => why,
        }
    }
}

/// Runs `--agent-setup` in `dir` for the agents that `roots` name; lists all agents if there is no
/// name. Returns the report.
///
/// # Errors
/// A name is unknown or missing, or a file cannot be changed without harm.
pub(crate) fn run(dir: &Path, roots: &[Root], action: SetupAction) -> Result<String, String> {
    let names: Vec<String> = roots
        .iter()
        .filter_map(|root| match root {
            Root::Path(path) => Some(path.to_string_lossy().into_owned()),
            Root::Stdin => Some("-".to_owned()),
            Root::Here => None,
        })
        .collect();
    if names.is_empty() {
        return match action.writes {
            true => Err(format!("--yes requires the name of an agent: {}", known())),
            false => Ok(list(dir)),
        };
    }
    let mut chosen: Vec<&Agent> = Vec::new();
    for name in &names {
        let agent = AGENTS.iter().find(|agent| agent.name == name);
        let agent = agent.ok_or_else(|| {
            let similar = similar(name, AGENTS.iter().map(|agent| agent.name));
            let meant = similar.map(|name| format!("; similar: {name}")).unwrap_or_default();
            format!("--agent-setup knows no agent {name:?} (known: {}){meant}", known())
        })?;
        // Two agents may read one file.
        if chosen.iter().all(|other| other.file != agent.file) {
            chosen.push(agent);
        }
    }
    chosen.into_iter().map(|agent| agent.run(dir, action)).collect()
}

/// The names of all agents.
fn known() -> String {
    AGENTS.map(|agent| agent.name).join(", ")
}

/// All agents, those first that are used in `dir`, and the lines that their files get.
fn list(dir: &Path) -> String {
    let mut agents: Vec<&Agent> = AGENTS.iter().collect();
    agents.sort_by_key(|agent| !agent.is_used(dir));
    let mut text = String::new();
    for agent in agents {
        text += &format!("{:<9} {:<32} {}\n", agent.name, agent.file, agent.state(dir));
    }
    text +=
        "\nThe lines, which hs --agent-setup NAME --yes writes and --undo --yes takes back:\n\n";
    text += &markdown::block("\n");
    text += &format!("\nIn .vscode/mcp.json, below \"servers\":\n\n{}\n", json::server());
    text
}

/// The directory in which the setup of an agent takes place.
pub(crate) fn place() -> Result<PathBuf, String> {
    std::env::current_dir()
        .and_then(std::fs::canonicalize)
        .map_err(|error| format!("the current directory: {error}"))
}

#[cfg(test)]
mod tests;
