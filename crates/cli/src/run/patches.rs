//! The edits of files as patches, in the colours of a search.

use heist_printer::PatchLook;
use heist_replace::{Error, FileEdits, NO_LINE_FEED, PatchHunk, patch_header, read_hunks};

/// Appends the patch of `file` to `out`. The file is read again for that.
///
/// # Errors
/// The file has changed since its edits were made, or cannot be read; nothing is appended then.
pub(super) fn append_patch(
    file: &FileEdits,
    look: &PatchLook,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let before = out.len();
    append_paths(file, look, out);
    let read = read_hunks(file, |hunk| append_hunk(hunk, look, out));
    read.inspect_err(|_| out.truncate(before))
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
