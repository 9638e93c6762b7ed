//! A corpus in its directory: made, compared with the note of what was made, opened.

use std::{
    fs,
    io::{self, ErrorKind},
    path::{self, Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::corpora::catalog::{self, Entry};
use crate::corpora::order::{Choice, Order, SAMPLE, WHOLE, Wish};
use crate::corpora::place::{check_room, command, file_system, size};
use crate::corpora::shape::Shape;
use crate::corpora::tree::{make_directory, make_repository};
use crate::files::{explain, notice, write_whole};
use crate::machine::date;

/// The note beside a corpus about what was made, `NAME.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) name: String,
    /// The version of the recipe, or [`ADOPTED`](Manifest::ADOPTED).
    pub(super) version: u32,
    /// A package with its version, a directory, or the recipe alone.
    pub(super) origin: String,
    /// The seed of its random parts, if it has any.
    pub(super) seed: Option<u64>,
    /// When it was made or adopted, in UTC: `2026-03-02 14:05`.
    pub(super) date: String,
    /// What it held then.
    pub(super) shape: Shape,
}

impl Manifest {
    /// The version of a corpus that no recipe has made.
    pub(super) const ADOPTED: u32 = 0;

    pub(super) fn write(&self, place: Place<'_>) -> io::Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        write_whole(&place.manifest(), text.as_bytes())
    }
}

/// The state of a corpus.
#[derive(Clone, Debug)]
pub(super) enum State {
    Missing,
    /// It was begun, and is still being made or never will be.
    HalfMade,
    /// It exists without a manifest.
    Unknown(Shape),
    /// It holds what its manifest describes.
    Ready(Manifest),
    /// It holds something else.
    Changed(Shape, Manifest),
}

impl State {
    /// One or two words, and what the corpus holds.
    pub(super) fn summary(&self) -> (&'static str, Option<&Shape>) {
        match self {
            State::Missing => ("missing", None),
            State::HalfMade => ("half-made", None),
            State::Unknown(shape) => ("no manifest", Some(shape)),
            State::Ready(manifest) => ("ready", Some(&manifest.shape)),
            State::Changed(shape, _) => ("changed", Some(shape)),
        }
    }
}

/// A corpus of the catalogue and the directory of all corpora.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub(super) dir: &'a Path,
    pub(super) entry: &'static Entry,
}

impl<'a> Place<'a> {
    /// The place of the corpus `name`; an unknown name is an error.
    pub(super) fn of(dir: &'a Path, name: &str) -> io::Result<Place<'a>> {
        Ok(Place { dir, entry: catalog::find(name)? })
    }

    fn corpus(self) -> PathBuf {
        self.dir.join(self.entry.name)
    }

    pub(super) fn manifest(self) -> PathBuf {
        self.dir.join(format!("{}.json", self.entry.name))
    }

    /// The beginning of the names of directories in which the corpus is being made.
    fn partial_prefix(self) -> String {
        format!("{}.partial", self.entry.name)
    }

    /// Those directories: of a process that is making it, or of one that was killed.
    pub(super) fn partials(self) -> Vec<PathBuf> {
        let prefix = self.partial_prefix();
        let entries = fs::read_dir(self.dir).into_iter().flatten().flatten();
        let ours = entries.filter(|one| one.file_name().to_string_lossy().starts_with(&prefix));
        ours.map(|entry| entry.path()).collect()
    }

    /// Counts the corpus and compares it with its manifest.
    pub(super) fn state(self) -> io::Result<State> {
        let (path, manifest) = (self.corpus(), self.manifest());
        match fs::metadata(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let is_begun = !self.partials().is_empty();
                return Ok(if is_begun { State::HalfMade } else { State::Missing });
            }
            found => found.map_err(|error| explain(&path, &error))?,
        };
        let read: Option<Manifest> = match fs::read_to_string(&manifest) {
            Ok(text) => serde_json::from_str(&text).map(Some).map_err(io::Error::from),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
        .map_err(|error| explain(&manifest, &error))?;
        let shape = Shape::of(&path)?;
        Ok(match read {
            None => State::Unknown(shape),
            Some(manifest) if manifest.shape == shape => State::Ready(manifest),
            Some(manifest) => State::Changed(shape, manifest),
        })
    }

    /// What is wrong with a corpus in this state and the command that repairs it; `None` if nothing
    /// is.
    pub(super) fn advice(self, state: &State) -> Option<String> {
        let remedy = |what: &str| command(self.dir, &format!("{what} {}", self.entry.name));
        let dir = self.dir.display();
        Some(match state {
            State::Missing => format!("not in {dir}; to make it: {}", remedy("make")),
            State::HalfMade => format!("half made in {dir}; to begin anew: {}", remedy("make")),
            State::Unknown(_) => {
                let why = "no manifest describes what it should hold";
                format!("{why}; to take it as it is: {}", remedy("check --adopt"))
            }
            State::Ready(made)
                if [self.entry.version, Manifest::ADOPTED].contains(&made.version) =>
            {
                return None;
            }
            State::Ready(manifest) => format!(
                "made by version {} of its recipe, which is at {}: what is measured on it compares \
                 with nothing newer; to make it anew: {}",
                manifest.version,
                self.entry.version,
                remedy("make --again")
            ),
            State::Changed(shape, manifest) => format!(
                "changed since {}: {}; to make it anew: {}; to take it as it is, remove {} and \
                 adopt it",
                manifest.date,
                shape.difference(&manifest.shape).unwrap_or_default(),
                remedy("make --again"),
                self.manifest().display()
            ),
        })
    }

    /// Takes a corpus of this shape as it is.
    pub(super) fn adopt(self, shape: &Shape) -> io::Result<Manifest> {
        let origin = "something else than this program: adopted".to_owned();
        self.note(Manifest::ADOPTED, origin, None, shape.clone())
    }

    /// Writes the manifest.
    fn note(
        self,
        version: u32,
        origin: String,
        seed: Option<u64>,
        shape: Shape,
    ) -> io::Result<Manifest> {
        let name = self.entry.name.to_owned();
        let manifest = Manifest { name, version, origin, seed, date: date(), shape };
        manifest.write(self)?;
        Ok(manifest)
    }

    /// Makes the corpus in a temporary directory beside its place, and replaces the one that is
    /// there once it is whole. If that fails, the old one stays.
    pub(super) fn make(self, wish: Wish<'_>) -> io::Result<Manifest> {
        let Place { dir, entry } = self;
        make_directory(dir)?;
        // An attempt that was killed has left its files behind.
        for rest in self.partials() {
            fs::remove_dir_all(&rest).map_err(|error| explain(&rest, &error))?;
        }
        // A copy by hard links needs next to no room.
        if wish.from.is_none() && wish.scale == WHOLE {
            check_room(dir, entry.space).map_err(|error| explain(entry.name.as_ref(), &error))?;
        }
        let temp = tempfile::Builder::new().prefix(&self.partial_prefix()).tempdir_in(dir)?;
        let (target, workshop) = (temp.path().join("corpus"), temp.path().join("workshop"));
        make_directory(&workshop)?;
        let order = Order { dir, target: &target, workshop: &workshop, wish };
        let made = self.finish(&order).map_err(|error| match error.kind() {
            ErrorKind::StorageFull => {
                let why =
                    format!("{error}; {} takes about {}", entry.name, size(entry.space.bytes));
                io::Error::new(ErrorKind::StorageFull, why)
            }
            _ => error,
        })?;
        temp.close().map(|()| made)
    }

    /// Makes it, and moves it to its place.
    fn finish(self, order: &Order<'_>) -> io::Result<Manifest> {
        let origin = (self.entry.make)(order)?;
        if order.target.is_dir() {
            make_repository(order.target)?;
        }
        let shape = Shape::of(order.target)?;
        let seed = (self.entry.choice == Choice::Seed).then_some(order.wish.seed);
        let place = self.corpus();
        let removed = match fs::symlink_metadata(&place) {
            Ok(found) if found.is_dir() => fs::remove_dir_all(&place),
            Ok(_) => fs::remove_file(&place),
            Err(_) => Ok(()),
        };
        removed.map_err(|error| explain(&place, &error))?;
        // A manifest without a corpus does no harm; a corpus without one would have to be adopted.
        let manifest = self.note(self.entry.version, origin, seed, shape)?;
        fs::rename(order.target, &place).map_err(|error| explain(&place, &error))?;
        Ok(manifest)
    }
}

/// A tree or file to be searched, counted when it is opened.
#[derive(Clone, Debug)]
pub(crate) struct Corpus {
    pub(crate) name: String,
    /// An absolute path.
    pub(crate) path: PathBuf,
    /// What it holds.
    pub(crate) shape: Shape,
    /// The type of its file system, where the system reports it: `ext4`.
    pub(crate) file_system: Option<String>,
}

impl Corpus {
    /// Whether it is a single file.
    pub(crate) fn is_file(&self) -> bool {
        self.shape.directories == 0
    }
}

/// Opens the corpus `name` in `dir`; the sample is made if it is missing. A corpus that is missing,
/// half made or not what its manifest describes is an error that contains the remedy.
pub(crate) fn open(dir: &Path, name: &str) -> io::Result<Corpus> {
    open_scaled(dir, name, WHOLE)
}

/// Opens a corpus; if it has to be made, it is made of that size, in thousandths.
pub(super) fn open_scaled(dir: &Path, name: &str, scale: u64) -> io::Result<Corpus> {
    let dir = &path::absolute(dir)?;
    let place = Place::of(dir, name)?;
    let mut state = place.state()?;
    if matches!(state, State::Missing | State::HalfMade) && name == SAMPLE {
        notice(&format!("making the corpus sample in {}", dir.display()))?;
        state = State::Ready(place.make(Wish { scale, ..Wish::default() })?);
    }
    let advice = place.advice(&state).map(|advice| format!("{name}: {advice}"));
    let (State::Ready(Manifest { shape, .. }) | State::Unknown(shape)) = state else {
        return Err(io::Error::other(advice.unwrap_or_default()));
    };
    if let Some(advice) = advice {
        notice(&format!("warning: {advice}"))?;
    }
    let corpus = place.corpus();
    let path = corpus.canonicalize().map_err(|error| explain(&corpus, &error))?;
    Ok(Corpus { name: name.to_owned(), file_system: file_system(&path), path, shape })
}

/// Opens a tree or file of the user's own.
pub(crate) fn at(path: &Path) -> io::Result<Corpus> {
    let path = path.canonicalize().map_err(|error| explain(path, &error))?;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    Ok(Corpus { name, shape: Shape::of(&path)?, file_system: file_system(&path), path })
}
