//! `benchsuite corpora`: the command line and its output.

use std::{
    io::{self, Write},
    path::{self, Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use clap::{Args, Subcommand};

use crate::corpora::catalog::{self, CATALOG, Entry};
use crate::corpora::order::{Choice, Wish};
use crate::corpora::place::{home, size};
use crate::corpora::shape::Shape;
use crate::corpora::state::{Manifest, Place, State};
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

    /// What the random parts of sample are made from
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Take linux or chromium from this directory, by hard links where that is possible
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,

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
    for entry in &CATALOG {
        // A corpus that cannot be read does not keep the others from being listed.
        let found = Place { dir, entry }.state();
        let (state, shape) = match &found {
            Ok(state) => state.summary(),
            Err(error) => {
                notice(&error.to_string())?;
                ("unreadable", None)
            }
        };
        let [files, directories, bytes] = match shape {
            Some(shape) => {
                [shape.files.to_string(), shape.directories.to_string(), size(shape.bytes)]
            }
            None => ["-", "-", "-"].map(str::to_owned),
        };
        line([entry.name, state, &files, &directories, &bytes, entry.about])?;
    }
    Ok(())
}

fn make(dir: &Path, making: &Making, out: &mut impl Write) -> io::Result<()> {
    let places = places(dir, &making.names)?;
    // Impossible options are errors before the first hour of work.
    for Place { entry, .. } in &places {
        for (option, is_given, choice) in [
            ("--seed", making.seed.is_some(), Choice::Seed),
            ("--from", making.from.is_some(), Choice::From),
        ] {
            if is_given && entry.choice != choice {
                let what = format!("{option} does not apply to {}", entry.name);
                return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
            }
        }
    }
    for place in places {
        let (name, state) = (place.entry.name, place.state()?);
        if state.summary().1.is_some() && !making.again {
            let advice = place.advice(&state);
            writeln!(out, "{name}: {}", advice.as_deref().unwrap_or("there already"))?;
            continue;
        }
        notice(&format!("making {name} in {}", dir.display()))?;
        let began = Instant::now();
        let mut wish = Wish { from: making.from.as_deref(), ..Wish::default() };
        wish.seed = making.seed.unwrap_or(wish.seed);
        let made = place.make(wish)?;
        writeln!(out, "{}, in {:.1} s", sentence(&made), began.elapsed().as_secs_f64())?;
    }
    Ok(())
}

fn check(dir: &Path, checking: &Checking, out: &mut impl Write) -> io::Result<ExitCode> {
    let mut code = ExitCode::SUCCESS;
    for place in places(dir, &checking.names)? {
        let mut state = place.state()?;
        if matches!(state, State::Missing) && checking.names.is_empty() {
            continue;
        }
        if let (true, State::Unknown(shape)) = (checking.adopt, &state) {
            state = State::Ready(place.adopt(shape)?);
        }
        match (&state, place.advice(&state)) {
            (State::Ready(manifest), None) => {
                writeln!(out, "{}, unchanged", sentence(manifest))?;
            }
            (_, advice) => {
                writeln!(out, "{}: {}", place.entry.name, advice.unwrap_or_default())?;
                code = ExitCode::FAILURE;
            }
        }
    }
    Ok(code)
}

/// The places of the named corpora, or of all, in the order of the catalogue, in which a corpus may
/// be made from an earlier one.
fn places<'a>(dir: &'a Path, names: &[String]) -> io::Result<Vec<Place<'a>>> {
    for name in names {
        catalog::find(name)?;
    }
    let is_wanted =
        |entry: &&Entry| names.is_empty() || names.iter().any(|name| name == entry.name);
    Ok(CATALOG.iter().filter(is_wanted).map(|entry| Place { dir, entry }).collect())
}

fn sentence(manifest: &Manifest) -> String {
    let Manifest { name, shape, .. } = manifest;
    let Shape { files, directories, .. } = shape;
    format!("{name}: {files} files, {directories} directories, {}", size(shape.bytes))
}
