//! A pipe whose writer pauses, searched in chunks by its owner and a helper in changing turns,
//! yields the results of the reference of the searcher's tests.

#![cfg_attr(fuzzing, no_main)]

heist_fuzz::target!(heist_fuzz::check_stream);
