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
use crate::corpora::state::CorpusPlace;
use crate::files::notice;

/// The arguments of `benchsuite corpora`.
#[derive(Debug, Args)]
pub(crate) struct CorporaOptions {
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

/// Lists or makes corpora.
pub(crate) fn run(options: &CorporaOptions) -> io::Result<ExitCode> {
    let dir = match &options.dir {
        // Tools run in another directory.
        Some(dir) => path::absolute(dir)?,
        None => home()?,
    };
    let mut out = io::stdout().lock();
    match &options.action {
        Action::List => list(&dir, &mut out)?,
        Action::Make(making) => make(&dir, making, &mut out)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list(dir: &Path, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "In {}:\n", dir.display())?;
    let mut line = |cells: [&str; 6]| {
        let [name, state, files, directories, bytes, about] = cells;
        writeln!(out, "{name:<10} {state:<12} {files:>9} {directories:>11} {bytes:>9}  {about}")
    };
    line(["name", "state", "files", "directories", "bytes", "about"])?;
    for entry in catalog() {
        let place = CorpusPlace { dir, entry };
        // A corpus that cannot be read does not keep the others from being listed.
        let (state, shape) = match place.shape() {
            Ok(Some(shape)) => ("ready", Some(shape)),
            Ok(None) if place.partials().is_empty() => ("missing", None),
            Ok(None) => ("half-made", None),
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
        line([&entry.name, state, &files, &directories, &bytes, &entry.about])?;
    }
    Ok(())
}

fn make(dir: &Path, making: &Making, out: &mut impl Write) -> io::Result<()> {
    let (places, wish) = (places(dir, &making.names)?, &making.wish);
    // Impossible options are errors before the first hour of work.
    for CorpusPlace { entry, .. } in &places {
        for (option, is_given) in [("--seed", wish.seed.is_some()), ("--from", wish.from.is_some())]
        {
            if is_given && !entry.takes(option) {
                let what = format!("{option} does not apply to {}", entry.name);
                return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
            }
        }
    }
    for place in places {
        let name = &place.entry.name;
        if !making.again && place.shape()?.is_some() {
            writeln!(out, "{name}: there already")?;
            continue;
        }
        notice(&format!("making {name} in {}", dir.display()))?;
        let began = Instant::now();
        let made = place.make(wish)?;
        let Shape { files, directories, bytes, .. } = made;
        let (bytes, seconds) = (size(bytes), began.elapsed().as_secs_f64());
        writeln!(
            out,
            "{name}: {files} files, {directories} directories, {bytes}, in {seconds:.1} s"
        )?;
    }
    Ok(())
}

/// Where the named corpora are, in the catalogue's order, because a corpus may be made from an
/// earlier one.
fn places<'a>(dir: &'a Path, names: &[String]) -> io::Result<Vec<CorpusPlace<'a>>> {
    for name in names {
        catalog::find(name)?;
    }
    let wanted = catalog().iter().filter(|entry| names.contains(&entry.name));
    Ok(wanted.map(|entry| CorpusPlace { dir, entry }).collect())
}
