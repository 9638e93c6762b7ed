//! A record as a page that explains itself, and its main charts as pictures.
//!
//! The page is one file of HTML that loads nothing, which its content security policy enforces.
//! Everything can be read without the script, which only adds values under the pointer, lines that
//! can be switched off, and a button that copies a command. Text from the record (commands,
//! versions, names of trees) is escaped wherever it is written.
//!
//! | module | what |
//! |---|---|
//! | `command` | `benchsuite report` |
//! | `page` | what the template `page.html` is filled with |
//! | `charts` | which charts a comparison has |
//! | `plot` | charts as SVG |
//! | `png` | charts as pictures, with the feature of that name |

mod charts;
mod command;
mod page;
mod plot;
#[cfg(feature = "png")]
mod png;

pub(crate) use command::{ReportOptions, run, write_html};
#[cfg(test)]
pub(crate) use page::html;
