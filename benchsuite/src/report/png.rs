//! The main charts as pictures, for places that show no HTML.

use std::fs;
use std::io;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree};

use super::charts::{Charts, queues};
use super::plot::{Frame, by_light};
use crate::files::explain;
use crate::format::Unit;
use crate::record::Record;

/// Pixels per unit of a drawing, so that pictures are sharp on dense screens.
const SCALE: f32 = 2.0;

/// Fonts without serifs, in the order they are preferred.
const FAMILIES: &str = "Inter, Noto Sans, Liberation Sans, Helvetica Neue, Arial, Segoe UI, \
                        DejaVu Sans, Verdana, sans-serif";

/// Draws times against threads and against other programs, for each comparison that has them, into
/// a directory that is made if it is missing. The paths of the pictures come back.
pub(super) fn pngs(record: &Record, dir: &Path) -> io::Result<Vec<PathBuf>> {
    let options = Options { fontdb: Arc::new(fonts()?), ..Options::default() };
    fs::create_dir_all(dir).map_err(|error| explain(dir, &error))?;
    let queues = queues(record);
    let mut written = Vec::new();
    for comparison in &record.comparisons {
        let frame =
            Frame { width: 720.0, height: 400.0, font: Some(FAMILIES), of: &comparison.name() };
        let charts = Charts::of(comparison, record.machine.cores, &queues, &frame);
        for (kind, charts) in [("programs", charts.bars), ("threads", charts.lines)] {
            let time = charts.iter().find(|chart| chart.unit == Unit::Time);
            let Some(chart) = time else { continue };
            let [corpus, task, cache] = [&comparison.corpus, &comparison.task, &comparison.cache];
            let name = file_name(&format!("{corpus} {task} {cache}"));
            let path = free_path(dir, &format!("{name}-{kind}.png"), &written);
            let picture = picture(&chart.drawing, &options)?;
            fs::write(&path, picture).map_err(|error| explain(&path, &error))?;
            written.push(path);
        }
    }
    Ok(written)
}

/// The picture of a drawing.
fn picture(drawing: &str, options: &Options<'_>) -> io::Result<Vec<u8>> {
    let tree = Tree::from_str(&by_light(drawing), options).map_err(io::Error::other)?;
    let size = tree.size();
    let (width, height) = ((size.width() * SCALE).ceil(), (size.height() * SCALE).ceil());
    let mut pixels = Pixmap::new(width as u32, height as u32)
        .ok_or_else(|| io::Error::other("a chart is too large for a picture"))?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.encode_png().map_err(io::Error::other)
}

/// The fonts of this system; without any, pictures would silently have no text.
fn fonts() -> io::Result<Database> {
    let mut fonts = Database::new();
    fonts.load_system_fonts();
    // Where none of the preferred fonts exists, any one is better than none.
    let any = fonts.faces().find_map(|face| Some(face.families.first()?.0.clone()));
    let any = any.ok_or_else(|| {
        let why = "no font was found on this system, so charts could have no text; install one, \
                   for instance DejaVu Sans";
        io::Error::new(io::ErrorKind::NotFound, why)
    })?;
    fonts.set_sans_serif_family(any);
    Ok(fonts)
}

/// A name that is safe as a file name everywhere.
fn file_name(text: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    let name: String = text.trim().chars().map(safe).collect();
    name.trim_start_matches('.').to_ascii_lowercase()
}

/// The path of a new picture: two comparisons may have names that differ in odd characters only.
fn free_path(dir: &Path, name: &str, taken: &[PathBuf]) -> PathBuf {
    let numbered = |number: usize| dir.join(name.replace(".png", &format!("-{number}.png")));
    let mut paths = iter::once(dir.join(name)).chain((2..).map(numbered));
    paths.find(|path| !taken.contains(path)).expect("numbers do not end")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::cases;

    #[test]
    fn pictures_are_pictures_or_say_what_is_missing() {
        let temp = tempfile::tempdir().unwrap();
        let record = cases::record(
            "linux, list-all, warm\nhs deque -j2 20 20\nhs stack -j4 20 20\nrg 9 9\nfloor 8 8\n\
             linux, list-all, warm\nhs deque -j2 20 20\nhs stack -j4 20 20\nrg 9 9\n",
        );
        match pngs(&record, &temp.path().join("new")) {
            Ok(paths) => {
                let names: BTreeSet<_> = paths.iter().filter_map(|path| path.file_name()).collect();
                assert_eq!(names.len(), 4, "no picture replaces another: {paths:?}");
                for path in &paths {
                    let bytes = fs::read(path).unwrap();
                    assert!(bytes.starts_with(b"\x89PNG"), "{}", path.display());
                    assert_eq!(bytes[16..20], 1440_u32.to_be_bytes(), "twice as wide as drawn");
                }
            }
            // A machine without fonts can still make pages.
            Err(error) => assert!(error.to_string().contains("no font was found"), "{error}"),
        }
    }

    #[test]
    fn names_are_safe() {
        assert_eq!(file_name("linux list-all warm"), "linux-list-all-warm");
        assert_eq!(file_name("../a b/ç"), "-a-b--");
        let taken = [PathBuf::from("d/a.png"), PathBuf::from("d/a-2.png")];
        assert_eq!(free_path(Path::new("d"), "a.png", &taken), Path::new("d/a-3.png"));
    }
}
