//! The printed lines, with spans, colours, columns, replacements and limits of width, are those of
//! ripgrep's printer.

#![cfg_attr(fuzzing, no_main)]

use heist_fuzz::{Input, Search, haystack_of};
use heist_searcher::BinaryPolicy;

fn check(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let binary = input.pick(&[BinaryPolicy::Text, BinaryPolicy::Quit, BinaryPolicy::Convert]);
    let Some(mut search) = Search::with_format(&mut input) else { return };
    search.binary = binary;
    search.check_lines(haystack_of(&input), usize::MAX);
}

heist_fuzz::target!(check);
