//! Making a corpus: beside its place, moved there when it is whole. What is half made is called
//! `NAME.partial`, and nobody takes it for the corpus.

use std::{
    fs::{self, DirBuilder, File, TryLockError},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use crate::{
    corpora::{
        catalog::{Choice, Entry, Order, WHOLE},
        command,
        generated::{make_directory, write},
        manifest::Manifest,
        place::{beside, check_room, size},
        shape::Shape,
    },
    files::explain,
    machine::date,
};

/// How a corpus is to be made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish<'a> {
    /// What random parts are made from.
    pub(super) seed: u64,
    /// As of [`Order::scale`].
    pub(super) scale: u64,
    /// A directory of the user's to take it from.
    pub(super) from: Option<&'a Path>,
}

impl Default for Wish<'_> {
    fn default() -> Self {
        Wish { seed: 1, scale: WHOLE, from: None }
    }
}

/// Makes a corpus in `dir`, in the place of what is there under its name.
///
/// # Errors
///
/// There is too little room, somebody else is at it, or whatever went wrong in the making; with the
/// path. What is half made is removed, and what was there before stays.
pub(super) fn make(dir: &Path, entry: &Entry, wish: Wish<'_>) -> io::Result<Manifest> {
    make_all(dir)?;
    let lock = lock(dir)?;
    // What is left of an attempt that was killed also takes room.
    let target = beside(dir, entry.name, "partial");
    let workshop = beside(dir, entry.name, "workshop");
    remove(&target)?;
    remove(&workshop)?;
    // A copy by hard links takes next to no room, and what it takes otherwise the system will say.
    if wish.from.is_none() && wish.scale == WHOLE {
        check_room(dir, entry.space)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", entry.name)))?;
    }
    let order = Order {
        dir,
        target: &target,
        workshop: &workshop,
        seed: wish.seed,
        scale: wish.scale,
        from: wish.from,
    };
    let made = make_directory(&workshop).and_then(|()| finish(entry, &order));
    // The error that came first says more than one of tidying up.
    let tidied = remove(&workshop).and_then(|()| remove(&target));
    drop(lock);
    made.and_then(|manifest| tidied.map(|()| manifest)).map_err(|error| with_room(error, entry))
}

/// Makes it, and puts it into its place.
fn finish(entry: &Entry, order: &Order<'_>) -> io::Result<Manifest> {
    let origin = (entry.make)(order)?;
    if order.target.is_dir() {
        make_repository(order.target)?;
    }
    let manifest = Manifest {
        name: entry.name.to_owned(),
        version: entry.version,
        origin,
        seed: (entry.choice == Choice::Seed).then_some(order.seed),
        date: date(),
        shape: Shape::of(order.target)?,
    };
    // A note without a corpus is no harm; a corpus without a note would have to be adopted.
    let place = order.dir.join(entry.name);
    remove(&place)?;
    manifest.write(order.dir)?;
    fs::rename(order.target, &place).map_err(|error| explain(&place, &error))?;
    Ok(manifest)
}

/// Where the corpus `from` is, which `name` is made from.
///
/// # Errors
///
/// It is missing; the message says what to type.
pub(super) fn source(order: &Order<'_>, from: &str, name: &str) -> io::Result<PathBuf> {
    let path = order.dir.join(from);
    if path.is_dir() {
        return Ok(path);
    }
    let remedy = command(order.dir, &format!("make {from} {name}"));
    Err(io::Error::other(format!("{name} is made from {from}, which is missing: {remedy}")))
}

/// Makes a directory and those it lies in.
fn make_all(dir: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).create(dir).map_err(|error| explain(dir, &error))
}

/// Keeps others from making corpora in `dir` for as long as the file is open.
fn lock(dir: &Path) -> io::Result<Option<File>> {
    let file = File::open(dir).map_err(|error| explain(dir, &error))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => {
            let why = "another benchsuite is making a corpus there";
            Err(explain(dir, &io::Error::new(ErrorKind::WouldBlock, why)))
        }
        // Not every file system can lock a directory. Whoever starts two at once there will see.
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// Removes whatever is called that, if anything is.
fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(explain(path, &error)),
        _ => Ok(()),
    }
}

/// Makes an empty git repository of a tree, so that its ignore files count for every tool. These
/// files are what makes one, and being the same everywhere they are better than those of the `git`
/// that happens to be installed, with the user's templates.
pub(super) fn make_repository(tree: &Path) -> io::Result<()> {
    let git = tree.join(".git");
    for dir in ["", "objects", "objects/info", "objects/pack", "refs", "refs/heads", "refs/tags"] {
        make_directory(&git.join(dir))?;
    }
    write(&git.join("HEAD"), b"ref: refs/heads/main\n")?;
    let config = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n";
    write(&git.join("config"), config.as_bytes())
}

/// Where the room gave out after all, says how much there should have been.
fn with_room(error: io::Error, entry: &Entry) -> io::Error {
    if error.kind() != ErrorKind::StorageFull {
        return error;
    }
    let needed = size(entry.space.bytes);
    io::Error::new(ErrorKind::StorageFull, format!("{error}; {} takes about {needed}", entry.name))
}
