//! The line buffer: lines, context, limits and NUL bytes where the buffer is hardly larger than a line and reads are short,
//! as the slow reference of the searcher's tests tells them.

#![cfg_attr(fuzzing, no_main)]

heist_fuzz::target!(heist_searcher_inside::check_blocks);
