//! `benchsuite report`: a record as tables, a page or pictures, without measuring.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::files::explain;
use crate::report;
use crate::suite::record::Record;
use crate::suite::table;

/// What was typed.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    /// A record of `benchsuite walk` or `benchsuite search`
    #[arg(value_name = "RECORD")]
    record: PathBuf,

    /// Write the page with all plots to FILE
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Write the main plots into DIR
    #[arg(long, value_name = "DIR")]
    png: Option<PathBuf>,

    /// Write the tables to FILE, `-` for the terminal [default: the terminal, if nothing else is asked for]
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

/// Does what was typed.
///
/// # Errors
///
/// The record cannot be read, or something cannot be written.
pub(crate) fn run(options: &Options) -> io::Result<ExitCode> {
    let record = Record::read(&options.record)?;
    if let Some(html) = &options.html {
        write_html(&record, html)?;
    }
    if let Some(directory) = &options.png {
        for path in report::pngs(&record, directory)? {
            writeln!(io::stderr(), "benchsuite: {}", path.display())?;
        }
    }
    let nothing_else = options.html.is_none() && options.png.is_none();
    let markdown = options.markdown.clone().or(nothing_else.then(|| PathBuf::from("-")));
    if let Some(path) = markdown {
        let text = table::print(&record);
        if path == Path::new("-") {
            io::stdout().lock().write_all(text.as_bytes())?;
        } else {
            fs::write(&path, text).map_err(|error| explain(&path, &error))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the page.
///
/// # Errors
///
/// A plot cannot be drawn, or the file cannot be written; with its path.
pub(crate) fn write_html(record: &Record, path: &Path) -> io::Result<()> {
    let page = report::html(record)
        .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
    fs::write(path, page).map_err(|error| explain(path, &error))
}
