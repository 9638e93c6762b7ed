//! Matches that span lines, in a file cut into chunks of few bytes, as a search of the whole tells it.

#![cfg_attr(fuzzing, no_main)]

heist_fuzz::target!(heist_searcher_inside::check_spans);
