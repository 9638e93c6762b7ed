//! Arguments that several functions take.

use std::{
    path::PathBuf,
    time::{Duration, SystemTime},
};

use heist::{
    Boundary, Case, FileTime, Matcher, MatcherConfig, Shard, ShardBy, Walk, matcher::name_pattern,
};
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::PyString,
};

use crate::errors::{exception, no_name};

/// A text, or several.
#[derive(Default)]
pub(crate) struct Texts(Vec<String>);

impl<'py> FromPyObject<'_, 'py> for Texts {
    type Error = PyErr;

    fn extract(argument: Borrowed<'_, 'py, PyAny>) -> PyResult<Texts> {
        if argument.is_instance_of::<PyString>() {
            return Ok(Texts(vec![argument.extract()?]));
        }
        let texts: PyResult<Vec<String>> =
            argument.try_iter()?.map(|text| text?.extract()).collect();
        texts.map(Texts)
    }
}

/// A point in time: a number of seconds since 1970, a `datetime`, or a `timedelta` before now.
pub(crate) struct Time(SystemTime);

impl<'py> FromPyObject<'_, 'py> for Time {
    type Error = PyErr;

    fn extract(argument: Borrowed<'_, 'py, PyAny>) -> PyResult<Time> {
        let seconds = |method: &str| -> PyResult<Option<f64>> {
            let method = argument.getattr_opt(method)?;
            method.map(|method| method.call0()?.extract()).transpose()
        };
        if let Some(before) = seconds("total_seconds")? {
            return shifted(SystemTime::now(), -before);
        }
        let since_1970 = match seconds("timestamp")? {
            Some(seconds) => seconds,
            None => argument.extract::<f64>().map_err(|_| {
                PyTypeError::new_err("a time is a datetime, a timedelta before now, or a number")
            })?,
        };
        shifted(SystemTime::UNIX_EPOCH, since_1970)
    }
}

fn shifted(from: SystemTime, seconds: f64) -> PyResult<Time> {
    let distance = Duration::try_from_secs_f64(seconds.abs()).ok();
    let time = distance.and_then(|distance| match seconds < 0.0 {
        true => from.checked_sub(distance),
        false => from.checked_add(distance),
    });
    time.map(Time).ok_or_else(|| PyValueError::new_err(format!("no such time: {seconds} s")))
}

/// Whether only changed files count: those that differ from git's index, or from a commit.
#[derive(FromPyObject)]
pub(crate) enum Changed {
    Usual(bool),
    Since(String),
}

/// A duration: a number of seconds or a `timedelta`.
pub(crate) struct Seconds(pub(crate) Duration);

impl<'py> FromPyObject<'_, 'py> for Seconds {
    type Error = PyErr;

    fn extract(argument: Borrowed<'_, 'py, PyAny>) -> PyResult<Seconds> {
        let seconds: f64 = match argument.getattr_opt("total_seconds")? {
            Some(method) => method.call0()?.extract()?,
            None => argument.extract().map_err(|_| {
                PyTypeError::new_err("a timeout is a number of seconds or a timedelta")
            })?,
        };
        let duration = Duration::try_from_secs_f64(seconds);
        duration.map(Seconds).map_err(|_| PyValueError::new_err(format!("no time: {seconds} s")))
    }
}

/// What selects files.
#[derive(Default)]
pub(crate) struct Selection {
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) only: Option<Texts>,
    pub(crate) exclude: Option<Texts>,
    pub(crate) types: Option<Texts>,
    pub(crate) exclude_types: Option<Texts>,
    pub(crate) hidden: bool,
    pub(crate) ignored: bool,
    pub(crate) max_depth: Option<usize>,
    pub(crate) newer: Option<Time>,
    pub(crate) older: Option<Time>,
    pub(crate) changed: Option<Changed>,
    pub(crate) shard: Option<String>,
    pub(crate) shard_by: Option<String>,
    pub(crate) sort: Option<String>,
    pub(crate) reverse: bool,
    pub(crate) threads: Option<usize>,
}

impl Selection {
    /// The walk that visits the files.
    pub(crate) fn walk(self) -> PyResult<Walk> {
        let texts = |texts: Option<Texts>| texts.unwrap_or_default().0;
        let mut walk = self.roots.into_iter().fold(Walk::default(), Walk::root);
        walk = texts(self.only).into_iter().fold(walk, Walk::only);
        walk = texts(self.exclude).into_iter().fold(walk, Walk::exclude);
        walk = texts(self.types).into_iter().fold(walk, Walk::file_type);
        walk = texts(self.exclude_types).into_iter().fold(walk, Walk::without_file_type);
        walk = walk.hidden(self.hidden).ignore_files(!self.ignored);
        walk = self.max_depth.map_or(walk.clone(), |depth| walk.max_depth(depth));
        walk = self.newer.map_or(walk.clone(), |Time(time)| walk.newer(time));
        walk = self.older.map_or(walk.clone(), |Time(time)| walk.older(time));
        walk = match self.changed {
            None | Some(Changed::Usual(false)) => walk,
            Some(Changed::Usual(true)) => walk.changed(None),
            Some(Changed::Since(commit)) => walk.changed(Some(&commit)),
        };
        if let Some(shard) = shard_of(self.shard.as_deref(), self.shard_by.as_deref())? {
            walk = walk.shard(shard);
        }
        walk = self.threads.map_or(walk.clone(), |threads| walk.threads(threads));
        walk = match self.sort.as_deref() {
            None => walk,
            Some("path") => walk.sorted(),
            Some("modified") => walk.sorted_by_time(FileTime::Modified),
            Some("accessed") => walk.sorted_by_time(FileTime::Accessed),
            Some("created") => walk.sorted_by_time(FileTime::Created),
            Some(other) => {
                let message = "files are sorted by 'path', 'modified', 'accessed' or 'created'";
                return Err(PyValueError::new_err(format!("{message}, not by '{other}'")));
            }
        };
        Ok(if self.reverse { walk.reversed() } else { walk })
    }
}

/// The part of the tree that `shard`, such as `3/64`, names, if files are divided as `by` states.
fn shard_of(shard: Option<&str>, by: Option<&str>) -> PyResult<Option<Shard>> {
    let Some(text) = shard else {
        return match by {
            None => Ok(None),
            Some(_) => Err(PyValueError::new_err("shard_by requires shard, such as '3/64'")),
        };
    };
    let shard: Shard = text.parse().map_err(PyValueError::new_err::<String>)?;
    let by: ShardBy =
        by.map_or(Ok(ShardBy::File), str::parse).map_err(PyValueError::new_err::<String>)?;
    Ok(Some(shard.by(by)))
}

/// How a pattern is read.
#[derive(Clone, Copy, Default)]
pub(crate) struct Reading {
    pub(crate) ignore_case: bool,
    pub(crate) any_case: bool,
    pub(crate) word: bool,
    pub(crate) literal: bool,
    pub(crate) multiline: bool,
    pub(crate) dotall: bool,
}

impl Reading {
    /// Compiles `pattern`. Where bytes may be binary files, a pattern that needs a NUL byte is a
    /// mistake.
    pub(crate) fn compile(self, py: Python<'_>, pattern: &str, ban_nul: bool) -> PyResult<Matcher> {
        let pattern = match self.any_case {
            true => &name_pattern(pattern).map_err(|error| no_name(py, &error))?,
            false => pattern,
        };
        let config = MatcherConfig {
            case: if self.ignore_case { Case::Insensitive } else { Case::Sensitive },
            boundary: if self.word { Boundary::Word } else { Boundary::None },
            fixed_strings: self.literal && !self.any_case,
            multiline: self.multiline,
            dot_matches_new_line: self.dotall,
            ban_nul,
            ..MatcherConfig::default()
        };
        let compiled = py.detach(|| Matcher::new([pattern], &config));
        compiled.map_err(|error| exception(py, &heist::Error::Pattern(error)))
    }

    /// Whether anything is not as by default.
    pub(crate) fn is_set(self) -> bool {
        let Reading { ignore_case, any_case, word, literal, multiline, dotall } = self;
        ignore_case || any_case || word || literal || multiline || dotall
    }
}
