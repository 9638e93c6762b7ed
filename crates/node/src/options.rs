//! Arguments that several functions take. `lib/options.js` has checked the types of their values.

use std::{
    path::PathBuf,
    time::{Duration, SystemTime},
};

use heist::{
    Boundary, Case, FileTime, Matcher, MatcherConfig, Shard, ShardBy, Walk, matcher::name_pattern,
};
use napi_derive::napi;

use crate::{
    problem::Problem,
    text::{GivenPath, path_of},
};

/// What selects files.
#[napi(object, object_to_js = false)]
pub struct Selection {
    /// Where the files are.
    pub roots: Vec<GivenPath>,
    /// Globs of which one must match.
    pub only: Vec<String>,
    /// Globs of which none may match.
    pub exclude: Vec<String>,
    /// Types of files that are wanted.
    pub types: Vec<String>,
    /// Types of files that are not wanted.
    pub exclude_types: Vec<String>,
    /// Whether hidden files are wanted too.
    pub hidden: bool,
    /// Whether ignored files are wanted too.
    pub ignored: bool,
    /// How deep below its root a file may be.
    pub max_depth: Option<u32>,
    /// The time, in ms since 1970, after which files were modified.
    pub newer: Option<f64>,
    /// The time before which files were modified.
    pub older: Option<f64>,
    /// Whether only changed files are wanted.
    pub changed: bool,
    /// The commit from which changed files differ.
    pub changed_since: Option<String>,
    /// A part of the tree, such as `3/64`.
    pub shard: Option<String>,
    /// How the tree is divided.
    pub shard_by: Option<String>,
    /// The order.
    pub sort: Option<String>,
    /// Whether the order is the other way round.
    pub reverse: bool,
    /// How many threads search.
    pub threads: Option<u32>,
}

impl Selection {
    /// Where the files are.
    pub(crate) fn root_paths(&self) -> Vec<PathBuf> {
        self.roots.iter().map(path_of).collect()
    }

    /// The walk that visits the files.
    pub(crate) fn walk(self) -> Result<Walk, Box<Problem>> {
        let mut walk = self.root_paths().into_iter().fold(Walk::default(), Walk::root);
        walk = self.only.into_iter().fold(walk, Walk::only);
        walk = self.exclude.into_iter().fold(walk, Walk::exclude);
        walk = self.types.into_iter().fold(walk, Walk::file_type);
        walk = self.exclude_types.into_iter().fold(walk, Walk::without_file_type);
        walk = walk.hidden(self.hidden).ignore_files(!self.ignored);
        if let Some(depth) = self.max_depth {
            walk = walk.max_depth(depth as usize);
        }
        if let Some(ms) = self.newer {
            walk = walk.newer(time_of(ms)?);
        }
        if let Some(ms) = self.older {
            walk = walk.older(time_of(ms)?);
        }
        if self.changed {
            walk = walk.changed(self.changed_since.as_deref());
        }
        if let Some(shard) = shard_of(self.shard.as_deref(), self.shard_by.as_deref())? {
            walk = walk.shard(shard);
        }
        if let Some(threads) = self.threads {
            walk = walk.threads(threads as usize);
        }
        walk = match self.sort.as_deref() {
            None => walk,
            Some("path") => walk.sorted(),
            Some("modified") => walk.sorted_by_time(FileTime::Modified),
            Some("accessed") => walk.sorted_by_time(FileTime::Accessed),
            Some("created") => walk.sorted_by_time(FileTime::Created),
            Some(other) => {
                let message = "files are sorted by 'path', 'modified', 'accessed' or 'created'";
                return Err(Problem::of_argument(format!("{message}, not by '{other}'")));
            }
        };
        Ok(if self.reverse { walk.reversed() } else { walk })
    }
}

/// The time that is `ms` milliseconds after the beginning of 1970.
fn time_of(ms: f64) -> Result<SystemTime, Box<Problem>> {
    let distance = Duration::try_from_secs_f64(ms.abs() / 1000.0).ok();
    let time = distance.and_then(|distance| match ms < 0.0 {
        true => SystemTime::UNIX_EPOCH.checked_sub(distance),
        false => SystemTime::UNIX_EPOCH.checked_add(distance),
    });
    time.ok_or_else(|| Problem::of_argument(format!("no such time: {ms} ms")))
}

/// The part of the tree that `shard`, such as `3/64`, names, if files are divided as `by` states.
fn shard_of(shard: Option<&str>, by: Option<&str>) -> Result<Option<Shard>, Box<Problem>> {
    let Some(text) = shard else {
        return match by {
            None => Ok(None),
            Some(_) => Err(Problem::of_argument("shardBy requires shard, such as '3/64'")),
        };
    };
    let shard: Shard = text.parse().map_err(Problem::of_argument)?;
    let by: ShardBy = by.map_or(Ok(ShardBy::File), str::parse).map_err(Problem::of_argument)?;
    Ok(Some(shard.by(by)))
}

/// How a pattern is read.
#[napi(object, object_to_js = false)]
#[derive(Clone, Copy)]
pub struct Reading {
    /// Whether case does not matter.
    pub ignore_case: bool,
    /// Whether the pattern is a name in any form.
    pub any_case: bool,
    /// Whether a match is whole words.
    pub word: bool,
    /// Whether the pattern is text.
    pub literal: bool,
    /// Whether matches may span lines.
    pub multiline: bool,
    /// Whether `.` matches line feeds.
    pub dot_all: bool,
    /// Whether a pattern that needs a NUL byte is a mistake, as where bytes may be binary files.
    pub ban_nul: bool,
}

impl Reading {
    /// Compiles `pattern`.
    pub(crate) fn compile(self, pattern: &str) -> Result<Matcher, Box<Problem>> {
        let no_name = |error| {
            let message = format!("anyCase takes a name such as get_user_id, and {error}");
            Problem::of_pattern(message)
        };
        let pattern = match self.any_case {
            true => &name_pattern(pattern).map_err(no_name)?,
            false => pattern,
        };
        let config = MatcherConfig {
            case: if self.ignore_case { Case::Insensitive } else { Case::Sensitive },
            boundary: if self.word { Boundary::Word } else { Boundary::None },
            fixed_strings: self.literal && !self.any_case,
            multiline: self.multiline,
            dot_matches_new_line: self.dot_all,
            ban_nul: self.ban_nul,
            ..MatcherConfig::default()
        };
        Matcher::new([pattern], &config)
            .map_err(|error| Box::new(heist::Error::Pattern(error).into()))
    }
}
