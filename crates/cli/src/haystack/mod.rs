//! Haystacks that need care before they are read: standard input, and files that are not in
//! memory.

mod deferred;

pub(crate) use deferred::{DeferredFile, DeferredFiles, MAX_DEFERRED, NonBlockingFirstRead};

/// Standard input's name in output and messages.
pub(crate) const STDIN_NAME: &[u8] = b"<stdin>";
