//! The entry that `--why` explains.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

/// An entry's name, and the reason why it is left out, once that is known.
#[derive(Debug, Default)]
pub(crate) struct ExplainedEntry(Mutex<(Vec<u8>, Option<String>)>);

impl ExplainedEntry {
    /// Sets the entry's name.
    pub(crate) fn set(&self, name: &[u8]) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = (name.to_vec(), None);
    }

    /// Notes the reason for which `name` is left out, if that is the entry.
    pub(crate) fn note(&self, name: &[u8], why: &dyn fmt::Display) {
        let mut explained = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if explained.0 == name {
            explained.1 = Some(why.to_string());
        }
    }

    /// Takes the reason.
    pub(crate) fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1.take()
    }
}
