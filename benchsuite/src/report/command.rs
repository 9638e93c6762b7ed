//! `benchsuite report`: a record as tables, a page or pictures, without measuring.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::files::explain;
use crate::record::Record;
use crate::report::{page, pictures};
use crate::tables;

/// The arguments of `benchsuite report`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ReportOptions {
    /// A record of any command
    #[arg(value_name = "RECORD")]
    record: PathBuf,

    /// Write the page with all plots to FILE, of a record of `walk` or `search`
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Write the times of the queues into DIR, as SVG: a file for each comparison
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,

    /// Of a record of `queues`: also what the documents' own harnesses would have reported, and why
    #[arg(long)]
    as_published: bool,

    /// Write the tables to FILE, `-` for the terminal [default: the terminal, without other
    /// options]
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

/// Makes the wanted outputs of a record.
pub(crate) fn run(options: &ReportOptions) -> io::Result<ExitCode> {
    let record = Record::read(&options.record)?;
    if let Some(html) = &options.html {
        write_html(&record, html)?;
    }
    if let Some(directory) = &options.svg {
        for path in pictures::write(&record, directory)? {
            writeln!(io::stderr(), "benchsuite: {}", path.display())?;
        }
    }
    let nothing_else = options.html.is_none() && options.svg.is_none();
    let markdown = options.markdown.clone().or(nothing_else.then(|| PathBuf::from("-")));
    if let Some(path) = markdown {
        if path == Path::new("-") {
            tables::show(&record, options.as_published)?;
        } else {
            let text = tables::print(&record, options.as_published);
            fs::write(&path, text).map_err(|error| explain(&path, &error))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the page.
pub(crate) fn write_html(record: &Record, path: &Path) -> io::Result<()> {
    let page = page::html(record).map_err(|error| explain(path, &io::Error::other(error)))?;
    fs::write(path, page).map_err(|error| explain(path, &error))
}
