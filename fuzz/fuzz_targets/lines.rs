//! The line buffer, slightly larger than a line and filled by short reads, reports the lines,
//! context, limits and NUL bytes that the reference of the searcher's tests reports.

#![cfg_attr(fuzzing, no_main)]

heist_fuzz::target!(heist_fuzz::check_blocks);
