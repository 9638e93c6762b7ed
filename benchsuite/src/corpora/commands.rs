//! `benchsuite corpora`: the command line and its output.

use std::{
    io::{self, Write},
    path::{self, Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use clap::{Args, Subcommand};

use crate::corpora::catalog::{self, catalog};
use crate::corpora::order::Wish;
use crate::corpora::place::{home, size};
use crate::corpora::shape::Shape;
use crate::corpora::state::{Place, State};
use crate::files::notice;

/// The command line.
#[derive(Debug, Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    action: Action,

    /// Where the corpora are [default: `$BENCHSUITE_CORPORA`, or heist/corpora in the user's cache]
    #[arg(long, value_name = "DIR", global = true)]
    dir: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show which corpora there are, and how they are
    List,
    /// Make corpora; those that are there are left alone
    ///
    /// `sample` takes seconds and 200 MB. `linux` and `chromium` are downloaded with apt-get, which
    /// takes no root, unless --from names a tree. `big` is made from `linux`, `zipped`
    /// from `sample`. Each is made beside its place, and moved there when it is whole.
    Make(Making),
    /// Count the corpora again and compare with what was made
    ///
    /// The exit code is 1 if one is not what it was.
    Check(Checking),
}

#[derive(Debug, Args)]
struct Making {
    /// Which
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,

    #[command(flatten)]
    wish: Wish,

    /// Make them anew, in the place of what is there
    #[arg(long)]
    again: bool,
}

#[derive(Debug, Args)]
struct Checking {
    /// Which [default: all that are there]
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// Write manifests for corpora without one: take them as they are
    #[arg(long)]
    adopt: bool,
}

/// Lists, makes or checks corpora. The exit code of a check is 1 if a corpus has changed.
pub(crate) fn run(options: &Options) -> io::Result<ExitCode> {
    let dir = match &options.dir {
        // Tools run in another directory.
        Some(dir) => path::absolute(dir)?,
        None => home()?,
    };
    let mut out = io::stdout().lock();
    match &options.action {
        Action::List => list(&dir, &mut out).map(|()| ExitCode::SUCCESS),
        Action::Make(making) => make(&dir, making, &mut out).map(|()| ExitCode::SUCCESS),
        Action::Check(checking) => check(&dir, checking, &mut out),
    }
}

fn list(dir: &Path, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "In {}:\n", dir.display())?;
    let mut line = |cells: [&str; 6]| {
        let [name, state, files, directories, bytes, about] = cells;
        writeln!(out, "{name:<10} {state:<12} {files:>9} {directories:>11} {bytes:>9}  {about}")
    };
    line(["name", "state", "files", "directories", "bytes", "about"])?;
    for entry in catalog() {
        // A corpus that cannot be read does not keep the others from being listed.
        let found = match (Place { dir, entry }).look() {
            Ok(found) => Some(found),
            Err(error) => {
                notice(&error.to_string())?;
                None
            }
        };
        let state = found.as_ref().map_or("unreadable", |found| match found.state {
            State::Missing => "missing",
            State::HalfMade => "half-made",
            State::Unknown => "no manifest",
            State::Ready => "ready",
            State::Changed => "changed",
        });
        let [files, directories, bytes] = match found.and_then(|found| found.shape) {
            Some(shape) => {
                [shape.files.to_string(), shape.directories.to_string(), size(shape.bytes)]
            }
            None => ["-", "-", "-"].map(str::to_owned),
        };
        line([&entry.name, state, &files, &directories, &bytes, &entry.about])?;
    }
    Ok(())
}

fn make(dir: &Path, making: &Making, out: &mut impl Write) -> io::Result<()> {
    let (places, wish) = (places(dir, &making.names)?, &making.wish);
    // Impossible options are errors before the first hour of work.
    for Place { entry, .. } in &places {
        for (option, is_given) in [("--seed", wish.seed.is_some()), ("--from", wish.from.is_some())]
        {
            if is_given && !entry.takes(option) {
                let what = format!("{option} does not apply to {}", entry.name);
                return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
            }
        }
    }
    for place in places {
        let (name, found) = (&place.entry.name, place.look()?);
        if found.shape.is_some() && !making.again {
            writeln!(out, "{name}: {}", found.advice.as_deref().unwrap_or("there already"))?;
            continue;
        }
        notice(&format!("making {name} in {}", dir.display()))?;
        let began = Instant::now();
        let made = place.make(wish)?;
        writeln!(out, "{name}: {}, in {:.1} s", sizes(&made), began.elapsed().as_secs_f64())?;
    }
    Ok(())
}

fn check(dir: &Path, checking: &Checking, out: &mut impl Write) -> io::Result<ExitCode> {
    let mut code = ExitCode::SUCCESS;
    for place in places(dir, &checking.names)? {
        let mut found = place.look()?;
        if found.state == State::Missing && checking.names.is_empty() {
            continue;
        }
        let shape = found.shape.unwrap_or_default();
        if checking.adopt && found.state == State::Unknown {
            place.adopt(&shape)?;
            found.advice = None;
        }
        if found.advice.is_some() {
            code = ExitCode::FAILURE;
        }
        let text = found.advice.unwrap_or_else(|| format!("{}, unchanged", sizes(&shape)));
        writeln!(out, "{}: {text}", place.entry.name)?;
    }
    Ok(code)
}

/// The places of the named corpora, or of all, in the order of the catalogue, in which a corpus may
/// be made from an earlier one.
fn places<'a>(dir: &'a Path, names: &[String]) -> io::Result<Vec<Place<'a>>> {
    for name in names {
        catalog::find(name)?;
    }
    let wanted = catalog().iter().filter(|entry| names.is_empty() || names.contains(&entry.name));
    Ok(wanted.map(|entry| Place { dir, entry }).collect())
}

fn sizes(shape: &Shape) -> String {
    let Shape { files, directories, bytes, .. } = shape;
    format!("{files} files, {directories} directories, {}", size(*bytes))
}
