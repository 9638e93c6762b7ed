//! A corpus in its directory: made, compared with the note of what was made, opened.

use std::{
    fs,
    io::{self, ErrorKind},
    path::{self, Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::corpora::catalog::{self, Entry};
use crate::corpora::order::{Order, SAMPLE, WHOLE, Wish};
use crate::corpora::place::{check_room, command, file_system, size};
use crate::corpora::shape::Shape;
use crate::corpora::tree::{make_directory, make_repository};
use crate::files::{explain, notice, write_whole};
use crate::machine::date;

/// The version of a corpus that no recipe has made.
const ADOPTED: u32 = 0;

/// The note beside a corpus about what was made, `NAME.json`.
#[derive(Serialize, Deserialize)]
struct Manifest {
    name: String,
    /// The version of the recipe, or [`ADOPTED`].
    version: u32,
    /// A package with its version, a directory, or the recipe alone.
    origin: String,
    /// The seed of its random parts, if it has any.
    seed: Option<u64>,
    /// When it was made or adopted, in UTC: `2026-03-02 14:05`.
    date: String,
    /// What it held then.
    shape: Shape,
}

/// The state of a corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Missing,
    /// It was begun, and is still being made or never will be.
    HalfMade,
    /// It exists without a manifest.
    Unknown,
    /// It holds what its manifest describes.
    Ready,
    /// It holds something else.
    Changed,
}

/// A corpus, counted and compared with its manifest.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) state: State,
    /// What it holds, if it exists.
    pub(super) shape: Option<Shape>,
    /// What is wrong with it and the command that repairs it; `None` if nothing is.
    pub(super) advice: Option<String>,
}

/// A corpus of the catalogue and the directory of all corpora.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub(super) dir: &'a Path,
    pub(super) entry: &'static Entry,
}

impl Place<'_> {
    fn corpus(self) -> PathBuf {
        self.dir.join(&self.entry.name)
    }

    fn manifest(self) -> PathBuf {
        self.dir.join(format!("{}.json", self.entry.name))
    }

    /// The beginning of the names of directories in which the corpus is being made.
    fn partial_prefix(self) -> String {
        format!("{}.partial", self.entry.name)
    }

    /// Those directories: of a process that is making it, or of one that was killed.
    fn partials(self) -> Vec<PathBuf> {
        let prefix = self.partial_prefix();
        let entries = fs::read_dir(self.dir).into_iter().flatten().flatten();
        let ours = entries.filter(|one| one.file_name().to_string_lossy().starts_with(&prefix));
        ours.map(|entry| entry.path()).collect()
    }

    /// Counts the corpus and compares it with its manifest.
    pub(super) fn look(self) -> io::Result<Found> {
        let (path, manifest) = (self.corpus(), self.manifest());
        let (dir, version) = (self.dir.display(), self.entry.version);
        let remedy = |what: &str| command(self.dir, &format!("{what} {}", self.entry.name));
        if !fs::exists(&path).map_err(|error| explain(&path, &error))? {
            let (state, what) = match self.partials().is_empty() {
                true => (State::Missing, format!("not in {dir}; to make it: ")),
                false => (State::HalfMade, format!("half made in {dir}; to begin anew: ")),
            };
            return Ok(Found { state, shape: None, advice: Some(what + &remedy("make")) });
        }
        let read: Option<Manifest> = match fs::read_to_string(&manifest) {
            Ok(text) => serde_json::from_str(&text).map(Some).map_err(io::Error::from),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
        .map_err(|error| explain(&manifest, &error))?;
        let shape = Shape::of(&path)?;
        let (state, advice) = match read {
            None => {
                let why = "no manifest describes what it should hold";
                let remedy = remedy("check --adopt");
                (State::Unknown, Some(format!("{why}; to take it as it is: {remedy}")))
            }
            Some(made) if made.shape != shape => {
                let (date, remedy) = (made.date, remedy("make --again"));
                let what = shape.difference(&made.shape).unwrap_or_default();
                let advice = format!(
                    "changed since {date}: {what}; to make it anew: {remedy}; to take it as it is, \
                     remove {} and adopt it",
                    manifest.display()
                );
                (State::Changed, Some(advice))
            }
            Some(made) if [version, ADOPTED].contains(&made.version) => (State::Ready, None),
            Some(made) => {
                let (old, remedy) = (made.version, remedy("make --again"));
                let advice = format!(
                    "made by version {old} of its recipe, which is at {version}: what is measured \
                     on it compares with nothing newer; to make it anew: {remedy}"
                );
                (State::Ready, Some(advice))
            }
        };
        Ok(Found { state, shape: Some(shape), advice })
    }

    /// Takes a corpus of this shape as it is.
    pub(super) fn adopt(self, shape: &Shape) -> io::Result<()> {
        self.note(ADOPTED, "something else than this program: adopted".to_owned(), None, shape)
    }

    /// Writes the manifest.
    fn note(self, version: u32, origin: String, seed: Option<u64>, of: &Shape) -> io::Result<()> {
        let (name, shape) = (self.entry.name.clone(), of.clone());
        let manifest = Manifest { name, version, origin, seed, date: date(), shape };
        let text = serde_json::to_string_pretty(&manifest)? + "\n";
        write_whole(&self.manifest(), text.as_bytes())
    }

    /// Makes the corpus in a temporary directory beside its place, and replaces the one that is
    /// there once it is whole. If that fails, the old one stays.
    pub(super) fn make(self, wish: &Wish) -> io::Result<Shape> {
        let Place { dir, entry } = self;
        let Entry { name, bytes, inodes, .. } = entry;
        make_directory(dir)?;
        // An attempt that was killed has left its files behind.
        for rest in self.partials() {
            fs::remove_dir_all(&rest).map_err(|error| explain(&rest, &error))?;
        }
        // A copy by hard links needs next to no room.
        if wish.from.is_none() {
            check_room(dir, wish.scaled(*bytes), wish.scaled(*inodes))
                .map_err(|error| explain(name.as_ref(), &error))?;
        }
        let temp = tempfile::Builder::new().prefix(&self.partial_prefix()).tempdir_in(dir)?;
        let order = Order { dir, target: &temp.path().join("corpus"), wish };
        let made = self.finish(&order).map_err(|error| match error.kind() {
            ErrorKind::StorageFull => {
                let why = format!("{error}; {name} takes about {}", size(*bytes));
                io::Error::new(ErrorKind::StorageFull, why)
            }
            _ => error,
        })?;
        temp.close().map(|()| made)
    }

    /// Makes it, and moves it to its place.
    fn finish(self, order: &Order<'_>) -> io::Result<Shape> {
        let mut origin = self.entry.make(order)?;
        if let Some(scale) = order.wish.scale.filter(|&scale| scale != WHOLE) {
            origin += &format!(", {scale} thousandths of it");
        }
        if order.target.is_dir() {
            make_repository(order.target)?;
        }
        let shape = Shape::of(order.target)?;
        // A manifest without a corpus does no harm; a corpus without one would have to be adopted.
        let seed = self.entry.takes("--seed").then(|| order.seed());
        self.note(self.entry.version, origin, seed, &shape)?;
        // The old one is removed together with the temporary directory.
        let (place, old) = (self.corpus(), order.target.with_file_name("old"));
        if place.symlink_metadata().is_ok() {
            fs::rename(&place, &old).map_err(|error| explain(&place, &error))?;
        }
        fs::rename(order.target, &place).map_err(|error| {
            let _ = fs::rename(&old, &place);
            explain(&place, &error)
        })?;
        Ok(shape)
    }
}

/// A tree or file to be searched, counted when it is opened; or a synthetic load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Corpus {
    pub(crate) name: String,
    /// An absolute path, which a record does not contain.
    #[serde(skip)]
    pub(crate) path: PathBuf,
    /// What a tree or file holds.
    pub(crate) shape: Shape,
    /// The type of its file system, where the system reports it: `ext4`.
    pub(crate) file_system: Option<String>,
    /// What a synthetic load shows.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) about: String,
    /// How the harness of the published document differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) as_published: Option<String>,
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
    open_or_make(dir, name, &Wish::default())
}

fn open_or_make(dir: &Path, name: &str, wish: &Wish) -> io::Result<Corpus> {
    let dir = &path::absolute(dir)?;
    let place = Place { dir, entry: catalog::find(name)? };
    let mut found = place.look()?;
    if found.shape.is_none() && name == SAMPLE {
        notice(&format!("making the corpus sample in {}", dir.display()))?;
        place.make(wish)?;
        found = place.look()?;
    }
    let advice = found.advice.map(|advice| format!("{name}: {advice}"));
    let (Some(shape), State::Ready | State::Unknown) = (found.shape, found.state) else {
        return Err(io::Error::other(advice.unwrap_or_default()));
    };
    if let Some(advice) = advice {
        notice(&format!("warning: {advice}"))?;
    }
    let corpus = place.corpus();
    let path = corpus.canonicalize().map_err(|error| explain(&corpus, &error))?;
    let (name, file_system) = (name.to_owned(), file_system(&path));
    Ok(Corpus { name, path, shape, file_system, ..Corpus::default() })
}

/// Opens a tree or file of the user's own.
pub(crate) fn at(path: &Path) -> io::Result<Corpus> {
    let path = path.canonicalize().map_err(|error| explain(path, &error))?;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let (shape, file_system) = (Shape::of(&path)?, file_system(&path));
    Ok(Corpus { name, path, shape, file_system, ..Corpus::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_is_made_when_it_is_opened_and_others_are_not() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("not/yet");
        let error = open(&dir, "wide").unwrap_err().to_string();
        assert!(error.contains("benchsuite corpora make wide --dir "), "{error}");
        assert!(!dir.exists());
        let tiny = Wish { scale: Some(1), ..Wish::default() };
        let corpus = open_or_make(&dir, SAMPLE, &tiny).unwrap();
        assert_eq!(corpus.name, "sample");
        assert!(corpus.path.is_absolute() && corpus.path.is_dir() && !corpus.is_file());
        let again = || open(&dir, SAMPLE).map_err(|error| error.to_string());
        assert_eq!(again().unwrap().shape, corpus.shape);

        // A tree without a manifest or of an old recipe may be used, a changed one may not.
        let manifest = dir.join("sample.json");
        let text = fs::read_to_string(&manifest).unwrap();
        fs::write(&manifest, text.replace("\"version\": 2", "\"version\": 3")).unwrap();
        assert_eq!(again().unwrap().shape, corpus.shape);
        fs::remove_file(&manifest).unwrap();
        assert_eq!(again().unwrap().shape, corpus.shape);
        fs::write(&manifest, "{").unwrap();
        assert!(again().unwrap_err().contains("sample.json: "));
        fs::write(&manifest, text).unwrap();
        fs::remove_file(dir.join("sample/README.md")).unwrap();
        let error = again().unwrap_err();
        assert!(error.contains("files instead of") && error.contains("--again"), "{error}");
        assert!(error.starts_with("sample: changed since "), "{error}");
        fs::create_dir(dir.join("wide.partial-x")).unwrap();
        assert!(open(&dir, "wide").unwrap_err().to_string().contains("half made"));

        // A new one that cannot be noted does not replace the old one.
        fs::remove_file(&manifest).unwrap();
        fs::create_dir(&manifest).unwrap();
        let place = Place { dir: &dir, entry: catalog::find(SAMPLE).unwrap() };
        assert!(place.make(&tiny).unwrap_err().to_string().contains("sample.json: "));
        assert!(!corpus.path.join("README.md").exists() && corpus.path.is_dir());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_file_system_has_a_type() {
        assert_eq!(file_system(Path::new("/proc")).as_deref(), Some("proc"));
        assert_eq!(file_system(Path::new("/no/such/place")), None);
    }
}
