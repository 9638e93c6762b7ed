//! Making a corpus: in a temporary directory beside its place, renamed when it is whole.

use std::{
    fs::{self, DirBuilder},
    io::{self, ErrorKind},
    path::Path,
};

use crate::corpora::catalog::Entry;
use crate::corpora::manifest::Manifest;
use crate::corpora::order::{Choice, Order, WHOLE, Wish};
use crate::corpora::place::{check_room, partial_prefix, partials, size};
use crate::corpora::shape::Shape;
use crate::corpora::tree::{make_directory, make_repository};
use crate::files::explain;
use crate::machine::date;

/// Makes a corpus in `dir` and replaces the one of its name. If that fails, the old one stays.
pub(super) fn make(dir: &Path, entry: &Entry, wish: Wish<'_>) -> io::Result<Manifest> {
    DirBuilder::new().recursive(true).create(dir).map_err(|error| explain(dir, &error))?;
    // An attempt that was killed has left its files behind.
    for rest in partials(dir, entry.name) {
        fs::remove_dir_all(&rest).map_err(|error| explain(&rest, &error))?;
    }
    // A copy by hard links needs next to no room.
    if wish.from.is_none() && wish.scale == WHOLE {
        check_room(dir, entry.space)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", entry.name)))?;
    }
    let temp = tempfile::Builder::new().prefix(&partial_prefix(entry.name)).tempdir_in(dir)?;
    let (target, workshop) = (temp.path().join("corpus"), temp.path().join("workshop"));
    make_directory(&workshop)?;
    let order = Order { dir, target: &target, workshop: &workshop, wish };
    let made = finish(entry, &order).map_err(|error| match error.kind() {
        ErrorKind::StorageFull => {
            let needed = size(entry.space.bytes);
            let why = format!("{error}; {} takes about {needed}", entry.name);
            io::Error::new(ErrorKind::StorageFull, why)
        }
        _ => error,
    })?;
    temp.close().map(|()| made)
}

/// Makes it, and moves it to its place.
fn finish(entry: &Entry, order: &Order<'_>) -> io::Result<Manifest> {
    let origin = (entry.make)(order)?;
    if order.target.is_dir() {
        make_repository(order.target)?;
    }
    let manifest = Manifest {
        name: entry.name.to_owned(),
        version: entry.version,
        origin,
        seed: (entry.choice == Choice::Seed).then_some(order.wish.seed),
        date: date(),
        shape: Shape::of(order.target)?,
    };
    let place = order.dir.join(entry.name);
    let removed = match fs::symlink_metadata(&place) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(&place),
        Ok(_) => fs::remove_file(&place),
        Err(_) => Ok(()),
    };
    removed.map_err(|error| explain(&place, &error))?;
    // A manifest without a corpus does no harm; a corpus without one would have to be adopted.
    manifest.write(order.dir)?;
    fs::rename(order.target, &place).map_err(|error| explain(&place, &error))?;
    Ok(manifest)
}
