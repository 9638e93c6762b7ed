//! A trigram index of a tree's files, which proves which ones cannot match a pattern.
//!
//! The index is no list of files: a search walks the tree as without it, and leaves unread what
//! provably holds no match. The proof has two parts. A [`Plan`] is what a text must contain for the
//! pattern to match. A [`Stamp`] is what the system reports about a file: as long as it is the one
//! in the index, the file contains what was indexed. A file without a proof is searched.
//!
//! ```
//! # #[cfg(unix)] {
//! use std::fs::{self, File};
//! use heist_index::{Builder, Home, Plan, Scope, Stamp, Verdict};
//!
//! let temp = tempfile::tempdir()?;
//! let (tree, home) = (temp.path().canonicalize()?.join("tree"), temp.path().join("cache"));
//! fs::create_dir(&tree)?;
//! let path = tree.join("main.c");
//! fs::write(&path, "int main(void)\n")?;
//! // Just written, it might be written again within the same tick of the clock.
//! std::thread::sleep(std::time::Duration::from_millis(200));
//!
//! let home = Home::new(home);
//! let builder = Builder::new(&home.dir_of(&tree), &tree)?;
//! builder.collector().add(&mut File::open(&path)?)?;
//! builder.finish(1)?;
//!
//! let index = home.find(&tree)?;
//! let verdict = |pattern| -> Result<Verdict, heist_index::Error> {
//!     let plan = Plan::of(&regex_syntax::parse(pattern).unwrap());
//!     let stamp = Stamp::of(&fs::metadata(&path)?).expect("Unix has times of change");
//!     Ok(index.candidates(&plan, Scope::Line)?.verdict(&stamp))
//! };
//! assert_eq!(verdict("main|start")?, Verdict::MayMatch);
//! assert_eq!(verdict(r"static \w+")?, Verdict::CannotMatch);
//! fs::write(&path, "static int main;\n")?;
//! assert_eq!(verdict(r"static \w+")?, Verdict::NotCovered);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Files
//!
//! | room | contents |
//! |---|---|
//! | `plan` | from an expression to a condition on trigrams |
//! | `gram`, `gram_set`, `blocks` | trigrams, a text's trigrams, and text cut into blocks |
//! | `writer` | collects the grams of files in runs, merges these and writes a segment |
//! | `layout` | the parts of a segment |
//! | `gamma`, `varint`, `le_bytes` | numbers as bits and as bytes |
//! | `pages`, `trailer` | files of pages with checksums |
//! | `segment`, `index` | reads an index |
//! | `evaluation`, `candidates` | which blocks meet a condition, and which files may match |
//! | `snapshot` | the directories of the tree, as they were listed |
//! | `manifest`, `lock` | which segments there are, and who may change that |
//! | `stamp_trust` | what stamps prove on which file system |
//! | `stamp`, `bit_set` | when a file is as it was; sets of blocks, files and directories |
//! | `home` | where indexes lie |

#![forbid(unsafe_code)]

mod bit_set;
mod blocks;
mod candidates;
mod error;
mod evaluation;
mod file_starts;
mod gamma;
mod gram;
mod gram_set;
mod home;
mod index;
mod layout;
mod lock;
mod manifest;
mod numbers;
mod pages;
mod plan;
mod segment;
mod snapshot;
mod stamp;
mod stamp_trust;
mod trailer;
mod trust;
mod writer;

pub use bit_set::BitSet;
pub use candidates::{CandidateRange, Candidates, Scope, Verdict};
pub use error::Error;
pub use home::Home;
pub use index::{Index, Stamps};
pub use plan::Plan;
pub use snapshot::{
    Dir, DirEntry, Dirs, EntryFacts, EntryKind, Places, RuleFiles, RuleSource, Snapshot,
    SnapshotBuilder,
};
pub use stamp::Stamp;
pub use stamp_trust::StampTrust;
pub use writer::{Added, Builder, Built, Collector, Verified, Verifier, VerifyingCollector};

#[cfg(doctest)]
skipped_tests_summary::report!();
