//! A file in chunks of few bytes, searched by its owner and a helper in changing turns, yields the
//! results of the reference of the searcher's tests.

#![cfg_attr(fuzzing, no_main)]

heist_fuzz::target!(heist_fuzz::check_chunks);
