//! `big`: one file of over a gigabyte, in which lines and words are those of a real tree.

use std::{
    fs::{self, File},
    io,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use crate::{
    corpora::{
        catalog::{Order, WHOLE},
        making::source,
    },
    files::explain,
};

/// The file is larger than this.
const LEAST: u64 = 1 << 30;

/// Every C source and header of `linux`, in the order of their paths, from the start again until
/// there is enough.
///
/// # Errors
///
/// `linux` is missing or holds no such file; or as the system says, with the path.
pub(super) fn make(order: &Order<'_>) -> io::Result<String> {
    let linux = source(order, "linux", "big")?;
    let mut sources = Vec::new();
    gather(&linux, &mut sources)?;
    sources.sort_by(|one, other| one.as_os_str().as_bytes().cmp(other.as_os_str().as_bytes()));
    concatenate(&sources, order.target, LEAST * order.scale / WHOLE)?;
    Ok("the *.c and *.h of linux".to_owned())
}

fn gather(dir: &Path, sources: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(dir).map_err(|error| explain(dir, &error))? {
        let entry = entry.map_err(|error| explain(dir, &error))?;
        let path = entry.path();
        let file_type = entry.file_type().map_err(|error| explain(&path, &error))?;
        if file_type.is_dir() {
            gather(&path, sources)?;
        } else if file_type.is_file() && path.extension().is_some_and(|e| e == "c" || e == "h") {
            sources.push(path);
        }
    }
    Ok(())
}

/// Writes every source once, and then some again until there are more than `least` bytes.
fn concatenate(sources: &[PathBuf], target: &Path, least: u64) -> io::Result<()> {
    let mut out = File::create(target).map_err(|error| explain(target, &error))?;
    let mut written = 0;
    for round in 0.. {
        let before = written;
        for source in sources {
            if round > 0 && written > least {
                break;
            }
            let mut file = File::open(source).map_err(|error| explain(source, &error))?;
            written += io::copy(&mut file, &mut out).map_err(|error| explain(target, &error))?;
        }
        if written > least {
            break;
        }
        if written == before {
            return Err(io::Error::other("big is made from linux, which holds no C source"));
        }
    }
    Ok(())
}
