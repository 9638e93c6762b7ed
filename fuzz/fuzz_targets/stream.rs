//! Pipes: what comes from a writer that pauses, searched in chunks by its owner and a helper in changing turns, as the slow
//! reference of the searcher's tests tells it.

#![cfg_attr(fuzzing, no_main)]

heist_fuzz::target!(heist_searcher_inside::check_stream);
