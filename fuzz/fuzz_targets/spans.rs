//! Matches that span lines, in a file split into chunks of few bytes, are those of a search of the
//! whole file.

#![cfg_attr(fuzzing, no_main)]

heist_fuzz::target!(heist_fuzz::check_spans);
