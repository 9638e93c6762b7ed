//! Patterns, compiled once into a [`Matcher`] that many threads share, and the search for the lines
//! that match.
//!
//! A [`Finder`] is one thread's end. It goes over a block of many lines at once and returns the
//! lines that match, or candidates that [`Finder::is_match`] decides on. Within a line it finds the
//! matches and their groups.
//!
//! ```
//! use heist_matcher::{BlockScan, Boundary, MatcherConfig, LineHit, Matcher};
//!
//! let config = MatcherConfig { boundary: Boundary::Word, ..MatcherConfig::default() };
//! let matcher = Matcher::new(["static", r"u\d+"], &config)?;
//! let mut finder = matcher.finder();
//!
//! let block = b"let x: u8 = 0;\nu8_to_u16(x)\nfn f() {}\nstatic Y: i8 = 1;\n";
//! let (mut scan, mut at, mut lines) = (BlockScan::new(block), 0, Vec::new());
//! while let Some(hit) = finder.next_line(&mut scan, at) {
//!     let start = block[..hit.offset()].iter().rposition(|&b| b == b'\n').map_or(0, |n| n + 1);
//!     let end = start + block[start..].iter().position(|&b| b == b'\n').unwrap();
//!     let line = &block[start..end];
//!     if matches!(hit, LineHit::Confirmed(_)) || finder.is_match(line) {
//!         let found = finder.find_at(line, 0).expect("the line matches");
//!         lines.push((start, std::str::from_utf8(&line[found])?));
//!     }
//!     at = end + 1;
//! }
//! assert_eq!(lines, [(0, "u8"), (38, "static")]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate's law: in a block, [`Finder::next_line`] and [`Finder::is_match`] together find the
//! lines that the plain regex matches alone. A match never spans lines, unless
//! [`MatcherConfig::multiline`] allows it.
//!
//! # Strategies
//!
//! Patterns are parsed to one expression. A plan has a name and one or more strategies, and the
//! first plan of a list (`strategies/plans.rs`) that is for the expression is used. A strategy that
//! stops too often in a text gives way to the next of its plan for a while. [`Matcher::plan`]
//! describes what was chosen.
//!
//! | strategy | used for | example |
//! |---|---|---|
//! | every line, no line | what matches everywhere, or nowhere | `x*`, `[a&&b]` |
//! | anchored literal | one literal between assertions | `^foo$`, `\bfoo\b` |
//! | packed | a few literals, whole or in every match | `foo\|bar`, `\w+_init` |
//! | many | hundreds of literals, or some in either case | `-f LIST`, `(?i)alpha\|bravo` |
//! | words | words that stand alone, however many | `-w -f LIST` |
//! | bit-parallel | classes in ASCII text | `[A-Z]\w+\(`, `^\s*$` |
//! | ASCII skip | what matches no ASCII text | `\p{Greek}` |
//! | engine | the rest, and what the others leave | `\w+e` in Cyrillic text |
//! | line by line | PCRE2, on lines with its literals or its outline | `foo(?=bar)` |
//!
//! # Features
//!
//! `accents`: [`MatcherConfig::fold_accents`], with tables of characters.
//!
//! `pcre2`: the engine [`Engine::Pcre2`], for look-around and backreferences. It is a library in C.
//!
//! # Files
//!
//! | room | contents |
//! |---|---|
//! | `compile` | patterns to expressions: parsing, smart case, line safety, PCRE2 |
//! | `literals` | literals that every match contains, and how rare they are |
//! | `needle_search` | a search for these literals in parts of a line |
//! | `part_search` | a search of a line part by part, without such literals |
//! | `pattern_set` | which of several patterns match |
//! | `query` | lines that meet several conditions |
//! | `any_case` | a name as a pattern for all its forms |
//! | `plan` | how the patterns are searched for, in words |
//! | `alphabet` | the bytes that a match may contain, and those that separate matches |
//! | `fingerprint` | a test of single bytes that finds where these literals may be |
//! | `strategies` | a file for each, their prices, and the list of plans |
//! | `apart`, `successive` | patterns of PCRE2 that are searched for one by one |
//! | `backreference` | whether text is repeated, for PCRE2's outlines |
//! | `exact`, `whole` | the search that decides; matches that span lines |
//! | `reach`, `near_needles` | how far those extend; the search for them near literals |
//! | `near` | the search for matches near literals that each contains |
//! | `simple_search` | the same for literals and, in ASCII text, `class_run` (`\w+`) and `gap` |

// Only what is compiled for some processors may use unsafe code: `avx2.rs`, `avx512.rs` and
// `neon.rs` of `strategies/bit_parallel`.
#![deny(unsafe_code)]

mod alphabet;
mod any_case;
#[cfg(feature = "pcre2")]
mod apart;
#[cfg(test)]
mod ascii_trial;
#[cfg_attr(not(feature = "pcre2"), allow(dead_code, reason = "only PCRE2 has backreferences"))]
mod backreference;
mod block_scan;
mod captures;
mod class_run;
mod compile;
mod compiled;
mod conditions;
mod config;
mod error;
mod exact;
mod finder;
mod fingerprint;
mod gap;
mod lines;
mod literals;
mod matcher;
mod near;
mod near_needles;
mod needle_search;
mod part_search;
mod pattern_set;
mod plan;
mod query;
mod reach;
mod simple_search;
mod strategies;
#[cfg(feature = "pcre2")]
mod successive;
#[cfg(test)]
mod tests;
mod whole;

pub use any_case::{NameError, name_pattern, name_words};
pub use block_scan::BlockScan;
pub use captures::Captures;
#[cfg(feature = "pcre2")]
pub use compile::pcre2::pcre2_version;
pub use config::{Boundary, Case, Engine, MatcherConfig};
pub use error::{Error, ErrorKind, SyntaxError};
pub use finder::Finder;
pub use fingerprint::{Fingerprint, Probe};
pub use lines::LineHit;
pub use matcher::Matcher;
pub use needle_search::NeedleSearch;
pub use part_search::{InParts, PartSearch};
pub use pattern_set::{PatternFinder, PatternSet};
pub use plan::Plan;
pub use query::Condition;
pub use reach::Reach;
pub use regex_syntax::escape;
