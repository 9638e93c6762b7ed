//! Corpora that are made from others: `zipped` from `sample`, `big` from `linux`.

use std::{
    fs::File,
    io,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use flate2::{Compression, write::GzEncoder};

use crate::corpora::order::{Order, SAMPLE, WHOLE};
use crate::corpora::tree::{each_entry, make_directory};
use crate::files::explain;

/// The size that `big` exceeds.
const LEAST: u64 = 1 << 30;

/// Every file of `sample`, compressed by gzip, under its name with `.gz` appended. Links would be
/// broken and are left out; the files contain neither name nor time, so that they are the same on
/// every machine.
pub(super) fn make_zipped(order: &Order<'_>) -> io::Result<String> {
    compress_tree(&order.source(SAMPLE, "zipped")?, order.target)?;
    Ok("the files of sample".to_owned())
}

fn compress_tree(from: &Path, to: &Path) -> io::Result<()> {
    make_directory(to)?;
    each_entry(from, &mut |entry, kind| {
        let (path, mut name) = (entry.path(), entry.file_name());
        if kind.is_dir() {
            return compress_tree(&path, &to.join(name));
        }
        if kind.is_file() {
            name.push(".gz");
            compress(&path, &to.join(name)).map_err(|error| explain(&path, &error))?;
        }
        Ok(())
    })
}

fn compress(path: &Path, to: &Path) -> io::Result<()> {
    let mut out = GzEncoder::new(File::create(to)?, Compression::default());
    io::copy(&mut File::open(path)?, &mut out)?;
    out.finish().map(drop)
}

/// One file: every C source and header of `linux`, in the order of their paths, repeated until
/// there are enough bytes.
pub(super) fn make_big(order: &Order<'_>) -> io::Result<String> {
    let mut sources = Vec::new();
    gather(&order.source("linux", "big")?, &mut sources)?;
    sources.sort_by(|one, other| one.as_os_str().as_bytes().cmp(other.as_os_str().as_bytes()));
    let (target, least) = (order.target, LEAST * order.wish.scale / WHOLE);
    let mut out = File::create(target).map_err(|error| explain(target, &error))?;
    let mut written = 0;
    for (number, source) in sources.iter().cycle().enumerate() {
        // Each source occurs at least once.
        if number >= sources.len() && (written > least || written == 0) {
            break;
        }
        let mut file = File::open(source).map_err(|error| explain(source, &error))?;
        written += io::copy(&mut file, &mut out).map_err(|error| explain(target, &error))?;
    }
    if written == 0 {
        return Err(io::Error::other("big is made from linux, which holds no C source"));
    }
    Ok("the *.c and *.h of linux".to_owned())
}

fn gather(dir: &Path, sources: &mut Vec<PathBuf>) -> io::Result<()> {
    each_entry(dir, &mut |entry, kind| {
        let path = entry.path();
        if kind.is_dir() {
            return gather(&path, sources);
        }
        if kind.is_file() && path.extension().is_some_and(|e| e == "c" || e == "h") {
            sources.push(path);
        }
        Ok(())
    })
}
