//! A record as a page that explains itself, and its main charts as pictures.
//!
//! The page is one file of HTML that loads nothing: no script, style, font or picture from
//! elsewhere, which its content security policy enforces. Everything can be read without the
//! script; that only adds values under the pointer, lines that can be switched off, and a button to
//! copy a command. Text from the record (commands, versions, names of trees) is escaped wherever it
//! is written.
//!
//! | module | what |
//! |---|---|
//! | `page` | the parts of the page in their order |
//! | `headline` | the findings in words |
//! | `caveats` | what makes figures doubtful |
//! | `reading` | which rows stand for a program, and what may be compared |
//! | `charts` | which charts a comparison has |
//! | `table` | every row with every figure |
//! | `plot` | charts as SVG |
//! | `png` | charts as pictures, in programs built for it |
//! | `format` | figures as people read them, and escaping |

mod caveats;
mod charts;
mod format;
mod headline;
mod page;
mod plot;
#[cfg(feature = "png")]
mod png;
mod reading;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use page::html;
#[cfg(feature = "png")]
pub(crate) use png::pngs;

/// In a program without pictures: says which has them.
///
/// # Errors
///
/// Always.
#[cfg(not(feature = "png"))]
pub(crate) fn pngs(
    _: &crate::suite::record::Record,
    _: &std::path::Path,
) -> std::io::Result<Vec<std::path::PathBuf>> {
    Err(std::io::Error::new(
        std::io::ErrorKind::Unsupported,
        "this benchsuite was built without pictures: build it with `--features png`",
    ))
}
