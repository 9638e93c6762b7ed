//! The panels of time as pictures, for places that show no HTML: SVG with the colours by light.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::ink::by_light;
use super::panels::{HEIGHT, WIDTH, panels};
use crate::files::explain;
use crate::format::escape;
use crate::record::Record;

/// How many panels lie beside one another.
const COLUMNS: usize = 4;

/// Room for the title.
const TOP: f64 = 34.0;

/// Draws the times of the queues in each comparison into a directory that is made if it is missing.
/// The paths of the pictures come back.
pub(super) fn write(record: &Record, dir: &Path) -> io::Result<Vec<PathBuf>> {
    fs::create_dir_all(dir).map_err(|error| explain(dir, &error))?;
    let mut written = Vec::new();
    for (number, comparison) in record.comparisons.iter().enumerate() {
        let Some(times) = panels(comparison, record.machine.cores).into_iter().next() else {
            continue;
        };
        let rows = times.drawings.len().div_ceil(COLUMNS) as f64;
        let (width, height) = (COLUMNS as f64 * (WIDTH + 10.0) + 10.0, TOP + rows * (HEIGHT + 8.0));
        let mut picture = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\" font-size=\"14\">\n<rect width=\"100%\" height=\"100%\" \
             fill=\"var(--card)\"/>\n<text x=\"12\" y=\"22\" fill=\"var(--text)\">Time by threads: \
             {}</text>\n",
            escape(&comparison.name())
        );
        for (index, panel) in times.drawings.iter().enumerate() {
            let (row, column) = ((index / COLUMNS) as f64, (index % COLUMNS) as f64);
            let (x, y) = (10.0 + column * (WIDTH + 10.0), TOP + row * (HEIGHT + 8.0));
            let at = format!("<svg x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\"");
            picture += &panel.replacen("<svg", &at, 1);
        }
        let safe = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let name: String = comparison.name().replace(", ", "-").chars().map(safe).collect();
        let name = format!("{}-threads", name.to_ascii_lowercase());
        let mut path = dir.join(format!("{name}.svg"));
        if written.contains(&path) {
            path = dir.join(format!("{name}-{number}.svg"));
        }
        fs::write(&path, by_light(&picture) + "</svg>\n")
            .map_err(|error| explain(&path, &error))?;
        written.push(path);
    }
    Ok(written)
}
