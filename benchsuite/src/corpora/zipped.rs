//! `zipped`: the files of `sample`, each compressed as gzip does, for searches that look into them.

use std::{
    ffi::OsString,
    fs::{self, File},
    io,
    path::Path,
};

use flate2::{Compression, write::GzEncoder};

use crate::{
    corpora::{
        catalog::{Order, SAMPLE},
        generated::make_directory,
        making::source,
    },
    files::explain,
};

/// Every file of `sample` under its name with `.gz` behind. Links would lead nowhere and stay
/// behind, as does what git keeps; that no name or time is noted in the files makes them the same
/// everywhere.
///
/// # Errors
///
/// `sample` is missing; or as the system says, with the path.
pub(super) fn make(order: &Order<'_>) -> io::Result<String> {
    compress_tree(&source(order, SAMPLE, "zipped")?, order.target)?;
    Ok("the files of sample".to_owned())
}

fn compress_tree(from: &Path, to: &Path) -> io::Result<()> {
    make_directory(to)?;
    for entry in fs::read_dir(from).map_err(|error| explain(from, &error))? {
        let entry = entry.map_err(|error| explain(from, &error))?;
        let path = entry.path();
        let file_type = entry.file_type().map_err(|error| explain(&path, &error))?;
        let mut name = entry.file_name();
        if file_type.is_dir() && name != ".git" {
            compress_tree(&path, &to.join(name))?;
        } else if file_type.is_file() {
            name.push(".gz");
            compress(&path, to, &name).map_err(|error| explain(&path, &error))?;
        }
    }
    Ok(())
}

fn compress(path: &Path, to: &Path, name: &OsString) -> io::Result<()> {
    let mut file = File::open(path)?;
    let mut out = GzEncoder::new(File::create(to.join(name))?, Compression::default());
    io::copy(&mut file, &mut out)?;
    out.finish().map(drop)
}
