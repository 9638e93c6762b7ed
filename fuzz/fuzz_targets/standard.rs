//! Lines as they are printed, with spans, colours, columns, replacements and cuts, by heist's printer and by ripgrep's.

#![cfg_attr(fuzzing, no_main)]

use bstr::ByteSlice;
use heist_fuzz::{Input, Search, haystack_of};
use heist_searcher::BinaryPolicy;

fn check(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let binary = input.pick(&[BinaryPolicy::Text, BinaryPolicy::Quit, BinaryPolicy::Convert]);
    let Some(mut search) = Search::of_looks(&mut input) else { return };
    search.binary = binary;
    let haystack = haystack_of(&input);
    let Some([ours, theirs]) = search.both(haystack, usize::MAX) else { return };
    assert_eq!(ours.as_bstr(), theirs.as_bstr(), "{search:?} in {:?}", haystack.as_bstr());
}

heist_fuzz::target!(check);
