//! A record as a page that explains itself, and its main charts as pictures.
//!
//! The page is one file of HTML that loads nothing, which its content security policy enforces.
//! Everything can be read without the script, which only adds a button that copies a command. Text
//! from the record (commands, versions, names of trees) is escaped wherever it is written.
//!
//! | module | what |
//! |---|---|
//! | `command` | `benchsuite report` |
//! | `page` | what the template `page.html` is filled with |
//! | `panels` | a panel per queue, as SVG by the template `panel.svg` |
//! | `scale` | the place of a figure on an axis, and the labels of the axis |
//! | `ink` | the colours, by light and in the dark |
//! | `pictures` | panels as files |

mod command;
mod ink;
mod page;
mod panels;
mod pictures;
mod scale;

pub(crate) use command::{ReportOptions, run, write_html};
#[cfg(test)]
pub(crate) use page::html;
