//! An index of git is read within bounds, and contains what it lists. `tests/hs/choose.rs` compares
//! with git itself.

#![cfg_attr(fuzzing, no_main)]

use heist_fuzz::Input;

fn check(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    // The index, or with the flag both halves of a split one.
    let len = input.flag().then(|| usize::from(input.byte()) << 8 | usize::from(input.byte()));
    let rest = input.rest();
    let (index, shared) = rest.split_at(len.unwrap_or(rest.len()).min(rest.len()));
    heist_filter::check_index(index, shared);
}

heist_fuzz::target!(check);
