//! The edits of files as patches, in the colours of a search.

use heist_printer::PatchLook;
use heist_replace::{FileEdits, NO_LINE_FEED, PatchHunk, patch_header, read_hunks};

use crate::texts::messages::Messages;

/// The patch of `file`, which is read again for that. `None`, with a message, if it has changed
/// since its edits were made, or cannot be read.
pub(super) fn patch_of(file: &FileEdits, look: &PatchLook, messages: &Messages) -> Option<Vec<u8>> {
    let mut patch = Vec::new();
    append_paths(file, look, &mut patch);
    let read = read_hunks(file, |hunk| append_hunk(hunk, look, &mut patch));
    read.map_err(|error| messages.error_in_lines(error)).ok().map(|()| patch)
}

/// Appends the lines that name `file`.
pub(super) fn append_paths(file: &FileEdits, look: &PatchLook, out: &mut Vec<u8>) {
    for line in patch_header(file).split_inclusive(|&byte| byte == b'\n') {
        look.append_path(out, line);
    }
}

/// Appends the lines of `hunk`, and where they are.
pub(super) fn append_hunk(hunk: &PatchHunk, look: &PatchLook, out: &mut Vec<u8>) {
    look.append_place(out, hunk.place().as_bytes());
    for line in &hunk.lines {
        look.append_line(out, line.kind.sign(), &line.text, &line.spans);
        if !line.text.ends_with(b"\n") {
            out.extend_from_slice(NO_LINE_FEED);
        }
    }
}
