//! The arguments in a configuration file, compared with a parser that handles one character at a
//! time.

#![cfg_attr(fuzzing, no_main)]

use std::os::unix::ffi::OsStrExt;

use bstr::{ByteSlice, ByteVec};
use heist_cli::config_file;

/// The arguments, parsed character by character. Blanks are those of Unicode; invalid UTF-8 is not
/// blank.
fn naive(file: &[u8]) -> Vec<Vec<u8>> {
    let file = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
    let (mut found, mut line, mut blanks) = (Vec::new(), Vec::new(), Vec::new());
    for (start, end, char) in file.char_indices().chain([(0, 0, '\n')]) {
        if char == '\n' {
            if !line.is_empty() && line[0] != b'#' {
                found.push(std::mem::take(&mut line));
            }
            line.clear();
            blanks.clear();
        } else if char.is_whitespace() {
            blanks.push_str(&file[start..end]);
        } else {
            if !line.is_empty() {
                line.append(&mut blanks);
            }
            blanks.clear();
            line.push_str(&file[start..end]);
        }
    }
    found
}

fn check(file: &[u8]) {
    let arguments = config_file::parse(file);
    let arguments: Vec<&[u8]> = arguments.iter().map(|line| line.argument.as_bytes()).collect();
    assert_eq!(arguments, naive(file), "{:?}", file.as_bstr());
}

heist_fuzz::target!(check);
